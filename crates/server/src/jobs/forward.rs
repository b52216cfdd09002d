//! The job of a forward: a received message passed on to an address that agreed.
//!
//! Holds no rule of its own: what is done is `app::forwarding`. The forward's row is the fence, so a job that ran twice sends
//! once.

use std::sync::Arc;

use posthouse_domain::id::ForwardId;
use posthouse_store::jobs::{self, Leased};

use super::kind::{Attempt, JobKind, Ran};
use crate::app::{App, forwarding::pass_on::pass_on};

/// Messages that are passed on at once in this process.
const CONCURRENCY: usize = 8;

pub(crate) fn kind() -> JobKind {
    JobKind::new(jobs::FORWARD, run).concurrency(CONCURRENCY)
}

async fn run(app: Arc<App>, job: Leased) -> Attempt {
    let is_last = job.attempt >= job.attempt_max;
    let next = pass_on(&app, (job.workspace, ForwardId(job.subject)), is_last).await?;
    Ok(Ran::after(next, app.clock.now()))
}
