//! The parts of reports that are made for programs: delivery status (RFC 3464) and feedback (RFC 5965).

use super::{Action, Fate, News, RECIPIENTS_MAX, address, cause, cause::Facts, is_status, part, text, written};
use crate::{address::Address, header, parse::Parsed};

/// Most characters of a server's words that are kept.
const WORDS_CHARS_MAX: usize = 1_000;
/// Media types of a delivery status.
const STATUS: [&str; 2] = ["message/delivery-status", "message/global-delivery-status"];

/// What a delivery status says; also one that lost its MIME parts and stands in the text.
pub(super) fn delivery(parsed: &Parsed<'_>) -> Option<News> {
    let said = text(parsed);
    let mut fates = match part(parsed, &STATUS) {
        Some(part) => fates(&part.bytes, said),
        None if said.contains("Final-Recipient:") => fates(said.as_bytes(), said),
        None => return None,
    };
    if let [only] = &mut fates[..]
        && only.addresses.is_empty()
    {
        // Some put a file or a route there, and name the recipient in the text alone.
        only.addresses = written::recipients(parsed);
    }
    (!fates.is_empty()).then_some(News::Delivery(fates))
}

/// What a feedback report says.
pub(super) fn complaint(parsed: &Parsed<'_>) -> Option<News> {
    let bytes = &part(parsed, &["message/feedback-report"])?.bytes;
    let kind = header::first_field(bytes, "feedback-type").map(|field| field.decoded().trim().to_ascii_lowercase());
    let told = header::fields(bytes).filter(|field| field.is("original-rcpt-to")).take(RECIPIENTS_MAX);
    let recipients = told.filter_map(|field| address(&field.decoded())).collect();
    Some(News::Complaint { kind: kind.unwrap_or_default(), recipients })
}

/// The groups of fields behind the first one, which is about the mail as a whole. `said` is the report's text for people.
fn fates(bytes: &[u8], said: &str) -> Vec<Fate> {
    let mut fates = Vec::new();
    let mut rest = bytes;
    while fates.len() < RECIPIENTS_MAX && !rest.is_empty() {
        fates.extend(fate(header::section(rest), said));
        rest = &rest[header::body_offset(rest).max(1)..];
    }
    fates
}

fn fate(group: &[u8], said: &str) -> Option<Fate> {
    let field = |name| header::first_field(group, name).map(|field| field.decoded());
    let told = field("action")?.trim().to_ascii_lowercase();
    let action = match told.split([' ', ';', '(']).next().unwrap_or_default() {
        "failed" | "fail" | "failure" => Action::Failed,
        "delivered" | "deliverable" => Action::Delivered,
        _ => Action::Open,
    };
    let mut addresses: Vec<Address> = Vec::new();
    let names = ["original-recipient", "final-recipient", "x-actual-recipient"];
    // An address is what it is: what looks like an encoded word in it is none (RFC 2047 §5).
    let written = |name| header::first_field(group, name).map(|field| header::unfold(field.value).into_owned());
    for told in names.into_iter().filter_map(written) {
        addresses.extend(address(&told).filter(|address| !addresses.contains(address)));
    }
    let told = field("status").unwrap_or_default();
    let status = told.split_whitespace().next().map(str::to_owned).filter(|code| is_status(code));
    let diagnostic = field("diagnostic-code").map(|text| words(&text));
    let facts = Facts {
        is_delayed: action == Action::Open,
        status: status.as_deref(),
        words: &format!("{} {told}", diagnostic.as_deref().unwrap_or_default()),
        said,
    };
    let class = cause::of(&facts);
    let remote = field("remote-mta").map(|text| words(&text));
    Some(Fate { addresses, action, status, diagnostic, remote, class })
}

/// What is behind the type, as in `smtp; 550 no such user`.
fn words(told: &str) -> String {
    told.split_once(';').map_or(told, |(_, words)| words).trim().chars().take(WORDS_CHARS_MAX).collect()
}
