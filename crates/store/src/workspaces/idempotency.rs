//! Idempotency records: the first response to a request with an `Idempotency-Key`, byte for byte.
//!
//! The key is claimed first, and the response is written last, in the transaction that carries out the request. A
//! concurrent second request waits at the claim until that transaction ends. An error rolls the claim back.

use posthouse_domain::{
    id::{InboxId, WorkspaceId},
    time::{DAY_MS, Time},
};

use uuid::Uuid;

use crate::{Result, Tx, p, statements};

/// How long a response is kept, in milliseconds.
pub const RETENTION_MS: i64 = DAY_MS;

statements! {
    CLAIM = "INSERT INTO idempotency (workspace_id, scope_id, route, key, fingerprint, status, body, created_at)
        VALUES ($1, $2, $3, $4, $5, 0, '', $6) ON CONFLICT (workspace_id, scope_id, route, key) DO UPDATE SET fingerprint = excluded.fingerprint, status = 0, body = '',
        created_at = excluded.created_at WHERE idempotency.created_at <= $7";
    FIND = "SELECT fingerprint, status, body FROM idempotency WHERE workspace_id = $1 AND scope_id = $2 AND route = $3 AND key = $4
        AND created_at > $5";
    RECORD_RESPONSE = "UPDATE idempotency SET status = $5, body = $6 WHERE workspace_id = $1 AND scope_id = $2 AND route = $3 AND key = $4";
}

/// The callers that share their idempotency keys: an inbox-scoped key shares them with the keys of its inbox, all others
/// of a workspace with each other.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct IdempotencyScope {
    /// The workspace.
    pub workspace: WorkspaceId,
    /// The inbox of an inbox-scoped key.
    pub inbox: Option<InboxId>,
}

impl IdempotencyScope {
    /// Returns the inbox as stored: nil if there is none, because null is never equal to null.
    fn stored_inbox(self) -> InboxId {
        self.inbox.unwrap_or(InboxId(Uuid::nil()))
    }
}

/// Identifies a request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct IdempotencyKey {
    /// The callers that share it.
    pub scope: IdempotencyScope,
    /// The route's name.
    pub route: &'static str,
    /// The value of the header.
    pub key: String,
    /// SHA-256 of the parts that make two requests the same: path, query and body.
    pub fingerprint: [u8; 32],
}

/// A recorded response.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecordedResponse {
    /// The HTTP status.
    pub status: u16,
    /// The body.
    pub body: String,
}

/// The result of a claim.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum IdempotencyClaim {
    /// The key is unused: carry out the request and record its response with [`answer`].
    New,
    /// The same request already has this response.
    Replay(RecordedResponse),
    /// A different request used the key.
    Conflict,
}

/// Looks up a key without claiming it.
pub fn find(tx: &mut Tx, key: &IdempotencyKey, now: Time) -> Result<IdempotencyClaim> {
    let k = key;
    let found: Option<IdempotencyRow> =
        tx.one(&FIND, p![k.scope.workspace, k.scope.stored_inbox(), k.route, k.key, now.plus_ms(-RETENTION_MS)])?;
    Ok(match found {
        None => IdempotencyClaim::New,
        Some(row) if row.fingerprint == k.fingerprint => {
            IdempotencyClaim::Replay(RecordedResponse { status: row.status, body: row.body })
        }
        Some(_) => IdempotencyClaim::Conflict,
    })
}

/// Claims the key for this request unless it was claimed within [`RETENTION_MS`].
pub fn claim(tx: &mut Tx, key: &IdempotencyKey, now: Time) -> Result<IdempotencyClaim> {
    let k = key;
    let (workspace, inbox, expired) = (k.scope.workspace, k.scope.stored_inbox(), now.plus_ms(-RETENTION_MS));
    if tx.exec(&CLAIM, p![workspace, inbox, k.route, k.key, k.fingerprint, now, expired])? == 1 {
        return Ok(IdempotencyClaim::New);
    }
    find(tx, key, now)
}

/// Records the response under the claimed key.
pub fn answer(tx: &mut Tx, key: &IdempotencyKey, answer: &RecordedResponse) -> Result<()> {
    tx.exec(
        &RECORD_RESPONSE,
        p![key.scope.workspace, key.scope.stored_inbox(), key.route, key.key, answer.status, answer.body],
    )?;
    Ok(())
}

crate::row_struct!(IdempotencyRow { fingerprint: [u8; 32], status: u16, body: String });
