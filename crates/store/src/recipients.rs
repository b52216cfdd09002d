//! Where sent messages go and what became of them there; the envelopes that carry them out.

use posthouse_domain::{
    id::{EnvelopeId, MessageId, WorkspaceId},
    message::{Delivery, TlsUse},
    time::Time,
};

use posthouse_mail::bounce::Class;

use crate::{FromRow, Result, Row, Tx, many, p, statements};

statements! {
    INSERT = "INSERT INTO recipients (workspace_id, message_id, position, envelope_id, address, channel, status, smtp_code,
        enhanced_code, remote, detail, class, attempts, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)";
    OF = "SELECT message_id, position, envelope_id, address, channel, status, smtp_code, enhanced_code, remote, detail, class, tls,
        attempts, updated_at FROM {EACH} recipients r WHERE r.workspace_id = $1 AND r.message_id {AMONG} {pg:r} ORDER BY message_id, position";
    OF_ENVELOPE = "SELECT message_id, position, envelope_id, address, channel, status, smtp_code, enhanced_code, remote, detail, class, tls,
        attempts, updated_at FROM recipients WHERE workspace_id = $1 AND envelope_id = $2 ORDER BY position";
    UPDATE = "UPDATE recipients SET status = $4, smtp_code = $5, enhanced_code = $6, remote = $7, detail = $8, class = $9, attempts = $10,
        updated_at = $11, tls = $12
        WHERE workspace_id = $1 AND message_id = $2 AND position = $3";
    MOVE_TO = "UPDATE recipients SET envelope_id = $4 WHERE workspace_id = $1 AND message_id = $2 AND position = $3";
    INSERT_ENVELOPE = "INSERT INTO envelopes (workspace_id, id, message_id, destination, expires_at, signatures, signed_with)
        VALUES ($1, $2, $3, $4, $5, $6, $7)";
    GET_ENVELOPE = "SELECT workspace_id, id, message_id, destination, expires_at, signatures, signed_with FROM envelopes
        WHERE workspace_id = $1 AND id = $2";
    DELETE_ENVELOPE = "DELETE FROM envelopes WHERE workspace_id = $1 AND id = $2";
}

/// A delivery entry with the message it belongs to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OfMessage {
    /// The message.
    pub message: MessageId,
    /// The entry.
    pub delivery: Delivery,
}

/// One message on its way to one recipient.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Envelope {
    /// The tenant.
    pub workspace: WorkspaceId,
    /// Its id.
    pub id: EnvelopeId,
    /// The message.
    pub message: MessageId,
    /// The recipient's domain in A-label form.
    pub destination: String,
    /// When trying ends.
    pub expires_at: Time,
    /// The signatures that were made when the message was accepted.
    pub signed: Option<Signed>,
}

/// Signatures of a message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signed {
    /// The `DKIM-Signature` fields, each with its CRLF, that belong on top of the message.
    pub fields: String,
    /// Which keys made them: others have another digest.
    pub keys_digest: Vec<u8>,
}

/// Stores where a message goes.
///
/// # Errors
/// The store's own.
pub fn insert(tx: &mut Tx, workspace: WorkspaceId, message: MessageId, delivery: &Delivery) -> Result<()> {
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
            d.class.map(Class::text),
            d.attempts,
            d.updated_at
        ],
    )?;
    Ok(())
}

/// The entries of up to 100 messages, in their order within each.
///
/// # Errors
/// The store's own.
pub fn of(tx: &mut Tx, workspace: WorkspaceId, messages: &[MessageId]) -> Result<Vec<OfMessage>> {
    many::rows(tx, &OF, workspace, messages)
}

/// The entries that travel in an envelope.
///
/// # Errors
/// The store's own.
pub fn of_envelope(tx: &mut Tx, workspace: WorkspaceId, envelope: EnvelopeId) -> Result<Vec<OfMessage>> {
    tx.rows(&OF_ENVELOPE, p![workspace, envelope])
}

/// Writes what became of a recipient.
///
/// # Errors
/// The store's own.
pub fn update(tx: &mut Tx, workspace: WorkspaceId, message: MessageId, delivery: &Delivery) -> Result<()> {
    let d = delivery;
    tx.exec(
        &UPDATE,
        p![
            workspace,
            message,
            d.position,
            d.status,
            d.smtp_code,
            d.enhanced_code,
            d.remote,
            d.detail,
            d.class.map(Class::text),
            d.attempts,
            d.updated_at,
            d.tls.as_ref().map(TlsUse::text)
        ],
    )?;
    Ok(())
}

/// Puts the recipient at that position of a message into another envelope.
///
/// # Errors
/// The store's own.
pub fn move_to(
    tx: &mut Tx,
    workspace: WorkspaceId,
    (message, position): (MessageId, u32),
    envelope: EnvelopeId,
) -> Result<()> {
    tx.exec(&MOVE_TO, p![workspace, message, position, envelope])?;
    Ok(())
}

/// Stores an envelope.
///
/// # Errors
/// The store's own.
pub fn insert_envelope(tx: &mut Tx, envelope: &Envelope) -> Result<()> {
    let e = envelope;
    let (fields, keys) = e.signed.as_ref().map(|signed| (&signed.fields, &signed.keys_digest)).unzip();
    tx.exec(&INSERT_ENVELOPE, p![e.workspace, e.id, e.message, e.destination, e.expires_at, fields, keys])?;
    Ok(())
}

/// The envelope of that id, while anybody in it is not settled.
///
/// # Errors
/// The store's own.
pub fn envelope(tx: &mut Tx, workspace: WorkspaceId, id: EnvelopeId) -> Result<Option<Envelope>> {
    tx.one(&GET_ENVELOPE, p![workspace, id])
}

/// Deletes an envelope whose recipients are all settled.
///
/// # Errors
/// The store's own.
pub fn delete_envelope(tx: &mut Tx, workspace: WorkspaceId, id: EnvelopeId) -> Result<()> {
    tx.exec(&DELETE_ENVELOPE, p![workspace, id])?;
    Ok(())
}

impl FromRow for Envelope {
    const COLUMNS: usize = 7;

    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self {
            workspace: row.take()?,
            id: row.take()?,
            message: row.take()?,
            destination: row.take()?,
            expires_at: row.take()?,
            signed: row
                .take::<Option<String>>()?
                .zip(row.take()?)
                .map(|(fields, keys_digest)| Signed { fields, keys_digest }),
        })
    }
}

impl FromRow for OfMessage {
    const COLUMNS: usize = 14;

    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        let message = row.take()?;
        let delivery = Delivery {
            position: row.take()?,
            envelope: row.take()?,
            address: row.take()?,
            channel: row.take()?,
            status: row.take()?,
            smtp_code: row.take()?,
            enhanced_code: row.take()?,
            remote: row.take()?,
            detail: row.take()?,
            class: row.take::<Option<String>>()?.as_deref().and_then(Class::parse),
            tls: row.take::<Option<String>>()?.and_then(|text| TlsUse::parse(&text)),
            attempts: row.take()?,
            updated_at: row.take()?,
        };
        Ok(Self { message, delivery })
    }
}
