//! Notifies a person of mail to postmaster and abuse addresses; the job's subject is the workspace. The job stays for a
//! while after a notice, so that later mail is reported together. If the gate refuses the notice, for example while the
//! workspace is stopped, the job retries for two days.

use std::sync::Arc;

use posthouse_domain::{HOUR_MS, JobKind, JobReason};
use posthouse_store::jobs::{JobOutcome, LeasedJob};

use super::definition::{HandlerResult, JobAttemptResult, JobDefinition};
use crate::Service;
use crate::outbound::postmaster_notice::{self, NOTICE_INTERVAL_MS, NoticeResult};

/// The delay after a refusal, in milliseconds.
const AGAIN_MS: i64 = HOUR_MS;

pub(super) fn kind() -> JobDefinition {
    JobDefinition::new(JobKind::RoleNotice, run)
}

async fn run(service: Arc<Service>, job: LeasedJob) -> HandlerResult {
    let now = service.clock.now();
    match postmaster_notice::send_notice(&service, job.workspace).await {
        Ok(NoticeResult::Nothing) => Ok(JobAttemptResult::Settle(JobOutcome::Done)),
        Ok(NoticeResult::Sent) => Ok(JobAttemptResult::Settle(JobOutcome::Hold {
            at: now.plus_ms(NOTICE_INTERVAL_MS),
            why: JobReason::Pause,
        })),
        Err(refusal) if job.attempt >= job.attempt_max => {
            tracing::warn!(workspace_id = %job.workspace, code = refusal.code.text(), "postmaster.notice_failed");
            postmaster_notice::drop_pending(&service, job.workspace).await?;
            Ok(JobAttemptResult::Settle(JobOutcome::Done))
        }
        Err(_) => {
            Ok(JobAttemptResult::Settle(JobOutcome::Retry { at: now.plus_ms(AGAIN_MS), why: JobReason::Refused }))
        }
    }
}
