//! Mail that is older than its workspace keeps it is deleted for good: rows, files, labels, contents, blobs. Part of the
//! sweep; in small transactions, so that nobody waits long behind one.

use std::sync::Arc;

use posthouse_domain::{
    id::{InboxId, WorkspaceId},
    time::{DAY_MS, Time},
};
use posthouse_store::{Result, erase, message_list::Place, workspaces};
use uuid::Uuid;

use crate::app::{App, expire_inbox};

/// Workspaces of one query.
const WORKSPACES_PAGE: u32 = 500;
/// Inboxes of a workspace that one sweep looks at.
const INBOXES_MAX: u32 = 1_000;
/// Messages that one transaction deletes.
const MESSAGES_STEP: u32 = 200;
/// Transactions of one sweep; the rest waits for the next.
const STEPS_MAX: u32 = 250;

/// Deletes what is past its time; says how many messages.
///
/// # Errors
/// The store's own.
pub(super) async fn run(app: &Arc<App>, now: Time) -> Result<u64> {
    let (mut deleted, mut steps) = (0, STEPS_MAX);
    let mut after = WorkspaceId(Uuid::nil());
    loop {
        let page = app.store.read(move |tx| workspaces::keeping_for_days(tx, after, WORKSPACES_PAGE)).await?;
        let Some((last, _)) = page.last() else { return Ok(deleted) };
        after = *last;
        for (workspace, days) in page {
            let before = now.plus_ms(-days.saturating_mul(DAY_MS));
            let inboxes =
                app.store.read(move |tx| erase::inboxes_with_older(tx, workspace, before, INBOXES_MAX)).await?;
            for inbox in inboxes {
                deleted += of_inbox(app, (workspace, inbox), before, &mut steps).await?;
            }
        }
        if steps == 0 {
            return Ok(deleted);
        }
    }
}

async fn of_inbox(
    app: &Arc<App>,
    (workspace, inbox): (WorkspaceId, InboxId),
    before: Time,
    steps: &mut u32,
) -> Result<u64> {
    let place = Place { workspace, inbox };
    let mut deleted = 0;
    while *steps > 0 {
        *steps -= 1;
        let erased = app.store.write(move |tx| erase::messages_before(tx, place, before, MESSAGES_STEP)).await?;
        expire_inbox::remove_blobs(app, erased.blobs).await;
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
