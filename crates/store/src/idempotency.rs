//! Idempotency records: the first answer to a request with an `Idempotency-Key`, byte for byte (decision 4).
//!
//! A key is claimed first and its answer written last, in the transaction that makes what the request asks for. Whoever
//! comes second waits at the claim until that transaction is over. A refusal rolls the claim back.

use posthouse_domain::{
    id::WorkspaceId,
    time::{DAY_MS, Time},
};

use crate::{Result, Tx, p, statements};

/// How long an answer is kept, in milliseconds.
pub const KEPT_MS: i64 = DAY_MS;

statements! {
    CLAIM = "INSERT INTO idempotency (workspace_id, route, key, fingerprint, status, body, created_at) VALUES ($1, $2, $3, $4, 0, '', $5)
        ON CONFLICT (workspace_id, route, key) DO UPDATE SET fingerprint = excluded.fingerprint, status = 0, body = '',
        created_at = excluded.created_at WHERE idempotency.created_at <= $6";
    FIND = "SELECT fingerprint, status, body FROM idempotency WHERE workspace_id = $1 AND route = $2 AND key = $3";
    ANSWERED = "SELECT status, body FROM idempotency WHERE workspace_id = $1 AND route = $2 AND key = $3 AND fingerprint = $4
        AND status > 0 AND created_at > $5";
    ANSWER = "UPDATE idempotency SET status = $4, body = $5 WHERE workspace_id = $1 AND route = $2 AND key = $3";
}

/// Which request it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Key {
    /// The tenant.
    pub workspace: WorkspaceId,
    /// The route's name.
    pub route: &'static str,
    /// The header's value.
    pub key: String,
    /// SHA-256 of what makes two requests the same: path, query and body.
    pub fingerprint: [u8; 32],
}

/// An answer as it was given.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Recorded {
    /// The HTTP status.
    pub status: u16,
    /// The body.
    pub body: String,
}

/// What a claim finds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Claim {
    /// Nobody has the key: carry the request out and record its [`answer`].
    Fresh,
    /// The same request was answered before.
    Answered(Recorded),
    /// Another request has the key.
    Reused,
}

/// The answer that this very request got before, if there is one: for requests whose subject looks different since.
///
/// # Errors
/// The store's own.
pub fn answered(tx: &mut Tx, key: &Key, now: Time) -> Result<Option<Recorded>> {
    let k = key;
    let found: Option<(u16, String)> =
        tx.one(&ANSWERED, p![k.workspace, k.route, k.key, k.fingerprint, now.plus_ms(-KEPT_MS)])?;
    Ok(found.map(|(status, body)| Recorded { status, body }))
}

/// Takes the key for this request, unless it was taken within [`KEPT_MS`].
///
/// # Errors
/// The store's own.
pub fn claim(tx: &mut Tx, key: &Key, now: Time) -> Result<Claim> {
    let k = key;
    if tx.exec(&CLAIM, p![k.workspace, k.route, k.key, k.fingerprint, now, now.plus_ms(-KEPT_MS)])? == 1 {
        return Ok(Claim::Fresh);
    }
    let found: Option<([u8; 32], u16, String)> = tx.one(&FIND, p![k.workspace, k.route, k.key])?;
    Ok(match found {
        Some((fingerprint, status, body)) if fingerprint == k.fingerprint => Claim::Answered(Recorded { status, body }),
        _ => Claim::Reused,
    })
}

/// Writes the answer beside the claimed key.
///
/// # Errors
/// The store's own.
pub fn answer(tx: &mut Tx, key: &Key, answer: &Recorded) -> Result<()> {
    tx.exec(&ANSWER, p![key.workspace, key.route, key.key, answer.status, answer.body])?;
    Ok(())
}
