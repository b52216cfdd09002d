//! Deletes an unclaimed workspace that is not used any more.

use std::sync::Arc;

use posthouse_domain::{JobKind, JobReason};
use posthouse_store::jobs::{JobOutcome, LeasedJob};

use super::definition::{HandlerResult, JobAttemptResult, JobDefinition};
use crate::{Service, signup::expire, signup::expire::IdleResult};

/// Maximum concurrent deletions in this process.
const CONCURRENCY: usize = 1;

pub(crate) fn kind() -> JobDefinition {
    JobDefinition::new(JobKind::SignupExpiry, run).concurrency(CONCURRENCY)
}

async fn run(service: Arc<Service>, job: LeasedJob) -> HandlerResult {
    Ok(JobAttemptResult::Settle(match expire::delete_if_idle(&service, job.workspace).await? {
        // The job of a deleted workspace is deleted with it.
        IdleResult::Done => JobOutcome::Done,
        IdleResult::UsedUntil(at) => JobOutcome::Hold { at, why: JobReason::Used },
    }))
}
