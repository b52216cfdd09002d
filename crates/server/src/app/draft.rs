//! Drafts: made, changed, scheduled, sent, given up (contract §5). The rules are `domain::draft`; sending is `post`, the same
//! as of every message, with the draft's compare-and-set in its transaction.

mod at_time;
mod files;
mod letter;
mod send;
mod step;
mod tell;
mod write;

pub use at_time::send_at_time;
pub use files::{FileGiven, Upload, read as read_file};

pub use send::{RenderSent, send};
pub use step::{cancel, delete, schedule};
pub use write::{Given, Target, change, create};

use posthouse_domain::{
    auth::Caller,
    draft::Draft,
    error::Refusal,
    id::{DraftId, Ids, InboxId, JobId},
    inbox::Inbox,
    time::Time,
};
use posthouse_store::{
    Result as Stored, Tx, drafts,
    jobs::{self, NewJob},
};

use super::visible;

/// Attempts of the job of a scheduled draft; held ones are given back.
const ATTEMPTS_MAX: u32 = 20;

/// Which draft of which inbox.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Which {
    /// The inbox.
    pub inbox: InboxId,
    /// The draft.
    pub draft: DraftId,
}

/// The draft with its inbox, as the caller may see them.
///
/// # Errors
/// `not_found`, or the store's own.
pub fn find(tx: &mut Tx, caller: &Caller, which: Which) -> Result<(Inbox, Draft), Refusal> {
    let inbox = visible::inbox(tx, caller, which.inbox)?;
    let found = drafts::get(tx, inbox.workspace, which.draft)?;
    belonging(inbox, found)
}

/// As [`find`], and nobody else changes the draft until the end of the transaction.
fn take(tx: &mut Tx, caller: &Caller, which: Which) -> Result<(Inbox, Draft), Refusal> {
    let inbox = visible::inbox(tx, caller, which.inbox)?;
    let found = drafts::take(tx, inbox.workspace, which.draft)?;
    belonging(inbox, found)
}

fn belonging(inbox: Inbox, found: Option<Draft>) -> Result<(Inbox, Draft), Refusal> {
    let draft = found.filter(|draft| draft.inbox == inbox.id).ok_or_else(|| Refusal::not_found("draft"))?;
    Ok((inbox, draft))
}

/// Makes the job of a draft fit its time: made or moved when it has one, taken away when it has none.
fn set_job(tx: &mut Tx, draft: &Draft, ids: &Ids, now: Time) -> Stored<()> {
    match job(draft, ids.next(), now, "scheduled") {
        Some(job) => jobs::enqueue(tx, &job),
        None => jobs::cancel(tx, jobs::SCHEDULED_DRAFT, draft.id.0),
    }
}

/// The job of a draft that has a time.
#[must_use]
pub fn job(draft: &Draft, id: JobId, now: Time, why: &'static str) -> Option<NewJob> {
    Some(NewJob {
        id,
        kind: jobs::SCHEDULED_DRAFT,
        workspace: draft.workspace,
        subject: draft.id.0,
        lane: String::new(),
        run_at: draft.send_at?,
        attempt_max: ATTEMPTS_MAX,
        why,
        created_at: now,
    })
}
