//! Binds the listeners of HTTP. The binary passes in what serves them, because this crate doesn't depend on `http`.

use std::{net::SocketAddr, sync::Arc};

use futures_util::future::BoxFuture;
use posthouse_app::{Service, settings::http::HttpConfig};
use tokio::net::TcpListener;

use super::BootError;
use crate::config::Configuration;

/// Serves HTTP until the process drains.
pub type ServedHttp = BoxFuture<'static, ()>;
/// Starts to serve HTTP on bound listeners.
pub type HttpServer = fn(Arc<Service>, HttpConfig, BoundHttp) -> Result<ServedHttp, BootError>;

/// The bound listeners of HTTP.
#[derive(Debug)]
pub struct BoundHttp {
    /// `http.listen`
    pub clear: TcpListener,
    /// `http.listen_tls`
    pub tls: Vec<TcpListener>,
    /// `acme.listen`
    pub challenges: Vec<TcpListener>,
    /// Whether `http.listen` redirects to `base_url`.
    pub redirect_to_https: bool,
}

/// Binds the configured addresses.
///
/// # Errors
/// Returns [`BootError::Listen`] if an address can't be bound.
pub async fn bind(config: &Configuration) -> Result<BoundHttp, BootError> {
    Ok(BoundHttp {
        clear: one("http.listen", config.listen.http).await?,
        tls: all("http.listen_tls", &config.listen.http_tls).await?,
        challenges: all("acme.listen", &config.listen.acme).await?,
        redirect_to_https: config.listen.redirect_to_https,
    })
}

async fn all(key: &str, addresses: &[SocketAddr]) -> Result<Vec<TcpListener>, BootError> {
    let mut bound = Vec::with_capacity(addresses.len());
    for address in addresses {
        bound.push(one(key, *address).await?);
    }
    Ok(bound)
}

async fn one(key: &str, address: SocketAddr) -> Result<TcpListener, BootError> {
    TcpListener::bind(address).await.map_err(BootError::listen(key, address))
}

impl BoundHttp {
    /// Returns the address of `http.listen`.
    #[must_use]
    pub fn address(&self) -> Option<SocketAddr> {
        self.clear.local_addr().ok()
    }

    /// Returns the addresses of `http.listen_tls`.
    #[must_use]
    pub fn https_addresses(&self) -> Vec<SocketAddr> {
        self.tls.iter().filter_map(|listener| listener.local_addr().ok()).collect()
    }
}
