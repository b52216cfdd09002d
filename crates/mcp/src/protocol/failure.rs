//! Errors of JSON-RPC.

use posthouse_domain::{Refusal, error::FieldProblem};
use serde_json::{Value, json};

use super::Revision;

/// Why a request failed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FailureKind {
    /// The text is not JSON.
    Parse,
    /// The JSON is not a message.
    InvalidRequest,
    /// The server has no such method.
    MethodNotFound,
    /// The parameters are wrong.
    InvalidParams,
    /// The request lacks what every request of its revision carries in `_meta`.
    IncompleteMeta,
    /// A field of the transport differs from the message.
    HeaderMismatch,
    /// The server doesn't serve the revision.
    UnsupportedRevision,
    /// No such resource.
    ResourceNotFound,
    /// No such event type or inbox (SEP-3415).
    EventNotFound,
    /// The caller may not read the events.
    EventForbidden,
    /// A limit of the events is reached.
    EventLimit,
    /// An option that the events don't have.
    UnsupportedFeature,
    /// The receiver of a webhook didn't confirm its URL.
    CallbackEndpoint,
    /// The client doesn't declare an extension that the method needs.
    MissingCapability,
    /// The service refused the request before it was a call.
    Refused,
    /// The service failed.
    Internal,
}

/// An error of JSON-RPC.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// Why.
    pub kind: FailureKind,
    /// The problem, for people and models, without the next action.
    pub message: String,
    /// More about it.
    pub data: Option<Value>,
    /// The next action, which the message of the error ends with; `None` for the usual one of its kind.
    pub fix: Option<String>,
}

impl FailureKind {
    /// Returns what to do about a failure that doesn't say it itself.
    #[must_use]
    pub const fn fix(self) -> &'static str {
        match self {
            Self::Parse => "Send one JSON document.",
            Self::InvalidRequest => "Send one message of JSON-RPC 2.0, with `jsonrpc`, `id`, `method` and `params`.",
            Self::MethodNotFound => "Use a method of the revision, for a capability that the server names.",
            Self::InvalidParams => "Correct the parameters that the message names.",
            Self::IncompleteMeta => "Send the whole `_meta` with each request.",
            Self::HeaderMismatch => "Send the header fields with the values of the message.",
            Self::UnsupportedRevision => "Use one of the revisions in `supported`.",
            Self::ResourceNotFound => "List the inboxes with `resources/list`; messages name their own resources.",
            Self::EventNotFound => "Use a name of `events/list`, and the id of an inbox that this key can see.",
            Self::EventForbidden => "Use a key with the permission `messages:read`, in a claimed workspace.",
            Self::EventLimit => "End what you don't need, or wait and try again.",
            Self::UnsupportedFeature => "Leave the option out.",
            Self::CallbackEndpoint => "Let the receiver answer the challenge, and subscribe again.",
            Self::MissingCapability => "Declare the capabilities in `requiredCapabilities` with each request.",
            Self::Refused => "Do what the message says, and send the request again.",
            Self::Internal => "Try again. If the error persists, report it to the operator.",
        }
    }
}

impl Failure {
    /// Creates an error without data.
    #[must_use]
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), data: None, fix: None }
    }

    /// Adds data.
    #[must_use]
    pub fn with_data(mut self, data: Value) -> Self {
        self.data = Some(data);
        self
    }

    /// Says what to do next.
    #[must_use]
    pub fn with_fix(mut self, fix: impl Into<String>) -> Self {
        self.fix = Some(fix.into());
        self
    }

    /// Creates the error for a refusal of the service.
    #[must_use]
    pub fn of(kind: FailureKind, refusal: &Refusal) -> Self {
        // In an error of JSON-RPC, the fields are in the data.
        let fix = refusal.fix.as_deref().unwrap_or(refusal.code.fix()).replace("`details.fields`", "`data.fields`");
        let mut data = json!({ "code": refusal.code.text() });
        let field = |problem: &FieldProblem| json!({ "path": problem.path, "problem": problem.problem });
        if !refusal.fields().is_empty() {
            data["fields"] = refusal.fields().iter().map(field).collect();
        }
        Self::new(kind, refusal.whole_message()).with_data(data).with_fix(fix)
    }

    /// Creates the error for a revision that isn't served.
    #[must_use]
    pub fn unsupported_revision(requested: &str) -> Self {
        let data = json!({ "supported": Revision::names(), "requested": requested });
        Self::new(FailureKind::UnsupportedRevision, "Unsupported protocol version").with_data(data)
    }

    /// Creates the error for a cursor of a list that has one page: no cursor of it was ever given out.
    #[must_use]
    pub fn no_more_pages(method: &str) -> Self {
        let message = format!("`params.cursor` is invalid: `{method}` has one page.");
        Self::new(FailureKind::InvalidParams, message).with_fix("Leave `cursor` out.")
    }

    /// Returns the code in a revision.
    #[must_use]
    pub const fn code(&self, revision: Revision) -> i64 {
        match self.kind {
            FailureKind::Parse => -32700,
            FailureKind::InvalidRequest => -32600,
            FailureKind::MethodNotFound => -32601,
            FailureKind::InvalidParams | FailureKind::IncompleteMeta => -32602,
            FailureKind::ResourceNotFound if revision.is_stateless() => -32602,
            FailureKind::ResourceNotFound => -32002,
            FailureKind::EventNotFound => -32011,
            FailureKind::EventForbidden => -32012,
            FailureKind::EventLimit => -32013,
            FailureKind::UnsupportedFeature => -32014,
            FailureKind::CallbackEndpoint => -32015,
            FailureKind::Internal => -32603,
            FailureKind::Refused => -32000,
            FailureKind::HeaderMismatch => -32020,
            FailureKind::MissingCapability => -32021,
            FailureKind::UnsupportedRevision => -32022,
        }
    }

    /// Returns the error object. Its `data` always has `fix`.
    #[must_use]
    pub fn error(&self, revision: Revision) -> Value {
        // Most clients show the message alone.
        let message = self.fix.as_ref().map_or_else(|| self.message.clone(), |fix| format!("{} {fix}", self.message));
        let mut error = json!({ "code": self.code(revision), "message": message });
        let mut data = self.data.clone().unwrap_or_else(|| json!({}));
        if let Some(members) = data.as_object_mut() {
            let fix = self.fix.as_deref().unwrap_or(self.kind.fix());
            members.entry("fix").or_insert_with(|| json!(fix));
        }
        error["data"] = data;
        error
    }

    /// Returns the response to a request with this id; null if the id couldn't be read.
    #[must_use]
    pub fn response(&self, id: &Value, revision: Revision) -> Value {
        json!({ "jsonrpc": "2.0", "id": id, "error": self.error(revision) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_error_says_what_to_do_next() {
        let plain = Failure::new(FailureKind::InvalidParams, "No.").error(Revision::ALL[0]);
        assert_eq!(plain["data"]["fix"], FailureKind::InvalidParams.fix());
        let own = Failure::new(FailureKind::InvalidParams, "No.").with_data(json!({ "a": 1 })).with_fix("Do it.");
        assert_eq!(own.error(Revision::ALL[0])["data"], json!({ "a": 1, "fix": "Do it." }));
        assert_eq!(own.error(Revision::ALL[0])["message"], "No. Do it.");
    }
}
