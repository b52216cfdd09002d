//! The `Idempotency-Key` field (draft-ietf-httpapi-idempotency-key-header).

use axum::http::HeaderMap;
use posthouse_api::wire::Problems;
use posthouse_call::idempotency;

/// Returns the key of a request.
pub(crate) fn key(headers: &HeaderMap, problems: &mut Problems) -> Option<String> {
    let mut values = headers.get_all("idempotency-key").iter();
    let value = values.next()?;
    let key = idempotency::key(value.to_str().unwrap_or_default()).filter(|_| values.next().is_none());
    let what = || format!("must be 1 to {} visible ASCII characters, once", idempotency::KEY_CHARS_MAX);
    key.or_else(|| problems.add("Idempotency-Key", what()))
}
