//! Handles of workspaces: claiming, renaming, releasing, and finding the agent behind one.

use posthouse_domain::agent::handle::{check_length, check_renames};
use posthouse_domain::{
    Agent, AgentHandle, Caller, ClaimStatus, ErrorCode, FullHandle, HandleName, Refusal, ReservedNames, WorkspaceId,
};
use posthouse_store::{Tx, agents, handles, handles::HandleOwner, handles::WorkspaceHandles, inboxes, workspaces};

use super::{switches, view::AgentViewer};
use crate::{inboxes::names::reserved_names, service::Service};

/// Returns the handles of the caller's workspace.
///
/// # Errors
/// Returns `directory_disabled`.
pub async fn read(service: &Service, caller: Caller) -> Result<WorkspaceHandles, Refusal> {
    switches::check(service)?;
    let now = service.clock.now();
    let load = move |tx: &mut Tx| Ok(handles::of_workspace(tx, caller.workspace, now)?);
    service.read(caller.workspace, load).await
}

/// Claims a handle for the caller's workspace, or renames the one that it has.
///
/// # Errors
/// Returns `directory_disabled`, `unclaimed_workspace`, `invalid_handle`, `handle_reserved`, `handle_taken`, `handle_limit`,
/// or `rate_limited` after too many renames.
pub async fn claim(service: &Service, caller: Caller, text: &str) -> Result<WorkspaceHandles, Refusal> {
    switches::check(service)?;
    let handle = HandleName::parse(text)?;
    let (workspace, now, names) = (caller.workspace, service.clock.now(), reserved_names(&service.config));
    let work = move |tx: &mut Tx| {
        inboxes::take_workspace(tx, workspace)?;
        let tenant = workspaces::get(tx, workspace)?.ok_or_else(|| Refusal::not_found("workspace"))?;
        if tenant.claim == ClaimStatus::Unclaimed {
            let message = "An unclaimed workspace can't have a handle.";
            let fix = "Have a person claim the workspace first: `POST /v1/signup/claim`.";
            return Err(Refusal::new(ErrorCode::UnclaimedWorkspace, message).with_fix(fix));
        }
        handles::take_look_alikes(tx, &handle)?;
        let owner = handles::owner(tx, workspace, &handle)?;
        if owner == Some(HandleOwner::OwnCurrent) {
            return Ok(handles::of_workspace(tx, workspace, now)?);
        }
        check_free(tx, workspace, &handle, owner, &names)?;
        // A handle that the workspace had before is taken from nobody.
        if owner.is_none() {
            check_renames(&handles::claimed(tx, workspace)?, now)?;
        }
        if let Some(longest) = handles::longest_part(tx, workspace)? {
            check_length(&handle, &AgentHandle::stored(longest))?;
        }
        if !handles::claim(tx, workspace, &handle, now)? {
            return Err(taken(&handle));
        }
        Ok(handles::of_workspace(tx, workspace, now)?)
    };
    service.write(work).await
}

/// Checks that nobody else has or had the handle or one that looks like it.
fn check_free(
    tx: &mut Tx,
    workspace: WorkspaceId,
    handle: &HandleName,
    owner: Option<HandleOwner>,
    names: &ReservedNames,
) -> Result<(), Refusal> {
    match owner {
        Some(HandleOwner::Taken) => Err(taken(handle)),
        Some(HandleOwner::OwnCurrent | HandleOwner::OwnRenamed) => Ok(()),
        None if handle.is_reserved(names) => Err(Refusal::new(
            ErrorCode::HandleReserved,
            format!("@{handle} is reserved, or looks like a reserved name."),
        )),
        None => match handles::look_alike(tx, workspace, &handle.skeleton())? {
            Some(other) => {
                let message = format!("@{handle} looks like @{other}, which another workspace has or had.");
                Err(Refusal::new(ErrorCode::HandleTaken, message))
            }
            None => Ok(()),
        },
    }
}

fn taken(handle: &HandleName) -> Refusal {
    Refusal::new(
        ErrorCode::HandleTaken,
        format!("@{handle} is or was in use, and is never given to a workspace again."),
    )
}

/// Releases the handle of the caller's workspace. Nobody can claim it again, and it leads nowhere.
///
/// # Errors
/// Returns `directory_disabled`.
pub async fn release(service: &Service, caller: Caller) -> Result<WorkspaceHandles, Refusal> {
    switches::check(service)?;
    let (workspace, now) = (caller.workspace, service.clock.now());
    let work = move |tx: &mut Tx| {
        inboxes::take_workspace(tx, workspace)?;
        handles::release(tx, workspace, now)?;
        Ok(handles::of_workspace(tx, workspace, now)?)
    };
    service.write(work).await
}

/// The agent behind a handle.
#[derive(Clone, PartialEq, Debug)]
pub struct HandleHit {
    pub agent: Agent,
    /// The handle that was looked up, if the workspace has renamed it.
    pub redirected_from: Option<String>,
}

/// Returns the agent behind a handle, as far as the workspace may find it: its own agents, and listed ones of others.
/// `None` stands for a caller without a workspace.
pub fn find(
    tx: &mut Tx,
    asking: Option<WorkspaceId>,
    handle: &FullHandle,
    viewer: &AgentViewer,
) -> posthouse_store::Result<Option<HandleHit>> {
    let Some(part) = &handle.agent else { return Ok(None) };
    let Some(target) = handles::target(tx, &handle.workspace, viewer.now)? else { return Ok(None) };
    let Some(agent) = agents::by_handle(tx, target.workspace, part)? else { return Ok(None) };
    let is_own = asking == Some(target.workspace);
    if agent.deleted_at.is_some() || !(is_own || viewer.is_listed(&agent)) {
        return Ok(None);
    }
    let redirected_from = target.is_redirect.then(|| format!("@{}/{part}", handle.workspace));
    Ok(Some(HandleHit { agent, redirected_from }))
}

/// Returns the canonical address behind a handle that a message is sent to, such as `@acme/support`. Identities have no
/// mail, so they aren't found.
///
/// # Errors
/// Returns `invalid_handle` or `agent_not_found`.
pub fn recipient(tx: &mut Tx, workspace: WorkspaceId, handle: &str, viewer: &AgentViewer) -> Result<String, Refusal> {
    let parsed = FullHandle::parse(handle)?;
    let hit = find(tx, Some(workspace), &parsed, viewer)?;
    let has_mail = |hit: &HandleHit| hit.agent.kind == posthouse_domain::inbox::InboxKind::Mailbox;
    hit.filter(has_mail).map(|hit| hit.agent.address).ok_or_else(|| {
        let message = format!("No agent with the handle {handle} is listed or belongs to this workspace.");
        Refusal::new(ErrorCode::AgentNotFound, message)
    })
}
