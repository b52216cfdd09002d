//! The error codes of the API: one closed enum, with one table of HTTP statuses, wire names and fixes.
//!
//! A [`Refusal`] is what the caller sees. Internal causes are logged where they happen and are never part of it.

mod detail;
mod signature_reason;

use serde_json::{Map, Value, json};

use crate::id::MessageId;

pub use detail::{Detail, DetailKind, DetailRule, LimitName, RefusalReason};
pub use signature_reason::{AuthorRefusal, ProofProblem};

macro_rules! codes {
    ($($(#[doc = $doc:literal])* $name:ident = $status:literal $text:literal, $fix:literal;)*) => {
        /// A machine-readable error code. Its name and status are part of the API and never change.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum ErrorCode { $($(#[doc = $doc])* $name,)* }

        impl ErrorCode {
            /// Every code, ordered by status. The OpenAPI description and the error reference list them.
            pub const ALL: &[ErrorCode] = &[$(ErrorCode::$name,)*];

            /// Returns the HTTP status of the code.
            #[must_use]
            pub const fn status(self) -> u16 { match self { $(ErrorCode::$name => $status,)* } }

            /// Returns the value of `error.code`.
            #[must_use]
            pub const fn text(self) -> &'static str { match self { $(ErrorCode::$name => $text,)* } }

            /// Describes the code in one sentence: the doc comment of its variant.
            #[must_use]
            pub fn meaning(self) -> &'static str { match self { $(ErrorCode::$name => concat!($($doc),*).trim(),)* } }

            /// Returns the default next action in one sentence. [`Refusal::fix`] overrides it.
            #[must_use]
            pub const fn fix(self) -> &'static str { match self { $(ErrorCode::$name => $fix,)* } }
        }
    };
}

codes! {
    /// The request doesn't match its schema; `details.fields` lists every problem.
    InvalidRequest = 400 "invalid_request", "Correct the fields listed in `details.fields` and send the request again.";
    /// The draft's `send_at` is less than 1 minute or more than 30 days from now.
    InvalidSendAt = 400 "invalid_send_at", "Choose a time between 1 minute and 30 days from now, or send the draft now.";
    /// The cursor is malformed, or belongs to a different list or different filters.
    InvalidCursor = 400 "invalid_cursor", "Start again without a cursor, and keep all other parameters the same on every page.";
    /// The link was already used, was replaced by a newer one, or has expired.
    InvalidToken = 400 "invalid_token", "Request a new link and use the one in the newest mail.";
    /// The solution doesn't solve the signup challenge, or the challenge was already used.
    InvalidSolution = 400 "invalid_solution", "Get a new challenge from `GET /v1/signup/challenge` and solve it; each one works once.";
    /// The signup challenge has expired.
    ChallengeExpired = 400 "challenge_expired", "Get a new challenge from `GET /v1/signup/challenge` and send its solution within 10 minutes.";
    /// The text is not a valid handle.
    InvalidHandle = 400 "invalid_handle", "Use letters a to z, digits and hyphens: `acme` for a workspace, `@acme/support` for an agent.";
    /// The API key is missing, unknown or revoked.
    Unauthorized = 401 "unauthorized", "Send the header `Authorization: Bearer <API key>` with a valid key.";
    /// The plan's monthly limit of sent emails is used up.
    PlanLimitEmails = 402 "plan_limit_emails", "Wait until next month (UTC) or move the workspace to a larger plan; receiving still works.";
    /// The plan's monthly limit of structured extractions is used up.
    PlanLimitStructuredExtractions = 402 "plan_limit_structured_extractions", "Wait until next month (UTC) or move the workspace to a larger plan; the text of attachments can still be read.";
    /// The API key lacks a permission.
    InsufficientPermissions = 403 "insufficient_permissions", "Use a key that has the permission in `details.permission`.";
    /// Screening withholds the content of the message from this caller.
    MessageWithheld = 403 "message_withheld", "Have a person release the message, or set `include_held=true` with a key that has `messages:release`; for a pending message, wait or set `include_unscreened=true`.";
    /// The caller may not make this request, whatever its permissions.
    Forbidden = 403 "forbidden", "Use a workspace-wide key, or have an owner make the request.";
    /// AI processing of the workspace is not `full`, or this server has no model server.
    AiDisabled = 403 "ai_disabled", "An owner can set `ai_processing` to `full` in the settings of the workspace; the operator configures a model server with `ai.drafting`.";
    /// A change came with a session cookie, but not from the dashboard.
    Csrf = 403 "csrf", "Send the header `X-Requested-With: service-web` from a page of this server, or use an API key.";
    /// Sending is suspended for the workspace.
    OrgSuspended = 403 "org_suspended", "An owner can ask for a review with `POST /platform/org/suspension/review`; the operator ends a suspension. Receiving still works.";
    /// Temporary inboxes can't send.
    TemporaryInboxReceiveOnly = 403 "temporary_inbox_receive_only", "Send from an inbox that isn't temporary.";
    /// The plan's limit of inboxes is reached.
    PlanLimitInboxes = 403 "plan_limit_inboxes", "Delete an inbox you no longer need or move the workspace to a larger plan.";
    /// The limit of identities is reached.
    PlanLimitIdentities = 403 "plan_limit_identities", "Delete an identity you no longer need or move the workspace to a larger plan.";
    /// The plan's limit of active API keys is reached.
    PlanLimitApiKeys = 403 "plan_limit_api_keys", "Revoke a key you no longer need or move the workspace to a larger plan.";
    /// The plan's limit of domains is reached.
    PlanLimitDomains = 403 "plan_limit_domains", "Delete a domain you no longer need or move the workspace to a larger plan.";
    /// The plan's limit of stored bytes is reached.
    PlanLimitStorage = 403 "plan_limit_storage", "Delete threads, drafts or inboxes you no longer need, set a retention, or move the workspace to a larger plan.";
    /// The domain of the sending inbox is not verified.
    DomainNotVerified = 403 "domain_not_verified", "Publish the domain's DNS records, then call `POST /v1/domains/{id}/verify`. If the status is `disabled`, ask the operator of this server.";
    /// The plan's limit of knowledge documents is reached.
    PlanLimitKnowledge = 403 "plan_limit_knowledge", "Delete a knowledge document you no longer need or move the workspace to a larger plan.";
    /// The workspace's limit of webhooks is reached.
    PlanLimitWebhooks = 403 "plan_limit_webhooks", "Delete a webhook you no longer need, or subscribe an existing one to more events.";
    /// The workspace's limit of sign-in apps is reached.
    PlanLimitIdentityClients = 403 "plan_limit_identity_clients", "Delete a sign-in app you no longer need.";
    /// Sign-in is switched off for the agent.
    IdentityDisabled = 403 "identity_disabled", "Ask a person to switch sign-in on: `PATCH /v1/inboxes/{id}/identity` with `enabled: true`.";
    /// The sign-in app is switched off.
    ClientDisabled = 403 "client_disabled", "Ask the owner of the app to enable it.";
    /// No person has claimed the workspace yet.
    UnclaimedWorkspace = 403 "unclaimed_workspace", "Have a person claim the workspace first: `POST /v1/signup/claim`.";
    /// The limit of cards in the public directory is reached.
    PlanLimitPublicListings = 403 "plan_limit_public_listings", "Set another card's visibility to `workspace`, or move the workspace to a larger plan.";
    /// Only received mail named a recipient, and the workspace refuses to write to such addresses.
    RecipientUnproven = 403 "recipient_unproven", "Read the message in `details.recipients`. If a person wants this recipient, create a draft and have them approve it, or add the address to the send allow list.";
    /// The message contains a secret, and the workspace refuses to send such content.
    ContentBlocked = 403 "content_blocked", "Remove what `details.findings` names, or create a draft and have a person approve it.";
    /// The operator suspended the agent.
    AgentSuspended = 403 "agent_suspended", "Ask the operator of this server to review the agent.";
    /// The record doesn't exist, or this key can't see it.
    NotFound = 404 "not_found", "Check the path, the id, and whether the key can access the record.";
    /// No agent with this address or handle is visible to the caller.
    AgentNotFound = 404 "agent_not_found", "Check the address or handle. An agent needs a card, and other workspaces' handles are found only while they are listed.";
    /// The path exists, but doesn't support this method.
    MethodNotAllowed = 405 "method_not_allowed", "Use one of the methods in the `Allow` header.";
    /// The address is, or once was, an inbox of this server.
    AddressTaken = 409 "address_taken", "Choose another username; an address is never reused.";
    /// The handle is or was used by a workspace or agent, or looks like one that is.
    HandleTaken = 409 "handle_taken", "Choose another handle; the handle of a workspace is never given to a second one.";
    /// The handle is reserved, or looks like a reserved one.
    HandleReserved = 409 "handle_reserved", "Choose another handle that doesn't resemble the name of the service or of a role.";
    /// The workspace has had as many handles as it can.
    HandleLimit = 409 "handle_limit", "Take back a handle that the workspace had before, or keep the current one.";
    /// The lists already contain this entry.
    ListEntryExists = 409 "list_entry_exists", "No action is needed. To remove the entry, call `DELETE /v1/lists/{id}`.";
    /// A document in that scope has the same source.
    KnowledgeSourceExists = 409 "knowledge_source_exists", "Delete one of the two documents, or keep the document in its inbox.";
    /// The message is not held.
    NotHeld = 409 "not_held", "No action is needed: the message is not held.";
    /// A member was removed, or an owner made a member, without saying what happens to keys that the person may not keep.
    MemberHasKeys = 409 "member_has_keys", "Add `?keys=revoke` to revoke the keys, or `?keys=take_over` to keep them as yours.";
    /// A review was requested for a workspace or agent that is not suspended or hidden.
    NotSuspended = 409 "not_suspended", "No action is needed: nothing was decided against it.";
    /// A receive list blocked the message.
    MessageBlocked = 409 "message_blocked", "Change the receive lists for future mail; a message that was already blocked can't be released.";
    /// The lease is not the message's current lease.
    LeaseExpired = 409 "lease_expired", "Discard the work done under this lease and claim again; another worker may have the message.";
    /// The message is not in its work queue, or not in the state that the request needs.
    NotQueued = 409 "not_queued", "List the messages with `GET /v1/queue/items`; one that was acknowledged or never claimed needs no action.";
    /// The text of the attachment is still being read.
    ExtractionPending = 409 "extraction_pending", "Wait for the event `attachment.extracted`, or read the message again in a few seconds.";
    /// The attachment has no text.
    ExtractionUnavailable = 409 "extraction_unavailable", "Read `extraction.error` of the attachment; download the file with `GET /v1/attachments/{id}` instead.";
    /// The draft's status doesn't allow this change.
    DraftNotEditable = 409 "draft_not_editable", "Read the draft's `status`. A sent or cancelled draft can't change; create a new one.";
    /// The draft's content isn't the one that was read.
    DraftChanged = 409 "draft_changed", "Read the draft again, and approve it with its new `content_sha256`.";
    /// The domain is already verified by another workspace or added to this one.
    DomainTaken = 409 "domain_taken", "Use another domain. If this one is yours, ask the operator of this server.";
    /// The domain still has inboxes.
    DomainInUse = 409 "domain_in_use", "Delete the domain's inboxes first, or repeat the request with `force=true`.";
    /// The DNS record of the new DKIM key was not found.
    DkimRecordNotFound = 409 "dkim_record_not_found", "Publish the `dkim_next` record, wait for DNS to propagate, and try again.";
    /// The record of the previous DKIM key must stay published for now.
    DkimRotationTooSoon = 409 "dkim_rotation_too_soon", "Wait until `details.retire_at`, then start the rotation.";
    /// The first request with this idempotency key is still in progress.
    IdempotencyInFlight = 409 "idempotency_in_flight", "Wait for the time in `Retry-After` and send the same request again.";
    /// A person has claimed the workspace already.
    AlreadyClaimed = 409 "already_claimed", "No action is needed: the workspace has an owner, who can create more keys.";
    /// The workspace can't be claimed, because it didn't begin by self-signup.
    NotClaimable = 409 "not_claimable", "No action is needed: a person or the operator of this server created the workspace.";
    /// The agent registered this key before.
    AgentKeyExists = 409 "agent_key_exists", "Generate a new key pair; a key is registered once, even if it was retired or revoked.";
    /// The agent has as many keys as it can have.
    AgentKeyLimit = 409 "agent_key_limit", "Retire or revoke a key you no longer use; retired and revoked keys count toward the limit of all keys.";
    /// The key was revoked and can't be retired.
    AgentKeyRevoked = 409 "agent_key_revoked", "No action is needed: a revoked key doesn't sign.";
    /// Sending this message would continue a mail loop.
    LoopDetected = 409 "loop_detected", "Answer automatic mail at most once. Have a person review the thread, and wait an hour if it has too many replies.";
    /// The message is larger than the size limit.
    MessageTooLarge = 413 "message_too_large", "Send fewer or smaller attachments, or link to the files instead.";
    /// The request body is larger than the route's limit.
    BodyTooLarge = 413 "body_too_large", "Send a smaller request body.";
    /// The route doesn't accept the body's content type.
    UnsupportedMediaType = 415 "unsupported_media_type", "Set `Content-Type` to a type that the route accepts.";
    /// The request's `Host` is not a host of this server.
    MisdirectedRequest = 421 "misdirected_request", "Use the host in `base_url`. The operator can change `base_url` or add the host to `http.allowed_hosts`.";
    /// The idempotency key was already used for a different request.
    IdempotencyKeyReused = 422 "idempotency_key_reused", "Use a new `Idempotency-Key` for each new request.";
    /// The author's signature doesn't match the message, its key or its time; `details.reason` says why.
    InvalidAgentSignature = 422 "invalid_agent_signature", "Sign exactly what you send with an active key of the inbox, within five minutes, and use each signature once.";
    /// The proof of a new key is not valid; `details.reason` says why.
    InvalidKeyProof = 422 "invalid_key_proof", "Sign a new proof with the private key of `public_jwk`, and send it within five minutes.";
    /// The message can't be answered: it has no address to reply to, or too many, or its invitation isn't for this inbox.
    NotAnswerable = 422 "not_answerable", "Name the recipients in `to`, or send a new message.";
    /// The send or reply lists block a recipient.
    RecipientBlocked = 422 "recipient_blocked", "Remove the addresses in `details.addresses` from the message, or change the lists.";
    /// The webhook URL is not an allowed public URL.
    InvalidWebhookUrl = 422 "invalid_webhook_url", "Use an https URL on a public host, without credentials, on port 443 or a port from 1024 to 65535.";
    /// A recipient's address is suppressed after a bounce or a complaint.
    RecipientSuppressed = 422 "recipient_suppressed", "Remove the addresses in `details.addresses` from the message, or delete their suppressions.";
    /// Cards can't be public, because the public directory is switched off.
    VisibilityUnavailable = 422 "visibility_unavailable", "Use the visibility `private` or `workspace`; the operator can switch the public directory on.";
    /// The routing is not available.
    RoutingUnavailable = 422 "routing_unavailable", "Use the routing `relay`, or leave it out.";
    /// The model's answer doesn't match the schema, even after it was asked to repair it; nothing was counted.
    StructuredOutputInvalid = 422 "structured_output_invalid", "Use a smaller or less strict schema, or give `instructions`.";
    /// The workspace's emergency stop is active.
    WorkspaceStopped = 423 "workspace_stopped", "Ask an owner to resume the workspace: in the dashboard, or with `posthouse workspace set ID --resume`.";
    /// The inbox is paused.
    InboxPaused = 423 "inbox_paused", "Resume the inbox with `POST /v1/inboxes/{id}/resume`.";
    /// The key made too many requests, or sent too much in a short time.
    RateLimited = 429 "rate_limited", "Wait for the time in `Retry-After` and send the request again.";
    /// The inbox's daily send limit is used up.
    DailySendLimitExceeded = 429 "daily_send_limit_exceeded", "Wait until 00:00 UTC or send from another inbox.";
    /// The workspace's daily send limit is used up.
    OrgDailyLimitExceeded = 429 "org_daily_limit_exceeded", "Wait until 00:00 UTC or ask for a higher limit.";
    /// The unclaimed workspace reached its daily limit of distinct recipients.
    UnclaimedRecipientLimit = 429 "unclaimed_recipient_limit", "Wait until 00:00 UTC, send only to today's recipients, or have a person claim the workspace.";
    /// The workspace has too many temporary inboxes, or created too many within an hour.
    TemporaryInboxLimit = 429 "temporary_inbox_limit", "Delete temporary inboxes you no longer need, or wait for the time in `Retry-After`.";
    /// Too many self-signups or claim mails.
    SignupRateLimited = 429 "signup_rate_limited", "Wait for the time in `Retry-After` and send the request again.";
    /// The request line and header fields are too large, or there are too many fields.
    HeaderTooLarge = 431 "header_too_large", "Send a shorter path, or fewer or smaller header fields.";
    /// An unexpected error occurred; the server log has the cause under the request id.
    Internal = 500 "internal_error", "Try again. If the error persists, report the request id to the operator.";
    /// The stored bytes of this message or attachment are missing or damaged; other data is not affected.
    ContentDamaged = 500 "content_damaged", "Report the request id to the operator: `posthouse check` lists damaged data, and a backup may contain it.";
    /// Keys of agents are switched off on this server.
    AgentKeysDisabled = 503 "agent_keys_disabled", "Send without `agent_signature`; the operator can switch keys on with `agents.agent_keys`.";
    /// The model server of the operator didn't answer; nothing was changed.
    LlmUnavailable = 503 "llm_unavailable", "Wait for the time in `Retry-After` and send the request again.";
    /// The database is unreachable, full or overloaded.
    Unavailable = 503 "unavailable", "Wait for the time in `Retry-After` and send the request again.";
    /// Self-signup is switched off on this server.
    SignupDisabled = 503 "signup_disabled", "Ask the operator of this server for an API key.";
    /// The agent directory is switched off on this server.
    DirectoryDisabled = 503 "directory_disabled", "Use email addresses; the operator can switch the directory on with `agents.directory`.";
    /// The public directory is switched off on this server.
    PublicDirectoryDisabled = 503 "public_directory_disabled", "Ask the operator of this server, who can switch it on with `agents.public_directory`.";
    /// The database is damaged; nothing is stored until the operator repairs or restores it.
    StoreDamaged = 503 "store_damaged", "Ask the operator to run `posthouse check` and repair the database, then send the request again.";
}

/// A problem with one field, as listed in `details.fields` of [`ErrorCode::InvalidRequest`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FieldProblem {
    /// The field's path: `to[0]`, `metadata.key`, `Idempotency-Key`.
    pub path: String,
    /// What is wrong, worded so that it states what is allowed.
    pub problem: String,
}

/// An error response: what the caller may know about why a request failed.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[error("{}: {message}", code.text())]
pub struct Refusal {
    /// The machine-readable code.
    pub code: ErrorCode,
    /// What is wrong with this request.
    pub message: String,
    /// A next action that is more specific than [`ErrorCode::fix`].
    pub fix: Option<String>,
    /// The members of `error.details`.
    pub details: Vec<Detail>,
    /// When to retry, in seconds; also sent as the `Retry-After` header.
    pub retry_after_s: Option<u64>,
}

impl Refusal {
    /// Creates a refusal without details.
    #[must_use]
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), fix: None, details: Vec::new(), retry_after_s: None }
    }

    /// Returns the message with every field problem, for output that doesn't include `details`.
    #[must_use]
    pub fn whole_message(&self) -> String {
        let problems = self.fields().iter().map(|field| format!("{}: {}", field.path, field.problem));
        let problems: Vec<String> = problems.collect();
        if problems.len() > 1 { format!("{}.", problems.join("; ")) } else { self.message.clone() }
    }

    /// Creates the `not_found` refusal. It doesn't reveal whether the record exists and is only hidden from the key.
    #[must_use]
    pub fn not_found(what: &str) -> Self {
        Self::new(ErrorCode::NotFound, format!("No such {what}, or this key can't access it."))
    }

    /// Creates the `invalid_request` refusal for a request that doesn't match its schema.
    #[must_use]
    pub fn invalid(problems: &[FieldProblem]) -> Self {
        let count = problems.len();
        let message = match problems {
            [one] if one.problem.ends_with('?') => format!("{}: {}", one.path, one.problem),
            [one] => format!("{}: {}.", one.path, one.problem),
            _ => format!("{count} fields are invalid."),
        };
        Self::new(ErrorCode::InvalidRequest, message).detail(Detail::Fields(problems.to_vec()))
    }

    /// Creates the `invalid_request` refusal for one field.
    #[must_use]
    pub fn invalid_field(path: impl Into<String>, problem: impl Into<String>) -> Self {
        Self::invalid(&[FieldProblem { path: path.into(), problem: problem.into() }])
    }

    /// Names the field that the refusal is about in `details.fields`.
    #[must_use]
    pub fn of_field(self, path: &str) -> Self {
        let problem = self.message.trim_end_matches('.').to_owned();
        self.detail(Detail::Fields(vec![FieldProblem { path: path.to_owned(), problem }]))
    }

    /// Returns `details.fields`, or an empty slice.
    #[must_use]
    pub fn fields(&self) -> &[FieldProblem] {
        let found = self.details.iter().find_map(|detail| match detail {
            Detail::Fields(fields) => Some(fields.as_slice()),
            _ => None,
        });
        found.unwrap_or_default()
    }

    /// Adds a member to `error.details`, which [`ErrorCode::details`] must declare.
    #[must_use]
    pub fn detail(mut self, detail: Detail) -> Self {
        let is_declared = self.code.details().iter().any(|rule| rule.kind == detail.kind());
        debug_assert!(is_declared, "{} declares no {:?}", self.code.text(), detail.kind());
        self.details.retain(|other| other.kind() != detail.kind());
        self.details.push(detail);
        self
    }

    /// Adds a member to `error.details` of `not_found`, and leaves other refusals unchanged.
    #[must_use]
    pub fn not_found_detail(self, detail: Detail) -> Self {
        if self.code == ErrorCode::NotFound { self.detail(detail) } else { self }
    }

    /// Returns `details.reason`.
    #[must_use]
    pub fn reason(&self) -> Option<RefusalReason> {
        self.details.iter().find_map(|detail| if let Detail::Reason(reason) = detail { Some(*reason) } else { None })
    }

    /// Returns `details.limit`, if the request exceeded a named limit.
    #[must_use]
    pub fn limit(&self) -> Option<LimitName> {
        self.details.iter().find_map(|detail| if let Detail::Limit(limit) = detail { Some(*limit) } else { None })
    }

    /// Returns `details.max`.
    #[must_use]
    pub fn max(&self) -> Option<u64> {
        self.details.iter().find_map(|detail| if let Detail::Max(max) = detail { Some(*max) } else { None })
    }

    /// Creates the refusal of a request that exceeds a limit: `details.limit`, `details.max` and when to retry.
    #[must_use]
    pub fn at_limit(self, limit: LimitName, max: u64, retry_after_s: u64) -> Self {
        self.detail(Detail::Limit(limit)).detail(Detail::Max(max)).retry_after(retry_after_s)
    }

    /// Returns `details.addresses`, or an empty slice.
    #[must_use]
    pub fn addresses(&self) -> &[String] {
        let found = self.details.iter().find_map(|detail| match detail {
            Detail::Addresses(addresses) => Some(addresses.as_slice()),
            _ => None,
        });
        found.unwrap_or_default()
    }

    /// Returns the received messages that named the recipients which the refusal is about, each once.
    #[must_use]
    pub fn naming_messages(&self) -> Vec<MessageId> {
        let unproven = self.details.iter().filter_map(|detail| match detail {
            Detail::UnprovenRecipients(recipients) => Some(recipients),
            _ => None,
        });
        let mut all: Vec<MessageId> = unproven.flatten().filter_map(|one| one.origin.message).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Returns `error.details` as it is sent.
    #[must_use]
    pub fn wire_details(&self) -> Map<String, Value> {
        self.details.iter().map(|detail| (detail.kind().text().to_owned(), detail.value())).collect()
    }

    /// Replaces the code's default next action.
    #[must_use]
    pub fn with_fix(mut self, fix: impl Into<String>) -> Self {
        self.fix = Some(fix.into());
        self
    }

    /// Sets when to retry, in seconds; also adds `details.retry_after_seconds`.
    #[must_use]
    pub fn retry_after(mut self, seconds: u64) -> Self {
        self.retry_after_s = Some(seconds);
        self.detail(Detail::RetryAfterSeconds(seconds))
    }

    /// Returns the response body: an object with the member `error`.
    #[must_use]
    pub fn body(&self, request_id: &str) -> Value {
        let mut error = json!({
            "code": self.code.text(),
            "message": self.message,
            "fix": self.fix.as_deref().unwrap_or(self.code.fix()),
            "request_id": request_id,
        });
        if !self.details.is_empty() {
            error["details"] = Value::Object(self.wire_details());
        }
        json!({ "error": error })
    }
}

#[cfg(test)]
mod tests;
