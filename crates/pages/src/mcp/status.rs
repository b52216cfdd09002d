//! Responses of the endpoint: JSON-RPC inside of HTTP.

use posthouse_http::prelude::*;
use posthouse_mcp::{Failure, FailureKind, Revision};
use serde_json::Value;

/// How the refusal of a request without a credential begins.
const NO_CREDENTIAL: &str = "The request has no ";

/// Returns the response of a request that failed.
pub(super) fn failed(failure: &Failure, id: &Value, revision: Revision) -> RouteResponse {
    RouteResponse::rendered_json(status(failure.kind, revision), failure.response(id, revision).to_string())
}

/// Returns the response to a message whose id and revision aren't known.
pub(super) fn unread(failure: &Failure) -> RouteResponse {
    failed(failure, &Value::Null, Revision::UNNAMED)
}

/// Returns the status of a failure. Clients of the stateless revision decide by it, before they read the error.
const fn status(kind: FailureKind, revision: Revision) -> u16 {
    match kind {
        FailureKind::Parse
        | FailureKind::InvalidRequest
        | FailureKind::IncompleteMeta
        | FailureKind::HeaderMismatch
        | FailureKind::MissingCapability
        | FailureKind::UnsupportedRevision => 400,
        FailureKind::MethodNotFound if revision.is_stateless() => 404,
        FailureKind::MethodNotFound
        | FailureKind::InvalidParams
        | FailureKind::ResourceNotFound
        | FailureKind::EventNotFound
        | FailureKind::EventForbidden
        | FailureKind::EventLimit
        | FailureKind::UnsupportedFeature
        | FailureKind::CallbackEndpoint
        | FailureKind::Refused
        | FailureKind::Internal => 200,
    }
}

/// Returns the response to a message that wants no answer.
pub(super) fn accepted() -> RouteResponse {
    RouteResponse { status: StatusCode::ACCEPTED, ..RouteResponse::empty() }
}

/// Writes a refusal of the service as an error of JSON-RPC.
pub(super) fn refusal(service: &Service, refusal: &Refusal) -> RouteResponse {
    let mut failure = Failure::of(FailureKind::Refused, refusal);
    if !refusal.details.is_empty()
        && let Some(data) = &mut failure.data
    {
        data["details"] = Value::Object(refusal.wire_details());
    }
    let body = failure.response(&Value::Null, Revision::UNNAMED).to_string();
    let response = RouteResponse::rendered_json(refusal.code.status(), body);
    match challenge(service, refusal) {
        Some(value) if refusal.code.status() == 401 => response.with(header::WWW_AUTHENTICATE, value),
        _ => response,
    }
}

/// Returns the challenge for a refusal (RFC 6750 §3, RFC 9728 §5.1). It names the metadata of the endpoint, where clients find how to get a token. A
/// request without a credential made no error: it gets no error code.
fn challenge(service: &Service, refusal: &Refusal) -> Option<HeaderValue> {
    let metadata = format!("{}/.well-known/oauth-protected-resource/mcp", service.config.base_url);
    let description = refusal.message.replace(['"', '\\'], "");
    let error = if refusal.message.starts_with(NO_CREDENTIAL) {
        String::new()
    } else {
        format!("error=\"invalid_token\", error_description=\"{description}\", ")
    };
    HeaderValue::from_str(&format!("Bearer {error}resource_metadata=\"{metadata}\", scope=\"mcp\"")).ok()
}
