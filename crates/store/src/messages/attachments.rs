//! Attachment metadata of messages. The bytes are part of the raw message.

use posthouse_domain::{Attachment, AttachmentId, MessageId, WorkspaceId};

use crate::statements;

statements! {
    /// Stores the metadata of an attachment.
    pub fn insert(workspace: WorkspaceId, attachment: row &Attachment) = "{insert attachments}";
    /// Returns the attachment with that ID.
    pub fn get(workspace: WorkspaceId, id: AttachmentId) -> Option<Attachment> =
        "SELECT {attachments} FROM attachments WHERE workspace_id = :workspace AND id = :id";
    /// Returns the attachments of up to 100 messages, in order within each message.
    pub fn of(workspace: WorkspaceId, messages: each MessageId) -> Vec<Attachment> = "SELECT {a.attachments}
        FROM {EACH} attachments a WHERE a.workspace_id = :workspace AND a.message_id {AMONG} {pg:a} ORDER BY message_id, position";
}
