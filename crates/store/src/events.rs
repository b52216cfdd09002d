//! The event log of each workspace. Events are appended in the transaction that causes them, with gapless sequence
//! numbers.

pub(crate) mod counters;
pub mod webhook_deliveries;
pub mod webhooks;

use posthouse_domain::{
    event::{Event, NewEvent},
    id::{EventId, InboxId, WorkspaceId},
    time::Time,
};

use crate::{Result, Tx, p, statements};

statements! {
    INSERT = "INSERT INTO events (workspace_id, seq, id, type, inbox_id, thread_id, message_id, detail, created_at)
        VALUES ({PARAMETERS})";
    HOLD = "INSERT INTO held_events (workspace_id, inbox_id, created_at, id, type, thread_id, message_id, detail)
        VALUES ({PARAMETERS})";
    /// Returns the number of held-back events of an inbox.
    pub fn count_held(workspace: WorkspaceId, inbox: InboxId) -> u64 =
        "SELECT count(*) FROM held_events WHERE workspace_id = :workspace AND inbox_id = :inbox";
    RELEASE = "INSERT INTO events (workspace_id, seq, id, type, inbox_id, thread_id, message_id, detail, created_at, released)
        SELECT workspace_id, CAST($3 AS BIGINT) + row_number() OVER (ORDER BY created_at, id), id, type, inbox_id, thread_id, message_id,
        detail, CAST($4 AS BIGINT), 1 FROM held_events WHERE workspace_id = $1 AND inbox_id = $2";
    /// Deletes the held-back events of an inbox.
    pub fn delete_held(workspace: WorkspaceId, inbox: InboxId) =
        "DELETE FROM held_events WHERE workspace_id = :workspace AND inbox_id = :inbox";
    HEAD = "SELECT event_seq FROM workspace_counters WHERE workspace_id = $1";
    /// Returns the sequence number of an event, if it is in the log.
    pub fn seq_of(workspace: WorkspaceId, id: EventId) -> Option<i64> =
        "SELECT seq FROM events WHERE workspace_id = :workspace AND id = :id";
    BEFORE = "SELECT workspace_id, id, type, inbox_id, thread_id, message_id, detail, created_at, seq, released
        FROM events WHERE workspace_id = $1 AND seq > $2 AND seq < $3 ORDER BY seq DESC LIMIT $4";
    BEFORE_IN_INBOX = "SELECT workspace_id, id, type, inbox_id, thread_id, message_id, detail, created_at, seq, released
        FROM events WHERE workspace_id = $1 AND inbox_id = $2 AND seq > $3 AND seq < $4 ORDER BY seq DESC LIMIT $5";
    /// Returns up to 100 events by ID, unordered; unknown IDs are omitted.
    pub fn get_many(workspace: WorkspaceId, ids: each EventId) -> Vec<Event> =
        "SELECT workspace_id, e.id, type, inbox_id, thread_id, message_id, detail, created_at, seq, released
        FROM {EACH} events e WHERE e.workspace_id = :workspace AND e.id {AMONG} {pg:e}";
    AFTER = "SELECT workspace_id, id, type, inbox_id, thread_id, message_id, detail, created_at, seq, released
        FROM events WHERE workspace_id = $1 AND seq > $2 ORDER BY seq LIMIT $3";
    AFTER_IN_INBOX = "SELECT workspace_id, id, type, inbox_id, thread_id, message_id, detail, created_at, seq, released
        FROM events WHERE workspace_id = $1 AND inbox_id = $2 AND seq > $3 ORDER BY seq LIMIT $4";
}

/// Appends an event and wakes the workspace. The event is written at the end of the unit, after those appended before
/// it: the head of the log is the workspace's most contended row, so it is locked last.
///
/// # Errors
/// Never fails; a later write error fails the unit.
pub fn append(tx: &mut Tx, event: &NewEvent) -> Result<()> {
    tx.wake(event.workspace.0);
    tx.append_event(event.clone());
    Ok(())
}

/// Writes the events that the unit appended, and the counters of their workspaces.
///
/// # Errors
/// Returns an error if a workspace would store more than the unit allows, or if the database call fails.
pub(crate) fn write(tx: &mut Tx) -> Result<()> {
    let mut events = tx.take_events();
    events.sort_by_key(|event| event.workspace);
    let mut positions = counters::write(tx, &events)?;
    for e in events {
        let seq = positions.next_seq(e.workspace)?;
        tx.exec(&INSERT, p![e.workspace, seq, e.id, e.kind, e.inbox, e.thread, e.message, e.detail_json, e.at])?;
    }
    Ok(())
}

/// Appends an event of an inbox, or holds it back while the inbox is paused; resuming the inbox appends it.
pub fn append_or_hold(tx: &mut Tx, is_paused: bool, event: &NewEvent) -> Result<()> {
    if !is_paused {
        return append(tx, event);
    }
    let e = event;
    tx.exec(&HOLD, p![e.workspace, e.inbox, e.at, e.id, e.kind, e.thread, e.message, e.detail_json])?;
    Ok(())
}

/// Appends the held-back events of an inbox to the log, after those of the unit, in order of arrival, dated `now`;
/// returns how many. Call it last, because it locks the workspace's most contended row.
pub fn release(tx: &mut Tx, workspace: WorkspaceId, inbox: InboxId, now: Time) -> Result<u64> {
    let count = i64::try_from(count_held(tx, workspace, inbox)?).unwrap_or(i64::MAX);
    if count == 0 {
        return Ok(0);
    }
    write(tx)?;
    let last = counters::reserve(tx, workspace, count)?;
    let moved = tx.exec(&RELEASE, p![workspace, inbox, last - count, now])?;
    delete_held(tx, workspace, inbox)?;
    tx.wake(workspace.0);
    Ok(moved)
}

/// Returns the sequence number of the newest event; 0 if the log is empty.
pub fn head(tx: &mut Tx, workspace: WorkspaceId) -> Result<i64> {
    Ok(tx.value(&HEAD, p![workspace])?.unwrap_or(0))
}

/// Returns up to `limit` events after `seq`, oldest first; optionally of one inbox.
pub fn after(tx: &mut Tx, workspace: WorkspaceId, inbox: Option<InboxId>, seq: i64, limit: u32) -> Result<Vec<Event>> {
    match inbox {
        Some(inbox) => tx.rows(&AFTER_IN_INBOX, p![workspace, inbox, seq, limit]),
        None => tx.rows(&AFTER, p![workspace, seq, limit]),
    }
}

/// Two sequence numbers of an event log, both excluded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EventRange {
    /// The lower one.
    pub after: i64,
    /// The upper one.
    pub before: i64,
}

/// Returns up to `limit` events in a range, newest first; optionally of one inbox.
pub fn between(
    tx: &mut Tx,
    workspace: WorkspaceId,
    inbox: Option<InboxId>,
    range: EventRange,
    limit: u32,
) -> Result<Vec<Event>> {
    match inbox {
        Some(inbox) => tx.rows(&BEFORE_IN_INBOX, p![workspace, inbox, range.after, range.before, limit]),
        None => tx.rows(&BEFORE, p![workspace, range.after, range.before, limit]),
    }
}

crate::from_row!(Event {
    workspace = workspace_id,
    id,
    kind = type,
    inbox = inbox_id,
    thread = thread_id,
    message = message_id,
    detail_json = detail,
    at = created_at,
    seq,
    released,
} => Self { seq, released, event: NewEvent { workspace, id, kind, inbox, thread, message, detail_json, at } });
