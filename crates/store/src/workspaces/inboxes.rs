//! Inboxes: rows, addresses that are never reused, and metadata for filters.
//!
//! Lists are in `inboxes/list.rs`. Lock an inbox's row before changing it ([`take`]), and the workspace's row before
//! creating an inbox ([`take_workspace`]), so that limits and `client_id` hold under concurrency.

pub mod list;

use posthouse_domain::{
    id::{InboxId, WorkspaceId},
    inbox::{Inbox, InboxKind, TemporaryInboxUsage},
    metadata::{self, Metadata},
    time::{DAY_MS, HOUR_MS, Time},
};

use crate::{Engine, Result, Tx, card_index, keys, p, statements};

/// The columns of an inbox in the order that rows are read, from `inboxes i`.
macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT i.workspace_id, i.id, i.kind, i.address, i.username, i.domain, i.display_name, i.client_id, i.metadata, i.temporary, ",
            "i.expires_at, i.paused_at, i.paused_reason, i.promotions_filter, i.identity_enabled, i.last_message_at, i.created_at, i.deleted_at ",
            "FROM ",
            $rest
        )
    };
}
pub(crate) use select;

statements! {
    /// Locks the workspace's row until the end of the transaction, which serializes the creation of inboxes.
    pub fn take_workspace(workspace: WorkspaceId) =
        "SELECT created_at FROM workspaces WHERE id = :workspace {FOR_UPDATE}";
    CLAIM_ADDRESS = "INSERT INTO addresses (address, workspace_id, inbox_id) VALUES ($1, $2, $3) ON CONFLICT (address) DO NOTHING";
    INSERT = "INSERT INTO inboxes (workspace_id, id, kind, address, username, domain, display_name, client_id, metadata, temporary,
        expires_at, promotions_filter, identity_enabled, last_message_at, created_at, status) VALUES ({PARAMETERS})";
    /// Returns the inbox with that ID, even if deleted.
    pub fn get(workspace: WorkspaceId, id: InboxId) -> Option<Inbox> =
        select!("inboxes i WHERE i.workspace_id = :workspace AND i.id = :id");
    /// Returns the inbox with that ID, even if deleted, and locks its row until the end of the transaction.
    pub fn take(workspace: WorkspaceId, id: InboxId) -> Option<Inbox> =
        select!("inboxes i WHERE i.workspace_id = :workspace AND i.id = :id {FOR_UPDATE}");
    /// Returns the inbox and locks its row until the end of the transaction, so that it can't be paused, resumed or
    /// deleted.
    pub fn lock(workspace: WorkspaceId, id: InboxId) -> Option<Inbox> =
        select!("inboxes i WHERE i.workspace_id = :workspace AND i.id = :id {FOR_UPDATE}");
    /// Returns the inbox that has or had that canonical address, in any workspace.
    pub fn by_address(address: &str) -> Option<Inbox> =
        select!("inboxes i JOIN addresses a ON a.workspace_id = i.workspace_id AND a.inbox_id = i.id WHERE a.address = :address");
    /// Returns the inbox or identity created with that `client_id`, unless it is deleted.
    pub fn by_client_id(workspace: WorkspaceId, kind: InboxKind, client_id: &str) -> Option<Inbox> =
        select!("inboxes i WHERE i.workspace_id = :workspace AND i.kind = :kind AND i.client_id = :client_id AND i.client_id IS NOT NULL AND i.deleted_at IS NULL");
    /// Returns the first inbox or identity of a workspace.
    pub fn first_of_kind(workspace: WorkspaceId, kind: InboxKind) -> Option<Inbox> =
        select!("inboxes i WHERE i.workspace_id = :workspace AND i.kind = :kind AND i.deleted_at IS NULL AND i.temporary = 0 ORDER BY i.created_at, i.id LIMIT 1");
    FIRST_IN_DOMAIN = select!("inboxes i WHERE i.workspace_id = $1 AND i.kind = $2 AND i.domain = $3 AND i.deleted_at IS NULL AND i.temporary = 0 ORDER BY i.created_at, i.id LIMIT 1");
    /// Returns the number of inboxes or identities of a workspace that are neither temporary nor deleted. Counts at most
    /// `most` of them: every creation counts up to its limit, and a count of all would make it slower with each inbox.
    pub fn count(workspace: WorkspaceId, kind: InboxKind, most: u64) -> u64 =
        "SELECT count(*) FROM (SELECT 1 FROM inboxes WHERE workspace_id = :workspace AND kind = :kind AND deleted_at IS NULL AND temporary = 0 LIMIT :most) s";
    TEMPORARY_ACTIVE = "SELECT count(*) AS inboxes, min(expires_at) AS first FROM inboxes
        WHERE workspace_id = $1 AND temporary = 1 AND created_at > $2 AND deleted_at IS NULL AND expires_at > $3";
    TEMPORARY_CREATED = "SELECT count(*) AS inboxes, min(created_at) AS first FROM inboxes WHERE workspace_id = $1 AND temporary = 1 AND created_at > $2";
    UPDATE = "UPDATE inboxes SET display_name = $3, metadata = $4, promotions_filter = $5, expires_at = $6
        WHERE workspace_id = $1 AND id = $2";
    INSERT_METADATA = "INSERT INTO inbox_metadata (workspace_id, key, value, inbox_id) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING";
    DELETE_METADATA = "DELETE FROM inbox_metadata WHERE workspace_id = $1 AND key = $2 AND value = $3 AND inbox_id = $4";
    CLEAR_METADATA = "DELETE FROM inbox_metadata WHERE workspace_id = $1 AND inbox_id = $2";
    PAUSE = "UPDATE inboxes SET status = 'paused', paused_at = $3, paused_reason = $4
        WHERE workspace_id = $1 AND id = $2 AND status = 'active' AND deleted_at IS NULL";
    RESUME = "UPDATE inboxes SET status = 'active', paused_at = NULL, paused_reason = NULL
        WHERE workspace_id = $1 AND id = $2 AND status = 'paused' AND deleted_at IS NULL";
    SET_IDENTITY = "UPDATE inboxes SET identity_enabled = $3 WHERE workspace_id = $1 AND id = $2";
    DELETE = "UPDATE inboxes SET deleted_at = $3 WHERE workspace_id = $1 AND id = $2 AND deleted_at IS NULL";
    BLANK = "UPDATE inboxes SET display_name = NULL, metadata = '{}', paused_reason = NULL WHERE workspace_id = $1 AND id = $2";
}

/// Stores a new inbox unless its address was ever used; returns whether it was stored.
pub fn insert(tx: &mut Tx, inbox: &Inbox) -> Result<bool> {
    let i = inbox;
    if tx.exec(&CLAIM_ADDRESS, p![i.address, i.workspace, i.id])? == 0 {
        return Ok(false);
    }
    tx.exec(
        &INSERT,
        p![
            i.workspace,
            i.id,
            i.kind,
            i.address,
            i.username,
            i.domain,
            i.display_name,
            i.client_id,
            i.metadata_json,
            i.temporary,
            i.expires_at,
            i.promotions_filter,
            i.identity_enabled,
            i.created_at,
            i.created_at,
            "active"
        ],
    )?;
    for (key, value) in &metadata::read(&i.metadata_json) {
        tx.exec(&INSERT_METADATA, p![i.workspace, key, metadata::filter_text(value), i.id])?;
    }
    Ok(true)
}

/// Returns the inbox with that ID unless it is deleted or expired, or an identity.
pub fn live(tx: &mut Tx, workspace: WorkspaceId, id: InboxId, now: Time) -> Result<Option<Inbox>> {
    Ok(get(tx, workspace, id)?.filter(|inbox| inbox.receives(now)))
}

/// Locks the rows of several inboxes until the end of the transaction. A transaction that writes to more than one inbox
/// must call this first; the fixed order prevents deadlocks. Does nothing on SQLite, where transactions that write run one
/// after another.
pub fn lock_all(tx: &mut Tx, mut inboxes: Vec<(WorkspaceId, InboxId)>) -> Result<()> {
    if tx.engine() == Engine::Sqlite {
        return Ok(());
    }
    inboxes.sort_unstable();
    inboxes.dedup();
    for (workspace, id) in inboxes {
        lock(tx, workspace, id)?;
    }
    Ok(())
}

/// Returns the first inbox of a workspace. It receives mail to the role addresses of the workspace's domains, and the
/// service uses it to write to the owner.
pub fn first_of(tx: &mut Tx, workspace: WorkspaceId) -> Result<Option<Inbox>> {
    first_of_kind(tx, workspace, InboxKind::Mailbox)
}

/// Returns the first inbox of a workspace at a domain.
pub fn first_in_domain(tx: &mut Tx, workspace: WorkspaceId, domain: &str) -> Result<Option<Inbox>> {
    tx.one(&FIRST_IN_DOMAIN, p![workspace, InboxKind::Mailbox, domain])
}

/// Returns the usage counts for the limits on temporary inboxes.
pub fn temporary_use(tx: &mut Tx, workspace: WorkspaceId, now: Time) -> Result<TemporaryInboxUsage> {
    // Temporary inboxes live at most one day, so older rows don't count.
    let active: Option<TemporaryRow> = tx.one(&TEMPORARY_ACTIVE, p![workspace, now.plus_ms(-DAY_MS), now])?;
    let created: Option<TemporaryRow> = tx.one(&TEMPORARY_CREATED, p![workspace, now.plus_ms(-HOUR_MS)])?;
    let (active, created) = (active.unwrap_or_default(), created.unwrap_or_default());
    Ok(TemporaryInboxUsage {
        active: active.inboxes,
        first_expires_at: active.first,
        created_in_hour: created.inboxes,
        first_made_at: created.first,
    })
}

/// Writes the fields that callers can change. `before` is the stored inbox.
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

/// Returns the metadata of `these` that `others` doesn't contain.
fn missing_in<'a>(these: &'a Metadata, others: &'a Metadata) -> impl Iterator<Item = (&'a String, String)> {
    let known = |key: &str, text: &str| others.get(key).is_some_and(|other| metadata::filter_text(other) == text);
    these.iter().map(|(key, value)| (key, metadata::filter_text(value))).filter(move |(key, text)| !known(key, text))
}

/// Pauses an active inbox; returns whether it was active.
pub fn pause(tx: &mut Tx, inbox: &Inbox, reason: Option<&str>, now: Time) -> Result<bool> {
    Ok(tx.exec(&PAUSE, p![inbox.workspace, inbox.id, now, reason])? > 0)
}

/// Resumes a paused inbox; returns whether it was paused. [`crate::events::release`] releases its held-back events.
pub fn resume(tx: &mut Tx, inbox: &Inbox) -> Result<bool> {
    Ok(tx.exec(&RESUME, p![inbox.workspace, inbox.id])? > 0)
}

/// Switches sign-in to apps on or off for an inbox or identity.
pub fn set_identity_enabled(tx: &mut Tx, inbox: &Inbox, is_enabled: bool) -> Result<()> {
    tx.exec(&SET_IDENTITY, p![inbox.workspace, inbox.id, is_enabled])?;
    Ok(())
}

/// Marks an inbox as deleted, revokes its keys, and removes it from filters and from the directory; returns whether it existed. Its address is never reused.
pub fn delete(tx: &mut Tx, inbox: &Inbox, now: Time) -> Result<bool> {
    if tx.exec(&DELETE, p![inbox.workspace, inbox.id, now])? == 0 {
        return Ok(false);
    }
    tx.exec(&CLEAR_METADATA, p![inbox.workspace, inbox.id])?;
    card_index::delete_card(tx, inbox.workspace, inbox.id)?;
    keys::revoke_of_inbox(tx, inbox.workspace, inbox.id, now)?;
    // Wakes the waiters for its mail, which then find it deleted, and ends the streams of its keys.
    tx.wake(inbox.workspace.0);
    Ok(true)
}

/// Clears the caller's data about an inbox that is being wiped.
pub fn blank(tx: &mut Tx, inbox: &Inbox) -> Result<()> {
    tx.exec(&BLANK, p![inbox.workspace, inbox.id])?;
    Ok(())
}

crate::row_struct!(
    #[derive(Default)]
    TemporaryRow { inboxes: u64, first: Option<Time> }
);

crate::from_row!(Inbox {
    workspace = workspace_id,
    id,
    kind,
    address,
    username,
    domain,
    display_name,
    client_id,
    metadata_json = metadata,
    temporary,
    expires_at,
    paused_at,
    paused_reason,
    promotions_filter,
    identity_enabled,
    last_message_at,
    created_at,
    deleted_at
});
