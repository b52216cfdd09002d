//! People on call: the contacts of workspaces and inboxes, and the mail that was sent to them and about them.

use posthouse_domain::escalation::OnCallMail;
use posthouse_domain::{
    escalation::{OnCallContact, OnCallMailKind},
    id::{InboxId, MessageId, OnCallContactId, WorkspaceId},
    time::Time,
};

use crate::{
    Result, Tx,
    escalations::{read_inbox, stored_inbox},
    p, statements,
};

/// The columns of a contact in the order that rows are read.
macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT workspace_id, id, inbox_id, address, confirmed_at, mail_due, created_at FROM on_call_contacts WHERE ",
            $rest
        )
    };
}

statements! {
    OF = select!("workspace_id = $1 AND inbox_id = $2 ORDER BY position + 0, id");
    /// Returns the contact with that ID.
    pub fn contact(workspace: WorkspaceId, id: OnCallContactId) -> Option<OnCallContact> =
        select!("workspace_id = :workspace AND id = :id");
    /// Returns the contact of a confirmation link that has neither been used nor expired.
    pub fn by_token(sha256: &[u8; 32], now: Time) -> Option<OnCallContact> =
        select!("token_sha256 = :sha256 AND token_expires_at > :now AND confirmed_at IS NULL");
    LINK_END = "SELECT token_expires_at FROM on_call_contacts WHERE workspace_id = $1 AND id = $2";
    INSERT = "INSERT INTO on_call_contacts (workspace_id, id, inbox_id, address, position, token_sha256, token_expires_at, confirmed_at,
        mail_due, created_at) VALUES ($1, $2, $3, $4, $5, NULL, NULL, $6, $7, $8)";
    MOVE = "UPDATE on_call_contacts SET position = $3 WHERE workspace_id = $1 AND id = $2";
    SET_TOKEN = "UPDATE on_call_contacts SET token_sha256 = $3, token_expires_at = $4
        WHERE workspace_id = $1 AND id = $2 AND confirmed_at IS NULL";
    SET_DUE = "UPDATE on_call_contacts SET mail_due = $3 WHERE workspace_id = $1 AND id = $2";
    END_DUE = "UPDATE on_call_contacts SET mail_due = NULL WHERE workspace_id = $1 AND id = $2 AND mail_due = $3";
    CONFIRM = "UPDATE on_call_contacts SET confirmed_at = $3, mail_due = $4
        WHERE token_sha256 = $1 AND token_expires_at > $2 AND confirmed_at IS NULL";
    DELETE = "DELETE FROM on_call_contacts WHERE workspace_id = $1 AND id = $2";
    /// Deletes the contacts of an inbox that is being wiped.
    pub fn delete_of_inbox(workspace: WorkspaceId, inbox: InboxId) =
        "DELETE FROM on_call_contacts WHERE workspace_id = :workspace AND inbox_id = :inbox";
    INSERT_MAIL = "INSERT INTO on_call_mails (workspace_id, message_id, kind, created_at) VALUES ($1, $2, $3, $4)";
    /// Returns when the mails of a kind were stored after a time, oldest first.
    pub fn sent_since(workspace: WorkspaceId, kind: OnCallMailKind, since: Time) -> Vec<Time> =
        "SELECT created_at FROM on_call_mails WHERE workspace_id = :workspace AND kind = :kind AND created_at > :since ORDER BY created_at";
    /// Returns the kind of a mail that was sent to people on call of a workspace or about them.
    pub fn kind_of(workspace: WorkspaceId, message: MessageId) -> Option<OnCallMailKind> =
        "SELECT kind FROM on_call_mails WHERE workspace_id = :workspace AND message_id = :message";
    NEXT_MAILS = "SELECT created_at FROM on_call_mails WHERE created_at < $1 ORDER BY created_at LIMIT $2";
    DELETE_MAILS = "DELETE FROM on_call_mails WHERE created_at <= $1";
}

/// The stored form of a confirmation link's token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OnCallToken {
    /// SHA-256 of the token in the link.
    pub sha256: [u8; 32],
    /// When the link expires.
    pub expires_at: Time,
}

/// Returns the contacts of an inbox, or those of the workspace, in their order.
pub fn contacts(tx: &mut Tx, workspace: WorkspaceId, inbox: Option<InboxId>) -> Result<Vec<OnCallContact>> {
    tx.rows(&OF, p![workspace, stored_inbox(inbox)])
}

/// Returns when the latest confirmation link of a contact expires; `None` before the first.
pub fn link_end(tx: &mut Tx, workspace: WorkspaceId, id: OnCallContactId) -> Result<Option<Time>> {
    let end: Option<(Option<Time>,)> = tx.one(&LINK_END, p![workspace, id])?;
    Ok(end.and_then(|(end,)| end))
}

/// Stores a new contact at a position of its list.
pub fn insert(tx: &mut Tx, new: &OnCallContact, position: u32) -> Result<()> {
    let c = new;
    let inbox = stored_inbox(c.inbox);
    tx.exec(&INSERT, p![c.workspace, c.id, inbox, c.address, position, c.confirmed_at, c.mail_due, c.created_at])?;
    Ok(())
}

/// Moves a contact to another position of its list.
pub fn move_to(tx: &mut Tx, contact: &OnCallContact, position: u32) -> Result<()> {
    tx.exec(&MOVE, p![contact.workspace, contact.id, position])?;
    Ok(())
}

/// Sets the token of the confirmation link of an unconfirmed contact. Earlier links become invalid.
pub fn set_token(tx: &mut Tx, contact: &OnCallContact, token: &OnCallToken) -> Result<bool> {
    Ok(tx.exec(&SET_TOKEN, p![contact.workspace, contact.id, token.sha256, token.expires_at])? > 0)
}

/// Sets the mail about a contact that must be sent; its job is stored separately.
pub fn set_mail_due(tx: &mut Tx, contact: &OnCallContact, mail: OnCallMailKind) -> Result<()> {
    tx.exec(&SET_DUE, p![contact.workspace, contact.id, mail])?;
    Ok(())
}

/// Records that the mail about a contact is sent or given up; returns `false` if it isn't due any more.
pub fn end_mail(tx: &mut Tx, contact: &OnCallContact, mail: OnCallMailKind) -> Result<bool> {
    Ok(tx.exec(&END_DUE, p![contact.workspace, contact.id, mail])? > 0)
}

/// Confirms the contact of a link, and makes the notice to the owner due; returns whether the link was valid.
pub fn confirm(tx: &mut Tx, sha256: &[u8; 32], now: Time) -> Result<bool> {
    Ok(tx.exec(&CONFIRM, p![sha256, now, now, OnCallMailKind::OwnerNotice])? > 0)
}

/// Deletes a contact; its link becomes invalid.
pub fn delete(tx: &mut Tx, contact: &OnCallContact) -> Result<()> {
    tx.exec(&DELETE, p![contact.workspace, contact.id])?;
    Ok(())
}

/// Records a mail, in the transaction that stores it.
pub fn record_mail(tx: &mut Tx, mail: &OnCallMail) -> Result<()> {
    let m = mail;
    tx.exec(&INSERT_MAIL, p![m.workspace, m.message, m.kind, m.created_at])?;
    Ok(())
}

/// Deletes about `limit` records of mails before a time; returns how many.
pub fn prune_mails(tx: &mut Tx, before: Time, limit: u32) -> Result<u64> {
    let oldest: Vec<(Time,)> = tx.rows(&NEXT_MAILS, p![before, limit])?;
    let Some((end,)) = oldest.last() else { return Ok(0) };
    tx.exec(&DELETE_MAILS, p![end])
}

crate::from_row!(OnCallContact {
    workspace = workspace_id,
    id,
    inbox = inbox_id: InboxId,
    address,
    confirmed_at,
    mail_due,
    created_at,
} => Self { workspace, id, inbox: read_inbox(inbox), address, confirmed_at, mail_due, created_at });
