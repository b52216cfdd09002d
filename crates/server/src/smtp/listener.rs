//! The SMTP listeners: accept, count, find out who the client is, and run one task a connection.
//!
//! Over a limit a connection hears 421 and costs nothing more. When the process drains, accepting stops, and the
//! sessions end by themselves within their bound.

use std::{
    io,
    net::{IpAddr, SocketAddr},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use posthouse_mail::smtp::server::{AuthOffer, Farewell, ServerConfig, TlsOffer};
use tokio::{
    io::AsyncReadExt,
    net::{TcpListener, TcpStream},
    task::JoinSet,
};
use tracing::Instrument;

use super::{
    client::{Place, Places},
    logins::FailedLogins,
    patience::Patience,
    proxy::{self, Header},
    rates::{Counted, Rates},
    session::Session,
    wire::Wire,
};
use crate::{
    app::{App, screen_client},
    config::Network,
};

/// Pause after an `accept` that failed for want of descriptors or memory, in milliseconds.
const ACCEPT_PAUSE_MS: i64 = 50;
/// Messages of one session: a large provider's queue may come through one connection.
const MESSAGES_MAX: u32 = 100_000;
/// Content that one session may always hold, in bytes.
pub(super) const CONTENT_BYTES_FREE: u64 = 256 * 1024;

/// How a connection begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Door {
    /// In clear; STARTTLS is offered.
    Clear,
    /// With TLS from the first byte (RFC 8314 §3.3).
    Tls,
}

/// What all listeners of one service share: those of the mail exchanger, or those of submission.
pub struct House {
    /// The running program.
    pub(super) app: Arc<App>,
    tls: Option<Arc<rustls::ServerConfig>>,
    sessions_config: Sessions,
    /// Submission alone has logins.
    failed_logins: Option<FailedLogins>,
    places: Places,
    rates: Rates,
    sessions: AtomicU64,
    content_bytes: AtomicU64,
}

/// The settings of sessions, by the way they come in.
struct Sessions {
    clear: Arc<ServerConfig>,
    /// Where nobody else can listen, passwords may go in clear (decision 16).
    loopback: Arc<ServerConfig>,
    tls: Arc<ServerConfig>,
}

impl House {
    /// The mail exchanger of that program; without a certificate it offers no STARTTLS.
    #[must_use]
    pub fn new(app: Arc<App>, tls: Option<Arc<rustls::ServerConfig>>) -> Arc<Self> {
        Self::with(app, tls, ServerConfig::mail_exchanger, None)
    }

    /// Submission to that program.
    #[must_use]
    pub fn submission(app: Arc<App>, tls: Arc<rustls::ServerConfig>) -> Arc<Self> {
        Self::with(app, Some(tls), ServerConfig::submission, Some(FailedLogins::default()))
    }

    fn with(
        app: Arc<App>,
        tls: Option<Arc<rustls::ServerConfig>>,
        defaults: fn(String) -> ServerConfig,
        failed_logins: Option<FailedLogins>,
    ) -> Arc<Self> {
        let smtp = &app.config.smtp;
        let clear = ServerConfig {
            message_bytes_max: smtp.message_bytes_max,
            messages_max: MESSAGES_MAX,
            tls: if tls.is_some() { TlsOffer::StartTls } else { TlsOffer::Unavailable },
            ..defaults(smtp.hostname.clone())
        };
        let auth = if failed_logins.is_some() { AuthOffer::Always } else { AuthOffer::Never };
        let sessions_config = Sessions {
            loopback: Arc::new(ServerConfig { auth, ..clear.clone() }),
            tls: Arc::new(ServerConfig { tls: TlsOffer::Active, ..clear.clone() }),
            clear: Arc::new(clear),
        };
        let places = Places::new(smtp.connections_max, smtp.connections_per_client_max);
        Arc::new(Self {
            sessions_config,
            failed_logins,
            places,
            rates: Rates::default(),
            sessions: AtomicU64::new(0),
            content_bytes: AtomicU64::new(0),
            tls,
            app,
        })
    }

    pub(super) fn session_config(&self, door: Door, on_loopback: bool) -> Arc<ServerConfig> {
        let config = match (door, on_loopback) {
            (Door::Tls, _) => &self.sessions_config.tls,
            (Door::Clear, true) => &self.sessions_config.loopback,
            (Door::Clear, false) => &self.sessions_config.clear,
        };
        Arc::clone(config)
    }

    /// The failed logins, where there are logins.
    pub(super) fn failed_logins(&self) -> Option<&FailedLogins> {
        self.failed_logins.as_ref()
    }

    pub(super) fn tls(&self) -> Option<Arc<rustls::ServerConfig>> {
        self.tls.clone()
    }

    /// Whose connections begin with a header of the PROXY protocol.
    fn proxies(&self) -> &[Network] {
        let config = &self.app.config;
        if self.failed_logins.is_some() {
            &config.submission.proxy_protocol_from
        } else {
            &config.smtp.proxy_protocol_from
        }
    }

    /// Whether a client may do one more of that within its minute. Submission has logins and the limits of plans instead.
    pub(super) fn may(&self, client: IpAddr, what: Counted) -> bool {
        let policy = &self.app.config.smtp.policy;
        let limit = match what {
            Counted::Connection => policy.connections_per_minute,
            Counted::Message => policy.messages_per_minute,
            Counted::Recipient => policy.recipients_per_minute,
        };
        let free = limit.is_none() || self.failed_logins.is_some() || screen_client::is_trusted(&self.app, client);
        let may = free || self.rates.take(client, what, limit, self.app.clock.now());
        if !may {
            self.app.metrics.smtp_screened("rate");
            tracing::debug!(client = %client, what = ?what, "smtp.too_often");
        }
        may
    }

    /// A session holds `now` bytes of content instead of `before`; whether there is room for all.
    pub(super) fn content(&self, before: u64, now: u64) -> bool {
        if now >= before {
            let more = now - before;
            self.content_bytes.fetch_add(more, Ordering::Relaxed) + more <= self.app.config.smtp.content_bytes_max
        } else {
            self.content_bytes.fetch_sub(before - now, Ordering::Relaxed);
            true
        }
    }
}

/// One address that is listened on.
#[derive(Debug)]
pub struct Listener {
    socket: TcpListener,
    door: Door,
}

impl Listener {
    /// Listens on an address; port 0 picks a free one.
    ///
    /// # Errors
    /// The operating system's.
    pub async fn bind(address: SocketAddr) -> io::Result<Self> {
        Self::bind_door(address, Door::Clear).await
    }

    /// Listens on an address for connections that begin like that.
    ///
    /// # Errors
    /// The operating system's.
    pub async fn bind_door(address: SocketAddr, door: Door) -> io::Result<Self> {
        Ok(Self { socket: TcpListener::bind(address).await?, door })
    }

    /// The address with the port that was picked.
    ///
    /// # Errors
    /// The operating system's.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.socket.local_addr()
    }

    /// Serves until the process drains, then until every session is done.
    pub async fn serve(self, house: Arc<House>) {
        let mut sessions = JoinSet::new();
        let drained = house.app.life.drained();
        tokio::pin!(drained);
        loop {
            let accepted = tokio::select! {
                () = &mut drained => break,
                accepted = self.socket.accept() => accepted,
            };
            while sessions.try_join_next().is_some() {}
            match accepted {
                Ok((stream, peer)) => {
                    if let Some(place) = admit(&house, &stream) {
                        let peer = Peer { ip: peer.ip().to_canonical(), door: self.door };
                        sessions.spawn(connection(Arc::clone(&house), stream, peer, place));
                    }
                }
                Err(error) => {
                    tracing::warn!(cause = %error, "smtp.accept_failed");
                    let now = house.app.clock.now();
                    house.app.clock.sleep_until(now.plus_ms(ACCEPT_PAUSE_MS)).await;
                }
            }
        }
        drop(self.socket);
        while sessions.join_next().await.is_some() {}
    }
}

/// A place for the connection; without one it is told so, in the one packet that fits its empty buffer.
fn admit(house: &House, stream: &TcpStream) -> Option<Place> {
    let _ = stream.set_nodelay(true);
    let place = house.places.take();
    if place.is_none() {
        tracing::debug!("smtp.too_many_connections");
        turn_away(house, stream, Farewell::Overloaded);
    }
    place
}

fn turn_away(house: &House, stream: &TcpStream, why: Farewell) {
    // A client that does not read even this much hears nothing.
    let _ = stream.try_write(&why.to_bytes(&house.app.config.smtp.hostname));
}

/// Who connects, and how.
#[derive(Clone, Copy)]
struct Peer {
    ip: IpAddr,
    door: Door,
}

async fn connection(house: Arc<House>, stream: TcpStream, peer: Peer, mut place: Place) {
    let session_id = house.sessions.fetch_add(1, Ordering::Relaxed) + 1;
    let span = tracing::info_span!("smtp", session_id);
    async {
        let ended = talk(&house, stream, peer, &mut place).await;
        if let Err(error) = ended {
            tracing::debug!(cause = %error, "smtp.connection_ended");
        }
    }
    .instrument(span)
    .await;
}

async fn talk(house: &House, mut stream: TcpStream, peer: Peer, place: &mut Place) -> io::Result<()> {
    let app = &house.app;
    let mut patience = Patience::new(Arc::clone(&app.clock), app.config.smtp.idle_timeout_ms);
    let (client, early) = if house.proxies().iter().any(|network| network.contains(peer.ip)) {
        let deadline = patience.opening();
        let header = patience.within(deadline, proxied(&mut stream)).await;
        let (client, early) = header.unwrap_or_else(|| Err(io::ErrorKind::TimedOut.into()))?;
        (client.unwrap_or(peer.ip), early)
    } else {
        (peer.ip, Vec::new())
    };
    if !place.is_of(client) {
        tracing::debug!(client = %client, "smtp.too_many_connections_of_client");
        turn_away(house, &stream, Farewell::TooManyConnections);
        return Ok(());
    }
    if !house.may(client, Counted::Connection) {
        turn_away(house, &stream, Farewell::TooOften);
        return Ok(());
    }
    let (mut session, greeting) = Session::new(house, peer.door, (peer.ip, client), patience);
    let mut wire = Wire::Plain(stream);
    if peer.door == Door::Tls {
        // What a proxy sent along with its header would be the client's first words of TLS.
        if !early.is_empty() {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "bytes behind a PROXY header before TLS"));
        }
        wire = session.encrypt(wire).await?;
    }
    session.run(wire, greeting, &early).await
}

/// Reads the header of the PROXY protocol: the client it names, and what the client has sent behind it already.
async fn proxied(stream: &mut TcpStream) -> io::Result<(Option<IpAddr>, Vec<u8>)> {
    let mut bytes = Vec::new();
    loop {
        match proxy::parse(&bytes) {
            Header::Whole { bytes: header_bytes, client } => return Ok((client, bytes.split_off(header_bytes))),
            Header::Partial if bytes.len() < proxy::HEADER_BYTES_MAX => {
                let room = (proxy::HEADER_BYTES_MAX - bytes.len()) as u64;
                if (&mut *stream).take(room).read_buf(&mut bytes).await? == 0 {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
            }
            Header::Partial | Header::Malformed => {
                return Err(io::Error::new(io::ErrorKind::InvalidData, "malformed PROXY header"));
            }
        }
    }
}
