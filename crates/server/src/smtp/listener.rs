//! The SMTP listeners: accept connections, apply limits, determine the client's address, and run one task per
//! connection.
//!
//! A connection over a limit gets 421 and is closed. When the process drains, accepting stops, and sessions end within
//! their time limit.

use super::frontend::{ConnectionKind, SmtpFrontend};
use std::{
    io,
    net::{IpAddr, SocketAddr},
    sync::{Arc, atomic::Ordering},
};

use posthouse_mail::smtp::{reply::ServerReply, server::DisconnectReason};
use tokio::{
    io::AsyncReadExt,
    net::{TcpListener, TcpStream},
    task::JoinSet,
};
use tracing::Instrument;

use super::{
    client::{ConnectionLimit, ConnectionPermit},
    client_limits::RateLimitedAction,
    proxy::{self, Header},
    replies,
    session::{Session, SessionAddresses},
    wire::SmtpStream,
};
use crate::smtp::timeouts::{SessionTimeouts, TimeoutSettings};

/// Pause after a failed `accept`, which usually lacks descriptors or memory, in milliseconds.
const ACCEPT_PAUSE_MS: i64 = 50;

/// A bound SMTP listener.
#[derive(Debug)]
pub struct Listener {
    socket: TcpListener,
    kind: ConnectionKind,
}

impl Listener {
    /// Binds an address; port 0 selects a free port.
    ///
    /// # Errors
    /// Returns an error if the address can't be bound.
    pub async fn bind(address: SocketAddr) -> io::Result<Self> {
        Self::bind_as(address, ConnectionKind::Plain).await
    }

    /// Binds an address for plain or implicit TLS connections.
    ///
    /// # Errors
    /// Returns an error if the address can't be bound.
    pub async fn bind_as(address: SocketAddr, kind: ConnectionKind) -> io::Result<Self> {
        Ok(Self { socket: TcpListener::bind(address).await?, kind })
    }

    /// Returns the bound address with its port.
    ///
    /// # Errors
    /// Returns an error if the operating system doesn't provide it.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.socket.local_addr()
    }

    /// Accepts connections until the process drains, then waits for all sessions to end.
    pub async fn serve(self, frontend: Arc<SmtpFrontend>) {
        let mut sessions = JoinSet::new();
        let drained = frontend.service.lifecycle.drained();
        tokio::pin!(drained);
        loop {
            let accepted = tokio::select! {
                () = &mut drained => break,
                accepted = self.socket.accept() => accepted,
            };
            while sessions.try_join_next().is_some() {}
            match accepted {
                Ok((stream, peer)) => {
                    if let Some(permit) = admit(&frontend, &stream) {
                        let peer = SmtpPeer { ip: peer.ip().to_canonical(), kind: self.kind };
                        sessions.spawn(connection(Arc::clone(&frontend), stream, peer, permit));
                    }
                }
                Err(error) => {
                    tracing::warn!(cause = %error, "smtp.accept_failed");
                    let now = frontend.service.clock.now();
                    frontend.service.clock.sleep_until(now.plus_ms(ACCEPT_PAUSE_MS)).await;
                }
            }
        }
        drop(self.socket);
        while sessions.join_next().await.is_some() {}
    }
}

/// Takes a permit for the connection. Without one it writes a 421 reply, which fits the empty send buffer.
fn admit(frontend: &SmtpFrontend, stream: &TcpStream) -> Option<ConnectionPermit> {
    let _ = stream.set_nodelay(true);
    let permit = frontend.connection_permits.acquire(frontend.service.clock.now());
    if permit.is_none() {
        refuse_over_limit(frontend, stream, ConnectionLimit::Total);
    }
    permit
}

fn refuse_over_limit(frontend: &SmtpFrontend, stream: &TcpStream, limit: ConnectionLimit) {
    let (setting, reply) = match limit {
        ConnectionLimit::Total => {
            ("smtp.max_connections", replies::too_many_connections(frontend.connection_permits.all_max()))
        }
        ConnectionLimit::Client => {
            let max = frontend.config.connections_per_client_max;
            ("smtp.max_connections_per_client", replies::too_many_connections_of_client(max))
        }
    };
    tracing::debug!(limit = setting, "smtp.too_many_connections");
    frontend.service.metrics.limit_reached(setting);
    refuse(frontend, stream, reply);
}

fn refuse(frontend: &SmtpFrontend, stream: &TcpStream, reply: ServerReply) {
    // If the reply doesn't fit the send buffer, it is dropped.
    let _ = stream.try_write(&DisconnectReason::Limit(reply).to_bytes(&frontend.service.config.hostname));
}

/// The remote address and kind of a connection.
#[derive(Clone, Copy)]
struct SmtpPeer {
    ip: IpAddr,
    kind: ConnectionKind,
}

async fn connection(frontend: Arc<SmtpFrontend>, stream: TcpStream, peer: SmtpPeer, mut permit: ConnectionPermit) {
    let session_id = frontend.sessions.fetch_add(1, Ordering::Relaxed) + 1;
    let span = tracing::info_span!("smtp", session_id);
    async {
        let ended = run_session(&frontend, stream, peer, &mut permit).await;
        if let Err(error) = ended {
            tracing::debug!(cause = %error, "smtp.connection_ended");
        }
    }
    .instrument(span)
    .await;
}

async fn run_session(
    frontend: &SmtpFrontend,
    mut stream: TcpStream,
    peer: SmtpPeer,
    permit: &mut ConnectionPermit,
) -> io::Result<()> {
    let service = &frontend.service;
    let settings = TimeoutSettings {
        first_command_ms: frontend.config.first_command_timeout_ms,
        idle_ms: frontend.config.idle_timeout_ms,
        content_bytes_per_s_min: service.config.limits.smtp_content_bytes_per_second,
    };
    let mut timeouts = SessionTimeouts::new(Arc::clone(&service.clock), settings);
    let (client, early) = if frontend.proxies().iter().any(|network| network.contains(peer.ip)) {
        let deadline = timeouts.opening();
        let header = timeouts.within(deadline, proxied(&mut stream)).await;
        let (client, early) = header.unwrap_or_else(|| Err(io::ErrorKind::TimedOut.into()))?;
        (client.unwrap_or(peer.ip), early)
    } else {
        (peer.ip, Vec::new())
    };
    if let Err(limit) = permit.assign(client) {
        refuse_over_limit(frontend, &stream, limit);
        return Ok(());
    }
    if let Err(reached) = frontend.count(client, RateLimitedAction::Connection) {
        refuse(frontend, &stream, replies::too_many_new_connections(reached));
        return Ok(());
    }
    let addresses = SessionAddresses { peer_ip: peer.ip, client_ip: client };
    let (mut session, greeting) = Session::new(frontend, peer.kind, addresses, timeouts, Arc::clone(permit.activity()));
    let mut wire = SmtpStream::Plain(stream);
    if peer.kind == ConnectionKind::Tls {
        // These bytes would be the client's first TLS bytes, and the TLS handshake can't be given them.
        if !early.is_empty() {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "unexpected bytes after the PROXY header before TLS",
            ));
        }
        wire = session.encrypt(wire).await?;
    }
    session.run(wire, greeting, &early).await
}

/// Reads the PROXY protocol header. Returns the client's address and the bytes after the header.
async fn proxied(stream: &mut TcpStream) -> io::Result<(Option<IpAddr>, Vec<u8>)> {
    let mut bytes = Vec::new();
    loop {
        match proxy::parse(&bytes) {
            Header::Whole { bytes: header_bytes, client } => return Ok((client, bytes.split_off(header_bytes))),
            Header::Partial if bytes.len() < proxy::HEADER_BYTES_MAX => {
                let remaining = (proxy::HEADER_BYTES_MAX - bytes.len()) as u64;
                if (&mut *stream).take(remaining).read_buf(&mut bytes).await? == 0 {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
            }
            Header::Partial | Header::Malformed => {
                return Err(io::Error::new(io::ErrorKind::InvalidData, "malformed PROXY header"));
            }
        }
    }
}
