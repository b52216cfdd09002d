//! One connection: the socket below a sans-IO session.

use std::{io, net::SocketAddr, time::Duration};

use posthouse_domain::{message::TlsUse, time::Time};
use posthouse_mail::smtp::client::{
    ClientSession, ConnectionFailure, Message, RecipientOutcome, Stage, Step, TLS_TIMEOUT_MS, Tls,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpSocket, TcpStream},
};
use tokio_rustls::client::TlsStream;

use super::tls::Connectors;
use crate::{ports::Peer, tls::version_and_cipher};

/// How long the TCP handshake may take, in milliseconds.
const CONNECT_MS_MAX: u64 = 30_000;
/// How long saying good-bye may take, in milliseconds.
const CLOSE_MS_MAX: u64 = 1_000;
/// Bytes read at once: replies are short.
const READ_BYTES: usize = 4 * 1024;

enum Stream {
    Plain(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
    /// The handshake took it and failed.
    Gone,
}

/// A connection and where its dialogue stands.
pub(super) struct Connection {
    session: ClientSession,
    stream: Stream,
    messages: u32,
    tls: TlsPeer,
    used: Option<TlsUse>,
}

/// Whom a handshake is made with.
struct TlsPeer {
    connectors: Connectors,
    host: String,
    verify: bool,
    /// The time for judging a certificate.
    now: Time,
}

impl Connection {
    /// Connects, and speaks until the server waits for a message.
    pub(super) async fn open(peer: &Peer, connectors: &Connectors, now: Time) -> Result<Self, ConnectionFailure> {
        let bound = bound(peer).map_err(|error| {
            let text = format!("mail cannot leave from this address (delivery.source_addresses): {error}");
            ConnectionFailure { stage: Stage::Local, ..failed(&text) }
        })?;
        let socket = within(CONNECT_MS_MAX, connect(peer, bound)).await.map_err(|why| failed(&why))?;
        // Commands and replies are small and answered one by one: Nagle's algorithm would delay each of them.
        let _ = socket.set_nodelay(true);
        let tls = TlsPeer { connectors: connectors.clone(), host: peer.host.clone(), verify: peer.verify, now };
        let (stream, used) = if peer.session.tls == Tls::Implicit {
            let shaken = within(TLS_TIMEOUT_MS, tls.handshake(socket)).await.map_err(|why| failed(&why))?;
            let used = tls.used(&shaken);
            (Stream::Tls(Box::new(shaken)), used)
        } else {
            (Stream::Plain(socket), None)
        };
        let session = ClientSession::new(peer.session.clone());
        let mut connection = Self { session, stream, messages: 0, tls, used };
        match connection.advance().await {
            Step::Ready => Ok(connection),
            Step::Failed(failure) => Err(failure),
            _ => Err(failed("the dialogue ended before a message")),
        }
    }

    /// Sends a message; only for one that is ready. Ask [`Connection::is_ready`] afterwards.
    pub(super) async fn send(&mut self, message: Message) -> Vec<RecipientOutcome> {
        self.messages += 1;
        if self.session.send(message).is_err() {
            return Vec::new();
        }
        match self.advance().await {
            Step::Done(outcomes) => outcomes,
            _ => Vec::new(),
        }
    }

    /// Whether another message can follow.
    pub(super) async fn is_ready(&mut self) -> bool {
        matches!(self.advance().await, Step::Ready)
    }

    pub(super) fn messages(&self) -> u32 {
        self.messages
    }

    /// How it is encrypted, if it is.
    pub(super) fn tls(&self) -> Option<TlsUse> {
        self.used.clone()
    }

    /// Says good-bye and does not wait for the answer: nothing depends on it.
    pub(super) async fn close(mut self) {
        self.session.quit();
        if let Step::Write(bytes) = self.session.step() {
            let _ = within(CLOSE_MS_MAX, self.stream.write(&bytes)).await;
            let _ = within(CLOSE_MS_MAX, self.stream.shutdown()).await;
        }
    }

    /// Does what the session asks for until there is something to decide.
    async fn advance(&mut self) -> Step {
        let mut buffer = [0; READ_BYTES];
        loop {
            match self.session.step() {
                Step::Write(bytes) => {
                    if let Err(why) = within(self.session.deadline_ms(), self.stream.write(&bytes)).await {
                        self.session.lost(&why);
                    }
                }
                Step::NeedInput => match within(self.session.deadline_ms(), self.stream.read(&mut buffer)).await {
                    Ok(0) => self.session.lost("the server closed the connection"),
                    Ok(count) => self.session.receive(&buffer[..count]),
                    Err(why) => self.session.lost(&why),
                },
                Step::StartTls => self.start_tls().await,
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

    /// What came of the handshake. Where any certificate will do, whether it was valid is asked afterwards.
    fn used(&self, stream: &TlsStream<TcpStream>) -> Option<TlsUse> {
        let (socket, session) = stream.get_ref();
        let (version, cipher) = version_and_cipher(session)?;
        let valid = || {
            let name = self.connectors.server_name(&self.host, socket.peer_addr().ok()?);
            Some(self.connectors.are_valid(session.peer_certificates()?, &name, self.now))
        };
        Some(TlsUse { version, cipher, verified: self.verify || valid().unwrap_or(false) })
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

/// A socket of the address to connect from, where one is asked for.
fn bound(peer: &Peer) -> io::Result<Option<TcpSocket>> {
    let Some(source) = peer.source else { return Ok(None) };
    let socket = if source.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    socket.bind(SocketAddr::new(source, 0))?;
    Ok(Some(socket))
}

/// Connects from there, or from the address that the system picks.
async fn connect(peer: &Peer, bound: Option<TcpSocket>) -> io::Result<TcpStream> {
    match bound {
        Some(socket) => socket.connect(peer.address).await,
        None => TcpStream::connect(peer.address).await,
    }
}

/// Bounds an operation in time; what went wrong is a text for people.
async fn within<T>(limit_ms: u64, work: impl Future<Output = io::Result<T>>) -> Result<T, String> {
    match tokio::time::timeout(Duration::from_millis(limit_ms), work).await {
        Ok(done) => done.map_err(|error| error.to_string()),
        Err(_) => Err(format!("no answer within {} s", limit_ms / 1_000)),
    }
}

fn failed(why: &str) -> ConnectionFailure {
    ConnectionFailure {
        stage: Stage::Connect,
        code: None,
        enhanced_code: None,
        text: why.to_owned(),
        permanent: false,
        retry_without_tls: false,
    }
}
