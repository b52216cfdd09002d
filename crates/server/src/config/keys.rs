//! The table of keys: name, default, meaning and how the value is taken. Nothing else lists them.

use posthouse_domain::delivery::IpChoice;

use super::{
    Categoriser, Ed25519, SecretText,
    assemble::{Draft, Mode},
    given::Given,
    urls,
};

/// Largest message that can be configured, in bytes.
const MESSAGE_BYTES_MAX: u64 = 1 << 30;

/// One key of the configuration.
#[derive(Debug)]
pub struct Key {
    /// Dotted name.
    pub name: &'static str,
    /// The default as the reference shows it.
    pub default: &'static str,
    /// What it means.
    pub meaning: &'static str,
    /// Whether it can be read from a file by `NAME_file`, and is never shown.
    pub secret: bool,
    pub(super) set: fn(&mut Draft, &Given) -> Result<(), String>,
}

/// A table of keys, one in two or three lines: `secret` or `plain`, name, default, meaning, and how the value is taken.
macro_rules! keys {
    (@ plain) => { false };
    (@ secret) => { true };
    ($($secrecy:ident $name:expr, $default:literal, $meaning:literal, |$draft:ident, $given:ident| $set:expr;)*) => {
        &[$(Key {
            name: $name,
            default: $default,
            meaning: $meaning,
            secret: keys!(@ $secrecy),
            set: |$draft, $given| { $set; Ok(()) },
        }),*]
    };
}

macro_rules! plan_keys {
    ($($plan:ident $member:ident $default:literal $meaning:literal,)*) => {
        keys! { $(
            plain concat!("plans.", stringify!($plan), ".", stringify!($member)), $default, $meaning,
                |d, g| d.config.plans.$plan.$member = g.limit()?;
        )* }
    };
}

/// Every key, in the order of the reference, without those of the plans.
const MAIN: &[Key] = keys! {
    plain "base_url", "`http://` and `http.listen`", "Public address of the API and dashboard.",
        |d, g| {
            d.config.base_url = urls::http(&g.text()?)?;
            d.config.base_url_follows_listener = false;
        };
    plain "data_dir", "`./data`", "Embedded database, blobs, keys and certificates.",
        |d, g| d.config.data_dir = g.path()?;
    secret "database_url", "`sqlite:` in `data_dir`",
        "`sqlite:PATH` or `postgres://user:password@host/name?sslmode=…` (`disable`, `prefer`, `require`, `verify-full`).",
        |d, g| {
            let text = g.text()?;
            text.parse::<posthouse_store::DatabaseUrl>().map_err(|error| {
                error.to_string().trim_start_matches("database_url").trim_start_matches(": ").trim().to_owned()
            })?;
            d.config.database_url = Some(text);
        };
    plain "blob_url", "in `data_dir`",
        "`s3://bucket/prefix` (endpoint and credentials by the usual AWS variables) or `file:///path`.",
        |d, g| d.config.blob_url = Some(urls::blobs(&g.text()?)?);
    secret "instance_key", "the file `instance.key` in `data_dir`",
        "What stored secrets are sealed with: 32 bytes in base64 (`openssl rand -base64 32`).",
        |d, g| d.config.instance_key = Some(SecretText(g.instance_key()?));
    plain "http.listen", "`127.0.0.1:8080`", "Address and port of the API.",
        |d, g| d.config.http.listen = g.socket()?;
    plain "http.listen_tls", "`[]`",
        "Addresses and ports of the API over HTTPS, with the certificate of `smtp.tls_cert` or `smtp.acme`.",
        |d, g| d.config.http.listen_tls = g.sockets()?;
    plain "http.redirect_to_https", "`false`",
        "`http.listen` only leads to `base_url`, which must be https; health, metrics and ACME challenges are still answered there.",
        |d, g| d.config.http.redirect_to_https = g.flag()?;
    plain "http.allowed_hosts", "`[]`",
        "Further names under which the service answers, without a port. The host of `base_url`, `localhost`, names below it and IP addresses always count; any other gets 421.",
        |d, g| d.config.http.allowed_hosts = g.hosts()?;
    plain "http.trusted_proxies", "`[]`",
        "Networks of proxies whose `Forwarded` and `X-Forwarded-For` fields are believed. A client's address is the rightmost that is not in them.",
        |d, g| d.config.http.trusted_proxies = g.networks()?;
    secret "http.metrics_token", "none", "Bearer token that may read `/metrics`. Without it, only where `http.listen`, `base_url` and the client are on loopback.",
        |d, g| d.config.http.metrics_token = Some(g.text()?);
    plain "smtp.listen", "`[\"127.0.0.1:2525\"]`", "Addresses and ports of the mail exchanger.",
        |d, g| d.config.smtp.listen = g.sockets()?;
    plain "smtp.hostname", "the host of `base_url`, or `localhost`",
        "Our name in greetings, trace lines and authentication results.",
        |d, g| d.hostname = Some(g.domain()?);
    plain "smtp.max_message_bytes", "`26214400`", "Largest whole message, received or sent.",
        |d, g| d.config.smtp.message_bytes_max = g.bytes(1_024, MESSAGE_BYTES_MAX)?;
    plain "smtp.tls_cert", "a self-signed one in `data_dir`", "Certificate chain in PEM; needs `smtp.tls_key`.",
        |d, g| d.tls_cert = Some(g.path()?);
    plain "smtp.tls_key", "", "Private key in PEM; needs `smtp.tls_cert`.",
        |d, g| d.tls_key = Some(g.path()?);
    plain "smtp.acme", "`false`",
        "Get the certificate from a certificate authority by ACME and renew it; you agree to the authority's terms.",
        |d, g| d.config.smtp.acme = g.flag()?;
    plain "acme.directory", "`letsencrypt`",
        "`letsencrypt`, `letsencrypt-staging`, or the URL of another authority's directory.",
        |d, g| d.config.acme.directory = urls::acme_directory(&g.text()?)?;
    plain "acme.names", "`smtp.hostname`, and with `http.listen_tls` the host of `base_url`",
        "The names of the certificate. Each must lead to this service on port 80.",
        |d, g| d.config.acme.names = g.domains()?;
    plain "acme.email", "none", "Where the authority writes to when something is wrong.",
        |d, g| {
            let text = g.text()?;
            posthouse_mail::address::Address::parse(&text).map_err(|_| "must be an email address".to_owned())?;
            d.config.acme.email = Some(text);
        };
    plain "acme.listen", "`[]`",
        "Addresses that answer challenges and nothing else, such as `[\"0.0.0.0:80\"]`, where `http.listen` cannot be reached on port 80.",
        |d, g| d.config.acme.listen = g.sockets()?;
    plain "acme.root", "the machine's authorities",
        "PEM file of the authorities that may vouch for the directory itself, for one of your own.",
        |d, g| d.config.acme.root = Some(g.path()?);
    plain "acme.eab_key_id", "none",
        "The name of the key by which the authority knows its customer; needs `acme.eab_key`.",
        |d, g| d.eab_key_id = Some(g.text()?);
    secret "acme.eab_key", "none", "That key, in base64url.",
        |d, g| d.eab_key = Some(g.text()?);
    plain "smtp.proxy_protocol_from", "`[]`",
        "Networks whose connections begin with a PROXY protocol header (v1 or v2).",
        |d, g| d.config.smtp.proxy_protocol_from = g.networks()?;
    plain "smtp.max_connections", "`1000`", "Connections of all SMTP clients together.",
        |d, g| d.config.smtp.connections_max = g.count()?;
    plain "smtp.max_connections_per_client", "`200`", "Connections of one SMTP client.",
        |d, g| d.config.smtp.connections_per_client_max = g.count()?;
    plain "smtp.idle_timeout", "`5m`", "An SMTP client that says nothing for so long is told 421.",
        |d, g| d.config.smtp.idle_timeout_ms = g.duration_ms()?;
    plain "smtp.reject_dmarc_fail", "`false`", "Refuse mail in the dialogue whose domain owner says `p=reject`.",
        |d, g| d.config.smtp.reject_dmarc_fail = g.flag()?;
    plain "smtp.dnsbl", "`[]`",
        "DNS blocklists, such as `[\"zen.spamhaus.org\"]`: mail of clients that are on one is refused at `RCPT TO`.",
        |d, g| d.config.smtp.policy.dnsbl = g.domains()?;
    plain "smtp.dnsbl_timeout", "`2s`",
        "Time limit of all blocklists together; who has not answered by then lists nobody.",
        |d, g| d.config.smtp.policy.dnsbl_timeout_ms = g.duration_ms()?;
    plain "smtp.greylisting", "`false`", "Tell unknown clients to come back later.",
        |d, g| d.config.smtp.policy.greylisting = g.flag()?;
    plain "smtp.greylisting_delay", "`1m`", "How long an unknown client has to stay away.",
        |d, g| d.config.smtp.policy.greylisting_delay_ms = g.duration_ms()?;
    plain "smtp.max_connections_per_client_per_minute", "`\"unlimited\"`",
        "New connections of one SMTP client in a minute.",
        |d, g| d.config.smtp.policy.connections_per_minute = g.limit()?;
    plain "smtp.max_messages_per_client_per_minute", "`\"unlimited\"`",
        "Messages that one SMTP client begins in a minute.",
        |d, g| d.config.smtp.policy.messages_per_minute = g.limit()?;
    plain "smtp.max_recipients_per_client_per_minute", "`\"unlimited\"`",
        "Recipients that one SMTP client names in a minute.",
        |d, g| d.config.smtp.policy.recipients_per_minute = g.limit()?;
    plain "smtp.trusted_clients", "`[]`",
        "Networks that blocklists, greylisting and the limits by the minute do not concern; nor do they ever concern this machine.",
        |d, g| d.config.smtp.policy.trusted_clients = g.networks()?;
    plain "submission.listen", "`[\"127.0.0.1:2587\"]`", "Submission with STARTTLS and AUTH.",
        |d, g| d.config.submission.listen = g.sockets()?;
    plain "submission.listen_tls", "`[]`", "Submission with TLS from the first byte.",
        |d, g| d.config.submission.listen_tls = g.sockets()?;
    plain "submission.proxy_protocol_from", "`[]`",
        "Networks whose connections to submission begin with a PROXY protocol header (v1 or v2).",
        |d, g| d.config.submission.proxy_protocol_from = g.networks()?;
    plain "mail.default_domain", "`agents.localhost`", "The shared domain of inboxes.",
        |d, g| d.config.mail.default_domain = g.domain()?;
    plain "mail.temporary_domain", "`tmp.agents.localhost`, else `tmp.` and the default domain",
        "The domain of temporary inboxes.",
        |d, g| d.temporary_domain = Some(g.domain()?);
    plain "mail.postmaster", "the owner of the first workspace",
        "Address of the person who is told of mail to postmaster and abuse at the default domain.",
        |d, g| d.config.mail.postmaster = Some(g.mailbox()?);
    plain "delivery.mode", "`capture` while every listener is on loopback, else required",
        "`direct` (to mail exchangers), `relay` (by `delivery.relay_url`) or `capture` (nothing leaves this machine).",
        |d, g| d.mode = Some(g.one_of(&[("direct", Mode::Direct), ("relay", Mode::Relay), ("capture", Mode::Capture)])?);
    secret "delivery.relay_url", "", "`smtp://user:password@host:port`; `smtps://` for TLS from the first byte.",
        |d, g| d.relay = Some(urls::relay(&g.text()?)?);
    plain "delivery.sign", "`true`", "Sign mail that leaves with DKIM. `false` where the relay does it.",
        |d, g| d.config.delivery.sign = g.flag()?;
    plain "delivery.port", "`25`", "Port of remote mail exchangers.",
        |d, g| d.config.delivery.port = g.port()?;
    plain "delivery.retry_schedule", "over five days, from 1 minute to 12 hours",
        "The gap before each attempt after the first.",
        |d, g| d.config.delivery.retry_schedule_ms = g.durations_ms()?;
    plain "delivery.allow_private_networks", "`false` (`true` in the loopback profile)",
        "Mail may go to loopback, private, link-local and other special addresses.",
        |d, g| d.mail_to_private_networks = Some(g.flag()?);
    plain "delivery.max_connections", "`500`", "Connections to all destinations together.",
        |d, g| d.config.delivery.connections_max = g.count()?;
    plain "delivery.max_connections_per_destination", "`10`, less or more for large providers, `20` to a relay",
        "Connections to one destination. A number that is given holds for the large providers too.",
        |d, g| d.config.delivery.connections_per_destination_max = Some(g.count()?);
    plain "delivery.greylist_schedule", "`[\"1m\", \"2m\", \"3m\", \"5m\", \"10m\", \"15m\"]`",
        "The gaps while a server greylists; never longer than those of `delivery.retry_schedule`, which follow.",
        |d, g| d.config.delivery.greylist_schedule_ms = g.durations_ms()?;
    plain "delivery.ip_preference", "`ipv4`",
        "`ipv4` or `ipv6` is tried first, the other one after it; `ipv4_only` or `ipv6_only`: the other one never.",
        |d, g| d.config.delivery.ip_choice = g.one_of(&[
            ("ipv4", IpChoice::PreferV4), ("ipv6", IpChoice::PreferV6),
            ("ipv4_only", IpChoice::OnlyV4), ("ipv6_only", IpChoice::OnlyV6),
        ])?;
    plain "delivery.source_addresses", "`[]`: the system picks",
        "Addresses of this machine that mail leaves from, each with a name for EHLO where it has one of its own: `[\"192.0.2.7\", \"192.0.2.8 out8.example.com\"]`. A kind (IPv4, IPv6) without one is not used.",
        |d, g| d.config.delivery.sources = g.sources()?;
    plain "delivery.helo_name", "`smtp.hostname`",
        "The name for EHLO to other servers; the PTR record of the address should say the same.",
        |d, g| d.config.delivery.helo_name = Some(g.domain()?);
    plain "dkim.ed25519", "`default_domain`",
        "Which mail is signed with Ed25519 beside RSA: that of the `default_domain`; `all`, also that of workspaces' own domains, each with a record more; or `off`.",
        |d, g| d.config.dkim.ed25519 = g.one_of(&[
            ("default_domain", Ed25519::DefaultDomain), ("all", Ed25519::All), ("off", Ed25519::Off),
        ])?;
    plain "webhooks.allow_private_networks", "`false` (`true` in the loopback profile)",
        "Webhooks may go to loopback, private, link-local and other special addresses.",
        |d, g| d.webhooks_to_private_networks = Some(g.flag()?);
    plain "webhooks.allow_http", "`false` (`true` in the loopback profile)", "Webhooks may go to `http:` URLs.",
        |d, g| d.webhooks_to_http = Some(g.flag()?);
    plain "webhooks.backoff_start", "`680s`", "First gap between attempts; each other is 1.778 times the one before.",
        |d, g| d.config.webhooks.backoff_start_ms = g.duration_ms()?;
    plain "webhooks.timeout", "`10s`", "Time limit of one attempt.",
        |d, g| d.config.webhooks.timeout_ms = g.duration_ms()?;
    plain "feedback.sources", "the feedback loops of Yahoo, Microsoft, Validity, Comcast, Fastmail, Zoho, Synacor, Cox, OpenSRS, Rackspace and BlueTie",
        "Domains (with those below them) and addresses whose complaints (RFC 5965) count when DKIM proves them; a recipient's own domain always may complain. A value replaces the default list.",
        |d, g| d.config.feedback_sources = g.feedback_sources()?;
    plain "dns.nameservers", "the system's", "Name servers, such as `[\"127.0.0.1:5300\"]`.",
        |d, g| d.config.nameservers = g.nameservers()?;
    plain "dns.blocklists", "`[\"zen.spamhaus.org\", \"bl.spamcop.net\", \"b.barracudacentral.org\"]`",
        "DNS blocklists that are asked about our own address, for deliverability; `[]` asks none.",
        |d, g| d.config.blocklists = g.domains()?;
    plain "ai.categoriser", "`builtin`",
        "`builtin` (a local model in the binary), `openai` (a server with that chat-completions API) or `off`.",
        |d, g| d.config.ai.categoriser = g.one_of(&[
            ("builtin", Categoriser::Builtin), ("openai", Categoriser::OpenAi), ("off", Categoriser::Off),
        ])?;
    plain "ai.drafting", "`off`", "`openai` or `off`.",
        |d, g| d.config.ai.drafting = g.one_of(&[("openai", true), ("off", false)])?;
    plain "ai.base_url", "", "The server for `openai`, such as `https://api.example.com/v1`.",
        |d, g| d.ai_base_url = Some(urls::http(&g.text()?)?);
    plain "ai.model", "", "The model's name for `openai`.",
        |d, g| d.ai_model = Some(g.text()?);
    secret "ai.api_key", "none", "The key for `openai`.",
        |d, g| d.ai_api_key = Some(g.text()?);
    plain "log.format", "`text`", "`text` for people, `json` for machines.",
        |d, g| d.config.log.json = g.one_of(&[("text", false), ("json", true)])?;
    plain "log.level", "`info`", "`off`, `error`, `warn`, `info`, `debug` or `trace`.",
        |d, g| {
            let level = |name| (name, name);
            d.config.log.level = g.one_of(&["off", "error", "warn", "info", "debug", "trace"].map(level))?.to_owned();
        };
};

/// The limits of the plans (decisions 6 and 29).
const PLANS: &[Key] = plan_keys! {
    free inboxes "`3`" "Inboxes that are not temporary.",
    free domains "`1`" "Custom domains.",
    free emails_per_month "`3000`" "Messages sent in a calendar month (UTC).",
    free daily_sends_per_inbox "`100`" "Messages sent by one inbox in a day (UTC).",
    free daily_sends "`500`" "Messages sent by a workspace in a day (UTC).",
    free sends_per_5_minutes "`20`" "Messages sent by a workspace in five minutes.",
    free requests_per_minute "`120`" "API requests of one key in a minute.",
    builder inboxes "`100`" "Inboxes that are not temporary.",
    builder domains "`10`" "Custom domains.",
    builder emails_per_month "`50000`" "Messages sent in a calendar month (UTC).",
    builder daily_sends_per_inbox "`1000`" "Messages sent by one inbox in a day (UTC).",
    builder daily_sends "`5000`" "Messages sent by a workspace in a day (UTC).",
    builder sends_per_5_minutes "`200`" "Messages sent by a workspace in five minutes.",
    builder requests_per_minute "`600`" "API requests of one key in a minute.",
    team inboxes "`\"unlimited\"`" "Inboxes that are not temporary.",
    team domains "`50`" "Custom domains.",
    team emails_per_month "`500000`" "Messages sent in a calendar month (UTC).",
    team daily_sends_per_inbox "`5000`" "Messages sent by one inbox in a day (UTC).",
    team daily_sends "`50000`" "Messages sent by a workspace in a day (UTC).",
    team sends_per_5_minutes "`2000`" "Messages sent by a workspace in five minutes.",
    team requests_per_minute "`3000`" "API requests of one key in a minute.",
};

/// Every key, in the order of the reference.
pub fn keys() -> impl Iterator<Item = &'static Key> + Clone {
    MAIN.iter().chain(PLANS)
}

/// The body of `docs/CONFIGURATION.md`: one line a key.
#[must_use]
pub fn reference() -> String {
    let mut lines = vec!["| Key | Default | Meaning |".to_owned(), "|---|---|---|".to_owned()];
    lines.extend(keys().map(|key| {
        let secret = if key.secret { " Secret: can be read from a file." } else { "" };
        format!("| `{}` | {} | {}{secret} |", key.name, key.default, key.meaning)
    }));
    lines.join("\n") + "\n"
}
