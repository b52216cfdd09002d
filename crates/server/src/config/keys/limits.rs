//! Keys of `limits`: budgets of the process and of each workspace or client address.

use posthouse_app::settings::LimitsConfig;
use posthouse_domain::{
    plan::Limit,
    service_mail::{MailBudget, MailBudgets},
};

use crate::config::{
    key::{ConfigKey, DefaultValue, Key, keys, number, value},
    lookup::KeyValues,
    types::{Count, DurationMs, Quota, Size, ValueType},
};

/// The default of [`REQUEST_BODY_BYTES`] and [`RESPONSE_BYTES`]: 1 GiB.
const BODY_BYTES: u64 = 1 << 30;
/// The default of [`REQUEST_BODY_BYTES_PER_WORKSPACE`] and [`RESPONSE_BYTES_PER_WORKSPACE`]: 200 MiB.
const BODY_BYTES_PER_WORKSPACE: u64 = 200 << 20;
/// Allowed sizes of these. The least has room for any one request body.
const BODY_BYTES_RANGE: Size = Size { bytes_min: 40 << 20, bytes_max: 1 << 40 };
/// The default of [`PAGE_BYTES`]: 8 MiB.
const PAGE_BYTES_DEFAULT: u64 = 8 << 20;
/// The deepest JSON that the parser accepts.
const JSON_DEPTH_MAX: usize = 127;
/// The part of the total that one SMTP client may use by default: a tenth.
const SMTP_CONTENT_SHARE: u64 = 10;
/// The range of budgets of content.
const CONTENT: Size = Size { bytes_min: 1 << 20, bytes_max: 1 << 40 };

keys! {
    // HTTP, streams and JSON.
    REQUEST_BODY_BYTES: u64 = "limits.request_body_bytes" => {
        kind: BODY_BYTES_RANGE,
        default: number(BODY_BYTES),
        example: "4GiB",
        help: "Request bodies in memory, of all workspaces together. Beyond it, requests with a body get 503 \
            `unavailable`.",
    }
    REQUEST_BODY_BYTES_PER_WORKSPACE: u64 = "limits.request_body_bytes_per_workspace" => {
        kind: BODY_BYTES_RANGE,
        default: number(BODY_BYTES_PER_WORKSPACE),
        example: "400MiB",
        help: "Request bodies in memory, of one workspace. Beyond it, its requests with a body get 429 `rate_limited`.",
    }
    RESPONSE_BYTES: u64 = "limits.response_bytes" => {
        kind: BODY_BYTES_RANGE,
        default: number(BODY_BYTES),
        example: "4GiB",
        help: "Responses in memory that their clients have not read yet, of all workspaces together. Beyond it, \
            requests get 503 `unavailable`.",
    }
    RESPONSE_BYTES_PER_WORKSPACE: u64 = "limits.response_bytes_per_workspace" => {
        kind: BODY_BYTES_RANGE,
        default: number(BODY_BYTES_PER_WORKSPACE),
        example: "400MiB",
        help: "Responses in memory that their clients have not read yet, of one workspace. Beyond it, its \
            requests get 429 `rate_limited`.",
    }
    RESPONSE_WRITE_TIMEOUT: i64 = "limits.response_write_timeout" => {
        kind: DurationMs,
        default: value("30s"),
        example: "1m",
        help: "A connection whose client reads nothing of a response for this time is closed; a stream too.",
    }
    JSON_VALUES: usize = "limits.json_values" => {
        kind: Count { min: 1_000, max: 10_000_000 },
        default: number(100_000),
        example: 500_000,
        help: "Values in one JSON document of a client: objects, arrays, texts, numbers, booleans and nulls. Beyond \
            it, the request gets 400 `invalid_request`.",
    }
    JSON_DEPTH: usize = "limits.json_depth" => {
        kind: Count { min: 32, max: JSON_DEPTH_MAX },
        default: number(64),
        example: 100,
        help: "Nesting of arrays and objects in one JSON document of a client.",
    }
    PAGE_BYTES: u64 = "limits.page_bytes" => {
        kind: Size { bytes_min: 1 << 10, bytes_max: 1 << 30 },
        default: number(PAGE_BYTES_DEFAULT),
        example: "4MiB",
        help: "Size of one page of a list. A page ends early, with `next_cursor`, before the item that would exceed \
            it. It has at least one item.",
    }
    UNAUTHENTICATED_CONNECTIONS_PER_ADDRESS: Limit = "limits.unauthenticated_connections_per_address" => {
        kind: Quota,
        default: number(1_000),
        example: 100,
        help: "HTTP connections at once from one address (IPv6: one /56 network) that have not authenticated. The \
            networks of `http.trusted_proxies` are exempt.",
    }
    STREAM_FRAMES_PER_MINUTE: Limit = "limits.stream_frames_per_minute" => {
        kind: Quota,
        default: number(60),
        example: 600,
        help: "Frames per minute that the client of one stream sends. Beyond it, the stream is closed with code 1008.",
    }
    UNKNOWN_KEYS_PER_MINUTE: Limit = "limits.unknown_keys_per_minute" => {
        kind: Quota,
        default: number(60),
        example: 10,
        help: "Requests per minute from one address (IPv6: one /56 network) with an unknown API key or stream token. \
            Beyond it, only keys that this process has already accepted are checked; others get 429 `rate_limited`.",
    }
    IDENTITY_TOKENS_PER_AGENT: Limit = "limits.identity_tokens_per_agent" => {
        kind: Quota,
        default: number(60),
        example: 600,
        help: "Identity tokens that one agent gets per minute. Beyond it, requests get 429 `rate_limited`.",
    }
    IDENTITY_TOKENS_PER_WORKSPACE: Limit = "limits.identity_tokens_per_workspace" => {
        kind: Quota,
        default: number(600),
        example: 6_000,
        help: "Identity tokens that the agents of one workspace get per minute, together.",
    }
    SIGN_INS_PER_ADDRESS: Limit = "limits.sign_ins_per_address" => {
        kind: Quota,
        default: number(300),
        example: 3_000,
        help: "Sign-ins that browsers behind one address (IPv6: one /56 network) begin in ten minutes. Beyond it, they \
            return to the app with `temporarily_unavailable`.",
    }

    // Mail of the service.
    MEMBER_MAILS_PER_DAY: Limit = "limits.member_mails_per_day" => {
        kind: Quota,
        default: value("unlimited"),
        example: 10_000,
        help: "Mail of the service to members per UTC day: sign-in mails and mails to people on call count separately. Strangers \
            can cause both, so a limit here lets them keep members out.",
    }
    MEMBER_MAILS_PER_PARTY: Limit = "limits.member_mails_per_party" => {
        kind: Quota,
        default: value("unlimited"),
        example: 100,
        help: "The part of `limits.member_mails_per_day` that goes to one organization (a registered domain), or to one mailbox \
            at a large provider.",
    }
    MEMBER_MAILS_PER_NETWORK: Limit = "limits.member_mails_per_network" => {
        kind: Quota,
        default: number(200),
        example: 100,
        help: "Sign-in mails to members that one client network (IPv4 address, IPv6 /56) asks for per UTC day. Beyond it, \
            nothing is mailed.",
    }
    INVITED_MAILS_PER_DAY: Limit = "limits.invited_mails_per_day" => {
        kind: Quota,
        default: number(2_000),
        example: 10_000,
        help: "Mail of the service to invited people per UTC day: invitations, and requests of members to confirm an \
            address. Beyond it, requests get 429 `rate_limited`.",
    }
    INVITED_MAILS_PER_PARTY: Limit = "limits.invited_mails_per_party" => {
        kind: Quota,
        default: number(50),
        example: 100,
        help: "The part of `limits.invited_mails_per_day` that goes to one organization (a registered domain), or to one mailbox \
            at a large provider.",
    }
    INVITED_MAILS_PER_NETWORK: Limit = "limits.invited_mails_per_network" => {
        kind: Quota,
        default: number(200),
        example: 100,
        help: "Invitations, and requests to confirm, that one client network (IPv4 address, IPv6 /56) asks for per UTC \
            day.",
    }
    STRANGER_MAILS_PER_DAY: Limit = "limits.stranger_mails_per_day" => {
        kind: Quota,
        default: number(1_000),
        example: 10_000,
        help: "Mail of the service to strangers per UTC day: claim mails, and sign-up mails to people in no workspace. \
            Beyond it, claims get 429 `signup_rate_limited`, and nothing is mailed to new people.",
    }
    STRANGER_MAILS_PER_PARTY: Limit = "limits.stranger_mails_per_party" => {
        kind: Quota,
        default: number(20),
        example: 100,
        help: "The part of `limits.stranger_mails_per_day` that goes to one organization (a registered domain), or to one mailbox \
            at a large provider.",
    }
    STRANGER_MAILS_PER_NETWORK: Limit = "limits.stranger_mails_per_network" => {
        kind: Quota,
        default: number(20),
        example: 100,
        help: "Claim and sign-up mails, together, that one client network (IPv4 address, IPv6 /56) asks for per UTC day.",
    }

    // Receiving by SMTP, and the store.
    SMTP_CONTENT_BYTES: u64 = "limits.smtp_content_bytes" => {
        kind: CONTENT,
        default: value("1GiB"),
        example: "512MiB",
        help: "Maximum content of incoming messages in memory, for all SMTP sessions of the mail exchanger and again \
            for those of submission. 256 KiB of each session always fit.",
    }
    SMTP_CONTENT_BYTES_PER_CLIENT: u64 = "limits.smtp_content_bytes_per_client" => {
        kind: CONTENT,
        default: DefaultValue::Text("a tenth of `limits.smtp_content_bytes`, at least `smtp.max_message_bytes`"),
        example: "256MiB",
        help: "Maximum content in memory for the sessions of one SMTP client. Raise it if a gateway delivers all mail \
            from one address.",
    }
    SMTP_CONTENT_BYTES_PER_SECOND: u64 = "limits.smtp_content_bytes_per_second" => {
        kind: Size { bytes_min: 1, bytes_max: 1 << 20 },
        default: value("1KiB"),
        example: "4KiB",
        help: "Lowest rate of content. An SMTP client that sends less within 60 seconds gets 421.",
    }
    UNKNOWN_RECIPIENTS_PER_MINUTE: Limit = "limits.unknown_recipients_per_minute" => {
        kind: Quota,
        default: value(60),
        example: 20,
        help: "Maximum recipients without an inbox that one SMTP client names per minute, in all its sessions. Networks in \
            `smtp.trusted_clients` are exempt.",
    }
    STATEMENT_TIME: i64 = "limits.statement_time" => {
        kind: DurationMs,
        default: value("10s"),
        example: "30s",
        help: "Time limit of one database statement of a read. Writes, migrations, backups and checks have none.",
    }
    READS_PER_WORKSPACE: usize = "limits.reads_per_workspace" => {
        kind: Count { min: 1, max: 1_000 },
        default: DefaultValue::Text("a quarter of the database readers: 2"),
        example: 4,
        help: "Maximum reads of one workspace that use the database at once. More wait in a queue of the workspace.",
    }
}

/// Reads all limits. `message_bytes_max` is the least that one SMTP client may have in memory.
pub(in crate::config) fn limits(values: &mut KeyValues, message_bytes_max: u64) -> LimitsConfig {
    let smtp_content_bytes = values.get(&SMTP_CONTENT_BYTES);
    let share = (smtp_content_bytes / SMTP_CONTENT_SHARE).max(message_bytes_max);
    LimitsConfig {
        // HTTP, streams and JSON.
        request_body_bytes: values.get(&REQUEST_BODY_BYTES),
        request_body_bytes_per_workspace: values.get(&REQUEST_BODY_BYTES_PER_WORKSPACE),
        response_bytes: values.get(&RESPONSE_BYTES),
        response_bytes_per_workspace: values.get(&RESPONSE_BYTES_PER_WORKSPACE),
        response_write_timeout_ms: values.get(&RESPONSE_WRITE_TIMEOUT),
        json_values: values.get(&JSON_VALUES),
        json_depth: values.get(&JSON_DEPTH),
        page_bytes: values.get(&PAGE_BYTES),
        unauthenticated_connections_per_address: values.get(&UNAUTHENTICATED_CONNECTIONS_PER_ADDRESS),
        stream_frames_per_minute: values.get(&STREAM_FRAMES_PER_MINUTE),
        unknown_keys_per_minute: values.get(&UNKNOWN_KEYS_PER_MINUTE),
        identity_tokens_per_agent: values.get(&IDENTITY_TOKENS_PER_AGENT),
        identity_tokens_per_workspace: values.get(&IDENTITY_TOKENS_PER_WORKSPACE),
        sign_ins_per_address: values.get(&SIGN_INS_PER_ADDRESS),
        service_mails: service_mails(values),

        // Receiving by SMTP, and the store.
        smtp_content_bytes,
        smtp_content_bytes_per_client: values.find(&SMTP_CONTENT_BYTES_PER_CLIENT).unwrap_or(share),
        smtp_content_bytes_per_second: values.get(&SMTP_CONTENT_BYTES_PER_SECOND),
        unknown_recipients_per_minute: values.get(&UNKNOWN_RECIPIENTS_PER_MINUTE),
        statement_ms: values.get(&STATEMENT_TIME).unsigned_abs(),
        reads_per_workspace: values.find(&READS_PER_WORKSPACE),
    }
}

fn service_mails(values: &mut KeyValues) -> MailBudgets {
    MailBudgets {
        members: MailBudget {
            per_day: values.get(&MEMBER_MAILS_PER_DAY),
            per_party: values.get(&MEMBER_MAILS_PER_PARTY),
            per_network: values.get(&MEMBER_MAILS_PER_NETWORK),
        },
        invited: MailBudget {
            per_day: values.get(&INVITED_MAILS_PER_DAY),
            per_party: values.get(&INVITED_MAILS_PER_PARTY),
            per_network: values.get(&INVITED_MAILS_PER_NETWORK),
        },
        strangers: MailBudget {
            per_day: values.get(&STRANGER_MAILS_PER_DAY),
            per_party: values.get(&STRANGER_MAILS_PER_PARTY),
            per_network: values.get(&STRANGER_MAILS_PER_NETWORK),
        },
    }
}
