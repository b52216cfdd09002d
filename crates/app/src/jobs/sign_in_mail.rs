//! Mails a sign-in link or an invitation; the job's subject is the sign-in. A request that expires stays without a mail.

use std::sync::Arc;

use posthouse_domain::{JobKind, JobReason, SECOND_MS, SignInId};
use posthouse_store::jobs::{JobOutcome, LeasedJob};

use super::definition::{HandlerResult, JobAttemptResult, JobDefinition};
use crate::{Service, people::sign_in_mail};

/// The delay after a refusal, in milliseconds.
const AGAIN_MS: i64 = 30 * SECOND_MS;

pub(super) fn kind() -> JobDefinition {
    JobDefinition::new(JobKind::SignInMail, run)
}

async fn run(service: Arc<Service>, job: LeasedJob) -> HandlerResult {
    let outcome = match sign_in_mail::send(&service, SignInId(job.subject)).await {
        Ok(()) => JobOutcome::Done,
        Err(refusal) if job.attempt >= job.attempt_max => {
            tracing::warn!(code = refusal.code.text(), "sign_in.not_mailed");
            JobOutcome::Done
        }
        Err(_) => JobOutcome::Retry { at: service.clock.now().plus_ms(AGAIN_MS), why: JobReason::Refused },
    };
    Ok(JobAttemptResult::Settle(outcome))
}
