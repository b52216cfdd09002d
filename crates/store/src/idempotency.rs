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
    FIND = "SELECT fingerprint, status, body FROM idempotency WHERE workspace_id = $1 AND route = $2 AND key = $3
        AND created_at > $4";
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

/// What a claim would find: for requests whose subject looks different since.
///
/// # Errors
/// The store's own.
pub fn look(tx: &mut Tx, key: &Key, now: Time) -> Result<Claim> {
    let k = key;
    let found: Option<([u8; 32], u16, String)> =
        tx.one(&FIND, p![k.workspace, k.route, k.key, now.plus_ms(-KEPT_MS)])?;
    Ok(match found {
        None => Claim::Fresh,
        Some((fingerprint, status, body)) if fingerprint == k.fingerprint => Claim::Answered(Recorded { status, body }),
        Some(_) => Claim::Reused,
    })
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
    look(tx, key, now)
}

/// Writes the answer beside the claimed key.
///
/// # Errors
/// The store's own.
pub fn answer(tx: &mut Tx, key: &Key, answer: &Recorded) -> Result<()> {
    tx.exec(&ANSWER, p![key.workspace, key.route, key.key, answer.status, answer.body])?;
    Ok(())
}
