//! Mail between workspaces of this service. See `docs/decisions/sending.md#0059-local-delivery`.

use serde::{Deserialize, Serialize};

use crate::{
    ContentId, EnvelopeId, InboxId, LocalDeliveryState, MessageId, MessageKind, SignedContent, Time, WorkspaceId,
};

/// A recipient of a local delivery.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct LocalRecipient {
    /// Its position among the recipients of the sent message.
    pub position: u32,
    /// Its inbox.
    #[serde(with = "inbox_id")]
    pub inbox: InboxId,
}

/// How an inbox is named in JSON.
mod inbox_id {
    use crate::InboxId;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use uuid::Uuid;

    pub(super) fn serialize<S: Serializer>(id: &InboxId, to: S) -> Result<S::Ok, S::Error> {
        id.0.serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<InboxId, D::Error> {
        Uuid::deserialize(from).map(InboxId)
    }
}

/// Fields of a copy that the sender's request named, instead of those in its header.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RequestedFields {
    /// `To`
    pub to: Vec<String>,
    /// `Cc`
    pub cc: Vec<String>,
    /// The subject.
    pub subject: String,
    /// The structured data, as JSON text.
    pub data: Option<String>,
    /// The name of the message type.
    pub kind: String,
    /// Whether the last attachment is the file with the structured data, which recipients on this service don't get.
    pub has_data_file: bool,
}

impl RequestedFields {
    /// Returns the message type.
    #[must_use]
    pub fn message_kind(&self) -> MessageKind {
        MessageKind::parse(&self.kind).unwrap_or(MessageKind::Message)
    }
}

/// A message on its way to inboxes of another workspace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LocalDelivery {
    /// The workspace of the recipients.
    pub workspace: WorkspaceId,
    /// Its ID, also the envelope of the recipients of the sent message.
    pub id: EnvelopeId,
    /// The workspace of the sender.
    pub sender_workspace: WorkspaceId,
    /// The inbox of the sender.
    pub sender_inbox: InboxId,
    /// The sent message.
    pub message: MessageId,
    /// The content of the copies.
    pub content: ContentId,
    /// The envelope sender.
    pub mail_from: String,
    /// The fields that the request named; `None` for a message composed elsewhere.
    pub requested: Option<RequestedFields>,
    /// What signatures of the copies cover; `None` if the copies are ordinary mail.
    pub signed: Option<SignedContent>,
    /// Whether this server wrote the `Agent-Disclosure` field of the message.
    pub disclosed: bool,
    /// The recipients.
    pub recipients: Vec<LocalRecipient>,
    /// How far it is.
    pub state: LocalDeliveryState,
    /// Positions of recipients whose inbox was deleted before the copy was stored.
    pub missing: Vec<u32>,
    /// Why it failed.
    pub detail: Option<String>,
    /// When the sent message was stored; rises with each message of an inbox.
    pub created_at: Time,
}

/// The outcome of storing the copies.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LocalOutcome {
    /// The copies are stored, except for these positions.
    Stored {
        /// Positions of recipients whose inbox was deleted.
        missing: Vec<u32>,
    },
    /// No copy will be stored, for this reason.
    Failed(String),
}
