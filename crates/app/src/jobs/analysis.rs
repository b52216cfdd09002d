//! Asks the model server about a received message.

use std::sync::Arc;

use posthouse_domain::{JobKind, JobReason, MessageId};
use posthouse_store::jobs::{JobOutcome, LeasedJob};

use super::definition::{HandlerResult, JobAttemptResult, JobDefinition};
use crate::{
    Service,
    analysis::{self, AnalysisStep, Attempt},
};

/// Questions at once. The runner takes jobs of workspaces in turn, so none waits for the mail of another.
const CONCURRENCY: usize = 8;

pub(crate) fn kind() -> JobDefinition {
    JobDefinition::new(JobKind::Analysis, run).concurrency(CONCURRENCY)
}

async fn run(service: Arc<Service>, job: LeasedJob) -> HandlerResult {
    let attempt = Attempt { number: job.attempt, is_last: job.attempt >= job.attempt_max };
    let step = analysis::run(&service, job.workspace, MessageId(job.subject), attempt).await?;
    Ok(JobAttemptResult::Settle(match step {
        AnalysisStep::Done => JobOutcome::Done,
        AnalysisStep::Again(at) => JobOutcome::Retry { at, why: JobReason::Failed },
    }))
}
