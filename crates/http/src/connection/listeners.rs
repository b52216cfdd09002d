//! The listeners of a process and what each serves: the API over HTTP and HTTPS, or only ACME challenges.

use std::sync::Arc;

use posthouse_app::Service;
use posthouse_app::settings::http::HttpConfig;
use tokio::net::TcpListener;

use crate::connection::listener::{self, ListenerEntry};
use crate::pages::{challenge, routes as page_routes};
use crate::route::Route;
use crate::site::Site;
use crate::{Api, router};

/// The ALPN protocol id of HTTP/1.1 (RFC 7301).
const PROTOCOL: &str = "http/1.1";

/// Bound listeners.
#[derive(Debug)]
pub struct HttpListeners {
    /// `http.listen`
    pub clear: TcpListener,
    /// `http.listen_tls`
    pub tls: Vec<TcpListener>,
    /// `acme.listen`
    pub challenges: Vec<TcpListener>,
    /// Whether `http.listen` redirects to `base_url`.
    pub redirect_to_https: bool,
}

/// Serves HTTP until the process drains.
///
/// # Errors
/// Returns an error if TLS can't be set up.
pub fn serve(
    service: Arc<Service>,
    config: HttpConfig,
    site: Site,
    listeners: HttpListeners,
) -> Result<impl Future<Output = ()> + Send + 'static, rustls::Error> {
    let api = Arc::new(Api::new(service, config, site.served()));
    Ok(listener::serve(entries(listeners, site.routes, &api)?, api))
}

/// Returns each listener with its router.
///
/// # Errors
/// Returns an error if TLS can't be set up.
fn entries(listeners: HttpListeners, routes: Vec<Route>, api: &Arc<Api>) -> Result<Vec<ListenerEntry>, rustls::Error> {
    let tls = api.service.tls.server_config(&[PROTOCOL])?;
    let router = router::build(api, routes);
    let clear = if listeners.redirect_to_https {
        challenge::redirecting(api, page_routes::plaintext())
    } else {
        router.clone()
    };
    let mut entries = vec![ListenerEntry { listener: listeners.clear, router: clear, tls: None }];
    entries.extend(listeners.tls.into_iter().map(|listener| ListenerEntry {
        listener,
        router: router.clone(),
        tls: Some(Arc::clone(&tls)),
    }));
    let challenges = challenge::redirecting(api, challenge::routes());
    entries.extend(listeners.challenges.into_iter().map(|listener| ListenerEntry {
        listener,
        router: challenges.clone(),
        tls: None,
    }));
    Ok(entries)
}
