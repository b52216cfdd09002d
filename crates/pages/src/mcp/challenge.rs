//! The challenge of a request without a valid key (RFC 6750 §3, RFC 9728 §5.1).

use axum::http::HeaderValue;
use posthouse_app::Service;
use posthouse_domain::Refusal;

/// Returns the challenge for a refusal. It names the metadata of the endpoint, where clients find how to get a token.
pub(super) fn challenge(service: &Service, refusal: &Refusal) -> Option<HeaderValue> {
    let metadata = format!("{}/.well-known/oauth-protected-resource/mcp", service.config.base_url);
    let description = refusal.message.replace(['"', '\\'], "");
    let text = format!(
        "Bearer error=\"invalid_token\", error_description=\"{description}\", resource_metadata=\"{metadata}\", \
         scope=\"mcp\""
    );
    HeaderValue::from_str(&text).ok()
}
