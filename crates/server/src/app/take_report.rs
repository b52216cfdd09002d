//! What a delivery report or a complaint changes at the sent mail it is about: entries, status, suppressions, events
//! (decision 19). Inside the transaction that stores the report.
//!
//! Believed is a report that came to the return path of a message, which nobody can guess. One that names the Message-ID of a
//! message may be of anybody who got it, so of the recipients beside as well: it is believed where nothing says that its
//! sender is forged, and a delivery report only from the empty return path (RFC 3464 §2), or about recipients of its own domain.
//! It may come to any inbox, for some servers write to the author, and providers of feedback write to abuse@. An entry
//! that is settled for the worse never gets better by a report.

use posthouse_domain::{
    delivery::{self, BounceKind, CAPTURED, DETAIL_CHARS_MAX},
    event::{EventKind, NewEvent},
    id::{Ids, MessageId},
    inbox::Inbox,
    message::{Channel, Delivery, DeliveryStatus, Direction, Message, rolled_up},
    time::Time,
};
use posthouse_mail::{
    address::Address,
    report::{Action, Fate, News, Report},
};
use posthouse_store::{
    Result, Tx,
    deliveries::{self, Standing},
    events, inboxes, messages, metrics, recipients,
    suppressions::{self, Reason, Suppression},
};

use super::{judge_sending, understand::Mail};
use crate::views::event::data;

/// Kinds of feedback that are no complaint: the opposite of one, and reports about forged mail.
const NO_COMPLAINTS: [&str; 3] = ["not-spam", "auth-failure", "dmarc"];

/// Labels of mail whose sender may be forged.
const FORGED: [&str; 2] = ["spf-fail", "dmarc-fail"];

/// What a mail says of a message that was sent.
pub(super) enum About {
    /// Nothing.
    Nothing,
    /// Something that whoever wrote it cannot be believed.
    Unbelieved,
    /// Something about that message.
    Sent(Box<Message>, Witness),
}

/// Whom a report is believed about.
pub(super) enum Witness {
    /// Every recipient of the message.
    OfAll,
    /// Recipients at that domain, and at those above and below it.
    OfDomain(String),
}

impl Witness {
    fn covers(&self, entry: &Delivery) -> bool {
        match self {
            Self::OfAll => true,
            Self::OfDomain(own) => {
                Address::parse(&entry.address).is_ok_and(|address| is_same_house(own, address.domain()))
            }
        }
    }
}

/// Whether two domains are one, or the one lies below the other: mail servers report under names of their own. A name
/// without a dot is a registry's, and nobody's house.
fn is_same_house(one: &str, other: &str) -> bool {
    let (above, below) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    let beside = below.strip_suffix(above);
    beside.is_some_and(|rest| rest.is_empty() || (rest.ends_with('.') && above.contains('.')))
}

/// What changes at one recipient.
struct Change {
    after: Delivery,
    /// What the server that decided said.
    words: Option<String>,
    /// Whether it will never work.
    hard: bool,
    suppress: Option<Reason>,
}

/// The sent message that a mail reports about: the one whose return path it came to, else one whose Message-ID it names.
///
/// # Errors
/// The store's own.
pub(super) fn about(tx: &mut Tx, mail: &Mail, named: Option<MessageId>, inbox: &Inbox) -> Result<About> {
    let Some(report) = &mail.report else { return Ok(About::Nothing) };
    if let Some(id) = named
        && let Some(found) = deliveries::anywhere(tx, id)?
    {
        return Ok(About::Sent(Box::new(found), Witness::OfAll));
    }
    for rfc_message_id in &report.original_ids {
        let found = sent_with(tx, rfc_message_id, inbox)?;
        if let Some(found) = found.filter(|found| found.direction == Direction::Outbound) {
            let witness = witness(tx, (mail, report), &found)?;
            return Ok(witness.map_or(About::Unbelieved, |witness| About::Sent(Box::new(found), witness)));
        }
    }
    Ok(About::Nothing)
}

/// Whom a report that names the Message-ID of a message is believed about; none where it is not believed at all.
fn witness(tx: &mut Tx, (mail, report): (&Mail, &Report), original: &Message) -> Result<Option<Witness>> {
    if mail.labels.iter().any(|label| FORGED.contains(&label.as_str())) {
        return Ok(None);
    }
    let (fates, sender) = match (&report.news, &mail.envelope_from) {
        (News::Delivery(fates), Some(sender)) => (fates, sender),
        (News::Delivery(_), None) | (News::Complaint { .. }, _) => return Ok(Some(Witness::OfAll)),
    };
    let witness = Witness::OfDomain(sender.domain().to_owned());
    let entries = recipients::of(tx, original.workspace, &[original.id])?;
    let is_heard = |entry: &Delivery| witness.covers(entry) && meant(fates, entry, entries.len() == 1).is_some();
    Ok(entries.iter().any(|entry| is_heard(&entry.delivery)).then_some(witness))
}

/// The message sent with that Message-ID: from anywhere if the service made the id, which then holds the message's own; from
/// this inbox if somebody else did.
fn sent_with(tx: &mut Tx, rfc_message_id: &str, inbox: &Inbox) -> Result<Option<Message>> {
    let left = rfc_message_id.trim_start_matches('<').split('@').next().unwrap_or_default();
    if let Ok(id) = left.parse::<MessageId>() {
        let found = match messages::get(tx, inbox.workspace, id)? {
            None => deliveries::anywhere(tx, id)?,
            found => found,
        };
        return Ok(found.filter(|found| found.rfc_message_id == rfc_message_id));
    }
    match messages::by_rfc_id(tx, inbox.workspace, inbox.id, rfc_message_id)? {
        Some(found) => messages::get(tx, inbox.workspace, found.id),
        None => Ok(None),
    }
}

/// Applies a report about a sent message.
///
/// # Errors
/// The store's own.
pub(super) fn take(
    tx: &mut Tx,
    report: &Report,
    (original, witness): (&Message, &Witness),
    ids: &Ids,
    now: Time,
) -> Result<()> {
    let tenant = original.workspace;
    let Some(held) = deliveries::hold_still(tx, tenant, original.id)? else { return Ok(()) };
    let entries: Vec<Delivery> =
        recipients::of(tx, tenant, &[original.id])?.into_iter().map(|entry| entry.delivery).collect();
    let changes = changes(report, &entries, witness, now);
    if changes.is_empty() {
        return Ok(());
    }
    for change in &changes {
        recipients::update(tx, tenant, original.id, &change.after)?;
        suppress(tx, original, change)?;
    }
    let status = rolled_up(deliveries::statuses(tx, tenant, original.id)?);
    let standing = Standing { status, sent_at: held.sent_at, at: now };
    deliveries::set_standing(tx, tenant, original.id, (&held, standing))?;
    for change in changes.iter().filter(|change| change.after.status == DeliveryStatus::Bounced) {
        metrics::bounce(tx, (tenant, held.inbox), &change.after, now)?;
    }
    let is_bad = |change: &Change| matches!(change.after.status, DeliveryStatus::Bounced | DeliveryStatus::Complained);
    if changes.iter().any(is_bad) {
        judge_sending::judge(tx, tenant, now)?;
    }
    let home = inboxes::get(tx, tenant, held.inbox)?.filter(|inbox| inbox.deleted_at.is_none());
    let Some(home) = home else { return Ok(()) };
    for (kind, detail_json) in news(report, &changes) {
        let event = NewEvent {
            workspace: tenant,
            id: ids.next(),
            kind,
            inbox: Some(held.inbox),
            thread: Some(held.thread),
            message: Some(original.id),
            detail_json,
            at: now,
        };
        events::append_or_hold(tx, home.is_paused(), &event)?;
    }
    Ok(())
}

/// What the report changes; pure.
fn changes(report: &Report, entries: &[Delivery], witness: &Witness, now: Time) -> Vec<Change> {
    let open = |entry: &&Delivery| {
        let has_left = matches!(entry.status, DeliveryStatus::Sent | DeliveryStatus::Delivered);
        entry.channel == Channel::Email && has_left && witness.covers(entry)
    };
    let open: Vec<&Delivery> = entries.iter().filter(open).collect();
    let only = entries.len() == 1;
    match &report.news {
        News::Delivery(fates) => {
            open.into_iter().filter_map(|entry| settled(entry, meant(fates, entry, only)?, now)).collect()
        }
        News::Complaint { kind, .. } if NO_COMPLAINTS.contains(&kind.as_str()) => Vec::new(),
        News::Complaint { recipients, .. } => open
            .into_iter()
            .filter(|entry| names(recipients, entry) || only)
            .map(|entry| {
                let after = Delivery { status: DeliveryStatus::Complained, updated_at: now, ..entry.clone() };
                Change { after, words: None, hard: false, suppress: Some(Reason::Complaint) }
            })
            .collect(),
    }
}

/// What a report says of a recipient. What hides its recipient, or names the one it was passed on to, is clear where only
/// one can be meant.
fn meant<'f>(fates: &'f [Fate], entry: &Delivery, only: bool) -> Option<&'f Fate> {
    let named = fates.iter().find(|fate| names(&fate.addresses, entry));
    named.or_else(|| fates.first().filter(|_| only && fates.len() == 1))
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
    // What was said when the mail was taken is no reason why it came back.
    let taken = Some(entry).filter(|_| status == DeliveryStatus::Delivered);
    let after = Delivery {
        status,
        smtp_code: fate.diagnostic.as_deref().and_then(smtp_code).or(taken.and_then(|entry| entry.smtp_code)),
        enhanced_code: fate.status.clone().or_else(|| taken?.enhanced_code.clone()),
        remote: fate.remote.clone().or_else(|| entry.remote.clone()),
        detail,
        class: (status == DeliveryStatus::Bounced).then_some(fate.class),
        updated_at: now,
        ..entry.clone()
    };
    let hard = fate.is_hard();
    let dead = status == DeliveryStatus::Bounced && hard && delivery::is_dead(fate.class, fate.status.as_deref());
    Some(Change { after, words, hard, suppress: dead.then_some(Reason::Bounce) })
}

/// The reply code that a server's words begin with.
fn smtp_code(words: &str) -> Option<u16> {
    words.get(..3)?.parse().ok().filter(|code| (200..600).contains(code))
}

fn suppress(tx: &mut Tx, original: &Message, change: &Change) -> Result<()> {
    let Some(reason) = change.suppress else { return Ok(()) };
    let suppression = Suppression {
        workspace: original.workspace,
        address: Address::parse(&change.after.address)
            .map_or_else(|_| change.after.address.clone(), |address| address.canonical()),
        reason,
        detail: change.words.clone(),
        message: Some(original.id),
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
        let hard = now(DeliveryStatus::Bounced).any(|change| change.hard);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_house_is_a_domain_with_what_is_below_it() {
        for (one, other, expected) in [
            ("x.example", "x.example", true),
            ("mx.x.example", "x.example", true),
            ("x.example", "mail.x.example", true),
            ("evilx.example", "x.example", false),
            ("x.example", "y.example", false),
            ("example", "x.example", false),
            ("localhost", "localhost", true),
        ] {
            assert_eq!(is_same_house(one, other), expected, "{one} {other}");
            assert_eq!(is_same_house(other, one), expected, "{other} {one}");
        }
    }
}
