//! A PostgreSQL server: how its URL says it is to be reached, and the TLS in between.
//!
//! `sslmode` means what it means to PostgreSQL's own clients: `disable`; `prefer` (the default: TLS with any certificate
//! where the server has it); `require` (TLS with any certificate); `verify-full` (the certificate must be for the host, by an
//! authority of the machine or of the file `sslrootcert`). Channel binding is not offered.

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

use crate::tls::{Trust, client_config};
use crate::{Error, Result};

/// A URL as it should be.
const EXAMPLE: &str = "postgres://user:password@host/name";
/// How long to wait for a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
/// The planner is to walk indexes, as the statements are written for it: what it would rather do while tables have no
/// statistics, or those of another tenant's size, reads whole tables. `set_config` only of what this server knows.
const SETTINGS: &str =
    "SELECT set_config(name, 'off', false) FROM pg_settings WHERE name IN ('enable_seqscan', 'enable_sort',
    'enable_hashjoin', 'enable_mergejoin', 'enable_material', 'jit')";

/// A server, as its URL names it.
#[derive(Debug)]
pub(crate) struct Server {
    config: Config,
    trust: Trust,
}

impl Server {
    pub(crate) fn parse(url: &str) -> Result<Self> {
        let wrong = |problem: String| Error::schema(format_args!("database_url: {problem}"));
        let (place, query) = url.split_once('?').unwrap_or((url, ""));
        let (mut mode, mut roots, mut rest) = (SslMode::Prefer, None, Vec::new());
        let mut is_verified = false;
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            match pair.split_once('=') {
                Some(("sslmode", word)) => {
                    (mode, is_verified) = sslmode(word).ok_or_else(|| {
                        wrong(format!("sslmode is {word:?}, must be disable, prefer, require or verify-full"))
                    })?;
                }
                Some(("sslrootcert", path)) => roots = Some(percent_decode_str(path).decode_utf8_lossy().into_owned()),
                _ => rest.push(pair),
            }
        }
        let trust = match roots {
            None if is_verified => Trust::Machine,
            None => Trust::Anybody,
            Some(path) if is_verified => Trust::File(PathBuf::from(path)),
            Some(_) => return Err(wrong("sslrootcert is used with sslmode=verify-full only".to_owned())),
        };
        let plain = if rest.is_empty() { place.to_owned() } else { format!("{place}?{}", rest.join("&")) };
        let mut config: Config = plain.parse().map_err(|error: postgres::Error| {
            let cause = error::Error::source(&error).map_or_else(|| error.to_string(), ToString::to_string);
            wrong(format!("must be a URL such as {EXAMPLE}: {cause}"))
        })?;
        if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
            return Err(wrong(format!("must name a host, as in {EXAMPLE}")));
        }
        config.ssl_mode(mode);
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECT_TIMEOUT);
        }
        if config.get_application_name().is_none() {
            config.application_name("posthouse");
        }
        config.notice_callback(|_| ());
        Ok(Server { config, trust })
    }

    pub(crate) fn connect(&self) -> Result<Client> {
        let tls = client_config(&self.trust).map_err(|error| Error::schema(format_args!("database_url: {error}")))?;
        let mut client = self.config.connect(Tls(tls.into())).map_err(|e| match Error::from(e) {
            Error::Db(text) => Error::Unavailable(text), // wrong password, no such database
            other => other,
        })?;
        client.batch_execute(SETTINGS)?;
        Ok(client)
    }
}

/// The mode of that name, and whether the server must prove itself.
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
struct Tls(TlsConnector);

/// TLS to one host.
struct ToHost {
    connector: TlsConnector,
    name: ServerName<'static>,
}

/// The encrypted connection.
struct Encrypted(client::TlsStream<Socket>);

impl MakeTlsConnect<Socket> for Tls {
    type Stream = Encrypted;
    type TlsConnect = ToHost;
    type Error = rustls_pki_types::InvalidDnsNameError;

    fn make_tls_connect(&mut self, host: &str) -> Result<ToHost, Self::Error> {
        // A server on a local socket has no name, and no TLS: PostgreSQL answers so before the name is looked at.
        let host = if host.is_empty() { "localhost" } else { host };
        Ok(ToHost { connector: self.0.clone(), name: ServerName::try_from(host)?.to_owned() })
    }
}

impl TlsConnect<Socket> for ToHost {
    type Stream = Encrypted;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Encrypted>> + Send>>;

    fn connect(self, socket: Socket) -> Self::Future {
        Box::pin(async move { self.connector.connect(self.name, socket).await.map(Encrypted) })
    }
}

impl TlsStream for Encrypted {
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl AsyncRead for Encrypted {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut task::Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> task::Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl AsyncWrite for Encrypted {
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
