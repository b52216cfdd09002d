//! Approvals in advance: apps that an agent may sign in to in the browser of a member.

use posthouse_domain::time::Time;

use crate::{Result, Tx, message_list::InboxRef, p, statements};

statements! {
    OF_INBOX = "SELECT client_id FROM identity_preapprovals WHERE workspace_id = $1 AND inbox_id = $2 ORDER BY created_at, client_id";
    HAS = "SELECT count(*) FROM identity_preapprovals WHERE workspace_id = $1 AND inbox_id = $2 AND client_id = $3";
    CLEAR = "DELETE FROM identity_preapprovals WHERE workspace_id = $1 AND inbox_id = $2";
    INSERT = "INSERT INTO identity_preapprovals (workspace_id, inbox_id, client_id, created_at) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING";
}

/// Returns the public ids of the apps that an agent may sign in to without a code.
pub fn of_inbox(tx: &mut Tx, inbox: InboxRef) -> Result<Vec<String>> {
    let found: Vec<(String,)> = tx.rows(&OF_INBOX, p![inbox.workspace, inbox.inbox])?;
    Ok(found.into_iter().map(|(client_id,)| client_id).collect())
}

/// Returns whether an app is approved in advance.
pub fn has(tx: &mut Tx, inbox: InboxRef, client_id: &str) -> Result<bool> {
    Ok(tx.value::<u64>(&HAS, p![inbox.workspace, inbox.inbox, client_id])?.unwrap_or(0) > 0)
}

/// Replaces the apps of an agent.
pub fn set(tx: &mut Tx, inbox: InboxRef, client_ids: &[String], now: Time) -> Result<()> {
    tx.exec(&CLEAR, p![inbox.workspace, inbox.inbox])?;
    for client_id in client_ids {
        tx.exec(&INSERT, p![inbox.workspace, inbox.inbox, client_id, now])?;
    }
    Ok(())
}

/// Removes the apps of an agent that is deleted.
pub fn delete_of_inbox(tx: &mut Tx, inbox: InboxRef) -> Result<()> {
    tx.exec(&CLEAR, p![inbox.workspace, inbox.inbox])?;
    Ok(())
}
