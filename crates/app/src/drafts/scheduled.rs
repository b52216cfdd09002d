//! Sends scheduled drafts that are due. A draft is held while the workspace is stopped or the inbox is paused; any
//! other refusal ends it with a reason. A draft that changed meanwhile is checked again.

use std::sync::Arc;

use posthouse_domain::{
    Caller, Draft, DraftFailure, DraftId, DraftStatus, DraftStep, ErrorCode, EventKind, Inbox, JobReason, MINUTE_MS,
    Refusal, SECOND_MS, Time, Workspace, WorkspaceId,
};
use posthouse_store::{Error, Result as StoreResult, Tx, drafts, inboxes, workspaces};

use super::send::{DraftBeingSent, attempt, failure, is_a_check};
use crate::drafts::{compose, compose::DraftMaterial};
use crate::next_step::NextStep;
use crate::outbound::draft_events::append_event;
use crate::outbound::{accept::RenderResponse, send_context::SendContext};
use crate::service::{ReadScope, Service};

/// The interval between checks of a held draft, in milliseconds. Resuming triggers a check immediately.
const HELD_MS: i64 = 10 * MINUTE_MS;
/// The delay before the retry of a draft that changed while it was being sent, in milliseconds.
const CHANGED_MS: i64 = SECOND_MS;

/// The state of a scheduled draft when its job runs.
enum DueDraft {
    Over,
    Wait(Time, JobReason),
    Ready(Box<(Inbox, Draft, Result<DraftMaterial, Refusal>)>),
}

/// Sends a draft that is due. An internal error ends the draft only at the last attempt.
pub async fn send_at_time(
    service: &Arc<Service>,
    workspace: WorkspaceId,
    id: DraftId,
    is_last: bool,
) -> StoreResult<NextStep> {
    let now = service.clock.now();
    let (inbox, found, material) = match service.read(ReadScope::Service, move |tx| due(tx, workspace, id, now)).await?
    {
        DueDraft::Over => return Ok(NextStep::Done),
        DueDraft::Wait(at, why) => return Ok(NextStep::Hold { at, why }),
        DueDraft::Ready(read) => *read,
    };
    let context = SendContext::new(Caller::service(found.workspace, found.inbox), found.inbox);
    let nothing: RenderResponse = Arc::new(|_| Ok(String::new()));
    let refusal = match attempt(service, context, inbox, material, DraftBeingSent::due(&found), nothing).await {
        Ok(_) => return Ok(NextStep::Done),
        Err(refusal) => refusal,
    };
    match refusal.code {
        ErrorCode::WorkspaceStopped => {
            Ok(NextStep::Hold { at: now.plus_ms(HELD_MS), why: JobReason::WorkspaceStopped })
        }
        ErrorCode::InboxPaused => Ok(NextStep::Hold { at: now.plus_ms(HELD_MS), why: JobReason::InboxPaused }),
        ErrorCode::DraftNotEditable => Ok(NextStep::Hold { at: now.plus_ms(CHANGED_MS), why: JobReason::Changed }),
        code if is_a_check(code) || is_last => fail(service, found, failure(&refusal)).await,
        _ => Ok(NextStep::Retry),
    }
}

fn due(tx: &mut Tx, tenant: WorkspaceId, id: DraftId, now: Time) -> StoreResult<DueDraft> {
    let Some(found) = drafts::get(tx, tenant, id)?.filter(|draft| draft.status == DraftStatus::Scheduled) else {
        return Ok(DueDraft::Over);
    };
    let (workspace, inbox) = (workspaces::get(tx, tenant)?, inboxes::get(tx, tenant, found.inbox)?);
    let live = inbox.filter(|inbox| inbox.deleted_at.is_none());
    let (Some(workspace), Some(inbox), Some(at)) = (workspace, live, found.send_at) else { return Ok(DueDraft::Over) };
    if at > now {
        return Ok(DueDraft::Wait(at, JobReason::Scheduled));
    }
    if let Some(why) = hold_reason(&workspace, &inbox) {
        return Ok(DueDraft::Wait(now.plus_ms(HELD_MS), why));
    }
    let material = compose::load_material(tx, &found);
    Ok(DueDraft::Ready(Box::new((inbox, found, material))))
}

/// Returns why a due draft must be held; other refusals end it.
fn hold_reason(workspace: &Workspace, inbox: &Inbox) -> Option<JobReason> {
    if workspace.stopped_at.is_some() {
        Some(JobReason::WorkspaceStopped)
    } else if inbox.is_paused() {
        Some(JobReason::InboxPaused)
    } else {
        None
    }
}

/// Ends a draft that may not be sent, unless it changed since it was read.
async fn fail(service: &Service, found: Draft, failure: DraftFailure) -> StoreResult<NextStep> {
    let (ids, now) = (service.clock.ids(), service.clock.now());
    service
        .write(move |tx| {
            let current = drafts::lock(tx, found.workspace, found.id)?;
            let same = current.filter(|current| current.revision == found.revision);
            let failed =
                same.and_then(|draft| draft.transitioned(DraftStep::DueRefused, Some(failure.clone()), now).ok());
            let Some(failed) = failed else {
                return Ok::<_, Error>(NextStep::Hold { at: now.plus_ms(CHANGED_MS), why: JobReason::Changed });
            };
            drafts::update(tx, &found, &failed)?;
            append_event(tx, EventKind::DraftFailed, &failed, &ids.clone(), now)?;
            Ok(NextStep::Done)
        })
        .await
}
