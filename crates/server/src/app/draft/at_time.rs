//! A scheduled draft whose time has come (contract §5.2): sent, held while the workspace is stopped or the inbox paused, or
//! failed with the reason. The job calls this; a draft that was changed meanwhile is looked at again.

use std::sync::Arc;

use posthouse_domain::{
    auth::Caller,
    draft::{Draft, Failure, Status, Step},
    error::{Code, Refusal},
    event::EventKind,
    id::{DraftId, WorkspaceId},
    inbox::Inbox,
    time::{MINUTE_MS, SECOND_MS, Time},
    workspace::Workspace,
};
use posthouse_store::{Error, Result as Stored, Tx, drafts, inboxes, workspaces};

use super::{
    letter::{self, Material},
    send::{Sealed, attempt, failure, is_a_check},
    tell::tell,
};
use crate::app::{App, next_step::NextStep, post::Render, send::Order};

/// How long a held draft waits before it is looked at again, in milliseconds, if nobody resumes before.
const HELD_MS: i64 = 10 * MINUTE_MS;
/// How soon a draft is looked at again that was changed while it was being sent, in milliseconds.
const AGAIN_MS: i64 = SECOND_MS;

/// What is read when the time has come.
enum Due {
    Over,
    Wait(Time, &'static str),
    Ready(Box<(Inbox, Draft, Result<Material, Refusal>)>),
}

/// Sends a draft whose time has come. The last attempt that fails by our own fault ends the draft too.
///
/// # Errors
/// The store's own.
pub async fn send_at_time(app: &Arc<App>, place: (WorkspaceId, DraftId), is_last: bool) -> Stored<NextStep> {
    let now = app.clock.now();
    let (inbox, found, material) = match app.store.read(move |tx| due(tx, place, now)).await? {
        Due::Over => return Ok(NextStep::Done),
        Due::Wait(at, why) => return Ok(NextStep::Hold { at, why }),
        Due::Ready(read) => *read,
    };
    let order =
        Order { caller: Caller::service(found.workspace, found.inbox), inbox: found.inbox, key: None, fence: None };
    let nothing: Render = Arc::new(|_| Ok(String::new()));
    let refusal = match attempt(app, order, (inbox, material), (Sealed::due(&found), nothing)).await {
        Ok(_) => return Ok(NextStep::Done),
        Err(refusal) => refusal,
    };
    match refusal.code {
        Code::WorkspaceStopped => Ok(NextStep::Hold { at: now.plus_ms(HELD_MS), why: "workspace_stopped" }),
        Code::InboxPaused => Ok(NextStep::Hold { at: now.plus_ms(HELD_MS), why: "inbox_paused" }),
        Code::DraftNotEditable => Ok(NextStep::Hold { at: now.plus_ms(AGAIN_MS), why: "changed" }),
        code if is_a_check(code) || is_last => fail(app, found, failure(&refusal)).await,
        _ => Ok(NextStep::Retry),
    }
}

fn due(tx: &mut Tx, (tenant, id): (WorkspaceId, DraftId), now: Time) -> Stored<Due> {
    let Some(found) = drafts::get(tx, tenant, id)?.filter(|draft| draft.status == Status::Scheduled) else {
        return Ok(Due::Over);
    };
    let (workspace, inbox) = (workspaces::get(tx, tenant)?, inboxes::get(tx, tenant, found.inbox)?);
    let live = inbox.filter(|inbox| inbox.deleted_at.is_none());
    let (Some(workspace), Some(inbox), Some(at)) = (workspace, live, found.send_at) else { return Ok(Due::Over) };
    if at > now {
        return Ok(Due::Wait(at, "scheduled"));
    }
    if let Some(why) = hold(&workspace, &inbox) {
        return Ok(Due::Wait(now.plus_ms(HELD_MS), why));
    }
    let material = letter::material(tx, &found);
    Ok(Due::Ready(Box::new((inbox, found, material))))
}

/// What makes a draft wait instead of failing (API document, States; contract §3.2).
fn hold(workspace: &Workspace, inbox: &Inbox) -> Option<&'static str> {
    if workspace.stopped_at.is_some() {
        Some("workspace_stopped")
    } else if inbox.is_paused() {
        Some("inbox_paused")
    } else {
        None
    }
}

/// Ends a draft that may not be sent, unless somebody changed it meanwhile.
async fn fail(app: &App, found: Draft, failure: Failure) -> Stored<NextStep> {
    let (ids, now) = (app.clock.ids(), app.clock.now());
    app.store
        .write(move |tx| {
            let current = drafts::take(tx, found.workspace, found.id)?;
            let same = current.filter(|current| current.revision == found.revision);
            let failed = same.and_then(|draft| draft.ended(Step::DueRefused, Some(failure.clone()), now).ok());
            let Some(failed) = failed else {
                return Ok::<_, Error>(NextStep::Hold { at: now.plus_ms(AGAIN_MS), why: "changed" });
            };
            drafts::update(tx, &found, &failed)?;
            tell(tx, EventKind::DraftFailed, &failed, &ids.clone(), now)?;
            Ok(NextStep::Done)
        })
        .await
}
