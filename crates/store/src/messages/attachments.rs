//! Attachment metadata of messages. The bytes are part of the raw message.

use posthouse_domain::{
    id::{AttachmentId, MessageId, WorkspaceId},
    message::Attachment,
};

use crate::{Result, Tx, p, statements};

statements! {
    INSERT = "INSERT INTO attachments (workspace_id, id, message_id, position, filename, content_type, size_bytes, sha256, content_id, inline)
        VALUES ({PARAMETERS})";
    /// Returns the attachment with that ID.
    pub fn get(workspace: WorkspaceId, id: AttachmentId) -> Option<Attachment> =
        "SELECT id, message_id, position, filename, content_type, size_bytes, sha256, content_id, inline
        FROM attachments WHERE workspace_id = :workspace AND id = :id";
    /// Returns the attachments of up to 100 messages, in order within each message.
    pub fn of(workspace: WorkspaceId, messages: each MessageId) -> Vec<Attachment> =
        "SELECT a.id, message_id, position, filename, content_type, size_bytes, sha256, content_id, inline
        FROM {EACH} attachments a WHERE a.workspace_id = :workspace AND a.message_id {AMONG} {pg:a} ORDER BY message_id, position";
}

/// Stores the metadata of an attachment.
pub fn insert(tx: &mut Tx, workspace: WorkspaceId, attachment: &Attachment) -> Result<()> {
    let a = attachment;
    tx.exec(
        &INSERT,
        p![
            workspace,
            a.id,
            a.message,
            a.position,
            a.filename,
            a.content_type,
            a.size_bytes,
            a.sha256,
            a.content_id,
            a.inline
        ],
    )?;
    Ok(())
}

crate::from_row!(Attachment { id, message = message_id, position, filename, content_type, size_bytes, sha256, content_id, inline });
