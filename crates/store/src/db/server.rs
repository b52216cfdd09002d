//! PostgreSQL connection settings: parsing the URL, and TLS to the server.
//!
//! `sslmode` has the same meaning as in libpq: `disable`; `prefer` (the default: TLS with any certificate if the server
//! supports it); `require` (TLS with any certificate); `verify-full` (the certificate must match the host and be signed
//! by an authority trusted by the system or listed in the file `sslrootcert`). Channel binding isn't supported.

use std::{error, future::Future, io, path::PathBuf, pin::Pin, task};

use percent_encoding::percent_decode_str;
use postgres::{
    Client, Config, Socket,
    config::SslMode,
    tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream},
};
use rustls_pki_types::ServerName;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_rustls::{TlsConnector, client};

use crate::tls::{CertificateTrust, client_config};
use crate::{Error, Result};

/// An example of a valid URL.
const EXAMPLE: &str = "postgres://user:password@host/name";
/// Timeout for connecting.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
/// Makes the planner use indexes, as the statements expect. Without statistics, or with those of a tenant of a
/// different size, it would read whole tables. Calls `set_config` only for settings that this server supports.
const SETTINGS: &str =
    "SELECT set_config(name, 'off', false) FROM pg_settings WHERE name IN ('enable_seqscan', 'enable_sort',
    'enable_hashjoin', 'enable_mergejoin', 'enable_material', 'jit')";

/// A PostgreSQL server as described by its URL.
#[derive(Debug)]
pub(crate) struct PgServer {
    config: Config,
    trust: CertificateTrust,
}

impl PgServer {
    pub(crate) fn parse(url: &str) -> Result<Self> {
        let invalid = |problem: String| Error::schema(format_args!("database_url: {problem}"));
        let (address, query) = url.split_once('?').unwrap_or((url, ""));
        let (mut mode, mut roots, mut rest) = (SslMode::Prefer, None, Vec::new());
        let mut is_verified = false;
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            match pair.split_once('=') {
                Some(("sslmode", mode_name)) => {
                    (mode, is_verified) = sslmode(mode_name).ok_or_else(|| {
                        invalid(format!("sslmode must be disable, prefer, require or verify-full, not {mode_name:?}"))
                    })?;
                }
                Some(("sslrootcert", path)) => roots = Some(percent_decode_str(path).decode_utf8_lossy().into_owned()),
                _ => rest.push(pair),
            }
        }
        let trust = match roots {
            None if is_verified => CertificateTrust::SystemRoots,
            None => CertificateTrust::AnyCertificate,
            Some(path) if is_verified => CertificateTrust::RootsFile(PathBuf::from(path)),
            Some(_) => return Err(invalid("sslrootcert requires sslmode=verify-full".to_owned())),
        };
        let plain = if rest.is_empty() { address.to_owned() } else { format!("{address}?{}", rest.join("&")) };
        let mut config: Config = plain.parse().map_err(|error: postgres::Error| {
            let cause = error::Error::source(&error).map_or_else(|| error.to_string(), ToString::to_string);
            invalid(format!("must be a URL such as {EXAMPLE}: {cause}"))
        })?;
        if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
            return Err(invalid(format!("must name a host, as in {EXAMPLE}")));
        }
        config.ssl_mode(mode);
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECT_TIMEOUT);
        }
        if config.get_application_name().is_none() {
            config.application_name("posthouse");
        }
        config.notice_callback(|_| ());
        Ok(PgServer { config, trust })
    }

    pub(crate) fn connect(&self) -> Result<Client> {
        let tls = client_config(&self.trust).map_err(|error| Error::schema(format_args!("database_url: {error}")))?;
        let mut client = self.config.connect(PgTls(tls.into())).map_err(|e| match Error::from(e) {
            Error::Statement(text) => Error::Unavailable(text), // invalid password, no such database
            other => other,
        })?;
        client.batch_execute(SETTINGS)?;
        Ok(client)
    }
}

/// Parses `sslmode`; also returns whether the server's certificate must be verified.
fn sslmode(word: &str) -> Option<(SslMode, bool)> {
    match word {
        "disable" => Some((SslMode::Disable, false)),
        "prefer" => Some((SslMode::Prefer, false)),
        "require" => Some((SslMode::Require, false)),
        "verify-full" => Some((SslMode::Require, true)),
        _ => None,
    }
}

#[derive(Clone)]
struct PgTls(TlsConnector);

/// The TLS connector for one host.
struct HostConnector {
    connector: TlsConnector,
    name: ServerName<'static>,
}

/// The encrypted connection.
struct EncryptedStream(client::TlsStream<Socket>);

impl MakeTlsConnect<Socket> for PgTls {
    type Stream = EncryptedStream;
    type TlsConnect = HostConnector;
    type Error = rustls_pki_types::InvalidDnsNameError;

    fn make_tls_connect(&mut self, host: &str) -> Result<HostConnector, Self::Error> {
        // A server on a local socket has no name and no TLS: the connection reports this before the name is checked.
        let host = if host.is_empty() { "localhost" } else { host };
        Ok(HostConnector { connector: self.0.clone(), name: ServerName::try_from(host)?.to_owned() })
    }
}

impl TlsConnect<Socket> for HostConnector {
    type Stream = EncryptedStream;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<EncryptedStream>> + Send>>;

    fn connect(self, socket: Socket) -> Self::Future {
        Box::pin(async move { self.connector.connect(self.name, socket).await.map(EncryptedStream) })
    }
}

impl TlsStream for EncryptedStream {
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl AsyncRead for EncryptedStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut task::Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> task::Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl AsyncWrite for EncryptedStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut task::Context<'_>,
        bytes: &[u8],
    ) -> task::Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut task::Context<'_>) -> task::Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut task::Context<'_>) -> task::Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}
