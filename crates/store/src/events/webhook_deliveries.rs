//! Webhook delivery attempts: one row each, which is also the queue of pending attempts.
//!
//! A worker holds a lease on an attempt: a fencing token, and in `run_at` the time at which the lease expires. A worker
//! whose lease was taken over finds its token gone and changes nothing.

pub use posthouse_domain::PendingAttempt;
use posthouse_domain::{PageRange, Time, WebhookDelivery, WebhookDeliveryId, WebhookExchange, WebhookId, WorkspaceId};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{Json, Result, Tx, statements, values::Nil};

statements! {
    fn insert_row(
        workspace: WorkspaceId,
        delivery: &WebhookDelivery { webhook, id, event, kind, attempt, created_at },
        run_at: Time,
        token: Option<Uuid>,
    ) =
        "INSERT INTO webhook_deliveries (workspace_id, webhook_id, id, event_id, event_type, attempt, status, created_at, run_at,
        lease_token) VALUES (:workspace, :webhook, :id, :event, :kind, :attempt, 'pending', :created_at, :run_at, :token)";
    /// Returns the attempt.
    pub fn get(attempt: AttemptRef { workspace, webhook, id }) -> Option<WebhookDelivery> =
        "SELECT {webhook_deliveries} FROM webhook_deliveries WHERE workspace_id = :workspace AND webhook_id = :webhook AND id = :id";
    /// Returns a page of the attempts of a webhook, newest first. IDs are in order of creation.
    pub fn page(
        workspace: WorkspaceId, webhook: WebhookId, page: PageRange { id: page.id(), limit },
    ) -> Vec<WebhookDelivery> =
        "SELECT {webhook_deliveries} FROM webhook_deliveries WHERE workspace_id = :workspace AND webhook_id = :webhook AND id < :id ORDER BY id DESC LIMIT :limit";
    /// Returns up to `limit` attempts of a webhook that need action now or later, ordered by due time.
    pub fn pending(workspace: WorkspaceId, webhook: WebhookId, limit: u32) -> Vec<PendingAttempt> =
        "SELECT id, event_id, event_type, attempt, status, run_at FROM webhook_deliveries
        WHERE workspace_id = :workspace AND webhook_id = :webhook AND run_at IS NOT NULL ORDER BY run_at LIMIT :limit";
    /// Claims a pending attempt that is due. Returns `false` if another worker has it.
    pub fn claim(
        attempt: AttemptRef { workspace, webhook, id }, lease: AttemptLease { token, until }, now: Time,
    ) -> bool = "UPDATE webhook_deliveries SET lease_token = :token, run_at = :until
        WHERE workspace_id = :workspace AND webhook_id = :webhook AND id = :id AND status = 'pending' AND run_at <= :now";
    /// Claims the creation of the next attempt after a failed one. Returns `false` if another worker has claimed it.
    pub fn claim_next(attempt: AttemptRef { workspace, webhook, id }, now: Time) -> bool =
        "UPDATE webhook_deliveries SET run_at = NULL
        WHERE workspace_id = :workspace AND webhook_id = :webhook AND id = :id AND status = 'failed' AND run_at <= :now";
    fn stored_exchange(attempt: AttemptRef { workspace, webhook, id }) -> Option<(Option<Json<StoredExchange>>,)> =
        "SELECT exchange FROM webhook_deliveries WHERE workspace_id = :workspace AND webhook_id = :webhook AND id = :id";
    /// Writes the outcome of an attempt, that is, its fields from `status` on, and what was sent; the next attempt is due
    /// at `next_attempt_at`. Returns `false` if the lease is lost; then nothing changes.
    pub fn settle(
        workspace: WorkspaceId,
        token: Uuid,
        ended: &WebhookDelivery {
            webhook, id, status, response_status, response_excerpt, error, duration_ms, next_attempt_at,
        },
        exchange: Option<&WebhookExchange> { exchange: exchange.map(|exchange| Json(StoredExchange::of(exchange))) },
    ) -> bool =
        "UPDATE webhook_deliveries SET status = :status, response_status = :response_status, response_excerpt = :response_excerpt, error = :error, duration_ms = :duration_ms,
        next_attempt_at = :next_attempt_at, run_at = :next_attempt_at, exchange = :exchange, lease_token = NULL
        WHERE workspace_id = :workspace AND webhook_id = :webhook AND id = :id AND lease_token = :token";
    /// Releases a lease, so that any worker can claim the attempt.
    pub fn release(attempt: AttemptRef { workspace, webhook, id }, token: Uuid, now: Time) =
        "UPDATE webhook_deliveries SET run_at = :now, lease_token = NULL
        WHERE workspace_id = :workspace AND webhook_id = :webhook AND id = :id AND lease_token = :token";
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
    /// Returns the first webhook after the given one that has attempts, even if the webhook itself is deleted; `None` starts
    /// at the beginning.
    pub fn next_webhook(
        after: Option<WebhookRef> {
            workspace: Nil::value(after.as_ref().map(|after| &after.workspace)),
            webhook: Nil::value(after.as_ref().map(|after| &after.webhook)),
        },
    ) -> Option<WebhookRef> =
        "SELECT workspace_id, webhook_id FROM webhook_deliveries WHERE (workspace_id, webhook_id) > (:workspace, :webhook)
        ORDER BY workspace_id, webhook_id LIMIT 1";
    fn oldest(workspace: WorkspaceId, webhook: WebhookId, below: Uuid, limit: u32) -> Vec<WebhookDeliveryId> =
        "SELECT id FROM webhook_deliveries WHERE workspace_id = :workspace AND webhook_id = :webhook AND id < :below ORDER BY id LIMIT :limit";
    fn delete_until(workspace: WorkspaceId, webhook: WebhookId, last: WebhookDeliveryId) -> u64 =
        "DELETE FROM webhook_deliveries WHERE workspace_id = :workspace AND webhook_id = :webhook AND id <= :last";
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

crate::row_struct!(
    /// The ids of a webhook.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub WebhookRef { workspace = workspace_id: WorkspaceId, webhook = webhook_id: WebhookId }
);

/// Stores a pending attempt, either leased to the caller or due at its creation time.
pub fn insert(
    tx: &mut Tx,
    workspace: WorkspaceId,
    delivery: &WebhookDelivery,
    lease: Option<AttemptLease>,
) -> Result<()> {
    match lease {
        Some(lease) => insert_row(tx, workspace, delivery, lease.until, Some(lease.token)),
        None => {
            tx.wake(workspace.0);
            insert_row(tx, workspace, delivery, delivery.created_at, None)
        }
    }
}

/// Returns what an attempt sent, and the header fields of its response; `None` before the attempt.
pub fn exchange(tx: &mut Tx, attempt: AttemptRef) -> Result<Option<WebhookExchange>> {
    let stored = stored_exchange(tx, attempt)?.and_then(|(stored,)| stored);
    Ok(stored.map(|stored| stored.0.into_exchange()))
}

/// Deletes up to `limit` attempts of a webhook whose IDs are below `below`; returns how many.
pub fn delete_below(tx: &mut Tx, workspace: WorkspaceId, webhook: WebhookId, below: Uuid, limit: u32) -> Result<u64> {
    let oldest = oldest(tx, workspace, webhook, below, limit)?;
    oldest.last().map_or(Ok(0), |last| delete_until(tx, workspace, webhook, *last))
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

crate::from_row!(PendingAttempt { id, event = event_id, kind = event_type, attempt, status, run_at });
