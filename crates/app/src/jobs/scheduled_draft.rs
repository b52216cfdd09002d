//! Sends a scheduled draft at its time, holds it, or marks it failed.
//!
//! The rules are in [`crate::drafts`]. The draft's compare-and-set is the fencing token, so a job that runs twice sends
//! once.

use std::sync::Arc;

use posthouse_domain::{DraftId, JobKind};
use posthouse_store::jobs::LeasedJob;

use super::definition::{HandlerResult, JobAttemptResult, JobDefinition};
use crate::{Service, drafts::send_at_time};

/// Maximum concurrent sends in this process.
const CONCURRENCY: usize = 8;

pub(super) fn kind() -> JobDefinition {
    JobDefinition::new(JobKind::ScheduledDraft, run).concurrency(CONCURRENCY)
}

async fn run(service: Arc<Service>, job: LeasedJob) -> HandlerResult {
    let is_last = job.attempt >= job.attempt_max;
    let next = send_at_time(&service, job.workspace, DraftId(job.subject), is_last).await?;
    Ok(JobAttemptResult::after(next, service.clock.now()))
}
