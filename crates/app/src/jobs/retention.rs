//! Permanently deletes mail older than its workspace's retention: rows, files, labels, contents, blobs. Part of the
//! sweep, in small transactions so that other writers don't wait long.

use std::sync::Arc;

use posthouse_domain::{DAY_MS, InboxId, Time, WorkspaceId};
use posthouse_store::{Result, erase, message_list::InboxRef, workspaces};
use uuid::Uuid;

use crate::{ReadScope, Service, inboxes::wipe};

/// How long mail of the service to people is kept, such as links to sign in, in milliseconds.
const SERVICE_MAIL_MS: i64 = 30 * DAY_MS;
/// Workspaces per query.
const WORKSPACES_PAGE: u32 = 500;
/// Maximum inboxes of a workspace per sweep.
const INBOXES_MAX: u32 = 1_000;
/// Messages deleted per transaction.
const MESSAGES_STEP: u32 = 200;
/// Maximum transactions per sweep; the rest waits for the next sweep.
const STEPS_MAX: u32 = 250;

/// Deletes expired messages and returns how many.
pub(super) async fn run(service: &Arc<Service>, now: Time) -> Result<u64> {
    let mut steps = STEPS_MAX;
    let mut deleted = of_workspace(service, WorkspaceId::SERVICE, now.plus_ms(-SERVICE_MAIL_MS), &mut steps).await?;
    let mut after = WorkspaceId(Uuid::nil());
    loop {
        let page =
            service.read(ReadScope::Service, move |tx| workspaces::with_retention(tx, after, WORKSPACES_PAGE)).await?;
        let Some((last, _)) = page.last() else { return Ok(deleted) };
        after = *last;
        for (workspace, days) in page {
            let before = now.plus_ms(-days.saturating_mul(DAY_MS));
            deleted += of_workspace(service, workspace, before, &mut steps).await?;
        }
        if steps == 0 {
            return Ok(deleted);
        }
    }
}

async fn of_workspace(service: &Arc<Service>, workspace: WorkspaceId, before: Time, steps: &mut u32) -> Result<u64> {
    let inboxes = service
        .read(ReadScope::Service, move |tx| erase::inboxes_with_older(tx, workspace, before, INBOXES_MAX))
        .await?;
    let mut deleted = 0;
    for inbox in inboxes {
        deleted += of_inbox(service, workspace, inbox, before, steps).await?;
    }
    Ok(deleted)
}

async fn of_inbox(
    service: &Arc<Service>,
    workspace: WorkspaceId,
    inbox: InboxId,
    before: Time,
    steps: &mut u32,
) -> Result<u64> {
    let inbox_ref = InboxRef { workspace, inbox };
    let mut deleted = 0;
    while *steps > 0 {
        *steps -= 1;
        let erased = service.write(move |tx| erase::messages_before(tx, inbox_ref, before, MESSAGES_STEP)).await?;
        wipe::remove_blobs(service, erased.blobs).await;
        deleted += erased.messages;
        if erased.messages < u64::from(MESSAGES_STEP) {
            break;
        }
    }
    if deleted > 0 {
        tracing::info!(workspace_id = %workspace, inbox_id = %inbox, messages = deleted, "retention.deleted");
    }
    Ok(deleted)
}
