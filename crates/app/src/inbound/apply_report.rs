//! Applies delivery reports and complaints to the sent mail they refer to: delivery entries, status, suppressions and
//! events. Runs in the transaction that stores the report.
//!
//! A report counts if it arrived at the return path of a message for one recipient, which no third party can know; then
//! it applies to that recipient only, whatever it contains
//! (`docs/decisions/sending.md#0022-one-return-path-per-recipient`). A report that names the Message-ID of a message
//! counts as far as `report_source` allows (`docs/decisions/sending.md#0023-reports-by-message-id`). A report never
//! improves an entry that has failed.

use posthouse_api::views::event::data;
use posthouse_domain::delivery::{CAPTURED, DETAIL_CHARS_MAX};
use posthouse_domain::{
    BounceKind, Channel, DeliveryStatus, Direction, EventKind, IdGenerator, Inbox, Incident, Message, MessageId,
    NewEvent, RecipientDelivery, Suppression, SuppressionReason, Time, message::overall_status,
};
use posthouse_mail::address::Address;
use posthouse_mail::report::{InboundReport, RecipientReport, ReportAction, ReportContent};
use posthouse_store::deliveries::{self, MessageStatusUpdate};
use posthouse_store::{Result, Tx, events, inboxes, messages, metrics, recipients};

use super::report_source::{self, MailExchangers, ReportCoverage};
use crate::mailbox::{parse::ParsedMail, return_path::ReturnPath};
use crate::workspaces::{suppressed, suspension};

/// Feedback types that are no complaints: the opposite of one, and reports about forged mail.
const NON_COMPLAINT_TYPES: [&str; 4] = ["not-spam", "miscategorized", "auth-failure", "dmarc"];

/// The facts that decide whether a report counts, in addition to the mail itself.
#[derive(Clone, Copy)]
pub struct ReportContext<'a> {
    /// The return paths of the report's recipients that resolve to the receiving inbox.
    pub paths: &'a [ReturnPath],
    /// The mail exchangers of the recipients that it may refer to.
    pub exchangers: &'a [MailExchangers],
    /// The sources of valid complaints (`feedback.sources`).
    pub feedback_sources: &'a [String],
}

/// A sent message, and the recipients of it that a report covers.
pub(super) struct ReportedMessage {
    pub(super) original: Message,
    /// The recipients that the report covers.
    pub(super) coverage: ReportCoverage,
}

/// The change of one delivery entry.
struct RecipientChange {
    after: RecipientDelivery,
    /// The diagnostic text of the remote server.
    diagnostic: Option<String>,
    /// Whether the failure is permanent.
    hard: bool,
    suppress: Option<SuppressionReason>,
}

impl RecipientChange {
    /// Returns the incident that counts toward suspension, if any.
    fn incident(&self) -> Option<Incident> {
        match self.after.status {
            DeliveryStatus::Complained => Some(Incident::Complaint),
            DeliveryStatus::Bounced if self.hard => Some(Incident::HardBounce),
            _ => None,
        }
    }
}

/// Returns the messages that a mail reports about: those whose return paths it arrived at, otherwise one whose
/// Message-ID it names. Empty if the mail is not a report or doesn't count.
pub(super) fn subjects(
    tx: &mut Tx,
    mail: &ParsedMail,
    at: ReportContext<'_>,
    inbox: &Inbox,
) -> Result<Vec<ReportedMessage>> {
    let Some(report) = &mail.report else { return Ok(Vec::new()) };
    let mut all = Vec::new();
    for path in at.paths {
        all.extend(at_return_path(tx, report, path)?);
    }
    if !all.is_empty() {
        return Ok(all);
    }
    let Some(original) = find_by_message_ids(tx, &report.original_ids, inbox)? else { return Ok(all) };
    let entries = entries(tx, &original)?;
    let domains: Vec<String> = entries.iter().filter_map(report_source::domain_of).collect();
    let coverage = match &report.content {
        ReportContent::Delivery(_) => report_source::of_delivery_report(mail, &domains, at.exchangers),
        // A feedback source reports to an address of the sender, so it cannot be about another workspace.
        ReportContent::Complaint { .. } if original.workspace != inbox.workspace => None,
        ReportContent::Complaint { .. } => report_source::of_complaint(mail, &domains, at.feedback_sources),
    };
    if !report.is_certain && !names_any(report, &entries) {
        return Ok(all);
    }
    let is_covered =
        |coverage: &ReportCoverage| entries.iter().any(|entry| refers_to(report, entry, coverage, entries.len()));
    all.extend(coverage.filter(is_covered).map(|coverage| ReportedMessage { original, coverage }));
    Ok(all)
}

/// Returns the message of a return path at which a report arrived, if the report is about it. Text that doesn't prove
/// to be a report is one only if it names a recipient of the message.
pub(super) fn at_return_path(
    tx: &mut Tx,
    report: &InboundReport,
    path: &ReturnPath,
) -> Result<Option<ReportedMessage>> {
    let Some(original) = deliveries::anywhere(tx, path.message)? else { return Ok(None) };
    let counts = report.is_certain || names_any(report, &entries(tx, &original)?);
    Ok(counts.then_some(ReportedMessage { original, coverage: ReportCoverage::Position(path.position) }))
}

/// Returns true if a delivery report names one of these recipients.
fn names_any(report: &InboundReport, entries: &[RecipientDelivery]) -> bool {
    let ReportContent::Delivery(recipient_reports) = &report.content else { return false };
    entries.iter().any(|entry| recipient_reports.iter().any(|reported| names(reported, entry)))
}

/// Returns true if a report refers to a recipient within its coverage. A complaint without recipients may refer to any.
fn refers_to(report: &InboundReport, entry: &RecipientDelivery, coverage: &ReportCoverage, recipients: usize) -> bool {
    let refers = match &report.content {
        ReportContent::Delivery(recipient_reports) => {
            report_for(recipient_reports, entry, coverage, recipients).is_some()
        }
        ReportContent::Complaint { recipients: named, .. } => {
            named.is_empty() || is_complaint_about(named, entry, coverage, recipients)
        }
    };
    refers && coverage.includes(entry)
}

/// Returns the first message that was sent with one of these Message-IDs.
pub(super) fn find_by_message_ids(tx: &mut Tx, original_ids: &[String], inbox: &Inbox) -> Result<Option<Message>> {
    for rfc_message_id in original_ids {
        let found = sent_with(tx, rfc_message_id, inbox)?;
        if let Some(found) = found.filter(|found| found.direction == Direction::Outbound) {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// Returns the delivery entries of a message.
pub(super) fn entries(tx: &mut Tx, message: &Message) -> Result<Vec<RecipientDelivery>> {
    Ok(recipients::of(tx, message.workspace, &[message.id])?.into_iter().map(|entry| entry.delivery).collect())
}

/// Returns the message sent with a Message-ID. If the service created the Message-ID, it contains the ID of the
/// message, which may be in any workspace; otherwise the message must be in this inbox.
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

/// Applies the report in a mail to the sent messages that it is about.
pub(super) fn apply(
    tx: &mut Tx,
    mail: &ParsedMail,
    subjects: &[ReportedMessage],
    ids: &IdGenerator,
    now: Time,
) -> Result<()> {
    let Some(report) = &mail.report else { return Ok(()) };
    subjects.iter().try_for_each(|subject| apply_to_message(tx, report, subject, ids, now))
}

/// Applies a report to a sent message.
fn apply_to_message(
    tx: &mut Tx,
    report: &InboundReport,
    ReportedMessage { original, coverage }: &ReportedMessage,
    ids: &IdGenerator,
    now: Time,
) -> Result<()> {
    let tenant = original.workspace;
    let Some(held) = deliveries::lock(tx, tenant, original.id)? else { return Ok(()) };
    let entries = entries(tx, original)?;
    let changes = changes(report, &entries, coverage, now);
    if changes.is_empty() {
        return Ok(());
    }
    for change in &changes {
        recipients::update(tx, tenant, original.id, &change.after)?;
        suppress(tx, original, change)?;
    }
    let status = overall_status(deliveries::statuses(tx, tenant, original.id)?);
    let update = MessageStatusUpdate { status, sent_at: held.sent_at, at: now };
    deliveries::set_status(tx, tenant, original.id, &held, update)?;
    for change in changes.iter().filter(|change| change.after.status == DeliveryStatus::Bounced) {
        metrics::bounce(tx, tenant, held.inbox, &change.after, now)?;
    }
    let is_bad =
        |change: &RecipientChange| matches!(change.after.status, DeliveryStatus::Bounced | DeliveryStatus::Complained);
    if changes.iter().any(is_bad) {
        let incidents = changes.iter().filter_map(|change| Some((change.incident()?, &change.after)));
        let incidents = suspension::counted(tx, original, incidents)?;
        suspension::record_incidents(tx, tenant, incidents, now)?;
    }
    let home = inboxes::get(tx, tenant, held.inbox)?.filter(|inbox| inbox.deleted_at.is_none());
    let Some(home) = home else { return Ok(()) };
    for (kind, detail_json) in event_data(report, &changes) {
        let event = NewEvent::new(kind, tenant, ids.next(), now)
            .in_inbox(held.inbox)
            .in_thread(held.thread)
            .about_message(original.id)
            .with_detail(detail_json);
        events::append_or_hold(tx, home.is_paused(), &event)?;
    }
    Ok(())
}

/// Returns the changes that a report makes; pure.
fn changes(
    report: &InboundReport,
    entries: &[RecipientDelivery],
    coverage: &ReportCoverage,
    now: Time,
) -> Vec<RecipientChange> {
    let open = |entry: &&RecipientDelivery| {
        let has_left = matches!(entry.status, DeliveryStatus::Sent | DeliveryStatus::Delivered);
        entry.channel == Channel::Email && has_left && coverage.includes(entry)
    };
    let open = entries.iter().filter(open);
    let all = entries.len();
    match &report.content {
        ReportContent::Delivery(recipient_reports) => {
            let change = |entry: &RecipientDelivery| {
                let reported = report_for(recipient_reports, entry, coverage, all)?;
                let change = settled(entry, reported, now)?;
                let suppress = change.suppress.filter(|_| !is_elsewhere(reported, entry, entries));
                Some(RecipientChange { suppress, ..change })
            };
            open.filter_map(change).collect()
        }
        ReportContent::Complaint { kind, .. } if NON_COMPLAINT_TYPES.contains(&kind.as_str()) => Vec::new(),
        ReportContent::Complaint { recipients, .. } => open
            .filter(|entry| is_complaint_about(recipients, entry, coverage, all))
            .map(|entry| {
                let after = RecipientDelivery { status: DeliveryStatus::Complained, updated_at: now, ..entry.clone() };
                RecipientChange { after, diagnostic: None, hard: false, suppress: Some(SuppressionReason::Complaint) }
            })
            .collect(),
    }
}

/// Returns the part of a delivery report that refers to a recipient. A report may hide the recipient or name a
/// forwarding address instead. Then it applies if only one recipient is possible; if it arrived at a return path and
/// lists several addresses, a failure takes precedence.
fn report_for<'f>(
    recipient_reports: &'f [RecipientReport],
    entry: &RecipientDelivery,
    coverage: &ReportCoverage,
    recipients: usize,
) -> Option<&'f RecipientReport> {
    if let Some(named) = recipient_reports.iter().find(|reported| names(reported, entry)) {
        return Some(named);
    }
    match coverage {
        ReportCoverage::Position(_) => recipient_reports
            .iter()
            .find(|reported| reported.action == ReportAction::Failed)
            .or(recipient_reports.first()),
        _ => recipient_reports.first().filter(|_| recipients == 1 && recipient_reports.len() == 1),
    }
}

/// Returns true if the complaint refers to this recipient.
fn is_complaint_about(
    named: &[Address],
    entry: &RecipientDelivery,
    coverage: &ReportCoverage,
    recipients: usize,
) -> bool {
    let is_named = || Address::parse(&entry.address).is_ok_and(|address| named.contains(&address));
    matches!(coverage, ReportCoverage::Position(_)) || recipients == 1 || is_named()
}

/// Returns true if a part of a report names this recipient, by its address or by its local part without a domain.
fn names(reported: &RecipientReport, entry: &RecipientDelivery) -> bool {
    let Ok(address) = Address::parse(&entry.address) else { return false };
    let is_local = reported.addresses.is_empty() && reported.local_part.as_deref() == Some(address.canonical_local());
    is_local || reported.addresses.contains(&address)
}

/// Returns true if a report is about an address of another domain that the message was forwarded to. Its end says nothing
/// about the recipient.
fn is_elsewhere(reported: &RecipientReport, entry: &RecipientDelivery, entries: &[RecipientDelivery]) -> bool {
    let own = Address::parse(&entry.address);
    let is_near = |address: &Address| own.as_ref().is_ok_and(|own| address.domain() == own.domain());
    let is_ours = reported.addresses.iter().any(is_near) || entries.iter().any(|entry| names(reported, entry));
    !reported.addresses.is_empty() && !is_ours
}

fn settled(entry: &RecipientDelivery, reported: &RecipientReport, now: Time) -> Option<RecipientChange> {
    let status = match reported.action {
        ReportAction::Failed => DeliveryStatus::Bounced,
        ReportAction::Delivered if entry.status == DeliveryStatus::Sent => DeliveryStatus::Delivered,
        ReportAction::Delivered | ReportAction::Pending => return None,
    };
    // The development outbox recognizes captured mail by this detail.
    let diagnostic = reported.diagnostic.as_ref().map(|text| text.chars().take(DETAIL_CHARS_MAX).collect::<String>());
    let detail = if entry.detail.as_deref() == Some(CAPTURED) { entry.detail.clone() } else { diagnostic.clone() };
    // The codes of the acceptance don't explain a bounce.
    let accepted = Some(entry).filter(|_| status == DeliveryStatus::Delivered);
    let after = RecipientDelivery {
        status,
        smtp_code: reported.diagnostic.as_deref().and_then(smtp_code).or(accepted.and_then(|entry| entry.smtp_code)),
        enhanced_code: reported.status.clone().or_else(|| accepted?.enhanced_code.clone()),
        remote: reported.remote.clone().or_else(|| entry.remote.clone()),
        detail,
        class: (status == DeliveryStatus::Bounced).then_some(reported.class),
        updated_at: now,
        ..entry.clone()
    };
    let suppress = reported.is_dead_address().then_some(SuppressionReason::Bounce);
    Some(RecipientChange { after, diagnostic, hard: reported.is_hard(), suppress })
}

/// Returns the reply code at the start of a diagnostic text.
fn smtp_code(diagnostic: &str) -> Option<u16> {
    diagnostic.get(..3)?.parse().ok().filter(|code| (200..600).contains(code))
}

fn suppress(tx: &mut Tx, original: &Message, change: &RecipientChange) -> Result<()> {
    let Some(reason) = change.suppress else { return Ok(()) };
    let suppression = Suppression {
        workspace: original.workspace,
        address: Address::parse(&change.after.address)
            .map_or_else(|_| change.after.address.clone(), |address| address.canonical()),
        reason,
        detail: change.diagnostic.clone(),
        message: Some(original.id),
        created_at: change.after.updated_at,
    };
    suppressed::record(tx, &suppression)?;
    Ok(())
}

/// Returns the types and data of the events for a report: at most one event of each type.
fn event_data(report: &InboundReport, changes: &[RecipientChange]) -> Vec<(EventKind, String)> {
    let with_status = |status| changes.iter().filter(move |change| change.after.status == status);
    let addresses = |status| with_status(status).map(|change| change.after.address.clone()).collect::<Vec<String>>();
    let mut events = Vec::new();
    let delivered = addresses(DeliveryStatus::Delivered);
    if !delivered.is_empty() {
        let left = data::RecipientsDetail { recipients: delivered, captured: false };
        events.push((EventKind::MessageDelivered, data::text(&left)));
    }
    let bounced: Vec<data::BouncedRecipient> = with_status(DeliveryStatus::Bounced)
        .map(|RecipientChange { after, diagnostic, .. }| data::BouncedRecipient {
            detail: diagnostic.clone(),
            ..data::BouncedRecipient::of(after)
        })
        .collect();
    if !bounced.is_empty() {
        let hard = with_status(DeliveryStatus::Bounced).any(|change| change.hard);
        let kind = if hard { BounceKind::Hard } else { BounceKind::Soft };
        let bounce = data::Bounce { r#type: kind.text(), recipients: bounced };
        events.push((EventKind::MessageBounced, data::text(&data::BounceDetail { bounce })));
    }
    let complained = addresses(DeliveryStatus::Complained);
    if let (ReportContent::Complaint { kind, .. }, false) = (&report.content, complained.is_empty()) {
        let complaint = data::Complaint { r#type: kind.clone(), recipients: complained };
        events.push((EventKind::MessageComplained, data::text(&data::ComplaintDetail { complaint })));
    }
    events
}
