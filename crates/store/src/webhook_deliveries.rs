//! Attempts to hand events to webhooks (decision 11): one row each, which is also the queue of those that are to be made.
//!
//! Whoever makes an attempt holds a lease: a token, and in `run_at` the time at which the attempt is anybody's again. What
//! another process overtook finds its token gone and changes nothing.

use posthouse_domain::{
    event::EventKind,
    id::{EventId, WebhookDeliveryId, WebhookId, WorkspaceId},
    page::{Page, Position},
    time::Time,
    webhook::{Delivery, DeliveryStatus},
};
use uuid::Uuid;

use crate::{Result, Tx, p, statements};

/// A statement that reads attempts.
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
    WAITING = "SELECT id, event_id, event_type, attempt, status, run_at FROM webhook_deliveries
        WHERE workspace_id = $1 AND webhook_id = $2 AND run_at IS NOT NULL ORDER BY run_at LIMIT $3";
    CLAIM = "UPDATE webhook_deliveries SET lease_token = $5, run_at = $6
        WHERE workspace_id = $1 AND webhook_id = $2 AND id = $3 AND status = 'pending' AND run_at <= $4";
    FOLLOW = "UPDATE webhook_deliveries SET run_at = NULL
        WHERE workspace_id = $1 AND webhook_id = $2 AND id = $3 AND status = 'failed' AND run_at <= $4";
    SETTLE = "UPDATE webhook_deliveries SET status = $5, response_status = $6, response_excerpt = $7, error = $8, duration_ms = $9,
        next_attempt_at = $10, run_at = $10, lease_token = NULL
        WHERE workspace_id = $1 AND webhook_id = $2 AND id = $3 AND lease_token = $4";
    RELEASE = "UPDATE webhook_deliveries SET run_at = $5, lease_token = NULL
        WHERE workspace_id = $1 AND webhook_id = $2 AND id = $3 AND lease_token = $4";
    FREE = "UPDATE webhook_deliveries SET run_at = $1, lease_token = NULL WHERE run_at IS NOT NULL AND lease_token IS NOT NULL";
    FREE_LEASED = "UPDATE webhook_deliveries SET run_at = $4, lease_token = NULL
        WHERE workspace_id = $1 AND webhook_id = $2 AND run_at IS NOT NULL AND lease_token = $3";
    CANCEL = "UPDATE webhook_deliveries SET status = 'failed', error = COALESCE(error, $3), next_attempt_at = NULL, run_at = NULL,
        lease_token = NULL WHERE workspace_id = $1 AND webhook_id = $2 AND run_at IS NOT NULL";
    NEXT_WEBHOOK = "SELECT workspace_id, webhook_id FROM webhook_deliveries WHERE (workspace_id, webhook_id) > ($1, $2)
        ORDER BY workspace_id, webhook_id LIMIT 1";
    OLD = "SELECT id FROM webhook_deliveries WHERE workspace_id = $1 AND webhook_id = $2 AND id < $3 ORDER BY id LIMIT $4";
    DELETE_OLD = "DELETE FROM webhook_deliveries WHERE workspace_id = $1 AND webhook_id = $2 AND id <= $3";
}

/// An attempt about which something is to be done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Waiting {
    /// Its id.
    pub id: WebhookDeliveryId,
    /// The event.
    pub event: EventId,
    /// The event's kind.
    pub kind: EventKind,
    /// Which attempt it is, from 1.
    pub attempt: u32,
    /// Pending: it is to be made. Failed: the next is.
    pub status: DeliveryStatus,
    /// When.
    pub run_at: Time,
}

/// A lease of an attempt.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lease {
    /// Drawn anew for each batch: nobody else's leases have it.
    pub token: Uuid,
    /// When it ends.
    pub until: Time,
}

/// Where an attempt is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// The tenant.
    pub workspace: WorkspaceId,
    /// The webhook.
    pub webhook: WebhookId,
    /// The attempt.
    pub id: WebhookDeliveryId,
}

/// Stores an attempt that is to be made: leased to who stores it, or due at its making.
///
/// # Errors
/// The store's own.
pub fn insert(tx: &mut Tx, workspace: WorkspaceId, delivery: &Delivery, lease: Option<Lease>) -> Result<()> {
    let (d, run_at) = (delivery, lease.map_or(delivery.created_at, |lease| lease.until));
    let token = lease.map(|lease| lease.token);
    tx.exec(&INSERT, p![workspace, d.webhook, d.id, d.event, d.kind, d.attempt, d.created_at, run_at, token])?;
    if lease.is_none() {
        tx.wake(workspace.0);
    }
    Ok(())
}

/// The attempt of that id.
///
/// # Errors
/// The store's own.
pub fn get(tx: &mut Tx, place: Place) -> Result<Option<Delivery>> {
    tx.one(&GET, p![place.workspace, place.webhook, place.id])
}

/// A page of the attempts of a webhook, newest first. Ids are in the order of making.
///
/// # Errors
/// The store's own.
pub fn page(tx: &mut Tx, workspace: WorkspaceId, webhook: WebhookId, page: Page) -> Result<Vec<Delivery>> {
    let after = page.after.unwrap_or(Position { sort: i64::MAX, id: Uuid::max() });
    tx.rows(&PAGE, p![workspace, webhook, after.id, page.limit])
}

/// Up to `limit` attempts of a webhook about which something is or will be to be done, by their time.
///
/// # Errors
/// The store's own.
pub fn waiting(tx: &mut Tx, workspace: WorkspaceId, webhook: WebhookId, limit: u32) -> Result<Vec<Waiting>> {
    tx.rows(&WAITING, p![workspace, webhook, limit])
}

/// Takes a pending attempt whose time has come. False: somebody else has it.
///
/// # Errors
/// The store's own.
pub fn claim(tx: &mut Tx, place: Place, lease: Lease, now: Time) -> Result<bool> {
    Ok(tx.exec(&CLAIM, p![place.workspace, place.webhook, place.id, now, lease.token, lease.until])? > 0)
}

/// Takes on to follow a failed attempt with the next. False: somebody else does.
///
/// # Errors
/// The store's own.
pub fn follow(tx: &mut Tx, place: Place, now: Time) -> Result<bool> {
    Ok(tx.exec(&FOLLOW, p![place.workspace, place.webhook, place.id, now])? > 0)
}

/// Writes how an attempt ended, by its members from `status` on; a next attempt is due at `next_attempt_at`. False: the
/// lease is lost, and nothing was changed.
///
/// # Errors
/// The store's own.
pub fn settle(tx: &mut Tx, workspace: WorkspaceId, token: Uuid, ended: &Delivery) -> Result<bool> {
    let d = ended;
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
            d.next_attempt_at
        ],
    )?;
    Ok(changed > 0)
}

/// Hands a lease back: the attempt is anybody's now.
///
/// # Errors
/// The store's own.
pub fn release(tx: &mut Tx, place: Place, token: Uuid, now: Time) -> Result<()> {
    tx.exec(&RELEASE, p![place.workspace, place.webhook, place.id, token, now])?;
    Ok(())
}

/// Ends every lease: for the start of the only process there is.
///
/// # Errors
/// The store's own.
pub fn free(tx: &mut Tx, now: Time) -> Result<u64> {
    tx.exec(&FREE, p![now])
}

/// Ends the leases of a webhook that have that token: the attempts are anybody's now.
///
/// # Errors
/// The store's own.
pub fn free_leased(tx: &mut Tx, of: (WorkspaceId, WebhookId), token: Uuid, now: Time) -> Result<u64> {
    let (workspace, webhook) = of;
    tx.exec(&FREE_LEASED, p![workspace, webhook, token, now])
}

/// Gives up whatever is still to be done for a webhook, with a word for the attempts that were not made.
///
/// # Errors
/// The store's own.
pub fn cancel(tx: &mut Tx, workspace: WorkspaceId, webhook: WebhookId, why: &str) -> Result<u64> {
    tx.exec(&CANCEL, p![workspace, webhook, why])
}

/// The webhook with attempts behind that one in the order of ids, also when it is deleted itself.
///
/// # Errors
/// The store's own.
pub fn next_webhook(tx: &mut Tx, after: (Uuid, Uuid)) -> Result<Option<(WorkspaceId, WebhookId)>> {
    tx.one(&NEXT_WEBHOOK, p![after.0, after.1])
}

/// Deletes up to `limit` attempts of a webhook whose ids are below that one; says how many.
///
/// # Errors
/// The store's own.
pub fn delete_below(
    tx: &mut Tx,
    (workspace, webhook): (WorkspaceId, WebhookId),
    below: Uuid,
    limit: u32,
) -> Result<u64> {
    let old: Vec<(WebhookDeliveryId,)> = tx.rows(&OLD, p![workspace, webhook, below, limit])?;
    let Some((last,)) = old.last() else { return Ok(0) };
    tx.exec(&DELETE_OLD, p![workspace, webhook, last])
}

crate::from_row!(Waiting { id, event, kind, attempt, status, run_at });

crate::from_row!(Delivery {
    id,
    webhook,
    event,
    kind,
    attempt,
    status,
    response_status,
    response_excerpt,
    error,
    duration_ms,
    created_at,
    next_attempt_at
});
