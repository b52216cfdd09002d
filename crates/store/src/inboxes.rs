//! Inboxes: rows, addresses that are never used twice, metadata for filters.
//!
//! Lists are in `inboxes/list.rs`. Whoever changes an inbox takes its row first ([`take`]); whoever makes one takes the
//! workspace's ([`take_workspace`]), so that limits and `client_id` hold under concurrency.

pub mod list;

use posthouse_domain::{
    id::{InboxId, WorkspaceId},
    inbox::{Inbox, TemporaryUse},
    metadata::{self, Metadata},
    time::{DAY_MS, HOUR_MS, Time},
};

use crate::{Result, Tx, p, statements};

/// The columns of an inbox, in the order that rows are read, from `inboxes i`.
macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT i.workspace_id, i.id, i.address, i.username, i.domain, i.display_name, i.client_id, i.metadata, i.temporary, ",
            "i.expires_at, i.paused_at, i.paused_reason, i.promotions_filter, i.last_message_at, i.created_at, i.deleted_at ",
            "FROM ",
            $rest
        )
    };
}
pub(crate) use select;

statements! {
    TAKE_WORKSPACE = "SELECT created_at FROM workspaces WHERE id = $1 {FOR_UPDATE}";
    TAKE_ADDRESS = "INSERT INTO addresses (address, workspace_id, inbox_id) VALUES ($1, $2, $3) ON CONFLICT (address) DO NOTHING";
    INSERT = "INSERT INTO inboxes (workspace_id, id, address, username, domain, display_name, client_id, metadata, temporary,
        expires_at, status, promotions_filter, last_message_at, created_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 'active', $11, $12, $12)";
    GET = select!("inboxes i WHERE i.workspace_id = $1 AND i.id = $2");
    TAKE = select!("inboxes i WHERE i.workspace_id = $1 AND i.id = $2 {FOR_UPDATE}");
    LOCK = select!("inboxes i WHERE i.workspace_id = $1 AND i.id = $2 {FOR_UPDATE}");
    BY_ADDRESS = select!("inboxes i JOIN addresses a ON a.workspace_id = i.workspace_id AND a.inbox_id = i.id WHERE a.address = $1");
    BY_CLIENT_ID = select!("inboxes i WHERE i.workspace_id = $1 AND i.client_id = $2 AND i.client_id IS NOT NULL AND i.deleted_at IS NULL");
    FIRST_OF = select!("inboxes i WHERE i.workspace_id = $1 AND i.deleted_at IS NULL AND i.temporary = 0 ORDER BY i.created_at, i.id LIMIT 1");
    COUNT = "SELECT count(*) FROM inboxes WHERE workspace_id = $1 AND deleted_at IS NULL AND temporary = 0";
    TEMPORARY_ACTIVE = "SELECT count(*), min(expires_at) FROM inboxes
        WHERE workspace_id = $1 AND temporary = 1 AND created_at > $2 AND deleted_at IS NULL AND expires_at > $3";
    TEMPORARY_MADE = "SELECT count(*), min(created_at) FROM inboxes WHERE workspace_id = $1 AND temporary = 1 AND created_at > $2";
    UPDATE = "UPDATE inboxes SET display_name = $3, metadata = $4, promotions_filter = $5, expires_at = $6
        WHERE workspace_id = $1 AND id = $2";
    INSERT_METADATA = "INSERT INTO inbox_metadata (workspace_id, key, value, inbox_id) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING";
    DELETE_METADATA = "DELETE FROM inbox_metadata WHERE workspace_id = $1 AND key = $2 AND value = $3 AND inbox_id = $4";
    CLEAR_METADATA = "DELETE FROM inbox_metadata WHERE workspace_id = $1 AND inbox_id = $2";
    PAUSE = "UPDATE inboxes SET status = 'paused', paused_at = $3, paused_reason = $4
        WHERE workspace_id = $1 AND id = $2 AND status = 'active' AND deleted_at IS NULL";
    RESUME = "UPDATE inboxes SET status = 'active', paused_at = NULL, paused_reason = NULL
        WHERE workspace_id = $1 AND id = $2 AND status = 'paused' AND deleted_at IS NULL";
    DELETE = "UPDATE inboxes SET deleted_at = $3 WHERE workspace_id = $1 AND id = $2 AND deleted_at IS NULL";
    BLANK = "UPDATE inboxes SET display_name = NULL, metadata = '{}', paused_reason = NULL WHERE workspace_id = $1 AND id = $2";
}

/// Takes the workspace's row until the end of the transaction: who makes an inbox comes one after the other.
///
/// # Errors
/// The store's own.
pub fn take_workspace(tx: &mut Tx, workspace: WorkspaceId) -> Result<()> {
    tx.one::<(Time,)>(&TAKE_WORKSPACE, p![workspace])?;
    Ok(())
}

/// Stores a new inbox, unless its address was ever used; says whether it did.
///
/// # Errors
/// The store's own.
pub fn insert(tx: &mut Tx, inbox: &Inbox) -> Result<bool> {
    let i = inbox;
    if tx.exec(&TAKE_ADDRESS, p![i.address, i.workspace, i.id])? == 0 {
        return Ok(false);
    }
    tx.exec(
        &INSERT,
        p![
            i.workspace,
            i.id,
            i.address,
            i.username,
            i.domain,
            i.display_name,
            i.client_id,
            i.metadata_json,
            i.temporary,
            i.expires_at,
            i.promotions_filter,
            i.created_at
        ],
    )?;
    for (key, value) in &metadata::read(&i.metadata_json) {
        tx.exec(&INSERT_METADATA, p![i.workspace, key, metadata::filter_text(value), i.id])?;
    }
    Ok(true)
}

/// The inbox of that id, deleted ones too.
///
/// # Errors
/// The store's own.
pub fn get(tx: &mut Tx, workspace: WorkspaceId, id: InboxId) -> Result<Option<Inbox>> {
    tx.one(&GET, p![workspace, id])
}

/// The inbox of that id, deleted ones too, whose row is ours until the end of the transaction.
///
/// # Errors
/// The store's own.
pub fn take(tx: &mut Tx, workspace: WorkspaceId, id: InboxId) -> Result<Option<Inbox>> {
    tx.one(&TAKE, p![workspace, id])
}

/// The inbox of that id that is not deleted and, if temporary, not expired.
///
/// # Errors
/// The store's own.
pub fn live(tx: &mut Tx, workspace: WorkspaceId, id: InboxId, now: Time) -> Result<Option<Inbox>> {
    Ok(get(tx, workspace, id)?.filter(|inbox| inbox.receives(now)))
}

/// The inbox as it is now, and as it stays until the end of the transaction: whoever pauses, resumes or deletes it waits.
///
/// # Errors
/// The store's own.
pub fn lock(tx: &mut Tx, workspace: WorkspaceId, id: InboxId) -> Result<Option<Inbox>> {
    tx.one(&LOCK, p![workspace, id])
}

/// Takes the rows of several inboxes until the end of the transaction. Whoever writes into more than one takes them like
/// this and first of all, in one order for everybody, so that no two transactions wait for each other.
///
/// # Errors
/// The store's own.
pub fn lock_all(tx: &mut Tx, mut inboxes: Vec<(WorkspaceId, InboxId)>) -> Result<()> {
    inboxes.sort_unstable();
    inboxes.dedup();
    for (workspace, id) in inboxes {
        lock(tx, workspace, id)?;
    }
    Ok(())
}

/// The inbox that has or had that canonical address, in whatever workspace.
///
/// # Errors
/// The store's own.
pub fn by_address(tx: &mut Tx, address: &str) -> Result<Option<Inbox>> {
    tx.one(&BY_ADDRESS, p![address])
}

/// The inbox that was made with that `client_id` and is not deleted.
///
/// # Errors
/// The store's own.
pub fn by_client_id(tx: &mut Tx, workspace: WorkspaceId, client_id: &str) -> Result<Option<Inbox>> {
    tx.one(&BY_CLIENT_ID, p![workspace, client_id])
}

/// The first inbox of a workspace: whom the role addresses of its own domains reach (decision 17), and
/// from which the service writes to its owner.
///
/// # Errors
/// The store's own.
pub fn first_of(tx: &mut Tx, workspace: WorkspaceId) -> Result<Option<Inbox>> {
    tx.one(&FIRST_OF, p![workspace])
}

/// How many inboxes the workspace has that are neither temporary nor deleted.
///
/// # Errors
/// The store's own.
pub fn count(tx: &mut Tx, workspace: WorkspaceId) -> Result<u64> {
    Ok(tx.value(&COUNT, p![workspace])?.unwrap_or(0))
}

/// How far the limits of temporary inboxes are used.
///
/// # Errors
/// The store's own.
pub fn temporary_use(tx: &mut Tx, workspace: WorkspaceId, now: Time) -> Result<TemporaryUse> {
    // None lives longer than a day, so older rows need not be looked at.
    let (active, first_expires_at) =
        tx.one(&TEMPORARY_ACTIVE, p![workspace, now.plus_ms(-DAY_MS), now])?.unwrap_or_default();
    let (made_in_hour, first_made_at) =
        tx.one(&TEMPORARY_MADE, p![workspace, now.plus_ms(-HOUR_MS)])?.unwrap_or_default();
    Ok(TemporaryUse { active, first_expires_at, made_in_hour, first_made_at })
}

/// Writes what a caller can change, as it is in `after`, given how it was.
///
/// # Errors
/// The store's own.
pub fn update(tx: &mut Tx, before: &Inbox, after: &Inbox) -> Result<()> {
    let a = after;
    tx.exec(&UPDATE, p![a.workspace, a.id, a.display_name, a.metadata_json, a.promotions_filter, a.expires_at])?;
    let (old, new) = (metadata::read(&before.metadata_json), metadata::read(&a.metadata_json));
    for (key, text) in missing_in(&old, &new) {
        tx.exec(&DELETE_METADATA, p![a.workspace, key, text, a.id])?;
    }
    for (key, text) in missing_in(&new, &old) {
        tx.exec(&INSERT_METADATA, p![a.workspace, key, text, a.id])?;
    }
    Ok(())
}

/// The filter rows of `these` that `others` has not.
fn missing_in<'a>(these: &'a Metadata, others: &'a Metadata) -> impl Iterator<Item = (&'a String, String)> {
    let known = |key: &str, text: &str| others.get(key).is_some_and(|other| metadata::filter_text(other) == text);
    these.iter().map(|(key, value)| (key, metadata::filter_text(value))).filter(move |(key, text)| !known(key, text))
}

/// Pauses an active inbox; says whether it was one.
///
/// # Errors
/// The store's own.
pub fn pause(tx: &mut Tx, inbox: &Inbox, reason: Option<&str>, now: Time) -> Result<bool> {
    Ok(tx.exec(&PAUSE, p![inbox.workspace, inbox.id, now, reason])? > 0)
}

/// Ends the pause of an inbox; says whether it was paused. Its held events are moved by [`crate::events::release`].
///
/// # Errors
/// The store's own.
pub fn resume(tx: &mut Tx, inbox: &Inbox) -> Result<bool> {
    Ok(tx.exec(&RESUME, p![inbox.workspace, inbox.id])? > 0)
}

/// Marks an inbox as deleted and takes it out of the filters; says whether it was there. Its address stays taken.
///
/// # Errors
/// The store's own.
pub fn delete(tx: &mut Tx, inbox: &Inbox, now: Time) -> Result<bool> {
    if tx.exec(&DELETE, p![inbox.workspace, inbox.id, now])? == 0 {
        return Ok(false);
    }
    tx.exec(&CLEAR_METADATA, p![inbox.workspace, inbox.id])?;
    // Who waits for its mail waits in vain.
    tx.wake(inbox.workspace.0);
    Ok(true)
}

/// Forgets what the caller wrote about an inbox: for one that is wiped.
///
/// # Errors
/// The store's own.
pub fn blank(tx: &mut Tx, inbox: &Inbox) -> Result<()> {
    tx.exec(&BLANK, p![inbox.workspace, inbox.id])?;
    Ok(())
}

crate::from_row!(Inbox {
    workspace,
    id,
    address,
    username,
    domain,
    display_name,
    client_id,
    metadata_json,
    temporary,
    expires_at,
    paused_at,
    paused_reason,
    promotions_filter,
    last_message_at,
    created_at,
    deleted_at
});
