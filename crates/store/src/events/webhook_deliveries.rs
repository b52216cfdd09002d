//! Webhook delivery attempts: one row each, which is also the queue of pending attempts.
//!
//! A worker holds a lease on an attempt: a fencing token, and in `run_at` the time at which the lease expires. A worker
//! whose lease was taken over finds its token gone and changes nothing.

use posthouse_domain::{
    event::EventKind,
    id::{EventId, WebhookDeliveryId, WebhookId, WorkspaceId},
    page::{CursorPosition, PageRange},
    time::Time,
    webhook::{WebhookDelivery, WebhookDeliveryStatus, WebhookExchange},
};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{Json, Result, Tx, p, statements};

/// Builds a statement that reads attempts.
macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT id, webhook_id, event_id, event_type, attempt, status, response_status, response_excerpt, error, ",
            "duration_ms, created_at, next_attempt_at FROM webhook_deliveries ",
            $rest
        )
    };
}

statements! {
    INSERT = "INSERT INTO webhook_deliveries (workspace_id, webhook_id, id, event_id, event_type, attempt, status, created_at, run_at,
        lease_token) VALUES ($1, $2, $3, $4, $5, $6, 'pending', $7, $8, $9)";
    GET = select!("WHERE workspace_id = $1 AND webhook_id = $2 AND id = $3");
    PAGE = select!("WHERE workspace_id = $1 AND webhook_id = $2 AND id < $3 ORDER BY id DESC LIMIT $4");
    /// Returns up to `limit` attempts of a webhook that need action now or later, ordered by due time.
    pub fn pending(workspace: WorkspaceId, webhook: WebhookId, limit: u32) -> Vec<PendingAttempt> =
        "SELECT id, event_id, event_type, attempt, status, run_at FROM webhook_deliveries
        WHERE workspace_id = :workspace AND webhook_id = :webhook AND run_at IS NOT NULL ORDER BY run_at LIMIT :limit";
    CLAIM = "UPDATE webhook_deliveries SET lease_token = $5, run_at = $6
        WHERE workspace_id = $1 AND webhook_id = $2 AND id = $3 AND status = 'pending' AND run_at <= $4";
    FOLLOW = "UPDATE webhook_deliveries SET run_at = NULL
        WHERE workspace_id = $1 AND webhook_id = $2 AND id = $3 AND status = 'failed' AND run_at <= $4";
    EXCHANGE = "SELECT exchange FROM webhook_deliveries WHERE workspace_id = $1 AND webhook_id = $2 AND id = $3";
    SETTLE = "UPDATE webhook_deliveries SET status = $5, response_status = $6, response_excerpt = $7, error = $8, duration_ms = $9,
        next_attempt_at = $10, run_at = $10, exchange = $11, lease_token = NULL
        WHERE workspace_id = $1 AND webhook_id = $2 AND id = $3 AND lease_token = $4";
    RELEASE = "UPDATE webhook_deliveries SET run_at = $5, lease_token = NULL
        WHERE workspace_id = $1 AND webhook_id = $2 AND id = $3 AND lease_token = $4";
    /// Releases all leases; used at start if there is only one process.
    pub fn free(now: Time) -> u64 =
        "UPDATE webhook_deliveries SET run_at = :now, lease_token = NULL WHERE run_at IS NOT NULL AND lease_token IS NOT NULL";
    /// Releases the leases of a webhook with that token, so that any worker can claim the attempts.
    pub fn release_leases(workspace: WorkspaceId, webhook: WebhookId, token: Uuid, now: Time) -> u64 =
        "UPDATE webhook_deliveries SET run_at = :now, lease_token = NULL
        WHERE workspace_id = :workspace AND webhook_id = :webhook AND run_at IS NOT NULL AND lease_token = :token";
    /// Cancels all pending work of a webhook; `why` is the error of attempts that weren't made.
    pub fn cancel(workspace: WorkspaceId, webhook: WebhookId, why: &str) -> u64 =
        "UPDATE webhook_deliveries SET status = 'failed', error = COALESCE(error, :why), next_attempt_at = NULL, run_at = NULL,
        lease_token = NULL WHERE workspace_id = :workspace AND webhook_id = :webhook AND run_at IS NOT NULL";
    NEXT_WEBHOOK = "SELECT workspace_id, webhook_id FROM webhook_deliveries WHERE (workspace_id, webhook_id) > ($1, $2)
        ORDER BY workspace_id, webhook_id LIMIT 1";
    OLD = "SELECT id FROM webhook_deliveries WHERE workspace_id = $1 AND webhook_id = $2 AND id < $3 ORDER BY id LIMIT $4";
    DELETE_OLD = "DELETE FROM webhook_deliveries WHERE workspace_id = $1 AND webhook_id = $2 AND id <= $3";
}

/// An attempt that needs action.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PendingAttempt {
    /// Its ID.
    pub id: WebhookDeliveryId,
    /// The event.
    pub event: EventId,
    /// The event type.
    pub kind: EventKind,
    /// The number of the attempt, starting at 1.
    pub attempt: u32,
    /// Pending: make this attempt. Failed: create the next attempt.
    pub status: WebhookDeliveryStatus,
    /// When the action is due.
    pub run_at: Time,
}

/// The lease of an attempt.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AttemptLease {
    /// A random fencing token, unique to the batch.
    pub token: Uuid,
    /// When it expires.
    pub until: Time,
}

/// Identifies an attempt.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AttemptRef {
    /// The workspace.
    pub workspace: WorkspaceId,
    /// The webhook.
    pub webhook: WebhookId,
    /// The attempt.
    pub id: WebhookDeliveryId,
}

/// The ids of a webhook.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WebhookRef {
    /// The workspace.
    pub workspace: WorkspaceId,
    /// The webhook.
    pub webhook: WebhookId,
}

/// Stores a pending attempt, either leased to the caller or due at its creation time.
pub fn insert(
    tx: &mut Tx,
    workspace: WorkspaceId,
    delivery: &WebhookDelivery,
    lease: Option<AttemptLease>,
) -> Result<()> {
    let (d, run_at) = (delivery, lease.map_or(delivery.created_at, |lease| lease.until));
    let token = lease.map(|lease| lease.token);
    tx.exec(&INSERT, p![workspace, d.webhook, d.id, d.event, d.kind, d.attempt, d.created_at, run_at, token])?;
    if lease.is_none() {
        tx.wake(workspace.0);
    }
    Ok(())
}

/// Returns the attempt.
pub fn get(tx: &mut Tx, place: AttemptRef) -> Result<Option<WebhookDelivery>> {
    tx.one(&GET, p![place.workspace, place.webhook, place.id])
}

/// Returns what an attempt sent, and the header fields of its response; `None` before the attempt.
pub fn exchange(tx: &mut Tx, place: AttemptRef) -> Result<Option<WebhookExchange>> {
    let stored: Option<Option<Json<StoredExchange>>> =
        tx.value(&EXCHANGE, p![place.workspace, place.webhook, place.id])?;
    Ok(stored.flatten().map(|stored| stored.0.into_exchange()))
}

/// A [`WebhookExchange`] as stored.
#[derive(Serialize, Deserialize)]
struct StoredExchange {
    url: String,
    request: Vec<(String, String)>,
    body_sha256: [u8; 32],
    response: Vec<(String, String)>,
}

impl StoredExchange {
    fn of(exchange: &WebhookExchange) -> Self {
        Self {
            url: exchange.url.clone(),
            request: exchange.request_headers.clone(),
            body_sha256: exchange.body_sha256,
            response: exchange.response_headers.clone(),
        }
    }

    fn into_exchange(self) -> WebhookExchange {
        WebhookExchange {
            url: self.url,
            request_headers: self.request,
            body_sha256: self.body_sha256,
            response_headers: self.response,
        }
    }
}

/// Returns a page of the attempts of a webhook, newest first. IDs are in order of creation.
pub fn page(tx: &mut Tx, workspace: WorkspaceId, webhook: WebhookId, page: PageRange) -> Result<Vec<WebhookDelivery>> {
    let after = page.after.unwrap_or(CursorPosition { sort: i64::MAX, id: Uuid::max() });
    tx.rows(&PAGE, p![workspace, webhook, after.id, page.limit])
}

/// Claims a pending attempt that is due. Returns `false` if another worker has it.
pub fn claim(tx: &mut Tx, place: AttemptRef, lease: AttemptLease, now: Time) -> Result<bool> {
    Ok(tx.exec(&CLAIM, p![place.workspace, place.webhook, place.id, now, lease.token, lease.until])? > 0)
}

/// Claims the creation of the next attempt after a failed one. Returns `false` if another worker has claimed it.
pub fn claim_next(tx: &mut Tx, place: AttemptRef, now: Time) -> Result<bool> {
    Ok(tx.exec(&FOLLOW, p![place.workspace, place.webhook, place.id, now])? > 0)
}

/// Writes the outcome of an attempt, that is, its fields from `status` on, and what was sent; the next attempt is due
/// at `next_attempt_at`. Returns `false` if the lease is lost; then nothing changes.
pub fn settle(
    tx: &mut Tx,
    workspace: WorkspaceId,
    token: Uuid,
    ended: &WebhookDelivery,
    exchange: Option<&WebhookExchange>,
) -> Result<bool> {
    let (d, exchange) = (ended, exchange.map(|exchange| Json(StoredExchange::of(exchange))));
    let changed = tx.exec(
        &SETTLE,
        p![
            workspace,
            d.webhook,
            d.id,
            token,
            d.status,
            d.response_status,
            d.response_excerpt,
            d.error,
            d.duration_ms,
            d.next_attempt_at,
            exchange
        ],
    )?;
    Ok(changed > 0)
}

/// Releases a lease, so that any worker can claim the attempt.
pub fn release(tx: &mut Tx, place: AttemptRef, token: Uuid, now: Time) -> Result<()> {
    tx.exec(&RELEASE, p![place.workspace, place.webhook, place.id, token, now])?;
    Ok(())
}

/// Returns the first webhook after the given one that has attempts, even if the webhook itself is deleted; `None` starts
/// at the beginning.
pub fn next_webhook(tx: &mut Tx, after: Option<WebhookRef>) -> Result<Option<WebhookRef>> {
    let start = WebhookRef { workspace: WorkspaceId(Uuid::nil()), webhook: WebhookId(Uuid::nil()) };
    let after = after.unwrap_or(start);
    tx.one(&NEXT_WEBHOOK, p![after.workspace, after.webhook])
}

/// Deletes up to `limit` attempts of a webhook whose IDs are below `below`; returns how many.
pub fn delete_below(tx: &mut Tx, workspace: WorkspaceId, webhook: WebhookId, below: Uuid, limit: u32) -> Result<u64> {
    let old: Vec<(WebhookDeliveryId,)> = tx.rows(&OLD, p![workspace, webhook, below, limit])?;
    let Some((last,)) = old.last() else { return Ok(0) };
    tx.exec(&DELETE_OLD, p![workspace, webhook, last])
}

crate::from_row!(PendingAttempt { id, event = event_id, kind = event_type, attempt, status, run_at });
crate::from_row!(WebhookRef { workspace = workspace_id, webhook = webhook_id });

crate::from_row!(WebhookDelivery {
    id,
    webhook = webhook_id,
    event = event_id,
    kind = event_type,
    attempt,
    status,
    response_status,
    response_excerpt,
    error,
    duration_ms,
    created_at,
    next_attempt_at
});
