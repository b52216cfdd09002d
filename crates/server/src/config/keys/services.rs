//! Keys of `webhooks`, `feedback`, `dns` and `ai`.

use std::{net::SocketAddr, path::PathBuf};

use posthouse_app::settings::{Categoriser, SecretText};

use crate::config::{
    key::{ConfigKey, DefaultValue, Key, keys, list, value},
    types::{
        Count, Domain, DomainOrAddress, DurationMs, FilePath, Flag, HttpUrl, Nameserver, OneOf, Secret, Text,
        ValueType, list_of,
    },
};

/// Yahoo and AOL, Microsoft (one address, because its domain also has users), Validity for Comcast, Yandex and others,
/// and providers that send their own reports. These are the senders that published feedback loop parsers know, without
/// domains where anyone can get an address. Google sends no reports about single mails.
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

keys! {
    WEBHOOKS_ALLOW_PRIVATE_NETWORKS: bool = "webhooks.allow_private_networks" => {
        kind: Flag,
        default: DefaultValue::Text("`false`; `true` in the loopback profile"),
        example: true,
        help: "Allows webhooks to loopback, private, link-local and other special addresses.",
    }
    WEBHOOKS_ALLOW_HTTP: bool = "webhooks.allow_http" => {
        kind: Flag,
        default: DefaultValue::Text("`false`; `true` in the loopback profile"),
        example: true,
        help: "Allows webhooks to `http:` URLs.",
    }
    WEBHOOKS_BACKOFF_START: i64 = "webhooks.backoff_start" => {
        kind: DurationMs,
        default: value("680s"),
        example: "5m",
        help: "Wait before the second attempt. Each further wait is 1.778 times the previous one.",
    }
    WEBHOOKS_TIMEOUT: i64 = "webhooks.timeout" => {
        kind: DurationMs,
        default: value("10s"),
        example: "30s",
        help: "Time limit of one attempt.",
    }
    MCP_EVENTS_MESSAGE_IDS: bool = "mcp.events.message_ids" => {
        kind: Flag,
        default: value(false),
        example: true,
        help: "Gives each delivery attempt to an MCP client a `webhook-id` of its own. By default, it is the id of the event, \
            as the [specification](mcp-events.md) has it; some clients expect a different one for each attempt.",
    }
    FEEDBACK: Vec<String> = "feedback.sources" => {
        kind: list_of(DomainOrAddress),
        default: value(list(FEEDBACK_SOURCES)),
        example: list(["fbl.example.com", "complaints@example.org"]),
        help: "Domains (with their subdomains) and addresses whose feedback reports (RFC 5965) count if DKIM \
            authenticates them. Reports from a recipient's own domain always count; at domains that strangers share, a \
            mailbox reports for itself alone. The default is the feedback loops of Yahoo, Microsoft, Validity, Comcast, \
            Fastmail, Zoho, Synacor, Cox, OpenSRS, Rackspace and BlueTie; a \
            value replaces it.",
    }
    NAMESERVERS: Vec<SocketAddr> = "dns.nameservers" => {
        kind: list_of(Nameserver),
        default: DefaultValue::Text("those of the system"),
        example: list(["127.0.0.1:5300"]),
        help: "Nameservers for all DNS queries.",
    }
    BLOCKLISTS: Vec<String> = "dns.blocklists" => {
        kind: list_of(Domain),
        default: value(list(["zen.spamhaus.org", "bl.spamcop.net", "b.barracudacentral.org"])),
        example: list(["zen.spamhaus.org"]),
        help: "DNS blocklists that are checked for this server's own addresses; an empty list checks none.",
    }
    FILES_EXTRACTION: bool = "files.extraction" => {
        kind: Flag,
        default: value(true),
        example: false,
        help: "Reads the text of attachments of received mail, each in a process of its own with limits.",
    }
    FILES_CONCURRENCY: usize = "files.concurrency" => {
        kind: Count { min: 1, max: 64 },
        default: value(2),
        example: 4,
        help: "Files that this process reads at once. Each uses up to 640 MiB of address space.",
    }
    FILES_OCR_COMMAND: PathBuf = "files.ocr_command" => {
        kind: FilePath,
        default: value("/usr/bin/tesseract"),
        example: "/opt/tesseract/bin/tesseract",
        help: "Command of Tesseract, which reads images and scans. If it is missing, they have no text (`ocr_unavailable`).",
    }
    FILES_OCR_LANGUAGES: String = "files.ocr_languages" => {
        kind: Text,
        default: value("eng"),
        example: "eng+deu",
        help: "Languages of OCR, as Tesseract names them.",
    }
    CATEGORISER: Categoriser = "ai.categoriser" => {
        kind: OneOf(&[
            ("builtin", Categoriser::Builtin), ("openai", Categoriser::OpenAi), ("off", Categoriser::Off),
        ]),
        default: value("builtin"),
        example: "off",
        help: "Judges received mail with the local model in the binary (`builtin`), or with a server that has the \
            chat-completions API (`openai`).",
    }
    DRAFTING: bool = "ai.drafting" => {
        kind: OneOf(&[("openai", true), ("off", false)]),
        default: value("off"),
        example: "openai",
        help: "Writes drafts with the server of `ai.base_url`.",
    }
    AI_BASE_URL: String = "ai.base_url" => {
        kind: HttpUrl,
        default: DefaultValue::Text("none; required with `openai`"),
        example: "https://api.example.com/v1",
        help: "Base URL of the server for `openai`.",
    }
    AI_MODEL: String = "ai.model" => {
        kind: Text,
        default: DefaultValue::Text("none; required with `openai`"),
        example: "small",
        help: "Model name for `openai`.",
    }
    #[secret]
    AI_API_KEY: SecretText = "ai.api_key" => {
        kind: Secret,
        default: DefaultValue::Text("none"),
        example: "the-key-of-the-server",
        help: "API key for `openai`.",
    }
}
