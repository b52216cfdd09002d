//! Approvals in advance: apps that an agent may sign in to in the browser of a member.

use posthouse_domain::Time;

use crate::{Result, Tx, message_list::InboxRef, statements};

statements! {
    /// Returns the public ids of the apps that an agent may sign in to without a code.
    pub fn of_inbox(inbox: InboxRef { workspace, inbox }) -> Vec<String> =
        "SELECT client_id FROM identity_preapprovals WHERE workspace_id = :workspace AND inbox_id = :inbox ORDER BY created_at, client_id";
    fn count(inbox: InboxRef { workspace, inbox }, client_id: &str) -> u64 =
        "SELECT count(*) FROM identity_preapprovals WHERE workspace_id = :workspace AND inbox_id = :inbox AND client_id = :client_id";
    /// Removes the apps of an agent that is deleted.
    pub fn delete_of_inbox(inbox: InboxRef { workspace, inbox }) =
        "DELETE FROM identity_preapprovals WHERE workspace_id = :workspace AND inbox_id = :inbox";
    fn insert(inbox: InboxRef { workspace, inbox }, client_id: &str, now: Time) =
        "INSERT INTO identity_preapprovals (workspace_id, inbox_id, client_id, created_at) VALUES (:workspace, :inbox, :client_id, :now) ON CONFLICT DO NOTHING";
}

/// Replaces the apps of an agent.
pub fn set(tx: &mut Tx, inbox: InboxRef, client_ids: &[String], now: Time) -> Result<()> {
    delete_of_inbox(tx, inbox)?;
    client_ids.iter().try_for_each(|client_id| insert(tx, inbox, client_id, now))
}

/// Returns whether an app is approved in advance.
pub fn has(tx: &mut Tx, inbox: InboxRef, client_id: &str) -> Result<bool> {
    Ok(count(tx, inbox, client_id)? > 0)
}
