//! Webhooks: rows, their position in the event log, and recent delivery results. Callers seal secrets and header fields
//! before storing them.

use std::ops::Range;

use posthouse_domain::{
    id::{WebhookId, WorkspaceId},
    page::{CursorPosition, PageRange},
    time::{DAY_MS, MINUTE_MS, Time},
    webhook::{AttemptCounts, Webhook},
};
use uuid::Uuid;

use crate::{Result, ToValue, Tx, many, p, statements};

statements! {
    fn insert_row(row: &Webhook) = "{insert webhooks}";
    /// Returns the webhook with that ID.
    pub fn get(workspace: WorkspaceId, id: WebhookId) -> Option<Webhook> =
        "SELECT {webhooks} FROM webhooks WHERE workspace_id = :workspace AND id = :id";
    /// Returns the webhook with that ID and locks its row until the end of the transaction.
    pub fn lock(workspace: WorkspaceId, id: WebhookId) -> Option<Webhook> =
        "SELECT {webhooks} FROM webhooks WHERE workspace_id = :workspace AND id = :id {FOR_UPDATE}";
    PAGE = "SELECT {webhooks} FROM webhooks WHERE workspace_id = $1 AND (created_at, id) < ($2, $3) ORDER BY created_at DESC, id DESC LIMIT $4";
    OF_WORKSPACE = "SELECT {webhooks} FROM webhooks WHERE workspace_id = $1 ORDER BY id LIMIT $2";
    /// Returns the number of webhooks of a workspace.
    pub fn count(workspace: WorkspaceId) -> u64 = "SELECT count(*) FROM webhooks WHERE workspace_id = :workspace";
    fn update_row(row: &Webhook) = "UPDATE webhooks {set webhooks} WHERE workspace_id = :workspace_id AND id = :id";
    ADVANCE = "UPDATE webhooks SET seq = $4 WHERE workspace_id = $1 AND id = $2 AND seq = $3 AND enabled = 1";
    /// Records that an attempt succeeded.
    pub fn succeeded(workspace: WorkspaceId, id: WebhookId, at: Time) =
        "UPDATE webhooks SET failing_since = NULL, last_success_at = :at WHERE workspace_id = :workspace AND id = :id";
    RECORD_FAILURE = "UPDATE webhooks SET failing_since = COALESCE(failing_since, $3), last_failure_at = $4 WHERE workspace_id = $1 AND id = $2";
    /// Records a failed attempt that was followed by a successful one.
    pub fn failed_before(workspace: WorkspaceId, id: WebhookId, at: Time) =
        "UPDATE webhooks SET last_failure_at = :at WHERE workspace_id = :workspace AND id = :id";
    /// Disables a webhook; returns whether it was enabled.
    pub fn disable(workspace: WorkspaceId, id: WebhookId) -> bool =
        "UPDATE webhooks SET enabled = 0 WHERE workspace_id = :workspace AND id = :id AND enabled = 1";
    DELETE = "DELETE FROM webhooks WHERE workspace_id = $1 AND id = $2";
    DELETE_COUNTS = "DELETE FROM webhook_counts WHERE workspace_id = $1 AND webhook_id = $2";
    /// Returns the workspaces that have webhooks.
    pub fn workspaces() -> Vec<WorkspaceId> = "SELECT DISTINCT workspace_id FROM webhooks ORDER BY workspace_id";
    ADD_COUNTS = "INSERT INTO webhook_counts (workspace_id, webhook_id, slot, deliveries, failed) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (workspace_id, webhook_id, slot) DO UPDATE SET deliveries = webhook_counts.deliveries + excluded.deliveries,
        failed = webhook_counts.failed + excluded.failed";
    SUM_COUNTS = "SELECT webhook_id, CAST(sum(deliveries) AS BIGINT) AS deliveries, CAST(sum(failed) AS BIGINT) AS failed FROM {EACH} webhook_counts c
        WHERE c.workspace_id = $1 AND c.slot > $102 AND c.webhook_id {AMONG} {pg:c} GROUP BY webhook_id";
    DELETE_OLD_COUNTS = "DELETE FROM webhook_counts WHERE slot <= $1";
}

/// The time span of one counter row, in milliseconds.
const SLOT_MS: i64 = 10 * MINUTE_MS;

/// Stores a new webhook.
pub fn insert(tx: &mut Tx, webhook: &Webhook) -> Result<()> {
    insert_row(tx, webhook)?;
    wake_dispatchers(tx, webhook.workspace);
    Ok(())
}

/// Writes a webhook whose row is locked.
pub fn update(tx: &mut Tx, webhook: &Webhook) -> Result<()> {
    update_row(tx, webhook)?;
    wake_dispatchers(tx, webhook.workspace);
    Ok(())
}

/// Makes the workspace's dispatcher reload its webhooks. The nil ID wakes the task that starts dispatchers for
/// workspaces with their first webhook.
fn wake_dispatchers(tx: &mut Tx, workspace: WorkspaceId) {
    tx.wake(workspace.0);
    tx.wake(Uuid::nil());
}

/// Returns a page of webhooks, newest first.
pub fn page(tx: &mut Tx, workspace: WorkspaceId, page: PageRange) -> Result<Vec<Webhook>> {
    let after = page.after.unwrap_or(CursorPosition { sort: i64::MAX, id: Uuid::max() });
    tx.rows(&PAGE, p![workspace, after.sort, after.id, page.limit])
}

/// Returns up to `limit` webhooks of a workspace, including disabled ones.
pub fn of(tx: &mut Tx, workspace: WorkspaceId, limit: u64) -> Result<Vec<Webhook>> {
    tx.rows(&OF_WORKSPACE, p![workspace, i64::try_from(limit).unwrap_or(i64::MAX)])
}

/// A time in which every attempt of a webhook failed.
#[derive(Clone, Copy, Debug)]
pub struct FailureRun {
    /// The first known failure; earlier attempts may have failed too.
    pub since: Time,
    /// The latest failure.
    pub last_at: Time,
}

/// Moves a webhook's position in the log from the start of the range to its end. Returns `false` if another process moved it first or the webhook is
/// disabled.
pub fn advance(tx: &mut Tx, workspace: WorkspaceId, id: WebhookId, sequences: Range<i64>) -> Result<bool> {
    Ok(tx.exec(&ADVANCE, p![workspace, id, sequences.start, sequences.end])? > 0)
}

/// Records that every attempt has failed for some time.
pub fn failed(tx: &mut Tx, workspace: WorkspaceId, id: WebhookId, run: FailureRun) -> Result<()> {
    tx.exec(&RECORD_FAILURE, p![workspace, id, run.since, run.last_at])?;
    Ok(())
}

/// Deletes a webhook and its counters; its attempts are deleted separately. Returns whether it existed.
pub fn delete(tx: &mut Tx, workspace: WorkspaceId, id: WebhookId) -> Result<bool> {
    tx.exec(&DELETE_COUNTS, p![workspace, id])?;
    wake_dispatchers(tx, workspace);
    Ok(tx.exec(&DELETE, p![workspace, id])? > 0)
}

/// Counts attempts that ended at that time.
pub fn add_counts(tx: &mut Tx, workspace: WorkspaceId, id: WebhookId, counts: AttemptCounts, at: Time) -> Result<()> {
    let slot = at.millis().div_euclid(SLOT_MS);
    tx.exec(&ADD_COUNTS, p![workspace, id, slot, counts.deliveries, counts.failed])?;
    Ok(())
}

/// Returns the counts of up to 100 webhooks for the last 24 hours; webhooks without attempts are omitted.
pub fn counts(
    tx: &mut Tx,
    workspace: WorkspaceId,
    ids: &[WebhookId],
    now: Time,
) -> Result<Vec<(WebhookId, AttemptCounts)>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let since = (now.millis() - DAY_MS).div_euclid(SLOT_MS);
    let mut parameters = many::parameters(&workspace, ids);
    parameters.push(since.to_value());
    let found: Vec<CountsRow> = tx.rows(&SUM_COUNTS, &parameters)?;
    let counts = |row: &CountsRow| AttemptCounts { deliveries: row.deliveries, failed: row.failed };
    Ok(found.iter().map(|row| (row.webhook_id, counts(row))).collect())
}

/// Deletes counters older than a day.
pub fn prune_counts(tx: &mut Tx, now: Time) -> Result<u64> {
    tx.exec(&DELETE_OLD_COUNTS, p![(now.millis() - DAY_MS).div_euclid(SLOT_MS)])
}

crate::row_struct!(CountsRow { webhook_id: WebhookId, deliveries: u64, failed: u64 });
