//! Sends the escalations of a workspace; the job's subject is the workspace. The job waits for the end of quiet hours,
//! for a digest or for the limit per hour, and ends when nothing waits.

use std::sync::Arc;

use posthouse_domain::{JobKind, JobReason, MINUTE_MS};
use posthouse_store::jobs::{JobOutcome, LeasedJob};

use super::definition::{HandlerResult, JobAttemptResult, JobDefinition};
use crate::{Service, escalation::transmit, escalation::transmit::TransmitResult};

/// The delay after a refusal, in milliseconds.
const AGAIN_MS: i64 = 5 * MINUTE_MS;

pub(super) fn kind() -> JobDefinition {
    JobDefinition::new(JobKind::Escalation, run)
}

async fn run(service: Arc<Service>, job: LeasedJob) -> HandlerResult {
    Ok(JobAttemptResult::Settle(match transmit::run(&service, job.workspace).await {
        Ok(TransmitResult::Done) => JobOutcome::Done,
        Ok(TransmitResult::Wait { at, why }) => JobOutcome::Hold { at, why },
        Err(refusal) => {
            tracing::warn!(workspace_id = %job.workspace, code = refusal.code.text(), "escalation.not_sent");
            JobOutcome::Retry { at: service.clock.now().plus_ms(AGAIN_MS), why: JobReason::Refused }
        }
    }))
}
