//! The settings of the HTTP API.

use super::{SecretText, network::Network};

/// Most HTTP connections at once, if the descriptors of the process allow them. Each long poll occupies one.
pub const CONNECTIONS_MAX: usize = 50_000;

/// The settings of the HTTP API, in addition to those of the use cases.
#[derive(Clone, Debug)]
pub struct HttpConfig {
    /// `http.allowed_hosts`: further host names of the service, in A-labels.
    pub allowed_hosts: Vec<String>,
    /// `http.allowed_origins`: origins whose pages may speak MCP.
    pub allowed_origins: Vec<String>,
    /// `http.trusted_proxies`
    pub trusted_proxies: Vec<Network>,
    /// `http.metrics_token`
    pub metrics_token: Option<SecretText>,
    /// Most HTTP connections at once: what the descriptors of the process allow.
    pub connections_max: usize,
    /// Whether `http.listen` and every address of `http.listen_tls` are on loopback.
    pub is_on_loopback: bool,
}
