//! Checks that hold at the end of every test: no unfinished jobs, no gaps in the event log, no undeclared errors.

use std::{collections::BTreeSet, fmt::Write};

use posthouse_domain::{JobKind, id::WorkspaceId, time::Time};
use posthouse_store::{Error, Store, Tx, p, row_struct, statements, storage};

use crate::log::LogLine;

statements! {
    DUE = "SELECT kind, state, count(*) AS jobs FROM jobs WHERE (state = 'ready' AND run_at <= $1) OR state = 'leased'
        GROUP BY kind, state ORDER BY kind, state";
    DEAD = "SELECT kind, why FROM jobs WHERE state = 'dead' ORDER BY kind, why LIMIT 100";
    QUEUED = "SELECT count(*) FROM messages WHERE status = 'queued'";
    LOGS = "SELECT h.workspace_id, h.event_seq AS head, count(e.seq) AS events, min(e.seq) AS first, max(e.seq) AS last FROM workspace_counters h
        LEFT JOIN events e ON e.workspace_id = h.workspace_id GROUP BY h.workspace_id, h.event_seq";
    WORKSPACES = "SELECT id FROM workspaces ORDER BY id LIMIT 1000";
    STRAY = "SELECT count(*) FROM events WHERE workspace_id NOT IN (SELECT workspace_id FROM workspace_counters)";
}

/// Leftovers that a test declares before it ends.
#[derive(Clone, Debug, Default)]
pub struct AllowedLeftovers {
    dead: BTreeSet<String>,
    due: BTreeSet<String>,
    queued: bool,
    errors: Vec<String>,
}

impl AllowedLeftovers {
    /// Allows dead jobs of this kind.
    pub fn dead(&mut self, kind: &str) -> &mut Self {
        self.dead.insert(kind.to_owned());
        self
    }

    /// Allows due jobs of this kind, for a test that ends before they run.
    pub fn due(&mut self, kind: &str) -> &mut Self {
        self.due.insert(kind.to_owned());
        self
    }

    /// Allows messages that are still queued.
    pub fn queued(&mut self) -> &mut Self {
        self.queued = true;
        self
    }

    /// Allows log lines of level ERROR that contain `text`.
    pub fn log_error(&mut self, text: &str) -> &mut Self {
        self.errors.push(text.to_owned());
        self
    }

    /// Returns the error lines that the test did not declare.
    pub(crate) fn undeclared(&self, errors: &[LogLine]) -> Vec<String> {
        let declared = |line: &&LogLine| !self.errors.iter().any(|text| line.to_string().contains(text.as_str()));
        errors.iter().filter(declared).map(|line| format!("logged: {line}")).collect()
    }
}

/// Returns a description of each leftover that `allowed` does not cover.
pub(crate) async fn violations(store: &Store, now: Time, allowed: &AllowedLeftovers) -> Vec<String> {
    let found =
        store.read(move |tx| read_findings(tx, now)).await.unwrap_or_else(|error| panic!("the store: {error:?}"));
    let mut wrong = Vec::new();
    for DueJobs { kind, state, jobs } in found.due {
        // Files are read after receipt; a test about something else doesn't wait for that.
        if kind != JobKind::Extraction.text() && !allowed.due.contains(&kind) {
            wrong.push(format!("{jobs} jobs {kind} are {state} and due"));
        }
    }
    for DeadJobs { kind, why } in found.dead {
        if !allowed.dead.contains(&kind) {
            wrong.push(format!("a job {kind} is dead: {why}"));
        }
    }
    if found.queued > 0 && !allowed.queued {
        wrong.push(format!("{} messages are still queued", found.queued));
    }
    if found.stray > 0 {
        wrong.push(format!("{} events belong to no log", found.stray));
    }
    wrong.extend(found.logs.into_iter().filter_map(log_gap));
    wrong.extend(found.miscounts);
    wrong
}

row_struct!(DueJobs { kind: String, state: String, jobs: i64 });
row_struct!(DeadJobs { kind: String, why: String });
row_struct!(
    /// The head of an event log, and the number and the first and last sequence number of its events.
    #[derive(Clone, Copy, Debug)]
    LogRow { workspace_id: WorkspaceId, head: i64, events: i64, first: Option<i64>, last: Option<i64> }
);

struct StoreFindings {
    due: Vec<DueJobs>,
    dead: Vec<DeadJobs>,
    queued: i64,
    stray: i64,
    logs: Vec<LogRow>,
    miscounts: Vec<String>,
}

fn read_findings(tx: &mut Tx, now: Time) -> Result<StoreFindings, Error> {
    Ok(StoreFindings {
        due: tx.rows(&DUE, p![now])?,
        dead: tx.rows(&DEAD, p![])?,
        queued: tx.one::<(i64,)>(&QUEUED, p![])?.map_or(0, |(count,)| count),
        stray: tx.one::<(i64,)>(&STRAY, p![])?.map_or(0, |(count,)| count),
        logs: tx.rows(&LOGS, p![])?,
        miscounts: miscounts(tx)?,
    })
}

/// Describes the workspaces whose counter of stored bytes differs from the sum of their rows.
fn miscounts(tx: &mut Tx) -> Result<Vec<String>, Error> {
    let mut found = Vec::new();
    for (workspace,) in tx.rows::<(WorkspaceId,)>(&WORKSPACES, p![])? {
        let counted = storage::usage(tx, workspace)?.map_or(0, |usage| usage.bytes);
        let stored = storage::measure(tx, workspace)?;
        if counted != stored {
            found.push(format!("{workspace} stores {stored} bytes, but {counted} are counted"));
        }
    }
    Ok(found)
}

/// Describes a gap in an event log. Without a gap the events are consecutive and end at the head; older events may be
/// pruned.
fn log_gap(row: LogRow) -> Option<String> {
    let LogRow { workspace_id: workspace, head, events: count, first, last } = row;
    let whole = match (first, last) {
        (Some(first), Some(last)) => last == head && count == last - first + 1,
        _ => count == 0,
    };
    let mut text = String::new();
    let _ = write!(text, "the log of {workspace} has a gap: {count} events from {first:?} to {last:?}, head {head}");
    (!whole).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_is_reported_but_pruned_events_are_not() {
        let id = WorkspaceId(uuid::Uuid::from_u128(1));
        let table = [
            ((3, Some(1), Some(3)), true),
            ((1, Some(3), Some(3)), true),
            ((0, None, None), true),
            ((2, Some(1), Some(3)), false),
            ((2, Some(1), Some(2)), false),
        ];
        for ((events, first, last), whole) in table {
            let row = LogRow { workspace_id: id, head: 3, events, first, last };
            assert_eq!(log_gap(row).is_none(), whole, "{row:?}");
        }
    }
}
