//! Fields of requests.

use axum::http::HeaderName;

use super::*;

fn asked(fields: &[(HeaderName, &'static str)]) -> Option<String> {
    let fields = fields.iter().map(|(name, value)| (name.clone(), axum::http::HeaderValue::from_static(value)));
    accept_key(&fields.collect())
}

#[test]
fn a_handshake_needs_all_its_fields() {
    let whole = [
        (header::UPGRADE, "WebSocket"),
        (header::CONNECTION, "keep-alive, Upgrade"),
        (header::SEC_WEBSOCKET_VERSION, "13"),
        (header::SEC_WEBSOCKET_KEY, "dGhlIHNhbXBsZSBub25jZQ=="),
    ];
    assert_eq!(asked(&whole).as_deref(), Some("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="), "RFC 6455 §1.3");
    for at in 0..whole.len() {
        let mut less = whole.to_vec();
        less.remove(at);
        assert_eq!(asked(&less), None);
    }
}
