//! Settings for unit tests. The values are not the defaults of the configuration.

use std::path::PathBuf;

use posthouse_domain::{IpPreference, MailBudget, MailBudgets, PlanLimits, Plans};

use super::{
    AcmeConfig, AgentsConfig, AiConfig, AppConfig, Categoriser, DeliveryConfig, DeliveryMode, DkimConfig, Ed25519,
    FilesConfig, InboundConfig, LimitsConfig, MailConfig, McpConfig, SignupConfig, WebhookConfig,
};

/// Returns settings in capture mode, with all else switched off.
pub(crate) fn settings() -> AppConfig {
    AppConfig {
        base_url: "http://127.0.0.1:8080".to_owned(),
        is_on_loopback: true,
        data_dir: PathBuf::from("./data"),
        instance_key: None,
        hostname: "localhost".to_owned(),
        message_bytes_max: 1 << 20,
        tls: None,
        acme: AcmeConfig {
            enabled: false,
            directory: String::new(),
            root: None,
            email: None,
            names: Vec::new(),
            external_account: None,
        },
        inbound: InboundConfig {
            reject_dmarc_fail: false,
            dnsbl: Vec::new(),
            dnsbl_timeout_ms: 1_000,
            greylisting: false,
            greylisting_delay_ms: 1_000,
            trusted_clients: Vec::new(),
            feedback_sources: Vec::new(),
        },
        mail: MailConfig {
            default_domain: "agents.localhost".to_owned(),
            temporary_domain: "tmp.agents.localhost".to_owned(),
            postmaster: None,
            reserved_names: Vec::new(),
        },
        delivery: delivery(),
        dkim: DkimConfig { ed25519: Ed25519::Off },
        webhooks: WebhookConfig {
            allow_private_networks: true,
            allow_http: true,
            backoff_start_ms: 1_000,
            timeout_ms: 1_000,
        },
        mcp: McpConfig { events_message_ids: false },
        nameservers: Vec::new(),
        blocklists: Vec::new(),
        signup: SignupConfig { enabled: true, difficulty: 1, per_address_per_day: None, terms_url: None },
        agents: AgentsConfig { messaging: true, directory: true, agent_keys: true, public_directory: true },
        issuer: None,
        claims_namespace: None,
        ai: AiConfig { categoriser: Categoriser::Off, drafting: false, endpoint: None },
        files: FilesConfig {
            extraction: true,
            concurrency: 2,
            ocr_command: PathBuf::new(),
            ocr_languages: "eng".to_owned(),
        },
        plans: Plans { free: unlimited(), builder: unlimited(), team: unlimited() },
        limits: limits(),
        command_options: String::new(),
        command_options_absolute: String::new(),
    }
}

fn limits() -> LimitsConfig {
    LimitsConfig {
        request_body_bytes: 1 << 20,
        request_body_bytes_per_workspace: 1 << 20,
        response_bytes: 1 << 20,
        response_bytes_per_workspace: 1 << 20,
        response_write_timeout_ms: 1_000,
        json_values: 1_000,
        json_depth: 64,
        page_bytes: 1 << 20,
        unauthenticated_connections_per_address: None,
        stream_frames_per_minute: None,
        unknown_keys_per_minute: None,
        identity_tokens_per_agent: Some(60),
        identity_tokens_per_workspace: Some(600),
        sign_ins_per_address: Some(300),
        service_mails: MailBudgets {
            members: MailBudget::UNLIMITED,
            invited: MailBudget::UNLIMITED,
            strangers: MailBudget::UNLIMITED,
        },
        smtp_content_bytes: 1 << 30,
        smtp_content_bytes_per_client: 1 << 27,
        smtp_content_bytes_per_second: 1_024,
        unknown_recipients_per_minute: Some(60),
        statement_ms: 10_000,
        reads_per_workspace: None,
    }
}

fn unlimited() -> PlanLimits {
    PlanLimits {
        inboxes: None,
        identities: None,
        domains: None,
        api_keys: None,
        public_listings: None,
        knowledge_documents: None,
        ai_drafts_per_day: None,
        emails_per_month: None,
        daily_sends_per_inbox: None,
        daily_sends: None,
        sends_per_5_minutes: None,
        requests_per_minute: None,
        connections: None,
        streams: None,
        ai_checks_per_day: None,
        storage_bytes: None,
        extractions_per_month: None,
        structured_extractions_per_month: None,
    }
}

/// Returns delivery settings in capture mode, for up to 500 connections.
pub(crate) fn delivery() -> DeliveryConfig {
    DeliveryConfig {
        mode: DeliveryMode::Capture,
        port: 25,
        retry_schedule_ms: vec![60_000],
        allow_private_networks: true,
        connections_max: 500,
        connections_per_destination_max: None,
        sign: true,
        greylist_schedule_ms: vec![60_000],
        ip_choice: IpPreference::default(),
        sources: Vec::new(),
        helo_name: None,
    }
}
