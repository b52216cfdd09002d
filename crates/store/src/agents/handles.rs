//! Handles of workspaces. A row is never deleted, so a handle isn't given to a second workspace.

use posthouse_domain::{
    HandleName, Time, WorkspaceId,
    agent::handle::{HANDLES_MAX, REDIRECT_MS},
};
pub use posthouse_domain::{HandleOwner, HandleTarget, PreviousHandle, WorkspaceHandles};

use crate::{Result, Tx, statements};

statements! {
    /// Returns the current handle of a workspace.
    pub fn current(workspace: WorkspaceId) -> Option<HandleName> =
        "SELECT handle FROM handles WHERE workspace_id = :workspace AND state = 'current'";
    /// Returns handles that still lead to a workspace, latest first.
    fn previous(workspace: WorkspaceId, now: Time; limit = PREVIOUS_MAX) -> Vec<PreviousHandle> =
        "SELECT handle, redirect_until FROM handles WHERE workspace_id = :workspace AND state = 'renamed' AND redirect_until > :now
    ORDER BY redirect_until DESC LIMIT :limit";
    /// Waits for other transactions that claim this handle or one that looks like it, and makes later ones wait until this
    /// transaction ends: they write different rows, so nothing else orders them.
    pub fn take_look_alikes(handle: &HandleName { skeleton: handle.skeleton() }) =
        "SELECT CAST(1 AS BIGINT) WHERE CAST(:skeleton AS TEXT) IS NOT NULL"
        / "SELECT CAST(1 AS BIGINT) FROM pg_advisory_xact_lock(hashtextextended(CAST(:skeleton AS TEXT), 0))";
    fn by_name(handle: &HandleName) -> Option<HandleRow> =
        "SELECT workspace_id, state, redirect_until FROM handles WHERE handle = :handle";
    /// Returns a handle of another workspace with that skeleton.
    pub fn look_alike(workspace: WorkspaceId, skeleton: &str) -> Option<String> =
        "SELECT handle FROM handles WHERE skeleton = :skeleton AND workspace_id <> :workspace LIMIT 1";
    /// Returns another workspace that has a handle with that skeleton and cards in the public directory.
    pub fn listed_look_alike(workspace: WorkspaceId, skeleton: &str) -> Option<WorkspaceId> =
        "SELECT h.workspace_id FROM handles h WHERE h.skeleton = :skeleton AND h.workspace_id <> :workspace AND h.state <> 'released'
        AND EXISTS (SELECT 1 FROM card_index d WHERE d.workspace_id = h.workspace_id AND d.is_public = 1 LIMIT 1 OFFSET 0) LIMIT 1";
    /// Returns the agent parts of the handles of a workspace's listed cards.
    pub fn listed_parts(workspace: WorkspaceId, limit: u32) -> Vec<String> =
        "SELECT c.handle FROM agent_cards c WHERE c.workspace_id = :workspace AND c.handle IS NOT NULL AND c.listing = 'listed'
        ORDER BY c.handle LIMIT :limit";
    fn insert(
        workspace: WorkspaceId, handle: &HandleName { handle: handle.text(), skeleton: handle.skeleton() }, now: Time,
    ) -> bool =
        "INSERT INTO handles (handle, workspace_id, skeleton, state, created_at) VALUES (:handle, :workspace, :skeleton, 'current', :now)
    ON CONFLICT (handle) DO NOTHING";
    fn rename_current(workspace: WorkspaceId, redirect_until: Time) =
        "UPDATE handles SET state = 'renamed', redirect_until = :redirect_until WHERE workspace_id = :workspace AND state = 'current'";
    fn reclaim(workspace: WorkspaceId, handle: &HandleName) -> bool =
        "UPDATE handles SET state = 'current', redirect_until = NULL WHERE handle = :handle AND workspace_id = :workspace AND state = 'renamed'";
    fn release_current(workspace: WorkspaceId) =
        "UPDATE handles SET state = 'released', redirect_until = NULL WHERE workspace_id = :workspace AND state = 'current'";
    fn end_redirects(workspace: WorkspaceId, now: Time) =
        "UPDATE handles SET redirect_until = :now WHERE workspace_id = :workspace AND state = 'renamed' AND redirect_until > :now";
    /// Returns when a workspace took its handles, oldest first, at most [`HANDLES_MAX`].
    pub fn claimed(workspace: WorkspaceId; limit = HANDLES_MAX) -> Vec<Time> =
        "SELECT created_at FROM handles WHERE workspace_id = :workspace ORDER BY created_at LIMIT :limit";
    /// Returns the longest agent part of the workspace's handles.
    pub fn longest_part(workspace: WorkspaceId) -> Option<String> =
        "SELECT handle FROM agent_cards WHERE workspace_id = :workspace AND handle IS NOT NULL ORDER BY length(handle) DESC LIMIT 1";
}

/// The most previous handles that are shown.
const PREVIOUS_MAX: u32 = 100;

/// Returns the handles of a workspace.
pub fn of_workspace(tx: &mut Tx, workspace: WorkspaceId, now: Time) -> Result<WorkspaceHandles> {
    Ok(WorkspaceHandles { previous: previous(tx, workspace, now)?, current: current(tx, workspace)? })
}

/// Returns the workspace that a handle leads to: its current one, or one that renamed it less than 90 days ago and has a
/// handle now.
pub fn target(tx: &mut Tx, handle: &HandleName, now: Time) -> Result<Option<HandleTarget>> {
    let Some(row) = by_name(tx, handle)? else { return Ok(None) };
    let workspace = row.workspace_id;
    let is_redirect = match row.state.as_str() {
        "current" => false,
        "renamed" if row.redirect_until.is_some_and(|until| now < until) => true,
        _ => return Ok(None),
    };
    if is_redirect && current(tx, workspace)?.is_none() {
        return Ok(None);
    }
    Ok(Some(HandleTarget { workspace, is_redirect }))
}

/// Returns the holder of a handle; `None` if it is free.
pub fn owner(tx: &mut Tx, workspace: WorkspaceId, handle: &HandleName) -> Result<Option<HandleOwner>> {
    Ok(by_name(tx, handle)?.map(|row| match row.state.as_str() {
        "current" if row.workspace_id == workspace => HandleOwner::OwnCurrent,
        "renamed" if row.workspace_id == workspace => HandleOwner::OwnRenamed,
        _ => HandleOwner::Taken,
    }))
}

/// Makes a handle that is free, or that the workspace renamed, its current one; the one before redirects for 90 days.
/// Returns `false` if another transaction claimed it.
pub fn claim(tx: &mut Tx, workspace: WorkspaceId, handle: &HandleName, now: Time) -> Result<bool> {
    rename_current(tx, workspace, now.plus_ms(REDIRECT_MS))?;
    Ok(reclaim(tx, workspace, handle)? || insert(tx, workspace, handle, now)?)
}

/// Releases the current handle, so that nobody can claim it again, and ends the redirects to it.
pub fn release(tx: &mut Tx, workspace: WorkspaceId, now: Time) -> Result<()> {
    release_current(tx, workspace)?;
    end_redirects(tx, workspace, now)
}

crate::row_struct!(HandleRow { workspace_id: WorkspaceId, state: String, redirect_until: Option<Time> });

crate::from_row!(PreviousHandle { handle, redirect_until });
