//! The end of an attempt in one transaction: entries, the message's status, suppressions, events (decision 19).

use posthouse_domain::{
    delivery::{self, BounceKind, Fate, Means, Moment},
    event::{EventKind, NewEvent},
    id::Ids,
    message::{Delivery, DeliveryStatus, rolled_up},
    suspension::Incident,
    time::{MINUTE_MS, Time},
};
use posthouse_mail::{address::Address, bounce::Class};
use posthouse_store::{
    Result, Tx,
    deliveries::{self, Held, Standing},
    events, inboxes, metrics, recipients,
    suppressions::{self, Reason, Suppression},
};

use super::{Reports, Settling};
use crate::{app::judge_sending, views::event::data};

/// The word of the metrics for a recipient, and why it bounced.
pub(super) type Settled = (&'static str, Option<Class>);

/// When to try again.
#[derive(Clone)]
pub(super) struct Schedules {
    /// The gaps after each attempt (`delivery.retry_schedule`).
    pub(super) usual: Vec<i64>,
    /// The gaps while a server greylists (`delivery.greylist_schedule`).
    pub(super) greylist: Vec<i64>,
}

/// What becomes of the recipients.
pub(super) struct Plan {
    entries: Vec<(Delivery, Option<Fate>)>,
}

/// Decides; pure.
pub(super) fn plan(settling: &Settling, now: Time) -> Plan {
    let moment = Moment { now, end: settling.end, means: settling.means };
    let pending = &settling.load.pending;
    let entries = match &settling.reports {
        Reports::Failed(why) => pending.iter().map(|before| (fail(before, why, now), None)).collect(),
        Reports::Called(reports) => pending
            .iter()
            .zip(reports)
            .map(|(before, report)| {
                let (after, fate) = delivery::settle(before, report, &moment);
                (after, Some(fate))
            })
            .collect(),
    };
    Plan { entries }
}

fn fail(before: &Delivery, why: &str, now: Time) -> Delivery {
    let detail = Some(why.to_owned());
    Delivery { status: DeliveryStatus::Failed, detail, class: Some(Class::System), updated_at: now, ..before.clone() }
}

impl Plan {
    /// When the next attempt is, where somebody waits for one: that of whoever is to be tried first.
    pub(super) fn next_at(&self, settling: &Settling, schedules: &Schedules, now: Time) -> Option<Time> {
        let Reports::Called(reports) = &settling.reports else { return None };
        let waiting = self.entries.iter().zip(reports).filter(|((_, fate), _)| *fate == Some(Fate::Waits));
        let next = waiting.map(|((after, _), report)| {
            let usual = delivery::gap_after(&schedules.usual, after.attempts).unwrap_or(MINUTE_MS);
            let gap = delivery::gap_ms(report, after.attempts, usual, &schedules.greylist);
            delivery::next_attempt(gap, now, &settling.end)
        });
        next.min()
    }

    fn anybody_waits(&self) -> bool {
        self.entries.iter().any(|(_, fate)| *fate == Some(Fate::Waits))
    }

    fn any_left(&self) -> bool {
        self.entries.iter().any(|(_, fate)| *fate == Some(Fate::Left))
    }

    /// The addresses that it left for.
    fn left(&self) -> Vec<String> {
        let left = self.entries.iter().filter(|(_, fate)| *fate == Some(Fate::Left));
        left.map(|(after, _)| after.address.clone()).collect()
    }

    fn bounced(&self) -> impl Iterator<Item = (&Delivery, BounceKind, bool)> {
        self.entries.iter().filter_map(|(after, fate)| match fate {
            Some(Fate::Bounced { kind, suppress }) => Some((after, *kind, *suppress)),
            _ => None,
        })
    }
}

/// Writes the plan down; gives a word per recipient for the metrics, and why it bounced if it did.
pub(super) fn write(tx: &mut Tx, settling: &Settling, plan: &Plan, ids: &Ids, now: Time) -> Result<Vec<Settled>> {
    let envelope = &settling.load.envelope;
    if !plan.anybody_waits() {
        recipients::delete_envelope(tx, envelope.workspace, envelope.id)?;
    }
    let Some(held) = deliveries::hold_still(tx, envelope.workspace, envelope.message)? else {
        // The message was wiped while it was on its way.
        return Ok(Vec::new());
    };
    for (after, _) in &plan.entries {
        recipients::update(tx, envelope.workspace, envelope.message, after)?;
    }
    let first_left = plan.any_left() && held.sent_at.is_none();
    let standing = Standing {
        status: rolled_up(deliveries::statuses(tx, envelope.workspace, envelope.message)?),
        sent_at: if first_left { Some(now) } else { held.sent_at },
        at: now,
    };
    if standing.status != held.status || standing.sent_at != held.sent_at {
        deliveries::set_standing(tx, envelope.workspace, envelope.message, (&held, standing))?;
    }
    for (after, _, _) in plan.bounced() {
        metrics::bounce(tx, (envelope.workspace, held.inbox), after, now)?;
    }
    if plan.bounced().next().is_some() {
        let hard = plan.bounced().filter(|(_, kind, _)| *kind == BounceKind::Hard);
        let incidents = hard.map(|(after, _, _)| (Incident::HardBounce, after.address.as_str()));
        judge_sending::judge(tx, envelope.workspace, incidents, now)?;
    }
    suppress(tx, settling, plan, now)?;
    tell(tx, Telling { settling, plan, held, first_left, ids, now })?;
    let settled = |(after, fate): &(Delivery, Option<Fate>)| {
        let bounced = after.class.filter(|_| matches!(fate, Some(Fate::Bounced { .. })));
        (outcome(*fate, settling.means), bounced)
    };
    Ok(plan.entries.iter().map(settled).collect())
}

fn suppress(tx: &mut Tx, settling: &Settling, plan: &Plan, now: Time) -> Result<()> {
    for (after, _, _) in plan.bounced().filter(|(_, _, suppress)| *suppress) {
        let address = Address::parse(&after.address).map_or_else(|_| after.address.clone(), |a| a.canonical());
        let suppression = Suppression {
            workspace: settling.load.envelope.workspace,
            address,
            reason: Reason::Bounce,
            detail: after.detail.clone(),
            message: Some(settling.load.envelope.message),
            created_at: now,
        };
        suppressions::insert(tx, &suppression)?;
    }
    Ok(())
}

/// What the events need.
struct Telling<'a> {
    settling: &'a Settling,
    plan: &'a Plan,
    held: Held,
    first_left: bool,
    ids: &'a Ids,
    now: Time,
}

/// Appends the events, or keeps them back while the inbox is paused. One `message.delivered` or `message.bounced` for each
/// attempt that brought some: a message to several recipients may have several.
fn tell(tx: &mut Tx, telling: Telling<'_>) -> Result<()> {
    let Telling { settling, plan, held, first_left, ids, now } = telling;
    let (tenant, message) = (settling.load.envelope.workspace, settling.load.envelope.message);
    let mut news = Vec::new();
    if first_left {
        let left = data::Left { recipients: plan.left(), captured: settling.means == Means::Capture };
        news.push((EventKind::MessageSent, data::text(&left)));
    }
    if plan.any_left() && settling.means == Means::Direct {
        let left = data::Left { recipients: plan.left(), captured: false };
        news.push((EventKind::MessageDelivered, data::text(&left)));
    }
    if let Some(bounce) = bounce(plan).or_else(|| failure(settling, plan)) {
        news.push((EventKind::MessageBounced, data::text(&data::Bounced { bounce })));
    }
    if news.is_empty() {
        return Ok(());
    }
    let paused = inboxes::get(tx, tenant, held.inbox)?.is_some_and(|inbox| inbox.is_paused());
    for (kind, detail_json) in news {
        let event = NewEvent {
            workspace: tenant,
            id: ids.next(),
            kind,
            inbox: Some(held.inbox),
            thread: Some(held.thread),
            message: Some(message),
            detail_json,
            at: now,
        };
        events::append_or_hold(tx, paused, &event)?;
    }
    Ok(())
}

/// The `bounce` of the event: who bounced in this attempt, and why.
fn bounce(plan: &Plan) -> Option<data::Bounce> {
    let bounced: Vec<_> = plan.bounced().collect();
    let hard = bounced.iter().any(|(_, kind, _)| *kind == BounceKind::Hard);
    let kind = if hard { BounceKind::Hard } else { BounceKind::Soft };
    let recipients: Vec<_> = bounced.iter().map(|(after, _, _)| data::BouncedRecipient::of(after)).collect();
    (!recipients.is_empty()).then(|| data::Bounce { r#type: kind.text(), recipients })
}

/// The `bounce` of the event for what failed by our own inability: people wait for it as for any other. Nobody is there to be
/// told about the mail of a deleted inbox.
fn failure(settling: &Settling, plan: &Plan) -> Option<data::Bounce> {
    let failed = matches!(settling.reports, Reports::Failed(_)) && settling.load.inbox.deleted_at.is_none();
    let recipients: Vec<_> = plan.entries.iter().map(|(after, _)| data::BouncedRecipient::of(after)).collect();
    (failed && !recipients.is_empty()).then(|| data::Bounce { r#type: BounceKind::Soft.text(), recipients })
}

/// The word of the metrics for a recipient.
fn outcome(fate: Option<Fate>, means: Means) -> &'static str {
    match (fate, means) {
        (None | Some(Fate::Failed), _) => "failed",
        (Some(Fate::Waits), _) => "retried",
        (Some(Fate::Bounced { .. }), _) => "bounced",
        (Some(Fate::Left), Means::Direct) => "delivered",
        (Some(Fate::Left), Means::Relay) => "sent",
        (Some(Fate::Left), Means::Capture) => "captured",
    }
}
