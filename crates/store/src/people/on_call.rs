//! People on call: the contacts of workspaces and inboxes, and the mail that was sent to them and about them.

use posthouse_domain::{
    InboxId, MessageId, OnCallContact, OnCallContactId, OnCallMail, OnCallMailKind, Time, WorkspaceId,
};

use crate::{Result, Tx, statements, values::Nil};

statements! {
    /// Returns the contacts of an inbox, or those of the workspace, in their order.
    pub fn contacts(
        workspace: WorkspaceId, inbox: Option<InboxId> { inbox: Nil::value(inbox.as_ref()) },
    ) -> Vec<OnCallContact> =
        "SELECT {on_call_contacts} FROM on_call_contacts WHERE workspace_id = :workspace AND inbox_id = :inbox ORDER BY position + 0, id";
    /// Returns the contact with that ID.
    pub fn contact(workspace: WorkspaceId, id: OnCallContactId) -> Option<OnCallContact> =
        "SELECT {on_call_contacts} FROM on_call_contacts WHERE workspace_id = :workspace AND id = :id";
    /// Returns the contact of a confirmation link that has neither been used nor expired.
    pub fn by_token(sha256: &[u8; 32], now: Time) -> Option<OnCallContact> =
        "SELECT {on_call_contacts} FROM on_call_contacts WHERE token_sha256 = :sha256 AND token_expires_at > :now AND confirmed_at IS NULL";
    fn stored_link_end(workspace: WorkspaceId, id: OnCallContactId) -> Option<(Option<Time>,)> =
        "SELECT token_expires_at FROM on_call_contacts WHERE workspace_id = :workspace AND id = :id";
    /// Stores a new contact at a position of its list.
    pub fn insert(contact: row &OnCallContact, position: u32) = "{insert on_call_contacts}";
    /// Moves a contact to another position of its list.
    pub fn move_to(contact: &OnCallContact { workspace, id }, position: u32) =
        "UPDATE on_call_contacts SET position = :position WHERE workspace_id = :workspace AND id = :id";
    /// Sets the token of the confirmation link of an unconfirmed contact. Earlier links become invalid.
    pub fn set_token(contact: &OnCallContact { workspace, id }, token: &OnCallToken { sha256, expires_at }) -> bool =
        "UPDATE on_call_contacts SET token_sha256 = :sha256, token_expires_at = :expires_at
        WHERE workspace_id = :workspace AND id = :id AND confirmed_at IS NULL";
    /// Sets the mail about a contact that must be sent; its job is stored separately.
    pub fn set_mail_due(contact: &OnCallContact { workspace, id }, mail: OnCallMailKind) =
        "UPDATE on_call_contacts SET mail_due = :mail WHERE workspace_id = :workspace AND id = :id";
    /// Records that the mail about a contact is sent or given up; returns `false` if it isn't due any more.
    pub fn end_mail(contact: &OnCallContact { workspace, id }, mail: OnCallMailKind) -> bool =
        "UPDATE on_call_contacts SET mail_due = NULL WHERE workspace_id = :workspace AND id = :id AND mail_due = :mail";
    /// Confirms the contact of a link, and makes the notice to the owner due; returns whether the link was valid.
    pub fn confirm(sha256: &[u8; 32], now: Time; notice = OnCallMailKind::OwnerNotice) -> bool =
        "UPDATE on_call_contacts SET confirmed_at = :now, mail_due = :notice
        WHERE token_sha256 = :sha256 AND token_expires_at > :now AND confirmed_at IS NULL";
    /// Deletes a contact; its link becomes invalid.
    pub fn delete(contact: &OnCallContact { workspace, id }) =
        "DELETE FROM on_call_contacts WHERE workspace_id = :workspace AND id = :id";
    /// Deletes the contacts of an inbox that is being wiped.
    pub fn delete_of_inbox(workspace: WorkspaceId, inbox: InboxId) =
        "DELETE FROM on_call_contacts WHERE workspace_id = :workspace AND inbox_id = :inbox";
    /// Records a mail, in the transaction that stores it.
    pub fn record_mail(mail: row &OnCallMail) = "{insert on_call_mails}";
    /// Returns when the mails of a kind were stored after a time, oldest first.
    pub fn sent_since(workspace: WorkspaceId, kind: OnCallMailKind, since: Time) -> Vec<Time> =
        "SELECT created_at FROM on_call_mails WHERE workspace_id = :workspace AND kind = :kind AND created_at > :since ORDER BY created_at";
    /// Returns the kind of a mail that was sent to people on call of a workspace or about them.
    pub fn kind_of(workspace: WorkspaceId, message: MessageId) -> Option<OnCallMailKind> =
        "SELECT kind FROM on_call_mails WHERE workspace_id = :workspace AND message_id = :message";
    fn oldest_mails(before: Time, limit: u32) -> Vec<Time> =
        "SELECT created_at FROM on_call_mails WHERE created_at < :before ORDER BY created_at LIMIT :limit";
    fn delete_mails_until(end: Time) -> u64 = "DELETE FROM on_call_mails WHERE created_at <= :end";
}

/// The stored form of a confirmation link's token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OnCallToken {
    /// SHA-256 of the token in the link.
    pub sha256: [u8; 32],
    /// When the link expires.
    pub expires_at: Time,
}

/// Returns when the latest confirmation link of a contact expires; `None` before the first.
pub fn link_end(tx: &mut Tx, workspace: WorkspaceId, id: OnCallContactId) -> Result<Option<Time>> {
    Ok(stored_link_end(tx, workspace, id)?.and_then(|(end,)| end))
}

/// Deletes about `limit` records of mails before a time; returns how many.
pub fn prune_mails(tx: &mut Tx, before: Time, limit: u32) -> Result<u64> {
    oldest_mails(tx, before, limit)?.last().map_or(Ok(0), |end| delete_mails_until(tx, *end))
}
