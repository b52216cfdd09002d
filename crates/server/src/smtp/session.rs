//! One SMTP session: moves bytes between a connection and a session of the mail crate, and has a desk answer what that
//! session asks (RFC 5321). What the answers are differs between the mail exchanger and submission; the rest does not.
//!
//! A 250 to content is written only after the desk has stored it. What has not come whole is not stored.

use std::{io, net::IpAddr, pin::Pin};

use posthouse_mail::smtp::{
    reply::Reply,
    server::{Credentials, Farewell, RecipientQuery, SenderQuery, ServerSession, Step, Transaction, Verdict},
};

use super::{
    inbound::Inbound,
    listener::{CONTENT_BYTES_FREE, Door, House},
    patience::Patience,
    submission::Submission,
    wire::Wire,
};
use crate::ports::Pending;

/// A connection whose client is known.
pub(super) struct Session<'h> {
    house: &'h House,
    smtp: ServerSession,
    desk: Desk<'h>,
    patience: Patience,
    /// Comes back when the process begins to stop; none when it has.
    stopping: Option<Pending<'h, ()>>,
    /// Bytes of content that this session holds in memory, as counted in the house.
    content_bytes: u64,
}

/// Who answers what a session asks.
enum Desk<'h> {
    Inbound(Inbound<'h>),
    Submission(Submission<'h>),
}

impl Desk<'_> {
    async fn sender(&mut self, query: &SenderQuery) -> Verdict {
        match self {
            Desk::Inbound(desk) => desk.sender(query),
            Desk::Submission(desk) => desk.sender(query),
        }
    }

    async fn recipient(&mut self, query: &RecipientQuery) -> Verdict {
        match self {
            Desk::Inbound(desk) => desk.recipient(query).await,
            Desk::Submission(desk) => desk.recipient(query),
        }
    }

    async fn authenticate(&mut self, credentials: &Credentials) -> Verdict {
        match self {
            Desk::Inbound(desk) => desk.authenticate(),
            Desk::Submission(desk) => desk.authenticate(credentials).await,
        }
    }

    /// Stores a message; 2xx only when it is stored.
    async fn store(&mut self, transaction: Transaction, tls: Option<String>) -> Reply {
        match self {
            Desk::Inbound(desk) => desk.store(transaction, tls).await,
            Desk::Submission(desk) => desk.store(transaction).await,
        }
    }
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
    pub(super) fn new(
        house: &'h House,
        door: Door,
        (peer_ip, client_ip): (IpAddr, IpAddr),
        patience: Patience,
    ) -> (Self, Vec<u8>) {
        let on_loopback = peer_ip.is_loopback() && client_ip.is_loopback();
        let (smtp, greeting) = ServerSession::new(house.session_config(door, on_loopback));
        let stopping: Pending<'h, ()> = Box::pin(house.app.life.drained());
        let desk = match house.failed_logins() {
            None => Desk::Inbound(Inbound::new(house, client_ip)),
            Some(failed) => Desk::Submission(Submission::new(&house.app, failed, client_ip)),
        };
        let session = Self { house, smtp, desk, patience, stopping: Some(stopping), content_bytes: 0 };
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
                    let verdict = self.desk.sender(&query).await;
                    self.smtp.sender(verdict);
                }
                Step::Recipient(query) => {
                    let verdict = self.desk.recipient(&query).await;
                    self.smtp.recipient(verdict);
                }
                Step::Message(transaction) => self.message(&mut wire, *transaction).await?,
                Step::Authenticate(credentials) => {
                    let verdict = self.desk.authenticate(&credentials).await;
                    self.smtp.authenticated(verdict);
                }
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
        tracing::warn!("smtp.too_much_content");
        // The content goes with the farewell, and others have its room before the client hears of it.
        let bytes = self.smtp.farewell(Farewell::Overloaded);
        self.house.content(held, self.smtp.content_bytes());
        self.content_bytes = self.smtp.content_bytes();
        self.write(wire, &bytes).await
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

    /// Shakes hands, as far as there is a certificate.
    ///
    /// # Errors
    /// The connection's.
    pub(super) async fn encrypt(&mut self, wire: Wire) -> io::Result<Wire> {
        let Some(config) = self.house.tls() else {
            return Ok(wire);
        };
        let deadline = self.patience.opening();
        let encrypted = self.patience.within(deadline, wire.encrypt(config)).await;
        self.patience.spoke();
        encrypted.unwrap_or_else(|| Err(io::ErrorKind::TimedOut.into()))
    }

    /// Stores a message and says so; then, when the process stops, takes leave before the next one.
    async fn message(&mut self, wire: &mut Wire, transaction: Transaction) -> io::Result<()> {
        let reply = self.desk.store(transaction, wire.tls()).await;
        self.smtp.finish(reply);
        self.house.content(self.content_bytes, 0);
        self.content_bytes = 0;
        if self.house.app.life.is_draining() {
            return self.farewell(wire, Farewell::ShuttingDown).await;
        }
        Ok(())
    }
}

/// Whatever ends a session, its content is no longer in memory.
impl Drop for Session<'_> {
    fn drop(&mut self) {
        self.house.content(self.content_bytes, 0);
    }
}
