//! The event log of each workspace: appended in the transaction that made the event true, in a sequence without gaps.

use posthouse_domain::{
    event::{Event, NewEvent},
    id::{EventId, InboxId, WorkspaceId},
    time::Time,
};

use crate::{FromRow, Result, Row, Tx, many, p, statements};

statements! {
    NEXT = "INSERT INTO event_heads (workspace_id, seq) VALUES ($1, 1)
        ON CONFLICT (workspace_id) DO UPDATE SET seq = event_heads.seq + 1 RETURNING seq";
    INSERT = "INSERT INTO events (workspace_id, seq, id, type, inbox_id, thread_id, message_id, detail, created_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
    HOLD = "INSERT INTO held_events (workspace_id, inbox_id, created_at, id, type, thread_id, message_id, detail)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
    HELD = "SELECT count(*) FROM held_events WHERE workspace_id = $1 AND inbox_id = $2";
    RESERVE = "INSERT INTO event_heads (workspace_id, seq) VALUES ($1, $2)
        ON CONFLICT (workspace_id) DO UPDATE SET seq = event_heads.seq + excluded.seq RETURNING seq";
    RELEASE = "INSERT INTO events (workspace_id, seq, id, type, inbox_id, thread_id, message_id, detail, created_at, released)
        SELECT workspace_id, CAST($3 AS BIGINT) + row_number() OVER (ORDER BY created_at, id), id, type, inbox_id, thread_id, message_id,
        detail, CAST($4 AS BIGINT), 1 FROM held_events WHERE workspace_id = $1 AND inbox_id = $2";
    FORGET_HELD = "DELETE FROM held_events WHERE workspace_id = $1 AND inbox_id = $2";
    HEAD = "SELECT seq FROM event_heads WHERE workspace_id = $1";
    SEQ = "SELECT seq FROM events WHERE workspace_id = $1 AND id = $2";
    BEFORE = "SELECT workspace_id, id, type, inbox_id, thread_id, message_id, detail, created_at, seq, released
        FROM events WHERE workspace_id = $1 AND seq > $2 AND seq < $3 ORDER BY seq DESC LIMIT $4";
    BEFORE_IN_INBOX = "SELECT workspace_id, id, type, inbox_id, thread_id, message_id, detail, created_at, seq, released
        FROM events WHERE workspace_id = $1 AND inbox_id = $2 AND seq > $3 AND seq < $4 ORDER BY seq DESC LIMIT $5";
    GET_MANY = "SELECT workspace_id, e.id, type, inbox_id, thread_id, message_id, detail, created_at, seq, released
        FROM {EACH} events e WHERE e.workspace_id = $1 AND e.id {AMONG} {pg:e}";
    AFTER = "SELECT workspace_id, id, type, inbox_id, thread_id, message_id, detail, created_at, seq, released
        FROM events WHERE workspace_id = $1 AND seq > $2 ORDER BY seq LIMIT $3";
    AFTER_IN_INBOX = "SELECT workspace_id, id, type, inbox_id, thread_id, message_id, detail, created_at, seq, released
        FROM events WHERE workspace_id = $1 AND inbox_id = $2 AND seq > $3 ORDER BY seq LIMIT $4";
}

/// Appends an event and wakes the workspace. It is in the log from the end of the unit on, behind those that were appended
/// before it: the log's head is the workspace's hottest row, so it is taken when nothing else is waited for any more.
///
/// # Errors
/// None here; what fails later fails the unit.
pub fn append(tx: &mut Tx, event: &NewEvent) -> Result<()> {
    tx.wake(event.workspace.0);
    tx.tell(event.clone());
    Ok(())
}

/// Writes what the unit appended; one workspace after the other, so that two units never wait for each other's heads.
///
/// # Errors
/// The store's own.
pub(crate) fn write(tx: &mut Tx) -> Result<()> {
    let mut events = tx.take_events();
    events.sort_by_key(|event| event.workspace);
    for e in events {
        let seq: i64 = tx.value(&NEXT, p![e.workspace])?.unwrap_or(0);
        tx.exec(&INSERT, p![e.workspace, seq, e.id, e.kind, e.inbox, e.thread, e.message, e.detail_json, e.at])?;
    }
    Ok(())
}

/// Appends an event of an inbox, or keeps it back while the inbox is paused; resume appends it then.
///
/// # Errors
/// The store's own.
pub fn append_or_hold(tx: &mut Tx, is_paused: bool, event: &NewEvent) -> Result<()> {
    if !is_paused {
        return append(tx, event);
    }
    let e = event;
    tx.exec(&HOLD, p![e.workspace, e.inbox, e.at, e.id, e.kind, e.thread, e.message, e.detail_json])?;
    Ok(())
}

/// How many events of an inbox are held back.
///
/// # Errors
/// The store's own.
pub fn held(tx: &mut Tx, workspace: WorkspaceId, inbox: InboxId) -> Result<u64> {
    Ok(tx.value(&HELD, p![workspace, inbox])?.unwrap_or(0))
}

/// Moves the held events of an inbox into the log, behind what the unit appended, in the order of their arrival, as of now;
/// says how many. Do it last: it takes the workspace's hottest row.
///
/// # Errors
/// The store's own.
pub fn release(tx: &mut Tx, workspace: WorkspaceId, inbox: InboxId, now: Time) -> Result<u64> {
    let count = i64::try_from(held(tx, workspace, inbox)?).unwrap_or(i64::MAX);
    if count == 0 {
        return Ok(0);
    }
    write(tx)?;
    let last = tx.value(&RESERVE, p![workspace, count])?.unwrap_or(count);
    let moved = tx.exec(&RELEASE, p![workspace, inbox, last - count, now])?;
    forget_held(tx, workspace, inbox)?;
    tx.wake(workspace.0);
    Ok(moved)
}

/// Forgets the held events of an inbox.
///
/// # Errors
/// The store's own.
pub fn forget_held(tx: &mut Tx, workspace: WorkspaceId, inbox: InboxId) -> Result<()> {
    tx.exec(&FORGET_HELD, p![workspace, inbox])?;
    Ok(())
}

/// The place of an event in the log, if it is there.
///
/// # Errors
/// The store's own.
pub fn seq_of(tx: &mut Tx, workspace: WorkspaceId, id: EventId) -> Result<Option<i64>> {
    tx.value(&SEQ, p![workspace, id])
}

/// The place of the newest event of the log; 0 while there is none.
///
/// # Errors
/// The store's own.
pub fn head(tx: &mut Tx, workspace: WorkspaceId) -> Result<i64> {
    Ok(tx.value(&HEAD, p![workspace])?.unwrap_or(0))
}

/// Up to 100 events by id, in no order; unknown ids are left out.
///
/// # Errors
/// The store's own.
pub fn get_many(tx: &mut Tx, workspace: WorkspaceId, ids: &[EventId]) -> Result<Vec<Event>> {
    many::rows(tx, &GET_MANY, workspace, ids)
}

/// Up to `limit` events behind `seq`, oldest first; of one inbox, if given.
///
/// # Errors
/// The store's own.
pub fn after(tx: &mut Tx, workspace: WorkspaceId, inbox: Option<InboxId>, seq: i64, limit: u32) -> Result<Vec<Event>> {
    match inbox {
        Some(inbox) => tx.rows(&AFTER_IN_INBOX, p![workspace, inbox, seq, limit]),
        None => tx.rows(&AFTER, p![workspace, seq, limit]),
    }
}

/// Up to `limit` events between two places, which are not among them, newest first; of one inbox, if given.
///
/// # Errors
/// The store's own.
pub fn between(
    tx: &mut Tx,
    workspace: WorkspaceId,
    inbox: Option<InboxId>,
    (after, before): (i64, i64),
    limit: u32,
) -> Result<Vec<Event>> {
    match inbox {
        Some(inbox) => tx.rows(&BEFORE_IN_INBOX, p![workspace, inbox, after, before, limit]),
        None => tx.rows(&BEFORE, p![workspace, after, before, limit]),
    }
}

impl FromRow for Event {
    const COLUMNS: usize = 10;

    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        let event = NewEvent {
            workspace: row.take()?,
            id: row.take()?,
            kind: row.take()?,
            inbox: row.take()?,
            thread: row.take()?,
            message: row.take()?,
            detail_json: row.take()?,
            at: row.take()?,
        };
        Ok(Self { seq: row.take()?, released: row.take()?, event })
    }
}
