//! Reads the text of an attachment.

use std::sync::Arc;

use posthouse_domain::{AttachmentId, JobKind};
use posthouse_store::jobs::{JobOutcome, LeasedJob};

use super::definition::{HandlerResult, JobAttemptResult, JobDefinition};
use crate::{Service, extraction::run};

pub(super) fn kind(service: &Service) -> JobDefinition {
    JobDefinition::new(JobKind::Extraction, run).concurrency(service.config.files.concurrency)
}

async fn run(service: Arc<Service>, job: LeasedJob) -> HandlerResult {
    let is_last = job.attempt >= job.attempt_max;
    run::run(&service, job.workspace, AttachmentId(job.subject), is_last).await?;
    Ok(JobAttemptResult::Settle(JobOutcome::Done))
}
