//! Reprocessing of received messages: pages over all of them, and the fields that change.

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

/// Returns received messages after a given one, ordered by workspace and ID.
///
/// # Errors
/// Returns an error if the database call fails.
pub fn page(tx: &mut Tx, after: (WorkspaceId, MessageId), limit: u32) -> Result<Vec<(WorkspaceId, MessageId)>> {
    let rows: Vec<MessageKey> = tx.rows(&PAGE, p![after.0, after.1, limit])?;
    Ok(rows.into_iter().map(|row| (row.workspace_id, row.id)).collect())
}

/// Writes the author, labels and verification of `after`, and queues the message for indexing again.
///
/// # Errors
/// Returns an error if the database call fails.
pub fn set(tx: &mut Tx, before: &Message, after: &Message) -> Result<()> {
    let verification = after.verification.as_ref().map(|found| Json(StoredVerification::from(found)));
    tx.exec(&SET, p![after.workspace, after.id, after.from, verification, after.contact_address])?;
    crate::messages::set_labels(tx, before, after)?;
    search::delete_message(tx, after.workspace, after.id)?;
    search::wait(tx, after.workspace, after.id)
}

crate::row_struct!(MessageKey { workspace_id: WorkspaceId, id: MessageId });
