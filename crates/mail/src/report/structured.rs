//! Parses the machine-readable parts of reports: delivery status (RFC 3464), disposition (RFC 8098) and feedback
//! (RFC 5965).

use super::{
    ORIGINAL_MEDIA_TYPES, RECIPIENTS_MAX, RecipientReport, ReportAction, ReportContent, address, cause,
    cause::FailureEvidence, is_conversation, is_status, part, text, written,
};
use crate::{
    address::Address,
    bounce::{BounceClass, BounceSeverity},
    header,
    parse::ParsedMessage,
};

/// Most characters of a server's reply that are kept.
const WORDS_CHARS_MAX: usize = 1_000;
/// Media types of delivery status parts.
const STATUS: [&str; 2] = ["message/delivery-status", "message/global-delivery-status"];
/// Media types of disposition parts.
const DISPOSITION: [&str; 2] = ["message/disposition-notification", "message/global-disposition-notification"];

/// Parses a delivery status, also one whose MIME structure was lost so that it is part of the text.
pub(super) fn delivery(parsed: &ParsedMessage<'_>) -> Option<ReportContent> {
    let prose = text(parsed);
    let parts: Vec<&[u8]> = status_parts(parsed).collect();
    let mut groups = match &parts[..] {
        [_, ..] => parts.iter().flat_map(|part| status_groups(part)).take(RECIPIENTS_MAX).collect(),
        [] if prose.contains("Final-Recipient:") && !is_conversation(parsed) => status_groups(prose.as_bytes()),
        [] => return None,
    };
    if let [only] = &mut groups[..]
        && only.addresses.is_empty()
        && only.local_part.is_none()
    {
        // Some servers report a file or a route here, and name the recipient only in the text.
        only.addresses = written::recipients(parsed);
    }
    let reports: Vec<RecipientReport> = match &groups[..] {
        [only] => vec![only.report(prose)],
        // What the text says about other recipients is no evidence.
        several => {
            let firsts: Vec<Option<&Address>> = several.iter().map(|group| group.addresses.last()).collect();
            let named: Vec<Address> = firsts.iter().flatten().map(|&address| address.clone()).collect();
            let mut own = written::prose_of(parsed, &named).into_iter();
            let prose = firsts.iter().map(|first| first.and_then(|_| own.next()).unwrap_or_default());
            several.iter().zip(prose).map(|(group, prose)| group.report(&prose)).collect()
        }
    };
    (!reports.is_empty()).then_some(ReportContent::Delivery(reports))
}

/// Returns the delivery status parts of a message. Some servers write one for each recipient.
fn status_parts<'p>(parsed: &'p ParsedMessage<'_>) -> impl Iterator<Item = &'p [u8]> {
    let parts = parsed.attachments.iter().filter(|part| STATUS.contains(&&*part.content_type));
    parts.take(RECIPIENTS_MAX).map(|part| &*part.bytes)
}

/// Parses the disposition of a message that a recipient's mail system rejected, as scripts (RFC 5429) and full
/// mailboxes do. Returns `None` for receipts.
pub(super) fn disposition(parsed: &ParsedMessage<'_>) -> Option<ReportContent> {
    let bytes = &part(parsed, &DISPOSITION)?.bytes;
    let field = |name| header::first_field(bytes, name).map(|field| field.decoded());
    let disposition = field("disposition")?.to_ascii_lowercase();
    let (mode, kind) = disposition.split_once(';')?;
    let (kind, modifiers) = kind.split_once('/').unwrap_or((kind, ""));
    let prose = text(parsed);
    let has_failed = matches!(kind.trim(), "failed" | "denied" | "rejected") || modifiers.contains("error");
    let is_rejected = kind.trim() == "deleted" && mode.contains("automatic") && written::states_failure(prose);
    if !has_failed && !is_rejected && field("failure").is_none() {
        return None;
    }
    let words = ["failure", "error"].into_iter().find_map(field).unwrap_or_default();
    let names = ["original-recipient", "final-recipient"];
    let mut group = StatusGroup { diagnostic: Some(words).filter(|words| !words.is_empty()), ..StatusGroup::default() };
    names.into_iter().filter_map(field).for_each(|value| group.add(&value));
    let mut report = group.report(prose);
    if matches!(report.class, BounceClass::Other | BounceClass::System) {
        report.class = BounceClass::Policy;
    }
    // The recipient's mail system accepted the message first, so the address works.
    report.severity = report.severity.min(report.class.severity()).min(BounceClass::Policy.severity());
    Some(ReportContent::Delivery(vec![report]))
}

/// Returns whether a message contains a disposition.
pub(super) fn is_receipt(parsed: &ParsedMessage<'_>) -> bool {
    part(parsed, &DISPOSITION).is_some()
}

/// Parses a feedback report.
pub(super) fn complaint(parsed: &ParsedMessage<'_>) -> Option<ReportContent> {
    // Some senders begin the part with a blank line.
    let bytes = part(parsed, &["message/feedback-report"])?.bytes.trim_ascii_start();
    let kind = header::first_field(bytes, "feedback-type").map(|field| field.decoded().trim().to_ascii_lowercase());
    let values = |bytes: &[u8], names: &[&str]| -> Vec<Address> {
        let named = header::fields(bytes).filter(|field| names.iter().any(|name| field.is(name))).take(RECIPIENTS_MAX);
        named.filter_map(|field| address(&field.decoded())).collect()
    };
    let mut recipients = values(bytes, &["original-rcpt-to", "removal-recipient"]);
    if recipients.is_empty() {
        let original = part(parsed, &ORIGINAL_MEDIA_TYPES).map(|part| &*part.bytes).unwrap_or_default();
        recipients = values(original, &["x-hmxmroriginalrecipient", "delivered-to"]);
        recipients.truncate(1);
    }
    Some(ReportContent::Complaint { kind: kind.unwrap_or_default(), recipients })
}

/// The fields of one recipient.
#[derive(Default)]
struct StatusGroup {
    addresses: Vec<Address>,
    local_part: Option<String>,
    action: Option<ReportAction>,
    status: Option<String>,
    /// What follows the status in its field, and supplements it.
    status_words: String,
    diagnostic: Option<String>,
    remote: Option<String>,
    /// Whether the message was forwarded to another address, which is the one that failed.
    is_forwarded: bool,
}

/// Parses the groups of fields after the first one, which is about the whole message.
fn status_groups(bytes: &[u8]) -> Vec<StatusGroup> {
    let mut groups = Vec::new();
    let mut rest = bytes;
    while groups.len() < RECIPIENTS_MAX && !rest.is_empty() {
        let section = header::section(rest);
        groups.extend(recipient_sections(section).into_iter().filter_map(StatusGroup::parse));
        rest = &rest[header::body_offset(rest).max(1)..];
    }
    groups
}

/// Splits a group of fields that lacks the blank lines between its recipients: a field with the final recipient begins
/// another one, with the original recipient above it.
fn recipient_sections(section: &[u8]) -> Vec<&[u8]> {
    let mut starts = vec![0];
    let mut is_named = false;
    let mut original = None;
    for field in header::fields(section) {
        if field.is("final-recipient") {
            if is_named {
                starts.push(original.unwrap_or(field.range.start));
            }
            (is_named, original) = (true, None);
        } else {
            original = Some(field.range.start).filter(|_| field.is("original-recipient"));
        }
    }
    let ends = starts.iter().skip(1).copied().chain([section.len()]);
    starts.iter().zip(ends).map(|(start, end)| &section[*start..end]).collect()
}

impl StatusGroup {
    fn parse(group: &[u8]) -> Option<Self> {
        let field = |name| header::first_field(group, name).map(|field| field.decoded());
        let status_words = field("status").unwrap_or_default();
        let status = status_words.split_whitespace().next().map(str::to_owned).filter(|code| is_status(code));
        let action = field("action").map(|value| value.trim().to_ascii_lowercase());
        let action = match (action.as_deref(), status.as_deref().and_then(|code| code.chars().next())) {
            (Some(value), _) => match value.split([' ', ';', '(']).next().unwrap_or_default() {
                "failed" | "fail" | "failure" | "error" | "undeliverable" => ReportAction::Failed,
                "delivered" | "deliverable" => ReportAction::Delivered,
                _ => ReportAction::Pending,
            },
            (None, Some('5')) if header::first_field(group, "final-recipient").is_some() => ReportAction::Failed,
            _ => return None,
        };
        let mut all = Self { action: Some(action), status, status_words, ..Self::default() };
        let names = ["original-recipient", "final-recipient", "x-actual-recipient"];
        // Addresses are not decoded: something that looks like an encoded word is part of the address (RFC 2047 §5).
        let written = |name| header::first_field(group, name).map(|field| header::unfold(field.value).into_owned());
        names.into_iter().filter_map(written).for_each(|value| all.add(&value));
        let [original, last] =
            ["original-recipient", "final-recipient"].map(|name| written(name).as_deref().and_then(address));
        all.is_forwarded = original.zip(last).is_some_and(|(original, last)| !is_same_mailbox(&original, &last));
        all.diagnostic = field("diagnostic-code").map(|text| words(&text));
        all.status_words.push(' ');
        all.status_words.push_str(&field("x-supplementary-info").map(|text| words(&text)).unwrap_or_default());
        all.remote = field("remote-mta").map(|text| words(&text));
        Some(all)
    }

    /// Adds a recipient, as in `rfc822; bob@example.com`. Some servers leave the domain out.
    fn add(&mut self, value: &str) {
        match address(value) {
            Some(address) if !self.addresses.contains(&address) => self.addresses.push(address),
            Some(_) => {}
            None => {
                let bare = value.split_once(';').map_or(value, |(_, local)| local).trim().trim_matches(['<', '>']);
                let is_local =
                    !bare.is_empty() && !bare.contains(char::is_whitespace) && !bare.contains(['@', '/', '|']);
                self.local_part = Some(bare.to_lowercase()).filter(|_| is_local);
            }
        }
    }

    /// Returns the status of the recipient. `prose` is the human-readable text about it.
    fn report(&self, prose: &str) -> RecipientReport {
        let action = self.action.unwrap_or(ReportAction::Failed);
        let is_temporary = self.status.as_deref().is_some_and(|code| code.starts_with('4'));
        // Some servers call a delay a failure.
        let is_delay = action == ReportAction::Failed && is_temporary && written::is_delay(prose);
        let action = if is_delay { ReportAction::Pending } else { action };
        let facts = FailureEvidence {
            is_delayed: action == ReportAction::Pending,
            status: self.status.as_deref(),
            words: &format!("{} {}", self.diagnostic.as_deref().unwrap_or_default(), self.status_words),
            prose,
        };
        let verdict = cause::of(&facts);
        let most = if self.is_forwarded { BounceSeverity::Hard } else { BounceSeverity::DeadAddress };
        RecipientReport {
            addresses: self.addresses.clone(),
            local_part: self.local_part.clone(),
            action,
            status: self.status.clone(),
            diagnostic: self.diagnostic.clone(),
            remote: self.remote.clone(),
            class: verdict.class,
            severity: verdict.severity.min(most),
        }
    }
}

/// Returns whether two addresses are those of one mailbox: a server may deliver to a host inside the domain.
fn is_same_mailbox(one: &Address, other: &Address) -> bool {
    let (inner, outer) = (one.domain(), other.domain());
    let is_below =
        |inner: &str, outer: &str| inner.strip_suffix(outer).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
    one.canonical_local() == other.canonical_local() && (is_below(inner, outer) || is_below(outer, inner))
}

/// Returns the text after the type, as in `smtp; 550 no such user`.
fn words(value: &str) -> String {
    value.split_once(';').map_or(value, |(_, words)| words).trim().chars().take(WORDS_CHARS_MAX).collect()
}
