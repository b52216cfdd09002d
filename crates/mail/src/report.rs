//! What another mail server says of a mail that was sent: delivery status notifications (RFC 3464) and complaints
//! (RFC 5965). It only reads; whom to believe and what follows is decided elsewhere.

use crate::{
    address::Address,
    header,
    parse::{Attachment, Parsed},
    thread,
};

/// Most recipients of one report that are read.
const RECIPIENTS_MAX: usize = 100;
/// Most characters of a server's words that are kept.
const WORDS_CHARS_MAX: usize = 1_000;
/// Media types in which a report encloses the mail it is about, whole or its header alone.
const ORIGINALS: [&str; 5] =
    ["message/rfc822", "text/rfc822-headers", "message/rfc822-headers", "message/global", "message/global-headers"];

/// A report about a mail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// The Message-ID of the mail it is about, with angle brackets.
    pub original_id: Option<String>,
    /// What it says.
    pub news: News,
}

/// What a report says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum News {
    /// What became of the mail at each recipient.
    Delivery(Vec<Fate>),
    /// A recipient marked it as spam.
    Complaint {
        /// `Feedback-Type`, such as `abuse`.
        kind: String,
        /// Who complained, where the report says so.
        recipients: Vec<Address>,
    },
}

/// What became of a mail at one recipient.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fate {
    /// The recipient's addresses: the one it was sent to and the one it ended at, as far as they are told.
    pub addresses: Vec<Address>,
    /// What became of it.
    pub action: Action,
    /// The enhanced status code (RFC 3463).
    pub status: Option<String>,
    /// The words of the server that decided.
    pub diagnostic: Option<String>,
    /// The server that decided.
    pub remote: Option<String>,
}

/// `Action` (RFC 3464 §2.3.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// It was given up.
    Failed,
    /// It was put where the recipient reads it.
    Delivered,
    /// It goes on, or it left the world of reports: nothing is known for good.
    Open,
}

impl Report {
    /// Whether it says that delivery failed for somebody.
    #[must_use]
    pub fn is_failure(&self) -> bool {
        matches!(&self.news, News::Delivery(fates) if fates.iter().any(|fate| fate.action == Action::Failed))
    }
}

/// The report that a mail is, if it is one: `multipart/report` with a part that a program can read.
#[must_use]
pub fn read(parsed: &Parsed<'_>) -> Option<Report> {
    let kind = parsed.headers.first("content-type")?.trim_start().to_ascii_lowercase();
    if !kind.starts_with("multipart/report") {
        return None;
    }
    let part = |types: &[&str]| parsed.attachments.iter().find(|part| types.contains(&&*part.content_type));
    let news = if let Some(part) = part(&["message/delivery-status", "message/global-delivery-status"]) {
        News::Delivery(fates(&part.bytes))
    } else {
        complaint(&part(&["message/feedback-report"])?.bytes)
    };
    let original_id = part(&ORIGINALS).and_then(original_id).or_else(|| parsed.in_reply_to.clone());
    Some(Report { original_id, news })
}

fn original_id(part: &Attachment<'_>) -> Option<String> {
    let field = header::first_field(&part.bytes, "message-id")?;
    thread::message_ids(&header::unfold(field.value)).into_iter().next()
}

/// The groups of fields behind the first one, which is about the mail as a whole.
fn fates(bytes: &[u8]) -> Vec<Fate> {
    let mut fates = Vec::new();
    let mut rest = bytes;
    while fates.len() < RECIPIENTS_MAX && !rest.is_empty() {
        fates.extend(fate(header::section(rest)));
        rest = &rest[header::body_offset(rest)..];
    }
    fates
}

fn fate(group: &[u8]) -> Option<Fate> {
    let field = |name| header::first_field(group, name).map(|field| field.decoded());
    let action = match &*field("action")?.trim().to_ascii_lowercase() {
        "failed" => Action::Failed,
        "delivered" => Action::Delivered,
        _ => Action::Open,
    };
    let mut addresses: Vec<Address> = Vec::new();
    for told in ["original-recipient", "final-recipient"].into_iter().filter_map(field) {
        addresses.extend(address(&told).filter(|address| !addresses.contains(address)));
    }
    let status = field("status").and_then(|text| text.split_whitespace().next().map(str::to_owned));
    Some(Fate {
        addresses,
        action,
        status: status.filter(|code| is_status(code)),
        diagnostic: field("diagnostic-code").map(|text| words(&text)),
        remote: field("remote-mta").map(|text| words(&text)),
    })
}

/// The address behind the type, as in `rfc822; bob@example.com`.
fn address(told: &str) -> Option<Address> {
    let bare = told.split_once(';').map_or(told, |(_, address)| address).trim();
    Address::parse(bare.trim_start_matches('<').trim_end_matches('>')).ok()
}

/// What is behind the type, as in `smtp; 550 no such user`.
fn words(told: &str) -> String {
    told.split_once(';').map_or(told, |(_, words)| words).trim().chars().take(WORDS_CHARS_MAX).collect()
}

/// `class.subject.detail` (RFC 3463 §2).
fn is_status(code: &str) -> bool {
    let parts: Vec<&str> = code.split('.').collect();
    let is_number = |part: &&str| (1..=3).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
    parts.len() == 3 && parts.iter().all(is_number) && matches!(parts[0], "2" | "4" | "5")
}

fn complaint(bytes: &[u8]) -> News {
    let kind = header::first_field(bytes, "feedback-type").map(|field| field.decoded().trim().to_ascii_lowercase());
    let told = header::fields(bytes).filter(|field| field.is("original-rcpt-to")).take(RECIPIENTS_MAX);
    let recipients = told.filter_map(|field| address(&field.decoded())).collect();
    News::Complaint { kind: kind.unwrap_or_default(), recipients }
}

#[cfg(test)]
mod tests;
