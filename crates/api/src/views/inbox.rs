//! The inbox object.

use posthouse_domain::{
    analysis::ScreeningMode,
    inbox::{Inbox, InboxKind},
    metadata::{self, Metadata},
};
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use super::{TimestampView, name_of};

/// The value for an unlimited number of sends: the largest integer that every JSON parser represents exactly (RFC 8259
/// §6).
const UNLIMITED: u64 = (1 << 53) - 1;

/// An inbox.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct InboxView {
    id: Uuid,
    /// `mailbox`, or `identity` for an agent without mail.
    #[schemars(schema_with = "name_of::<InboxKind>")]
    kind: &'static str,
    /// Address of the inbox.
    address: String,
    /// Local part of the address.
    username: String,
    /// Display name that recipients see.
    display_name: Option<String>,
    /// Caller's unique id, which makes creation idempotent.
    client_id: Option<String>,
    /// Domain of the address.
    domain: String,
    /// Maximum number of messages that the inbox can send per UTC day; 0 for temporary inboxes and identities.
    daily_send_limit: u64,
    /// Caller's own keys and values.
    metadata: Metadata,
    /// Whether the inbox expires and can only receive.
    temporary: bool,
    /// Time at which a temporary inbox expires.
    expires_at: Option<TimestampView>,
    /// `active` or `paused`.
    status: &'static str,
    /// Time of the pause; null if the inbox is active.
    paused_at: Option<TimestampView>,
    /// Reason for the pause, for people.
    paused_reason: Option<String>,
    /// Whether promotional mail is filtered.
    promotions_filter: bool,
    /// How its mail is screened for agents: `hold`, `monitor` or `off`; null if as the workspace's setting says.
    screening: Option<&'static str>,
    /// Number of held messages.
    held_count: u64,
    /// Number of drafts with the status `draft` or `failed`.
    pending_draft_count: u64,
    /// Number of unread messages that need a person.
    needs_human_count: u64,
    /// Number of sent messages that bounced in the last 7 days.
    recent_bounce_count: u64,
    created_at: TimestampView,
}

/// The facts that the view of an inbox shows besides its row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InboxFacts {
    /// Maximum number of sends per day of the plan; `None` for no limit.
    pub daily_sends: Option<u64>,
    /// Number of sent messages that bounced in the last 7 days.
    pub recent_bounces: u64,
    /// Number of drafts that wait for a person.
    pub pending_drafts: u64,
    /// Number of unread held messages.
    pub held: u64,
    /// Number of unread received messages that need a person.
    pub needs_human: u64,
}

impl InboxView {
    /// Returns the address of the inbox.
    #[must_use]
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Returns the view of an inbox.
    #[must_use]
    pub fn of(inbox: &Inbox, facts: InboxFacts) -> Self {
        let i = inbox;
        Self {
            id: i.id.into(),
            kind: i.kind.text(),
            address: i.address.clone(),
            username: i.username.clone(),
            display_name: i.display_name.clone(),
            client_id: i.client_id.clone(),
            domain: i.domain.clone(),
            daily_send_limit: match i.kind {
                InboxKind::Mailbox if !i.temporary => facts.daily_sends.unwrap_or(UNLIMITED),
                InboxKind::Mailbox | InboxKind::Identity => 0,
            },
            metadata: metadata::read(&i.metadata_json),
            temporary: i.temporary,
            expires_at: i.expires_at.map(Into::into),
            status: if i.is_paused() { "paused" } else { "active" },
            paused_at: i.paused_at.map(Into::into),
            paused_reason: i.paused_reason.clone(),
            promotions_filter: i.filters_promotions(),
            screening: i.screening.map(ScreeningMode::text),
            held_count: facts.held,
            pending_draft_count: facts.pending_drafts,
            needs_human_count: facts.needs_human,
            recent_bounce_count: facts.recent_bounces,
            created_at: i.created_at.into(),
        }
    }
}
