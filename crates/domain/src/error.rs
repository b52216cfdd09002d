//! Every refusal the API can give: one closed enum with one table of status and wire name (decision 1, contract §1.4).
//!
//! A [`Refusal`] is what the caller sees. What an operator needs to know about an inner failure is logged where it
//! happens and never put here.

use serde_json::{Map, Value, json};

macro_rules! codes {
    ($($(#[doc = $doc:literal])* $name:ident = $status:literal $text:literal, $fix:literal;)*) => {
        /// A machine-readable error code. Its text and status are part of the API and never change.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Code { $($(#[doc = $doc])* $name,)* }

        impl Code {
            /// Every code, in the order of their status: the OpenAPI document and the coverage test read it.
            pub const ALL: &[Code] = &[$(Code::$name,)*];

            /// The HTTP status that always goes with the code.
            #[must_use]
            pub const fn status(self) -> u16 { match self { $(Code::$name => $status,)* } }

            /// The name in `error.code`.
            #[must_use]
            pub const fn text(self) -> &'static str { match self { $(Code::$name => $text,)* } }

            /// What the code says, in a sentence.
            #[must_use]
            pub fn meaning(self) -> &'static str { match self { $(Code::$name => concat!($($doc),*).trim(),)* } }

            /// The next action in one sentence, unless the refusal knows a better one.
            #[must_use]
            pub const fn fix(self) -> &'static str { match self { $(Code::$name => $fix,)* } }
        }
    };
}

codes! {
    /// The request does not fit its schema; `details.fields` lists every problem.
    InvalidRequest = 400 "invalid_request", "Correct the fields listed in details.fields and send the request again.";
    /// A draft's `send_at` nearer than a minute or further than 30 days.
    InvalidSendAt = 400 "invalid_send_at", "Choose a time between 1 minute and 30 days from now, or send the draft at once.";
    /// A cursor that this list did not give, or that was given for other filters.
    InvalidCursor = 400 "invalid_cursor", "Start again without a cursor, and keep every other parameter the same from page to page.";
    /// A link that was used up, replaced by a newer one, or has expired.
    InvalidToken = 400 "invalid_token", "Ask for a new link; the one in the newest mail is the one that works.";
    /// No key, an unknown key or a revoked one.
    Unauthorized = 401 "unauthorized", "Send the header 'Authorization: Bearer <API key>' with a key that is not revoked.";
    /// The plan's emails of this month are used up.
    PlanLimitEmails = 402 "plan_limit_emails", "Wait for the next month (UTC) or move the workspace to a larger plan; receiving goes on.";
    /// The key lacks a permission.
    InsufficientPermissions = 403 "insufficient_permissions", "Use a key that has the permission named in details.permission.";
    /// An inbox-scoped key on a route of the whole workspace, or an owner's action.
    Forbidden = 403 "forbidden", "Use a workspace-wide key.";
    /// Sending is suspended for the workspace.
    OrgSuspended = 403 "org_suspended", "Ask the operator of this server to look at the workspace; receiving goes on.";
    /// Temporary inboxes only receive.
    TemporaryInboxReceiveOnly = 403 "temporary_inbox_receive_only", "Send from an inbox that is not temporary.";
    /// Every inbox of the plan is in use.
    PlanLimitInboxes = 403 "plan_limit_inboxes", "Delete an inbox that is no longer needed or move the workspace to a larger plan.";
    /// Every domain of the plan is in use.
    PlanLimitDomains = 403 "plan_limit_domains", "Delete a domain that is no longer needed or move the workspace to a larger plan.";
    /// The domain of the sending inbox is not verified.
    DomainNotVerified = 403 "domain_not_verified", "Publish the records of the domain and check it: POST /v1/domains/{id}/verify.";
    /// Every webhook of the workspace is in use.
    PlanLimitWebhooks = 403 "plan_limit_webhooks", "Delete a webhook that is no longer needed, or let one take more events.";
    /// The workspace is not claimed by a person yet.
    UnclaimedWorkspace = 403 "unclaimed_workspace", "Let a person claim the workspace first; events can be read at GET /v1/events.";
    /// No such record, or not one that this key can see.
    NotFound = 404 "not_found", "Check the path and the id, and that the key may see the record.";
    /// The path exists, with other methods.
    MethodNotAllowed = 405 "method_not_allowed", "Use one of the methods in the Allow header.";
    /// The address is or was an inbox of this server.
    AddressTaken = 409 "address_taken", "Choose another username; addresses are never used a second time.";
    /// The lists have such an entry already.
    ListEntryExists = 409 "list_entry_exists", "Nothing has to be done; DELETE /v1/lists/{id} takes the entry away.";
    /// The message is not held.
    NotHeld = 409 "not_held", "Nothing has to be done: the message is not kept back.";
    /// A receive list stopped the message.
    MessageBlocked = 409 "message_blocked", "Change the receive lists; mail that they stopped stays stopped.";
    /// The lease is not the current one of the message.
    LeaseExpired = 409 "lease_expired", "Drop what was done under this lease, and claim again; the message may be in other hands.";
    /// The draft is in a state in which this cannot be done to it.
    DraftNotEditable = 409 "draft_not_editable", "Read the draft; what was sent or cancelled stays as it is, so make a new one.";
    /// Another workspace has verified the domain, or this one has it already.
    DomainTaken = 409 "domain_taken", "Use another domain, or ask the operator of this server who has it.";
    /// Inboxes use the domain.
    DomainInUse = 409 "domain_in_use", "Delete the inboxes on the domain first, or repeat the request with force=true.";
    /// The record of the new DKIM key cannot be seen.
    DkimRecordNotFound = 409 "dkim_record_not_found", "Publish the record with the key dkim_next, wait until it can be seen, and try again.";
    /// The record of the DKIM key before must still stay.
    DkimRotationTooSoon = 409 "dkim_rotation_too_soon", "Wait until details.retire_at and start the rotation then.";
    /// The first request with this idempotency key has not been answered yet.
    IdempotencyInFlight = 409 "idempotency_in_flight", "Wait for the time in Retry-After and send the same request again.";
    /// The send would keep a mail loop going.
    LoopDetected = 409 "loop_detected", "Do not answer automatic mail more than once; let a person look at the thread.";
    /// The message as a whole is over the size limit.
    MessageTooLarge = 413 "message_too_large", "Send fewer or smaller attachments, or a link to the file.";
    /// The request body is over the size limit of its route.
    BodyTooLarge = 413 "body_too_large", "Send a smaller request body.";
    /// The body is not of the content type that the route takes.
    UnsupportedMediaType = 415 "unsupported_media_type", "Send the body with the content type that the route takes.";
    /// The host that the request names is none of this service.
    MisdirectedRequest = 421 "misdirected_request", "Use the host of base_url; the operator can set base_url to the public address, or add the name to http.allowed_hosts.";
    /// The idempotency key was used with another body.
    IdempotencyKeyReused = 422 "idempotency_key_reused", "Use a new Idempotency-Key for a new request.";
    /// The send or reply lists refuse a recipient.
    RecipientBlocked = 422 "recipient_blocked", "Leave out the addresses in details.addresses or change the lists first.";
    /// The URL of a webhook is not a public one that events may go to.
    InvalidWebhookUrl = 422 "invalid_webhook_url", "Give an https URL of a public host, on port 443 or one from 1024 to 65535, without credentials.";
    /// A recipient bounced or complained before.
    RecipientSuppressed = 422 "recipient_suppressed", "Leave out the addresses in details.addresses or remove their suppression first.";
    /// The emergency stop is in force.
    WorkspaceStopped = 423 "workspace_stopped", "An owner has to resume the workspace: posthouse workspace set ID --resume.";
    /// The inbox is paused.
    InboxPaused = 423 "inbox_paused", "Resume the inbox first: POST /v1/inboxes/{id}/resume.";
    /// Too many requests of this key, or too many sends in a short time.
    RateLimited = 429 "rate_limited", "Wait for the time in Retry-After and send the request again.";
    /// The inbox's sends of this day are used up.
    DailySendLimitExceeded = 429 "daily_send_limit_exceeded", "Wait until 00:00 UTC or send from another inbox.";
    /// The workspace's sends of this day are used up.
    OrgDailyLimitExceeded = 429 "org_daily_limit_exceeded", "Wait until 00:00 UTC or ask for a higher limit.";
    /// An unclaimed workspace has written to as many people today as it may.
    UnclaimedRecipientLimit = 429 "unclaimed_recipient_limit", "Wait until 00:00 UTC, write to people of today again, or let a person claim the workspace.";
    /// Too many temporary inboxes at once or in an hour.
    TemporaryInboxLimit = 429 "temporary_inbox_limit", "Delete temporary inboxes that are no longer needed, or wait for the time in Retry-After.";
    /// The head of the request is over the size limit or has too many fields.
    HeaderTooLarge = 431 "header_too_large", "Send a shorter path, and fewer or smaller header fields.";
    /// Something broke inside; the log has the cause under the request id.
    Internal = 500 "internal_error", "Try again; if it stays, tell the operator the request id.";
    /// The stored bytes of a message or file are missing or altered; everything else works.
    ContentDamaged = 500 "content_damaged", "Tell the operator the request id: posthouse check names what is damaged, and a backup may have it.";
    /// The store does not answer, is full, or too much is waiting for it.
    Unavailable = 503 "unavailable", "Wait for the time in Retry-After and send the request again.";
    /// The database is damaged: nothing is stored until the operator has repaired or restored it.
    StoreDamaged = 503 "store_damaged", "Tell the operator: posthouse check says what is damaged. Keep the request and send it again after that.";
}

/// One problem of one field, for `details.fields` of [`Code::InvalidRequest`] (decision 2).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FieldProblem {
    /// Where: `to[0]`, `metadata.key`, `Idempotency-Key`.
    pub path: String,
    /// What is wrong, in words that say what is right.
    pub problem: String,
}

/// A request that is not carried out: what the caller is told, and nothing that the caller must not know.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[error("{}: {message}", code.text())]
pub struct Refusal {
    /// The machine-readable code.
    pub code: Code,
    /// What is wrong with this very request.
    pub message: String,
    /// The next action, when it is more exact than [`Code::fix`].
    pub fix: Option<String>,
    /// Members of `error.details`.
    pub details: Map<String, Value>,
    /// When to try again, in seconds: also the `Retry-After` field.
    pub retry_after_s: Option<u64>,
}

impl Refusal {
    /// A refusal without details.
    #[must_use]
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), fix: None, details: Map::new(), retry_after_s: None }
    }

    /// The message with every problem of the fields, for where the details are not shown.
    #[must_use]
    pub fn whole_message(&self) -> String {
        let fields = self.details.get("fields").and_then(Value::as_array);
        let told = fields
            .into_iter()
            .flatten()
            .filter_map(|field| Some(format!("{}: {}", field["path"].as_str()?, field["problem"].as_str()?)));
        let told: Vec<String> = told.collect();
        if told.len() > 1 { format!("{}.", told.join("; ")) } else { self.message.clone() }
    }

    /// The refusal for an unknown or invisible record: `not_found` (decision 3).
    #[must_use]
    pub fn not_found(what: &str) -> Self {
        Self::new(Code::NotFound, format!("There is no such {what}, or this key cannot see it."))
    }

    /// The refusal for a request that does not fit its schema.
    #[must_use]
    pub fn invalid(problems: &[FieldProblem]) -> Self {
        let count = problems.len();
        let message = match problems {
            [one] if one.problem.ends_with('?') => format!("{}: {}", one.path, one.problem),
            [one] => format!("{}: {}.", one.path, one.problem),
            _ => format!("{count} fields have problems."),
        };
        let fields: Vec<Value> = problems.iter().map(|p| json!({ "path": p.path, "problem": p.problem })).collect();
        Self::new(Code::InvalidRequest, message).detail("fields", fields)
    }

    /// The refusal for a single bad field.
    #[must_use]
    pub fn invalid_field(path: impl Into<String>, problem: impl Into<String>) -> Self {
        Self::invalid(&[FieldProblem { path: path.into(), problem: problem.into() }])
    }

    /// Adds a member of `error.details`.
    #[must_use]
    pub fn detail(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.details.insert(name.to_owned(), value.into());
        self
    }

    /// Says a better next action than the code's own.
    #[must_use]
    pub fn with_fix(mut self, fix: impl Into<String>) -> Self {
        self.fix = Some(fix.into());
        self
    }

    /// Says when to try again; also shown as `details.retry_after_seconds` (contract §1.2).
    #[must_use]
    pub fn retry_after(mut self, seconds: u64) -> Self {
        self.retry_after_s = Some(seconds);
        self.detail("retry_after_seconds", seconds)
    }

    /// The `error` object of the response (decision 1).
    #[must_use]
    pub fn body(&self, request_id: &str) -> Value {
        let mut error = json!({
            "code": self.code.text(),
            "message": self.message,
            "fix": self.fix.as_deref().unwrap_or(self.code.fix()),
            "request_id": request_id,
        });
        if !self.details.is_empty() {
            error["details"] = Value::Object(self.details.clone());
        }
        json!({ "error": error })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_by_status_and_names_are_unique() {
        assert!(Code::ALL.is_sorted_by_key(|code| code.status()));
        let names: std::collections::HashSet<_> = Code::ALL.iter().map(|code| code.text()).collect();
        assert_eq!(names.len(), Code::ALL.len());
    }

    #[test]
    fn the_body_has_the_members_of_decision_1() {
        let refusal = Refusal::invalid_field("to[0]", "must be an address");
        let body = refusal.body("r1");
        assert_eq!(body["error"]["code"], "invalid_request");
        assert_eq!(body["error"]["details"]["fields"][0]["path"], "to[0]");
        assert_eq!(body["error"]["request_id"], "r1");
        assert!(body["error"]["fix"].as_str().is_some_and(|fix| fix.ends_with('.')));
    }
}
