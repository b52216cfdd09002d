//! The emergency stop and its end (API document, Trust; contract §17.2; decision 27).
//!
//! One row changes. Everything else follows by reading: the gate asks at every send, each job in its prepare step. What waits
//! is held and never dropped; the end of the stop makes it due.

use posthouse_domain::{
    actor::{Actor, ActorKind},
    auth::Caller,
    error::Refusal,
    event::{EventKind, NewEvent},
    id::{Ids, WorkspaceId},
    time::Time,
    workspace::Workspace,
};
use posthouse_store::{Result as Stored, Tx, deliveries, events, inboxes, keys, queue, workspaces};

use super::App;
use crate::views::{
    event::data,
    workspace::{ActorView, OrgView},
};

/// Stops a workspace. Stopping a stopped one changes nothing, also not the reason.
///
/// # Errors
/// `not_found`, or the store's own.
pub async fn stop(app: &App, caller: Caller, reason: Option<String>) -> Result<Workspace, Refusal> {
    let (ids, now) = (app.clock.ids(), app.clock.now());
    app.store
        .write(move |tx| {
            inboxes::take_workspace(tx, caller.workspace)?;
            let stopped = workspaces::stop(tx, caller.workspace, reason.as_deref(), now)?;
            let missing = || Refusal::not_found("workspace");
            let workspace = workspaces::get(tx, caller.workspace)?.ok_or_else(missing)?;
            if stopped {
                queue::stir_all(tx, caller.workspace)?;
                let data = data::WorkspaceStopped {
                    workspace: OrgView::of(&workspace),
                    reason: reason.clone(),
                    actor: ActorView::of(&actor(tx, &caller)?),
                };
                events::append(tx, &event(EventKind::WorkspaceStopped, data::text(&data), (&workspace, &ids, now)))?;
            }
            Ok(workspace)
        })
        .await
}

/// Ends the stop of a workspace inside a transaction; what was held is due at once. Says nothing of one that runs.
///
/// # Errors
/// The store's own.
pub fn resume(tx: &mut Tx, id: WorkspaceId, actor: &Actor, ids: &Ids, now: Time) -> Stored<()> {
    inboxes::take_workspace(tx, id)?;
    let before = workspaces::get(tx, id)?;
    let Some(stopped_at) = before.and_then(|workspace| workspace.stopped_at) else { return Ok(()) };
    workspaces::resume(tx, id)?;
    deliveries::release_held(tx, id, now)?;
    let Some(workspace) = workspaces::get(tx, id)? else { return Ok(()) };
    let data = data::WorkspaceResumed {
        workspace: OrgView::of(&workspace),
        stopped_at: stopped_at.into(),
        actor: ActorView::of(actor),
    };
    events::append(tx, &event(EventKind::WorkspaceResumed, data::text(&data), (&workspace, ids, now)))
}

/// The actor behind a request.
///
/// # Errors
/// The store's own.
pub fn actor(tx: &mut Tx, caller: &Caller) -> Stored<Actor> {
    let label = keys::name(tx, caller.workspace, caller.key)?.unwrap_or_default();
    Ok(Actor { kind: ActorKind::ApiKey, id: Some(caller.key.to_string()), label })
}

fn event(kind: EventKind, detail_json: String, (workspace, ids, at): (&Workspace, &Ids, Time)) -> NewEvent {
    NewEvent {
        workspace: workspace.id,
        id: ids.clone().next(),
        kind,
        inbox: None,
        thread: None,
        message: None,
        detail_json,
        at,
    }
}
