//! The job of an envelope: one attempt to carry a message out, settled with the lease as fence (architecture, «Jobs»).
//!
//! Holds no rule of its own: what is tried and what follows is `app::deliver`.

use std::sync::Arc;

use posthouse_domain::{
    id::{EnvelopeId, WorkspaceId},
    time::{MINUTE_MS, Time},
};
use posthouse_store::jobs::{self, Leased, Outcome, due::Room};

use super::kind::{Attempt, JobKind, Lanes, Ran};
use crate::{
    app::{
        App,
        deliver::{self, Errand, Next},
    },
    pacer::Pacer,
};

/// Attempts under way beside those that the connections carry: they are loaded, signed and settled meanwhile.
const ATTEMPTS_BESIDE: usize = 500;
/// As many at most for each allowed connection.
const ATTEMPTS_PER_CONNECTION: usize = 6;
/// How long held mail waits before it is looked at again, in milliseconds, if nobody resumes before.
const HELD_MS: i64 = 10 * MINUTE_MS;

/// The kind, bounded in all by the configured connections, and for each destination by what it bears.
pub(crate) fn kind(app: &App) -> JobKind {
    let connections = app.config.delivery.connections_max;
    let most = connections.saturating_mul(ATTEMPTS_PER_CONNECTION).min(connections.saturating_add(ATTEMPTS_BESIDE));
    JobKind::new(jobs::OUTBOUND, run).concurrency(most).lanes(Arc::new(app.pacer.clone()))
}

impl Lanes for Pacer {
    fn room(&self, workspace: WorkspaceId, lane: &str, now: Time) -> Room {
        self.room(workspace, lane, now)
    }

    fn began(&self, workspace: WorkspaceId, lane: &str, now: Time) {
        self.began(workspace, lane, now);
    }

    fn ended(&self, workspace: WorkspaceId, lane: &str) {
        self.ended(workspace, lane);
    }

    fn next_at(&self) -> Option<Time> {
        self.next_at()
    }
}

async fn run(app: Arc<App>, job: Leased) -> Attempt {
    let errand = Errand { workspace: job.workspace, envelope: EnvelopeId(job.subject) };
    let look_again_at = app.clock.now().plus_ms(HELD_MS);
    let fence: deliver::Fence = Arc::new(move |tx, next| {
        let outcome = match next {
            Next::Done => Outcome::Done,
            Next::Retry { at, why } => Outcome::Retry { at, why },
            Next::Hold { why, at } => Outcome::Hold { at: at.unwrap_or(look_again_at), why },
        };
        jobs::settle(tx, &job, &outcome)
    });
    Ok(Ran::Settled(match deliver::deliver(&app, errand, fence).await? {
        Next::Done => "done",
        Next::Retry { .. } => "retry",
        Next::Hold { .. } => "hold",
    }))
}
