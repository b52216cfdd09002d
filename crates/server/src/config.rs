//! The configuration as the rest of the program sees it: checked, with every default filled in (operations.md).
//!
//! Reading files and the environment is done in `config/`; nothing else in the program looks at the environment. One
//! table of keys ([`keys`]) drives the reading, the hints and `docs/CONFIGURATION.md`.

mod assemble;
mod given;
mod keys;
mod load;
mod network;
mod problem;
mod urls;

#[cfg(test)]
mod tests;

use std::{
    net::{IpAddr, SocketAddr},
    path::PathBuf,
};

use posthouse_domain::{
    delivery::IpChoice,
    mail_domain::Here,
    plan::{Limit, Plans},
    time::{HOUR_MS, MINUTE_MS},
};

pub(crate) use given::SOCKET_WRONG;
pub use keys::{Key, keys, reference};
pub use load::{Listeners, Sources, load};
pub use network::Network;
pub use problem::{ConfigError, Problem};

/// Everything that can be configured.
#[derive(Clone, Debug)]
pub struct Config {
    /// `base_url`, without a trailing slash.
    pub base_url: String,
    /// Whether `base_url` was left out, so that it follows the address that is listened on.
    pub base_url_follows_listener: bool,
    /// `data_dir`
    pub data_dir: PathBuf,
    /// `database_url`; none: SQLite in `data_dir`.
    pub database_url: Option<String>,
    /// `blob_url`; none: files in `data_dir`.
    pub blob_url: Option<String>,
    /// `instance_key`: what stored secrets are sealed with, in base64; none: a file in `data_dir`.
    pub instance_key: Option<SecretText>,
    /// The usual AWS variables, for `s3://`.
    pub blob_options: BlobOptions,
    /// `http.*`
    pub http: Http,
    /// `smtp.*`
    pub smtp: Smtp,
    /// `acme.*`
    pub acme: Acme,
    /// `submission.*`
    pub submission: Submission,
    /// `mail.*`
    pub mail: Mail,
    /// `delivery.*`
    pub delivery: Delivery,
    /// `dkim.*`
    pub dkim: Dkim,
    /// `webhooks.*`
    pub webhooks: Webhooks,
    /// `feedback.sources`: domains and addresses whose complaints are believed.
    pub feedback_sources: Vec<String>,
    /// `dns.nameservers`; empty: the system's.
    pub nameservers: Vec<SocketAddr>,
    /// `dns.blocklists`: zones that are asked about our own address (RFC 5782).
    pub blocklists: Vec<String>,
    /// `ai.*`
    pub ai: Ai,
    /// `plans.*`
    pub plans: Plans,
    /// `log.*`
    pub log: Log,
}

/// A text that `Debug` does not show.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretText(pub String);

impl std::fmt::Debug for SecretText {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SecretText")
    }
}

/// The variables `AWS_*` of the environment, as they stand.
#[derive(Clone, Default)]
pub struct BlobOptions(pub Vec<(String, String)>);

impl std::fmt::Debug for BlobOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<&str> = self.0.iter().map(|(name, _)| name.as_str()).collect();
        write!(f, "BlobOptions({})", names.join(", "))
    }
}

/// `http.*`
#[derive(Clone, Debug)]
pub struct Http {
    /// `http.listen`
    pub listen: SocketAddr,
    /// `http.listen_tls`: the API over HTTPS.
    pub listen_tls: Vec<SocketAddr>,
    /// `http.redirect_to_https`: `http.listen` only leads to `base_url`.
    pub redirect_to_https: bool,
    /// `http.allowed_hosts`: further names under which the service answers, in the form that DNS knows.
    pub allowed_hosts: Vec<String>,
    /// `http.trusted_proxies`
    pub trusted_proxies: Vec<Network>,
    /// `http.metrics_token`
    pub metrics_token: Option<String>,
}

/// `smtp.*`
#[derive(Clone, Debug)]
pub struct Smtp {
    /// `smtp.listen`
    pub listen: Vec<SocketAddr>,
    /// `smtp.hostname`: our name in greetings, trace lines and authentication results.
    pub hostname: String,
    /// `smtp.max_message_bytes`
    pub message_bytes_max: u64,
    /// `smtp.tls_cert` and `smtp.tls_key`; none: a self-signed certificate in `data_dir`.
    pub tls: Option<TlsFiles>,
    /// `smtp.acme`: get the certificate by ACME.
    pub acme: bool,
    /// `smtp.proxy_protocol_from`
    pub proxy_protocol_from: Vec<Network>,
    /// `smtp.max_connections`: of all clients together.
    pub connections_max: usize,
    /// `smtp.max_connections_per_client`
    pub connections_per_client_max: usize,
    /// `smtp.idle_timeout`: a client that says nothing for so long is told 421.
    pub idle_timeout_ms: i64,
    /// Content that all sessions of a listener together hold in memory before the large ones among them are sent away, in
    /// bytes. No key: [`CONTENT_BYTES_MAX`], less in tests.
    pub content_bytes_max: u64,
    /// `smtp.reject_dmarc_fail`: refuse a domain owner's `p=reject` in the dialogue (decision 26).
    pub reject_dmarc_fail: bool,
    /// Who may hand mail in.
    pub policy: InboundPolicy,
}

/// `smtp.*`: who may hand mail to the mail exchanger. Submission, this machine and trusted clients are never asked.
#[derive(Clone, Debug)]
pub struct InboundPolicy {
    /// `smtp.dnsbl`: zones that are asked about clients (RFC 5782); a listed one is refused.
    pub dnsbl: Vec<String>,
    /// `smtp.dnsbl_timeout`: for all of them together.
    pub dnsbl_timeout_ms: i64,
    /// `smtp.greylisting`
    pub greylisting: bool,
    /// `smtp.greylisting_delay`: how long an unknown client has to stay away.
    pub greylisting_delay_ms: i64,
    /// `smtp.max_connections_per_client_per_minute`
    pub connections_per_minute: Limit,
    /// `smtp.max_messages_per_client_per_minute`
    pub messages_per_minute: Limit,
    /// `smtp.max_recipients_per_client_per_minute`
    pub recipients_per_minute: Limit,
    /// `smtp.trusted_clients`: networks of the operator's own.
    pub trusted_clients: Vec<Network>,
}

impl Default for InboundPolicy {
    fn default() -> Self {
        Self {
            dnsbl: Vec::new(),
            dnsbl_timeout_ms: 2_000,
            greylisting: false,
            greylisting_delay_ms: MINUTE_MS,
            connections_per_minute: None,
            messages_per_minute: None,
            recipients_per_minute: None,
            trusted_clients: Vec::new(),
        }
    }
}

/// Content of mail that is being received, in memory at once: 1 GiB.
pub const CONTENT_BYTES_MAX: u64 = 1 << 30;

/// Where complaints come from by default (`feedback.sources`): Yahoo and AOL, Microsoft (whose domain also has users, so the one
/// address), Validity for Comcast, Yandex and others, and providers that send their own. These are the authors that published
/// feedback loop parsers know, less those that anybody can have an address at. Google sends no complaints about single mails.
const FEEDBACK_SOURCES: [&str; 11] = [
    "arf.mail.yahoo.com",
    "staff@hotmail.com",
    "senderscore.net",
    "feedback.comcast.net",
    "fbl.fastmail.com",
    "fbl.zoho.com",
    "fbl.synacor.com",
    "fbl.cox.net",
    "fbl.hostedemail.com",
    "fbl.apps.rackspace.com",
    "feedback.bluetie.com",
];

/// A certificate chain and its key, in PEM.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TlsFiles {
    /// The chain.
    pub cert: PathBuf,
    /// The private key.
    pub key: PathBuf,
}

/// `acme.*`: how a certificate is got where `smtp.acme` is set.
#[derive(Clone, Debug)]
pub struct Acme {
    /// `acme.directory`: the URL of the certificate authority's directory (RFC 8555 §7.1.1).
    pub directory: String,
    /// `acme.root`: whose certificate the directory may have; none: the machine's authorities.
    pub root: Option<PathBuf>,
    /// `acme.email`: where the authority writes to.
    pub email: Option<String>,
    /// `acme.names`: the names of the certificate, in lower case.
    pub names: Vec<String>,
    /// `acme.listen`: listeners for challenges alone.
    pub listen: Vec<SocketAddr>,
    /// `acme.eab_key_id` and `acme.eab_key`: an account that the authority knows already (RFC 8555 §7.3.4).
    pub external_account: Option<ExternalAccount>,
}

/// The directory of Let's Encrypt.
pub const LETS_ENCRYPT: &str = "https://acme-v02.api.letsencrypt.org/directory";
/// Its directory for trying things out: no limits to speak of, and certificates that nobody believes.
pub const LETS_ENCRYPT_STAGING: &str = "https://acme-staging-v02.api.letsencrypt.org/directory";

/// `acme.eab_key_id` and `acme.eab_key`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExternalAccount {
    /// The name of the key.
    pub key_id: String,
    /// The key, in base64url.
    pub key: SecretText,
}

/// `submission.*`
#[derive(Clone, Debug)]
pub struct Submission {
    /// `submission.listen`: STARTTLS.
    pub listen: Vec<SocketAddr>,
    /// `submission.listen_tls`: TLS from the first byte.
    pub listen_tls: Vec<SocketAddr>,
    /// `submission.proxy_protocol_from`
    pub proxy_protocol_from: Vec<Network>,
}

/// `mail.*`
#[derive(Clone, Debug)]
pub struct Mail {
    /// `mail.default_domain`
    pub default_domain: String,
    /// `mail.temporary_domain`
    pub temporary_domain: String,
    /// `mail.postmaster`: the person who is told of mail to postmaster and abuse at these domains; none: the owner of the first
    /// workspace.
    pub postmaster: Option<String>,
}

/// `delivery.*`
#[derive(Clone, Debug)]
pub struct Delivery {
    /// `delivery.mode`, with what belongs to it.
    pub mode: DeliveryMode,
    /// `delivery.port`
    pub port: u16,
    /// `delivery.retry_schedule`, in milliseconds: the gap before each attempt after the first.
    pub retry_schedule_ms: Vec<i64>,
    /// `delivery.allow_private_networks`
    pub allow_private_networks: bool,
    /// `delivery.max_connections`: to all destinations together.
    pub connections_max: usize,
    /// `delivery.max_connections_per_destination`; none: 10, 20 to a relay, and of large providers what their table says.
    pub connections_per_destination_max: Option<usize>,
    /// `delivery.sign`: with DKIM, when it leaves.
    pub sign: bool,
    /// `delivery.greylist_schedule`, in milliseconds: the gaps while a server greylists.
    pub greylist_schedule_ms: Vec<i64>,
    /// `delivery.ip_preference`
    pub ip_choice: IpChoice,
    /// `delivery.source_addresses`; empty: the system picks.
    pub sources: Vec<Source>,
    /// `delivery.helo_name`; none: `smtp.hostname`.
    pub helo_name: Option<String>,
}

/// An address that mail leaves from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Source {
    /// The address; this machine must have it.
    pub address: IpAddr,
    /// The name for EHLO from there, if it has one of its own.
    pub helo: Option<String>,
}

/// `delivery.mode`
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DeliveryMode {
    /// To the mail exchangers of each destination.
    Direct,
    /// To one relay.
    Relay(Relay),
    /// Kept on this machine and shown; nothing leaves.
    Capture,
}

/// `delivery.relay_url`
#[derive(Clone, PartialEq, Eq)]
pub struct Relay {
    /// Host name or address.
    pub host: String,
    /// Port.
    pub port: u16,
    /// User and password for AUTH.
    pub credentials: Option<(String, String)>,
    /// `smtps://`: TLS from the first byte.
    pub implicit_tls: bool,
}

impl std::fmt::Debug for Relay {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Relay({}:{})", self.host, self.port)
    }
}

/// `dkim.*`
#[derive(Clone, Copy, Debug)]
pub struct Dkim {
    /// `dkim.ed25519`: which mail is signed with Ed25519 beside RSA.
    pub ed25519: Ed25519,
}

/// `dkim.ed25519`
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ed25519 {
    /// None: RSA alone.
    Off,
    /// That of the default domain.
    DefaultDomain,
    /// That of the workspaces' own domains too, each with a record more.
    All,
}

/// `webhooks.*`
#[derive(Clone, Debug)]
pub struct Webhooks {
    /// `webhooks.allow_private_networks`
    pub allow_private_networks: bool,
    /// `webhooks.allow_http`
    pub allow_http: bool,
    /// `webhooks.backoff_start`: the first gap; the others follow decision 9.
    pub backoff_start_ms: i64,
    /// `webhooks.timeout`: of one attempt.
    pub timeout_ms: i64,
}

/// `ai.*`
#[derive(Clone, Debug)]
pub struct Ai {
    /// `ai.categoriser`
    pub categoriser: Categoriser,
    /// `ai.drafting` is `openai`.
    pub drafting: bool,
    /// `ai.base_url`, `ai.model` and `ai.api_key`; there whenever something above needs it.
    pub endpoint: Option<AiEndpoint>,
}

/// `ai.categoriser`
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Categoriser {
    /// The local model in the binary.
    Builtin,
    /// A server with that chat-completions API.
    OpenAi,
    /// None.
    Off,
}

/// A server with the OpenAI chat-completions API.
#[derive(Clone, PartialEq, Eq)]
pub struct AiEndpoint {
    /// `ai.base_url`, without a trailing slash.
    pub base_url: String,
    /// `ai.model`
    pub model: String,
    /// `ai.api_key`; some local servers want none.
    pub api_key: Option<String>,
}

impl std::fmt::Debug for AiEndpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "AiEndpoint({} {})", self.base_url, self.model)
    }
}

/// `log.*`
#[derive(Clone, Debug)]
pub struct Log {
    /// `log.format` is `json`.
    pub json: bool,
    /// `log.level`
    pub level: String,
}

impl Config {
    /// The profile without any configuration: on loopback, everything embedded, nothing leaves the machine.
    #[must_use]
    pub fn loopback() -> Self {
        let local = |port| SocketAddr::from(([127, 0, 0, 1], port));
        Self {
            base_url_follows_listener: true,
            base_url: "http://127.0.0.1:8080".to_owned(),
            data_dir: PathBuf::from("./data"),
            database_url: None,
            blob_url: None,
            instance_key: None,
            blob_options: BlobOptions::default(),
            http: Http {
                listen: local(8080),
                listen_tls: Vec::new(),
                redirect_to_https: false,
                allowed_hosts: Vec::new(),
                trusted_proxies: Vec::new(),
                metrics_token: None,
            },
            smtp: Smtp {
                listen: vec![local(2525)],
                hostname: "localhost".to_owned(),
                message_bytes_max: posthouse_mail::limits::MESSAGE_BYTES_MAX_DEFAULT,
                content_bytes_max: CONTENT_BYTES_MAX,
                tls: None,
                acme: false,
                proxy_protocol_from: Vec::new(),
                connections_max: 1_000,
                connections_per_client_max: 200,
                idle_timeout_ms: 300_000,
                reject_dmarc_fail: false,
                policy: InboundPolicy::default(),
            },
            acme: Acme {
                directory: LETS_ENCRYPT.to_owned(),
                root: None,
                email: None,
                names: Vec::new(),
                listen: Vec::new(),
                external_account: None,
            },
            submission: Submission {
                listen: vec![local(2587)],
                listen_tls: Vec::new(),
                proxy_protocol_from: Vec::new(),
            },
            mail: Mail {
                default_domain: "agents.localhost".to_owned(),
                temporary_domain: "tmp.agents.localhost".to_owned(),
                postmaster: None,
            },
            delivery: Delivery::nowhere(),
            dkim: Dkim { ed25519: Ed25519::DefaultDomain },
            webhooks: Webhooks {
                allow_private_networks: true,
                allow_http: true,
                backoff_start_ms: 680_000,
                timeout_ms: 10_000,
            },
            nameservers: Vec::new(),
            feedback_sources: FEEDBACK_SOURCES.map(str::to_owned).into(),
            blocklists: ["zen.spamhaus.org", "bl.spamcop.net", "b.barracudacentral.org"].map(str::to_owned).into(),
            ai: Ai { categoriser: Categoriser::Builtin, drafting: false, endpoint: None },
            plans: Plans::default(),
            log: Log { json: false, level: "info".to_owned() },
        }
    }
}

impl Delivery {
    /// Nothing leaves the machine.
    fn nowhere() -> Self {
        Self {
            mode: DeliveryMode::Capture,
            port: 25,
            retry_schedule_ms: default_retry_schedule_ms(),
            allow_private_networks: true,
            connections_max: 500,
            connections_per_destination_max: None,
            sign: true,
            greylist_schedule_ms: [1, 2, 3, 5, 10, 15].map(|minutes| minutes * MINUTE_MS).into(),
            ip_choice: IpChoice::default(),
            sources: Vec::new(),
            helo_name: None,
        }
    }
}

impl Config {
    /// Whether every listener is on loopback.
    #[must_use]
    pub fn is_on_loopback(&self) -> bool {
        let lists = [
            &self.http.listen_tls,
            &self.acme.listen,
            &self.smtp.listen,
            &self.submission.listen,
            &self.submission.listen_tls,
        ];
        let mut all = lists.into_iter().flatten().chain([&self.http.listen]);
        all.all(|address| address.ip().to_canonical().is_loopback())
    }

    /// Whether the API is for this machine alone: `http.listen` and `base_url` are on loopback.
    #[must_use]
    pub fn http_is_on_loopback(&self) -> bool {
        let mut listeners = self.http.listen_tls.iter().chain([&self.http.listen]);
        listeners.all(|address| address.ip().to_canonical().is_loopback()) && urls::is_on_loopback(&self.base_url)
    }

    /// Whether this is the loopback profile: nothing leaves this machine, and nobody reaches it from elsewhere. What is
    /// convenient there and would be dangerous in public follows from it, as development routes do.
    #[must_use]
    pub fn is_loopback_profile(&self) -> bool {
        self.delivery.mode == DeliveryMode::Capture && self.is_on_loopback()
    }

    /// What the records of the workspaces' own domains say of this server.
    #[must_use]
    pub fn here(&self) -> Here {
        Here { host: self.smtp.hostname.clone(), ed25519: self.dkim.ed25519 == Ed25519::All }
    }
}

/// Backoff of temporary failures over five days: quick at first, for greylisting, then every few hours.
#[must_use]
pub fn default_retry_schedule_ms() -> Vec<i64> {
    let minutes = [1, 4, 10, 15, 30, 60, 120, 240, 480, 720];
    let first: Vec<i64> = minutes.iter().map(|m| m * 60_000).collect();
    let used: i64 = first.iter().sum();
    let rest = (5 * 24 * HOUR_MS - used) / (12 * HOUR_MS);
    first.into_iter().chain(std::iter::repeat_n(12 * HOUR_MS, usize::try_from(rest).unwrap_or(0))).collect()
}
