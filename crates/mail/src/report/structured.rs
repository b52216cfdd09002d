//! Parses the machine-readable parts of reports: delivery status (RFC 3464) and feedback (RFC 5965).

use super::{
    RECIPIENTS_MAX, RecipientReport, ReportAction, ReportContent, address, cause, cause::FailureEvidence, is_status,
    part, text, written,
};
use crate::{address::Address, header, parse::ParsedMessage};

/// Most characters of a server's reply that are kept.
const WORDS_CHARS_MAX: usize = 1_000;
/// Media types of delivery status parts.
const STATUS: [&str; 2] = ["message/delivery-status", "message/global-delivery-status"];

/// Parses a delivery status, also one whose MIME structure was lost so that it is part of the text.
pub(super) fn delivery(parsed: &ParsedMessage<'_>) -> Option<ReportContent> {
    let prose = text(parsed);
    let mut fates = match part(parsed, &STATUS) {
        Some(part) => recipient_reports(&part.bytes, prose),
        None if prose.contains("Final-Recipient:") => recipient_reports(prose.as_bytes(), prose),
        None => return None,
    };
    if let [only] = &mut fates[..]
        && only.addresses.is_empty()
    {
        // Some servers report a file or a route here, and name the recipient only in the text.
        only.addresses = written::recipients(parsed);
    }
    (!fates.is_empty()).then_some(ReportContent::Delivery(fates))
}

/// Parses a feedback report.
pub(super) fn complaint(parsed: &ParsedMessage<'_>) -> Option<ReportContent> {
    let bytes = &part(parsed, &["message/feedback-report"])?.bytes;
    let kind = header::first_field(bytes, "feedback-type").map(|field| field.decoded().trim().to_ascii_lowercase());
    let complaining = header::fields(bytes).filter(|field| field.is("original-rcpt-to")).take(RECIPIENTS_MAX);
    let recipients = complaining.filter_map(|field| address(&field.decoded())).collect();
    Some(ReportContent::Complaint { kind: kind.unwrap_or_default(), recipients })
}

/// Parses the groups of fields after the first one, which is about the whole message. `prose` is the human-readable
/// text.
fn recipient_reports(bytes: &[u8], prose: &str) -> Vec<RecipientReport> {
    let mut fates = Vec::new();
    let mut rest = bytes;
    while fates.len() < RECIPIENTS_MAX && !rest.is_empty() {
        fates.extend(recipient_report(header::section(rest), prose));
        rest = &rest[header::body_offset(rest).max(1)..];
    }
    fates
}

fn recipient_report(group: &[u8], prose: &str) -> Option<RecipientReport> {
    let field = |name| header::first_field(group, name).map(|field| field.decoded());
    let action_value = field("action")?.trim().to_ascii_lowercase();
    let action = match action_value.split([' ', ';', '(']).next().unwrap_or_default() {
        "failed" | "fail" | "failure" => ReportAction::Failed,
        "delivered" | "deliverable" => ReportAction::Delivered,
        _ => ReportAction::Pending,
    };
    let mut addresses: Vec<Address> = Vec::new();
    let names = ["original-recipient", "final-recipient", "x-actual-recipient"];
    // Addresses are not decoded: something that looks like an encoded word is part of the address (RFC 2047 §5).
    let written = |name| header::first_field(group, name).map(|field| header::unfold(field.value).into_owned());
    for value in names.into_iter().filter_map(written) {
        addresses.extend(address(&value).filter(|address| !addresses.contains(address)));
    }
    let status_value = field("status").unwrap_or_default();
    let status = status_value.split_whitespace().next().map(str::to_owned).filter(|code| is_status(code));
    let diagnostic = field("diagnostic-code").map(|text| words(&text));
    let facts = FailureEvidence {
        is_delayed: action == ReportAction::Pending,
        status: status.as_deref(),
        words: &format!("{} {status_value}", diagnostic.as_deref().unwrap_or_default()),
        prose,
    };
    let class = cause::of(&facts);
    let remote = field("remote-mta").map(|text| words(&text));
    Some(RecipientReport { addresses, action, status, diagnostic, remote, class })
}

/// Returns the text after the type, as in `smtp; 550 no such user`.
fn words(value: &str) -> String {
    value.split_once(';').map_or(value, |(_, words)| words).trim().chars().take(WORDS_CHARS_MAX).collect()
}
