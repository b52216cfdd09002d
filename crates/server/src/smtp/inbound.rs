//! One SMTP session of the mail exchanger: moves bytes between a connection and a session of the mail crate, and asks
//! the use-cases what that session asks (RFC 5321, decision 17).
//!
//! A 250 to content is written only after the use-case has stored it. What has not come whole is not stored.

use std::{io, net::IpAddr, pin::Pin};

use posthouse_mail::{
    address::Address,
    smtp::{
        command::EnvelopeAddress,
        reply::{EnhancedCode, Reply},
        server::{Farewell, ServerSession, Step, Transaction, Verdict},
    },
};

use super::{
    listener::{CONTENT_BYTES_FREE, House},
    patience::Patience,
    replies,
    wire::Wire,
};
use crate::{
    app::receive::{self, Arrival, RecipientVerdict},
    ports::Pending,
};

/// A connection whose client is known.
pub(super) struct Session<'h> {
    house: &'h House,
    smtp: ServerSession,
    client_ip: IpAddr,
    patience: Patience,
    /// Comes back when the process begins to stop; none when it has.
    stopping: Option<Pending<'h, ()>>,
    /// Bytes of content that this session holds in memory, as counted in the house.
    content_bytes: u64,
}

/// Why waiting for the client ended.
enum Heard {
    Bytes,
    End,
    Late,
    Stopping,
}

impl<'h> Session<'h> {
    /// A session and the greeting to write first.
    pub(super) fn new(house: &'h House, client_ip: IpAddr, patience: Patience) -> (Self, Vec<u8>) {
        let (smtp, greeting) = ServerSession::new(house.session_config());
        let stopping: Pending<'h, ()> = Box::pin(house.app.life.drained());
        let session = Self { house, smtp, client_ip, patience, stopping: Some(stopping), content_bytes: 0 };
        (session, greeting)
    }

    /// Runs the session to its end. `early` is what the client sent before the greeting.
    ///
    /// # Errors
    /// The connection's.
    pub(super) async fn run(mut self, mut wire: Wire, greeting: Vec<u8>, early: &[u8]) -> io::Result<()> {
        self.smtp.receive(early);
        self.write(&mut wire, &greeting).await?;
        loop {
            match self.smtp.step() {
                Step::NeedInput => self.listen(&mut wire).await?,
                Step::Write(bytes) => self.write(&mut wire, &bytes).await?,
                Step::StartTls => {
                    wire = self.encrypt(wire).await?;
                    self.smtp.tls_started();
                }
                Step::Sender(query) => {
                    let verdict = judge_sender(query.mail_from.as_ref());
                    self.smtp.sender(verdict);
                }
                Step::Recipient(query) => {
                    let verdict = self.judge_recipient(&query.address).await;
                    self.smtp.recipient(verdict);
                }
                Step::Message(transaction) => self.message(&mut wire, *transaction).await?,
                // AUTH is never offered at this door, so the session never asks this.
                Step::Authenticate(_) => self.smtp.authenticated(Verdict::Reject(replies::NO_AUTH)),
                Step::Pending | Step::Close => break,
            }
        }
        self.linger(wire).await
    }

    /// Gives the client a moment to read its last reply, unless the process stops.
    async fn linger(mut self, mut wire: Wire) -> io::Result<()> {
        let deadline = self.patience.linger();
        let house = self.house;
        tokio::select! {
            biased;
            closed = self.patience.within(deadline, wire.close()) => closed.unwrap_or(Ok(())),
            () = house.app.life.drained() => Ok(()),
        }
    }

    /// Waits for bytes, or for a reason not to wait any longer.
    async fn listen(&mut self, wire: &mut Wire) -> io::Result<()> {
        self.patience.transaction(!self.smtp.is_idle());
        match self.hear(wire).await? {
            Heard::Bytes => return self.bound_content(wire).await,
            Heard::End => return Err(io::ErrorKind::UnexpectedEof.into()),
            // A message cut off by the end of the process is the process's doing, not the client's.
            Heard::Late if self.stopping.is_none() => self.farewell(wire, Farewell::ShuttingDown).await?,
            Heard::Late => self.farewell(wire, Farewell::TimedOut).await?,
            Heard::Stopping => {
                self.stopping = None;
                self.patience.draining();
                if !self.smtp.is_taking_content() {
                    self.farewell(wire, Farewell::ShuttingDown).await?;
                }
            }
        }
        Ok(())
    }

    async fn hear(&mut self, wire: &mut Wire) -> io::Result<Heard> {
        let deadline = self.patience.deadline();
        let Self { smtp, patience, stopping, .. } = self;
        let stop = async {
            match stopping {
                Some(stopping) => Pin::new(stopping).await,
                None => std::future::pending().await,
            }
        };
        let bytes = tokio::select! {
            biased;
            bytes = wire.read(|bytes| smtp.receive(bytes)) => bytes?,
            () = stop => return Ok(Heard::Stopping),
            () = patience.late(deadline) => return Ok(Heard::Late),
        };
        patience.heard(bytes);
        Ok(if bytes == 0 { Heard::End } else { Heard::Bytes })
    }

    /// Keeps account of the content in memory. A session that wants much while there is too much of it has to go.
    async fn bound_content(&mut self, wire: &mut Wire) -> io::Result<()> {
        let held = self.smtp.content_bytes();
        if self.house.content(self.content_bytes, held) || held <= CONTENT_BYTES_FREE {
            self.content_bytes = held;
            return Ok(());
        }
        self.content_bytes = held;
        tracing::warn!("smtp.too_much_content");
        self.farewell(wire, Farewell::Overloaded).await
    }

    async fn farewell(&mut self, wire: &mut Wire, why: Farewell) -> io::Result<()> {
        let bytes = self.smtp.farewell(why);
        self.write(wire, &bytes).await
    }

    async fn write(&mut self, wire: &mut Wire, bytes: &[u8]) -> io::Result<()> {
        let deadline = self.patience.opening();
        let written = self.patience.within(deadline, wire.write(bytes)).await;
        self.patience.spoke();
        written.unwrap_or_else(|| Err(io::ErrorKind::TimedOut.into()))
    }

    async fn encrypt(&mut self, wire: Wire) -> io::Result<Wire> {
        let Some(config) = self.house.tls() else {
            return Ok(wire);
        };
        let deadline = self.patience.opening();
        let encrypted = self.patience.within(deadline, wire.encrypt(config)).await;
        self.patience.spoke();
        encrypted.unwrap_or_else(|| Err(io::ErrorKind::TimedOut.into()))
    }

    async fn judge_recipient(&mut self, path: &EnvelopeAddress) -> Verdict {
        let Some(address) = self.address(path) else {
            return Verdict::Reject(replies::UNKNOWN_RECIPIENT);
        };
        match receive::recipient(&self.house.app, &address).await {
            Ok(RecipientVerdict::Accept) => Verdict::Accept,
            Ok(RecipientVerdict::Unknown) => Verdict::Reject(replies::UNKNOWN_RECIPIENT),
            Err(refusal) => Verdict::Reject(replies::refusal(&refusal)),
        }
    }

    /// The address meant by a path; `<postmaster>` alone is ours (RFC 5321 §4.5.1).
    fn address(&self, path: &EnvelopeAddress) -> Option<Address> {
        match path.domain() {
            Some(_) => path.to_address(),
            None => Address::parse_smtp(&format!("{path}@{}", self.house.app.config.mail.default_domain)).ok(),
        }
    }

    /// Stores a message and says so; then, when the process stops, takes leave before the next one.
    async fn message(&mut self, wire: &mut Wire, transaction: Transaction) -> io::Result<()> {
        let reply = self.store(transaction, wire.tls()).await;
        self.smtp.finish(reply);
        self.house.content(self.content_bytes, 0);
        self.content_bytes = 0;
        if self.house.app.life.is_draining() {
            return self.farewell(wire, Farewell::ShuttingDown).await;
        }
        Ok(())
    }

    async fn store(&mut self, transaction: Transaction, tls: Option<String>) -> Reply {
        let app = &self.house.app;
        let began = app.clock.now();
        let body_bytes = transaction.data.len();
        let recipients = transaction.recipients.len();
        let result = receive::receive(app, self.arrival(transaction, tls)).await;
        let took_ms = app.clock.now().since_ms(began);
        match result {
            Ok(ids) => {
                app.metrics.smtp_message("stored");
                let message_id = ids.first().map(ToString::to_string).unwrap_or_default();
                tracing::debug!(message_id, outcome = "stored", body_bytes, recipients, took_ms, "smtp.message");
                Reply::new(250, EnhancedCode(2, 0, 0), format!("Stored as {message_id}"))
            }
            Err(refusal) => {
                app.shortage.note(&refusal);
                let reply = replies::refusal(&refusal);
                let outcome = if reply.code() < 500 { "deferred" } else { "refused" };
                app.metrics.smtp_message(outcome);
                tracing::debug!(outcome, code = refusal.code.text(), body_bytes, recipients, took_ms, "smtp.message");
                reply
            }
        }
    }

    fn arrival(&self, transaction: Transaction, tls: Option<String>) -> Arrival {
        Arrival {
            protocol: protocol(&transaction),
            mail_from: transaction.mail_from.as_ref().and_then(EnvelopeAddress::to_address),
            recipients: transaction.recipients.iter().filter_map(|path| self.address(path)).collect(),
            raw: transaction.data,
            client_ip: self.client_ip,
            helo: transaction.helo,
            tls,
        }
    }
}

/// Whatever ends a session, its content is no longer in memory.
impl Drop for Session<'_> {
    fn drop(&mut self) {
        self.house.content(self.content_bytes, 0);
    }
}

fn judge_sender(path: Option<&EnvelopeAddress>) -> Verdict {
    match path {
        Some(path) if path.to_address().is_none() => Verdict::Reject(replies::BAD_SENDER),
        _ => Verdict::Accept,
    }
}

/// The transmission type of the trace field (RFC 3848, RFC 6531 §4.3).
fn protocol(transaction: &Transaction) -> &'static str {
    match (transaction.smtputf8, transaction.tls, transaction.esmtp) {
        (true, true, _) => "UTF8SMTPS",
        (true, false, _) => "UTF8SMTP",
        (false, true, _) => "ESMTPS",
        (false, false, true) => "ESMTP",
        (false, false, false) => "SMTP",
    }
}
