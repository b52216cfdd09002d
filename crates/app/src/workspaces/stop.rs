//! The emergency stop (`docs/decisions/people.md#0049-only-an-owner-resumes`).
//!
//! A stop changes one row. The gate reads it at every send, each job in its prepare phase. Queued mail is held, never
//! dropped; resuming makes it due.

use posthouse_api::{views::event::data, views::workspace::ActorView, views::workspace::OrgView};
use posthouse_domain::{
    Actor, Caller, EscalationTrigger, EventKind, IdGenerator, NewEvent, Refusal, Time, Workspace, WorkspaceId,
};
use posthouse_store::{Result as StoreResult, Tx, events, inboxes, jobs, queue, workspaces};

use crate::{access::actor, escalation::record::raise, escalation::record::raise::EscalationSubject, service::Service};

/// Stops a workspace. Stopping a stopped workspace changes nothing, not even the reason.
///
/// # Errors
/// Returns `not_found` if the workspace doesn't exist.
pub async fn stop(service: &Service, caller: Caller, reason: Option<String>) -> Result<Workspace, Refusal> {
    let (ids, now) = (service.clock.ids(), service.clock.now());
    service
        .write(move |tx| {
            inboxes::take_workspace(tx, caller.workspace)?;
            let stopped = workspaces::stop(tx, caller.workspace, reason.as_deref(), now)?;
            let missing = || Refusal::not_found("workspace");
            let workspace = workspaces::get(tx, caller.workspace)?.ok_or_else(missing)?;
            if stopped {
                queue::wake_all(tx, caller.workspace)?;
                let data = data::WorkspaceStopped {
                    workspace: OrgView::of(&workspace),
                    reason: reason.clone(),
                    actor: ActorView::of(&actor::of(tx, &caller)?),
                };
                let ids = ids.clone();
                events::append(tx, &event(EventKind::WorkspaceStopped, data::text(&data), &workspace, &ids, now))?;
                let subject = EscalationSubject::Workspace(workspace.id);
                raise::raise(tx, EscalationTrigger::EmergencyStop, subject, &ids, now)?;
            }
            Ok(workspace)
        })
        .await
}

/// Resumes the caller's workspace.
///
/// # Errors
/// Returns `not_found` if the workspace doesn't exist.
pub async fn resume_as(service: &Service, caller: Caller) -> Result<Workspace, Refusal> {
    let (ids, now) = (service.clock.ids(), service.clock.now());
    let work = move |tx: &mut Tx| {
        let actor = actor::of(tx, &caller)?;
        resume(tx, caller.workspace, &actor, &ids, now)?;
        workspaces::get(tx, caller.workspace)?.ok_or_else(|| Refusal::not_found("workspace"))
    };
    service.write(work).await
}

/// Resumes a workspace within a transaction; held mail becomes due at once. Does nothing if the workspace isn't
/// stopped.
pub fn resume(tx: &mut Tx, id: WorkspaceId, actor: &Actor, ids: &IdGenerator, now: Time) -> StoreResult<()> {
    inboxes::take_workspace(tx, id)?;
    let before = workspaces::get(tx, id)?;
    let Some(stopped_at) = before.and_then(|workspace| workspace.stopped_at) else { return Ok(()) };
    workspaces::resume(tx, id)?;
    jobs::recovery::release_held(tx, id, now)?;
    let Some(workspace) = workspaces::get(tx, id)? else { return Ok(()) };
    let data = data::WorkspaceResumed {
        workspace: OrgView::of(&workspace),
        stopped_at: stopped_at.into(),
        actor: ActorView::of(actor),
    };
    events::append(tx, &event(EventKind::WorkspaceResumed, data::text(&data), &workspace, ids, now))
}

fn event(kind: EventKind, detail_json: String, workspace: &Workspace, ids: &IdGenerator, at: Time) -> NewEvent {
    NewEvent::new(kind, workspace.id, ids.next(), at).with_detail(detail_json)
}
