//! The end of a temporary inbox: everything in it is wiped (API document, States). The job of its expiry calls this, and
//! so does its deletion.

use posthouse_domain::{
    event::{EventKind, NewEvent},
    id::EventId,
    inbox::Inbox,
    plan::PlanLimits,
    time::{MINUTE_MS, Time},
};
use posthouse_store::{Digest, Result, Tx, contents, events, forwarding, inboxes, jobs, lists, wipe};

use super::App;
use crate::views::{event::data, inbox as view};

/// A blob younger than this, in milliseconds, may belong to a transaction that is under way; the sweep takes it later.
const BLOB_SETTLED_MS: i64 = MINUTE_MS;

/// Wipes an inbox whose row is taken: mail, files, conversations, labels, metadata, held events, its job. Gives the
/// blobs that may now be unused.
///
/// # Errors
/// The store's own.
pub fn wipe(tx: &mut Tx, inbox: &Inbox, now: Time) -> Result<Vec<String>> {
    if !inboxes::delete(tx, inbox, now)? {
        return Ok(Vec::new());
    }
    let blobs = wipe::inbox(tx, inbox.workspace, inbox.id)?;
    inboxes::blank(tx, inbox)?;
    lists::delete_of_inbox(tx, inbox.workspace, inbox.id)?;
    forwarding::delete_of_inbox(tx, inbox.workspace, inbox.id)?;
    events::forget_held(tx, inbox.workspace, inbox.id)?;
    jobs::cancel(tx, jobs::INBOX_EXPIRY, inbox.id.0)?;
    Ok(blobs)
}

/// The event of an expiry, with the inbox as it was.
///
/// # Errors
/// The store's own.
pub fn event(tx: &mut Tx, inbox: &Inbox, id: EventId, (plan, now): (&PlanLimits, Time)) -> Result<NewEvent> {
    let payload = data::InboxExpired { inbox: view::load(tx, inbox, plan, now)? };
    Ok(NewEvent {
        workspace: inbox.workspace,
        id,
        kind: EventKind::InboxExpired,
        inbox: Some(inbox.id),
        thread: None,
        message: None,
        detail_json: data::text(&payload),
        at: now,
    })
}

/// Removes the blobs that nothing names any more. What cannot be removed now is left to the sweep.
pub async fn remove_blobs(app: &App, names: Vec<String>) {
    let before_ms = app.clock.now().plus_ms(-BLOB_SETTLED_MS).millis();
    for name in names {
        if let Err(error) = remove_unnamed(app, &name, before_ms).await {
            tracing::warn!(cause = error.internal(), "blob not removed");
        }
    }
}

/// Removes a blob that was stored before that time and that nothing names; says whether it did.
///
/// # Errors
/// The store's own.
pub async fn remove_unnamed(app: &App, name: &str, before_ms: i64) -> Result<bool> {
    let digest: Digest = name.parse()?;
    let is_old = app.blobs.list(digest.0[0], before_ms).await?.contains(&digest);
    let text = name.to_owned();
    if !is_old || app.store.read_one(move |tx| contents::names_blob(tx, &text)).await? {
        return Ok(false);
    }
    app.blobs.delete(&digest).await?;
    Ok(true)
}
