//! Webhooks: their rows, the place of each in the log, and how its attempts went lately (contract §11). Secrets and header
//! fields are sealed before they come here.

use posthouse_domain::{
    event::EventKind,
    id::{InboxId, WebhookId, WorkspaceId},
    page::{Page, Position},
    time::{DAY_MS, MINUTE_MS, Time},
    webhook::Webhook,
};
use uuid::Uuid;

use crate::{FromRow, Json, Result, Row, Sql, ToValue, Tx, many, p, statements};

/// A statement that reads webhooks.
macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT workspace_id, id, url, events, inbox_ids, enabled, payload, headers, secret, secret_hint, old_secret, ",
            "old_secret_until, seq, failing_since, last_success_at, last_failure_at, created_at FROM webhooks ",
            $rest
        )
    };
}

statements! {
    INSERT = "INSERT INTO webhooks (workspace_id, id, url, events, inbox_ids, enabled, payload, headers, secret, secret_hint, old_secret,
        old_secret_until, seq, failing_since, last_success_at, last_failure_at, created_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)";
    GET = select!("WHERE workspace_id = $1 AND id = $2");
    TAKE = select!("WHERE workspace_id = $1 AND id = $2 {FOR_UPDATE}");
    PAGE = select!("WHERE workspace_id = $1 AND (created_at, id) < ($2, $3) ORDER BY created_at DESC, id DESC LIMIT $4");
    OF = select!("WHERE workspace_id = $1 ORDER BY id LIMIT $2");
    COUNT = "SELECT count(*) FROM webhooks WHERE workspace_id = $1";
    UPDATE = "UPDATE webhooks SET url = $3, events = $4, inbox_ids = $5, enabled = $6, payload = $7, headers = $8, secret = $9,
        secret_hint = $10, old_secret = $11, old_secret_until = $12, seq = $13, failing_since = $14, last_success_at = $15,
        last_failure_at = $16, created_at = $17 WHERE workspace_id = $1 AND id = $2";
    ADVANCE = "UPDATE webhooks SET seq = $4 WHERE workspace_id = $1 AND id = $2 AND seq = $3 AND enabled = 1";
    SUCCEEDED = "UPDATE webhooks SET failing_since = NULL, last_success_at = $3 WHERE workspace_id = $1 AND id = $2";
    FAILED = "UPDATE webhooks SET failing_since = COALESCE(failing_since, $3), last_failure_at = $4 WHERE workspace_id = $1 AND id = $2";
    FAILED_BEFORE = "UPDATE webhooks SET last_failure_at = $3 WHERE workspace_id = $1 AND id = $2";
    DISABLE = "UPDATE webhooks SET enabled = 0 WHERE workspace_id = $1 AND id = $2 AND enabled = 1";
    DELETE = "DELETE FROM webhooks WHERE workspace_id = $1 AND id = $2";
    DELETE_COUNTS = "DELETE FROM webhook_counts WHERE workspace_id = $1 AND webhook_id = $2";
    WORKSPACES = "SELECT DISTINCT workspace_id FROM webhooks ORDER BY workspace_id";
    ADD_COUNTS = "INSERT INTO webhook_counts (workspace_id, webhook_id, slot, deliveries, failed) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (workspace_id, webhook_id, slot) DO UPDATE SET deliveries = webhook_counts.deliveries + excluded.deliveries,
        failed = webhook_counts.failed + excluded.failed";
    SUM_COUNTS = "SELECT webhook_id, CAST(sum(deliveries) AS BIGINT), CAST(sum(failed) AS BIGINT) FROM {EACH} webhook_counts c
        WHERE c.workspace_id = $1 AND c.slot > $102 AND c.webhook_id {AMONG} {pg:c} GROUP BY webhook_id";
    OLD_COUNTS = "DELETE FROM webhook_counts WHERE slot <= $1";
}

/// The length of a stretch of time that attempts are counted by, in milliseconds.
const SLOT_MS: i64 = 10 * MINUTE_MS;

/// How many attempts ended in the last 24 hours, to ten minutes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// All of them.
    pub deliveries: u64,
    /// Those that failed.
    pub failed: u64,
}

/// Stores a new webhook.
///
/// # Errors
/// The store's own.
pub fn insert(tx: &mut Tx, webhook: &Webhook) -> Result<()> {
    write(tx, &INSERT, webhook)
}

/// Writes a webhook whose row is taken.
///
/// # Errors
/// The store's own.
pub fn update(tx: &mut Tx, webhook: &Webhook) -> Result<()> {
    write(tx, &UPDATE, webhook)
}

fn write(tx: &mut Tx, sql: &Sql, w: &Webhook) -> Result<()> {
    tx.exec(
        sql,
        p![
            w.workspace,
            w.id,
            w.url,
            kinds(w),
            inboxes(w),
            w.enabled,
            w.payload,
            w.headers,
            w.secret,
            w.secret_hint,
            w.old_secret,
            w.old_secret_until,
            w.cursor,
            w.failing_since,
            w.last_success_at,
            w.last_failure_at,
            w.created_at
        ],
    )?;
    news(tx, w.workspace);
    Ok(())
}

/// Who carries events looks at the webhooks of a workspace again; who has none to look at hears of the first one.
fn news(tx: &mut Tx, workspace: WorkspaceId) {
    tx.wake(workspace.0);
    tx.wake(Uuid::nil());
}

/// The webhook of that id.
///
/// # Errors
/// The store's own.
pub fn get(tx: &mut Tx, workspace: WorkspaceId, id: WebhookId) -> Result<Option<Webhook>> {
    tx.one(&GET, p![workspace, id])
}

/// The webhook of that id, its row taken until the commit.
///
/// # Errors
/// The store's own.
pub fn take(tx: &mut Tx, workspace: WorkspaceId, id: WebhookId) -> Result<Option<Webhook>> {
    tx.one(&TAKE, p![workspace, id])
}

/// A page of webhooks, newest first.
///
/// # Errors
/// The store's own.
pub fn page(tx: &mut Tx, workspace: WorkspaceId, page: Page) -> Result<Vec<Webhook>> {
    let after = page.after.unwrap_or(Position { sort: i64::MAX, id: Uuid::max() });
    tx.rows(&PAGE, p![workspace, after.sort, after.id, page.limit])
}

/// Up to `limit` webhooks of a workspace, disabled ones too.
///
/// # Errors
/// The store's own.
pub fn of(tx: &mut Tx, workspace: WorkspaceId, limit: u64) -> Result<Vec<Webhook>> {
    tx.rows(&OF, p![workspace, i64::try_from(limit).unwrap_or(i64::MAX)])
}

/// How many webhooks a workspace has.
///
/// # Errors
/// The store's own.
pub fn count(tx: &mut Tx, workspace: WorkspaceId) -> Result<u64> {
    Ok(tx.value(&COUNT, p![workspace])?.unwrap_or(0))
}

/// Moves the place of a webhook on. False: it is not where it was, because another process was faster, or it is disabled.
///
/// # Errors
/// The store's own.
pub fn advance(tx: &mut Tx, workspace: WorkspaceId, id: WebhookId, (from, to): (i64, i64)) -> Result<bool> {
    Ok(tx.exec(&ADVANCE, p![workspace, id, from, to])? > 0)
}

/// Notes that an attempt succeeded.
///
/// # Errors
/// The store's own.
pub fn succeeded(tx: &mut Tx, workspace: WorkspaceId, id: WebhookId, at: Time) -> Result<()> {
    tx.exec(&SUCCEEDED, p![workspace, id, at])?;
    Ok(())
}

/// Notes that every attempt failed since that time, if not longer, the last one at `at`.
///
/// # Errors
/// The store's own.
pub fn failed(tx: &mut Tx, workspace: WorkspaceId, id: WebhookId, (since, at): (Time, Time)) -> Result<()> {
    tx.exec(&FAILED, p![workspace, id, since, at])?;
    Ok(())
}

/// Notes that an attempt failed, though a later one did not.
///
/// # Errors
/// The store's own.
pub fn failed_before(tx: &mut Tx, workspace: WorkspaceId, id: WebhookId, at: Time) -> Result<()> {
    tx.exec(&FAILED_BEFORE, p![workspace, id, at])?;
    Ok(())
}

/// Disables a webhook; says whether it was enabled.
///
/// # Errors
/// The store's own.
pub fn disable(tx: &mut Tx, workspace: WorkspaceId, id: WebhookId) -> Result<bool> {
    Ok(tx.exec(&DISABLE, p![workspace, id])? > 0)
}

/// Deletes a webhook and what was counted; its attempts are deleted apart. Says whether it was there.
///
/// # Errors
/// The store's own.
pub fn delete(tx: &mut Tx, workspace: WorkspaceId, id: WebhookId) -> Result<bool> {
    tx.exec(&DELETE_COUNTS, p![workspace, id])?;
    news(tx, workspace);
    Ok(tx.exec(&DELETE, p![workspace, id])? > 0)
}

/// The workspaces that have webhooks.
///
/// # Errors
/// The store's own.
pub fn workspaces(tx: &mut Tx) -> Result<Vec<WorkspaceId>> {
    Ok(tx.rows::<(WorkspaceId,)>(&WORKSPACES, p![])?.into_iter().map(|(id,)| id).collect())
}

/// Counts attempts that ended at that time.
///
/// # Errors
/// The store's own.
pub fn add_counts(tx: &mut Tx, workspace: WorkspaceId, id: WebhookId, (counts, at): (Counts, Time)) -> Result<()> {
    let slot = at.millis().div_euclid(SLOT_MS);
    tx.exec(&ADD_COUNTS, p![workspace, id, slot, counts.deliveries, counts.failed])?;
    Ok(())
}

/// What was counted for up to 100 webhooks in the last 24 hours; webhooks without any attempt are left out.
///
/// # Errors
/// The store's own.
pub fn counts(tx: &mut Tx, workspace: WorkspaceId, ids: &[WebhookId], now: Time) -> Result<Vec<(WebhookId, Counts)>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let since = (now.millis() - DAY_MS).div_euclid(SLOT_MS);
    let mut parameters = many::parameters(&workspace, ids);
    parameters.push(since.to_value());
    let found: Vec<(WebhookId, u64, u64)> = tx.rows(&SUM_COUNTS, &parameters)?;
    Ok(found.into_iter().map(|(id, deliveries, failed)| (id, Counts { deliveries, failed })).collect())
}

/// Forgets what was counted more than a day ago.
///
/// # Errors
/// The store's own.
pub fn forget_counts(tx: &mut Tx, now: Time) -> Result<u64> {
    tx.exec(&OLD_COUNTS, p![(now.millis() - DAY_MS).div_euclid(SLOT_MS)])
}

fn kinds(webhook: &Webhook) -> Json<Vec<&'static str>> {
    Json(webhook.kinds.iter().map(|kind| kind.text()).collect())
}

fn inboxes(webhook: &Webhook) -> Option<Json<Vec<Uuid>>> {
    webhook.inboxes.as_ref().map(|ids| Json(ids.iter().map(|id| id.0).collect()))
}

impl FromRow for Webhook {
    const COLUMNS: usize = 17;

    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self {
            workspace: row.take()?,
            id: row.take()?,
            url: row.take()?,
            kinds: row.take::<Json<Vec<String>>>()?.0.iter().filter_map(|name| EventKind::parse(name)).collect(),
            inboxes: row.take::<Option<Json<Vec<Uuid>>>>()?.map(|ids| ids.0.into_iter().map(InboxId).collect()),
            enabled: row.take()?,
            payload: row.take()?,
            headers: row.take()?,
            secret: row.take()?,
            secret_hint: row.take()?,
            old_secret: row.take()?,
            old_secret_until: row.take()?,
            cursor: row.take()?,
            failing_since: row.take()?,
            last_success_at: row.take()?,
            last_failure_at: row.take()?,
            created_at: row.take()?,
        })
    }
}
