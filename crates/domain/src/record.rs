//! A message with the related data that the API shows.

use crate::{
    draft::Approval,
    id::{DraftId, MessageId},
    message::{Attachment, Message, MessageBodies, RecipientDelivery},
};

/// A message with all its related data.
#[derive(Clone, PartialEq, Debug)]
pub struct Record {
    /// The message.
    pub message: Message,
    /// Its bodies.
    pub bodies: MessageBodies,
    /// Its attachments.
    pub attachments: Vec<Attachment>,
    /// The delivery status of each recipient; empty for received messages.
    pub deliveries: Vec<RecipientDelivery>,
    /// Whether its content is withheld unless the caller requests held mail.
    pub withheld: bool,
    /// Its approval, if it was a draft.
    pub approval: Option<ApprovalOfMessage>,
}

/// The approval of a sent message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ApprovalOfMessage {
    /// The message.
    pub message: MessageId,
    /// The draft that became this message.
    pub draft: DraftId,
    /// Who approved it, when, and the content hash.
    pub approval: Approval,
}
