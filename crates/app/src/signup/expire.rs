//! Deletes an unclaimed workspace after 30 days without use. An authenticated request counts as use, and so does
//! a message that is received or sent.

use posthouse_domain::{ClaimStatus, Time, WorkspaceId, workspace::UNCLAIMED_IDLE_MS};
use posthouse_store::{Result, Tx, inboxes, signups, wipe_workspace, workspaces};

use crate::{inboxes::wipe, service::Service};

/// Inboxes that one transaction deletes.
const INBOXES_PER_STEP: u32 = 20;

/// The result of checking a workspace that may be idle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IdleResult {
    /// It was deleted, or a person claimed it.
    Done,
    /// It was used; it can be deleted at this time.
    UsedUntil(Time),
}

/// Returns when an unclaimed workspace is deleted if nobody uses it; `None` if the workspace doesn't exist.
pub fn expires_at(tx: &mut Tx, workspace: WorkspaceId) -> Result<Option<Time>> {
    Ok(signups::last_activity(tx, workspace)?.map(|last| last.plus_ms(UNCLAIMED_IDLE_MS)))
}

/// Deletes the workspace if it is unclaimed and idle. A retry continues where an earlier attempt stopped.
pub async fn delete_if_idle(service: &Service, workspace: WorkspaceId) -> Result<IdleResult> {
    let now = service.clock.now();
    let closed = service.write(move |tx| close(tx, workspace, now)).await?;
    if let Some(result) = closed {
        return Ok(result);
    }
    loop {
        let wiped = service.write(move |tx| wipe_workspace::inboxes(tx, workspace, INBOXES_PER_STEP)).await?;
        wipe::remove_blobs(service, wiped.blobs).await;
        if wiped.count == 0 {
            break;
        }
    }
    let blobs = service.write(move |tx| wipe_workspace::workspace(tx, workspace)).await?;
    wipe::remove_blobs(service, blobs).await;
    tracing::info!(workspace_id = %workspace, "signup.expired");
    Ok(IdleResult::Done)
}

/// Closes an idle workspace; returns the result if it isn't one.
fn close(tx: &mut Tx, workspace: WorkspaceId, now: Time) -> Result<Option<IdleResult>> {
    inboxes::take_workspace(tx, workspace)?;
    let is_unclaimed = workspaces::get(tx, workspace)?.is_some_and(|found| found.claim == ClaimStatus::Unclaimed);
    if !is_unclaimed || signups::lock(tx, workspace)?.is_none() {
        return Ok(Some(IdleResult::Done));
    }
    match expires_at(tx, workspace)? {
        Some(at) if now < at => Ok(Some(IdleResult::UsedUntil(at))),
        _ => wipe_workspace::close(tx, workspace, now).map(|()| None),
    }
}
