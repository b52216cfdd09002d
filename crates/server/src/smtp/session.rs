//! An SMTP session: moves bytes between a connection and the protocol session of the mail crate, and passes that
//! session's requests to the mail exchanger or to submission (RFC 5321).
//!
//! The 250 reply to content is written only after the message is stored. Incomplete messages aren't stored.

use std::{io, net::IpAddr, pin::Pin};

use posthouse_mail::smtp::{
    reply::ServerReply,
    server::{
        DisconnectReason, InboundTransaction, LoginCredentials, RecipientQuery, SenderQuery, ServerSession, ServerStep,
        SessionDecision,
    },
};

use super::{
    frontend::{CONTENT_BYTES_FREE, ConnectionKind, SmtpFrontend},
    inbound::Inbound,
    submission::Submission,
    wire::SmtpStream,
};
use crate::smtp::timeouts::SessionTimeouts;
use posthouse_app::ports::BoxFuture;

/// An SMTP session on one connection.
pub(super) struct Session<'h> {
    frontend: &'h SmtpFrontend,
    smtp: ServerSession,
    service: SmtpRole<'h>,
    timeouts: SessionTimeouts,
    /// Completes when the process starts to drain; `None` afterwards.
    stopping: Option<BoxFuture<'h, ()>>,
    /// Bytes of content that this session buffers, as counted in the shared state.
    content_bytes: u64,
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
        door: ConnectionKind,
        addresses: SessionAddresses,
        patience: SessionTimeouts,
    ) -> (Self, Vec<u8>) {
        let SessionAddresses { peer_ip, client_ip } = addresses;
        let on_loopback = peer_ip.is_loopback() && client_ip.is_loopback();
        let (smtp, greeting) = ServerSession::new(frontend.session_config(door, on_loopback));
        let stopping: BoxFuture<'h, ()> = Box::pin(frontend.app.lifecycle.drained());
        let service = match frontend.failed_logins() {
            None => SmtpRole::Inbound(Inbound::new(frontend, client_ip)),
            Some(failed) => SmtpRole::Submission(Submission::new(&frontend.app.app, failed, client_ip)),
        };
        let session = Self { frontend, smtp, service, timeouts: patience, stopping: Some(stopping), content_bytes: 0 };
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
            () = frontend.app.lifecycle.drained() => Ok(()),
        }
    }

    /// Waits for input, a timeout or the end of the process.
    async fn wait_for_input(&mut self, wire: &mut SmtpStream) -> io::Result<()> {
        self.timeouts.transaction(!self.smtp.is_idle());
        match self.read(wire).await? {
            ReadOutcome::Bytes => return self.bound_content(wire).await,
            ReadOutcome::End => return Err(io::ErrorKind::UnexpectedEof.into()),
            // If the process is draining, the reply names that and not a timeout of the client.
            ReadOutcome::Late if self.stopping.is_none() => {
                self.say_goodbye(wire, DisconnectReason::ShuttingDown).await?
            }
            ReadOutcome::Late => self.say_goodbye(wire, DisconnectReason::TimedOut).await?,
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

    async fn read(&mut self, wire: &mut SmtpStream) -> io::Result<ReadOutcome> {
        let deadline = self.timeouts.deadline();
        let Self { smtp, timeouts: patience, stopping, .. } = self;
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
            () = patience.deadline_passed(deadline) => return Ok(ReadOutcome::Late),
        };
        patience.record_read(bytes);
        Ok(if bytes == 0 { ReadOutcome::End } else { ReadOutcome::Bytes })
    }

    /// Counts buffered content. If all sessions together exceed the limit, a session above its free share is closed.
    async fn bound_content(&mut self, wire: &mut SmtpStream) -> io::Result<()> {
        let held = self.smtp.content_bytes();
        if self.frontend.content(self.content_bytes, held) || held <= CONTENT_BYTES_FREE {
            self.content_bytes = held;
            return Ok(());
        }
        tracing::warn!("smtp.too_much_content");
        // The farewell drops the content, so that its memory is released before the reply is written.
        let bytes = self.smtp.disconnect(DisconnectReason::Overloaded);
        self.frontend.content(held, self.smtp.content_bytes());
        self.content_bytes = self.smtp.content_bytes();
        self.write(wire, &bytes).await
    }

    async fn say_goodbye(&mut self, wire: &mut SmtpStream, why: DisconnectReason) -> io::Result<()> {
        let bytes = self.smtp.disconnect(why);
        self.write(wire, &bytes).await
    }

    async fn write(&mut self, wire: &mut SmtpStream, bytes: &[u8]) -> io::Result<()> {
        let deadline = self.timeouts.opening();
        let written = self.timeouts.within(deadline, wire.write(bytes)).await;
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
        let encrypted = self.timeouts.within(deadline, wire.encrypt(config)).await;
        self.timeouts.record_write();
        encrypted.unwrap_or_else(|| Err(io::ErrorKind::TimedOut.into()))
    }

    /// Stores a message and replies. If the process is draining, the session ends before the next message.
    async fn message(&mut self, wire: &mut SmtpStream, transaction: InboundTransaction) -> io::Result<()> {
        let reply = self.service.store(transaction, wire.tls()).await;
        self.smtp.finish(reply);
        self.frontend.content(self.content_bytes, 0);
        self.content_bytes = 0;
        if self.frontend.app.lifecycle.is_draining() {
            return self.say_goodbye(wire, DisconnectReason::ShuttingDown).await;
        }
        Ok(())
    }
}

/// Releases the counted content, however the session ended.
impl Drop for Session<'_> {
    fn drop(&mut self) {
        self.frontend.content(self.content_bytes, 0);
    }
}
