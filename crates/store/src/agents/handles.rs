//! Handles of workspaces. A row is never deleted, so a handle isn't given to a second workspace.

use posthouse_domain::{
    agent::handle::{HANDLES_MAX, HandleName, REDIRECT_MS},
    id::WorkspaceId,
    time::Time,
};

use crate::{Result, Tx, p, statements};

statements! {
    CURRENT = "SELECT handle FROM handles WHERE workspace_id = $1 AND state = 'current'";
    PREVIOUS = "SELECT handle, redirect_until FROM handles WHERE workspace_id = $1 AND state = 'renamed' AND redirect_until > $2
        ORDER BY redirect_until DESC LIMIT $3";
    TAKE_LOOK_ALIKES = "SELECT CAST(1 AS BIGINT) WHERE CAST($1 AS TEXT) IS NOT NULL"
        / "SELECT CAST(1 AS BIGINT) FROM pg_advisory_xact_lock(hashtextextended(CAST($1 AS TEXT), 0))";
    BY_NAME = "SELECT workspace_id, state, redirect_until FROM handles WHERE handle = $1";
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
    INSERT = "INSERT INTO handles (handle, workspace_id, skeleton, state, created_at) VALUES ($1, $2, $3, 'current', $4)
        ON CONFLICT (handle) DO NOTHING";
    RENAME = "UPDATE handles SET state = 'renamed', redirect_until = $2 WHERE workspace_id = $1 AND state = 'current'";
    RECLAIM = "UPDATE handles SET state = 'current', redirect_until = NULL WHERE handle = $1 AND workspace_id = $2 AND state = 'renamed'";
    RELEASE = "UPDATE handles SET state = 'released', redirect_until = NULL WHERE workspace_id = $1 AND state = 'current'";
    END_REDIRECTS = "UPDATE handles SET redirect_until = $2 WHERE workspace_id = $1 AND state = 'renamed' AND redirect_until > $2";
    CLAIMED = "SELECT created_at FROM handles WHERE workspace_id = $1 ORDER BY created_at LIMIT $2";
    /// Returns the longest agent part of the workspace's handles.
    pub fn longest_part(workspace: WorkspaceId) -> Option<String> =
        "SELECT handle FROM agent_cards WHERE workspace_id = :workspace AND handle IS NOT NULL ORDER BY length(handle) DESC LIMIT 1";
}

/// The most previous handles that are shown.
const PREVIOUS_MAX: u32 = 100;

/// A handle that a workspace had before, which still leads to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PreviousHandle {
    /// The handle.
    pub handle: HandleName,
    /// When it stops leading to the workspace.
    pub redirect_until: Time,
}

/// The handles of a workspace.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct WorkspaceHandles {
    /// The current one.
    pub current: Option<HandleName>,
    /// Those that still lead to the workspace, latest first.
    pub previous: Vec<PreviousHandle>,
}

/// The workspace that a handle leads to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HandleTarget {
    /// The workspace.
    pub workspace: WorkspaceId,
    /// Whether the handle was renamed and redirects.
    pub is_redirect: bool,
}

/// The holder of a handle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HandleOwner {
    /// The workspace itself, which uses it now.
    OwnCurrent,
    /// The workspace itself, which renamed it.
    OwnRenamed,
    /// Another workspace, or nobody may claim it again.
    Taken,
}

/// Returns the handles of a workspace.
pub fn of_workspace(tx: &mut Tx, workspace: WorkspaceId, now: Time) -> Result<WorkspaceHandles> {
    let previous = tx.rows(&PREVIOUS, p![workspace, now, PREVIOUS_MAX])?;
    Ok(WorkspaceHandles { current: current(tx, workspace)?, previous })
}

/// Returns the current handle of a workspace.
pub fn current(tx: &mut Tx, workspace: WorkspaceId) -> Result<Option<HandleName>> {
    Ok(tx.value::<String>(&CURRENT, p![workspace])?.map(HandleName::stored))
}

/// Returns the workspace that a handle leads to: its current one, or one that renamed it less than 90 days ago and has a
/// handle now.
pub fn target(tx: &mut Tx, handle: &HandleName, now: Time) -> Result<Option<HandleTarget>> {
    let Some(row) = tx.one::<HandleRow>(&BY_NAME, p![handle.text()])? else { return Ok(None) };
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
    let row = tx.one::<HandleRow>(&BY_NAME, p![handle.text()])?;
    Ok(row.map(|row| match row.state.as_str() {
        "current" if row.workspace_id == workspace => HandleOwner::OwnCurrent,
        "renamed" if row.workspace_id == workspace => HandleOwner::OwnRenamed,
        _ => HandleOwner::Taken,
    }))
}

/// Waits for other transactions that claim this handle or one that looks like it, and makes later ones wait until this
/// transaction ends: they write different rows, so nothing else orders them.
pub fn take_look_alikes(tx: &mut Tx, handle: &HandleName) -> Result<()> {
    tx.value::<i64>(&TAKE_LOOK_ALIKES, p![handle.skeleton()])?;
    Ok(())
}

/// Makes a handle that is free, or that the workspace renamed, its current one; the one before redirects for 90 days.
/// Returns `false` if another transaction claimed it.
pub fn claim(tx: &mut Tx, workspace: WorkspaceId, handle: &HandleName, now: Time) -> Result<bool> {
    tx.exec(&RENAME, p![workspace, now.plus_ms(REDIRECT_MS)])?;
    if tx.exec(&RECLAIM, p![handle.text(), workspace])? > 0 {
        return Ok(true);
    }
    Ok(tx.exec(&INSERT, p![handle.text(), workspace, handle.skeleton(), now])? > 0)
}

/// Releases the current handle, so that nobody can claim it again, and ends the redirects to it.
pub fn release(tx: &mut Tx, workspace: WorkspaceId, now: Time) -> Result<()> {
    tx.exec(&RELEASE, p![workspace])?;
    tx.exec(&END_REDIRECTS, p![workspace, now])?;
    Ok(())
}

/// Returns when a workspace took its handles, oldest first, at most [`HANDLES_MAX`].
pub fn claimed(tx: &mut Tx, workspace: WorkspaceId) -> Result<Vec<Time>> {
    Ok(tx.rows::<(Time,)>(&CLAIMED, p![workspace, HANDLES_MAX])?.into_iter().map(|(at,)| at).collect())
}

crate::row_struct!(HandleRow { workspace_id: WorkspaceId, state: String, redirect_until: Option<Time> });

crate::from_row!(PreviousHandle { handle: String, redirect_until } => Self { handle: HandleName::stored(handle), redirect_until });
