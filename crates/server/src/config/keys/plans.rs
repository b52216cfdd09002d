//! Keys of `plans`: the limits of each plan.

use posthouse_domain::plan::{Limit, PlanLimits, Plans};

use crate::config::{
    key::{ConfigKey, Key, keys, value},
    lookup::KeyValues,
    types::{Quota, SizeQuota, ValueType},
};

/// The defaults of a plan. A value is a number or `"unlimited"`.
macro_rules! plan {
    ($module:ident = $plan:literal {
        inboxes: $inboxes:literal,
        identities: $identities:literal,
        domains: $domains:literal,
        api_keys: $api_keys:literal,
        public_listings: $public_listings:literal,
        knowledge_documents: $knowledge_documents:literal,
        ai_drafts_per_day: $ai_drafts_per_day:literal,
        emails_per_month: $emails_per_month:literal,
        daily_sends_per_inbox: $daily_sends_per_inbox:literal,
        daily_sends: $daily_sends:literal,
        sends_per_5_minutes: $sends_per_5_minutes:literal,
        requests_per_minute: $requests_per_minute:literal,
        connections: $connections:literal,
        streams: $streams:literal,
        ai_checks_per_day: $ai_checks_per_day:literal,
        storage_bytes: $storage_bytes:literal,
        extractions_per_month: $extractions_per_month:literal,
        structured_extractions_per_month: $structured_extractions_per_month:literal,
    }) => {
        pub(in crate::config) mod $module {
            use super::*;

            keys! {
                INBOXES: Limit = concat!("plans.", $plan, ".inboxes") => {
                    kind: Quota,
                    default: value($inboxes),
                    example: 10,
                    help: "Maximum permanent inboxes.",
                }
                IDENTITIES: Limit = concat!("plans.", $plan, ".identities") => {
                    kind: Quota,
                    default: value($identities),
                    example: 10,
                    help: "Maximum identities: agents without mail.",
                }
                DOMAINS: Limit = concat!("plans.", $plan, ".domains") => {
                    kind: Quota,
                    default: value($domains),
                    example: 5,
                    help: "Maximum custom domains.",
                }
                API_KEYS: Limit = concat!("plans.", $plan, ".api_keys") => {
                    kind: Quota,
                    default: value($api_keys),
                    example: 50,
                    help: "Maximum API keys that are not revoked.",
                }
                PUBLIC_LISTINGS: Limit = concat!("plans.", $plan, ".public_listings") => {
                    kind: Quota,
                    default: value($public_listings),
                    example: 10,
                    help: "Maximum cards in the public directory.",
                }
                KNOWLEDGE_DOCUMENTS: Limit = concat!("plans.", $plan, ".knowledge_documents") => {
                    kind: Quota,
                    default: value($knowledge_documents),
                    example: 500,
                    help: "Maximum knowledge documents.",
                }
                AI_DRAFTS_PER_DAY: Limit = concat!("plans.", $plan, ".ai_drafts_per_day") => {
                    kind: Quota,
                    default: value($ai_drafts_per_day),
                    example: 200,
                    help: "Maximum replies that the model server drafts for a workspace within 24 hours.",
                }
                EMAILS_PER_MONTH: Limit = concat!("plans.", $plan, ".emails_per_month") => {
                    kind: Quota,
                    default: value($emails_per_month),
                    example: 10_000,
                    help: "Messages per calendar month (UTC).",
                }
                DAILY_SENDS_PER_INBOX: Limit = concat!("plans.", $plan, ".daily_sends_per_inbox") => {
                    kind: Quota,
                    default: value($daily_sends_per_inbox),
                    example: 200,
                    help: "Messages per day (UTC) from one inbox.",
                }
                DAILY_SENDS: Limit = concat!("plans.", $plan, ".daily_sends") => {
                    kind: Quota,
                    default: value($daily_sends),
                    example: 2_000,
                    help: "Messages per day (UTC) from one workspace.",
                }
                SENDS_PER_5_MINUTES: Limit = concat!("plans.", $plan, ".sends_per_5_minutes") => {
                    kind: Quota,
                    default: value($sends_per_5_minutes),
                    example: 50,
                    help: "Messages per five minutes from one workspace.",
                }
                REQUESTS_PER_MINUTE: Limit = concat!("plans.", $plan, ".requests_per_minute") => {
                    kind: Quota,
                    default: value($requests_per_minute),
                    example: 300,
                    help: "API requests per minute with one key, and of one person in the dashboard. All keys and people of a \
    workspace together can make ten times as many.",
                }
                CONNECTIONS: Limit = concat!("plans.", $plan, ".connections") => {
                    kind: Quota,
                    default: value($connections),
                    example: 500,
                    help: "HTTP connections at once of one workspace. A connection belongs to the workspace of its \
    latest authenticated request.",
                }
                STREAMS: Limit = concat!("plans.", $plan, ".streams") => {
                    kind: Quota,
                    default: value($streams),
                    example: 100,
                    help: "Streams (WebSockets) at once of one workspace.",
                }
                AI_CHECKS_PER_DAY: Limit = concat!("plans.", $plan, ".ai_checks_per_day") => {
                    kind: Quota,
                    default: value($ai_checks_per_day),
                    example: 10_000,
                    help: "Received messages that the categoriser reads per day (UTC). Further ones are skipped, and held if \
    the workspace holds risky mail.",
                }
                STORAGE_BYTES: Limit = concat!("plans.", $plan, ".storage_bytes") => {
                    kind: SizeQuota,
                    default: value($storage_bytes),
                    example: "100GiB",
                    help: "Stored messages, and bodies and files of drafts, as a size such as `\"10GiB\"`.",
                }
                EXTRACTIONS_PER_MONTH: Limit = concat!("plans.", $plan, ".extractions_per_month") => {
                    kind: Quota,
                    default: value($extractions_per_month),
                    example: 5_000,
                    help: "Attachments whose text is read per calendar month (UTC).",
                }
                STRUCTURED_EXTRACTIONS_PER_MONTH: Limit = concat!("plans.", $plan, ".structured_extractions_per_month") => {
                    kind: Quota,
                    default: value($structured_extractions_per_month),
                    example: 500,
                    help: "Structured extractions from attachments per calendar month (UTC).",
                }
            }

            pub(super) fn limits(values: &mut KeyValues) -> PlanLimits {
                PlanLimits {
                    inboxes: values.get(&INBOXES),
                    identities: values.get(&IDENTITIES),
                    domains: values.get(&DOMAINS),
                    api_keys: values.get(&API_KEYS),
                    public_listings: values.get(&PUBLIC_LISTINGS),
                    knowledge_documents: values.get(&KNOWLEDGE_DOCUMENTS),
                    ai_drafts_per_day: values.get(&AI_DRAFTS_PER_DAY),
                    emails_per_month: values.get(&EMAILS_PER_MONTH),
                    daily_sends_per_inbox: values.get(&DAILY_SENDS_PER_INBOX),
                    daily_sends: values.get(&DAILY_SENDS),
                    sends_per_5_minutes: values.get(&SENDS_PER_5_MINUTES),
                    requests_per_minute: values.get(&REQUESTS_PER_MINUTE),
                    connections: values.get(&CONNECTIONS),
                    streams: values.get(&STREAMS),
                    ai_checks_per_day: values.get(&AI_CHECKS_PER_DAY),
                    storage_bytes: values.get(&STORAGE_BYTES),
                    extractions_per_month: values.get(&EXTRACTIONS_PER_MONTH),
                    structured_extractions_per_month: values.get(&STRUCTURED_EXTRACTIONS_PER_MONTH),
                }
            }
        }
    };
}

plan!(free = "free" {
    inboxes: 3,
    identities: 3,
    domains: 1,
    api_keys: 20,
    public_listings: 3,
    knowledge_documents: 100,
    ai_drafts_per_day: 50,
    emails_per_month: 3_000,
    daily_sends_per_inbox: 100,
    daily_sends: 500,
    sends_per_5_minutes: 20,
    requests_per_minute: 120,
    connections: 200,
    streams: 20,
    ai_checks_per_day: "unlimited",
    storage_bytes: "1GiB",
    extractions_per_month: 1_000,
    structured_extractions_per_month: 50,
});

plan!(builder = "builder" {
    inboxes: 100,
    identities: 100,
    domains: 10,
    api_keys: 200,
    public_listings: 100,
    knowledge_documents: 2_000,
    ai_drafts_per_day: 1_000,
    emails_per_month: 50_000,
    daily_sends_per_inbox: 1_000,
    daily_sends: 5_000,
    sends_per_5_minutes: 200,
    requests_per_minute: 600,
    connections: 2_000,
    streams: 1_000,
    ai_checks_per_day: "unlimited",
    storage_bytes: "50GiB",
    extractions_per_month: 20_000,
    structured_extractions_per_month: 1_000,
});

plan!(team = "team" {
    inboxes: "unlimited",
    identities: "unlimited",
    domains: 50,
    api_keys: 2_000,
    public_listings: "unlimited",
    knowledge_documents: 20_000,
    ai_drafts_per_day: 10_000,
    emails_per_month: 500_000,
    daily_sends_per_inbox: 5_000,
    daily_sends: 50_000,
    sends_per_5_minutes: 2_000,
    requests_per_minute: 3_000,
    connections: 20_000,
    streams: 10_000,
    ai_checks_per_day: "unlimited",
    storage_bytes: "500GiB",
    extractions_per_month: 200_000,
    structured_extractions_per_month: 10_000,
});

/// Reads the limits of all plans.
pub(in crate::config) fn limits(values: &mut KeyValues) -> Plans {
    Plans { free: free::limits(values), builder: builder::limits(values), team: team::limits(values) }
}
