//! The listeners of a process and what each serves: the API over HTTP and HTTPS, or only ACME challenges.

use std::sync::Arc;

use posthouse_app::{Instance, settings::http::HttpConfig};
use tokio::net::TcpListener;

use crate::{
    Api, challenge,
    listener::{self, ListenerEntry},
    router, routes,
    site::Site,
};

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
    instance: Arc<Instance>,
    config: HttpConfig,
    site: Site,
    listeners: HttpListeners,
) -> Result<impl Future<Output = ()> + Send + 'static, rustls::Error> {
    let app = Arc::new(Api::new(instance, config, site));
    Ok(listener::serve(entries(listeners, &app)?, app))
}

/// Returns each listener with its router.
///
/// # Errors
/// Returns an error if TLS can't be set up.
pub fn entries(listeners: HttpListeners, app: &Arc<Api>) -> Result<Vec<ListenerEntry>, rustls::Error> {
    let tls = app.tls.server_config(&[PROTOCOL])?;
    let api = router::build(app, app.site.routes.clone());
    let clear =
        if listeners.redirect_to_https { challenge::redirecting(app, routes::plaintext()) } else { api.clone() };
    let mut entries = vec![ListenerEntry { listener: listeners.clear, router: clear, tls: None }];
    entries.extend(listeners.tls.into_iter().map(|listener| ListenerEntry {
        listener,
        router: api.clone(),
        tls: Some(Arc::clone(&tls)),
    }));
    let challenges = challenge::redirecting(app, challenge::routes());
    entries.extend(listeners.challenges.into_iter().map(|listener| ListenerEntry {
        listener,
        router: challenges.clone(),
        tls: None,
    }));
    Ok(entries)
}
