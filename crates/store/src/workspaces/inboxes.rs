//! Inboxes: rows, addresses that are never reused, and metadata for filters.
//!
//! Lists are in `inboxes/list.rs`. Lock an inbox's row before changing it ([`take`]), and the workspace's row before
//! creating an inbox ([`take_workspace`]), so that limits and `client_id` hold under concurrency.

pub mod list;

use posthouse_domain::{
    DAY_MS, HOUR_MS, Inbox, InboxId, InboxKind, Metadata, TemporaryInboxUsage, Time, WorkspaceId, metadata,
};

use crate::{Engine, Result, Tx, card_index, connectors, keys, statements};

statements! {
    /// Locks the workspace's row until the end of the transaction, which serializes the creation of inboxes.
    pub fn take_workspace(workspace: WorkspaceId) =
        "SELECT created_at FROM workspaces WHERE id = :workspace {FOR_UPDATE}";
    fn claim_address(inbox: &Inbox { address, workspace, id }) -> bool =
        "INSERT INTO addresses (address, workspace_id, inbox_id) VALUES (:address, :workspace, :id) ON CONFLICT (address) DO NOTHING";
    fn insert_row(inbox: row &Inbox; status = "active") = "{insert inboxes}";
    /// Returns the inbox with that ID, even if deleted.
    pub fn get(workspace: WorkspaceId, id: InboxId) -> Option<Inbox> =
        "SELECT {i.inboxes} FROM inboxes i WHERE i.workspace_id = :workspace AND i.id = :id";
    /// Returns the inbox with that ID, even if deleted, and locks its row until the end of the transaction.
    pub fn take(workspace: WorkspaceId, id: InboxId) -> Option<Inbox> =
        "SELECT {i.inboxes} FROM inboxes i WHERE i.workspace_id = :workspace AND i.id = :id {FOR_UPDATE}";
    /// Returns the inbox and locks its row until the end of the transaction, so that it can't be paused, resumed or
    /// deleted.
    pub fn lock(workspace: WorkspaceId, id: InboxId) -> Option<Inbox> =
        "SELECT {i.inboxes} FROM inboxes i WHERE i.workspace_id = :workspace AND i.id = :id {FOR_UPDATE}";
    /// Returns the inbox that has or had that canonical address, in any workspace.
    pub fn by_address(address: &str) -> Option<Inbox> =
        "SELECT {i.inboxes} FROM inboxes i JOIN addresses a ON a.workspace_id = i.workspace_id AND a.inbox_id = i.id WHERE a.address = :address";
    /// Returns those of up to [`crate::dialect::IDS_MAX`] canonical addresses that are or were inboxes of a workspace.
    pub fn of_addresses(workspace: WorkspaceId, addresses: each &str) -> Vec<String> =
        "SELECT address FROM {EACH_TEXT} addresses a WHERE a.workspace_id = :workspace AND a.address {AMONG} {pg:a}";
    /// Returns the ids of up to `limit` inboxes of a workspace.
    pub fn ids(workspace: WorkspaceId, limit: u32) -> Vec<InboxId> =
        "SELECT id FROM inboxes WHERE workspace_id = :workspace AND kind = 'mailbox' AND deleted_at IS NULL ORDER BY created_at, id LIMIT :limit";
    /// Returns the inbox or identity created with that `client_id`, unless it is deleted.
    pub fn by_client_id(workspace: WorkspaceId, kind: InboxKind, client_id: &str) -> Option<Inbox> =
        "SELECT {i.inboxes} FROM inboxes i WHERE i.workspace_id = :workspace AND i.kind = :kind AND i.client_id = :client_id AND i.client_id IS NOT NULL AND i.deleted_at IS NULL";
    /// Returns the first inbox or identity of a workspace.
    pub fn first_of_kind(workspace: WorkspaceId, kind: InboxKind) -> Option<Inbox> =
        "SELECT {i.inboxes} FROM inboxes i WHERE i.workspace_id = :workspace AND i.kind = :kind AND i.deleted_at IS NULL AND i.temporary = 0 ORDER BY i.created_at, i.id LIMIT 1";
    /// Returns the first inbox of a workspace at a domain.
    pub fn first_in_domain(workspace: WorkspaceId, domain: &str; kind = InboxKind::Mailbox) -> Option<Inbox> =
        "SELECT {i.inboxes} FROM inboxes i WHERE i.workspace_id = :workspace AND i.kind = :kind AND i.domain = :domain AND i.deleted_at IS NULL AND i.temporary = 0 ORDER BY i.created_at, i.id LIMIT 1";
    /// Returns the number of inboxes or identities of a workspace that are neither temporary nor deleted. Counts at most
    /// `most` of them: every creation counts up to its limit, and a count of all would make it slower with each inbox.
    pub fn count(workspace: WorkspaceId, kind: InboxKind, most: u64) -> u64 =
        "SELECT count(*) FROM (SELECT 1 FROM inboxes WHERE workspace_id = :workspace AND kind = :kind AND deleted_at IS NULL AND temporary = 0 LIMIT :most) s";
    fn temporary_active(workspace: WorkspaceId, now: Time; since = now.plus_ms(-DAY_MS)) -> TemporaryRow =
        "SELECT count(*) AS inboxes, min(expires_at) AS first FROM inboxes
        WHERE workspace_id = :workspace AND temporary = 1 AND created_at > :since AND deleted_at IS NULL AND expires_at > :now";
    fn temporary_created(workspace: WorkspaceId, since: Time) -> TemporaryRow =
        "SELECT count(*) AS inboxes, min(created_at) AS first FROM inboxes WHERE workspace_id = :workspace AND temporary = 1 AND created_at > :since";
    fn update_row(
        inbox: &Inbox { workspace, id, display_name, metadata: inbox.metadata_json, promotions_filter, screening, expires_at },
    ) =
        "UPDATE inboxes SET display_name = :display_name, metadata = :metadata, promotions_filter = :promotions_filter, screening = :screening, expires_at = :expires_at
        WHERE workspace_id = :workspace AND id = :id";
    fn add_metadata(inbox: &Inbox { workspace, id }, key: &str, value: &str) =
        "INSERT INTO inbox_metadata (workspace_id, key, value, inbox_id) VALUES (:workspace, :key, :value, :id) ON CONFLICT DO NOTHING";
    fn remove_metadata(inbox: &Inbox { workspace, id }, key: &str, value: &str) =
        "DELETE FROM inbox_metadata WHERE workspace_id = :workspace AND key = :key AND value = :value AND inbox_id = :id";
    fn clear_metadata(inbox: &Inbox { workspace, id }) =
        "DELETE FROM inbox_metadata WHERE workspace_id = :workspace AND inbox_id = :id";
    /// Pauses an active inbox; returns whether it was active.
    pub fn pause(inbox: &Inbox { workspace, id }, reason: Option<&str>, now: Time) -> bool =
        "UPDATE inboxes SET status = 'paused', paused_at = :now, paused_reason = :reason
        WHERE workspace_id = :workspace AND id = :id AND status = 'active' AND deleted_at IS NULL";
    /// Resumes a paused inbox; returns whether it was paused. [`crate::events::release`] releases its held-back events.
    pub fn resume(inbox: &Inbox { workspace, id }) -> bool =
        "UPDATE inboxes SET status = 'active', paused_at = NULL, paused_reason = NULL
        WHERE workspace_id = :workspace AND id = :id AND status = 'paused' AND deleted_at IS NULL";
    /// Switches sign-in to apps on or off for an inbox or identity.
    pub fn set_identity_enabled(inbox: &Inbox { workspace, id }, is_enabled: bool) =
        "UPDATE inboxes SET identity_enabled = :is_enabled WHERE workspace_id = :workspace AND id = :id";
    fn mark_deleted(inbox: &Inbox { workspace, id }, now: Time) -> bool =
        "UPDATE inboxes SET deleted_at = :now WHERE workspace_id = :workspace AND id = :id AND deleted_at IS NULL";
    /// Clears the caller's data about an inbox that is being wiped.
    pub fn blank(inbox: &Inbox { workspace, id }) =
        "UPDATE inboxes SET display_name = NULL, metadata = '{}', paused_reason = NULL WHERE workspace_id = :workspace AND id = :id";
}

/// Stores a new inbox unless its address was ever used; returns whether it was stored.
pub fn insert(tx: &mut Tx, inbox: &Inbox) -> Result<bool> {
    if !claim_address(tx, inbox)? {
        return Ok(false);
    }
    insert_row(tx, inbox)?;
    for (key, value) in &metadata::read(&inbox.metadata_json) {
        add_metadata(tx, inbox, key, &metadata::filter_text(value))?;
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

/// Returns the usage counts for the limits on temporary inboxes.
pub fn temporary_use(tx: &mut Tx, workspace: WorkspaceId, now: Time) -> Result<TemporaryInboxUsage> {
    // Temporary inboxes live at most one day, so older rows don't count.
    let active = temporary_active(tx, workspace, now)?;
    let created = temporary_created(tx, workspace, now.plus_ms(-HOUR_MS))?;
    Ok(TemporaryInboxUsage {
        active: active.inboxes,
        first_expires_at: active.first,
        created_in_hour: created.inboxes,
        first_made_at: created.first,
    })
}

/// Writes the fields that callers can change. `before` is the stored inbox.
pub fn update(tx: &mut Tx, before: &Inbox, after: &Inbox) -> Result<()> {
    update_row(tx, after)?;
    let (old, new) = (metadata::read(&before.metadata_json), metadata::read(&after.metadata_json));
    for (key, text) in missing_in(&old, &new) {
        remove_metadata(tx, after, key, &text)?;
    }
    for (key, text) in missing_in(&new, &old) {
        add_metadata(tx, after, key, &text)?;
    }
    Ok(())
}

/// Returns the metadata of `these` that `others` doesn't contain.
fn missing_in<'a>(these: &'a Metadata, others: &'a Metadata) -> impl Iterator<Item = (&'a String, String)> {
    let known = |key: &str, text: &str| others.get(key).is_some_and(|other| metadata::filter_text(other) == text);
    these.iter().map(|(key, value)| (key, metadata::filter_text(value))).filter(move |(key, text)| !known(key, text))
}

/// Marks an inbox as deleted, revokes its keys, takes it from connectors, and removes it from filters and from the directory; returns whether it existed. Its address is never reused.
pub fn delete(tx: &mut Tx, inbox: &Inbox, now: Time) -> Result<bool> {
    if !mark_deleted(tx, inbox, now)? {
        return Ok(false);
    }
    clear_metadata(tx, inbox)?;
    card_index::delete_card(tx, inbox.workspace, inbox.id)?;
    keys::revoke_of_inbox(tx, inbox.workspace, inbox.id, now)?;
    connectors::delete_of_inbox(tx, inbox.workspace, inbox.id)?;
    // Wakes the waiters for its mail, which then find it deleted, and ends the streams of its keys.
    tx.wake(inbox.workspace.0);
    Ok(true)
}

crate::row_struct!(
    #[derive(Default)]
    TemporaryRow { inboxes: u64, first: Option<Time> }
);

crate::statements::first_or_default!(TemporaryRow);
