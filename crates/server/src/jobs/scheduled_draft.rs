//! The job of a scheduled draft: sent at its time, held, or failed.
//!
//! Holds no rule of its own: what is done is `app::draft`. The draft's own compare-and-set is the fence, so a job that ran
//! twice sends once.

use std::sync::Arc;

use posthouse_domain::{id::DraftId, time::MINUTE_MS};
use posthouse_store::jobs::{self, Leased, Outcome};

use super::kind::{Attempt, JobKind, Ran};
use crate::app::{
    App,
    draft::{AtTime, send_at_time},
};

/// Drafts that are sent at once in this process.
const CONCURRENCY: usize = 8;
/// The gap before a new try after a failure of ours, in milliseconds.
const RETRY_MS: i64 = MINUTE_MS;

pub(crate) fn kind() -> JobKind {
    JobKind::new(jobs::SCHEDULED_DRAFT, run).concurrency(CONCURRENCY)
}

async fn run(app: Arc<App>, job: Leased) -> Attempt {
    let is_last = job.attempt >= job.attempt_max;
    let next = send_at_time(&app, (job.workspace, DraftId(job.subject)), is_last).await?;
    Ok(Ran::Settle(match next {
        AtTime::Done => Outcome::Done,
        AtTime::Hold { at, why } => Outcome::Hold { at, why },
        AtTime::Retry => Outcome::Retry { at: app.clock.now().plus_ms(RETRY_MS), why: "failed" },
    }))
}
