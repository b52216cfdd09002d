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
    CONFIRMED = "SELECT id FROM forwarding_addresses WHERE workspace_id = $1 AND inbox_id = $2 AND confirmed_at IS NOT NULL";
    OF_INBOX = select!("workspace_id = $1 AND inbox_id = $2 ORDER BY created_at + 0, id");
    GET = select!("workspace_id = $1 AND id = $2");
    GET_FOR_UPDATE = select!("workspace_id = $1 AND id = $2 {FOR_UPDATE}");
    BY_TOKEN = select!("token_sha256 = $1 AND token_expires_at > $2 AND confirmed_at IS NULL");
    INSERT = "INSERT INTO forwarding_addresses (workspace_id, id, inbox_id, address, skip_flagged, token_sha256, token_expires_at,
        confirmed_at, confirmation_sent_at, last_forwarded_at, forwarded_count, error_code, error_message, created_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, NULL, $8, NULL, 0, NULL, NULL, $9)";
    SET_SKIP = "UPDATE forwarding_addresses SET skip_flagged = $3 WHERE workspace_id = $1 AND id = $2";
    REPLACE_TOKEN = "UPDATE forwarding_addresses SET token_sha256 = $3, token_expires_at = $4, confirmation_sent_at = $5
        WHERE workspace_id = $1 AND id = $2 AND confirmed_at IS NULL";
    CONFIRM = "UPDATE forwarding_addresses SET confirmed_at = $3
        WHERE token_sha256 = $1 AND token_expires_at > $2 AND confirmed_at IS NULL";
    RECORD_FORWARDED = "UPDATE forwarding_addresses SET last_forwarded_at = $3, forwarded_count = forwarded_count + 1, error_code = NULL,
        error_message = NULL WHERE workspace_id = $1 AND id = $2";
    RECORD_FAILURE = "UPDATE forwarding_addresses SET error_code = $3, error_message = $4 WHERE workspace_id = $1 AND id = $2";
    DELETE = "DELETE FROM forwarding_addresses WHERE workspace_id = $1 AND id = $2";
    DELETE_OF_INBOX = "DELETE FROM forwarding_addresses WHERE workspace_id = $1 AND inbox_id = $2";
    INSERT_FORWARD = "INSERT INTO forwards (workspace_id, id, message_id, address_id, created_at) VALUES ($1, $2, $3, $4, $5)";
    FORWARD = "SELECT workspace_id, id, message_id, address_id, created_at FROM forwards WHERE workspace_id = $1 AND id = $2";
    DELETE_FORWARD = "DELETE FROM forwards WHERE workspace_id = $1 AND id = $2";
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

/// Returns the confirmed forwarding addresses of an inbox.
pub fn confirmed(tx: &mut Tx, workspace: WorkspaceId, inbox: InboxId) -> Result<Vec<ForwardingAddressId>> {
    let found: Vec<(ForwardingAddressId,)> = tx.rows(&CONFIRMED, p![workspace, inbox])?;
    Ok(found.into_iter().map(|(id,)| id).collect())
}

/// Returns the forwarding addresses of an inbox, oldest first.
pub fn of_inbox(tx: &mut Tx, workspace: WorkspaceId, inbox: InboxId) -> Result<Vec<ForwardingAddress>> {
    tx.rows(&OF_INBOX, p![workspace, inbox])
}

/// Returns the forwarding address with that ID.
pub fn get(tx: &mut Tx, workspace: WorkspaceId, id: ForwardingAddressId) -> Result<Option<ForwardingAddress>> {
    tx.one(&GET, p![workspace, id])
}

/// Returns the forwarding address with that ID and locks its row until the end of the transaction.
pub fn lock(tx: &mut Tx, workspace: WorkspaceId, id: ForwardingAddressId) -> Result<Option<ForwardingAddress>> {
    tx.one(&GET_FOR_UPDATE, p![workspace, id])
}

/// Returns the forwarding address of an unexpired confirmation link.
pub fn by_token(tx: &mut Tx, sha256: &[u8; 32], now: Time) -> Result<Option<ForwardingAddress>> {
    tx.one(&BY_TOKEN, p![sha256, now])
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

/// Sets whether flagged messages are skipped.
pub fn set_skip_flagged(tx: &mut Tx, workspace: WorkspaceId, id: ForwardingAddressId, skip: bool) -> Result<()> {
    tx.exec(&SET_SKIP, p![workspace, id, skip])?;
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

/// Confirms the address of a link; returns whether the link was valid.
pub fn confirm(tx: &mut Tx, sha256: &[u8; 32], now: Time) -> Result<bool> {
    Ok(tx.exec(&CONFIRM, p![sha256, now, now])? > 0)
}

/// Counts a forwarded message.
pub fn record_forwarded(tx: &mut Tx, workspace: WorkspaceId, id: ForwardingAddressId, now: Time) -> Result<()> {
    tx.exec(&RECORD_FORWARDED, p![workspace, id, now])?;
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

/// Returns a pending forward.
pub fn pending(tx: &mut Tx, workspace: WorkspaceId, id: ForwardId) -> Result<Option<PendingForward>> {
    tx.one(&FORWARD, p![workspace, id])
}

/// Deletes a forward that is finished or canceled; returns whether it existed.
pub fn delete_pending(tx: &mut Tx, workspace: WorkspaceId, id: ForwardId) -> Result<bool> {
    Ok(tx.exec(&DELETE_FORWARD, p![workspace, id])? > 0)
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
