//! The end of a temporary inbox at its time: wiped, and `inbox.expired` written, in one transaction, once.

use std::sync::Arc;

use posthouse_domain::id::InboxId;
use posthouse_store::{
    Result, Tx, events, inboxes,
    jobs::{self, Leased, Outcome},
    workspaces,
};

use super::kind::{Attempt, JobKind, Ran};
use crate::app::{App, expire_inbox};

/// Inboxes that are wiped at once in this process.
const CONCURRENCY: usize = 4;

pub(crate) fn kind() -> JobKind {
    JobKind::new(jobs::INBOX_EXPIRY, run).concurrency(CONCURRENCY)
}

async fn run(app: Arc<App>, job: Leased) -> Attempt {
    let (plans, ids, now) = (app.config.plans, app.clock.ids(), app.clock.now());
    let wiped = app
        .store
        .write(move |tx: &mut Tx| -> Result<Option<Vec<String>>> {
            let found = inboxes::take(tx, job.workspace, InboxId(job.subject))?;
            let tenant = workspaces::get(tx, job.workspace)?;
            let (Some(inbox), Some(tenant)) = (found.filter(|i| i.deleted_at.is_none()), tenant) else {
                jobs::settle(tx, &job, &Outcome::Done)?;
                return Ok(Some(Vec::new()));
            };
            match inbox.expires_at {
                // It was extended after this job was claimed, or it never was temporary.
                Some(at) if at > now => jobs::settle(tx, &job, &Outcome::Hold { at, why: "extended" }).map(|_| None),
                None => jobs::settle(tx, &job, &Outcome::Done).map(|_| None),
                Some(_) => {
                    let event = expire_inbox::event(tx, &inbox, ids.clone().next(), (plans.of(tenant.plan), now))?;
                    // Wiping deletes the job too, so this settles it, whoever holds its lease.
                    let wiped = expire_inbox::wipe(tx, &inbox, now)?;
                    events::append(tx, &event)?;
                    Ok(Some(wiped))
                }
            }
        })
        .await?;
    let Some(wiped) = wiped else { return Ok(Ran::Settled("hold")) };
    expire_inbox::remove_blobs(&app, wiped).await;
    Ok(Ran::Settled("done"))
}
