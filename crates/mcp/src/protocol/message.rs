//! Messages of a client.

use serde_json::{Map, Value, json};

use super::{Failure, FailureKind, Revision};

/// The member of `_meta` with the revision of a request.
const REVISION: &str = "io.modelcontextprotocol/protocolVersion";
/// The member of `_meta` with the capabilities of the client.
const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";

/// A message of a client.
#[derive(Clone, PartialEq, Debug)]
pub enum Message {
    /// Wants an answer.
    Request(Request),
    /// Wants none.
    Notification {
        /// The method.
        method: String,
    },
    /// Answers a request of the server. The service sends none.
    Response(Map<String, Value>),
}

/// A request.
#[derive(Clone, PartialEq, Debug)]
pub struct Request {
    /// The id: a string or an integer.
    pub id: Value,
    /// The method.
    pub method: String,
    /// The parameters.
    pub params: Map<String, Value>,
}

impl Message {
    /// Reads a message.
    ///
    /// # Errors
    /// Returns `InvalidRequest` if the value is not a message of JSON-RPC 2.0.
    pub fn read(value: Value) -> Result<Self, Failure> {
        let invalid = |problem: &str| Err(Failure::new(FailureKind::InvalidRequest, format!("The message {problem}.")));
        let Value::Object(mut members) = value else { return invalid("must be a JSON object") };
        if members.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
            return invalid("must have `\"jsonrpc\": \"2.0\"`");
        }
        let is_answer = members.contains_key("result") || members.contains_key("error");
        if is_answer && !members.contains_key("method") {
            return Ok(Self::Response(members));
        }
        let id = members.remove("id");
        let method = match members.remove("method") {
            Some(Value::String(method)) => method,
            _ => return invalid("must name its `method`"),
        };
        let params = match members.remove("params") {
            None | Some(Value::Null) => Map::new(),
            Some(Value::Object(params)) => params,
            Some(_) => return invalid("must have an object as `params`"),
        };
        match id {
            None => Ok(Self::Notification { method }),
            Some(id) if id.is_string() || id.is_i64() || id.is_u64() => {
                Ok(Self::Request(Request { id, method, params }))
            }
            Some(_) => invalid("must have a string or an integer as `id`"),
        }
    }
}

impl Request {
    fn meta(&self, name: &str) -> Option<&Value> {
        self.params.get("_meta")?.get(name)
    }

    /// Returns the revision that the request names in `_meta`, as the client wrote it.
    #[must_use]
    pub fn named_revision(&self) -> Option<&str> {
        self.meta(REVISION)?.as_str()
    }

    /// Returns whether the request can only come from a client of a stateless revision.
    #[must_use]
    pub fn is_stateless(&self) -> bool {
        self.method == "server/discover" || self.meta(REVISION).is_some()
    }

    /// Returns the settings of an extension that the client declares with the request.
    #[must_use]
    pub fn capability(&self, extension: &str) -> Option<&Value> {
        self.meta(CAPABILITIES)?.get("extensions")?.get(extension)
    }

    /// Returns the stateless revision of the request.
    ///
    /// # Errors
    /// Returns `IncompleteMeta` if `_meta` lacks a member that is required, or `UnsupportedRevision`.
    pub fn stateless_revision(&self) -> Result<Revision, Failure> {
        let missing = |name: &str| {
            let message = format!("`params._meta` must have `{name}`, as every request of revision 2026-07-28.");
            Failure::new(FailureKind::IncompleteMeta, message)
        };
        let named = self.named_revision().ok_or_else(|| missing(REVISION))?;
        let revision = Revision::parse(named).filter(|revision| revision.is_stateless());
        let revision = revision.ok_or_else(|| Failure::unsupported_revision(named))?;
        if self.meta(CAPABILITIES).is_some_and(Value::is_object) { Ok(revision) } else { Err(missing(CAPABILITIES)) }
    }

    /// Returns a parameter that must be a text.
    ///
    /// # Errors
    /// Returns `InvalidParams` if it is missing or no text.
    pub(crate) fn text(&self, name: &str) -> Result<&str, Failure> {
        self.params.get(name).and_then(Value::as_str).ok_or_else(|| {
            Failure::new(FailureKind::InvalidParams, format!("`params.{name}` is required and must be a string."))
        })
    }

    /// Returns a parameter that must be an object, or an empty one if it is absent.
    ///
    /// # Errors
    /// Returns `InvalidParams` if it isn't an object.
    pub(crate) fn object(&self, name: &str) -> Result<Map<String, Value>, Failure> {
        match self.params.get(name) {
            None | Some(Value::Null) => Ok(Map::new()),
            Some(Value::Object(members)) => Ok(members.clone()),
            Some(_) => Err(Failure::new(FailureKind::InvalidParams, format!("`params.{name}` must be an object."))),
        }
    }

    /// Returns the response with a result.
    #[must_use]
    pub fn response(&self, result: Value) -> Value {
        json!({ "jsonrpc": "2.0", "id": self.id, "result": result })
    }
}
