//! Automatic forwarding: the forwarding addresses of inboxes, and pending forwards of received messages.

use posthouse_domain::{
    ForwardId, ForwardingAddress, ForwardingAddressId, ForwardingFailure, InboxId, PendingForward, Time, WorkspaceId,
};

use crate::{Result, Tx, statements};

statements! {
    /// Returns the confirmed forwarding addresses of an inbox.
    pub fn confirmed(workspace: WorkspaceId, inbox: InboxId) -> Vec<ForwardingAddressId> =
        "SELECT id FROM forwarding_addresses WHERE workspace_id = :workspace AND inbox_id = :inbox AND confirmed_at IS NOT NULL";
    /// Returns the forwarding addresses of an inbox, oldest first.
    pub fn of_inbox(workspace: WorkspaceId, inbox: InboxId) -> Vec<ForwardingAddress> =
        "SELECT {forwarding_addresses} FROM forwarding_addresses WHERE workspace_id = :workspace AND inbox_id = :inbox ORDER BY created_at + 0, id";
    /// Returns the forwarding address with that ID.
    pub fn get(workspace: WorkspaceId, id: ForwardingAddressId) -> Option<ForwardingAddress> =
        "SELECT {forwarding_addresses} FROM forwarding_addresses WHERE workspace_id = :workspace AND id = :id";
    /// Returns the forwarding address with that ID and locks its row until the end of the transaction.
    pub fn lock(workspace: WorkspaceId, id: ForwardingAddressId) -> Option<ForwardingAddress> =
        "SELECT {forwarding_addresses} FROM forwarding_addresses WHERE workspace_id = :workspace AND id = :id {FOR_UPDATE}";
    /// Returns the forwarding address of an unexpired confirmation link.
    pub fn by_token(sha256: &[u8; 32], now: Time) -> Option<ForwardingAddress> =
        "SELECT {forwarding_addresses} FROM forwarding_addresses WHERE token_sha256 = :sha256 AND token_expires_at > :now AND confirmed_at IS NULL";
    /// Stores a new forwarding address with the token of its first link.
    pub fn insert(
        address: row &ForwardingAddress,
        token: &ForwardingToken { token_sha256: token.sha256, token_expires_at: token.expires_at },
    ) = "{insert forwarding_addresses}";
    /// Sets whether flagged messages are skipped.
    pub fn set_skip_flagged(workspace: WorkspaceId, id: ForwardingAddressId, skip: bool) =
        "UPDATE forwarding_addresses SET skip_flagged = :skip WHERE workspace_id = :workspace AND id = :id";
    /// Replaces the token of an unconfirmed address with a new one.
    pub fn replace_token(
        workspace: WorkspaceId, id: ForwardingAddressId, token: &ForwardingToken { sha256, expires_at }, now: Time,
    ) =
        "UPDATE forwarding_addresses SET token_sha256 = :sha256, token_expires_at = :expires_at, confirmation_sent_at = :now
        WHERE workspace_id = :workspace AND id = :id AND confirmed_at IS NULL";
    /// Confirms the address of a link; returns whether the link was valid.
    pub fn confirm(sha256: &[u8; 32], now: Time) -> bool = "UPDATE forwarding_addresses SET confirmed_at = :now
        WHERE token_sha256 = :sha256 AND token_expires_at > :now AND confirmed_at IS NULL";
    /// Counts a forwarded message.
    pub fn record_forwarded(workspace: WorkspaceId, id: ForwardingAddressId, now: Time) =
        "UPDATE forwarding_addresses SET last_forwarded_at = :now, forwarded_count = forwarded_count + 1, error_code = NULL,
        error_message = NULL WHERE workspace_id = :workspace AND id = :id";
    /// Records why a message couldn't be forwarded.
    pub fn failed(workspace: WorkspaceId, id: ForwardingAddressId, failure: &ForwardingFailure { code, message }) =
        "UPDATE forwarding_addresses SET error_code = :code, error_message = :message WHERE workspace_id = :workspace AND id = :id";
    fn delete_address(workspace: WorkspaceId, id: ForwardingAddressId) =
        "DELETE FROM forwarding_addresses WHERE workspace_id = :workspace AND id = :id";
    fn delete_addresses(workspace: WorkspaceId, inbox: InboxId) =
        "DELETE FROM forwarding_addresses WHERE workspace_id = :workspace AND inbox_id = :inbox";
    /// Stores a pending forward; its job is stored separately.
    pub fn insert_pending(forward: row &PendingForward) = "{insert forwards}";
    /// Returns a pending forward.
    pub fn pending(workspace: WorkspaceId, id: ForwardId) -> Option<PendingForward> =
        "SELECT {forwards} FROM forwards WHERE workspace_id = :workspace AND id = :id";
    /// Deletes a forward that is finished or canceled; returns whether it existed.
    pub fn delete_pending(workspace: WorkspaceId, id: ForwardId) -> bool =
        "DELETE FROM forwards WHERE workspace_id = :workspace AND id = :id";
    fn forget_to(workspace: WorkspaceId, address: ForwardingAddressId) =
        "DELETE FROM forwards WHERE workspace_id = :workspace AND address_id = :address";
    fn forget_of_inbox(workspace: WorkspaceId, inbox: InboxId) = "DELETE FROM forwards WHERE workspace_id = :workspace
        AND address_id IN (SELECT id FROM forwarding_addresses WHERE workspace_id = :workspace AND inbox_id = :inbox)";
}

/// The stored form of a confirmation link's token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ForwardingToken {
    /// SHA-256 of the token in the link.
    pub sha256: [u8; 32],
    /// When the link expires.
    pub expires_at: Time,
}

/// Deletes a forwarding address with its pending forwards.
pub fn delete(tx: &mut Tx, workspace: WorkspaceId, id: ForwardingAddressId) -> Result<()> {
    forget_to(tx, workspace, id)?;
    delete_address(tx, workspace, id)
}

/// Deletes the forwarding addresses of an inbox that is being wiped.
pub fn delete_of_inbox(tx: &mut Tx, workspace: WorkspaceId, inbox: InboxId) -> Result<()> {
    forget_of_inbox(tx, workspace, inbox)?;
    delete_addresses(tx, workspace, inbox)
}
