//! Builds the configuration from the values of the keys, and checks keys that depend on each other.

use std::net::SocketAddr;

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use posthouse_app::settings::http::{CONNECTIONS_MAX, HttpConfig};
use posthouse_app::settings::{
    AcmeConfig, AgentsConfig, AiConfig, AiEndpoint, AppConfig, Categoriser, DeliveryConfig, DeliveryMode, DkimConfig,
    ExternalAccount, FilesConfig, InboundConfig, LimitsConfig, MailConfig, McpConfig, SignupConfig, TlsFiles,
    WebhookConfig, problem::ConfigProblem,
};
use posthouse_domain::signup::DIFFICULTY_MAX;
use posthouse_mail::address::Address;

use super::{
    configuration::{BlobOptions, Configuration, ListenConfig, LogConfig, SmtpConfig},
    keys::{
        agents,
        delivery::{self, DeliveryModeName},
        general, http, limits, plans, services, signup, smtp,
    },
    lookup::KeyValues,
    urls,
};

/// Maximum number of names of one certificate, the limit of Let's Encrypt.
const ACME_NAMES_MAX: usize = 100;
/// Name of the server if neither `smtp.hostname` nor `base_url` has one.
const LOCALHOST: &str = "localhost";

/// Builds the configuration. Records conflicts between keys in `problems`; problems of single keys are in `values`.
pub(super) fn assemble(values: &mut KeyValues, problems: &mut Vec<ConfigProblem>) -> Configuration {
    let listen = listeners(values);
    let base_url = values.find(&general::BASE_URL);
    let mut config = Configuration {
        http: HttpConfig {
            allowed_hosts: values.get(&http::ALLOWED_HOSTS),
            allowed_origins: values.get(&http::ALLOWED_ORIGINS),
            trusted_proxies: values.get(&http::TRUSTED_PROXIES),
            metrics_token: values.find(&http::METRICS_TOKEN),
            connections_max: CONNECTIONS_MAX,
            is_on_loopback: false,
        },
        smtp: smtp(values),
        clock_ahead_ms: 0,
        base_url_follows_listener: base_url.is_none(),
        database_url: values.find(&general::DATABASE_URL),
        blob_url: values.find(&general::BLOB_URL),
        blob_options: BlobOptions::default(),
        log: LogConfig { json: values.get(&general::LOG_JSON), level: values.get(&general::LOG_LEVEL).to_owned() },
        set_keys: values.set_keys(),
        app: app(values, base_url.unwrap_or_else(|| Configuration::base_url_of(listen.http)), problems),
        listen,
    };
    config.apply_listeners();
    set_mode(values, &mut config, problems);
    set_permissions(values, &mut config);
    set_acme_names(&mut config, problems);
    check_listeners(&config, problems);
    config
}

fn listeners(values: &mut KeyValues) -> ListenConfig {
    ListenConfig {
        http: values.get(&http::LISTEN),
        http_tls: values.get(&http::LISTEN_TLS),
        redirect_to_https: values.get(&http::REDIRECT_TO_HTTPS),
        acme: values.get(&http::ACME_LISTEN),
        smtp: values.get(&smtp::LISTEN),
        submission: values.get(&smtp::SUBMISSION_LISTEN),
        submission_tls: values.get(&smtp::SUBMISSION_LISTEN_TLS),
    }
}

fn smtp(values: &mut KeyValues) -> SmtpConfig {
    SmtpConfig {
        proxy_protocol_from: values.get(&smtp::PROXY_PROTOCOL_FROM),
        submission_proxy_protocol_from: values.get(&smtp::SUBMISSION_PROXY_PROTOCOL_FROM),
        connections_max: values.get(&smtp::MAX_CONNECTIONS),
        connections_per_client_max: values.get(&smtp::MAX_CONNECTIONS_PER_CLIENT),
        first_command_timeout_ms: values.get(&smtp::FIRST_COMMAND_TIMEOUT),
        idle_timeout_ms: values.get(&smtp::IDLE_TIMEOUT),
        connections_per_minute: values.get(&smtp::MAX_CONNECTIONS_PER_CLIENT_PER_MINUTE),
        messages_per_minute: values.get(&smtp::MAX_MESSAGES_PER_CLIENT_PER_MINUTE),
        recipients_per_minute: values.get(&smtp::MAX_RECIPIENTS_PER_CLIENT_PER_MINUTE),
    }
}

fn app(values: &mut KeyValues, base_url: String, problems: &mut Vec<ConfigProblem>) -> AppConfig {
    let hostname = values.find(&smtp::HOSTNAME).or_else(|| urls::host_name(&base_url));
    let message_bytes_max = values.get(&smtp::MAX_MESSAGE_BYTES);
    AppConfig {
        base_url,
        is_on_loopback: false,
        data_dir: values.get(&general::DATA_DIR),
        instance_key: values.find(&general::INSTANCE_KEY),
        hostname: hostname.unwrap_or_else(|| LOCALHOST.to_owned()),
        message_bytes_max,
        tls: tls(values, problems),
        acme: acme(values, problems),
        inbound: InboundConfig {
            reject_dmarc_fail: values.get(&smtp::REJECT_DMARC_FAIL),
            dnsbl: values.get(&smtp::DNSBL),
            dnsbl_timeout_ms: values.get(&smtp::DNSBL_TIMEOUT),
            greylisting: values.get(&smtp::GREYLISTING),
            greylisting_delay_ms: values.get(&smtp::GREYLISTING_DELAY),
            trusted_clients: values.get(&smtp::TRUSTED_CLIENTS),
            feedback_sources: values.get(&services::FEEDBACK),
        },
        mail: mail(values, problems),
        delivery: DeliveryConfig {
            mode: DeliveryMode::Capture,
            port: values.get(&delivery::PORT),
            retry_schedule_ms: values.get(&delivery::RETRY_SCHEDULE),
            allow_private_networks: false,
            connections_max: values.get(&delivery::MAX_CONNECTIONS),
            connections_per_destination_max: values.find(&delivery::MAX_CONNECTIONS_PER_DESTINATION),
            sign: values.get(&delivery::SIGN),
            greylist_schedule_ms: values.get(&delivery::GREYLIST_SCHEDULE),
            ip_choice: values.get(&delivery::IP_PREFERENCE),
            sources: values.get(&delivery::SOURCE_ADDRESSES),
            helo_name: values.find(&delivery::HELO_NAME),
        },
        dkim: DkimConfig { ed25519: values.get(&delivery::DKIM_ED25519) },
        webhooks: WebhookConfig {
            allow_private_networks: false,
            allow_http: false,
            backoff_start_ms: values.get(&services::WEBHOOKS_BACKOFF_START),
            timeout_ms: values.get(&services::WEBHOOKS_TIMEOUT),
        },
        mcp: McpConfig { events_message_ids: values.get(&services::MCP_EVENTS_MESSAGE_IDS) },
        nameservers: values.find(&services::NAMESERVERS).unwrap_or_default(),
        blocklists: values.get(&services::BLOCKLISTS),
        command_options: String::new(),
        command_options_absolute: String::new(),
        signup: SignupConfig {
            enabled: false,
            difficulty: u32::try_from(values.get(&signup::DIFFICULTY)).unwrap_or(DIFFICULTY_MAX),
            per_address_per_day: values.get(&signup::PER_ADDRESS_PER_DAY),
            terms_url: values.find(&signup::TERMS_URL),
        },
        agents: AgentsConfig {
            messaging: values.get(&agents::MESSAGING),
            directory: values.get(&agents::DIRECTORY),
            agent_keys: values.get(&agents::AGENT_KEYS),
            public_directory: false,
        },
        issuer: values.find(&agents::ISSUER),
        claims_namespace: values.find(&agents::CLAIMS_NAMESPACE),
        ai: ai(values, problems),
        files: files(values),
        plans: plans::limits(values),
        limits: limits(values, message_bytes_max, problems),
    }
}

fn limits(values: &mut KeyValues, message_bytes_max: u64, problems: &mut Vec<ConfigProblem>) -> LimitsConfig {
    let limits = limits::limits(values, message_bytes_max);
    for (key, bytes) in [
        ("limits.smtp_content_bytes", limits.smtp_content_bytes),
        ("limits.smtp_content_bytes_per_client", limits.smtp_content_bytes_per_client),
    ] {
        if bytes < message_bytes_max {
            add(problems, key, "must be at least smtp.max_message_bytes");
        }
    }
    limits
}

fn tls(values: &mut KeyValues, problems: &mut Vec<ConfigProblem>) -> Option<TlsFiles> {
    match (values.find(&smtp::TLS_CERT), values.find(&smtp::TLS_KEY)) {
        (Some(cert), Some(key)) => return Some(TlsFiles { cert, key }),
        (Some(_), None) => add(problems, "smtp.tls_key", "is required with smtp.tls_cert"),
        (None, Some(_)) => add(problems, "smtp.tls_cert", "is required with smtp.tls_key"),
        (None, None) => {}
    }
    None
}

fn acme(values: &mut KeyValues, problems: &mut Vec<ConfigProblem>) -> AcmeConfig {
    let external_account = match (values.find(&http::ACME_EAB_KEY_ID), values.find(&http::ACME_EAB_KEY)) {
        (Some(key_id), Some(key)) => {
            let is_key = URL_SAFE_NO_PAD.decode(key.0.trim_end_matches('=')).is_ok_and(|bytes| !bytes.is_empty());
            if !is_key {
                add(problems, "acme.eab_key", "must be base64url, as the authority shows it");
            }
            Some(ExternalAccount { key_id, key })
        }
        (Some(_), None) => {
            add(problems, "acme.eab_key", "is required with acme.eab_key_id");
            None
        }
        (None, Some(_)) => {
            add(problems, "acme.eab_key_id", "is required with acme.eab_key");
            None
        }
        (None, None) => None,
    };
    AcmeConfig {
        enabled: values.get(&smtp::ACME),
        directory: values.get(&http::ACME_DIRECTORY),
        root: values.find(&http::ACME_ROOT),
        email: values.find(&http::ACME_EMAIL),
        names: values.find(&http::ACME_NAMES).unwrap_or_default(),
        external_account,
    }
}

fn mail(values: &mut KeyValues, problems: &mut Vec<ConfigProblem>) -> MailConfig {
    let default_domain = values.get(&general::MAIL_DEFAULT_DOMAIN);
    let temporary_domain = values.find(&general::MAIL_TEMPORARY_DOMAIN);
    let temporary_domain = temporary_domain.unwrap_or_else(|| format!("tmp.{default_domain}"));
    if temporary_domain == default_domain {
        add(problems, "mail.temporary_domain", "must differ from mail.default_domain");
    }
    if Address::parse(&format!("postmaster@{temporary_domain}")).is_err() {
        add(
            problems,
            "mail.temporary_domain",
            "is required, because 'tmp.' followed by mail.default_domain is not a valid domain name",
        );
    }
    MailConfig {
        default_domain,
        temporary_domain,
        postmaster: values.find(&general::MAIL_POSTMASTER),
        reserved_names: values.get(&general::MAIL_RESERVED_NAMES),
    }
}

fn files(values: &mut KeyValues) -> FilesConfig {
    FilesConfig {
        extraction: values.get(&services::FILES_EXTRACTION),
        concurrency: values.get(&services::FILES_CONCURRENCY),
        ocr_command: values.get(&services::FILES_OCR_COMMAND),
        ocr_languages: values.get(&services::FILES_OCR_LANGUAGES),
    }
}

fn ai(values: &mut KeyValues, problems: &mut Vec<ConfigProblem>) -> AiConfig {
    let (categoriser, drafting) = (values.get(&services::CATEGORISER), values.get(&services::DRAFTING));
    let api_key = values.find(&services::AI_API_KEY);
    let endpoint = match (values.find(&services::AI_BASE_URL), values.find(&services::AI_MODEL)) {
        (Some(base_url), Some(model)) => Some(AiEndpoint { base_url, model, api_key: api_key.map(|key| key.0) }),
        (base_url, model) => {
            let is_needed = categoriser == Categoriser::OpenAi || drafting;
            for (name, is_set) in [("ai.base_url", base_url.is_some()), ("ai.model", model.is_some())] {
                if is_needed && !is_set {
                    add(problems, name, "is required with \"openai\"");
                }
            }
            None
        }
    };
    AiConfig { categoriser, drafting, endpoint }
}

/// Sets the delivery mode. Without a value it depends on the listeners.
fn set_mode(values: &mut KeyValues, config: &mut Configuration, problems: &mut Vec<ConfigProblem>) {
    let mode = values.find(&delivery::MODE);
    let mode = mode.or_else(|| config.is_on_loopback.then_some(DeliveryModeName::Capture));
    config.delivery.mode = match (mode, values.find(&delivery::RELAY_URL)) {
        (Some(DeliveryModeName::Relay), Some(relay)) => DeliveryMode::Relay(relay),
        (Some(DeliveryModeName::Relay), None) => {
            return add(problems, "delivery.relay_url", "is required with delivery.mode = \"relay\"");
        }
        (Some(_), Some(_)) => {
            return add(problems, "delivery.relay_url", "requires delivery.mode = \"relay\"");
        }
        (Some(DeliveryModeName::Direct), None) => DeliveryMode::Direct,
        (Some(DeliveryModeName::Capture), None) => DeliveryMode::Capture,
        (None, _) => {
            let text = "is required unless every listener is on loopback: \"direct\" (to mail exchangers), \"relay\" \
                (through delivery.relay_url) or \"capture\" (nothing leaves this machine)";
            return add(problems, "delivery.mode", text);
        }
    };
}

/// Sets the permissions, which the loopback profile grants by default. The mode must be set before.
fn set_permissions(values: &mut KeyValues, config: &mut Configuration) {
    let default = config.is_loopback_profile();
    config.delivery.allow_private_networks = values.find(&delivery::ALLOW_PRIVATE_NETWORKS).unwrap_or(default);
    let webhooks = &mut config.app.webhooks;
    webhooks.allow_private_networks = values.find(&services::WEBHOOKS_ALLOW_PRIVATE_NETWORKS).unwrap_or(default);
    webhooks.allow_http = values.find(&services::WEBHOOKS_ALLOW_HTTP).unwrap_or(default);
    config.app.signup.enabled = values.find(&signup::ENABLED).unwrap_or(default);
    config.app.agents.public_directory = values.find(&agents::PUBLIC_DIRECTORY).unwrap_or(default);
}

/// Sets the names of the ACME certificate, by default those of the service.
fn set_acme_names(config: &mut Configuration, problems: &mut Vec<ConfigProblem>) {
    if !config.acme.enabled {
        return;
    }
    if config.tls.is_some() {
        return add(problems, "smtp.acme", "must be false if smtp.tls_cert is set");
    }
    if config.acme.names.is_empty() {
        let hostname = config.hostname.clone();
        let https = (!config.listen.http_tls.is_empty()).then(|| urls::host_name(&config.base_url)).flatten();
        let https = https.filter(|host| *host != hostname);
        config.acme.names = [Some(hostname), https].into_iter().flatten().collect();
    }
    config.acme.names.iter_mut().for_each(|name| name.make_ascii_lowercase());
    if let Some(name) = config.acme.names.iter().find(|name| !name.contains('.')) {
        let text = format!("'{name}' is not a public name; set smtp.hostname or acme.names");
        add(problems, "smtp.acme", &text);
    }
    if config.acme.names.len() > ACME_NAMES_MAX {
        add(problems, "acme.names", &format!("must have at most {ACME_NAMES_MAX} names"));
    }
}

fn check_listeners(config: &Configuration, problems: &mut Vec<ConfigProblem>) {
    let listen = &config.listen;
    if listen.redirect_to_https && !config.base_url.starts_with("https://") {
        add(problems, "base_url", "must be https with http.redirect_to_https");
    }
    let is_taken = |address: &SocketAddr| address.port() != 0 && *address == listen.http;
    for (key, addresses) in
        [("http.listen_tls", &listen.http_tls), ("acme.listen", &listen.acme), ("smtp.listen", &listen.smtp)]
    {
        if addresses.iter().any(is_taken) {
            add(problems, key, "must differ from http.listen");
        }
    }
}

fn add(problems: &mut Vec<ConfigProblem>, key: &str, problem: &str) {
    problems.push(ConfigProblem { key: key.to_owned(), value: None, problem: problem.to_owned() });
}
