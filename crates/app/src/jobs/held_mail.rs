//! Releases the held mail of a workspace where screening was switched off.

use std::sync::Arc;

use posthouse_domain::JobKind;
use posthouse_store::jobs::{JobOutcome, LeasedJob};

use super::definition::{HandlerResult, JobAttemptResult, JobDefinition};
use crate::{Service, mailbox::screening_off};

/// Maximum concurrent workspaces in this process.
const CONCURRENCY: usize = 2;

pub(crate) fn kind() -> JobDefinition {
    JobDefinition::new(JobKind::HeldMail, run).concurrency(CONCURRENCY)
}

async fn run(service: Arc<Service>, job: LeasedJob) -> HandlerResult {
    screening_off::release_all(&service, job.workspace).await?;
    Ok(JobAttemptResult::Settle(JobOutcome::Done))
}
