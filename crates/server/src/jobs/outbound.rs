//! The job of an envelope: one attempt to carry a message out, settled with the lease as fence (architecture, «Jobs»).
//!
//! Holds no rule of its own: what is tried and what follows is `app::deliver`.

use std::sync::Arc;

use posthouse_domain::{id::EnvelopeId, time::MINUTE_MS};
use posthouse_store::jobs::{self, Leased, Outcome};

use super::kind::{Attempt, JobKind, Ran};
use crate::app::{
    App,
    deliver::{self, Errand, Next},
};

/// Attempts under way for each allowed connection: while one message is on the wire, others are loaded, signed and settled.
const ATTEMPTS_PER_CONNECTION: usize = 6;
/// How long held mail waits before it is looked at again, in milliseconds, if nobody resumes before.
const HELD_MS: i64 = 10 * MINUTE_MS;

/// The kind, bounded in all and for each destination by the configured connections.
pub(crate) fn kind(app: &App) -> JobKind {
    let delivery = &app.config.delivery;
    JobKind::new(jobs::OUTBOUND, run)
        .concurrency(delivery.connections_max.saturating_mul(ATTEMPTS_PER_CONNECTION))
        .per_lane(delivery.connections_per_destination_max.saturating_mul(ATTEMPTS_PER_CONNECTION))
}

async fn run(app: Arc<App>, job: Leased) -> Attempt {
    let errand = Errand { workspace: job.workspace, envelope: EnvelopeId(job.subject) };
    let look_again_at = app.clock.now().plus_ms(HELD_MS);
    let fence: deliver::Fence = Arc::new(move |tx, next| {
        let outcome = match next {
            Next::Done => Outcome::Done,
            Next::Retry { at, why } => Outcome::Retry { at, why },
            Next::Hold { why } => Outcome::Hold { at: look_again_at, why },
        };
        jobs::settle(tx, &job, &outcome)
    });
    Ok(Ran::Settled(match deliver::deliver(&app, errand, fence).await? {
        Next::Done => "done",
        Next::Retry { .. } => "retry",
        Next::Hold { .. } => "hold",
    }))
}
