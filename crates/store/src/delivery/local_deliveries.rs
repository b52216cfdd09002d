//! Mail between workspaces of this service: rows of the recipients' workspace that wait for their copies to be stored
//! and for the sender's side to know the outcome. See `docs/decisions/sending.md#0059-local-delivery`.

use posthouse_domain::{
    agent_message::content::SignedContent,
    delivery::LocalDeliveryState,
    id::{ContentId, EnvelopeId, InboxId, MessageId, WorkspaceId},
    job::JobKind,
    message::MessageKind,
    time::Time,
};
use serde::{Deserialize, Serialize};

use crate::{Json, Result, Tx, p, statements};

/// The columns in the order that rows are read; the table alias is `l`.
macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT l.workspace_id, l.id, l.sender_workspace_id, l.sender_inbox_id, l.message_id, l.content_id, l.mail_from, ",
            "l.requested, l.signed, l.disclosed, l.recipients, l.state, l.missing, l.detail, l.created_at FROM local_deliveries l ",
            $rest
        )
    };
}

statements! {
    INSERT = "INSERT INTO local_deliveries (workspace_id, id, sender_workspace_id, sender_inbox_id, message_id, content_id, mail_from,
        requested, signed, disclosed, recipients, state, created_at, missing) VALUES ({PARAMETERS})";
    /// Returns a local delivery; it exists until the sent message shows its outcome.
    pub fn get(workspace: WorkspaceId, id: EnvelopeId) -> Option<LocalDelivery> =
        select!("WHERE l.workspace_id = :workspace AND l.id = :id");
    /// Returns a local delivery and locks it until the end of the transaction.
    pub fn take(workspace: WorkspaceId, id: EnvelopeId) -> Option<LocalDelivery> =
        select!("WHERE l.workspace_id = :workspace AND l.id = :id {FOR_UPDATE}");
    /// Returns the oldest deliveries from a sender's inbox, in the order in which they were sent.
    pub fn oldest_from(workspace: WorkspaceId, sender: InboxId, limit: u32) -> Vec<LocalDelivery> =
        select!("WHERE l.workspace_id = :workspace AND l.sender_inbox_id = :sender ORDER BY l.created_at, l.id LIMIT :limit");
    SETTLE = "UPDATE local_deliveries SET state = $3, missing = $4, detail = $5 WHERE workspace_id = $1 AND id = $2";
    /// Deletes a delivery whose outcome the sender's side knows.
    pub fn delete(workspace: WorkspaceId, id: EnvelopeId) =
        "DELETE FROM local_deliveries WHERE workspace_id = :workspace AND id = :id";
    WITH_DEAD_JOB = "SELECT l.workspace_id, l.id, j.attempt, j.why FROM jobs j CROSS JOIN local_deliveries l
        WHERE j.kind = $1 AND j.state = 'dead' AND l.workspace_id = j.workspace_id AND l.id = j.subject_id
        AND NOT EXISTS (SELECT 1 FROM jobs o WHERE o.kind = $1 AND o.subject_id = l.id AND o.state <> 'dead') LIMIT $2";
}

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
    use posthouse_domain::id::InboxId;
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

/// Stores a local delivery.
pub fn insert(tx: &mut Tx, delivery: &LocalDelivery) -> Result<()> {
    let d = delivery;
    let (requested, signed) = (d.requested.as_ref().map(Json), d.signed.as_ref().map(Json));
    let recipients = Json(&d.recipients);
    tx.exec(
        &INSERT,
        p![
            d.workspace,
            d.id,
            d.sender_workspace,
            d.sender_inbox,
            d.message,
            d.content,
            d.mail_from,
            requested,
            signed,
            d.disclosed,
            recipients,
            d.state,
            d.created_at,
            "[]"
        ],
    )?;
    Ok(())
}

/// Records the outcome. The row must be locked and pending.
pub fn settle(tx: &mut Tx, delivery: &LocalDelivery, outcome: &LocalOutcome) -> Result<()> {
    let (state, missing, detail) = match outcome {
        LocalOutcome::Stored { missing } => (LocalDeliveryState::Stored, missing.as_slice(), None),
        LocalOutcome::Failed(detail) => (LocalDeliveryState::Failed, &[][..], Some(detail.as_str())),
    };
    tx.exec(&SETTLE, p![delivery.workspace, delivery.id, state, Json(missing), detail])?;
    Ok(())
}

/// A delivery that won't be tried again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeadLocalDelivery {
    /// The workspace of the recipients.
    pub workspace: WorkspaceId,
    /// The delivery.
    pub id: EnvelopeId,
    /// Number of attempts made.
    pub attempts: u32,
    /// The short reason why the last attempt failed.
    pub why: String,
}

/// Returns deliveries whose job is dead.
pub fn dead(tx: &mut Tx, limit: u32) -> Result<Vec<DeadLocalDelivery>> {
    tx.rows(&WITH_DEAD_JOB, p![JobKind::LocalDelivery, limit])
}

crate::from_row!(DeadLocalDelivery { workspace = workspace_id, id, attempts = attempt, why });

crate::from_row!(LocalDelivery {
    workspace = workspace_id,
    id,
    sender_workspace = sender_workspace_id,
    sender_inbox = sender_inbox_id,
    message = message_id,
    content = content_id,
    mail_from,
    requested: Option<Json<RequestedFields>>,
    signed: Option<Json<SignedContent>>,
    disclosed,
    recipients: Json<Vec<LocalRecipient>>,
    state,
    missing: Json<Vec<u32>>,
    detail,
    created_at,
} => Self {
    workspace,
    id,
    sender_workspace,
    sender_inbox,
    message,
    content,
    mail_from,
    requested: requested.map(|json| json.0),
    signed: signed.map(|json| json.0),
    disclosed,
    recipients: recipients.0,
    state,
    missing: missing.0,
    detail,
    created_at,
});
