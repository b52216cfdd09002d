//! An SMTP session: moves bytes between a connection and the protocol session of the mail crate, and passes that
//! session's requests to the mail exchanger or to submission (RFC 5321).
//!
//! The 250 reply to content is written only after the message is stored. Incomplete messages aren't stored.

use std::{io, net::IpAddr, pin::Pin, sync::Arc};

use posthouse_mail::smtp::{
    reply::ServerReply,
    server::{
        DisconnectReason, InboundTransaction, LoginCredentials, RecipientQuery, SenderQuery, ServerSession, ServerStep,
        SessionDecision,
    },
};

use super::{
    client::ConnectionActivity,
    content_budget::{ContentLimit, SessionContent},
    frontend::{ConnectionKind, SmtpFrontend},
    inbound::Inbound,
    replies,
    submission::Submission,
    wire::SmtpStream,
};
use crate::smtp::timeouts::{AwaitedInput, SessionTimeouts};
use posthouse_app::ports::BoxFuture;

/// An SMTP session on one connection.
pub(super) struct Session<'h> {
    frontend: &'h SmtpFrontend,
    smtp: ServerSession,
    service: SmtpRole<'h>,
    timeouts: SessionTimeouts,
    /// Completes when the process starts to drain; `None` afterwards.
    stopping: Option<BoxFuture<'h, ()>>,
    /// The content that this session buffers.
    content: SessionContent,
    activity: Arc<ConnectionActivity>,
}

/// The service that answers the requests of a session.
enum SmtpRole<'h> {
    Inbound(Inbound<'h>),
    Submission(Submission<'h>),
}

impl SmtpRole<'_> {
    async fn sender(&mut self, query: &SenderQuery) -> SessionDecision {
        match self {
            SmtpRole::Inbound(service) => service.sender(query),
            SmtpRole::Submission(service) => service.sender(query),
        }
    }

    async fn recipient(&mut self, query: &RecipientQuery) -> SessionDecision {
        match self {
            SmtpRole::Inbound(service) => service.recipient(query).await,
            SmtpRole::Submission(service) => service.recipient(query),
        }
    }

    async fn authenticate(&mut self, credentials: &LoginCredentials) -> SessionDecision {
        match self {
            SmtpRole::Inbound(service) => service.authenticate(),
            SmtpRole::Submission(service) => service.authenticate(credentials).await,
        }
    }

    /// Stores a message and returns the reply, which is 2xx only if the message was stored.
    async fn store(&mut self, transaction: InboundTransaction, tls: Option<String>) -> ServerReply {
        match self {
            SmtpRole::Inbound(service) => service.store(transaction, tls).await,
            SmtpRole::Submission(service) => service.store(transaction).await,
        }
    }
}

/// Why waiting for the client ended.
enum ReadOutcome {
    Bytes,
    End,
    Late,
    Stopping,
    /// The connection lost its place to one of another client.
    Dropped,
}

/// The addresses of a connection. They differ behind a proxy.
#[derive(Clone, Copy)]
pub(super) struct SessionAddresses {
    /// The other end of the connection.
    pub(super) peer_ip: IpAddr,
    /// The client, as the proxy reported it.
    pub(super) client_ip: IpAddr,
}

impl<'h> Session<'h> {
    /// Creates a session. Returns it with the greeting.
    pub(super) fn new(
        frontend: &'h SmtpFrontend,
        kind: ConnectionKind,
        addresses: SessionAddresses,
        timeouts: SessionTimeouts,
        activity: Arc<ConnectionActivity>,
    ) -> (Self, Vec<u8>) {
        let SessionAddresses { peer_ip, client_ip } = addresses;
        let on_loopback = peer_ip.is_loopback() && client_ip.is_loopback();
        let (smtp, greeting) = ServerSession::new(frontend.session_config(kind, on_loopback));
        let stopping: BoxFuture<'h, ()> = Box::pin(frontend.service.lifecycle.drained());
        let service = match frontend.failed_logins() {
            None => SmtpRole::Inbound(Inbound::new(frontend, client_ip)),
            Some(failed) => SmtpRole::Submission(Submission::new(&frontend.service, failed, client_ip)),
        };
        let content = frontend.content(client_ip);
        let session = Self { frontend, smtp, service, timeouts, stopping: Some(stopping), content, activity };
        (session, greeting)
    }

    /// Runs the session to its end. `early` is data that the client sent before the greeting.
    ///
    /// # Errors
    /// Returns an error if the connection fails.
    pub(super) async fn run(mut self, mut wire: SmtpStream, greeting: Vec<u8>, early: &[u8]) -> io::Result<()> {
        self.smtp.receive(early);
        self.write(&mut wire, &greeting).await?;
        loop {
            match self.smtp.step() {
                ServerStep::NeedInput => self.wait_for_input(&mut wire).await?,
                ServerStep::Write(bytes) => self.write(&mut wire, &bytes).await?,
                ServerStep::StartTls => {
                    wire = self.encrypt(wire).await?;
                    self.smtp.tls_started();
                }
                ServerStep::Sender(query) => {
                    let verdict = self.service.sender(&query).await;
                    self.smtp.sender(verdict);
                }
                ServerStep::Recipient(query) => {
                    let verdict = self.service.recipient(&query).await;
                    self.smtp.recipient(verdict);
                }
                ServerStep::Message(transaction) => self.message(&mut wire, *transaction).await?,
                ServerStep::Authenticate(credentials) => {
                    let verdict = self.service.authenticate(&credentials).await;
                    self.smtp.authenticated(verdict);
                }
                ServerStep::Pending | ServerStep::Close => break,
            }
        }
        self.linger(wire).await
    }

    /// Waits briefly for the client to read the last reply, unless the process drains.
    async fn linger(mut self, mut wire: SmtpStream) -> io::Result<()> {
        let deadline = self.timeouts.linger();
        let frontend = self.frontend;
        tokio::select! {
            biased;
            closed = self.timeouts.within(deadline, wire.close()) => closed.unwrap_or(Ok(())),
            () = frontend.service.lifecycle.drained() => Ok(()),
        }
    }

    /// Waits for input, a timeout or the end of the process.
    async fn wait_for_input(&mut self, wire: &mut SmtpStream) -> io::Result<()> {
        if let Err(limit) = self.content.resize(self.smtp.content_bytes()) {
            return self.refuse_content(wire, limit).await;
        }
        self.timeouts.content(self.smtp.is_taking_content());
        self.timeouts.awaits(self.awaited());
        match self.read(wire).await? {
            ReadOutcome::Bytes => {}
            ReadOutcome::End => return Err(io::ErrorKind::UnexpectedEof.into()),
            // If the process is draining, the reply names that and not a timeout of the client.
            ReadOutcome::Late if self.stopping.is_none() => {
                self.say_goodbye(wire, DisconnectReason::ShuttingDown).await?
            }
            ReadOutcome::Late if self.timeouts.is_content_slow() => {
                let limits = &self.frontend.service.config.limits;
                let reply = replies::slow_content(limits.smtp_content_bytes_per_second);
                self.frontend.service.metrics.limit_reached("limits.smtp_content_bytes_per_second");
                self.say_goodbye(wire, DisconnectReason::Limit(reply)).await?
            }
            ReadOutcome::Late => self.say_goodbye(wire, DisconnectReason::TimedOut).await?,
            ReadOutcome::Dropped => {
                tracing::debug!("smtp.dropped_for_another_client");
                self.frontend.service.metrics.limit_reached("smtp.max_connections");
                let reply = replies::dropped_for_another_client(self.frontend.connection_permits.all_max());
                self.say_goodbye(wire, DisconnectReason::Limit(reply)).await?
            }
            ReadOutcome::Stopping => {
                self.stopping = None;
                self.timeouts.draining();
                if !self.smtp.is_taking_content() {
                    self.say_goodbye(wire, DisconnectReason::ShuttingDown).await?;
                }
            }
        }
        Ok(())
    }

    fn awaited(&self) -> AwaitedInput {
        if self.smtp.awaits_login() {
            AwaitedInput::Login
        } else if self.smtp.awaits_greeting() {
            AwaitedInput::Greeting
        } else {
            AwaitedInput::Command
        }
    }

    async fn read(&mut self, wire: &mut SmtpStream) -> io::Result<ReadOutcome> {
        let deadline = self.timeouts.deadline();
        let Self { smtp, timeouts, stopping, activity, .. } = self;
        let stop = async {
            match stopping {
                Some(stopping) => Pin::new(stopping).await,
                None => std::future::pending().await,
            }
        };
        let bytes = tokio::select! {
            biased;
            bytes = wire.read(|bytes| smtp.receive(bytes)) => bytes?,
            () = stop => return Ok(ReadOutcome::Stopping),
            () = activity.dropped() => return Ok(ReadOutcome::Dropped),
            () = timeouts.deadline_passed(deadline) => return Ok(ReadOutcome::Late),
        };
        timeouts.record_read(bytes);
        activity.heard(self.frontend.service.clock.now());
        Ok(if bytes == 0 { ReadOutcome::End } else { ReadOutcome::Bytes })
    }

    /// Closes a session whose content is over a limit.
    async fn refuse_content(&mut self, wire: &mut SmtpStream, limit: ContentLimit) -> io::Result<()> {
        match limit {
            ContentLimit::All(_) => tracing::warn!("smtp.too_much_content"),
            ContentLimit::Client(_) => tracing::debug!("smtp.too_much_content_of_client"),
        }
        self.frontend.service.metrics.limit_reached(limit.name());
        // The farewell drops the content, so that its memory is released before the reply is written.
        let bytes = self.smtp.disconnect(DisconnectReason::Limit(limit.reply()));
        self.content.release();
        self.write(wire, &bytes).await
    }

    async fn say_goodbye(&mut self, wire: &mut SmtpStream, why: DisconnectReason) -> io::Result<()> {
        let bytes = self.smtp.disconnect(why);
        self.write(wire, &bytes).await
    }

    async fn write(&mut self, wire: &mut SmtpStream, bytes: &[u8]) -> io::Result<()> {
        let deadline = self.timeouts.opening();
        let written = self.timeouts.within(deadline, held(&self.activity, wire.write(bytes))).await;
        self.timeouts.record_write();
        written.unwrap_or_else(|| Err(io::ErrorKind::TimedOut.into()))
    }

    /// Starts TLS if there is a certificate.
    ///
    /// # Errors
    /// Returns an error if the handshake fails or times out.
    pub(super) async fn encrypt(&mut self, wire: SmtpStream) -> io::Result<SmtpStream> {
        let Some(config) = self.frontend.tls() else {
            return Ok(wire);
        };
        let deadline = self.timeouts.opening();
        let encrypted = self.timeouts.within(deadline, held(&self.activity, wire.encrypt(config))).await;
        self.timeouts.record_write();
        encrypted.unwrap_or_else(|| Err(io::ErrorKind::TimedOut.into()))
    }

    /// Stores a message and replies. If the process is draining, the session ends before the next message.
    async fn message(&mut self, wire: &mut SmtpStream, transaction: InboundTransaction) -> io::Result<()> {
        self.activity.works();
        let reply = self.service.store(transaction, wire.tls()).await;
        self.activity.heard(self.frontend.service.clock.now());
        self.smtp.finish(reply);
        self.content.release();
        if self.frontend.service.lifecycle.is_draining() {
            return self.say_goodbye(wire, DisconnectReason::ShuttingDown).await;
        }
        Ok(())
    }
}

/// Returns the result of a future, or an error once the connection has lost its place.
async fn held<T>(activity: &ConnectionActivity, future: impl Future<Output = io::Result<T>>) -> io::Result<T> {
    tokio::select! {
        biased;
        done = future => done,
        () = activity.dropped() => Err(io::ErrorKind::ConnectionAborted.into()),
    }
}
