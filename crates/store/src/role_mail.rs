//! Mail to postmaster and abuse whose person has not been told of it yet (RFC 2142). The mail itself is in an inbox; a row here
//! is gone when the notice is stored, or the message is.

use posthouse_domain::{
    id::{MessageId, WorkspaceId},
    time::Time,
};

use crate::{Result, Tx, p, statements};

statements! {
    ADD = "INSERT INTO role_mail (workspace_id, message_id, address, created_at) VALUES ($1, $2, $3, $4)
        ON CONFLICT (workspace_id, message_id) DO NOTHING";
    WAITING = "SELECT count(*) FROM role_mail WHERE workspace_id = $1";
    OLDEST = "SELECT message_id, address FROM role_mail WHERE workspace_id = $1 ORDER BY created_at, message_id LIMIT $2";
    DONE = "DELETE FROM role_mail WHERE workspace_id = $1 AND message_id = $2";
    FORGET = "DELETE FROM role_mail WHERE workspace_id = $1";
}

/// Most messages of a workspace that wait to be told; what comes beyond them is in the inbox alone.
pub const WAITING_MAX: u64 = 200;

/// A message that somebody is to be told of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RoleMail {
    /// The message.
    pub message: MessageId,
    /// The address it was for.
    pub address: String,
}

/// Notes a message; says whether there was room.
///
/// # Errors
/// The store's own.
pub fn add(tx: &mut Tx, workspace: WorkspaceId, mail: &RoleMail, now: Time) -> Result<bool> {
    let waiting: Option<(i64,)> = tx.one(&WAITING, p![workspace])?;
    if waiting.is_some_and(|(count,)| u64::try_from(count).unwrap_or(0) >= WAITING_MAX) {
        return Ok(false);
    }
    tx.exec(&ADD, p![workspace, mail.message, mail.address, now])?;
    Ok(true)
}

/// The oldest that wait, up to `limit`.
///
/// # Errors
/// The store's own.
pub fn oldest(tx: &mut Tx, workspace: WorkspaceId, limit: u32) -> Result<Vec<RoleMail>> {
    tx.rows(&OLDEST, p![workspace, limit])
}

/// Takes messages off.
///
/// # Errors
/// The store's own.
pub fn done(tx: &mut Tx, workspace: WorkspaceId, messages: &[MessageId]) -> Result<()> {
    messages.iter().try_for_each(|message| tx.exec(&DONE, p![workspace, *message]).map(drop))
}

/// Takes all messages of a workspace off: nobody can be told.
///
/// # Errors
/// The store's own.
pub fn forget(tx: &mut Tx, workspace: WorkspaceId) -> Result<()> {
    tx.exec(&FORGET, p![workspace]).map(drop)
}

crate::from_row!(RoleMail { message, address });
