//! Sends an automatic forward of a received message.
//!
//! The rules are in [`crate::forwarding`]. The forward's row is the fencing token, so a job that runs twice sends once.

use std::sync::Arc;

use posthouse_domain::{ForwardId, JobKind};
use posthouse_store::jobs::LeasedJob;

use super::definition::{HandlerResult, JobAttemptResult, JobDefinition};
use crate::{Service, forwarding::pass_on::forward};

/// Maximum concurrent forwards in this process.
const CONCURRENCY: usize = 8;

pub(super) fn kind() -> JobDefinition {
    JobDefinition::new(JobKind::Forward, run).concurrency(CONCURRENCY)
}

async fn run(service: Arc<Service>, job: LeasedJob) -> HandlerResult {
    let is_last = job.attempt >= job.attempt_max;
    let next = forward(&service, job.workspace, ForwardId(job.subject), is_last).await?;
    Ok(JobAttemptResult::after(next, service.clock.now()))
}
