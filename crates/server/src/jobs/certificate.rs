//! The job that gets the certificate by ACME and renews it. There is one for all processes; its lease is what keeps two of them
//! from ordering at once. It never ends: it waits for its next time.

use std::sync::Arc;

use posthouse_domain::{id::WorkspaceId, time::Time};
use posthouse_store::{
    Result,
    jobs::{self, Leased, NewJob, Outcome},
};
use uuid::Uuid;

use super::kind::{Attempt, JobKind, Ran};
use crate::app::{
    App,
    obtain_certificate::{self, Waits},
};

/// Attempts that may end with their process before the job is given up; those that end otherwise are given back.
const ATTEMPT_MAX: u32 = 100;

pub(crate) fn kind() -> JobKind {
    JobKind::new(jobs::CERTIFICATE, run)
}

/// Makes the job unless it is there: at the start, when the names have changed, and should it ever be lost.
pub(super) async fn ensure(app: &Arc<App>, now: Time) -> Result<()> {
    if !app.config.smtp.acme {
        return Ok(());
    }
    let job = NewJob {
        id: app.clock.ids().next(),
        kind: jobs::CERTIFICATE,
        // It belongs to no tenant.
        workspace: WorkspaceId(Uuid::nil()),
        subject: obtain_certificate::id(&app.config),
        lane: String::new(),
        run_at: now,
        attempt_max: ATTEMPT_MAX,
        why: "wanted",
        created_at: now,
    };
    app.store.write(move |tx| jobs::enqueue_missing(tx, &job)).await
}

async fn run(app: Arc<App>, job: Leased) -> Attempt {
    if job.subject != obtain_certificate::id(&app.config) {
        // The certificate of an older configuration.
        return Ok(Ran::Settle(Outcome::Done));
    }
    let next = obtain_certificate::run(&app).await?;
    let (name, why) = match next.why {
        Waits::Renewal => ("done", "renewal"),
        Waits::Retry => ("retry", "not_issued"),
    };
    let outcome = Outcome::Hold { at: next.at, why };
    app.store.write(move |tx| jobs::settle(tx, &job, &outcome)).await?;
    Ok(Ran::Settled(name))
}
