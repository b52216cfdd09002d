//! Checks whether a card may appear in the public directory.

use std::sync::Arc;

use posthouse_domain::{InboxId, JobKind};
use posthouse_store::jobs::{JobOutcome, LeasedJob};

use super::definition::{HandlerResult, JobAttemptResult, JobDefinition};
use crate::{Service, agents::listing_check};

/// Checks that run at once. A workspace may publish thousands of cards together, and the last one shouldn't wait for minutes.
const CONCURRENCY: usize = 8;

pub(crate) fn kind() -> JobDefinition {
    JobDefinition::new(JobKind::ListingCheck, run).concurrency(CONCURRENCY)
}

async fn run(service: Arc<Service>, job: LeasedJob) -> HandlerResult {
    listing_check::run(&service, job.workspace, InboxId(job.subject)).await?;
    Ok(JobAttemptResult::Settle(JobOutcome::Done))
}
