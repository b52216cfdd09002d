//! Webhooks: rows, their position in the event log, and recent delivery results. Callers seal secrets and header fields
//! before storing them.

use std::ops::Range;

use posthouse_domain::{
    AttemptCounts, ConnectorId, Credential, DAY_MS, EventSubscription, KeyId, MINUTE_MS, PageRange, SessionId, Time,
    Webhook, WebhookId, WorkspaceId,
};
use uuid::Uuid;

use crate::{Error, Result, Row, ToValue, Tx, Value, statements, values::Columns};

statements! {
    fn insert_row(webhook: row &Webhook) -> bool = "{insert webhooks} ON CONFLICT (workspace_id, id) DO NOTHING";
    /// Returns the webhook with that ID.
    pub fn get(workspace: WorkspaceId, id: WebhookId) -> Option<Webhook> =
        "SELECT {webhooks} FROM webhooks WHERE workspace_id = :workspace AND id = :id";
    /// Returns the webhook with that ID and locks its row until the end of the transaction.
    pub fn lock(workspace: WorkspaceId, id: WebhookId) -> Option<Webhook> =
        "SELECT {webhooks} FROM webhooks WHERE workspace_id = :workspace AND id = :id {FOR_UPDATE}";
    /// Returns a page of webhooks without subscriptions, newest first.
    pub fn page(workspace: WorkspaceId, page: PageRange { sort: page.sort(), id: page.id(), limit }) -> Vec<Webhook> =
        "SELECT {webhooks} FROM webhooks WHERE workspace_id = :workspace AND (created_at, id) < (:sort, :id) AND expires_at IS NULL
        ORDER BY created_at DESC, id DESC LIMIT :limit";
    /// Returns up to `limit` webhooks and subscriptions of a workspace, including disabled ones.
    pub fn of(workspace: WorkspaceId, limit: u64) -> Vec<Webhook> =
        "SELECT {webhooks} FROM webhooks WHERE workspace_id = :workspace ORDER BY id LIMIT :limit";
    /// Returns the number of webhooks of a workspace, without subscriptions.
    pub fn count(workspace: WorkspaceId) -> u64 =
        "SELECT count(*) FROM webhooks WHERE workspace_id = :workspace AND expires_at IS NULL";
    /// Returns the number of subscriptions of a workspace that end after a time.
    pub fn count_subscriptions(workspace: WorkspaceId, now: Time) -> u64 =
        "SELECT count(*) FROM webhooks WHERE workspace_id = :workspace AND expires_at > :now";
    fn verified(
        workspace: WorkspaceId, subscriber: Credential { key: key_of(&subscriber), session: session_of(&subscriber), connector: connector_of(&subscriber) }, url: &str, now: Time,
    ) -> Vec<WebhookId> =
        "SELECT id FROM webhooks WHERE workspace_id = :workspace AND url = :url AND expires_at > :now
        AND (key_id = :key OR session_id = :session OR connector_id = :connector) LIMIT 1";
    fn update_row(webhook: row &Webhook) =
        "UPDATE webhooks {set webhooks} WHERE workspace_id = :workspace_id AND id = :id";
    /// Moves a webhook's position in the log from the start of the range to its end. Returns `false` if another process moved it first or the webhook is
    /// disabled.
    pub fn advance(workspace: WorkspaceId, id: WebhookId, sequences: Range<i64> { start, end }) -> bool =
        "UPDATE webhooks SET seq = :end WHERE workspace_id = :workspace AND id = :id AND seq = :start AND enabled = 1";
    /// Records that an attempt succeeded.
    pub fn succeeded(workspace: WorkspaceId, id: WebhookId, at: Time) =
        "UPDATE webhooks SET failing_since = NULL, last_success_at = :at WHERE workspace_id = :workspace AND id = :id";
    /// Records that every attempt has failed for some time.
    pub fn failed(workspace: WorkspaceId, id: WebhookId, run: FailureRun { since, last_at }) =
        "UPDATE webhooks SET failing_since = COALESCE(failing_since, :since), last_failure_at = :last_at WHERE workspace_id = :workspace AND id = :id";
    /// Records a failed attempt that was followed by a successful one.
    pub fn failed_before(workspace: WorkspaceId, id: WebhookId, at: Time) =
        "UPDATE webhooks SET last_failure_at = :at WHERE workspace_id = :workspace AND id = :id";
    /// Disables a webhook; returns whether it was enabled.
    pub fn disable(workspace: WorkspaceId, id: WebhookId) -> bool =
        "UPDATE webhooks SET enabled = 0 WHERE workspace_id = :workspace AND id = :id AND enabled = 1";
    fn delete_row(workspace: WorkspaceId, id: WebhookId) -> bool =
        "DELETE FROM webhooks WHERE workspace_id = :workspace AND id = :id";
    fn delete_counts(workspace: WorkspaceId, id: WebhookId) =
        "DELETE FROM webhook_counts WHERE workspace_id = :workspace AND webhook_id = :id";
    /// Returns the workspaces that have webhooks.
    pub fn workspaces() -> Vec<WorkspaceId> = "SELECT DISTINCT workspace_id FROM webhooks ORDER BY workspace_id";
    /// Counts attempts that ended at that time.
    pub fn add_counts(
        workspace: WorkspaceId,
        id: WebhookId,
        counts: AttemptCounts { deliveries, failed },
        at: Time { slot: slot(at) },
    ) =
        "INSERT INTO webhook_counts (workspace_id, webhook_id, slot, deliveries, failed) VALUES (:workspace, :id, :slot, :deliveries, :failed)
        ON CONFLICT (workspace_id, webhook_id, slot) DO UPDATE SET deliveries = webhook_counts.deliveries + excluded.deliveries,
        failed = webhook_counts.failed + excluded.failed";
    fn sum_counts(workspace: WorkspaceId, ids: each WebhookId, since: i64) -> Vec<CountsRow> =
        "SELECT webhook_id, CAST(sum(deliveries) AS BIGINT) AS deliveries, CAST(sum(failed) AS BIGINT) AS failed FROM {EACH} webhook_counts c
        WHERE c.workspace_id = :workspace AND c.slot > :since AND c.webhook_id {AMONG} {pg:c} GROUP BY webhook_id";
    /// Deletes counters older than a day.
    pub fn prune_counts(now: Time { slot: slot(now.plus_ms(-DAY_MS)) }) -> u64 =
        "DELETE FROM webhook_counts WHERE slot <= :slot";
}

/// The time span of one counter row, in milliseconds.
const SLOT_MS: i64 = 10 * MINUTE_MS;

impl Columns for Option<EventSubscription> {
    fn take(row: &mut Row<'_>) -> Result<Self> {
        let (key, session): (Option<KeyId>, Option<SessionId>) = (row.take()?, row.take()?);
        let connector: Option<ConnectorId> = row.take()?;
        let Some(expires_at) = row.take()? else { return Ok(None) };
        let subscriber = key.map(Credential::Key).or(session.map(Credential::Session));
        let subscriber = subscriber.or(connector.map(Credential::Connector));
        let subscriber = subscriber.ok_or_else(|| Error::corrupt("an event subscription has no subscriber"))?;
        Ok(Some(EventSubscription { subscriber, expires_at }))
    }

    fn values(&self) -> Vec<Value<'_>> {
        let Some(EventSubscription { subscriber, expires_at }) = self else { return vec![Value::Null; 4] };
        let ids = match subscriber {
            Credential::Key(key) => [key.to_value(), Value::Null, Value::Null],
            Credential::Session(session) => [Value::Null, session.to_value(), Value::Null],
            Credential::Connector(connector) => [Value::Null, Value::Null, connector.to_value()],
        };
        ids.into_iter().chain([expires_at.to_value()]).collect()
    }
}

/// Returns the key of a subscriber.
fn key_of(subscriber: &Credential) -> Option<KeyId> {
    if let Credential::Key(key) = subscriber { Some(*key) } else { None }
}

/// Returns the session of a subscriber.
fn session_of(subscriber: &Credential) -> Option<SessionId> {
    if let Credential::Session(session) = subscriber { Some(*session) } else { None }
}

/// Returns the connector of a subscriber.
fn connector_of(subscriber: &Credential) -> Option<ConnectorId> {
    if let Credential::Connector(connector) = subscriber { Some(*connector) } else { None }
}

/// Returns whether a subscriber has a subscription to that URL which hasn't ended: the receiver confirmed the URL to it.
pub fn is_verified(tx: &mut Tx, workspace: WorkspaceId, subscriber: Credential, url: &str, now: Time) -> Result<bool> {
    Ok(!verified(tx, workspace, subscriber, url, now)?.is_empty())
}

/// Stores a new webhook. Returns `false` if there is one with that ID.
pub fn insert(tx: &mut Tx, webhook: &Webhook) -> Result<bool> {
    wake_dispatchers(tx, webhook.workspace);
    insert_row(tx, webhook)
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

/// A time in which every attempt of a webhook failed.
#[derive(Clone, Copy, Debug)]
pub struct FailureRun {
    /// The first known failure; earlier attempts may have failed too.
    pub since: Time,
    /// The latest failure.
    pub last_at: Time,
}

/// Deletes a webhook and its counters; its attempts are deleted separately. Returns whether it existed.
pub fn delete(tx: &mut Tx, workspace: WorkspaceId, id: WebhookId) -> Result<bool> {
    delete_counts(tx, workspace, id)?;
    wake_dispatchers(tx, workspace);
    delete_row(tx, workspace, id)
}

/// Returns the counts of up to 100 webhooks for the last 24 hours; webhooks without attempts are omitted.
pub fn counts(
    tx: &mut Tx,
    workspace: WorkspaceId,
    ids: &[WebhookId],
    now: Time,
) -> Result<Vec<(WebhookId, AttemptCounts)>> {
    let found = sum_counts(tx, workspace, ids, slot(now.plus_ms(-DAY_MS)))?;
    let counts = |row: &CountsRow| AttemptCounts { deliveries: row.deliveries, failed: row.failed };
    Ok(found.iter().map(|row| (row.webhook_id, counts(row))).collect())
}

crate::row_struct!(CountsRow { webhook_id: WebhookId, deliveries: u64, failed: u64 });

/// Returns the number of the counter row for a time.
fn slot(at: Time) -> i64 {
    at.millis().div_euclid(SLOT_MS)
}
