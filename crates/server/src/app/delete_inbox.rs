//! The end of an inbox by its owner (API document, States): a permanent one is marked as deleted, a temporary one is wiped.
//!
//! Of a deleted inbox everything answers 404 and nothing more leaves: what it has queued is settled as failed in the same
//! transaction. Its address is never used again.

use posthouse_domain::{auth::Caller, error::Refusal, id::InboxId};
use posthouse_store::{contacts, drafts, events, forwarding, inboxes, lists, wipe};

use super::{App, change_inbox, expire_inbox};

/// What the delivery entries of mail say that was still queued.
const DETAIL: &str = "the inbox was deleted before the message left";

/// Deletes an inbox.
///
/// # Errors
/// `not_found`, or the store's own.
pub async fn delete(app: &App, caller: Caller, id: InboxId) -> Result<(), Refusal> {
    let now = app.clock.now();
    let wiped = app
        .store
        .write(move |tx| {
            let inbox = change_inbox::take(tx, &caller, id, now)?;
            if inbox.temporary {
                return Ok::<_, Refusal>(expire_inbox::wipe(tx, &inbox, now)?);
            }
            inboxes::delete(tx, &inbox, now)?;
            contacts::forget_subjects(tx, inbox.workspace, inbox.id)?;
            lists::delete_of_inbox(tx, inbox.workspace, inbox.id)?;
            forwarding::delete_of_inbox(tx, inbox.workspace, inbox.id)?;
            events::forget_held(tx, inbox.workspace, inbox.id)?;
            drafts::wipe_inbox(tx, inbox.workspace, inbox.id)?;
            wipe::fail_queued(tx, inbox.workspace, inbox.id, (DETAIL, now))?;
            Ok(Vec::new())
        })
        .await?;
    expire_inbox::remove_blobs(app, wiped).await;
    Ok(())
}
