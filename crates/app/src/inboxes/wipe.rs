//! Wipes temporary inboxes when they expire or are deleted.

use posthouse_api::views::event::data;
use posthouse_domain::{EventId, EventKind, Inbox, JobKind, MINUTE_MS, NewEvent, PlanLimits, Time};
use posthouse_store::{BlobDigest, Result, Tx, contents, jobs, wipe};

use crate::{inboxes::removal::InboxRemoval, inboxes::view, service::ReadScope, service::Service};

/// Minimum age of a blob to remove, in milliseconds: a younger blob may belong to an open transaction. The
/// reconciliation sweep removes it later.
const BLOB_SETTLED_MS: i64 = MINUTE_MS;

/// Wipes an inbox whose row is locked: mail, attachments, threads, labels, metadata, held events, its card and its expiry
/// job. Returns the blobs that may now be unused.
pub fn wipe(tx: &mut Tx, inbox: &Inbox, removal: &InboxRemoval) -> Result<Vec<String>> {
    let blobs = removal.remove_with_card(tx, inbox, |tx| wipe::inbox(tx, inbox, removal.now))?;
    jobs::cancel(tx, JobKind::InboxExpiry, inbox.id.0)?;
    Ok(blobs)
}

/// Builds the event for an expired inbox, which shows the inbox as it was.
pub fn event(tx: &mut Tx, inbox: &Inbox, id: EventId, plan: &PlanLimits, now: Time) -> Result<NewEvent> {
    let payload = data::InboxExpired { inbox: view::load(tx, inbox, plan, now)? };
    Ok(NewEvent::new(EventKind::InboxExpired, inbox.workspace, id, now)
        .in_inbox(inbox.id)
        .with_detail(data::text(&payload)))
}

/// Removes the blobs that nothing refers to. The reconciliation sweep removes blobs that cannot be removed now.
pub async fn remove_blobs(service: &Service, names: Vec<String>) {
    let before_ms = service.clock.now().plus_ms(-BLOB_SETTLED_MS).millis();
    for name in names {
        if let Err(error) = remove_unnamed(service, &name, before_ms).await {
            tracing::warn!(cause = error.internal(), "blob not removed");
        }
    }
}

/// Removes a blob that was stored before `before_ms` if nothing refers to it. Returns true if it was removed.
pub async fn remove_unnamed(service: &Service, name: &str, before_ms: i64) -> Result<bool> {
    let digest: BlobDigest = name.parse()?;
    let is_old = service.blobs.list(digest.0[0], before_ms).await?.contains(&digest);
    let text = name.to_owned();
    if !is_old || service.read(ReadScope::Statement, move |tx| contents::references_blob(tx, &text)).await? {
        return Ok(false);
    }
    service.blobs.delete(&digest).await?;
    Ok(true)
}
