//! The HTTP listeners: the API over HTTP and HTTPS, and listeners that serve only ACME challenges.

use posthouse_http::Api;
use std::{net::SocketAddr, sync::Arc};

use tokio::net::TcpListener;

use super::BootError;
use crate::config::Configuration;
use posthouse_http::{challenge, listener::ListenerEntry, router, routes};

/// The ALPN protocol id of HTTP/1.1 (RFC 7301).
const PROTOCOL: &str = "http/1.1";

/// The bound HTTP listeners.
pub struct HttpListeners {
    clear: TcpListener,
    tls: Vec<TcpListener>,
    challenges: Vec<TcpListener>,
    /// Whether `http.listen` redirects to `base_url`.
    redirect_to_https: bool,
}

/// Binds the configured addresses.
///
/// # Errors
/// Returns [`BootError::Listen`] if an address can't be bound.
pub async fn bind(config: &Configuration) -> Result<HttpListeners, BootError> {
    Ok(HttpListeners {
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

impl HttpListeners {
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

    /// Returns each listener with its router.
    ///
    /// # Errors
    /// Returns [`BootError::Tls`] if TLS can't be set up.
    pub fn entries(self, app: &Arc<Api>) -> Result<Vec<ListenerEntry>, BootError> {
        let tls = app.tls.server_config(&[PROTOCOL]).map_err(|error| BootError::Tls(error.to_string()))?;
        let api = router::build(app, routes::all());
        let clear =
            if self.redirect_to_https { challenge::redirecting(app, routes::plaintext_routes()) } else { api.clone() };
        let mut entries = vec![ListenerEntry { listener: self.clear, router: clear, tls: None }];
        entries.extend(self.tls.into_iter().map(|listener| ListenerEntry {
            listener,
            router: api.clone(),
            tls: Some(Arc::clone(&tls)),
        }));
        let challenges = challenge::redirecting(app, challenge::routes());
        entries.extend(self.challenges.into_iter().map(|listener| ListenerEntry {
            listener,
            router: challenges.clone(),
            tls: None,
        }));
        Ok(entries)
    }
}
