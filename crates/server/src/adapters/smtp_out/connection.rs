//! One SMTP connection: the socket of a sans-IO session.

use std::{io, net::SocketAddr, time::Duration};

use posthouse_domain::{message::TlsParameters, time::Time};
use posthouse_mail::smtp::client::{
    ClientSession, ClientStep, ConnectionFailure, OutboundMessage, RecipientOutcome, SmtpStage, TLS_TIMEOUT_MS,
    TlsPolicy,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpSocket, TcpStream},
};
use tokio_rustls::client::TlsStream;

use super::tls::Connectors;
use posthouse_app::{
    ports::Peer,
    tls::{NegotiatedTls, version_and_cipher},
};

/// Time limit of the TCP handshake, in milliseconds.
const CONNECT_MS_MAX: u64 = 30_000;
/// Time limit of closing with QUIT, in milliseconds.
const CLOSE_MS_MAX: u64 = 1_000;
/// Size of the read buffer; replies are short.
const READ_BYTES: usize = 4 * 1024;

enum Stream {
    Plain(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
    /// The TLS handshake failed and consumed the socket.
    Gone,
}

/// A connection with the state of its session.
pub(super) struct Connection {
    session: ClientSession,
    stream: Stream,
    messages: u32,
    tls: TlsPeer,
    used: Option<TlsParameters>,
}

/// The parameters of a TLS handshake.
struct TlsPeer {
    connectors: Connectors,
    host: String,
    verify: bool,
    /// The time at which certificates are verified.
    now: Time,
}

impl Connection {
    /// Connects and runs the session until the server is ready for a message.
    pub(super) async fn open(peer: &Peer, connectors: &Connectors, now: Time) -> Result<Self, ConnectionFailure> {
        let bound = bound(peer).map_err(|error| {
            let text = format!("mail cannot leave from this address (delivery.source_addresses): {error}");
            ConnectionFailure { stage: SmtpStage::Local, ..failed(&text) }
        })?;
        let socket = within(CONNECT_MS_MAX, connect(peer, bound)).await.map_err(|why| failed(&why))?;
        // Commands are small and answered one by one, so Nagle's algorithm would delay each of them.
        let _ = socket.set_nodelay(true);
        let tls = TlsPeer { connectors: connectors.clone(), host: peer.host.clone(), verify: peer.verify, now };
        let (stream, used) = if peer.session.tls == TlsPolicy::Implicit {
            let shaken = within(TLS_TIMEOUT_MS, tls.handshake(socket)).await.map_err(|why| failed(&why))?;
            let used = tls.used(&shaken);
            (Stream::Tls(Box::new(shaken)), used)
        } else {
            (Stream::Plain(socket), None)
        };
        let session = ClientSession::new(peer.session.clone());
        let mut connection = Self { session, stream, messages: 0, tls, used };
        match connection.advance().await {
            ClientStep::Ready => Ok(connection),
            ClientStep::Failed(failure) => Err(failure),
            _ => Err(failed("the session ended before a message")),
        }
    }

    /// Sends a message on a ready connection. Call [`Connection::is_ready`] before the next one.
    pub(super) async fn send(&mut self, message: OutboundMessage) -> Vec<RecipientOutcome> {
        self.messages += 1;
        if self.session.send(message).is_err() {
            return Vec::new();
        }
        match self.advance().await {
            ClientStep::Done(outcomes) => outcomes,
            _ => Vec::new(),
        }
    }

    /// Returns whether another message can be sent.
    pub(super) async fn is_ready(&mut self) -> bool {
        matches!(self.advance().await, ClientStep::Ready)
    }

    pub(super) fn messages(&self) -> u32 {
        self.messages
    }

    /// Returns how the connection is encrypted, if it is.
    pub(super) fn tls(&self) -> Option<TlsParameters> {
        self.used.clone()
    }

    /// Sends QUIT and closes without waiting for the reply.
    pub(super) async fn close(mut self) {
        self.session.quit();
        if let ClientStep::Write(bytes) = self.session.step() {
            let _ = within(CLOSE_MS_MAX, self.stream.write(&bytes)).await;
            let _ = within(CLOSE_MS_MAX, self.stream.shutdown()).await;
        }
    }

    /// Performs the I/O that the session requests, until it returns another step.
    async fn advance(&mut self) -> ClientStep {
        let mut buffer = [0; READ_BYTES];
        loop {
            match self.session.step() {
                ClientStep::Write(bytes) => {
                    if let Err(why) = within(self.session.deadline_ms(), self.stream.write(&bytes)).await {
                        self.session.connection_lost(&why);
                    }
                }
                ClientStep::NeedInput => {
                    match within(self.session.deadline_ms(), self.stream.read(&mut buffer)).await {
                        Ok(0) => self.session.connection_lost("the server closed the connection"),
                        Ok(count) => self.session.receive(&buffer[..count]),
                        Err(why) => self.session.connection_lost(&why),
                    }
                }
                ClientStep::StartTls => self.start_tls().await,
                decided => return decided,
            }
        }
    }

    async fn start_tls(&mut self) {
        let Stream::Plain(socket) = std::mem::replace(&mut self.stream, Stream::Gone) else {
            self.session.tls_failed("TLS is on already");
            return;
        };
        match within(self.session.deadline_ms(), self.tls.handshake(socket)).await {
            Ok(shaken) => {
                self.used = self.tls.used(&shaken);
                self.stream = Stream::Tls(Box::new(shaken));
                self.session.tls_started();
            }
            Err(why) => self.session.tls_failed(&format!("the TLS handshake failed: {why}")),
        }
    }
}

impl TlsPeer {
    async fn handshake(&self, socket: TcpStream) -> io::Result<TlsStream<TcpStream>> {
        let connector = self.connectors.of(self.verify).map_err(io::Error::other)?;
        let name = self.connectors.server_name(&self.host, socket.peer_addr()?);
        connector.connect(name, socket).await
    }

    /// Describes a completed handshake. If any certificate was accepted, it is verified now.
    fn used(&self, stream: &TlsStream<TcpStream>) -> Option<TlsParameters> {
        let (socket, session) = stream.get_ref();
        let NegotiatedTls { version, cipher } = version_and_cipher(session)?;
        let valid = || {
            let name = self.connectors.server_name(&self.host, socket.peer_addr().ok()?);
            Some(self.connectors.are_valid(session.peer_certificates()?, &name, self.now))
        };
        Some(TlsParameters { version, cipher, verified: self.verify || valid().unwrap_or(false) })
    }
}

impl Stream {
    async fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Plain(socket) => socket.write_all(bytes).await,
            Self::Tls(stream) => {
                stream.write_all(bytes).await?;
                stream.flush().await
            }
            Self::Gone => Err(io::ErrorKind::NotConnected.into()),
        }
    }

    async fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(socket) => socket.read(buffer).await,
            Self::Tls(stream) => stream.read(buffer).await,
            Self::Gone => Err(io::ErrorKind::NotConnected.into()),
        }
    }

    async fn shutdown(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(socket) => socket.shutdown().await,
            Self::Tls(stream) => stream.shutdown().await,
            Self::Gone => Ok(()),
        }
    }
}

/// Returns a socket bound to the source address, if there is one.
fn bound(peer: &Peer) -> io::Result<Option<TcpSocket>> {
    let Some(source) = peer.source else { return Ok(None) };
    let socket = if source.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    socket.bind(SocketAddr::new(source, 0))?;
    Ok(Some(socket))
}

/// Connects from the bound socket, or from an address that the system selects.
async fn connect(peer: &Peer, bound: Option<TcpSocket>) -> io::Result<TcpStream> {
    match bound {
        Some(socket) => socket.connect(peer.address).await,
        None => TcpStream::connect(peer.address).await,
    }
}

/// Runs an operation with a time limit and formats its error.
async fn within<T>(limit_ms: u64, work: impl Future<Output = io::Result<T>>) -> Result<T, String> {
    match tokio::time::timeout(Duration::from_millis(limit_ms), work).await {
        Ok(done) => done.map_err(|error| error.to_string()),
        Err(_) => Err(format!("no answer within {} s", limit_ms / 1_000)),
    }
}

fn failed(why: &str) -> ConnectionFailure {
    ConnectionFailure {
        stage: SmtpStage::Connect,
        code: None,
        enhanced_code: None,
        text: why.to_owned(),
        permanent: false,
        retry_without_tls: false,
    }
}
