//! Reprocessing of received messages: pages over all of them, and the fields that change.

use posthouse_domain::{Message, MessageId, WorkspaceId};

use crate::{Result, Tx, search, statements, values::Nil};

statements! {
    /// Returns received messages after a given one, ordered by workspace and ID; `None` starts at the beginning.
    pub fn page(
        after: Option<MessageRef> {
            workspace: Nil::value(after.as_ref().map(|after| &after.workspace)),
            message: Nil::value(after.as_ref().map(|after| &after.message)),
        },
        limit: u32,
    ) -> Vec<MessageRef> =
        "SELECT workspace_id, id FROM messages WHERE (workspace_id > :workspace OR (workspace_id = :workspace AND id > :message))
        AND direction = 'inbound' AND channel = 'email' ORDER BY workspace_id, id LIMIT :limit";
    fn write(message: &Message { workspace, id, from, verification, contact_address }) =
        "UPDATE messages SET from_text = :from, verification = :verification, contact_address = :contact_address WHERE workspace_id = :workspace AND id = :id";
}

crate::row_struct!(
    /// The ids of a message.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub MessageRef { workspace = workspace_id: WorkspaceId, message = id: MessageId }
);

/// Writes the author, labels and verification of `after`, and queues the message for indexing again.
pub fn set(tx: &mut Tx, before: &Message, after: &Message) -> Result<()> {
    write(tx, after)?;
    crate::messages::set_labels(tx, before, after)?;
    search::delete_message(tx, after.workspace, after.id)?;
    search::wait(tx, after.workspace, after.id)
}
