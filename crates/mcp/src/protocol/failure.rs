//! Errors of JSON-RPC.

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
    /// The problem, for people and models.
    pub message: String,
    /// More about it.
    pub data: Option<Value>,
}

impl Failure {
    /// Creates an error without data.
    #[must_use]
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), data: None }
    }

    /// Adds data.
    #[must_use]
    pub fn with_data(mut self, data: Value) -> Self {
        self.data = Some(data);
        self
    }

    /// Creates the error for a revision that isn't served.
    #[must_use]
    pub fn unsupported_revision(requested: &str) -> Self {
        let data = json!({ "supported": Revision::names(), "requested": requested });
        Self::new(FailureKind::UnsupportedRevision, "Unsupported protocol version").with_data(data)
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

    /// Returns the error object.
    #[must_use]
    pub fn error(&self, revision: Revision) -> Value {
        let mut error = json!({ "code": self.code(revision), "message": self.message });
        if let Some(data) = &self.data {
            error["data"] = data.clone();
        }
        error
    }

    /// Returns the response to a request with this id; null if the id couldn't be read.
    #[must_use]
    pub fn response(&self, id: &Value, revision: Revision) -> Value {
        json!({ "jsonrpc": "2.0", "id": id, "error": self.error(revision) })
    }
}
