//! Gets and renews the ACME certificate. All processes share one job, whose lease keeps two of them from ordering at
//! once. The job never completes: it waits for the next renewal.

use std::sync::Arc;

use posthouse_domain::{JobKind, JobReason, Time, WorkspaceId};
use posthouse_store::Result;
use posthouse_store::jobs::{self, JobOutcome, LeasedJob, NewJob};
use uuid::Uuid;

use super::definition::{HandlerResult, JobAttemptResult, JobDefinition, SettledJob};
use crate::{Service, domains::acme, domains::acme::NextRunReason, domains::certificate};

pub(crate) fn kind() -> JobDefinition {
    JobDefinition::new(JobKind::Certificate, run)
}

/// Creates the job unless it exists: at startup, after a change of names, and if it was lost.
pub(super) async fn ensure(service: &Arc<Service>, now: Time) -> Result<()> {
    if !service.config.acme.enabled {
        return Ok(());
    }
    // The job belongs to no workspace.
    let job = NewJob::new(
        JobKind::Certificate,
        JobReason::Wanted,
        WorkspaceId(Uuid::nil()),
        certificate::certificate_id(&service.config.acme),
        service.clock.ids().next(),
        now,
    );
    service.write(move |tx| jobs::enqueue_missing(tx, &job)).await
}

async fn run(service: Arc<Service>, job: LeasedJob) -> HandlerResult {
    if job.subject != certificate::certificate_id(&service.config.acme) {
        // The job is for the certificate of an older configuration.
        return Ok(JobAttemptResult::Settle(JobOutcome::Done));
    }
    let next = acme::run(&service).await?;
    let (settled, why) = match next.why {
        NextRunReason::Renewal => (SettledJob::Done, JobReason::Renewal),
        NextRunReason::Retry => (SettledJob::Retry, JobReason::NotIssued),
    };
    let outcome = JobOutcome::Hold { at: next.at, why };
    service.write(move |tx| jobs::settle(tx, &job, &outcome)).await?;
    Ok(JobAttemptResult::Settled(settled))
}
