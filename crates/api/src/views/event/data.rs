//! The data of each event type: stored in the log if the records won't contain it later, and the source of examples and
//! schemas. A new event type adds its struct here and one arm in `catalogue.rs`.

use posthouse_domain::{ConnectorEnd, escalation::Escalation, message::RecipientDelivery};
use posthouse_mail::bounce::BounceClass;
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use crate::views::{
    TimestampView,
    agent::CardView,
    connector::ConnectorView,
    domain::DomainView,
    inbox::InboxView,
    knowledge::KnowledgeItemView,
    name_of,
    signup::SignupWorkspaceView,
    workspace::{ActorView, OrgView},
};

/// Returns the detail of an event as JSON text for the log.
#[must_use]
pub fn text(data: &impl Serialize) -> String {
    serde_json::to_string(data).unwrap_or_else(|_| "{}".to_owned())
}

/// The data of `inbox.expired`.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "InboxExpiredData")]
pub struct InboxExpired {
    /// Inbox before its deletion.
    pub inbox: InboxView,
}

/// The data of `inbox.paused`.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "InboxPausedData")]
pub struct InboxPaused {
    /// Inbox after the change.
    pub inbox: InboxView,
    /// Reason, for people.
    pub reason: Option<String>,
}

/// The data of `inbox.resumed`.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "InboxResumedData")]
pub struct InboxResumed {
    /// Inbox after the change.
    pub inbox: InboxView,
    /// Number of held events, which follow this one.
    pub held_events: u64,
}

/// The stored detail of `message.sent` and `message.delivered`.
#[derive(Serialize)]
pub struct RecipientsDetail {
    /// Recipients of this event.
    pub recipients: Vec<String>,
    /// Whether capture mode kept the message on this machine.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub captured: bool,
}

/// The stored detail of `message.bounced`.
#[derive(Serialize)]
pub struct BounceDetail {
    /// Bounced recipients and reasons.
    pub bounce: Bounce,
}

/// The bounced recipients of a message and the reasons.
#[derive(Serialize, JsonSchema)]
pub struct Bounce {
    /// `hard` if delivery can never succeed; `soft` if it ran out of time.
    pub r#type: &'static str,
    /// Bounced recipients.
    pub recipients: Vec<BouncedRecipient>,
}

/// A bounced recipient.
#[derive(Serialize, JsonSchema)]
pub struct BouncedRecipient {
    /// Recipient's address.
    pub address: String,
    /// SMTP reply code of the remote server.
    pub smtp_code: Option<u16>,
    /// Enhanced status code of the remote server (RFC 3463).
    pub enhanced_code: Option<String>,
    /// Reply text of the remote server.
    pub detail: Option<String>,
    /// Bounce class: `unknown_user`, `inactive_user`, `unknown_domain`, `mailbox_full`, `rate_limited`, `greylisted`,
    /// `reputation`, `authentication`, `spam`, `content`, `too_large`, `policy`, `network`, `expired`, `smtputf8`,
    /// `system` or `other`.
    pub class: &'static str,
}

impl BouncedRecipient {
    /// Returns the recipient of a bounced delivery entry.
    #[must_use]
    pub fn of(entry: &RecipientDelivery) -> Self {
        Self {
            address: entry.address.clone(),
            smtp_code: entry.smtp_code,
            enhanced_code: entry.enhanced_code.clone(),
            detail: entry.detail.clone(),
            class: entry.class.unwrap_or(BounceClass::Other).text(),
        }
    }
}

/// The stored detail of `message.complained`.
#[derive(Serialize)]
pub struct ComplaintDetail {
    /// Complaint.
    pub complaint: Complaint,
}

/// A complaint about a message.
#[derive(Serialize, JsonSchema)]
pub struct Complaint {
    /// Feedback type: `abuse`, `fraud`, `virus` or `other` (RFC 5965 §7.3).
    pub r#type: String,
    /// Addresses of the recipients that complained.
    pub recipients: Vec<String>,
}

/// The data of `workspace.stopped`.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "WorkspaceStoppedData")]
pub struct WorkspaceStopped {
    /// Workspace after the change.
    pub workspace: OrgView,
    /// Reason, for people.
    pub reason: Option<String>,
    /// Actor that stopped it.
    pub actor: ActorView,
}

/// The data of `workspace.resumed`.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "WorkspaceResumedData")]
pub struct WorkspaceResumed {
    /// Workspace after the change.
    pub workspace: OrgView,
    /// Time of the emergency stop.
    pub stopped_at: TimestampView,
    /// Actor that resumed it.
    pub actor: ActorView,
}

/// The data of `escalation.sent`.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "EscalationSentData")]
pub struct EscalationSent {
    /// Trigger; null for a digest of several triggers.
    pub trigger: Option<&'static str>,
    /// `immediate` or `digest`.
    pub mode: &'static str,
    /// Inbox that the mail is about; null if it is about the workspace.
    pub inbox: Option<InboxView>,
    /// Message that the mail is about, if it is about a single one.
    pub message_id: Option<Uuid>,
    /// Draft that the mail is about, if it is about a single one.
    pub draft_id: Option<Uuid>,
    /// Addresses that the mail was sent to.
    pub recipients: Vec<String>,
    /// Everything that the mail escalates, oldest first.
    pub items: Vec<EscalatedItem>,
}

/// One item of a mail to people on call.
#[derive(Serialize, JsonSchema)]
pub struct EscalatedItem {
    /// Trigger.
    pub trigger: &'static str,
    /// Message, if it is about one.
    pub message_id: Option<Uuid>,
    /// Draft, if it is about one.
    pub draft_id: Option<Uuid>,
    /// Time at which it happened.
    pub created_at: TimestampView,
}

impl EscalatedItem {
    /// Returns the item of an escalation.
    #[must_use]
    pub fn of(escalation: &Escalation) -> Self {
        Self {
            trigger: escalation.trigger.text(),
            message_id: escalation.message.map(Into::into),
            draft_id: escalation.draft.map(Into::into),
            created_at: escalation.created_at.into(),
        }
    }
}

/// The data of `domain.verified`, `domain.failed`, `domain.dkim_rotated` and `domain.dkim_rotation_due`.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "DomainEventData")]
pub struct DomainData {
    /// Domain at the time of the event.
    pub domain: DomainView,
}

/// The data of `knowledge.created`, `knowledge.updated` and `knowledge.deleted`.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "KnowledgeEventData")]
pub struct KnowledgeData {
    /// Document after the change, or before its deletion, without its body.
    pub knowledge: KnowledgeItemView,
}

/// The data of `signup.created`.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "SignupCreatedData")]
pub struct SignupCreated {
    /// New workspace.
    pub workspace: SignupWorkspaceView,
    /// Inbox of the agent; null for an identity.
    pub inbox: Option<InboxView>,
    /// Whether the agent named a person to claim the workspace.
    pub claim_requested: bool,
}

/// The data of `signup.claimed`.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "SignupClaimedData")]
pub struct SignupClaimed {
    /// Workspace after the claim.
    pub workspace: SignupWorkspaceView,
    /// First inbox of the workspace.
    pub inbox: Option<InboxView>,
}

/// The data of `agent.updated`.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "AgentUpdatedData")]
pub struct AgentUpdated {
    /// Inbox or identity.
    pub inbox: InboxView,
    /// Card after the change.
    pub card: CardView,
}

/// The data of `agent.revoked`.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "AgentRevokedData")]
pub struct AgentRevoked {
    /// Inbox or identity.
    pub inbox: InboxView,
    /// Card after the change; null if the agent has none.
    pub card: Option<CardView>,
    /// Reason, for people.
    pub reason: Option<String>,
}

/// The data of `agent.deleted`.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "AgentDeletedData")]
pub struct AgentDeleted {
    /// Inbox or identity whose card was deleted.
    pub inbox: InboxView,
}

/// The data of `agent.reported`.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "AgentReportedData")]
pub struct AgentReported {
    /// Inbox or identity that was reported.
    pub inbox: InboxView,
    /// `spam`, `impersonation`, `malicious`, `illegal` or `other`.
    pub reason: &'static str,
}

/// The data of `identity.token_issued` and `identity.signed_in`.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "IdentityEventData")]
pub struct IdentityData {
    /// Inbox or identity of the agent.
    pub inbox: InboxView,
    /// App.
    pub client: IdentityAppData,
    /// How the agent signs in: `headless`, `authorization_code` or `jwt_bearer`.
    pub flow: &'static str,
    /// Id of the identity token.
    pub jti: String,
    /// Id by which the app knows the agent.
    pub sub: String,
    /// Time at which the identity token expires, if one was issued.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<TimestampView>,
}

/// The app of an identity event.
#[derive(Serialize, JsonSchema)]
pub struct IdentityAppData {
    /// Public id of the app.
    pub client_id: String,
    /// Name of the app.
    pub name: String,
    /// Home page of the app.
    pub homepage_url: Option<String>,
}

/// The data of `connector.authorized`.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ConnectorAuthorizedData")]
pub struct ConnectorAuthorized {
    /// New connector.
    pub connector: ConnectorView,
}

/// The data of `connector.revoked`.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ConnectorRevokedData")]
pub struct ConnectorRevoked {
    /// Connector before its access ended.
    pub connector: ConnectorView,
    /// `revoked`, `revoked_by_client`, `member_removed`, `inbox_deleted`, `code_reused`, `token_reused` or `expired`.
    #[schemars(schema_with = "name_of::<ConnectorEnd>")]
    pub reason: &'static str,
}

/// The data of `webhook.test`.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "WebhookTestData")]
pub struct WebhookTest {
    /// Tested webhook.
    pub webhook: TestedWebhook,
    /// Note, for people.
    pub note: String,
}

/// The webhook that a test event is sent to.
#[derive(Serialize, JsonSchema)]
pub struct TestedWebhook {
    /// Webhook id.
    pub id: Uuid,
    /// URL of the webhook.
    pub url: String,
}
