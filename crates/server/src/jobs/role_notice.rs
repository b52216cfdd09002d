//! The job that tells a person of mail to postmaster and abuse; its subject is the workspace. It stays for a pause after a notice,
//! so that what comes meanwhile is told together. What the gate refuses now, such as a stopped workspace, is tried again for
//! two days.

use std::sync::Arc;

use posthouse_domain::time::HOUR_MS;
use posthouse_store::jobs::{self, Leased, Outcome};

use super::kind::{Attempt, JobKind, Ran};
use crate::app::{
    App,
    tell_postmaster::{self, PAUSE_MS, Told},
};

/// How long after a refusal it is tried again, in milliseconds.
const AGAIN_MS: i64 = HOUR_MS;

pub(crate) fn kind() -> JobKind {
    JobKind::new(jobs::ROLE_NOTICE, run)
}

async fn run(app: Arc<App>, job: Leased) -> Attempt {
    let now = app.clock.now();
    match tell_postmaster::tell(&app, job.workspace).await {
        Ok(Told::Nothing) => Ok(Ran::Settle(Outcome::Done)),
        Ok(Told::Sent) => Ok(Ran::Settle(Outcome::Hold { at: now.plus_ms(PAUSE_MS), why: "pause" })),
        Err(refusal) if job.attempt >= job.attempt_max => {
            tracing::warn!(workspace_id = %job.workspace, code = refusal.code.text(), "postmaster.not_told");
            tell_postmaster::give_up(&app, job.workspace).await?;
            Ok(Ran::Settle(Outcome::Done))
        }
        Err(_) => Ok(Ran::Settle(Outcome::Retry { at: now.plus_ms(AGAIN_MS), why: "refused" })),
    }
}
