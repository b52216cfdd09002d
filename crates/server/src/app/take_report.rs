//! What a delivery report or a complaint changes at the sent mail it is about: entries, status, suppressions, events
//! (decision 19). Inside the transaction that stores the report.
//!
//! A report counts when it came to the return path of a message at one recipient, which nobody else can know: then it is about
//! that recipient alone, whatever it says. One that names the Message-ID of a message counts as far as `report_source`
//! says. An entry that is settled for the worse never gets better by a report.

use posthouse_domain::{
    delivery::{self, BounceKind, CAPTURED, DETAIL_CHARS_MAX},
    event::{EventKind, NewEvent},
    id::{Ids, MessageId},
    inbox::Inbox,
    message::{Channel, Delivery, DeliveryStatus, Direction, Message, rolled_up},
    suspension::Incident,
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

use super::{
    bounce_address::ReturnPath,
    judge_sending,
    report_source::{self, Coverage, Exchangers},
    understand::Mail,
};
use crate::views::event::data;

/// Kinds of feedback that are no complaint: the opposite of one, and reports about forged mail.
const NO_COMPLAINTS: [&str; 3] = ["not-spam", "auth-failure", "dmarc"];

/// What it takes to tell whether a report counts, beside the mail itself.
#[derive(Clone, Copy, Default)]
pub struct Circumstances<'a> {
    /// The return paths it came to that lead to the inbox it is stored in.
    pub paths: &'a [ReturnPath],
    /// The mail exchangers of the recipients it may be about.
    pub exchangers: &'a [Exchangers],
    /// Who may complain (`feedback.sources`).
    pub feedback_sources: &'a [String],
}

/// A sent message that a report is about, at these of its recipients.
pub(super) type Subject = (Message, Coverage);

/// What changes at one recipient.
struct Change {
    after: Delivery,
    /// What the server that decided said.
    words: Option<String>,
    /// Whether it will never work.
    hard: bool,
    suppress: Option<Reason>,
}

impl Change {
    /// What counts against the sender.
    fn incident(&self) -> Option<Incident> {
        match self.after.status {
            DeliveryStatus::Complained => Some(Incident::Complaint),
            DeliveryStatus::Bounced if self.hard => Some(Incident::HardBounce),
            _ => None,
        }
    }
}

/// What a mail reports about: the messages whose return paths it came to, else one whose Message-ID it names. Nothing where it
/// is no report, or none that counts.
///
/// # Errors
/// The store's own.
pub(super) fn subjects(tx: &mut Tx, mail: &Mail, at: Circumstances<'_>, inbox: &Inbox) -> Result<Vec<Subject>> {
    let Some(report) = &mail.report else { return Ok(Vec::new()) };
    let mut all = Vec::new();
    for path in at.paths {
        let found = deliveries::anywhere(tx, path.message)?;
        all.extend(found.map(|message| (message, Coverage::Position(path.position))));
    }
    if !all.is_empty() {
        return Ok(all);
    }
    let Some(original) = named(tx, &report.original_ids, inbox)? else { return Ok(all) };
    let entries = entries(tx, &original)?;
    let domains: Vec<String> = entries.iter().filter_map(report_source::domain_of).collect();
    let coverage = match &report.news {
        News::Delivery(_) => report_source::of_delivery_report(mail, &domains, at.exchangers),
        // A feedback source writes to an address that the sender gave it.
        News::Complaint { .. } if original.workspace != inbox.workspace => None,
        News::Complaint { .. } => report_source::of_complaint(mail, &domains, at.feedback_sources),
    };
    let is_meant = |coverage: &Coverage| entries.iter().any(|entry| is_about(report, entry, coverage, entries.len()));
    all.extend(coverage.filter(is_meant).map(|coverage| (original, coverage)));
    Ok(all)
}

/// Whether a report says something of a recipient that it can speak for. One that hides whom it is about may be about anybody.
fn is_about(report: &Report, entry: &Delivery, coverage: &Coverage, recipients: usize) -> bool {
    let is_meant = match &report.news {
        News::Delivery(fates) => fate(fates, entry, coverage, recipients).is_some(),
        News::Complaint { recipients: named, .. } => named.is_empty() || complains(named, entry, coverage, recipients),
    };
    is_meant && coverage.includes(entry)
}

/// The first message that was sent with one of these Message-IDs.
///
/// # Errors
/// The store's own.
pub(super) fn named(tx: &mut Tx, original_ids: &[String], inbox: &Inbox) -> Result<Option<Message>> {
    for rfc_message_id in original_ids {
        let found = sent_with(tx, rfc_message_id, inbox)?;
        if let Some(found) = found.filter(|found| found.direction == Direction::Outbound) {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// The delivery entries of a message.
///
/// # Errors
/// The store's own.
pub(super) fn entries(tx: &mut Tx, message: &Message) -> Result<Vec<Delivery>> {
    Ok(recipients::of(tx, message.workspace, &[message.id])?.into_iter().map(|entry| entry.delivery).collect())
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
pub(super) fn take(tx: &mut Tx, report: &Report, (original, coverage): &Subject, ids: &Ids, now: Time) -> Result<()> {
    let tenant = original.workspace;
    let Some(held) = deliveries::hold_still(tx, tenant, original.id)? else { return Ok(()) };
    let entries = entries(tx, original)?;
    let changes = changes(report, &entries, coverage, now);
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
        let incidents = changes.iter().filter_map(|change| Some((change.incident()?, change.after.address.as_str())));
        judge_sending::judge(tx, tenant, incidents, now)?;
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
fn changes(report: &Report, entries: &[Delivery], coverage: &Coverage, now: Time) -> Vec<Change> {
    let open = |entry: &&Delivery| {
        let has_left = matches!(entry.status, DeliveryStatus::Sent | DeliveryStatus::Delivered);
        entry.channel == Channel::Email && has_left && coverage.includes(entry)
    };
    let open = entries.iter().filter(open);
    let all = entries.len();
    match &report.news {
        News::Delivery(fates) => {
            open.filter_map(|entry| settled(entry, fate(fates, entry, coverage, all)?, now)).collect()
        }
        News::Complaint { kind, .. } if NO_COMPLAINTS.contains(&kind.as_str()) => Vec::new(),
        News::Complaint { recipients, .. } => open
            .filter(|entry| complains(recipients, entry, coverage, all))
            .map(|entry| {
                let after = Delivery { status: DeliveryStatus::Complained, updated_at: now, ..entry.clone() };
                Change { after, words: None, hard: false, suppress: Some(Reason::Complaint) }
            })
            .collect(),
    }
}

/// What a delivery report says of a recipient that it can be about. What hides its recipient, or names the one it was passed on
/// to, is clear where only one can be meant; where that one stands for several, a failure says more.
fn fate<'f>(fates: &'f [Fate], entry: &Delivery, coverage: &Coverage, recipients: usize) -> Option<&'f Fate> {
    if let Some(named) = fates.iter().find(|fate| names(&fate.addresses, entry)) {
        return Some(named);
    }
    match coverage {
        Coverage::Position(_) => fates.iter().find(|fate| fate.action == Action::Failed).or(fates.first()),
        _ => fates.first().filter(|_| recipients == 1 && fates.len() == 1),
    }
}

/// Whether it is this recipient who complains.
fn complains(named: &[Address], entry: &Delivery, coverage: &Coverage, recipients: usize) -> bool {
    matches!(coverage, Coverage::Position(_)) || recipients == 1 || names(named, entry)
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
