//! [`Configuration`]: the settings of the process, with those of the use cases and of the HTTP API.

use std::{
    net::SocketAddr,
    ops::{Deref, DerefMut},
};

use posthouse_app::settings::http::HttpConfig;
use posthouse_app::settings::{AppConfig, network::Network};
use posthouse_domain::plan::Limit;

/// The whole configuration. It dereferences to the settings of the use cases.
#[derive(Clone, Debug)]
pub struct Configuration {
    /// The settings of the use cases.
    pub app: AppConfig,
    /// The settings of the HTTP API.
    pub http: HttpConfig,
    /// The addresses of the listeners.
    pub listen: ListenConfig,
    /// The settings of SMTP connections.
    pub smtp: SmtpConfig,
    /// Milliseconds by which the clock of the process is ahead of the system's, in a rehearsal.
    pub clock_ahead_ms: i64,
    /// Whether `base_url` was left out and follows the listener's address.
    pub base_url_follows_listener: bool,
    /// `database_url`; `None` means SQLite in `data_dir`.
    pub database_url: Option<String>,
    /// `blob_url`; `None` means files in `data_dir`.
    pub blob_url: Option<String>,
    /// The AWS environment variables, for `s3://`.
    pub blob_options: BlobOptions,
    /// `log.*`
    pub log: LogConfig,
    /// The keys that have a value in one of the sources, in alphabetical order.
    pub set_keys: Vec<SetKey>,
}

impl Configuration {
    /// Returns the `base_url` of a service without one, whose API has this address.
    pub(crate) fn base_url_of(mut http: SocketAddr) -> String {
        if http.ip().is_unspecified() {
            http.set_ip([127, 0, 0, 1].into());
        }
        format!("http://{http}")
    }

    /// Updates the settings that follow from the addresses of the listeners.
    pub fn apply_listeners(&mut self) {
        let is_local =
            |addresses: &[SocketAddr]| addresses.iter().all(|address| address.ip().to_canonical().is_loopback());
        let listen = &self.listen;
        self.http.is_on_loopback = is_local(&[listen.http]) && is_local(&listen.http_tls);
        let others = [&listen.acme, &listen.smtp, &listen.submission, &listen.submission_tls];
        self.app.is_on_loopback = self.http.is_on_loopback && others.into_iter().all(|addresses| is_local(addresses));
    }
}

impl Deref for Configuration {
    type Target = AppConfig;

    fn deref(&self) -> &AppConfig {
        &self.app
    }
}

impl DerefMut for Configuration {
    fn deref_mut(&mut self) -> &mut AppConfig {
        &mut self.app
    }
}

/// The addresses of the listeners.
#[derive(Clone, Debug)]
pub struct ListenConfig {
    /// `http.listen`
    pub http: SocketAddr,
    /// `http.listen_tls`: the API over HTTPS.
    pub http_tls: Vec<SocketAddr>,
    /// `http.redirect_to_https`: `http.listen` only redirects to `base_url`.
    pub redirect_to_https: bool,
    /// `acme.listen`: listeners that only serve challenges.
    pub acme: Vec<SocketAddr>,
    /// `smtp.listen`
    pub smtp: Vec<SocketAddr>,
    /// `submission.listen`: STARTTLS.
    pub submission: Vec<SocketAddr>,
    /// `submission.listen_tls`: TLS from the first byte.
    pub submission_tls: Vec<SocketAddr>,
}

/// The settings of SMTP connections. The limits hold for the mail exchanger and for submission separately.
#[derive(Clone, Debug)]
pub struct SmtpConfig {
    /// `smtp.proxy_protocol_from`
    pub proxy_protocol_from: Vec<Network>,
    /// `submission.proxy_protocol_from`
    pub submission_proxy_protocol_from: Vec<Network>,
    /// `smtp.max_connections`, of all clients together.
    pub connections_max: usize,
    /// `smtp.max_connections_per_client`
    pub connections_per_client_max: usize,
    /// `smtp.first_command_timeout`: a client that hasn't greeted gets a 421 reply after this time.
    pub first_command_timeout_ms: i64,
    /// `smtp.idle_timeout`: an idle client gets a 421 reply after this time.
    pub idle_timeout_ms: i64,
    /// `smtp.max_connections_per_client_per_minute`
    pub connections_per_minute: Limit,
    /// `smtp.max_messages_per_client_per_minute`
    pub messages_per_minute: Limit,
    /// `smtp.max_recipients_per_client_per_minute`
    pub recipients_per_minute: Limit,
}

/// `log.*`
#[derive(Clone, Debug)]
pub struct LogConfig {
    /// `log.format` is `json`.
    pub json: bool,
    /// `log.level`
    pub level: String,
}

/// The environment variables `AWS_*`, unchanged.
#[derive(Clone, Default)]
pub struct BlobOptions(pub Vec<(String, String)>);

impl std::fmt::Debug for BlobOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<&str> = self.0.iter().map(|(name, _)| name.as_str()).collect();
        write!(f, "BlobOptions({})", names.join(", "))
    }
}

/// A key with a value, and the source of the value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SetKey {
    /// The key, or the key with `_file` for a secret from a file.
    pub name: String,
    /// The source that overrides the others.
    pub source: ValueSource,
}

/// A source of configuration values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ValueSource {
    /// The configuration file.
    File,
    /// An environment variable.
    Environment,
    /// An option of the command.
    CommandLine,
}

impl ValueSource {
    /// Returns the name for messages.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            ValueSource::File => "file",
            ValueSource::Environment => "environment",
            ValueSource::CommandLine => "command line",
        }
    }
}
