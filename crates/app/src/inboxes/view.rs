//! Loads the inbox object: an inbox with its usage counts.

use posthouse_api::views::inbox::{InboxFacts, InboxView};
use posthouse_domain::{DAY_MS, Inbox, InboxId, PlanLimits, Time};
use posthouse_store::{Result, Tx, drafts, inboxes::list};

/// The period that `recent_bounce_count` covers, in milliseconds.
const RECENT_MS: i64 = 7 * DAY_MS;

/// Returns the objects of up to 100 inboxes of one workspace, in the given order.
pub fn load_all(tx: &mut Tx, inboxes: &[Inbox], plan: &PlanLimits, now: Time) -> Result<Vec<InboxView>> {
    let Some(first) = inboxes.first() else { return Ok(Vec::new()) };
    let ids: Vec<InboxId> = inboxes.iter().map(|inbox| inbox.id).collect();
    let bounces = list::bounces_since(tx, first.workspace, &ids, now.plus_ms(-RECENT_MS))?;
    let drafts = drafts::pending(tx, first.workspace, &ids)?;
    let held = list::held(tx, first.workspace, &ids)?;
    let needs_human = list::needs_human(tx, first.workspace, &ids)?;
    let count = |counts: &[(InboxId, u64)], id| counts.iter().find(|(of, _)| *of == id).map_or(0, |(_, count)| *count);
    let facts = |inbox: &Inbox| InboxFacts {
        daily_sends: plan.daily_sends_per_inbox,
        recent_bounces: count(&bounces, inbox.id),
        pending_drafts: count(&drafts, inbox.id),
        held: count(&held, inbox.id),
        needs_human: count(&needs_human, inbox.id),
    };
    Ok(inboxes.iter().map(|inbox| InboxView::of(inbox, facts(inbox))).collect())
}

/// Returns the object of one inbox.
pub fn load(tx: &mut Tx, inbox: &Inbox, plan: &PlanLimits, now: Time) -> Result<InboxView> {
    let mut one = load_all(tx, std::slice::from_ref(inbox), plan, now)?;
    let missing = || posthouse_store::Error::Inconsistent("no view for an inbox".into());
    one.pop().ok_or_else(missing)
}
