//! Wipes an expired temporary inbox and appends `inbox.expired`, exactly once, in one transaction.

use std::sync::Arc;

use posthouse_domain::{InboxId, JobKind, JobReason};
use posthouse_store::{Result, Tx, events, inboxes, jobs, jobs::JobOutcome, jobs::LeasedJob, workspaces};

use super::definition::{HandlerResult, JobAttemptResult, JobDefinition, SettledJob};
use crate::{Service, inboxes::removal::InboxRemoval, inboxes::wipe};

/// Maximum concurrent wipes in this process.
const CONCURRENCY: usize = 4;

pub(crate) fn kind() -> JobDefinition {
    JobDefinition::new(JobKind::InboxExpiry, run).concurrency(CONCURRENCY)
}

async fn run(service: Arc<Service>, job: LeasedJob) -> HandlerResult {
    let (plans, ids, removal) = (service.config.plans, service.clock.ids(), InboxRemoval::of(&service));
    let now = removal.now;
    let wiped = service
        .write(move |tx: &mut Tx| -> Result<Option<Vec<String>>> {
            let found = inboxes::take(tx, job.workspace, InboxId(job.subject))?;
            let tenant = workspaces::get(tx, job.workspace)?;
            let (Some(inbox), Some(tenant)) = (found.filter(|i| i.deleted_at.is_none()), tenant) else {
                jobs::settle(tx, &job, &JobOutcome::Done)?;
                return Ok(Some(Vec::new()));
            };
            match inbox.expires_at {
                // The inbox was extended after this job was claimed.
                Some(at) if at > now => {
                    let outcome = JobOutcome::Hold { at, why: JobReason::Extended };
                    jobs::settle(tx, &job, &outcome).map(|_| None)
                }
                None => jobs::settle(tx, &job, &JobOutcome::Done).map(|_| None),
                Some(_) => {
                    let event = wipe::event(tx, &inbox, ids.clone().next(), plans.of(tenant.plan), now)?;
                    // Wiping also deletes the job, even while another worker holds its lease.
                    let wiped = wipe::wipe(tx, &inbox, &removal)?;
                    events::append(tx, &event)?;
                    Ok(Some(wiped))
                }
            }
        })
        .await?;
    let Some(wiped) = wiped else { return Ok(JobAttemptResult::Settled(SettledJob::Hold)) };
    wipe::remove_blobs(&service, wiped).await;
    Ok(JobAttemptResult::Settled(SettledJob::Done))
}
