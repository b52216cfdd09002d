//! A message with the related data that the API shows.

use crate::{
    draft::Approval,
    id::{DraftId, MessageId},
    message::{Attachment, Message, MessageBodies, RecipientDelivery},
};

named! {
    /// How a list treats promotions and spam.
    PromotionsFilter {
        /// Listed with other messages.
        Include = "include",
        /// Left out.
        Exclude = "exclude",
        /// The only messages listed.
        Only = "only",
    }
}

named! {
    /// How much of each message a list shows.
    RecordView {
        /// Everything.
        Full = "full",
        /// No bodies, header fields and data, and only the start of the new text.
        Summary = "summary",
    }
}

/// Characters of the new text in a summary.
pub const SUMMARY_CHARS: usize = 200;

/// A message with all its related data.
#[derive(Clone, PartialEq, Debug)]
pub struct Record {
    pub message: Message,
    pub bodies: MessageBodies,
    pub attachments: Vec<Attachment>,
    /// The delivery status of each recipient; empty for received messages.
    pub deliveries: Vec<RecipientDelivery>,
    /// Whether its content is withheld unless the caller requests held mail.
    pub withheld: bool,
    /// Its approval, if it was a draft.
    pub approval: Option<ApprovalOfMessage>,
    /// Whether the reader may see who released it.
    pub shows_release: bool,
    /// How much of it is loaded and shown.
    pub view: RecordView,
}

impl Record {
    /// Drops what a summary leaves out.
    pub fn summarize(&mut self) {
        self.view = RecordView::Summary;
        let start = self.bodies.extracted_text.take().map(|text| text.chars().take(SUMMARY_CHARS).collect());
        self.bodies = MessageBodies { extracted_text: start, ..MessageBodies::default() };
    }
}

/// The approval of a sent message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ApprovalOfMessage {
    pub message: MessageId,
    /// The draft that became this message.
    pub draft: DraftId,
    /// Who approved it, when, and the content hash.
    pub approval: Approval,
}
