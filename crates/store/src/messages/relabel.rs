//! Reprocessing of received messages: pages over all of them, and the fields that change.

use posthouse_domain::{
    id::{MessageId, WorkspaceId},
    message::Message,
};

use uuid::Uuid;

use crate::{Result, Tx, p, search, statements};

statements! {
    PAGE = "SELECT workspace_id, id FROM messages WHERE (workspace_id > $1 OR (workspace_id = $1 AND id > $2))
        AND direction = 'inbound' AND channel = 'email' ORDER BY workspace_id, id LIMIT $3";
    SET = "UPDATE messages SET from_text = $3, verification = $4, contact_address = $5 WHERE workspace_id = $1 AND id = $2";
}

/// The ids of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MessageRef {
    /// The workspace.
    pub workspace: WorkspaceId,
    /// The message.
    pub message: MessageId,
}

/// Returns received messages after a given one, ordered by workspace and ID; `None` starts at the beginning.
pub fn page(tx: &mut Tx, after: Option<MessageRef>, limit: u32) -> Result<Vec<MessageRef>> {
    let start = MessageRef { workspace: WorkspaceId(Uuid::nil()), message: MessageId(Uuid::nil()) };
    let after = after.unwrap_or(start);
    tx.rows(&PAGE, p![after.workspace, after.message, limit])
}

/// Writes the author, labels and verification of `after`, and queues the message for indexing again.
pub fn set(tx: &mut Tx, before: &Message, after: &Message) -> Result<()> {
    tx.exec(&SET, p![after.workspace, after.id, after.from, after.verification, after.contact_address])?;
    crate::messages::set_labels(tx, before, after)?;
    search::delete_message(tx, after.workspace, after.id)?;
    search::wait(tx, after.workspace, after.id)
}

crate::from_row!(MessageRef { workspace = workspace_id, message = id });
