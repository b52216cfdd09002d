//! Periodic domain checks: minutes apart while a domain is being set up, then daily.

use std::sync::Arc;

use posthouse_domain::{DomainId, DomainStatus, ErrorCode, JobKind, JobReason, MINUTE_MS};
use posthouse_store::jobs::{JobOutcome, LeasedJob};

use super::definition::{HandlerResult, JobAttemptResult, JobDefinition, SettledJob};
use crate::{Service, domains::check};

/// Maximum concurrent checks in this process.
const CONCURRENCY: usize = 4;
/// The delay after a check that could not run, in milliseconds.
const AGAIN_MS: i64 = MINUTE_MS;

pub(crate) fn kind() -> JobDefinition {
    JobDefinition::new(JobKind::DomainCheck, run).concurrency(CONCURRENCY)
}

async fn run(service: Arc<Service>, job: LeasedJob) -> HandlerResult {
    match check::check(&service, job.workspace, DomainId(job.subject)).await {
        Ok(outcome) if outcome.domain.status == DomainStatus::Disabled => {
            Ok(JobAttemptResult::Settle(JobOutcome::Done))
        }
        // The check itself rescheduled this job.
        Ok(_) => Ok(JobAttemptResult::Settled(SettledJob::Done)),
        Err(refusal) if refusal.code == ErrorCode::NotFound => Ok(JobAttemptResult::Settle(JobOutcome::Done)),
        Err(_) => Ok(JobAttemptResult::Settle(JobOutcome::Hold {
            at: service.clock.now().plus_ms(AGAIN_MS),
            why: JobReason::StoreUnavailable,
        })),
    }
}
