//! Opens the connections of the HTTP client: resolves the name, refuses addresses outside the permitted networks, and
//! connects by TCP and TLS.
//!
//! The address of each connection is checked right before it is opened, however the URL spells it and whatever DNS
//! answers at other times.

use std::{
    io,
    net::{IpAddr, SocketAddr},
    path::PathBuf,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};

use hyper::{
    Uri,
    rt::{Read, ReadBufCursor, Write},
};
use hyper_util::{
    client::legacy::connect::{Connected, Connection},
    rt::TokioIo,
};
use posthouse_domain::delivery::{IpPreference, is_special_purpose};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
};
use tokio_rustls::TlsConnector;
use tower::Service;

use crate::adapters::smtp_out::tls::Connectors;
use posthouse_app::{
    ports::{BoxFuture, Dns, HostAddresses, NetworkScope, OutboundHttpError, host_addresses},
    tls::{CertificateTrust, client_config},
};

/// Time limit of a connection attempt before the next address is tried.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);

/// Opens a TCP connection. Tests replace it.
pub(super) type Dial = Arc<dyn Fn(SocketAddr) -> BoxFuture<'static, io::Result<TcpStream>> + Send + Sync>;

/// Opens connections to permitted addresses.
#[derive(Clone)]
pub(super) struct HttpConnector {
    pub(super) dns: Arc<dyn Dns>,
    pub(super) dial: Dial,
    pub(super) connectors: Connectors,
    /// The root certificates to trust; `None` means the system's.
    pub(super) roots: Option<PathBuf>,
    pub(super) networks: NetworkScope,
    /// The number of open connections.
    pub(super) open: Arc<AtomicUsize>,
}

impl HttpConnector {
    async fn connect(self, url: Uri) -> Result<HttpConnection, OutboundHttpError> {
        let host = url.host().unwrap_or_default().trim_matches(['[', ']']).trim_end_matches('.');
        let is_https = url.scheme_str() == Some("https");
        let port = url.port_u16().unwrap_or(if is_https { 443 } else { 80 });
        let addresses = self.addresses(host).await?;
        let (address, socket) = self.reach(host, addresses, port).await?;
        // A request is written at once, so Nagle's algorithm would only delay it.
        let _ = socket.set_nodelay(true);
        if !is_https {
            return Ok(HttpConnection::new(socket, self.open));
        }
        let name = self.connectors.server_name(host, address);
        let stream = self.tls()?.connect(name, socket).await;
        let stream = stream.map_err(|error| OutboundHttpError::Tls(error.to_string()))?;
        Ok(HttpConnection::new(stream, self.open))
    }

    async fn addresses(&self, host: &str) -> Result<Vec<IpAddr>, OutboundHttpError> {
        if let Ok(address) = host.parse() {
            return Ok(vec![address]);
        }
        let guarded = self.networks == NetworkScope::Public;
        match host_addresses(&*self.dns, host, guarded, IpPreference::PreferV4).await {
            HostAddresses::Found(addresses) => Ok(addresses),
            HostAddresses::None { no_such_name: true } => Err(OutboundHttpError::NoSuchName(host.to_owned())),
            HostAddresses::None { .. } | HostAddresses::OtherKind => Err(OutboundHttpError::NoAddress(host.to_owned())),
            HostAddresses::Guarded => Err(OutboundHttpError::NoPublicAddress(host.to_owned())),
            HostAddresses::Failed => Err(OutboundHttpError::LookupFailed(host.to_owned())),
        }
    }

    /// Connects to the first address that is permitted and reachable.
    async fn reach(
        &self,
        host: &str,
        addresses: Vec<IpAddr>,
        port: u16,
    ) -> Result<(SocketAddr, TcpStream), OutboundHttpError> {
        let mut failure = OutboundHttpError::NoAddress(host.to_owned());
        let last = addresses.len().saturating_sub(1);
        for (at, address) in addresses.into_iter().enumerate() {
            if self.networks == NetworkScope::Public && is_special_purpose(address) {
                failure = OutboundHttpError::NoPublicAddress(host.to_owned());
                continue;
            }
            let target = SocketAddr::new(address, port);
            let connecting = (self.dial)(target);
            let connected = match at == last {
                true => connecting.await,
                false => tokio::time::timeout(CONNECT_TIMEOUT, connecting)
                    .await
                    .unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into())),
            };
            match connected {
                Ok(socket) => return Ok((target, socket)),
                Err(error) => failure = OutboundHttpError::NotConnected { address, cause: error.to_string() },
            }
        }
        Err(failure)
    }

    /// Returns the TLS connector. A file of roots is read for each connection, because it may change.
    fn tls(&self) -> Result<TlsConnector, OutboundHttpError> {
        let made = match &self.roots {
            None => self.connectors.of(true),
            Some(file) => client_config(&CertificateTrust::RootsFile(file.clone())).map(TlsConnector::from),
        };
        made.map_err(|error| OutboundHttpError::Tls(error.to_string()))
    }
}

impl Service<Uri> for HttpConnector {
    type Response = HttpConnection;
    type Error = OutboundHttpError;
    type Future = BoxFuture<'static, Result<HttpConnection, OutboundHttpError>>;

    fn poll_ready(&mut self, _context: &mut Context<'_>) -> Poll<Result<(), OutboundHttpError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, url: Uri) -> Self::Future {
        Box::pin(self.clone().connect(url))
    }
}

/// Whether a connection has carried a response. Clones belong to the same connection.
#[derive(Clone, Default)]
pub(super) struct ConnectionHistory(Arc<AtomicBool>);

impl ConnectionHistory {
    pub(super) fn note_response(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub(super) fn has_response(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

trait ByteStream: AsyncRead + AsyncWrite + Unpin + Send {}

impl<T: AsyncRead + AsyncWrite + Unpin + Send> ByteStream for T {}

/// An open connection, clear or by TLS.
pub(super) struct HttpConnection {
    stream: TokioIo<Box<dyn ByteStream>>,
    history: ConnectionHistory,
    open: Arc<AtomicUsize>,
}

impl HttpConnection {
    fn new(stream: impl ByteStream + 'static, open: Arc<AtomicUsize>) -> Self {
        open.fetch_add(1, Ordering::Relaxed);
        Self { stream: TokioIo::new(Box::new(stream)), history: ConnectionHistory::default(), open }
    }
}

impl Drop for HttpConnection {
    fn drop(&mut self) {
        self.open.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Connection for HttpConnection {
    fn connected(&self) -> Connected {
        Connected::new().extra(self.history.clone())
    }
}

impl Read for HttpConnection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl Write for HttpConnection {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, slices)
    }
}
