//! The job of a forward: a received message passed on to an address that agreed.
//!
//! Holds no rule of its own: what is done is `app::forwarding`. The forward's row is the fence, so a job that ran twice sends
//! once.

use std::sync::Arc;

use posthouse_domain::{id::ForwardId, time::MINUTE_MS};
use posthouse_store::jobs::{self, Leased, Outcome};

use super::kind::{Attempt, JobKind, Ran};
use crate::app::{
    App,
    forwarding::pass_on::{Next, pass_on},
};

/// Messages that are passed on at once in this process.
const CONCURRENCY: usize = 8;
/// The gap before a new try after a failure of ours, in milliseconds.
const RETRY_MS: i64 = MINUTE_MS;

pub(crate) fn kind() -> JobKind {
    JobKind::new(jobs::FORWARD, run).concurrency(CONCURRENCY)
}

async fn run(app: Arc<App>, job: Leased) -> Attempt {
    let is_last = job.attempt >= job.attempt_max;
    let next = pass_on(&app, (job.workspace, ForwardId(job.subject)), is_last).await?;
    Ok(Ran::Settle(match next {
        Next::Done => Outcome::Done,
        Next::Wait { at, why } => Outcome::Hold { at, why },
        Next::Retry => Outcome::Retry { at: app.clock.now().plus_ms(RETRY_MS), why: "failed" },
    }))
}
