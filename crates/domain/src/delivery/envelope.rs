//! A sent message on its way: the part for one destination, and the status of each recipient.

use crate::{
    id::{EnvelopeId, MessageId, WorkspaceId},
    message::RecipientDelivery,
    time::Time,
};

/// The delivery status of one recipient, with its message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MessageDelivery {
    pub message: MessageId,
    /// The delivery status.
    pub delivery: RecipientDelivery,
}

/// A message for the recipients at one destination.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OutboundEnvelope {
    pub workspace: WorkspaceId,
    pub id: EnvelopeId,
    pub message: MessageId,
    /// The recipient's domain in A-label form.
    pub destination: String,
    /// When delivery attempts end.
    pub expires_at: Time,
    /// The DKIM signatures made when the message was accepted.
    pub signed: Option<DkimSignatures>,
}

/// DKIM signatures of a message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DkimSignatures {
    /// The `DKIM-Signature` header fields, each with its CRLF, to prepend to the message.
    pub fields: String,
    /// Digest of the keys that made them, to detect a change of keys.
    pub keys_digest: Vec<u8>,
}
