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

view! {
    /// An inbox.
    #[derive(Clone, Debug, Serialize, JsonSchema)]
    #[schemars(rename = "Inbox")]
    pub struct InboxView of i: &Inbox, facts: InboxFacts {
        id: Uuid = i.id.into(),
        /// `mailbox`, or `identity` for an agent without mail.
        #[schemars(schema_with = "name_of::<InboxKind>")]
        kind: &'static str = i.kind.text(),
        /// Address of the inbox.
        address: String = i.address.clone(),
        /// Local part of the address.
        username: String = i.username.clone(),
        /// Display name that recipients see.
        display_name: Option<String> = i.display_name.clone(),
        /// Caller's unique id, which makes creation idempotent.
        client_id: Option<String> = i.client_id.clone(),
        /// Domain of the address.
        domain: String = i.domain.clone(),
        /// Maximum number of messages that the inbox can send per UTC day; 0 for temporary inboxes and identities.
        daily_send_limit: u64 = match i.kind {
            InboxKind::Mailbox if !i.temporary => facts.daily_sends.unwrap_or(UNLIMITED),
            InboxKind::Mailbox | InboxKind::Identity => 0,
        },
        /// Caller's own keys and values.
        metadata: Metadata = metadata::read(&i.metadata_json),
        /// Whether the inbox expires and can only receive.
        temporary: bool = i.temporary,
        /// Time at which a temporary inbox expires.
        expires_at: Option<TimestampView> = i.expires_at.map(Into::into),
        /// `active` or `paused`.
        status: &'static str = if i.is_paused() { "paused" } else { "active" },
        /// Time of the pause; null if the inbox is active.
        paused_at: Option<TimestampView> = i.paused_at.map(Into::into),
        /// Reason for the pause, for people.
        paused_reason: Option<String> = i.paused_reason.clone(),
        /// Whether promotional mail is filtered.
        promotions_filter: bool = i.filters_promotions(),
        /// How its mail is screened for agents: `hold`, `monitor` or `off`; null if as the workspace's setting says.
        screening: Option<&'static str> = i.screening.map(ScreeningMode::text),
        /// Number of held messages.
        held_count: u64 = facts.held,
        /// Number of drafts with the status `draft` or `failed`.
        pending_draft_count: u64 = facts.pending_drafts,
        /// Number of unread messages that need a person.
        needs_human_count: u64 = facts.needs_human,
        /// Number of sent messages that bounced in the last 7 days.
        recent_bounce_count: u64 = facts.recent_bounces,
        created_at: TimestampView = i.created_at.into(),
    }
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
}
