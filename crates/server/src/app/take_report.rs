//! What a delivery report or a complaint changes at the sent mail it is about: entries, status, suppressions, events
//! (decision 19). Inside the transaction that stores the report.
//!
//! Only reports that name the Message-ID of a mail sent from the inbox they came to are believed: who never got the mail
//! does not know it. An entry that is settled for the worse never gets better by a report.

use posthouse_domain::{
    delivery::{self, BounceKind, CAPTURED, DETAIL_CHARS_MAX},
    event::{EventKind, NewEvent},
    id::{Ids, MessageId},
    inbox::Inbox,
    message::{Channel, Delivery, DeliveryStatus, Direction, rolled_up},
    time::Time,
};
use posthouse_mail::{
    address::Address,
    report::{Action, Fate, News, Report},
};
use posthouse_store::{
    Result, Tx,
    deliveries::{self, Standing},
    events, messages, metrics, recipients,
    suppressions::{self, Reason, Suppression},
};

use super::judge_sending;
use crate::views::event::data;

/// What changes at one recipient.
struct Change {
    after: Delivery,
    /// What the server that decided said.
    words: Option<String>,
    suppress: Option<Reason>,
}

/// Applies a report that came to that inbox.
///
/// # Errors
/// The store's own.
pub(super) fn take(tx: &mut Tx, report: &Report, inbox: &Inbox, ids: &Ids, now: Time) -> Result<()> {
    let Some(about) = &report.original_id else { return Ok(()) };
    let Some(original) = messages::by_rfc_id(tx, inbox.workspace, inbox.id, about)? else { return Ok(()) };
    if original.direction != Direction::Outbound {
        return Ok(());
    }
    let Some(held) = deliveries::hold_still(tx, inbox.workspace, original.id)? else { return Ok(()) };
    let entries: Vec<Delivery> =
        recipients::of(tx, inbox.workspace, &[original.id])?.into_iter().map(|entry| entry.delivery).collect();
    let changes = changes(report, &entries, now);
    if changes.is_empty() {
        return Ok(());
    }
    for change in &changes {
        recipients::update(tx, inbox.workspace, original.id, &change.after)?;
        suppress(tx, inbox, original.id, change)?;
    }
    let status = rolled_up(deliveries::statuses(tx, inbox.workspace, original.id)?);
    let standing = Standing { status, sent_at: held.sent_at, at: now };
    deliveries::set_standing(tx, inbox.workspace, original.id, (&held, standing))?;
    for change in changes.iter().filter(|change| change.after.status == DeliveryStatus::Bounced) {
        metrics::bounce(tx, (inbox.workspace, inbox.id), &change.after.reason(), now)?;
    }
    let is_bad = |change: &Change| matches!(change.after.status, DeliveryStatus::Bounced | DeliveryStatus::Complained);
    if changes.iter().any(is_bad) {
        judge_sending::judge(tx, inbox.workspace, now)?;
    }
    for (kind, detail_json) in news(report, &changes) {
        let event = NewEvent {
            workspace: inbox.workspace,
            id: ids.next(),
            kind,
            inbox: Some(inbox.id),
            thread: Some(held.thread),
            message: Some(original.id),
            detail_json,
            at: now,
        };
        if inbox.is_paused() {
            events::hold(tx, inbox.id, &event)?;
        } else {
            events::append(tx, &event)?;
        }
    }
    Ok(())
}

/// What the report changes; pure.
fn changes(report: &Report, entries: &[Delivery], now: Time) -> Vec<Change> {
    let open = |entry: &&Delivery| {
        entry.channel == Channel::Email && matches!(entry.status, DeliveryStatus::Sent | DeliveryStatus::Delivered)
    };
    let open: Vec<&Delivery> = entries.iter().filter(open).collect();
    match &report.news {
        News::Delivery(fates) => open
            .into_iter()
            .filter_map(|entry| {
                let fate = fates.iter().find(|fate| names(&fate.addresses, entry))?;
                settled(entry, fate, now)
            })
            .collect(),
        News::Complaint { kind, .. } if kind == "not-spam" => Vec::new(),
        News::Complaint { recipients, .. } => open
            .into_iter()
            // A complaint that hides its author is clear where only one can be it.
            .filter(|entry| names(recipients, entry) || (recipients.is_empty() && entries.len() == 1))
            .map(|entry| {
                let after = Delivery { status: DeliveryStatus::Complained, updated_at: now, ..entry.clone() };
                Change { after, words: None, suppress: Some(Reason::Complaint) }
            })
            .collect(),
    }
}

fn names(addresses: &[Address], entry: &Delivery) -> bool {
    Address::parse(&entry.address).is_ok_and(|address| addresses.contains(&address))
}

fn settled(entry: &Delivery, fate: &Fate, now: Time) -> Option<Change> {
    let status = match fate.action {
        Action::Failed => DeliveryStatus::Bounced,
        Action::Delivered if entry.status == DeliveryStatus::Sent => DeliveryStatus::Delivered,
        Action::Delivered | Action::Open => return None,
    };
    // The outbox of development knows captured mail by these words.
    let words = fate.diagnostic.as_ref().map(|text| text.chars().take(DETAIL_CHARS_MAX).collect::<String>());
    let detail = if entry.detail.as_deref() == Some(CAPTURED) { entry.detail.clone() } else { words.clone() };
    let after = Delivery {
        status,
        smtp_code: fate.diagnostic.as_deref().and_then(smtp_code).or(entry.smtp_code),
        enhanced_code: fate.status.clone().or_else(|| entry.enhanced_code.clone()),
        remote: fate.remote.clone().or_else(|| entry.remote.clone()),
        detail,
        updated_at: now,
        ..entry.clone()
    };
    let dead = status == DeliveryStatus::Bounced && fate.status.as_deref().is_some_and(delivery::is_dead_address);
    Some(Change { after, words, suppress: dead.then_some(Reason::Bounce) })
}

/// The reply code that a server's words begin with.
fn smtp_code(words: &str) -> Option<u16> {
    words.get(..3)?.parse().ok().filter(|code| (200..600).contains(code))
}

fn suppress(tx: &mut Tx, inbox: &Inbox, message: MessageId, change: &Change) -> Result<()> {
    let Some(reason) = change.suppress else { return Ok(()) };
    let suppression = Suppression {
        workspace: inbox.workspace,
        address: Address::parse(&change.after.address)
            .map_or_else(|_| change.after.address.clone(), |address| address.canonical()),
        reason,
        detail: change.words.clone(),
        message: Some(message),
        created_at: change.after.updated_at,
    };
    suppressions::insert(tx, &suppression)?;
    Ok(())
}

/// The events: at most one of each kind for a report.
fn news(report: &Report, changes: &[Change]) -> Vec<(EventKind, String)> {
    let now = |status| changes.iter().filter(move |change| change.after.status == status);
    let addresses = |status| now(status).map(|change| change.after.address.clone()).collect::<Vec<String>>();
    let mut news = Vec::new();
    let delivered = addresses(DeliveryStatus::Delivered);
    if !delivered.is_empty() {
        let left = data::Left { recipients: delivered, captured: false };
        news.push((EventKind::MessageDelivered, data::text(&left)));
    }
    let bounced: Vec<data::BouncedRecipient> = now(DeliveryStatus::Bounced)
        .map(|Change { after, words, .. }| data::BouncedRecipient {
            detail: words.clone(),
            ..data::BouncedRecipient::of(after)
        })
        .collect();
    if !bounced.is_empty() {
        let hard = now(DeliveryStatus::Bounced)
            .any(|change| !change.after.enhanced_code.as_deref().unwrap_or("5").starts_with('4'));
        let kind = if hard { BounceKind::Hard } else { BounceKind::Soft };
        let bounce = data::Bounce { r#type: kind.text(), recipients: bounced };
        news.push((EventKind::MessageBounced, data::text(&data::Bounced { bounce })));
    }
    let complained = addresses(DeliveryStatus::Complained);
    if let (News::Complaint { kind, .. }, false) = (&report.news, complained.is_empty()) {
        let complaint = data::Complaint { r#type: kind.clone(), recipients: complained };
        news.push((EventKind::MessageComplained, data::text(&data::Complained { complaint })));
    }
    news
}
