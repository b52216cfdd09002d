//! The members of `error.details`: their names, types and meanings, and the codes that carry them.

use serde_json::{Value, json};

use super::{AuthorRefusal, ErrorCode, FieldProblem, ProofProblem};
use crate::{
    auth::permission::Permission,
    draft::status::DraftStatus,
    gate::loop_rule::LoopRule,
    id::InboxId,
    outbound_policy::finding::{FindingKind, JudgedRecipient, OutboundFinding},
    time::Time,
};

/// A minute in seconds.
const MINUTE_S: u64 = 60;

named! {
    /// Why a request was refused, in `details.reason`.
    RefusalReason {
        /// The listeners are not bound yet.
        Starting = "starting",
        /// The server is shutting down.
        Draining = "draining",
        /// The database cannot be written.
        Store = "store",
        /// The database is damaged.
        StoreDamaged = "store_damaged",
        /// The disk is full.
        StorageFull = "storage_full",
        /// The blob store is not available.
        BlobStore = "blobs",
        /// A header field of a mail is missing or invalid.
        MalformedHeader = "malformed_header",
        /// The DMARC policy of the author's domain.
        Dmarc = "dmarc",
    }
    /// A limit that a request exceeded, in `details.limit`.
    LimitName {
        /// Requests of a key per minute.
        RequestsPerMinute = "requests_per_minute",
        /// Requests of all keys and people of a workspace per minute.
        WorkspaceRequestsPerMinute = "workspace_requests_per_minute",
        /// Messages of a workspace per 5 minutes.
        SendsPer5Minutes = "sends_per_5min",
        /// Messages of a workspace per month.
        EmailsPerMonth = "emails_per_month",
        /// Structured extractions from attachments, of a workspace, per calendar month.
        StructuredExtractionsPerMonth = "structured_extractions_per_month",
        /// Messages of an inbox per day.
        DailySendsPerInbox = "daily_sends_per_inbox",
        /// Messages of a workspace per day.
        DailySends = "daily_sends",
        /// Distinct recipients of an unclaimed workspace per day.
        RecipientsPerDay = "recipients_per_day",
        /// Self-signups from one client address per day.
        SignupsPerDay = "signups_per_day",
        /// Claim mails of one workspace per day.
        ClaimMailsPerDay = "claim_mails_per_day",
        /// Claim and sign-up mails to one address per day.
        ClaimMailsPerRecipient = "claim_mails_per_recipient",
        /// Sign-in mails to members that one client network asks for per day.
        MemberMailsPerNetwork = "member_mails_per_network",
        /// Mails to members of one organization, or to one mailbox at a large provider, per day.
        MemberMailsPerParty = "member_mails_per_party",
        /// Mails of the service to members per day.
        MemberMailsPerDay = "member_mails_per_day",
        /// Invitations and requests to confirm that one client network asks for per day.
        InvitedMailsPerNetwork = "invited_mails_per_network",
        /// Invitations and requests to confirm to one organization, or to one mailbox at a large provider, per day.
        InvitedMailsPerParty = "invited_mails_per_party",
        /// Invitations and requests to confirm of the service per day.
        InvitedMailsPerDay = "invited_mails_per_day",
        /// Claim and sign-up mails that one client network asks for per day.
        StrangerMailsPerNetwork = "stranger_mails_per_network",
        /// Claim and sign-up mails to one organization, or to one mailbox at a large provider, per day.
        StrangerMailsPerParty = "stranger_mails_per_party",
        /// Claim and sign-up mails of the service per day.
        StrangerMailsPerDay = "stranger_mails_per_day",
        /// Temporary inboxes that exist at the same time.
        TemporaryActive = "temporary_active",
        /// Temporary inboxes created within an hour.
        TemporaryPerHour = "temporary_per_hour",
        /// Stored bytes of a workspace.
        StorageBytes = "storage_bytes",
        /// Milliseconds that one statement of a read may take.
        StatementTime = "statement_time",
        /// Reads of a workspace at the same time.
        ReadsPerWorkspace = "reads_per_workspace",
        /// Checks of a domain's DNS records.
        DomainVerify = "domain_verify",
        /// Confirmation mails to people on call, of a workspace, in 24 hours.
        ConfirmationsPerWorkspace = "confirmations_per_workspace",
        /// Confirmation mails to one person on call, from all workspaces, in 24 hours.
        ConfirmationsPerAddress = "confirmations_per_address",
        /// Bytes of request bodies in memory, of one workspace.
        RequestBodyBytesPerWorkspace = "request_body_bytes_per_workspace",
        /// Bytes of request bodies in memory, of all workspaces.
        RequestBodyBytes = "request_body_bytes",
        /// Bytes of unread responses in memory, of one workspace.
        ResponseBytesPerWorkspace = "response_bytes_per_workspace",
        /// Bytes of unread responses in memory, of all workspaces.
        ResponseBytes = "response_bytes",
        /// Values in one JSON document.
        JsonValues = "json_values",
        /// Nesting of one JSON document.
        JsonDepth = "json_depth",
        /// Time without progress of a response, in milliseconds.
        ResponseWriteTimeout = "response_write_timeout",
        /// HTTP connections of a workspace at the same time.
        Connections = "connections",
        /// HTTP connections without authentication from one address at the same time.
        UnauthenticatedConnections = "unauthenticated_connections_per_address",
        /// Streams of a workspace at the same time.
        Streams = "streams",
        /// Frames that the client of a stream sends per minute.
        StreamFramesPerMinute = "stream_frames_per_minute",
        /// Sign-in links that one address asks for in 15 minutes.
        SignInLinksPerAddress = "sign_in_links_per_address",
        /// Sign-in links and codes that one client address asks for or tries in 15 minutes.
        SignInsPerClient = "sign_ins_per_client",
        /// People that a workspace invites in a day.
        InvitationsPerDay = "invitations_per_day",
        /// Invitations to one mailbox per day, from all workspaces.
        InvitationsPerRecipient = "invitations_per_recipient",
        /// Wrong sign-in codes for one address per day.
        WrongSignInCodes = "wrong_sign_in_codes",
        /// Members of a workspace, invited ones included.
        Members = "members",
        /// Directory look-ups of a key or session per minute.
        ResolvesPerMinute = "resolves_per_minute",
        /// Directory searches of a key or session per minute.
        SearchesPerMinute = "searches_per_minute",
        /// Checks of signatures and agents, of a key or session, per minute.
        VerificationsPerMinute = "verifications_per_minute",
        /// Requests to the public directory from one client address per minute.
        PublicRequestsPerMinute = "public_requests_per_minute",
        /// Reports about agents that a workspace makes per day.
        ReportsPerDay = "reports_per_day",
        /// New handles of a workspace within 90 days.
        HandleRenames = "handle_renames",
        /// Replies drafted by the model server for a workspace, within 24 hours.
        AiDraftsPerDay = "ai_drafts_per_day",
        /// Changes of agents' handles in a workspace within 24 hours.
        AgentHandlesPerDay = "agent_handles_per_day",
        /// Identity tokens of one agent per minute.
        IdentityTokensPerAgent = "identity_tokens_per_agent",
        /// Identity tokens of the agents of one workspace per minute.
        IdentityTokensPerWorkspace = "identity_tokens_per_workspace",
        /// Sign-ins that browsers of one client address begin in ten minutes.
        SignInRequestsPerAddress = "sign_in_requests_per_address",
        /// Sign-ins of one app that wait at the same time.
        SignInRequestsPerApp = "sign_in_requests_per_app",
        /// Requests of one app at one address, or with one access token, to the issuer per minute.
        IssuerRequestsPerMinute = "issuer_requests_per_minute",
        /// Unknown approval codes from one API key or session in ten minutes.
        WrongApprovalCodes = "wrong_approval_codes",
        /// Requests of a workspace for the content of mail that wait or run at the same time.
        ContentWorkPerWorkspace = "content_work_per_workspace",
        /// Milliseconds that work on the content of a mail may take.
        ContentWorkTime = "content_work_time",
        /// Requests of one connector per minute.
        ConnectorRequestsPerMinute = "connector_requests_per_minute",
        /// OAuth clients that one client address registers in an hour.
        ClientRegistrationsPerAddress = "client_registrations_per_address",
        /// Metadata documents of OAuth clients that are fetched for one person in ten minutes.
        ClientDocumentsPerPerson = "client_documents_per_person",
        /// Cancelled waits of a workspace that haven't ended.
        CancelledWaits = "cancelled_waits",
        /// Links to upload or download a file, of a workspace at once.
        FileLinks = "file_links",
        /// Unknown API keys, stream tokens, connector tokens and links of files from one address per minute.
        UnknownKeysPerMinute = "unknown_keys_per_minute",
    }
}

impl LimitName {
    /// Returns the length of the window that the limit counts in, in seconds; `None` if it counts nothing over time, or in
    /// calendar months.
    #[must_use]
    pub const fn window_s(self) -> Option<u64> {
        match self {
            LimitName::RequestsPerMinute
            | LimitName::WorkspaceRequestsPerMinute
            | LimitName::StreamFramesPerMinute
            | LimitName::ResolvesPerMinute
            | LimitName::SearchesPerMinute
            | LimitName::VerificationsPerMinute
            | LimitName::PublicRequestsPerMinute
            | LimitName::IdentityTokensPerAgent
            | LimitName::IdentityTokensPerWorkspace
            | LimitName::IssuerRequestsPerMinute
            | LimitName::ConnectorRequestsPerMinute
            | LimitName::UnknownKeysPerMinute => Some(MINUTE_S),
            LimitName::SendsPer5Minutes => Some(5 * MINUTE_S),
            LimitName::SignInRequestsPerAddress
            | LimitName::WrongApprovalCodes
            | LimitName::ClientDocumentsPerPerson => Some(10 * MINUTE_S),
            LimitName::SignInLinksPerAddress | LimitName::SignInsPerClient => Some(15 * MINUTE_S),
            LimitName::TemporaryPerHour | LimitName::ClientRegistrationsPerAddress => Some(60 * MINUTE_S),
            LimitName::DailySendsPerInbox
            | LimitName::DailySends
            | LimitName::RecipientsPerDay
            | LimitName::SignupsPerDay
            | LimitName::ClaimMailsPerDay
            | LimitName::ClaimMailsPerRecipient
            | LimitName::MemberMailsPerNetwork
            | LimitName::MemberMailsPerParty
            | LimitName::MemberMailsPerDay
            | LimitName::InvitedMailsPerNetwork
            | LimitName::InvitedMailsPerParty
            | LimitName::InvitedMailsPerDay
            | LimitName::StrangerMailsPerNetwork
            | LimitName::StrangerMailsPerParty
            | LimitName::StrangerMailsPerDay
            | LimitName::ConfirmationsPerWorkspace
            | LimitName::ConfirmationsPerAddress
            | LimitName::InvitationsPerDay
            | LimitName::InvitationsPerRecipient
            | LimitName::WrongSignInCodes
            | LimitName::AiDraftsPerDay
            | LimitName::AgentHandlesPerDay
            | LimitName::ReportsPerDay => Some(24 * 60 * MINUTE_S),
            LimitName::HandleRenames => Some(90 * 24 * 60 * MINUTE_S),
            LimitName::EmailsPerMonth
            | LimitName::StructuredExtractionsPerMonth
            | LimitName::TemporaryActive
            | LimitName::StorageBytes
            | LimitName::StatementTime
            | LimitName::ReadsPerWorkspace
            | LimitName::DomainVerify
            | LimitName::RequestBodyBytesPerWorkspace
            | LimitName::RequestBodyBytes
            | LimitName::ResponseBytesPerWorkspace
            | LimitName::ResponseBytes
            | LimitName::JsonValues
            | LimitName::JsonDepth
            | LimitName::ResponseWriteTimeout
            | LimitName::Connections
            | LimitName::UnauthenticatedConnections
            | LimitName::Streams
            | LimitName::FileLinks
            | LimitName::CancelledWaits
            | LimitName::Members
            | LimitName::SignInRequestsPerApp
            | LimitName::ContentWorkPerWorkspace
            | LimitName::ContentWorkTime => None,
        }
    }
}

/// A type of the value of a detail.
trait DetailValue {
    /// Returns the value as JSON.
    fn json(&self) -> Value;

    /// Returns the JSON Schema of the type. One with a title is described once.
    fn schema() -> Value;
}

macro_rules! detail_values {
    ($($type:ty: $schema:tt, $this:ident => $json:expr;)*) => {$(
        impl DetailValue for $type {
            fn json(&self) -> Value {
                let $this = self;
                $json.into()
            }

            fn schema() -> Value {
                json!($schema)
            }
        }
    )*};
}

detail_values! {
    u64: { "type": "integer", "minimum": 0 }, value => *value;
    String: { "type": "string" }, value => value.as_str();
    Vec<String>: { "type": "array", "items": { "type": "string" } }, value => value.clone();
    Time: { "type": "string", "format": "date-time" }, value => value.to_string();
    InboxId: { "type": "string", "format": "uuid" }, value => value.to_string();
    Permission: { "title": "Permission", "type": "string", "enum": Permission::ALL.iter().map(|one| one.text()).collect::<Vec<_>>() }, value => value.text();
    RefusalReason: { "title": "RefusalReason", "type": "string", "enum": RefusalReason::ALL.iter().map(|one| one.text()).collect::<Vec<_>>() }, value => value.text();
    LimitName: { "title": "LimitName", "type": "string", "enum": LimitName::ALL.iter().map(|one| one.text()).collect::<Vec<_>>() }, value => value.text();
    DraftStatus: { "type": "string", "enum": DraftStatus::ALL.iter().map(|one| one.text()).collect::<Vec<_>>() }, value => value.text();
    AuthorRefusal: { "type": "string", "enum": AuthorRefusal::ALL.iter().map(|one| one.text()).collect::<Vec<_>>() }, value => value.text();
    ProofProblem: { "type": "string", "enum": ProofProblem::ALL.iter().map(|one| one.text()).collect::<Vec<_>>() }, value => value.text();
    LoopRule: { "type": "string", "enum": LoopRule::ALL.iter().map(|one| one.text()).collect::<Vec<_>>() }, value => value.text();
    Vec<JudgedRecipient>: {
        "type": "array",
        "items": {
            "title": "UnprovenRecipient",
            "type": "object",
            "properties": {
                "address": { "type": "string" },
                "message_id": { "type": ["string", "null"], "format": "uuid" },
            },
            "required": ["address", "message_id"],
        },
    }, value => value
        .iter()
        .map(|one| json!({ "address": one.address, "message_id": one.origin.message.map(|id| id.to_string()) }))
        .collect::<Vec<Value>>();
    Vec<OutboundFinding>: {
        "type": "array",
        "items": {
            "title": "ContentFinding",
            "type": "object",
            "properties": {
                "kind": { "type": "string", "enum": FindingKind::ALL.iter().map(|one| one.text()).collect::<Vec<_>>() },
                "where": { "type": "string" },
                "start": { "type": "integer", "minimum": 0 },
                "end": { "type": "integer", "minimum": 0 },
            },
            "required": ["kind", "where", "start", "end"],
        },
    }, value => value
        .iter()
        .map(|one| json!({ "kind": one.kind.text(), "where": one.place, "start": one.start, "end": one.end }))
        .collect::<Vec<Value>>();
    Vec<FieldProblem>: {
        "type": "array",
        "items": {
            "title": "FieldProblem",
            "type": "object",
            "properties": { "path": { "type": "string" }, "problem": { "type": "string" } },
            "required": ["path", "problem"],
        },
    }, value => value.iter().map(|p| json!({ "path": p.path, "problem": p.problem })).collect::<Vec<Value>>();
}

macro_rules! details {
    ($($(#[doc = $doc:literal])* $name:ident($type:ty) = $text:literal;)*) => {
        /// A member of `error.details` with its value.
        #[derive(Clone, PartialEq, Eq, Debug)]
        pub enum Detail { $($(#[doc = $doc])* $name($type),)* }

        /// A member of `error.details` without its value.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum DetailKind { $($(#[doc = $doc])* $name,)* }

        impl Detail {
            /// Returns the kind of the detail.
            #[must_use]
            pub const fn kind(&self) -> DetailKind { match self { $(Detail::$name(_) => DetailKind::$name,)* } }

            /// Returns the value on the wire.
            #[must_use]
            pub fn value(&self) -> Value { match self { $(Detail::$name(value) => value.json(),)* } }
        }

        impl DetailKind {
            /// Returns the name on the wire. Kinds of different codes may share a name.
            #[must_use]
            pub const fn text(self) -> &'static str { match self { $(DetailKind::$name => $text,)* } }

            /// Describes the value: the doc comment of the variant.
            #[must_use]
            pub fn meaning(self) -> &'static str { match self { $(DetailKind::$name => concat!($($doc),*).trim(),)* } }

            /// Returns the JSON Schema of the value, with its description.
            #[must_use]
            pub fn schema(self) -> Value {
                let mut schema = match self { $(DetailKind::$name => <$type>::schema(),)* };
                schema["description"] = self.meaning().into();
                schema
            }
        }
    };
}

details! {
    /// Every problem of the request.
    Fields(Vec<FieldProblem>) = "fields";
    /// The author of the message that can't be answered.
    From(String) = "from";
    /// Why the request was refused.
    Reason(RefusalReason) = "reason";
    /// What is wrong with the signature of the author.
    AuthorReason(AuthorRefusal) = "reason";
    /// What is wrong with the proof of the key.
    ProofReason(ProofProblem) = "reason";
    /// The state of the message's screening: `pending` or `held`.
    ScreeningState(String) = "state";
    /// Why the message is held.
    HoldReason(String) = "reason";
    /// The permission that the key lacks.
    Permission(Permission) = "permission";
    /// The addresses that the refusal is about.
    Addresses(Vec<String>) = "addresses";
    /// The address that can't be used.
    Address(String) = "address";
    /// The id of the inbox that wasn't found.
    InboxId(InboxId) = "inbox_id";
    /// The active keys of the member: prefix and name.
    ApiKeys(Vec<String>) = "api_keys";
    /// The name of the limit.
    Limit(LimitName) = "limit";
    /// The number of inboxes in the plan.
    InboxLimit(u64) = "limit";
    /// The value of the limit.
    Max(u64) = "max";
    /// The number that is used up.
    Used(u64) = "used";
    /// The period of the limit, in seconds.
    WindowSeconds(u64) = "window_seconds";
    /// The time to wait before the next try, in seconds. `Retry-After` has the same value.
    RetryAfterSeconds(u64) = "retry_after_seconds";
    /// The size of the message, in bytes.
    MessageSizeBytes(u64) = "message_size_bytes";
    /// The largest allowed size, in bytes.
    MaxBytes(u64) = "max_bytes";
    /// The earliest allowed time.
    Earliest(Time) = "earliest";
    /// The latest allowed time.
    Latest(Time) = "latest";
    /// When the previous DKIM key retires.
    RetireAt(Time) = "retire_at";
    /// The name of the DNS record.
    RecordName(String) = "name";
    /// The draft's status.
    Status(DraftStatus) = "status";
    /// The hash of the draft's current content.
    ContentSha256(String) = "content_sha256";
    /// The rule that found the loop.
    Rule(LoopRule) = "rule";
    /// The recipients that only received mail named, each with the message.
    UnprovenRecipients(Vec<JudgedRecipient>) = "recipients";
    /// The secrets in the message: kind, place and position, never the value.
    Findings(Vec<OutboundFinding>) = "findings";
    /// JSON pointers into the data where the model's answer doesn't match the schema; an empty one means the whole.
    SchemaErrors(Vec<String>) = "errors";
}

/// The declaration of a detail of an error code.
#[derive(Clone, Copy, Debug)]
pub struct DetailRule {
    pub kind: DetailKind,
    /// Whether every error with the code has it.
    pub is_required: bool,
}

const fn always(kind: DetailKind) -> DetailRule {
    DetailRule { kind, is_required: true }
}

const fn sometimes(kind: DetailKind) -> DetailRule {
    DetailRule { kind, is_required: false }
}

const LIMIT: DetailRule = always(DetailKind::Limit);
const MAX: DetailRule = always(DetailKind::Max);
const RETRY: DetailRule = always(DetailKind::RetryAfterSeconds);
const ADDRESSES: DetailRule = always(DetailKind::Addresses);
const INVALID_REQUEST: &[DetailRule] = &[
    sometimes(DetailKind::Fields),
    sometimes(DetailKind::Reason),
    sometimes(DetailKind::Limit),
    sometimes(DetailKind::Max),
];

impl ErrorCode {
    /// Returns the details that errors with this code can have.
    #[must_use]
    pub const fn details(self) -> &'static [DetailRule] {
        match self {
            ErrorCode::InvalidRequest => INVALID_REQUEST,
            ErrorCode::NotAnswerable => const { &[always(DetailKind::From)] },
            ErrorCode::InvalidHandle => const { &[sometimes(DetailKind::Fields)] },
            ErrorCode::InvalidSendAt => const { &[always(DetailKind::Earliest), always(DetailKind::Latest)] },
            ErrorCode::InsufficientPermissions => const { &[always(DetailKind::Permission)] },
            ErrorCode::MessageWithheld => {
                const { &[always(DetailKind::ScreeningState), sometimes(DetailKind::HoldReason)] }
            }
            ErrorCode::Forbidden => const { &[sometimes(DetailKind::Reason), sometimes(DetailKind::Limit)] },
            ErrorCode::Unavailable => {
                const {
                    &[
                        sometimes(DetailKind::Reason),
                        sometimes(DetailKind::Limit),
                        sometimes(DetailKind::Max),
                        sometimes(DetailKind::RetryAfterSeconds),
                    ]
                }
            }
            ErrorCode::PlanLimitEmails | ErrorCode::PlanLimitStructuredExtractions => &[LIMIT, MAX],
            ErrorCode::PlanLimitStorage => const { &[LIMIT, MAX, always(DetailKind::Used)] },
            ErrorCode::PlanLimitInboxes => const { &[always(DetailKind::InboxLimit)] },
            ErrorCode::MemberHasKeys => const { &[always(DetailKind::ApiKeys)] },
            ErrorCode::PlanLimitDomains
            | ErrorCode::PlanLimitApiKeys
            | ErrorCode::PlanLimitIdentities
            | ErrorCode::PlanLimitKnowledge
            | ErrorCode::PlanLimitIdentityClients
            | ErrorCode::PlanLimitPublicListings => &[MAX],
            ErrorCode::NotFound => const { &[sometimes(DetailKind::InboxId), sometimes(DetailKind::Addresses)] },
            ErrorCode::AddressTaken => const { &[always(DetailKind::Address)] },
            ErrorCode::DraftNotEditable => const { &[always(DetailKind::Status)] },
            ErrorCode::DraftChanged => const { &[always(DetailKind::ContentSha256)] },
            ErrorCode::DkimRecordNotFound => const { &[sometimes(DetailKind::RecordName)] },
            ErrorCode::DkimRotationTooSoon => const { &[always(DetailKind::RetireAt)] },
            ErrorCode::IdempotencyInFlight
            | ErrorCode::LlmUnavailable
            | ErrorCode::SignupDisabled
            | ErrorCode::DirectoryDisabled
            | ErrorCode::PublicDirectoryDisabled
            | ErrorCode::AgentKeysDisabled => &[RETRY],
            ErrorCode::LoopDetected => const { &[always(DetailKind::Rule)] },
            ErrorCode::RecipientUnproven => const { &[always(DetailKind::UnprovenRecipients)] },
            ErrorCode::ContentBlocked => const { &[always(DetailKind::Findings)] },
            ErrorCode::StructuredOutputInvalid => const { &[always(DetailKind::SchemaErrors)] },
            ErrorCode::MessageTooLarge => {
                const { &[sometimes(DetailKind::MessageSizeBytes), sometimes(DetailKind::MaxBytes)] }
            }
            ErrorCode::RecipientBlocked | ErrorCode::RecipientSuppressed => &[ADDRESSES],
            ErrorCode::RateLimited => {
                const { &[LIMIT, sometimes(DetailKind::Max), sometimes(DetailKind::WindowSeconds), RETRY] }
            }
            ErrorCode::DailySendLimitExceeded
            | ErrorCode::OrgDailyLimitExceeded
            | ErrorCode::TemporaryInboxLimit
            | ErrorCode::SignupRateLimited => &[LIMIT, MAX, RETRY],
            ErrorCode::AgentKeyLimit | ErrorCode::HandleLimit => &[MAX],
            ErrorCode::InvalidAgentSignature => const { &[always(DetailKind::AuthorReason)] },
            ErrorCode::InvalidKeyProof => const { &[always(DetailKind::ProofReason)] },
            ErrorCode::UnclaimedWorkspace => const { &[sometimes(DetailKind::Max)] },
            ErrorCode::UnclaimedRecipientLimit => const { &[LIMIT, MAX, always(DetailKind::Used), ADDRESSES, RETRY] },
            _ => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_within_a_code() {
        for code in ErrorCode::ALL {
            let names: Vec<&str> = code.details().iter().map(|rule| rule.kind.text()).collect();
            let unique: std::collections::HashSet<_> = names.iter().collect();
            assert_eq!(unique.len(), names.len(), "{}: {names:?}", code.text());
        }
    }

    #[test]
    fn a_value_has_the_type_of_its_schema() {
        let problem = FieldProblem { path: "to".into(), problem: "is required".into() };
        for detail in [
            Detail::Fields(vec![problem]),
            Detail::Max(3),
            Detail::Reason(RefusalReason::Dmarc),
            Detail::Addresses(vec!["a@example.com".into()]),
            Detail::Earliest(Time::from_millis(0)),
        ] {
            let value = detail.value();
            let matches = match detail.kind().schema()["type"].as_str() {
                Some("integer") => value.is_u64(),
                Some("array") => value.is_array(),
                _ => value.is_string(),
            };
            assert!(matches, "{detail:?}: {value}");
        }
    }
}
