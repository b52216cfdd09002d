//! Header fields that repeat parts of a message, so that proxies can route it without reading it. They must agree with the
//! message: else a proxy could judge another request than the one that runs.

use axum::http::HeaderMap;
use base64::{Engine as _, prelude::BASE64_STANDARD};
use posthouse_mcp::{Failure, FailureKind, Request, Revision};
use serde_json::Value;

/// The revision.
const REVISION: &str = "mcp-protocol-version";
/// The method.
const METHOD: &str = "mcp-method";
/// What the method is about.
const NAME: &str = "mcp-name";
/// Around a value in base64.
const ENCODED: (&str, &str) = ("=?base64?", "?=");

/// The fields of a request.
pub(super) struct MirroredFields<'a>(&'a HeaderMap);

impl<'a> MirroredFields<'a> {
    /// Reads the fields of a request.
    pub(super) fn of(fields: &'a HeaderMap) -> Self {
        Self(fields)
    }

    /// Returns a field; an error if it is repeated with another value, or is no text.
    fn value(&self, name: &str) -> Result<Option<&'a str>, Failure> {
        let mut values = self.0.get_all(name).iter();
        let Some(first) = values.next() else { return Ok(None) };
        if values.any(|other| other != first) {
            return Err(mismatch(format!("`{name}` has several values.")));
        }
        let text = first.to_str().map_err(|_| mismatch(format!("`{name}` must be visible ASCII characters.")))?;
        Ok(Some(text.trim()))
    }

    /// Returns whether the client may send batches.
    pub(super) fn allow_batches(&self) -> bool {
        match self.value(REVISION) {
            Ok(None) => true,
            Ok(Some(text)) => text == Revision::March2025.text(),
            Err(_) => false,
        }
    }

    /// Returns the revision of a request, after the fields agreed with it.
    ///
    /// # Errors
    /// Returns `HeaderMismatch`, `UnsupportedRevision` or `IncompleteMeta`.
    pub(super) fn revision(&self, request: &Request) -> Result<Revision, Failure> {
        let field = self.value(REVISION)?;
        let named = field.and_then(Revision::parse);
        if request.is_stateless() || named.is_some_and(Revision::is_stateless) {
            self.check(request, field)?;
            return request.stateless_revision();
        }
        match (field, named) {
            (None, _) => Ok(Revision::UNNAMED),
            (Some(_), Some(revision)) => Ok(revision),
            // The handshake itself decides about the revision.
            (Some(_), None) if request.method == "initialize" => Ok(Revision::UNNAMED),
            (Some(text), None) => Err(Failure::unsupported_revision(text)),
        }
    }

    /// Checks that the fields of a stateless request are there and agree with it.
    fn check(&self, request: &Request, revision: Option<&str>) -> Result<(), Failure> {
        if let Some(named) = request.named_revision() {
            agree(REVISION, revision, named)?;
        }
        agree(METHOD, self.value(METHOD)?, &request.method)?;
        let about = match request.method.as_str() {
            "tools/call" | "prompts/get" => "name",
            "resources/read" => "uri",
            "tasks/get" | "tasks/update" | "tasks/cancel" => "taskId",
            _ => return Ok(()),
        };
        let Some(wanted) = request.params.get(about).and_then(Value::as_str) else { return Ok(()) };
        let given = self.value(NAME)?.map(decoded).transpose()?;
        agree(NAME, given.as_deref(), wanted)
    }
}

fn agree(name: &str, given: Option<&str>, wanted: &str) -> Result<(), Failure> {
    match given {
        Some(given) if given == wanted => Ok(()),
        Some(given) => Err(mismatch(format!("`{name}` is `{given}`, but the message has `{wanted}`."))),
        None => Err(mismatch(format!("`{name}` is required and must be `{wanted}`."))),
    }
}

/// Returns the value of a field that may be in base64.
fn decoded(text: &str) -> Result<String, Failure> {
    let inner = text.strip_prefix(ENCODED.0).and_then(|rest| rest.strip_suffix(ENCODED.1));
    let Some(inner) = inner else { return Ok(text.to_owned()) };
    let bytes = BASE64_STANDARD.decode(inner).ok();
    bytes.and_then(|bytes| String::from_utf8(bytes).ok()).ok_or_else(|| mismatch(format!("`{NAME}` is not base64.")))
}

fn mismatch(problem: String) -> Failure {
    Failure::new(FailureKind::HeaderMismatch, format!("Header mismatch: {problem}"))
}

#[cfg(test)]
mod tests;
