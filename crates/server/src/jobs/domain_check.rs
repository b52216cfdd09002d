//! Checks of domains by the clock: minutes apart while somebody sets a domain up, daily after.

use std::sync::Arc;

use posthouse_domain::{error::Code, id::DomainId, mail_domain::Status, time::MINUTE_MS};
use posthouse_store::jobs::{self, Leased, Outcome};

use super::kind::{Attempt, JobKind, Ran};
use crate::app::{App, check_domain};

/// Domains that are checked at once in this process.
const CONCURRENCY: usize = 4;
/// How long a check that could not be made waits, in milliseconds.
const AGAIN_MS: i64 = MINUTE_MS;

pub(crate) fn kind() -> JobKind {
    JobKind::new(jobs::DOMAIN_CHECK, run).concurrency(CONCURRENCY)
}

async fn run(app: Arc<App>, job: Leased) -> Attempt {
    match check_domain::check(&app, job.workspace, DomainId(job.subject)).await {
        Ok(outcome) if outcome.domain.status == Status::Disabled => Ok(Ran::Settle(Outcome::Done)),
        // The check has moved this job to its next time, whoever held it.
        Ok(_) => Ok(Ran::Settled("done")),
        Err(refusal) if refusal.code == Code::NotFound => Ok(Ran::Settle(Outcome::Done)),
        Err(_) => Ok(Ran::Settle(Outcome::Hold { at: app.clock.now().plus_ms(AGAIN_MS), why: "store_unavailable" })),
    }
}
