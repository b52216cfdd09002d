//! Idempotency keys: a repeated call with the same key returns the first result.
//!
//! Use cases store the record, in the transaction that stores the result of the request
//! (`docs/decisions/api.md#0006-idempotency-in-the-transaction`).

use posthouse_app::limits::in_flight::{IdempotencyKey, IdempotencyScope};
use posthouse_domain::auth::{Caller, Principal};
use sha2::{Digest, Sha256};

use crate::{CallInfo, PathParams};

/// Longest key in characters.
pub const KEY_CHARS_MAX: usize = 255;

/// Returns the key in a text: 1 to 255 visible ASCII characters, with or without quotes.
#[must_use]
pub fn key(text: &str) -> Option<String> {
    let bare = text.strip_prefix('"').and_then(|t| t.strip_suffix('"')).unwrap_or(text);
    let is_fine = (1..=KEY_CHARS_MAX).contains(&bare.len()) && bare.bytes().all(|b| b.is_ascii_graphic());
    is_fine.then(|| bare.to_owned())
}

/// Returns the scope within which the keys of a caller are unique, or `None` if it sends no keys.
#[must_use]
pub fn scope(caller: &Caller) -> Option<IdempotencyScope> {
    match caller.principal {
        Principal::Key(_) | Principal::User(_) => {
            let inbox = caller.scope().key_inbox();
            Some(IdempotencyScope { workspace: caller.workspace, inbox, connector: None })
        }
        Principal::Connector(connector) => {
            Some(IdempotencyScope { workspace: caller.workspace, inbox: None, connector: Some(connector.id) })
        }
        Principal::Operator | Principal::Service { .. } => None,
    }
}

/// Returns the key under which the result of a call is stored, in the name of an operation.
#[must_use]
pub fn stored_key(caller: &Caller, call: &CallInfo, operation: &'static str) -> Option<IdempotencyKey> {
    let (key, fingerprint) = call.idempotency_key.clone().zip(call.fingerprint)?;
    Some(IdempotencyKey { scope: scope(caller)?, route: operation, key, fingerprint })
}

/// Returns the SHA-256 that identifies equal requests of one operation. Each piece is preceded by its length, so that
/// different requests never produce the same input. An absent body counts as an empty object.
pub(crate) fn fingerprint(path: &PathParams, query: Option<&str>, body: &[u8]) -> [u8; 32] {
    let mut hash = Sha256::new();
    let body = if body.is_empty() { b"{}" } else { body };
    let path = path.0.iter().map(|(_, value)| value.as_bytes());
    for piece in path.chain([query.unwrap_or_default().as_bytes(), body]) {
        hash.update((piece.len() as u64).to_be_bytes());
        hash.update(piece);
    }
    hash.finalize().into()
}
