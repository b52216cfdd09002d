//! The inbox object (API document, Inbox; contract §3.1).

use posthouse_domain::{
    id::InboxId,
    inbox::Inbox,
    metadata::{self, Metadata},
    plan::PlanLimits,
    time::{DAY_MS, Time},
};
use posthouse_store::{Result, Tx, drafts, inboxes::list};
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use super::Moment;

/// Bounces count for so long in `recent_bounce_count`.
const RECENT_MS: i64 = 7 * DAY_MS;
/// What an unlimited number of sends is shown as: the largest whole number that every JSON reader keeps exact.
const UNLIMITED: u64 = (1 << 53) - 1;

/// An inbox.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct InboxView {
    id: Uuid,
    /// Always `mailbox`: an address that receives mail.
    kind: &'static str,
    address: String,
    username: String,
    display_name: Option<String>,
    client_id: Option<String>,
    domain: String,
    /// Messages that the inbox may send in a day (UTC); 0 for temporary inboxes.
    daily_send_limit: u64,
    metadata: Metadata,
    temporary: bool,
    expires_at: Option<Moment>,
    /// `active` or `paused`.
    status: &'static str,
    paused_at: Option<Moment>,
    paused_reason: Option<String>,
    /// Whether advertising is kept apart.
    promotions_filter: bool,
    /// Held mail that nobody opened.
    held_count: u64,
    /// Drafts in `draft` or `failed`.
    pending_draft_count: u64,
    /// Unread mail that a person should handle.
    needs_human_count: u64,
    /// Sent mail that bounced in the last 7 days.
    recent_bounce_count: u64,
    created_at: Moment,
}

/// What the view of an inbox shows beside its row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Facts {
    /// Sends a day that the plan allows; none: any number.
    pub daily_sends: Option<u64>,
    /// Sent mail that bounced lately.
    pub recent_bounces: u64,
    /// Drafts that wait for somebody.
    pub pending_drafts: u64,
}

impl InboxView {
    /// The object of an inbox.
    #[must_use]
    pub fn of(inbox: &Inbox, facts: Facts) -> Self {
        let i = inbox;
        Self {
            id: i.id.into(),
            kind: "mailbox",
            address: i.address.clone(),
            username: i.username.clone(),
            display_name: i.display_name.clone(),
            client_id: i.client_id.clone(),
            domain: i.domain.clone(),
            daily_send_limit: if i.temporary { 0 } else { facts.daily_sends.unwrap_or(UNLIMITED) },
            metadata: metadata::read(&i.metadata_json),
            temporary: i.temporary,
            expires_at: i.expires_at.map(Into::into),
            status: if i.is_paused() { "paused" } else { "active" },
            paused_at: i.paused_at.map(Into::into),
            paused_reason: i.paused_reason.clone(),
            promotions_filter: i.filters_promotions(),
            held_count: 0,
            pending_draft_count: facts.pending_drafts,
            needs_human_count: 0,
            recent_bounce_count: facts.recent_bounces,
            created_at: i.created_at.into(),
        }
    }
}

/// The objects of up to 100 inboxes of one workspace, in their order.
///
/// # Errors
/// The store's own.
pub fn load_all(tx: &mut Tx, inboxes: &[Inbox], plan: &PlanLimits, now: Time) -> Result<Vec<InboxView>> {
    let Some(first) = inboxes.first() else { return Ok(Vec::new()) };
    let ids: Vec<InboxId> = inboxes.iter().map(|inbox| inbox.id).collect();
    let bounces = list::bounces_since(tx, first.workspace, &ids, now.plus_ms(-RECENT_MS))?;
    let drafts = drafts::pending(tx, first.workspace, &ids)?;
    let count = |counts: &[(InboxId, u64)], id| counts.iter().find(|(of, _)| *of == id).map_or(0, |(_, count)| *count);
    let facts = |inbox: &Inbox| Facts {
        daily_sends: plan.daily_sends_per_inbox,
        recent_bounces: count(&bounces, inbox.id),
        pending_drafts: count(&drafts, inbox.id),
    };
    Ok(inboxes.iter().map(|inbox| InboxView::of(inbox, facts(inbox))).collect())
}

/// The object of one inbox.
///
/// # Errors
/// The store's own.
pub fn load(tx: &mut Tx, inbox: &Inbox, plan: &PlanLimits, now: Time) -> Result<InboxView> {
    let mut one = load_all(tx, std::slice::from_ref(inbox), plan, now)?;
    let missing = || posthouse_store::Error::Corrupt("an inbox without a view".into());
    one.pop().ok_or_else(missing)
}
