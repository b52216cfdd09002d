//! Asks a person on call to confirm, or tells the owner that one did; the job's subject is the contact. If the gate
//! refuses the mail, for example while the workspace is stopped, the job retries for two days.

use std::sync::Arc;

use posthouse_domain::{HOUR_MS, JobKind, JobReason, OnCallContactId};
use posthouse_store::jobs::{JobOutcome, LeasedJob};

use super::definition::{HandlerResult, JobAttemptResult, JobDefinition};
use crate::{Service, escalation::contact_mail, escalation::contact_mail::ContactRef};

/// The delay after a refusal, in milliseconds.
const AGAIN_MS: i64 = HOUR_MS;

pub(super) fn kind() -> JobDefinition {
    JobDefinition::new(JobKind::OnCallMail, run)
}

async fn run(service: Arc<Service>, job: LeasedJob) -> HandlerResult {
    let which = ContactRef { workspace: job.workspace, id: OnCallContactId(job.subject) };
    let again = service.clock.now().plus_ms(AGAIN_MS);
    Ok(JobAttemptResult::Settle(match contact_mail::send_due(&service, which).await {
        Ok(()) => JobOutcome::Done,
        Err(refusal) if job.attempt >= job.attempt_max => {
            tracing::warn!(contact_id = %job.subject, code = refusal.code.text(), "on_call.mail_failed");
            contact_mail::give_up(&service, which).await?;
            JobOutcome::Done
        }
        Err(_) => JobOutcome::Retry { at: again, why: JobReason::Refused },
    }))
}
