//! The counters of a workspace: the end of its event log and the bytes that it stores. A unit changes them at its end,
//! because all units of a workspace that append or store something wait for the row.

use std::collections::BTreeMap;

use posthouse_domain::{NewEvent, Plan, StorageNeed, WorkspaceId};

use crate::{Error, Result, Tx, statements};

statements! {
    fn add(workspace: WorkspaceId, change: CounterChange { events, bytes }) -> Option<WorkspaceCounters> =
        "INSERT INTO workspace_counters (workspace_id, event_seq, stored_bytes) VALUES (:workspace, :events, :bytes)
        ON CONFLICT (workspace_id) DO UPDATE SET event_seq = workspace_counters.event_seq + excluded.event_seq,
            stored_bytes = workspace_counters.stored_bytes + excluded.stored_bytes
        RETURNING event_seq, stored_bytes, (SELECT w.plan FROM workspaces w WHERE w.id = :workspace) AS plan";
}

crate::row_struct!(
    /// The counters of a workspace after a change, and its plan.
    WorkspaceCounters { event_seq: i64, stored_bytes: u64, plan: Option<Plan> }
);

/// The changes of a unit to the counters of one workspace.
#[derive(Clone, Copy, Default)]
struct CounterChange {
    events: i64,
    bytes: i64,
}

/// The position of each log before the next event of the unit.
pub(crate) struct LogPositions(BTreeMap<WorkspaceId, i64>);

impl LogPositions {
    /// Advances the log of a workspace and returns the number of its next event.
    ///
    /// # Errors
    /// Returns an error if no number is left.
    pub(crate) fn next_seq(&mut self, workspace: WorkspaceId) -> Result<i64> {
        let last = self.0.get_mut(&workspace).ok_or_else(|| Error::corrupt("an event has no sequence number"))?;
        *last += 1;
        Ok(*last)
    }
}

/// Writes the changes of the unit, ordered by workspace, so that two units can't deadlock on the counters. Returns the
/// numbers for `events`.
///
/// # Errors
/// Returns [`Error::WorkspaceFull`] if a workspace would store more than the unit allows.
pub(crate) fn write(tx: &mut Tx, events: &[NewEvent]) -> Result<LogPositions> {
    let mut changes: BTreeMap<WorkspaceId, CounterChange> = BTreeMap::new();
    for (workspace, bytes) in tx.take_stored_bytes() {
        changes.entry(workspace).or_default().bytes = bytes;
    }
    for event in events {
        changes.entry(event.workspace).or_default().events += 1;
    }
    let mut positions = BTreeMap::new();
    for (workspace, change) in changes {
        if change.events == 0 && change.bytes == 0 {
            continue;
        }
        let after = advance(tx, workspace, change)?;
        positions.insert(workspace, after.event_seq - change.events);
    }
    Ok(LogPositions(positions))
}

/// Reserves sequence numbers in the log of a workspace; returns the last.
pub(crate) fn reserve(tx: &mut Tx, workspace: WorkspaceId, events: i64) -> Result<i64> {
    Ok(advance(tx, workspace, CounterChange { events, bytes: 0 })?.event_seq)
}

fn advance(tx: &mut Tx, workspace: WorkspaceId, change: CounterChange) -> Result<WorkspaceCounters> {
    let after =
        add(tx, workspace, change)?.ok_or_else(|| Error::corrupt("the counters of a workspace were not written"))?;
    check_storage(tx, &after, change.bytes)?;
    Ok(after)
}

/// Checks the limit of stored bytes if the unit has one. The row is locked, so no other unit can add bytes meanwhile.
fn check_storage(tx: &mut Tx, after: &WorkspaceCounters, change: i64) -> Result<()> {
    let (Some(plans), Some(plan)) = (tx.storage_plans(), after.plan) else { return Ok(()) };
    let added = u64::try_from(change).unwrap_or(0);
    let need =
        StorageNeed { used: after.stored_bytes.saturating_sub(added), added, limit: plans.of(plan).storage_bytes };
    if need.check().is_err() { Err(tx.fail(Error::WorkspaceFull(need))) } else { Ok(()) }
}
