//! Received mail read again from its raw bytes: pages over all of it, and what changes in a row.

use posthouse_domain::{
    id::{MessageId, WorkspaceId},
    message::Message,
};

use crate::{Json, Result, Tx, messages::StoredVerification, p, search, statements};

statements! {
    PAGE = "SELECT workspace_id, id FROM messages WHERE (workspace_id > $1 OR (workspace_id = $1 AND id > $2))
        AND direction = 'inbound' AND channel = 'email' ORDER BY workspace_id, id LIMIT $3";
    SET = "UPDATE messages SET from_text = $3, verification = $4, contact_address = $5 WHERE workspace_id = $1 AND id = $2";
}

/// Received messages behind this one, in the order of their workspaces and ids.
///
/// # Errors
/// The store's own.
pub fn page(tx: &mut Tx, after: (WorkspaceId, MessageId), limit: u32) -> Result<Vec<(WorkspaceId, MessageId)>> {
    tx.rows(&PAGE, p![after.0, after.1, limit])
}

/// Writes the author, the labels and the verification as they now are in `after`, and notes that the message is to be
/// indexed again.
///
/// # Errors
/// The store's own.
pub fn set(tx: &mut Tx, before: &Message, after: &Message) -> Result<()> {
    let verification = after.verification.as_ref().map(|found| Json(StoredVerification::from(found)));
    tx.exec(&SET, p![after.workspace, after.id, after.from, verification, after.contact_address])?;
    crate::messages::set_labels(tx, before, after)?;
    search::forget_message(tx, after.workspace, after.id)?;
    search::wait(tx, after.workspace, after.id)
}
