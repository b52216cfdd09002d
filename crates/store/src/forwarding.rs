//! Addresses that the mail of an inbox is passed on to, and received messages that are still to be passed on (contract §3.3).

use posthouse_domain::{
    forwarding::{Failure, Forward, ForwardingAddress},
    id::{ForwardId, ForwardingAddressId, InboxId, MessageId, WorkspaceId},
    time::Time,
};

use crate::{FromRow, Result, Row, Tx, p, statements};

/// The columns of an address, in the order that rows are read.
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
    TAKE = select!("workspace_id = $1 AND id = $2 {FOR_UPDATE}");
    BY_TOKEN = select!("token_sha256 = $1 AND token_expires_at > $2");
    INSERT = "INSERT INTO forwarding_addresses (workspace_id, id, inbox_id, address, skip_flagged, token_sha256, token_expires_at,
        confirmed_at, confirmation_sent_at, last_forwarded_at, forwarded_count, error_code, error_message, created_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, NULL, $8, NULL, 0, NULL, NULL, $9)";
    SET_SKIP = "UPDATE forwarding_addresses SET skip_flagged = $3 WHERE workspace_id = $1 AND id = $2";
    ASK_AGAIN = "UPDATE forwarding_addresses SET token_sha256 = $3, token_expires_at = $4, confirmation_sent_at = $5
        WHERE workspace_id = $1 AND id = $2 AND confirmed_at IS NULL";
    CONFIRM = "UPDATE forwarding_addresses SET confirmed_at = $3
        WHERE token_sha256 = $1 AND token_expires_at > $2 AND confirmed_at IS NULL";
    PASSED = "UPDATE forwarding_addresses SET last_forwarded_at = $3, forwarded_count = forwarded_count + 1, error_code = NULL,
        error_message = NULL WHERE workspace_id = $1 AND id = $2";
    FAILED = "UPDATE forwarding_addresses SET error_code = $3, error_message = $4 WHERE workspace_id = $1 AND id = $2";
    DELETE = "DELETE FROM forwarding_addresses WHERE workspace_id = $1 AND id = $2";
    DELETE_OF_INBOX = "DELETE FROM forwarding_addresses WHERE workspace_id = $1 AND inbox_id = $2";
    NOTE = "INSERT INTO forwards (workspace_id, id, message_id, address_id, created_at) VALUES ($1, $2, $3, $4, $5)";
    FORWARD = "SELECT workspace_id, id, message_id, address_id, created_at FROM forwards WHERE workspace_id = $1 AND id = $2";
    DONE = "DELETE FROM forwards WHERE workspace_id = $1 AND id = $2";
    FORGET_TO = "DELETE FROM forwards WHERE workspace_id = $1 AND address_id = $2";
    FORGET_OF_INBOX = "DELETE FROM forwards WHERE workspace_id = $1
        AND address_id IN (SELECT id FROM forwarding_addresses WHERE workspace_id = $1 AND inbox_id = $2)";
    FORGET_MESSAGE = "DELETE FROM forwards WHERE workspace_id = $1 AND message_id = $2";
    LOST = "SELECT f.workspace_id, f.id, f.message_id, f.address_id, f.created_at FROM forwards f
        WHERE NOT EXISTS (SELECT 1 FROM jobs j WHERE j.kind = 'forward' AND j.subject_id = f.id) LIMIT $1";
}

/// A token of a link, as it is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token {
    /// SHA-256 of what stands in the link.
    pub sha256: [u8; 32],
    /// Until when the link works.
    pub expires_at: Time,
}

/// The addresses that get the mail of an inbox.
///
/// # Errors
/// The store's own.
pub fn confirmed(tx: &mut Tx, workspace: WorkspaceId, inbox: InboxId) -> Result<Vec<ForwardingAddressId>> {
    let found: Vec<(ForwardingAddressId,)> = tx.rows(&CONFIRMED, p![workspace, inbox])?;
    Ok(found.into_iter().map(|(id,)| id).collect())
}

/// The addresses of an inbox, oldest first.
///
/// # Errors
/// The store's own.
pub fn of_inbox(tx: &mut Tx, workspace: WorkspaceId, inbox: InboxId) -> Result<Vec<ForwardingAddress>> {
    tx.rows(&OF_INBOX, p![workspace, inbox])
}

/// The address of that id.
///
/// # Errors
/// The store's own.
pub fn get(tx: &mut Tx, workspace: WorkspaceId, id: ForwardingAddressId) -> Result<Option<ForwardingAddress>> {
    tx.one(&GET, p![workspace, id])
}

/// The address of that id; its row is ours until the end of the transaction.
///
/// # Errors
/// The store's own.
pub fn take(tx: &mut Tx, workspace: WorkspaceId, id: ForwardingAddressId) -> Result<Option<ForwardingAddress>> {
    tx.one(&TAKE, p![workspace, id])
}

/// The address that a link stands for, while the link works.
///
/// # Errors
/// The store's own.
pub fn by_token(tx: &mut Tx, sha256: &[u8; 32], now: Time) -> Result<Option<ForwardingAddress>> {
    tx.one(&BY_TOKEN, p![sha256, now])
}

/// Stores a new address, with the token of its first link.
///
/// # Errors
/// The store's own.
pub fn insert(tx: &mut Tx, new: &ForwardingAddress, token: &Token) -> Result<()> {
    let n = new;
    let (sha256, until) = (token.sha256, token.expires_at);
    let parameters =
        p![n.workspace, n.id, n.inbox, n.address, n.skip_flagged, sha256, until, n.confirmation_sent_at, n.created_at];
    tx.exec(&INSERT, parameters)?;
    Ok(())
}

/// Says whether flagged mail stays.
///
/// # Errors
/// The store's own.
pub fn set_skip_flagged(tx: &mut Tx, workspace: WorkspaceId, id: ForwardingAddressId, skip: bool) -> Result<()> {
    tx.exec(&SET_SKIP, p![workspace, id, skip])?;
    Ok(())
}

/// Puts a new link in the place of the one before, while nobody has said yes.
///
/// # Errors
/// The store's own.
pub fn ask_again(
    tx: &mut Tx,
    (workspace, id): (WorkspaceId, ForwardingAddressId),
    token: &Token,
    now: Time,
) -> Result<()> {
    tx.exec(&ASK_AGAIN, p![workspace, id, token.sha256, token.expires_at, now])?;
    Ok(())
}

/// Uses a link up; says whether it worked.
///
/// # Errors
/// The store's own.
pub fn confirm(tx: &mut Tx, sha256: &[u8; 32], now: Time) -> Result<bool> {
    Ok(tx.exec(&CONFIRM, p![sha256, now, now])? > 0)
}

/// Counts a mail that was passed on.
///
/// # Errors
/// The store's own.
pub fn passed(tx: &mut Tx, workspace: WorkspaceId, id: ForwardingAddressId, now: Time) -> Result<()> {
    tx.exec(&PASSED, p![workspace, id, now])?;
    Ok(())
}

/// Notes why a mail was not passed on.
///
/// # Errors
/// The store's own.
pub fn failed(tx: &mut Tx, workspace: WorkspaceId, id: ForwardingAddressId, failure: &Failure) -> Result<()> {
    tx.exec(&FAILED, p![workspace, id, failure.code, failure.message])?;
    Ok(())
}

/// Deletes an address with what still was to be passed on to it.
///
/// # Errors
/// The store's own.
pub fn delete(tx: &mut Tx, workspace: WorkspaceId, id: ForwardingAddressId) -> Result<()> {
    tx.exec(&FORGET_TO, p![workspace, id])?;
    tx.exec(&DELETE, p![workspace, id])?;
    Ok(())
}

/// Deletes the addresses of an inbox that ends.
///
/// # Errors
/// The store's own.
pub fn delete_of_inbox(tx: &mut Tx, workspace: WorkspaceId, inbox: InboxId) -> Result<()> {
    tx.exec(&FORGET_OF_INBOX, p![workspace, inbox])?;
    tx.exec(&DELETE_OF_INBOX, p![workspace, inbox])?;
    Ok(())
}

/// Notes that a message is to be passed on; its job comes beside.
///
/// # Errors
/// The store's own.
pub fn note(tx: &mut Tx, forward: &Forward) -> Result<()> {
    let f = forward;
    tx.exec(&NOTE, p![f.workspace, f.id, f.message, f.to, f.created_at])?;
    Ok(())
}

/// What is still to be passed on.
///
/// # Errors
/// The store's own.
pub fn waiting(tx: &mut Tx, workspace: WorkspaceId, id: ForwardId) -> Result<Option<Forward>> {
    tx.one(&FORWARD, p![workspace, id])
}

/// Forgets what was passed on, or never will be; says whether it was there.
///
/// # Errors
/// The store's own.
pub fn done(tx: &mut Tx, workspace: WorkspaceId, id: ForwardId) -> Result<bool> {
    Ok(tx.exec(&DONE, p![workspace, id])? > 0)
}

/// Forgets what was to be passed on of a message that is deleted.
///
/// # Errors
/// The store's own.
pub fn forget_message(tx: &mut Tx, workspace: WorkspaceId, message: MessageId) -> Result<()> {
    tx.exec(&FORGET_MESSAGE, p![workspace, message])?;
    Ok(())
}

/// What is to be passed on and has no job. One whose job is dead is not lost: operators see it.
///
/// # Errors
/// The store's own.
pub fn lost(tx: &mut Tx, limit: u32) -> Result<Vec<Forward>> {
    tx.rows(&LOST, p![limit])
}

impl FromRow for ForwardingAddress {
    const COLUMNS: usize = 12;

    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        let (workspace, id, inbox, address) = (row.take()?, row.take()?, row.take()?, row.take()?);
        let (skip_flagged, confirmed_at, confirmation_sent_at) = (row.take()?, row.take()?, row.take()?);
        let (last_forwarded_at, forwarded_count): (Option<Time>, i64) = (row.take()?, row.take()?);
        let (code, message): (Option<String>, Option<String>) = (row.take()?, row.take()?);
        Ok(Self {
            workspace,
            id,
            inbox,
            address,
            skip_flagged,
            confirmed_at,
            confirmation_sent_at,
            last_forwarded_at,
            forwarded_count: u64::try_from(forwarded_count).unwrap_or(0),
            failure: code.zip(message).map(|(code, message)| Failure { code, message }),
            created_at: row.take()?,
        })
    }
}

crate::from_row!(Forward { workspace, id, message, to, created_at });
