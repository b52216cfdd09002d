//! Notifies an owner that a webhook was disabled. If the gate refuses the mail, for example while the workspace is
//! stopped, the job retries for two days.

use std::sync::Arc;

use posthouse_domain::{HOUR_MS, JobKind, JobReason, WebhookId};
use posthouse_store::jobs::{JobOutcome, LeasedJob};

use super::definition::{HandlerResult, JobAttemptResult, JobDefinition};
use crate::{Service, webhooks::notice};

/// The delay after a refusal, in milliseconds.
const AGAIN_MS: i64 = HOUR_MS;

pub(crate) fn kind() -> JobDefinition {
    JobDefinition::new(JobKind::WebhookNotice, run)
}

async fn run(service: Arc<Service>, job: LeasedJob) -> HandlerResult {
    match notice::send_notice(&service, job.workspace, WebhookId(job.subject)).await {
        Ok(()) => Ok(JobAttemptResult::Settle(JobOutcome::Done)),
        Err(refusal) if job.attempt >= job.attempt_max => {
            tracing::warn!(webhook_id = %job.subject, code = refusal.code.text(), "webhook.notice_failed");
            Ok(JobAttemptResult::Settle(JobOutcome::Done))
        }
        Err(_) => Ok(JobAttemptResult::Settle(JobOutcome::Retry {
            at: service.clock.now().plus_ms(AGAIN_MS),
            why: JobReason::Refused,
        })),
    }
}
