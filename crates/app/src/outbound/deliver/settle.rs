//! Writes the result of an attempt in one transaction: delivery entries, message status, suppressions and events. See
//! `docs/decisions/sending.md#0055-the-worst-recipient`.

use posthouse_api::views::event::data;
use posthouse_domain::{
    AttemptContext, AttemptOutcome, AttemptResultName, BounceKind, DeliveryStatus, EventKind, IdGenerator, Incident,
    KeptAttempt, MINUTE_MS, NewEvent, OutboundMode, RecipientDelivery, Suppression, SuppressionReason, Time, delivery,
    message::overall_status,
};
use posthouse_mail::{address::Address, bounce::BounceClass};
use posthouse_store::deliveries::{self, LockedMessage, MessageStatusUpdate};
use posthouse_store::{Result, Tx, delivery_attempts, events, inboxes, messages, metrics, recipients};

use super::{AttemptResult, FinishedDelivery};
use crate::workspaces::{suppressed, suspension};

/// The outcome label of a recipient for the metrics, and the bounce class.
pub(super) type SettledRecipient = (&'static str, Option<BounceClass>);

/// Retry schedules, in milliseconds.
#[derive(Clone)]
pub(super) struct RetrySchedules {
    /// Intervals after each attempt (`delivery.retry_schedule`).
    pub(super) usual: Vec<i64>,
    /// Intervals while a server greylists (`delivery.greylist_schedule`).
    pub(super) greylist: Vec<i64>,
}

/// The new delivery entries and their outcomes; an entry without an outcome failed because of a local problem.
pub(super) struct SettlePlan {
    entries: Vec<(RecipientDelivery, Option<AttemptOutcome>)>,
}

/// Computes the new delivery entries. Pure.
pub(super) fn plan(settling: &FinishedDelivery, now: Time) -> SettlePlan {
    let moment = AttemptContext { now, end: settling.end, mode: settling.mode };
    let pending = &settling.load.pending;
    let entries = match &settling.reports {
        AttemptResult::Failed(why) => pending.iter().map(|before| (fail(before, why, now), None)).collect(),
        AttemptResult::Called(reports) => pending
            .iter()
            .zip(reports)
            .map(|(before, report)| {
                let (after, outcome) = delivery::settle(before, report, &moment);
                (after, Some(outcome))
            })
            .collect(),
    };
    SettlePlan { entries }
}

fn fail(before: &RecipientDelivery, why: &str, now: Time) -> RecipientDelivery {
    let detail = Some(why.to_owned());
    RecipientDelivery {
        status: DeliveryStatus::Failed,
        detail,
        class: Some(BounceClass::System),
        updated_at: now,
        ..before.clone()
    }
}

impl SettlePlan {
    /// Returns the earliest time of a retry; `None` if no recipient needs one.
    pub(super) fn next_at(&self, settling: &FinishedDelivery, schedules: &RetrySchedules, now: Time) -> Option<Time> {
        let AttemptResult::Called(reports) = &settling.reports else { return None };
        let waiting =
            self.entries.iter().zip(reports).filter(|((_, outcome), _)| *outcome == Some(AttemptOutcome::Retry));
        let next = waiting.map(|((after, _), report)| {
            let usual = delivery::gap_after(&schedules.usual, after.attempts).unwrap_or(MINUTE_MS);
            let gap = delivery::gap_ms(report, after.attempts, usual, &schedules.greylist);
            delivery::next_attempt(gap, now, &settling.end)
        });
        next.min()
    }

    fn has_retries(&self) -> bool {
        self.entries.iter().any(|(_, outcome)| *outcome == Some(AttemptOutcome::Retry))
    }

    fn has_sent(&self) -> bool {
        self.entries.iter().any(|(_, outcome)| *outcome == Some(AttemptOutcome::Done))
    }

    /// Returns the addresses that the message was sent to in this attempt.
    fn sent_to(&self) -> Vec<String> {
        let sent = self.entries.iter().filter(|(_, outcome)| *outcome == Some(AttemptOutcome::Done));
        sent.map(|(after, _)| after.address.clone()).collect()
    }

    fn bounced(&self) -> impl Iterator<Item = (&RecipientDelivery, BounceKind, bool)> {
        self.entries.iter().filter_map(|(after, outcome)| match outcome {
            Some(AttemptOutcome::Bounced { kind, suppress }) => Some((after, *kind, *suppress)),
            _ => None,
        })
    }
}

/// Writes the plan; returns the outcome label and the bounce class of each recipient for the metrics.
pub(super) fn write(
    tx: &mut Tx,
    settling: &FinishedDelivery,
    plan: &SettlePlan,
    next_at: Option<Time>,
    ids: &IdGenerator,
    now: Time,
) -> Result<Vec<SettledRecipient>> {
    let envelope = &settling.load.envelope;
    if !plan.has_retries() {
        recipients::delete_envelope(tx, envelope.workspace, envelope.id)?;
    }
    let Some(held) = deliveries::lock(tx, envelope.workspace, envelope.message)? else {
        // The message was deleted during the attempt.
        return Ok(Vec::new());
    };
    for (after, outcome) in &plan.entries {
        recipients::update(tx, envelope.workspace, envelope.message, after)?;
        let kept = kept_attempt(after, *outcome, settling.mode, next_at, now);
        delivery_attempts::insert(tx, envelope.workspace, envelope.message, &kept)?;
    }
    let is_first_sent = plan.has_sent() && held.sent_at.is_none();
    let update = MessageStatusUpdate {
        status: overall_status(deliveries::statuses(tx, envelope.workspace, envelope.message)?),
        sent_at: if is_first_sent { Some(now) } else { held.sent_at },
        at: now,
    };
    if update.status != held.status || update.sent_at != held.sent_at {
        deliveries::set_status(tx, envelope.workspace, envelope.message, &held, update)?;
    }
    for (after, _, _) in plan.bounced() {
        metrics::bounce(tx, envelope.workspace, held.inbox, after, now)?;
    }
    if plan.bounced().next().is_some() {
        let hard = plan.bounced().filter(|(_, kind, _)| *kind == BounceKind::Hard);
        let incidents = hard.map(|(after, _, _)| (Incident::HardBounce, after));
        if let Some(sent) = messages::get(tx, envelope.workspace, envelope.message)? {
            let incidents = suspension::counted(tx, &sent, incidents)?;
            suspension::record_incidents(tx, envelope.workspace, incidents, now)?;
        }
    }
    suppress(tx, settling, plan, now)?;
    append_events(tx, EventContext { settling, plan, held, is_first_sent, ids, now })?;
    let settled = |(after, outcome): &(RecipientDelivery, Option<AttemptOutcome>)| {
        let bounced = after.class.filter(|_| matches!(outcome, Some(AttemptOutcome::Bounced { .. })));
        (result_name(*outcome, settling.mode).text(), bounced)
    };
    Ok(plan.entries.iter().map(settled).collect())
}

fn suppress(tx: &mut Tx, settling: &FinishedDelivery, plan: &SettlePlan, now: Time) -> Result<()> {
    for (after, _, _) in plan.bounced().filter(|(_, _, suppress)| *suppress) {
        let address = Address::parse(&after.address).map_or_else(|_| after.address.clone(), |a| a.canonical());
        let suppression = Suppression {
            workspace: settling.load.envelope.workspace,
            address,
            reason: SuppressionReason::Bounce,
            detail: after.detail.clone(),
            message: Some(settling.load.envelope.message),
            created_at: now,
        };
        suppressed::record(tx, &suppression)?;
    }
    Ok(())
}

/// The inputs of [`append_events`].
struct EventContext<'a> {
    settling: &'a FinishedDelivery,
    plan: &'a SettlePlan,
    held: LockedMessage,
    is_first_sent: bool,
    ids: &'a IdGenerator,
    now: Time,
}

/// Appends the events of an attempt, or holds them while the inbox is paused. Each attempt appends its own
/// `message.delivered` or `message.bounced`, so a message to several recipients may have several.
fn append_events(tx: &mut Tx, context: EventContext<'_>) -> Result<()> {
    let EventContext { settling, plan, held, is_first_sent, ids, now } = context;
    let (workspace, message) = (settling.load.envelope.workspace, settling.load.envelope.message);
    let mut pending = Vec::new();
    if is_first_sent {
        let left =
            data::RecipientsDetail { recipients: plan.sent_to(), captured: settling.mode == OutboundMode::Capture };
        pending.push((EventKind::MessageSent, data::text(&left)));
    }
    if plan.has_sent() && settling.mode == OutboundMode::Direct {
        let left = data::RecipientsDetail { recipients: plan.sent_to(), captured: false };
        pending.push((EventKind::MessageDelivered, data::text(&left)));
    }
    if let Some(bounce) = bounce(plan).or_else(|| failure(settling, plan)) {
        pending.push((EventKind::MessageBounced, data::text(&data::BounceDetail { bounce })));
    }
    if pending.is_empty() {
        return Ok(());
    }
    let paused = inboxes::get(tx, workspace, held.inbox)?.is_some_and(|inbox| inbox.is_paused());
    for (kind, detail_json) in pending {
        let event = NewEvent::new(kind, workspace, ids.next(), now)
            .in_inbox(held.inbox)
            .in_thread(held.thread)
            .about_message(message)
            .with_detail(detail_json);
        events::append_or_hold(tx, paused, &event)?;
    }
    Ok(())
}

/// Returns the `bounce` member of the event: the recipients that bounced in this attempt, with reasons.
fn bounce(plan: &SettlePlan) -> Option<data::Bounce> {
    let bounced: Vec<_> = plan.bounced().collect();
    let hard = bounced.iter().any(|(_, kind, _)| *kind == BounceKind::Hard);
    let kind = if hard { BounceKind::Hard } else { BounceKind::Soft };
    let recipients: Vec<_> = bounced.iter().map(|(after, _, _)| data::BouncedRecipient::of(after)).collect();
    (!recipients.is_empty()).then(|| data::Bounce { r#type: kind.text(), recipients })
}

/// Returns the `bounce` member for recipients that failed because of a local problem, because callers wait for a final
/// event in this case too. Mail of a deleted inbox gets no event.
fn failure(settling: &FinishedDelivery, plan: &SettlePlan) -> Option<data::Bounce> {
    let failed = matches!(settling.reports, AttemptResult::Failed(_)) && settling.load.inbox.deleted_at.is_none();
    let recipients: Vec<_> = plan.entries.iter().map(|(after, _)| data::BouncedRecipient::of(after)).collect();
    (failed && !recipients.is_empty()).then(|| data::Bounce { r#type: BounceKind::Soft.text(), recipients })
}

/// Returns the attempt to keep for a recipient with this entry. A local problem that ended the delivery before an
/// attempt has a number of its own.
fn kept_attempt(
    after: &RecipientDelivery,
    outcome: Option<AttemptOutcome>,
    mode: OutboundMode,
    next_at: Option<Time>,
    now: Time,
) -> KeptAttempt {
    KeptAttempt {
        position: after.position,
        address: after.address.clone(),
        attempt: after.attempts + u32::from(outcome.is_none()),
        outcome: result_name(outcome, mode),
        smtp_code: after.smtp_code,
        enhanced_code: after.enhanced_code.clone(),
        remote: after.remote.clone(),
        detail: after.detail.clone(),
        class: after.class,
        tls: after.tls.clone(),
        next_at: next_at.filter(|_| outcome == Some(AttemptOutcome::Retry)),
        at: now,
    }
}

/// Returns what an attempt led to, also as the label of the metrics.
fn result_name(outcome: Option<AttemptOutcome>, mode: OutboundMode) -> AttemptResultName {
    match (outcome, mode) {
        (None | Some(AttemptOutcome::Failed), _) => AttemptResultName::Failed,
        (Some(AttemptOutcome::Retry), _) => AttemptResultName::Retried,
        (Some(AttemptOutcome::Bounced { .. }), _) => AttemptResultName::Bounced,
        (Some(AttemptOutcome::Done), OutboundMode::Direct) => AttemptResultName::Delivered,
        (Some(AttemptOutcome::Done), OutboundMode::Relay) => AttemptResultName::Sent,
        (Some(AttemptOutcome::Done), OutboundMode::Capture) => AttemptResultName::Captured,
    }
}
