//! The event log of each workspace. Events are appended in the transaction that causes them, with gapless sequence
//! numbers.

pub(crate) mod counters;
pub mod webhook_deliveries;
pub mod webhooks;

use posthouse_domain::{Event, EventId, InboxId, NewEvent, Time, WorkspaceId};

use crate::{Result, Tx, statements};

statements! {
    fn insert_row(event: row &NewEvent, seq: i64) = "{insert events}";
    fn hold(event: &NewEvent { workspace, inbox, at, id, kind, thread, message, detail: event.detail_json }) =
        "INSERT INTO held_events (workspace_id, inbox_id, created_at, id, type, thread_id, message_id, detail)
        VALUES ({PARAMETERS})";
    /// Returns the number of held-back events of an inbox.
    pub fn count_held(workspace: WorkspaceId, inbox: InboxId) -> u64 =
        "SELECT count(*) FROM held_events WHERE workspace_id = :workspace AND inbox_id = :inbox";
    fn move_held(workspace: WorkspaceId, inbox: InboxId, last: i64, now: Time) -> u64 =
        "INSERT INTO events (workspace_id, seq, id, type, inbox_id, thread_id, message_id, detail, created_at, released)
        SELECT workspace_id, CAST(:last AS BIGINT) + row_number() OVER (ORDER BY created_at, id), id, type, inbox_id, thread_id, message_id,
        detail, CAST(:now AS BIGINT), 1 FROM held_events WHERE workspace_id = :workspace AND inbox_id = :inbox";
    /// Deletes the held-back events of an inbox.
    pub fn delete_held(workspace: WorkspaceId, inbox: InboxId) =
        "DELETE FROM held_events WHERE workspace_id = :workspace AND inbox_id = :inbox";
    /// Returns the sequence number of the newest event; 0 if the log is empty.
    pub fn head(workspace: WorkspaceId) -> i64 =
        "SELECT event_seq FROM workspace_counters WHERE workspace_id = :workspace";
    /// Returns the sequence number of an event, if it is in the log.
    pub fn seq_of(workspace: WorkspaceId, id: EventId) -> Option<i64> =
        "SELECT seq FROM events WHERE workspace_id = :workspace AND id = :id";
    /// Returns the event with that sequence number, if it is in the log.
    pub fn id_at(workspace: WorkspaceId, seq: i64) -> Option<EventId> =
        "SELECT id FROM events WHERE workspace_id = :workspace AND seq = :seq";
    fn between_all(workspace: WorkspaceId, range: EventRange { after, before }, limit: u32) -> Vec<Event> =
        "SELECT seq, released, {events} FROM events WHERE workspace_id = :workspace AND seq > :after AND seq < :before ORDER BY seq DESC LIMIT :limit";
    fn between_in_inbox(
        workspace: WorkspaceId, inbox: InboxId, range: EventRange { after, before }, limit: u32,
    ) -> Vec<Event> =
        "SELECT seq, released, {events} FROM events WHERE workspace_id = :workspace AND inbox_id = :inbox AND seq > :after AND seq < :before ORDER BY seq DESC LIMIT :limit";
    /// Returns up to 100 events by ID, unordered; unknown IDs are omitted.
    pub fn get_many(workspace: WorkspaceId, ids: each EventId) -> Vec<Event> =
        "SELECT seq, released, {e.events} FROM {EACH} events e WHERE e.workspace_id = :workspace AND e.id {AMONG} {pg:e}";
    fn after_all(workspace: WorkspaceId, seq: i64, limit: u32) -> Vec<Event> =
        "SELECT seq, released, {events} FROM events WHERE workspace_id = :workspace AND seq > :seq ORDER BY seq LIMIT :limit";
    fn after_in_inbox(workspace: WorkspaceId, inbox: InboxId, seq: i64, limit: u32) -> Vec<Event> =
        "SELECT seq, released, {events} FROM events WHERE workspace_id = :workspace AND inbox_id = :inbox AND seq > :seq ORDER BY seq LIMIT :limit";
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
    events.iter().try_for_each(|event| insert_row(tx, event, positions.next_seq(event.workspace)?))
}

/// Appends an event of an inbox, or holds it back while the inbox is paused; resuming the inbox appends it.
pub fn append_or_hold(tx: &mut Tx, is_paused: bool, event: &NewEvent) -> Result<()> {
    if is_paused { hold(tx, event) } else { append(tx, event) }
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
    let moved = move_held(tx, workspace, inbox, last - count, now)?;
    delete_held(tx, workspace, inbox)?;
    tx.wake(workspace.0);
    Ok(moved)
}

/// Returns up to `limit` events after `seq`, oldest first; optionally of one inbox.
pub fn after(tx: &mut Tx, workspace: WorkspaceId, inbox: Option<InboxId>, seq: i64, limit: u32) -> Result<Vec<Event>> {
    match inbox {
        Some(inbox) => after_in_inbox(tx, workspace, inbox, seq, limit),
        None => after_all(tx, workspace, seq, limit),
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
        Some(inbox) => between_in_inbox(tx, workspace, inbox, range, limit),
        None => between_all(tx, workspace, range, limit),
    }
}

crate::from_row!(Event { seq, released; event: NewEvent });
