//! Automatic forwarding: the forwarding addresses of inboxes, and pending forwards of received messages.

use posthouse_domain::{
    forwarding::{ForwardingAddress, ForwardingFailure, PendingForward},
    id::{ForwardId, ForwardingAddressId, InboxId, WorkspaceId},
    time::Time,
};

use crate::{Result, Tx, p, statements};

/// The columns of a forwarding address in the order that rows are read.
macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT workspace_id, id, inbox_id, address, skip_flagged, confirmed_at, confirmation_sent_at, last_forwarded_at, ",
            "forwarded_count, error_code, error_message, created_at FROM forwarding_addresses WHERE ",
            $rest
        )
    };
}

statements! {
    /// Returns the confirmed forwarding addresses of an inbox.
    pub fn confirmed(workspace: WorkspaceId, inbox: InboxId) -> Vec<ForwardingAddressId> =
        "SELECT id FROM forwarding_addresses WHERE workspace_id = :workspace AND inbox_id = :inbox AND confirmed_at IS NOT NULL";
    /// Returns the forwarding addresses of an inbox, oldest first.
    pub fn of_inbox(workspace: WorkspaceId, inbox: InboxId) -> Vec<ForwardingAddress> =
        select!("workspace_id = :workspace AND inbox_id = :inbox ORDER BY created_at + 0, id");
    /// Returns the forwarding address with that ID.
    pub fn get(workspace: WorkspaceId, id: ForwardingAddressId) -> Option<ForwardingAddress> =
        select!("workspace_id = :workspace AND id = :id");
    /// Returns the forwarding address with that ID and locks its row until the end of the transaction.
    pub fn lock(workspace: WorkspaceId, id: ForwardingAddressId) -> Option<ForwardingAddress> =
        select!("workspace_id = :workspace AND id = :id {FOR_UPDATE}");
    /// Returns the forwarding address of an unexpired confirmation link.
    pub fn by_token(sha256: &[u8; 32], now: Time) -> Option<ForwardingAddress> =
        select!("token_sha256 = :sha256 AND token_expires_at > :now AND confirmed_at IS NULL");
    INSERT = "INSERT INTO forwarding_addresses (workspace_id, id, inbox_id, address, skip_flagged, token_sha256, token_expires_at,
        confirmed_at, confirmation_sent_at, last_forwarded_at, forwarded_count, error_code, error_message, created_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, NULL, $8, NULL, 0, NULL, NULL, $9)";
    /// Sets whether flagged messages are skipped.
    pub fn set_skip_flagged(workspace: WorkspaceId, id: ForwardingAddressId, skip: bool) =
        "UPDATE forwarding_addresses SET skip_flagged = :skip WHERE workspace_id = :workspace AND id = :id";
    REPLACE_TOKEN = "UPDATE forwarding_addresses SET token_sha256 = $3, token_expires_at = $4, confirmation_sent_at = $5
        WHERE workspace_id = $1 AND id = $2 AND confirmed_at IS NULL";
    /// Confirms the address of a link; returns whether the link was valid.
    pub fn confirm(sha256: &[u8; 32], now: Time) -> bool = "UPDATE forwarding_addresses SET confirmed_at = :now
        WHERE token_sha256 = :sha256 AND token_expires_at > :now AND confirmed_at IS NULL";
    /// Counts a forwarded message.
    pub fn record_forwarded(workspace: WorkspaceId, id: ForwardingAddressId, now: Time) =
        "UPDATE forwarding_addresses SET last_forwarded_at = :now, forwarded_count = forwarded_count + 1, error_code = NULL,
        error_message = NULL WHERE workspace_id = :workspace AND id = :id";
    RECORD_FAILURE = "UPDATE forwarding_addresses SET error_code = $3, error_message = $4 WHERE workspace_id = $1 AND id = $2";
    DELETE = "DELETE FROM forwarding_addresses WHERE workspace_id = $1 AND id = $2";
    DELETE_OF_INBOX = "DELETE FROM forwarding_addresses WHERE workspace_id = $1 AND inbox_id = $2";
    INSERT_FORWARD = "INSERT INTO forwards (workspace_id, id, message_id, address_id, created_at) VALUES ($1, $2, $3, $4, $5)";
    /// Returns a pending forward.
    pub fn pending(workspace: WorkspaceId, id: ForwardId) -> Option<PendingForward> =
        "SELECT workspace_id, id, message_id, address_id, created_at FROM forwards WHERE workspace_id = :workspace AND id = :id";
    /// Deletes a forward that is finished or canceled; returns whether it existed.
    pub fn delete_pending(workspace: WorkspaceId, id: ForwardId) -> bool =
        "DELETE FROM forwards WHERE workspace_id = :workspace AND id = :id";
    FORGET_TO = "DELETE FROM forwards WHERE workspace_id = $1 AND address_id = $2";
    FORGET_OF_INBOX = "DELETE FROM forwards WHERE workspace_id = $1
        AND address_id IN (SELECT id FROM forwarding_addresses WHERE workspace_id = $1 AND inbox_id = $2)";
}

/// The stored form of a confirmation link's token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ForwardingToken {
    /// SHA-256 of the token in the link.
    pub sha256: [u8; 32],
    /// When the link expires.
    pub expires_at: Time,
}

/// Stores a new forwarding address with the token of its first link.
pub fn insert(tx: &mut Tx, new: &ForwardingAddress, token: &ForwardingToken) -> Result<()> {
    let n = new;
    let (sha256, until) = (token.sha256, token.expires_at);
    let parameters =
        p![n.workspace, n.id, n.inbox, n.address, n.skip_flagged, sha256, until, n.confirmation_sent_at, n.created_at];
    tx.exec(&INSERT, parameters)?;
    Ok(())
}

/// Replaces the token of an unconfirmed address with a new one.
pub fn replace_token(
    tx: &mut Tx,
    workspace: WorkspaceId,
    id: ForwardingAddressId,
    token: &ForwardingToken,
    now: Time,
) -> Result<()> {
    tx.exec(&REPLACE_TOKEN, p![workspace, id, token.sha256, token.expires_at, now])?;
    Ok(())
}

/// Records why a message couldn't be forwarded.
pub fn failed(tx: &mut Tx, workspace: WorkspaceId, id: ForwardingAddressId, failure: &ForwardingFailure) -> Result<()> {
    tx.exec(&RECORD_FAILURE, p![workspace, id, failure.code, failure.message])?;
    Ok(())
}

/// Deletes a forwarding address with its pending forwards.
pub fn delete(tx: &mut Tx, workspace: WorkspaceId, id: ForwardingAddressId) -> Result<()> {
    tx.exec(&FORGET_TO, p![workspace, id])?;
    tx.exec(&DELETE, p![workspace, id])?;
    Ok(())
}

/// Deletes the forwarding addresses of an inbox that is being wiped.
pub fn delete_of_inbox(tx: &mut Tx, workspace: WorkspaceId, inbox: InboxId) -> Result<()> {
    tx.exec(&FORGET_OF_INBOX, p![workspace, inbox])?;
    tx.exec(&DELETE_OF_INBOX, p![workspace, inbox])?;
    Ok(())
}

/// Stores a pending forward; its job is stored separately.
pub fn insert_pending(tx: &mut Tx, forward: &PendingForward) -> Result<()> {
    let f = forward;
    tx.exec(&INSERT_FORWARD, p![f.workspace, f.id, f.message, f.to, f.created_at])?;
    Ok(())
}

crate::from_row!(ForwardingAddress {
    workspace = workspace_id,
    id,
    inbox = inbox_id,
    address,
    skip_flagged,
    confirmed_at,
    confirmation_sent_at,
    last_forwarded_at,
    forwarded_count,
    error_code: Option<String>,
    error_message: Option<String>,
    created_at,
} => Self {
    workspace,
    id,
    inbox,
    address,
    skip_flagged,
    confirmed_at,
    confirmation_sent_at,
    last_forwarded_at,
    forwarded_count,
    failure: error_code.zip(error_message).map(|(code, message)| ForwardingFailure { code, message }),
    created_at,
});

crate::from_row!(PendingForward { workspace = workspace_id, id, message = message_id, to = address_id, created_at });
