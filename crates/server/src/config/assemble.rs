//! From single values to a whole configuration: what belongs together is checked together.

use std::{net::SocketAddr, path::PathBuf};

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use posthouse_mail::address::Address;

use super::{
    AiEndpoint, Categoriser, Config, DeliveryMode, ExternalAccount, Relay, SecretText, TlsFiles, problem::Problem, urls,
};

/// Names of one certificate: what Let's Encrypt takes.
const ACME_NAMES_MAX: usize = 100;

/// The names of `delivery.mode`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mode {
    /// `direct`
    Direct,
    /// `relay`
    Relay,
    /// `capture`
    Capture,
}

/// A configuration whose values are fine one by one.
#[derive(Debug)]
pub(super) struct Draft {
    pub(super) config: Config,
    pub(super) mode: Option<Mode>,
    pub(super) relay: Option<Relay>,
    pub(super) mail_to_private_networks: Option<bool>,
    pub(super) webhooks_to_private_networks: Option<bool>,
    pub(super) webhooks_to_http: Option<bool>,
    pub(super) hostname: Option<String>,
    pub(super) temporary_domain: Option<String>,
    pub(super) tls_cert: Option<PathBuf>,
    pub(super) tls_key: Option<PathBuf>,
    pub(super) eab_key_id: Option<String>,
    pub(super) eab_key: Option<String>,
    pub(super) ai_base_url: Option<String>,
    pub(super) ai_model: Option<String>,
    pub(super) ai_api_key: Option<String>,
}

impl Draft {
    /// The defaults.
    pub(super) fn new() -> Self {
        Self {
            config: Config::loopback(),
            mode: None,
            relay: None,
            mail_to_private_networks: None,
            webhooks_to_private_networks: None,
            webhooks_to_http: None,
            hostname: None,
            temporary_domain: None,
            tls_cert: None,
            tls_key: None,
            eab_key_id: None,
            eab_key: None,
            ai_base_url: None,
            ai_model: None,
            ai_api_key: None,
        }
    }

    /// Puts together what belongs together, or records what does not fit.
    pub(super) fn finish(mut self, problems: &mut Vec<Problem>) -> Config {
        self.delivery(problems);
        self.permissions();
        self.tls(problems);
        self.ai(problems);
        self.names(problems);
        self.acme(problems);
        self.https(problems);
        if self.config.http.listen.port() != 0 && self.config.smtp.listen.contains(&self.config.http.listen) {
            add(problems, "smtp.listen", "must not name the address of http.listen");
        }
        self.config
    }

    fn delivery(&mut self, problems: &mut Vec<Problem>) {
        let mode = self.mode.or(self.config.is_on_loopback().then_some(Mode::Capture));
        self.config.delivery.mode = match (mode, self.relay.take()) {
            (Some(Mode::Relay), Some(relay)) => DeliveryMode::Relay(relay),
            (Some(Mode::Relay), None) => {
                add(problems, "delivery.relay_url", "is required with delivery.mode = \"relay\"");
                return;
            }
            (Some(_), Some(_)) => {
                add(problems, "delivery.relay_url", "is only for delivery.mode = \"relay\"");
                return;
            }
            (Some(Mode::Direct), None) => DeliveryMode::Direct,
            (Some(Mode::Capture), None) => DeliveryMode::Capture,
            (None, _) => {
                let text = "is required unless every listener is on loopback: \"direct\" (to mail exchangers), \"relay\" (by \
                            delivery.relay_url) or \"capture\" (nothing leaves this machine)";
                add(problems, "delivery.mode", text);
                return;
            }
        };
    }

    /// What the loopback profile permits, unless told otherwise. The mode is known by now.
    fn permissions(&mut self) {
        let default = self.config.is_loopback_profile();
        self.config.delivery.allow_private_networks = self.mail_to_private_networks.unwrap_or(default);
        self.config.webhooks.allow_private_networks = self.webhooks_to_private_networks.unwrap_or(default);
        self.config.webhooks.allow_http = self.webhooks_to_http.unwrap_or(default);
    }

    fn tls(&mut self, problems: &mut Vec<Problem>) {
        match (self.tls_cert.take(), self.tls_key.take()) {
            (Some(cert), Some(key)) => self.config.smtp.tls = Some(TlsFiles { cert, key }),
            (Some(_), None) => add(problems, "smtp.tls_key", "is required with smtp.tls_cert"),
            (None, Some(_)) => add(problems, "smtp.tls_cert", "is required with smtp.tls_key"),
            (None, None) => {}
        }
        if self.config.smtp.acme && self.config.smtp.tls.is_some() {
            add(problems, "smtp.acme", "must be false where smtp.tls_cert is given");
        }
    }

    /// What a certificate by ACME needs. The names follow those of the service, so they are known last.
    fn acme(&mut self, problems: &mut Vec<Problem>) {
        match (self.eab_key_id.take(), self.eab_key.take()) {
            (Some(key_id), Some(key)) => {
                let is_key = URL_SAFE_NO_PAD.decode(key.trim_end_matches('=')).is_ok_and(|bytes| !bytes.is_empty());
                if !is_key {
                    add(problems, "acme.eab_key", "must be base64url, as the authority shows it");
                }
                self.config.acme.external_account = Some(ExternalAccount { key_id, key: SecretText(key) });
            }
            (Some(_), None) => add(problems, "acme.eab_key", "is required with acme.eab_key_id"),
            (None, Some(_)) => add(problems, "acme.eab_key_id", "is required with acme.eab_key"),
            (None, None) => {}
        }
        let config = &mut self.config;
        if !config.smtp.acme || config.smtp.tls.is_some() {
            return;
        }
        if config.acme.names.is_empty() {
            config.acme.names.push(config.smtp.hostname.clone());
            let https = (!config.http.listen_tls.is_empty()).then(|| urls::host_name(&config.base_url)).flatten();
            config.acme.names.extend(https.filter(|host| *host != config.smtp.hostname));
        }
        config.acme.names.iter_mut().for_each(|name| name.make_ascii_lowercase());
        if let Some(name) = config.acme.names.iter().find(|name| !name.contains('.')) {
            let text = format!("'{name}' is no public name: set smtp.hostname or acme.names");
            add(problems, "smtp.acme", &text);
        }
        if config.acme.names.len() > ACME_NAMES_MAX {
            add(problems, "acme.names", "must not be more than 100");
        }
    }

    fn https(&mut self, problems: &mut Vec<Problem>) {
        let http = &self.config.http;
        if http.redirect_to_https && !self.config.base_url.starts_with("https://") {
            add(problems, "base_url", "must be https with http.redirect_to_https");
        }
        let taken = |address: &SocketAddr| address.port() != 0 && *address == http.listen;
        for (key, addresses) in [("http.listen_tls", &http.listen_tls), ("acme.listen", &self.config.acme.listen)] {
            if addresses.iter().any(taken) {
                add(problems, key, "must not name the address of http.listen");
            }
        }
    }

    fn ai(&mut self, problems: &mut Vec<Problem>) {
        let ai = &mut self.config.ai;
        match (self.ai_base_url.take(), self.ai_model.take()) {
            (Some(base_url), Some(model)) => {
                ai.endpoint = Some(AiEndpoint { base_url, model, api_key: self.ai_api_key.take() });
            }
            (base_url, model) if ai.categoriser == Categoriser::OpenAi || ai.drafting => {
                for (name, given) in [("ai.base_url", base_url.is_some()), ("ai.model", model.is_some())] {
                    if !given {
                        add(problems, name, "is required with \"openai\"");
                    }
                }
            }
            _ => {}
        }
    }

    fn names(&mut self, problems: &mut Vec<Problem>) {
        let config = &mut self.config;
        let host = self.hostname.take().or_else(|| urls::host_name(&config.base_url));
        if let Some(host) = host {
            config.smtp.hostname = host;
        }
        match self.temporary_domain.take() {
            Some(domain) => config.mail.temporary_domain = domain,
            None => config.mail.temporary_domain = format!("tmp.{}", config.mail.default_domain),
        }
        if config.mail.temporary_domain == config.mail.default_domain {
            add(problems, "mail.temporary_domain", "must not be mail.default_domain");
        }
        if Address::parse(&format!("postmaster@{}", config.mail.temporary_domain)).is_err() {
            add(problems, "mail.temporary_domain", "is required: 'tmp.' before mail.default_domain is no domain name");
        }
    }
}

fn add(problems: &mut Vec<Problem>, key: &str, problem: &str) {
    problems.push(Problem { key: key.to_owned(), value: None, problem: problem.to_owned() });
}
