//! Idempotency records: the first response to a request with an `Idempotency-Key`, byte for byte.
//!
//! The key is claimed first, and the response is written last, in the transaction that carries out the request. A
//! concurrent second request waits at the claim until that transaction ends. An error rolls the claim back.

use posthouse_domain::{ConnectorId, DAY_MS, InboxId, Time, WorkspaceId};

use uuid::Uuid;

use crate::{Result, Tx, statements};

/// How long a response is kept, in milliseconds.
pub const RETENTION_MS: i64 = DAY_MS;

statements! {
    fn claim_row(
        key: &IdempotencyKey {
            workspace: key.scope.workspace, inbox: key.scope.stored_id(), route, key: key.key, fingerprint,
        },
        now: Time;
        expired = now.plus_ms(-RETENTION_MS),
    ) -> bool = "INSERT INTO idempotency (workspace_id, scope_id, route, key, fingerprint, status, body, created_at)
        VALUES (:workspace, :inbox, :route, :key, :fingerprint, 0, '', :now) ON CONFLICT (workspace_id, scope_id, route, key) DO UPDATE SET fingerprint = excluded.fingerprint, status = 0, body = '',
        created_at = excluded.created_at WHERE idempotency.created_at <= :expired";
    fn find_row(
        key: &IdempotencyKey { workspace: key.scope.workspace, inbox: key.scope.stored_id(), route, key: key.key },
        now: Time { expired: now.plus_ms(-RETENTION_MS) },
    ) -> Option<IdempotencyRow> =
        "SELECT fingerprint, status, body FROM idempotency WHERE workspace_id = :workspace AND scope_id = :inbox AND route = :route AND key = :key
        AND created_at > :expired";
    /// Records the response under the claimed key.
    pub fn answer(
        key: &IdempotencyKey { workspace: key.scope.workspace, inbox: key.scope.stored_id(), route, key: key.key },
        answer: &RecordedResponse { status, body },
    ) =
        "UPDATE idempotency SET status = :status, body = :body WHERE workspace_id = :workspace AND scope_id = :inbox AND route = :route AND key = :key";
}

/// The callers that share their idempotency keys: an inbox-scoped key shares them with the keys of its inbox, a connector
/// with nobody, all others of a workspace with each other.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct IdempotencyScope {
    pub workspace: WorkspaceId,
    /// The inbox of an inbox-scoped key.
    pub inbox: Option<InboxId>,
    pub connector: Option<ConnectorId>,
}

impl IdempotencyScope {
    /// Returns the id of the scope as stored: nil for the workspace, because null is never equal to null.
    fn stored_id(self) -> Uuid {
        self.connector.map(Uuid::from).or(self.inbox.map(Uuid::from)).unwrap_or_default()
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
    Ok(match find_row(tx, key, now)? {
        None => IdempotencyClaim::New,
        Some(row) if row.fingerprint == key.fingerprint => {
            IdempotencyClaim::Replay(RecordedResponse { status: row.status, body: row.body })
        }
        Some(_) => IdempotencyClaim::Conflict,
    })
}

/// Claims the key for this request unless it was claimed within [`RETENTION_MS`].
pub fn claim(tx: &mut Tx, key: &IdempotencyKey, now: Time) -> Result<IdempotencyClaim> {
    if claim_row(tx, key, now)? { Ok(IdempotencyClaim::New) } else { find(tx, key, now) }
}

crate::row_struct!(IdempotencyRow { fingerprint: [u8; 32], status: u16, body: String });
