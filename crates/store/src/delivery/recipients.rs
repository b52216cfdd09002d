//! Recipients of sent messages with their delivery status, and the envelopes that carry them.

use posthouse_domain::{
    EnvelopeId, MessageId, OutboundEnvelope, RecipientDelivery, WorkspaceId, delivery::MessageDelivery,
};

use crate::statements;

statements! {
    /// Stores a recipient with its delivery status.
    pub fn insert(workspace: WorkspaceId, message: MessageId, delivery: row &RecipientDelivery) = "{insert recipients}";
    /// Returns the recipients of up to 100 messages, in order within each message.
    pub fn of(workspace: WorkspaceId, messages: each MessageId) -> Vec<MessageDelivery> =
        "SELECT message_id, {recipients} FROM {EACH} recipients r WHERE r.workspace_id = :workspace AND r.message_id {AMONG} {pg:r} ORDER BY message_id, position";
    /// Returns the recipients of an envelope.
    pub fn of_envelope(workspace: WorkspaceId, envelope: EnvelopeId) -> Vec<MessageDelivery> =
        "SELECT message_id, {recipients} FROM recipients WHERE workspace_id = :workspace AND envelope_id = :envelope ORDER BY position";
    /// Writes the delivery status of a recipient.
    pub fn update(
        workspace: WorkspaceId,
        message: MessageId,
        delivery: &RecipientDelivery {
            position, status, smtp_code, enhanced_code, remote, detail, class, attempts, updated_at, tls,
        },
    ) = "UPDATE recipients SET (status, smtp_code, enhanced_code, remote, detail, class, attempts, updated_at, tls)
        = (:status, :smtp_code, :enhanced_code, :remote, :detail, :class, :attempts, :updated_at, :tls)
        WHERE workspace_id = :workspace AND message_id = :message AND position = :position";
    /// Moves the recipient at that position of a message to another envelope.
    pub fn move_to(workspace: WorkspaceId, message: MessageId, position: u32, envelope: EnvelopeId) =
        "UPDATE recipients SET envelope_id = :envelope WHERE workspace_id = :workspace AND message_id = :message AND position = :position";
    /// Stores an envelope.
    pub fn insert_envelope(envelope: row &OutboundEnvelope) = "{insert envelopes}";
    /// Returns the envelope with that ID; it exists until all its recipients are settled.
    pub fn envelope(workspace: WorkspaceId, id: EnvelopeId) -> Option<OutboundEnvelope> =
        "SELECT {envelopes} FROM envelopes
        WHERE workspace_id = :workspace AND id = :id";
    /// Deletes an envelope whose recipients are all settled.
    pub fn delete_envelope(workspace: WorkspaceId, id: EnvelopeId) =
        "DELETE FROM envelopes WHERE workspace_id = :workspace AND id = :id";
}

crate::from_row!(MessageDelivery { message = message_id; delivery: RecipientDelivery });
