//! What events say, as one type a kind: written into the log where the rows will not say it later, and the source of the
//! examples and schemas that callers read. A new kind adds its struct here and one arm in `catalogue.rs`.

use posthouse_domain::message::Delivery;
use posthouse_mail::bounce::Class;
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use crate::views::{
    Moment,
    domain::DomainView,
    inbox::InboxView,
    workspace::{ActorView, OrgView},
};

/// The text that the log keeps of an event.
#[must_use]
pub fn text(data: &impl Serialize) -> String {
    serde_json::to_string(data).unwrap_or_else(|_| "{}".to_owned())
}

/// What `inbox.expired` says.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "InboxExpiredData")]
pub struct InboxExpired {
    /// The inbox as it was.
    pub inbox: InboxView,
}

/// What `inbox.paused` says.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "InboxPausedData")]
pub struct InboxPaused {
    /// The inbox.
    pub inbox: InboxView,
    /// Why, for people.
    pub reason: Option<String>,
}

/// What `inbox.resumed` says.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "InboxResumedData")]
pub struct InboxResumed {
    /// The inbox.
    pub inbox: InboxView,
    /// How many events were held back; they follow.
    pub held_events: u64,
}

/// What the log keeps of `message.sent` and `message.delivered`.
#[derive(Serialize)]
pub struct Left {
    /// Who it left for.
    pub recipients: Vec<String>,
    /// Whether it was kept on this machine instead.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub captured: bool,
}

/// What the log keeps of `message.bounced`.
#[derive(Serialize)]
pub struct Bounced {
    /// Why it bounced.
    pub bounce: Bounce,
}

/// Why a message bounced.
#[derive(Serialize, JsonSchema)]
pub struct Bounce {
    /// hard: it will never work; soft: it could have, and did not until the end of the schedule.
    pub r#type: &'static str,
    /// Who did not get it.
    pub recipients: Vec<BouncedRecipient>,
}

/// Who did not get a message.
#[derive(Serialize, JsonSchema)]
pub struct BouncedRecipient {
    /// The address.
    pub address: String,
    /// The reply code of the server that refused.
    pub smtp_code: Option<u16>,
    /// Its enhanced code (RFC 3463).
    pub enhanced_code: Option<String>,
    /// Its words.
    pub detail: Option<String>,
    /// Why, as one word: unknown_user, inactive_user, unknown_domain, mailbox_full, rate_limited, greylisted, reputation,
    /// authentication, spam, content, too_large, policy, network, expired, smtputf8, system or other.
    pub class: &'static str,
}

impl BouncedRecipient {
    /// The recipient of an entry that bounced.
    #[must_use]
    pub fn of(entry: &Delivery) -> Self {
        Self {
            address: entry.address.clone(),
            smtp_code: entry.smtp_code,
            enhanced_code: entry.enhanced_code.clone(),
            detail: entry.detail.clone(),
            class: entry.class.unwrap_or(Class::Other).text(),
        }
    }
}

/// What the log keeps of `message.complained`.
#[derive(Serialize)]
pub struct Complained {
    /// Who complained.
    pub complaint: Complaint,
}

/// Who complained about a message.
#[derive(Serialize, JsonSchema)]
pub struct Complaint {
    /// The kind of feedback: abuse, fraud, virus, other (RFC 5965 §7.3).
    pub r#type: String,
    /// The addresses.
    pub recipients: Vec<String>,
}

/// What `workspace.stopped` says.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "WorkspaceStoppedData")]
pub struct WorkspaceStopped {
    /// The workspace.
    pub workspace: OrgView,
    /// Why, for people.
    pub reason: Option<String>,
    /// Who stopped it.
    pub actor: ActorView,
}

/// What `workspace.resumed` says.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "WorkspaceResumedData")]
pub struct WorkspaceResumed {
    /// The workspace.
    pub workspace: OrgView,
    /// Since when it had been stopped.
    pub stopped_at: Moment,
    /// Who resumed it.
    pub actor: ActorView,
}

/// What `domain.verified`, `domain.failed`, `domain.dkim_rotated` and `domain.dkim_rotation_due` say.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "DomainEventData")]
pub struct DomainData {
    /// The domain as it was then.
    pub domain: DomainView,
}

/// What `webhook.test` says.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "WebhookTestData")]
pub struct WebhookTest {
    /// The webhook that is tried out.
    pub webhook: TestedWebhook,
    /// For people who look at what arrived.
    pub note: String,
}

/// The webhook that is tried out.
#[derive(Serialize, JsonSchema)]
pub struct TestedWebhook {
    /// Its id.
    pub id: Uuid,
    /// Where it goes.
    pub url: String,
}
