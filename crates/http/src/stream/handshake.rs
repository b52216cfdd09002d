//! The handshake of a stream (RFC 6455 §4.2), and what follows from it.

use std::sync::Arc;

use axum::http::{HeaderMap, header};
use posthouse_app::limits::shared_budget::BudgetShare;
use posthouse_domain::{Caller, WorkspaceId, stream::StreamClose};
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;

/// A stream in the count of its workspace, until it is dropped.
pub(crate) type StreamShare = Arc<BudgetShare<WorkspaceId>>;

/// The outcome of a handshake.
#[derive(Clone, Debug)]
pub enum HandshakeOutcome {
    /// The caller may receive events.
    Admitted(Box<Caller>, StreamShare),
    /// The stream is closed with this reason.
    Refused(StreamClose),
}

/// Returns the accept key of a request that asks for a WebSocket (RFC 6455 §4.2).
#[must_use]
pub(crate) fn accept_key(headers: &HeaderMap) -> Option<String> {
    let has_value = |name, word: &str| {
        let values = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
        values.flat_map(|value| value.split(',')).any(|one| one.trim().eq_ignore_ascii_case(word))
    };
    let is_upgrade = has_value(header::UPGRADE, "websocket")
        && has_value(header::CONNECTION, "upgrade")
        && has_value(header::SEC_WEBSOCKET_VERSION, "13");
    headers.get(header::SEC_WEBSOCKET_KEY).filter(|_| is_upgrade).map(|key| derive_accept_key(key.as_bytes()))
}

#[cfg(test)]
mod tests;
