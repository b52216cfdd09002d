//! Connections to a server: TCP, and TLS for `https` and `wss`.

mod proxy;

use std::{
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use hyper_util::client::legacy::connect::{Connected, Connection};
use rustls::{ClientConfig, RootCertStore, crypto::aws_lc_rs::default_provider, pki_types::ServerName};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
    time::timeout,
};
use tokio_rustls::{TlsConnector, client::TlsStream};
use url::Url;

use crate::{environment::ProxySettings, error::ClientError};

/// How long a connection may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// How to connect to the servers of one scheme.
#[derive(Clone)]
pub(crate) struct Connector {
    tls: Option<TlsConnector>,
    proxy: ProxySettings,
}

/// An open connection.
pub(crate) enum Wire {
    Plain(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
}

impl Connector {
    /// Creates a connector for a URL. The certificate authorities are loaded for `https` only.
    ///
    /// # Errors
    /// Fails if there are no certificate authorities.
    pub(crate) fn new(url: &Url) -> Result<Self, ClientError> {
        if matches!(url.scheme(), "http" | "ws") {
            return Ok(Self { tls: None, proxy: ProxySettings::default() });
        }
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        if roots.is_empty() {
            let text = "no certificate authorities are installed on this machine; install ca-certificates, or name a \
                        file of them in SSL_CERT_FILE";
            return Err(ClientError::Failed(text.to_owned()));
        }
        let config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(|error| ClientError::Failed(format!("TLS can't be set up: {error}")))?
            .with_root_certificates(roots)
            .with_no_client_auth();
        Ok(Self { tls: Some(TlsConnector::from(Arc::new(config))), proxy: ProxySettings::of_process() })
    }

    /// Connects to a host, whose IPv6 address may be in brackets.
    ///
    /// # Errors
    /// Returns why the host can't be reached.
    pub(crate) async fn connect(&self, host: String, port: u16) -> io::Result<Wire> {
        let host = host.trim_matches(['[', ']']).to_owned();
        let opened = async {
            let tcp = match self.proxy.for_host(&host) {
                Some(proxy) => proxy::tunnel(proxy, &host, port).await?,
                None => TcpStream::connect((host.as_str(), port)).await?,
            };
            tcp.set_nodelay(true)?;
            match &self.tls {
                None => Ok(Wire::Plain(tcp)),
                Some(tls) => {
                    let name = ServerName::try_from(host.clone()).map_err(io::Error::other)?;
                    Ok(Wire::Tls(Box::new(tls.connect(name, tcp).await?)))
                }
            }
        };
        let late = |_| io::Error::new(io::ErrorKind::TimedOut, "no connection within 10 s");
        timeout(CONNECT_TIMEOUT, opened).await.map_err(late)?
    }
}

impl Connection for Wire {
    fn connected(&self) -> Connected {
        Connected::new()
    }
}

impl AsyncRead for Wire {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(tcp) => Pin::new(tcp).poll_read(cx, buf),
            Self::Tls(tls) => Pin::new(tls).poll_read(cx, buf),
        }
    }
}

impl AsyncWrite for Wire {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Plain(tcp) => Pin::new(tcp).poll_write(cx, buf),
            Self::Tls(tls) => Pin::new(tls).poll_write(cx, buf),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(tcp) => Pin::new(tcp).poll_flush(cx),
            Self::Tls(tls) => Pin::new(tls).poll_flush(cx),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(tcp) => Pin::new(tcp).poll_shutdown(cx),
            Self::Tls(tls) => Pin::new(tls).poll_shutdown(cx),
        }
    }
}
