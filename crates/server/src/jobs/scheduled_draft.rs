//! The job of a scheduled draft: sent at its time, held, or failed.
//!
//! Holds no rule of its own: what is done is `app::draft`. The draft's own compare-and-set is the fence, so a job that ran
//! twice sends once.

use std::sync::Arc;

use posthouse_domain::id::DraftId;
use posthouse_store::jobs::{self, Leased};

use super::kind::{Attempt, JobKind, Ran};
use crate::app::{App, draft::send_at_time};

/// Drafts that are sent at once in this process.
const CONCURRENCY: usize = 8;

pub(crate) fn kind() -> JobKind {
    JobKind::new(jobs::SCHEDULED_DRAFT, run).concurrency(CONCURRENCY)
}

async fn run(app: Arc<App>, job: Leased) -> Attempt {
    let is_last = job.attempt >= job.attempt_max;
    let next = send_at_time(&app, (job.workspace, DraftId(job.subject)), is_last).await?;
    Ok(Ran::after(next, app.clock.now()))
}
