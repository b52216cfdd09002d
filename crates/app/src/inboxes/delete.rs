//! Deletes an inbox: a permanent inbox is marked as deleted, a temporary inbox is wiped.
//!
//! Every record of a deleted inbox is `not_found`, and its queued mail fails in the same transaction. Its address is
//! never used again.

use posthouse_domain::{Caller, Inbox, InboxId, Refusal, Time};
use posthouse_store::{
    Tx, contacts, drafts, events, forwarding, identity_approvals, identity_tokens, inboxes, knowledge, lists,
    message_list::InboxRef, rules, wipe as stored,
};

use crate::{inboxes::change, inboxes::removal::InboxRemoval, inboxes::wipe, service::Service};

/// The delivery detail of mail that was queued when the inbox was deleted.
const DETAIL: &str = "the inbox was deleted before the message was sent";

/// Deletes an inbox or identity.
///
/// # Errors
/// Returns `not_found` if it is missing.
pub async fn delete(service: &Service, caller: Caller, id: InboxId) -> Result<(), Refusal> {
    delete_taken(service, move |tx, now| change::take(tx, &caller, id, now)).await
}

/// Deletes an identity.
///
/// # Errors
/// Returns `not_found` if the identity is missing.
pub async fn delete_identity(service: &Service, caller: Caller, id: InboxId) -> Result<(), Refusal> {
    delete_taken(service, move |tx, now| change::take_identity(tx, &caller, id, now)).await
}

async fn delete_taken(
    service: &Service,
    take: impl Fn(&mut Tx, Time) -> Result<Inbox, Refusal> + Send + Sync + 'static,
) -> Result<(), Refusal> {
    let removal = InboxRemoval::of(service);
    let wiped = service
        .write(move |tx| {
            let inbox = take(tx, removal.now)?;
            if inbox.temporary {
                return Ok::<_, Refusal>(wipe::wipe(tx, &inbox, &removal)?);
            }
            removal.remove_with_card(tx, &inbox, |tx| inboxes::delete(tx, &inbox, removal.now))?;
            contacts::clear_subjects(tx, inbox.workspace, inbox.id)?;
            lists::delete_of_inbox(tx, inbox.workspace, inbox.id)?;
            rules::delete_of_inbox(tx, inbox.workspace, inbox.id)?;
            knowledge::delete_of_inbox(tx, inbox.workspace, inbox.id)?;
            forwarding::delete_of_inbox(tx, inbox.workspace, inbox.id)?;
            events::delete_held(tx, inbox.workspace, inbox.id)?;
            let inbox_ref = InboxRef { workspace: inbox.workspace, inbox: inbox.id };
            identity_tokens::delete_of_inbox(tx, inbox_ref)?;
            identity_approvals::delete_of_inbox(tx, inbox_ref)?;
            drafts::wipe_inbox(tx, inbox.workspace, inbox.id)?;
            stored::fail_queued(tx, inbox.workspace, inbox.id, DETAIL, removal.now)?;
            Ok(Vec::new())
        })
        .await?;
    wipe::remove_blobs(service, wiped).await;
    Ok(())
}
