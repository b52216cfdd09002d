//! The challenge of a request without a valid key (RFC 6750 §3, RFC 9728 §5.1).

use axum::http::HeaderValue;
use posthouse_app::Service;
use posthouse_domain::Refusal;

/// How the refusal of a request without a credential begins.
const NO_CREDENTIAL: &str = "The request has no ";

/// Returns the challenge for a refusal. It names the metadata of the endpoint, where clients find how to get a token. A
/// request without a credential made no error: it gets no error code.
pub(super) fn challenge(service: &Service, refusal: &Refusal) -> Option<HeaderValue> {
    let metadata = format!("{}/.well-known/oauth-protected-resource/mcp", service.config.base_url);
    let description = refusal.message.replace(['"', '\\'], "");
    let error = if refusal.message.starts_with(NO_CREDENTIAL) {
        String::new()
    } else {
        format!("error=\"invalid_token\", error_description=\"{description}\", ")
    };
    HeaderValue::from_str(&format!("Bearer {error}resource_metadata=\"{metadata}\", scope=\"mcp\"")).ok()
}
