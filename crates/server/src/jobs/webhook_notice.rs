//! The job that tells an owner that a webhook was disabled. What the gate refuses now, such as a stopped workspace, is tried
//! again for two days.

use std::sync::Arc;

use posthouse_domain::{id::WebhookId, time::HOUR_MS};
use posthouse_store::jobs::{self, Leased, Outcome};

use super::kind::{Attempt, JobKind, Ran};
use crate::app::{App, webhooks::notice};

/// How long after a refusal it is tried again, in milliseconds.
const AGAIN_MS: i64 = HOUR_MS;

pub(crate) fn kind() -> JobKind {
    JobKind::new(jobs::WEBHOOK_NOTICE, run)
}

async fn run(app: Arc<App>, job: Leased) -> Attempt {
    match notice::tell(&app, job.workspace, WebhookId(job.subject)).await {
        Ok(()) => Ok(Ran::Settle(Outcome::Done)),
        Err(refusal) if job.attempt >= job.attempt_max => {
            tracing::warn!(webhook_id = %job.subject, code = refusal.code.text(), "webhook.owner_not_told");
            Ok(Ran::Settle(Outcome::Done))
        }
        Err(_) => Ok(Ran::Settle(Outcome::Retry { at: app.clock.now().plus_ms(AGAIN_MS), why: "refused" })),
    }
}
