//! Creates, changes, schedules, sends and cancels drafts. The rules are in `domain::draft`. A draft is sent like any
//! other message; the same transaction checks that the draft is unchanged and marks it as sent.

mod attachments;
mod compose;
mod judge;
mod read;
mod scheduled;
mod send;
mod steps;
mod write;

pub use crate::drafts::scheduled::send_at_time;
pub use attachments::{DraftFileInput, StoredDraftFile, read as read_file};

pub use crate::drafts::steps::{cancel, delete, schedule, send_back, take_back};
pub use read::{DraftFilter, get, html, page};
pub use send::{RenderSent, dry_run, send};
pub use write::{DraftInput, DraftRecipients, ReplyTarget, change, create, create_by_ai};

use posthouse_domain::{Caller, Draft, DraftId, IdGenerator, Inbox, InboxId, JobId, JobKind, JobReason, Refusal, Time};
use posthouse_store::{Result as StoreResult, Tx, drafts, jobs, jobs::NewJob};

use crate::access::visible;

/// Identifies a draft of an inbox.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DraftRef {
    pub inbox: InboxId,
    pub draft: DraftId,
}

/// Returns the draft and its inbox.
///
/// # Errors
/// Returns `not_found` if the caller can't access them.
fn find(tx: &mut Tx, caller: &Caller, which: DraftRef) -> Result<(Inbox, Draft), Refusal> {
    let inbox = visible::inbox(tx, caller, which.inbox)?;
    let found = drafts::get(tx, inbox.workspace, which.draft)?;
    require_draft(inbox, found)
}

/// Returns the draft and its inbox, like [`find`], and locks the draft until the end of the transaction.
fn lock(tx: &mut Tx, caller: &Caller, which: DraftRef) -> Result<(Inbox, Draft), Refusal> {
    let inbox = visible::inbox(tx, caller, which.inbox)?;
    let found = drafts::lock(tx, inbox.workspace, which.draft)?;
    require_draft(inbox, found)
}

fn require_draft(inbox: Inbox, found: Option<Draft>) -> Result<(Inbox, Draft), Refusal> {
    let draft = found.filter(|draft| draft.inbox == inbox.id).ok_or_else(|| Refusal::not_found("draft"))?;
    Ok((inbox, draft))
}

/// Creates or moves the job of a scheduled draft; cancels the job of any other draft.
fn set_job(tx: &mut Tx, draft: &Draft, ids: &IdGenerator, now: Time) -> StoreResult<()> {
    match job(draft, ids.next(), now) {
        Some(job) => jobs::enqueue(tx, &job),
        None => jobs::cancel(tx, JobKind::ScheduledDraft, draft.id.0),
    }
}

/// Returns the job of a draft; `None` if the draft has no send time.
fn job(draft: &Draft, id: JobId, now: Time) -> Option<NewJob> {
    Some(
        NewJob::new(JobKind::ScheduledDraft, JobReason::Scheduled, draft.workspace, draft.id.0, id, now)
            .due_at(draft.send_at?),
    )
}
