//! The state that all listeners of one SMTP service share.

use std::{
    net::IpAddr,
    sync::{Arc, atomic::AtomicU64},
};

use crate::config::SmtpConfig;
use posthouse_app::{Service, inbound::screen_client, settings::network::Network};
use posthouse_domain::plan::Limit;
use posthouse_mail::smtp::server::{AuthMode, SmtpServerConfig, TlsMode};

use super::{
    client::ConnectionPermits,
    client_limits::{ClientRates, FailedLogins, RateLimitedAction, ReachedRate},
    content_budget::SessionContent,
};

/// Maximum messages per session. It is high because a large provider may send its whole queue over one connection.
const MESSAGES_MAX: u32 = 100_000;

/// How a connection begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ConnectionKind {
    /// Plain text; STARTTLS is offered.
    Plain,
    /// Implicit TLS (RFC 8314 §3.3).
    Tls,
}

/// The shared state of all listeners of the mail exchanger, or of submission.
pub struct SmtpFrontend {
    /// The running instance.
    pub(super) service: Arc<Service>,
    pub(super) config: SmtpConfig,
    pub(super) tls: Option<Arc<rustls::ServerConfig>>,
    sessions_config: Sessions,
    /// Failed logins; only for submission.
    failed_logins: Option<FailedLogins>,
    pub(super) connection_permits: ConnectionPermits,
    rates: ClientRates,
    pub(super) sessions: AtomicU64,
}

/// Session settings by kind of connection.
struct Sessions {
    clear: Arc<SmtpServerConfig>,
    /// On loopback, AUTH is allowed without TLS (`docs/guides/submission.md`).
    loopback: Arc<SmtpServerConfig>,
    tls: Arc<SmtpServerConfig>,
}

impl SmtpFrontend {
    /// Creates the mail exchanger. Without `tls` it doesn't offer STARTTLS.
    #[must_use]
    pub fn new(service: Arc<Service>, config: &SmtpConfig, tls: Option<Arc<rustls::ServerConfig>>) -> Arc<Self> {
        Self::with(service, config, tls, SmtpServerConfig::mail_exchanger, None)
    }

    /// Creates the submission service.
    #[must_use]
    pub fn submission(service: Arc<Service>, config: &SmtpConfig, tls: Arc<rustls::ServerConfig>) -> Arc<Self> {
        Self::with(service, config, Some(tls), SmtpServerConfig::submission, Some(FailedLogins::default()))
    }

    fn with(
        service: Arc<Service>,
        config: &SmtpConfig,
        tls: Option<Arc<rustls::ServerConfig>>,
        defaults: fn(String) -> SmtpServerConfig,
        failed_logins: Option<FailedLogins>,
    ) -> Arc<Self> {
        let clear = SmtpServerConfig {
            instance: service.instance_name(),
            message_bytes_max: service.config.message_bytes_max,
            messages_max: MESSAGES_MAX,
            tls: if tls.is_some() { TlsMode::StartTls } else { TlsMode::Unavailable },
            ..defaults(service.config.hostname.clone())
        };
        let auth = if failed_logins.is_some() { AuthMode::Always } else { AuthMode::Never };
        let sessions_config = Sessions {
            loopback: Arc::new(SmtpServerConfig { auth, ..clear.clone() }),
            tls: Arc::new(SmtpServerConfig { tls: TlsMode::Active, ..clear.clone() }),
            clear: Arc::new(clear),
        };
        let connection_permits = ConnectionPermits::new(config.connections_max, config.connections_per_client_max);
        Arc::new(Self {
            sessions_config,
            failed_logins,
            connection_permits,
            rates: ClientRates::default(),
            sessions: AtomicU64::new(0),
            tls,
            config: config.clone(),
            service,
        })
    }

    pub(super) fn session_config(&self, kind: ConnectionKind, on_loopback: bool) -> Arc<SmtpServerConfig> {
        let config = match (kind, on_loopback) {
            (ConnectionKind::Tls, _) => &self.sessions_config.tls,
            (ConnectionKind::Plain, true) => &self.sessions_config.loopback,
            (ConnectionKind::Plain, false) => &self.sessions_config.clear,
        };
        Arc::clone(config)
    }

    /// Returns the failed logins of submission, or `None` for the mail exchanger.
    pub(super) fn failed_logins(&self) -> Option<&FailedLogins> {
        self.failed_logins.as_ref()
    }

    pub(super) fn tls(&self) -> Option<Arc<rustls::ServerConfig>> {
        self.tls.clone()
    }

    /// Returns the content of a new session of a client.
    pub(super) fn content(&self, client: IpAddr) -> SessionContent {
        let budgets = &self.service.smtp_content;
        let budget = if self.failed_logins.is_some() { &budgets.submission } else { &budgets.receipt };
        SessionContent::new(budget, client, self.service.config.limits.smtp_content_bytes_per_client)
    }

    /// Returns the networks whose connections begin with a PROXY protocol header.
    pub(super) fn proxies(&self) -> &[Network] {
        if self.failed_logins.is_some() {
            &self.config.submission_proxy_protocol_from
        } else {
            &self.config.proxy_protocol_from
        }
    }

    /// Counts an action of a client. Submission has no such limits, because its clients are authenticated and have the
    /// limits of their plan; trusted clients have none either.
    ///
    /// # Errors
    /// Returns the limit per minute if the client has reached it.
    pub(super) fn count(&self, client: IpAddr, what: RateLimitedAction) -> Result<(), ReachedRate> {
        let counted = self.rates.count(client, what, self.rate_limit(client, what), self.service.clock.now());
        counted.inspect_err(|_| self.record_reached(client, what))
    }

    /// Returns whether a client has reached a limit per minute, without counting an action.
    ///
    /// # Errors
    /// Returns the limit if the client has reached it.
    pub(super) fn check(&self, client: IpAddr, what: RateLimitedAction) -> Result<(), ReachedRate> {
        let checked = self.rates.check(client, what, self.rate_limit(client, what), self.service.clock.now());
        checked.inspect_err(|_| self.record_reached(client, what))
    }

    fn record_reached(&self, client: IpAddr, what: RateLimitedAction) {
        self.service.metrics.smtp_rejected_by_policy("rate");
        self.service.metrics.limit_reached(what.setting());
        tracing::debug!(client = %client, what = ?what, "smtp.rate_limited");
    }

    /// Returns the limit per minute of a client.
    fn rate_limit(&self, client: IpAddr, what: RateLimitedAction) -> Limit {
        if self.failed_logins.is_some() || screen_client::is_trusted(&self.service, client) {
            return None;
        }
        match what {
            RateLimitedAction::UnknownRecipient => self.service.config.limits.unknown_recipients_per_minute,
            RateLimitedAction::Connection => self.config.connections_per_minute,
            RateLimitedAction::Message => self.config.messages_per_minute,
            RateLimitedAction::Recipient => self.config.recipients_per_minute,
        }
    }
}
