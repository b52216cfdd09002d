//! What must hold at the end of every test, whatever it was about: no work left lying, no gap in a log, no error unsaid.

use std::{collections::BTreeSet, fmt::Write};

use posthouse_domain::{id::WorkspaceId, time::Time};
use posthouse_store::{Error, Store, Tx, p, statements};

use crate::log::Line;

statements! {
    DUE = "SELECT kind, state, count(*) FROM jobs WHERE (state = 'ready' AND run_at <= $1) OR state = 'leased'
        GROUP BY kind, state ORDER BY kind, state";
    DEAD = "SELECT kind, why FROM jobs WHERE state = 'dead' ORDER BY kind, why LIMIT 100";
    QUEUED = "SELECT count(*) FROM messages WHERE status = 'queued'";
    LOGS = "SELECT h.workspace_id, h.seq, count(e.seq), min(e.seq), max(e.seq) FROM event_heads h
        LEFT JOIN events e ON e.workspace_id = h.workspace_id GROUP BY h.workspace_id, h.seq";
    STRAY = "SELECT count(*) FROM events WHERE workspace_id NOT IN (SELECT workspace_id FROM event_heads)";
}

/// What a test declares to be left at its end.
#[derive(Clone, Debug, Default)]
pub struct Allowed {
    dead: BTreeSet<String>,
    due: BTreeSet<String>,
    queued: bool,
    errors: Vec<String>,
}

impl Allowed {
    /// Dead jobs of that kind.
    pub fn dead(&mut self, kind: &str) -> &mut Self {
        self.dead.insert(kind.to_owned());
        self
    }

    /// Due jobs of that kind, because the test ends before they run.
    pub fn due(&mut self, kind: &str) -> &mut Self {
        self.due.insert(kind.to_owned());
        self
    }

    /// Messages that wait to be sent.
    pub fn queued(&mut self) -> &mut Self {
        self.queued = true;
        self
    }

    /// Log lines of level ERROR that hold this text.
    pub fn log_error(&mut self, text: &str) -> &mut Self {
        self.errors.push(text.to_owned());
        self
    }

    /// The error lines that the test did not declare.
    pub(crate) fn undeclared(&self, errors: &[Line]) -> Vec<String> {
        let declared = |line: &&Line| !self.errors.iter().any(|text| line.to_string().contains(text.as_str()));
        errors.iter().filter(declared).map(|line| format!("logged: {line}")).collect()
    }
}

/// Everything in the store that must not be so.
pub(crate) async fn complaints(store: &Store, now: Time, allowed: &Allowed) -> Vec<String> {
    let found = store.read(move |tx| look(tx, now)).await.unwrap_or_else(|error| panic!("the store: {error:?}"));
    let mut wrong = Vec::new();
    for (kind, state, count) in found.due {
        if !allowed.due.contains(&kind) {
            wrong.push(format!("{count} jobs {kind} are {state} and due"));
        }
    }
    for (kind, why) in found.dead {
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
    wrong.extend(found.logs.into_iter().filter_map(gap));
    wrong
}

/// One row of [`LOGS`].
type LogRow = (WorkspaceId, i64, i64, Option<i64>, Option<i64>);

struct Found {
    due: Vec<(String, String, i64)>,
    dead: Vec<(String, String)>,
    queued: i64,
    stray: i64,
    logs: Vec<LogRow>,
}

fn look(tx: &mut Tx, now: Time) -> Result<Found, Error> {
    Ok(Found {
        due: tx.rows(&DUE, p![now])?,
        dead: tx.rows(&DEAD, p![])?,
        queued: tx.one::<(i64,)>(&QUEUED, p![])?.map_or(0, |(count,)| count),
        stray: tx.one::<(i64,)>(&STRAY, p![])?.map_or(0, |(count,)| count),
        logs: tx.rows(&LOGS, p![])?,
    })
}

/// The head is the last number given; what is there ends with it and has no hole. Old events may be gone at the front.
fn gap((workspace, head, count, first, last): LogRow) -> Option<String> {
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
    fn a_gap_is_seen_and_a_cut_front_is_none() {
        let id = WorkspaceId(uuid::Uuid::from_u128(1));
        let table = [
            ((id, 3, 3, Some(1), Some(3)), true),
            ((id, 3, 1, Some(3), Some(3)), true),
            ((id, 3, 0, None, None), true),
            ((id, 3, 2, Some(1), Some(3)), false),
            ((id, 3, 2, Some(1), Some(2)), false),
        ];
        for (row, whole) in table {
            assert_eq!(gap(row).is_none(), whole, "{row:?}");
        }
    }
}
