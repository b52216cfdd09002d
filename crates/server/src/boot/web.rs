//! The listeners for HTTP: the API in clear and over TLS, and those that only answer challenges.

use std::{net::SocketAddr, sync::Arc};

use tokio::net::TcpListener;

use super::BootError;
use crate::{
    app::App,
    config::Config,
    http::{challenge, listener::Entry, router, routes},
};

/// What HTTP/1.1 over TLS is called in a handshake (RFC 7301).
const PROTOCOL: &str = "http/1.1";

/// Bound listeners.
pub struct Web {
    clear: TcpListener,
    tls: Vec<TcpListener>,
    challenges: Vec<TcpListener>,
}

/// Binds what the configuration names.
///
/// # Errors
/// When an address cannot be listened on.
pub async fn bind(config: &Config) -> Result<Web, BootError> {
    Ok(Web {
        clear: one("http.listen", config.http.listen).await?,
        tls: all("http.listen_tls", &config.http.listen_tls).await?,
        challenges: all("acme.listen", &config.acme.listen).await?,
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

impl Web {
    /// Where `http.listen` is.
    #[must_use]
    pub fn address(&self) -> Option<SocketAddr> {
        self.clear.local_addr().ok()
    }

    /// Where those of `http.listen_tls` are.
    #[must_use]
    pub fn https_addresses(&self) -> Vec<SocketAddr> {
        self.tls.iter().filter_map(|listener| listener.local_addr().ok()).collect()
    }

    /// Where those of `acme.listen` are.
    #[must_use]
    pub fn challenge_addresses(&self) -> Vec<SocketAddr> {
        self.challenges.iter().filter_map(|listener| listener.local_addr().ok()).collect()
    }

    /// What answers at each of them.
    ///
    /// # Errors
    /// When TLS cannot be set up.
    pub fn entries(self, app: &Arc<App>) -> Result<Vec<Entry>, BootError> {
        let tls = app.tls.server_config(&[PROTOCOL]).map_err(|error| BootError::Tls(error.to_string()))?;
        let api = router::build(app, routes::all());
        let clear = if app.config.http.redirect_to_https {
            challenge::leading_on(app, routes::in_clear())
        } else {
            api.clone()
        };
        let mut entries = vec![Entry { listener: self.clear, router: clear, tls: None }];
        entries.extend(self.tls.into_iter().map(|listener| Entry {
            listener,
            router: api.clone(),
            tls: Some(Arc::clone(&tls)),
        }));
        let porch = challenge::leading_on(app, challenge::routes());
        entries.extend(self.challenges.into_iter().map(|listener| Entry {
            listener,
            router: porch.clone(),
            tls: None,
        }));
        Ok(entries)
    }
}
