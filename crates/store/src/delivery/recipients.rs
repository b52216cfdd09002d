//! Recipients of sent messages with their delivery status, and the envelopes that carry them.

use posthouse_domain::delivery::{DkimSignatures, MessageDelivery, OutboundEnvelope};
use posthouse_domain::{
    id::{EnvelopeId, MessageId, WorkspaceId},
    message::{RecipientDelivery, TlsParameters},
};

use posthouse_mail::bounce::BounceClass;

use crate::{Result, Tx, p, statements};

statements! {
    INSERT = "INSERT INTO recipients (workspace_id, message_id, position, envelope_id, address, channel, status, smtp_code,
        enhanced_code, remote, detail, class, attempts, updated_at)
        VALUES ({PARAMETERS})";
    /// Returns the recipients of up to 100 messages, in order within each message.
    pub fn of(workspace: WorkspaceId, messages: each MessageId) -> Vec<MessageDelivery> =
        "SELECT message_id, position, envelope_id, address, channel, status, smtp_code, enhanced_code, remote, detail, class, tls,
        attempts, updated_at FROM {EACH} recipients r WHERE r.workspace_id = :workspace AND r.message_id {AMONG} {pg:r} ORDER BY message_id, position";
    /// Returns the recipients of an envelope.
    pub fn of_envelope(workspace: WorkspaceId, envelope: EnvelopeId) -> Vec<MessageDelivery> =
        "SELECT message_id, position, envelope_id, address, channel, status, smtp_code, enhanced_code, remote, detail, class, tls,
        attempts, updated_at FROM recipients WHERE workspace_id = :workspace AND envelope_id = :envelope ORDER BY position";
    UPDATE = "UPDATE recipients SET (status, smtp_code, enhanced_code, remote, detail, class, attempts, updated_at, tls) = ({PARAMETERS})
        WHERE workspace_id = {NEXT} AND message_id = {NEXT} AND position = {NEXT}";
    /// Moves the recipient at that position of a message to another envelope.
    pub fn move_to(workspace: WorkspaceId, message: MessageId, position: u32, envelope: EnvelopeId) =
        "UPDATE recipients SET envelope_id = :envelope WHERE workspace_id = :workspace AND message_id = :message AND position = :position";
    INSERT_ENVELOPE = "INSERT INTO envelopes (workspace_id, id, message_id, destination, expires_at, signatures, signed_with)
        VALUES ($1, $2, $3, $4, $5, $6, $7)";
    /// Returns the envelope with that ID; it exists until all its recipients are settled.
    pub fn envelope(workspace: WorkspaceId, id: EnvelopeId) -> Option<OutboundEnvelope> =
        "SELECT workspace_id, id, message_id, destination, expires_at, signatures, signed_with FROM envelopes
        WHERE workspace_id = :workspace AND id = :id";
    /// Deletes an envelope whose recipients are all settled.
    pub fn delete_envelope(workspace: WorkspaceId, id: EnvelopeId) =
        "DELETE FROM envelopes WHERE workspace_id = :workspace AND id = :id";
}

/// Stores a recipient with its delivery status.
pub fn insert(tx: &mut Tx, workspace: WorkspaceId, message: MessageId, delivery: &RecipientDelivery) -> Result<()> {
    let d = delivery;
    tx.exec(
        &INSERT,
        p![
            workspace,
            message,
            d.position,
            d.envelope,
            d.address,
            d.channel,
            d.status,
            d.smtp_code,
            d.enhanced_code,
            d.remote,
            d.detail,
            d.class.map(BounceClass::text),
            d.attempts,
            d.updated_at
        ],
    )?;
    Ok(())
}

/// Writes the delivery status of a recipient.
pub fn update(tx: &mut Tx, workspace: WorkspaceId, message: MessageId, delivery: &RecipientDelivery) -> Result<()> {
    let d = delivery;
    tx.exec(
        &UPDATE,
        p![
            d.status,
            d.smtp_code,
            d.enhanced_code,
            d.remote,
            d.detail,
            d.class.map(BounceClass::text),
            d.attempts,
            d.updated_at,
            d.tls.as_ref().map(TlsParameters::text),
            workspace,
            message,
            d.position
        ],
    )?;
    Ok(())
}

/// Stores an envelope.
pub fn insert_envelope(tx: &mut Tx, envelope: &OutboundEnvelope) -> Result<()> {
    let e = envelope;
    let (fields, keys) = e.signed.as_ref().map(|signed| (&signed.fields, &signed.keys_digest)).unzip();
    tx.exec(&INSERT_ENVELOPE, p![e.workspace, e.id, e.message, e.destination, e.expires_at, fields, keys])?;
    Ok(())
}

crate::from_row!(OutboundEnvelope {
    workspace = workspace_id,
    id,
    message = message_id,
    destination,
    expires_at,
    signatures: Option<String>,
    signed_with: Option<Vec<u8>>,
} => Self {
    workspace,
    id,
    message,
    destination,
    expires_at,
    signed: signatures.zip(signed_with).map(|(fields, keys_digest)| DkimSignatures { fields, keys_digest }),
});

crate::from_row!(MessageDelivery {
    message = message_id,
    position,
    envelope = envelope_id,
    address,
    channel,
    status,
    smtp_code,
    enhanced_code,
    remote,
    detail,
    class: Option<String>,
    tls: Option<String>,
    attempts,
    updated_at,
} => Self {
    message,
    delivery: RecipientDelivery {
        position,
        envelope,
        address,
        channel,
        status,
        smtp_code,
        enhanced_code,
        remote,
        detail,
        class: class.as_deref().and_then(BounceClass::parse),
        tls: tls.and_then(|text| TlsParameters::parse(&text)),
        attempts,
        updated_at,
    },
});
