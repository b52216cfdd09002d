//! What a client is told beside the result of its call: limits, and the notice of its workspace.

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use posthouse_call::Notes;

use crate::response::rate_limits;

const SERVICE_NOTICE: HeaderName = HeaderName::from_static("service-notice");

/// Writes notes as fields of a response.
pub(crate) fn write(notes: &Notes, headers: &mut HeaderMap) {
    for status in &notes.limits {
        rate_limits::write(status, headers);
    }
    if let Some(notice) = &notes.notice {
        let encoded =
            percent_encoding::utf8_percent_encode(&notice.message, percent_encoding::NON_ALPHANUMERIC).to_string();
        if let Ok(value) = HeaderValue::from_str(&encoded) {
            headers.insert(SERVICE_NOTICE, value);
        }
    }
}
