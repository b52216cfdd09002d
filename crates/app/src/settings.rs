//! The settings of the use cases, as plain structs: `App::config` holds them, and each feature reads its own.
//!
//! The server crate reads them from a file, the environment and the command line, and declares the keys with their
//! defaults (`docs/reference/configuration.md`). Listeners, databases and logging have no settings here.

mod delivery;
#[cfg(test)]
pub(crate) mod fixture;
pub mod http;
pub mod network;
pub mod problem;

pub use posthouse_domain::secret::SecretText;
use std::{net::SocketAddr, path::PathBuf};

use posthouse_domain::{Limit, MailBudgets, Plans, ServerDnsSettings};

pub use delivery::{DeliveryConfig, DeliveryMode, DkimConfig, Ed25519, Relay, SourceAddress};
pub use network::Network;
pub use problem::{ConfigError, ConfigProblem};

/// The settings of the use cases.
#[derive(Clone, Debug)]
pub struct AppConfig {
    /// `base_url`, without a trailing slash.
    pub base_url: String,
    /// Whether only this machine can connect, because every listener is on loopback.
    pub is_on_loopback: bool,
    /// `data_dir`: the directory of the instance key and the self-signed certificate.
    pub data_dir: PathBuf,
    /// `instance_key`: the key that seals stored secrets, in base64; `None` means a file in `data_dir`.
    pub instance_key: Option<SecretText>,
    /// `smtp.hostname`: the server's name in greetings, trace lines, DNS records and authentication results.
    pub hostname: String,
    /// `smtp.max_message_bytes`: the maximum size of a message, received or sent.
    pub message_bytes_max: u64,
    /// `smtp.tls_cert` and `smtp.tls_key`; `None` means a self-signed certificate in `data_dir`.
    pub tls: Option<TlsFiles>,
    /// `smtp.acme` and `acme.*`
    pub acme: AcmeConfig,
    /// Rules of the receive pipeline.
    pub inbound: InboundConfig,
    /// `mail.*`
    pub mail: MailConfig,
    /// `delivery.*`
    pub delivery: DeliveryConfig,
    /// `dkim.*`
    pub dkim: DkimConfig,
    /// `webhooks.*`
    pub webhooks: WebhookConfig,
    /// `mcp.*`
    pub mcp: McpConfig,
    /// `dns.nameservers`; empty means the system's.
    pub nameservers: Vec<SocketAddr>,
    /// `dns.blocklists`: zones to ask about this server's own addresses (RFC 5782).
    pub blocklists: Vec<String>,
    /// `signup.*`
    pub signup: SignupConfig,
    /// `agents.*`
    pub agents: AgentsConfig,
    /// `identity.issuer`, without a trailing slash; `None` means a path of `base_url`. Use [`AppConfig::issuer`].
    pub issuer: Option<String>,
    /// `identity.claims_namespace`, without a trailing slash; `None` means a path of the issuer. Use
    /// [`AppConfig::claims_namespace`].
    pub claims_namespace: Option<String>,
    /// `ai.*`
    pub ai: AiConfig,
    /// `files.*`
    pub files: FilesConfig,
    /// `plans.*`
    pub plans: Plans,
    /// `limits.*`
    pub limits: LimitsConfig,
    /// The options `--config` and `--data-dir` of this process, for commands that texts suggest. Begins with a space, or is
    /// empty.
    pub command_options: String,
    /// [`AppConfig::command_options`] with absolute paths, for texts that are read elsewhere.
    pub command_options_absolute: String,
}

impl AppConfig {
    /// Returns whether this is the loopback profile: capture mode, and no listener that other machines can reach. It
    /// enables development routes and other features that would be unsafe in public.
    #[must_use]
    pub fn is_loopback_profile(&self) -> bool {
        self.delivery.mode == DeliveryMode::Capture && self.is_on_loopback
    }

    /// Returns a command of the binary with the options of this process, so that it works on the same store.
    #[must_use]
    pub fn command(&self, arguments: &str) -> String {
        format!("posthouse {arguments}{}", self.command_options)
    }

    /// [`AppConfig::command`] for a reader who may be in any directory.
    #[must_use]
    pub fn command_anywhere(&self, arguments: &str) -> String {
        format!("posthouse {arguments}{}", self.command_options_absolute)
    }

    /// Returns the issuer of identity tokens and of signatures, without a trailing slash.
    #[must_use]
    pub fn issuer(&self) -> String {
        self.issuer.clone().unwrap_or_else(|| format!("{}/oidc", self.base_url))
    }

    /// Returns the prefix of this service's own claims in identity tokens, without a trailing slash.
    #[must_use]
    pub fn claims_namespace(&self) -> String {
        self.claims_namespace.clone().unwrap_or_else(|| format!("{}/claims", self.issuer()))
    }

    /// Returns this server's properties for the DNS records of custom domains.
    #[must_use]
    pub fn server_dns(&self) -> ServerDnsSettings {
        ServerDnsSettings { host: self.hostname.clone(), ed25519: self.dkim.ed25519 == Ed25519::All }
    }
}

/// `agents.*`: which parts of agent messaging are switched on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AgentsConfig {
    /// `agents.messaging`: signed messages between inboxes of this service.
    pub messaging: bool,
    /// `agents.directory`: cards, handles and the directory.
    pub directory: bool,
    /// `agents.agent_keys`: keys that agents hold.
    pub agent_keys: bool,
    /// `agents.public_directory`: public cards for everyone.
    pub public_directory: bool,
}

/// `signup.*`: self-signup.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SignupConfig {
    /// `signup.enabled`
    pub enabled: bool,
    /// `signup.difficulty`: the zero bits that a solution must produce.
    pub difficulty: u32,
    /// `signup.per_address_per_day`: self-signups from one client address per UTC day.
    pub per_address_per_day: Limit,
    /// `signup.terms_url`
    pub terms_url: Option<String>,
}

/// Rules of the receive pipeline. Submission, loopback and trusted clients are exempt from the checks of clients.
#[derive(Clone, Debug)]
pub struct InboundConfig {
    /// `smtp.reject_dmarc_fail`: reject mail that fails a domain's DMARC policy `p=reject` during the SMTP session.
    pub reject_dmarc_fail: bool,
    /// `smtp.dnsbl`: zones to ask about clients (RFC 5782); listed clients are rejected.
    pub dnsbl: Vec<String>,
    /// `smtp.dnsbl_timeout`, for all zones together.
    pub dnsbl_timeout_ms: i64,
    /// `smtp.greylisting`
    pub greylisting: bool,
    /// `smtp.greylisting_delay`: the least time before an unknown client's retry is accepted.
    pub greylisting_delay_ms: i64,
    /// `smtp.trusted_clients`: the operator's own networks.
    pub trusted_clients: Vec<Network>,
    /// `feedback.sources`: domains and addresses whose complaints count.
    pub feedback_sources: Vec<String>,
}

/// `limits.*`: budgets of the process and of each workspace or client address.
#[derive(Clone, Debug)]
pub struct LimitsConfig {
    // HTTP, streams and JSON.
    /// `limits.request_body_bytes`: request bodies in memory, of all workspaces.
    pub request_body_bytes: u64,
    /// `limits.request_body_bytes_per_workspace`: request bodies in memory, of one workspace.
    pub request_body_bytes_per_workspace: u64,
    /// `limits.response_bytes`: unread responses in memory, of all workspaces.
    pub response_bytes: u64,
    /// `limits.response_bytes_per_workspace`: unread responses in memory, of one workspace.
    pub response_bytes_per_workspace: u64,
    /// `limits.response_write_timeout`: longest time without progress while a response or a frame is written.
    pub response_write_timeout_ms: i64,
    /// `limits.json_values`: values of one JSON document that a client sends.
    pub json_values: usize,
    /// `limits.json_depth`: nesting of one JSON document that a client sends.
    pub json_depth: usize,
    /// `limits.page_bytes`: size of one page of a list.
    pub page_bytes: u64,
    /// `limits.unauthenticated_connections_per_address`
    pub unauthenticated_connections_per_address: Limit,
    /// `limits.stream_frames_per_minute`: frames that the client of one stream sends.
    pub stream_frames_per_minute: Limit,
    /// `limits.unknown_keys_per_minute`: unknown API keys and stream tokens that one client address sends.
    pub unknown_keys_per_minute: Limit,
    /// `limits.identity_tokens_per_agent`: identity tokens that one agent gets in a minute.
    pub identity_tokens_per_agent: Limit,
    /// `limits.identity_tokens_per_workspace`: identity tokens that the agents of one workspace get in a minute.
    pub identity_tokens_per_workspace: Limit,
    /// `limits.sign_ins_per_address`: sign-ins that browsers behind one client address begin in ten minutes.
    pub sign_ins_per_address: Limit,
    /// `limits.member_mails_*`, `limits.invited_mails_*` and `limits.stranger_mails_*`: mail of the service per UTC day.
    pub service_mails: MailBudgets,
    // Receiving by SMTP, and the store.
    /// `limits.smtp_content_bytes`: content in memory, for all sessions of a kind of listener.
    pub smtp_content_bytes: u64,
    /// `limits.smtp_content_bytes_per_client`, by default a tenth of the total.
    pub smtp_content_bytes_per_client: u64,
    /// `limits.smtp_content_bytes_per_second`: the rate that content must reach within a minute.
    pub smtp_content_bytes_per_second: u64,
    /// `limits.unknown_recipients_per_minute`: recipients without an inbox that one SMTP client names in a minute.
    pub unknown_recipients_per_minute: Limit,
    /// `limits.statement_time`: the time of one statement of a read.
    pub statement_ms: u64,
    /// `limits.reads_per_workspace`: reads of one workspace at once; `None` means a quarter of the readers.
    pub reads_per_workspace: Option<usize>,
}

/// A certificate chain and its key, in PEM.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TlsFiles {
    /// The chain.
    pub cert: PathBuf,
    /// The private key.
    pub key: PathBuf,
}

/// `smtp.acme` and `acme.*`: certificates of an authority (RFC 8555).
#[derive(Clone, Debug)]
pub struct AcmeConfig {
    /// `smtp.acme`: request and renew the certificate by ACME.
    pub enabled: bool,
    /// `acme.directory`: the URL of the certificate authority's directory (RFC 8555 §7.1.1).
    pub directory: String,
    /// `acme.root`: the root certificates to trust for the directory; `None` means the system's.
    pub root: Option<PathBuf>,
    /// `acme.email`: the contact address of the account.
    pub email: Option<String>,
    /// `acme.names`: the names of the certificate, in lower case.
    pub names: Vec<String>,
    /// `acme.eab_key_id` and `acme.eab_key`: external account binding (RFC 8555 §7.3.4).
    pub external_account: Option<ExternalAccount>,
}

/// `acme.eab_key_id` and `acme.eab_key`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExternalAccount {
    pub key_id: String,
    /// The key, in base64url.
    pub key: SecretText,
}

/// `mail.*`
#[derive(Clone, Debug)]
pub struct MailConfig {
    /// `mail.default_domain`
    pub default_domain: String,
    /// `mail.temporary_domain`
    pub temporary_domain: String,
    /// `mail.postmaster`: the address notified of mail to postmaster and abuse at these domains; `None` means the owner
    /// of the first workspace.
    pub postmaster: Option<String>,
    /// `mail.reserved_names`: further names of the operator.
    pub reserved_names: Vec<String>,
}

/// `webhooks.*`
#[derive(Clone, Debug)]
pub struct WebhookConfig {
    /// `webhooks.allow_private_networks`
    pub allow_private_networks: bool,
    /// `webhooks.allow_http`
    pub allow_http: bool,
    /// `webhooks.backoff_start`: the delay before the first retry; the others follow
    /// `docs/reference/webhooks.md#retries`.
    pub backoff_start_ms: i64,
    /// `webhooks.timeout`, for one attempt.
    pub timeout_ms: i64,
}

/// `mcp.*`
#[derive(Clone, Debug)]
pub struct McpConfig {
    /// `mcp.events.message_ids`: whether `webhook-id` of a delivery to an MCP client is the attempt's instead of the event's.
    pub events_message_ids: bool,
}

/// `files.*`
#[derive(Clone, Debug)]
pub struct FilesConfig {
    /// `files.extraction`: whether the text of attachments is read.
    pub extraction: bool,
    /// `files.concurrency`: files that this process reads at once.
    pub concurrency: usize,
    /// `files.ocr_command`: the command of Tesseract; without it, there is no OCR.
    pub ocr_command: PathBuf,
    /// `files.ocr_languages`: the languages that OCR reads, such as `eng+deu`.
    pub ocr_languages: String,
}

/// `ai.*`
#[derive(Clone, Debug)]
pub struct AiConfig {
    /// `ai.categoriser`
    pub categoriser: Categoriser,
    /// `ai.drafting` is `openai`.
    pub drafting: bool,
    /// `ai.base_url`, `ai.model` and `ai.api_key`; set if a setting above needs it.
    pub endpoint: Option<AiEndpoint>,
}

/// `ai.categoriser`
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Categoriser {
    /// The local model in the binary.
    Builtin,
    /// A server with the OpenAI chat-completions API.
    OpenAi,
    /// No categorizer.
    Off,
}

/// A server with the OpenAI chat-completions API.
#[derive(Clone, PartialEq, Eq)]
pub struct AiEndpoint {
    /// `ai.base_url`, without a trailing slash.
    pub base_url: String,
    /// `ai.model`
    pub model: String,
    /// `ai.api_key`; some local servers need none.
    pub api_key: Option<String>,
}

impl std::fmt::Debug for AiEndpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "AiEndpoint({} {})", self.base_url, self.model)
    }
}
