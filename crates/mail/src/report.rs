//! What another mail server says of a mail that was sent: delivery status notifications (RFC 3464), notices of servers that
//! write none (qmail, exim, Exchange and others), and complaints (RFC 5965). It only reads; whom to believe and what
//! follows is decided elsewhere.

mod cause;
mod structured;
mod written;

use crate::{
    address::Address,
    author::Author,
    bounce::Class,
    header,
    parse::{Attachment, Parsed, Party},
    thread,
};

/// Most recipients of one report that are read.
const RECIPIENTS_MAX: usize = 100;
/// Most Message-IDs of one report that may name the mail it is about.
const ORIGINALS_MAX: usize = 6;
/// Most bytes of a notice's text that are read.
const TEXT_BYTES_MAX: usize = 128 * 1024;
/// Media types in which a report encloses the mail it is about, whole or its header alone.
const ORIGINALS: [&str; 5] =
    ["message/rfc822", "text/rfc822-headers", "message/rfc822-headers", "message/global", "message/global-headers"];
/// Local parts that mail servers write under.
const DAEMONS: [&str; 4] = ["mailer-daemon", "postmaster", "mail-daemon", "mail.delivery.system"];
/// Parts of the subjects of notices, lower case.
const SUBJECTS: [&str; 18] = [
    "undeliver",
    "delivery fail",
    "failure notice",
    "returned mail",
    "delivery status",
    "mail delivery",
    "delivery problem",
    "delivery error",
    "not be delivered",
    "not delivered",
    "non-delivery",
    "delivery has failed",
    "delivery notification",
    "returned to sender",
    "mail system error",
    "mail could not",
    "failed delivery",
    "unzustellbar",
];

/// A report about a mail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// Message-IDs with angle brackets that may be those of the mail it is about, likeliest first; at most six.
    pub original_ids: Vec<String>,
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
    /// Why it failed or waits, where it does.
    pub class: Class,
}

impl Fate {
    /// Whether it will never work; otherwise it could have, or may later.
    #[must_use]
    pub fn is_hard(&self) -> bool {
        let waited = self.status.as_deref().is_some_and(|code| code.starts_with('4')) && !self.class.is_dead_address();
        self.action == Action::Failed && !waited && !self.class.is_passing()
    }
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

/// The report that a mail is, if it is one. `returned` says that its return path was empty, as that of every report should be.
#[must_use]
pub fn read(parsed: &Parsed<'_>, returned: bool) -> Option<Report> {
    let declared = parsed
        .headers
        .first("content-type")
        .is_some_and(|kind| kind.trim_start().to_ascii_lowercase().starts_with("multipart/report"));
    let from_server = returned || is_daemon(parsed);
    if !declared && !from_server {
        return complaint_of_hotmail(parsed);
    }
    let news = structured::delivery(parsed)
        .or_else(|| structured::complaint(parsed))
        .or_else(|| (from_server && is_notice(parsed)).then(|| written::delivery(parsed)).flatten());
    match news {
        Some(news) => Some(Report { original_ids: original_ids(parsed), news }),
        None => complaint_of_hotmail(parsed),
    }
}

/// The text of a mail, as far as it is read.
fn text<'p>(parsed: &'p Parsed<'_>) -> &'p str {
    let text = parsed.text.as_deref().unwrap_or_default();
    &text[..text.floor_char_boundary(TEXT_BYTES_MAX)]
}

fn part<'p, 'a>(parsed: &'p Parsed<'a>, types: &[&str]) -> Option<&'p Attachment<'a>> {
    parsed.attachments.iter().find(|part| types.contains(&&*part.content_type))
}

fn author<'p>(parsed: &'p Parsed<'_>) -> Option<&'p Address> {
    parsed.author.as_ref().ok().map(Author::address)
}

/// Whether mail systems write under that address, and people don't.
#[must_use]
pub fn is_mail_system(address: &Address) -> bool {
    is_daemon_name(address.local())
}

fn is_daemon_name(local: &str) -> bool {
    DAEMONS.contains(&&*local.to_ascii_lowercase())
}

/// Whether a mail server wrote it; some give their name without a domain.
fn is_daemon(parsed: &Parsed<'_>) -> bool {
    let named = match author(parsed) {
        Some(author) => author.local(),
        None => parsed.headers.first("from").unwrap_or_default().trim(),
    };
    is_daemon_name(named)
}

/// Whether a server's mail is about a failure: not everything with an empty return path is, a vacation notice for one.
fn is_notice(parsed: &Parsed<'_>) -> bool {
    let subject = parsed.subject.as_deref().unwrap_or_default().to_lowercase();
    is_daemon(parsed)
        || parsed.headers.first("x-failed-recipients").is_some()
        || SUBJECTS.iter().any(|part| subject.contains(part))
}

/// Outlook.com's old form of a complaint: the mail itself with a field that names who complained.
fn complaint_of_hotmail(parsed: &Parsed<'_>) -> Option<Report> {
    let subject = parsed.subject.as_deref()?.trim_start();
    let is_from = author(parsed)?.canonical_str() == "staff@hotmail.com";
    if !is_from || !subject.to_ascii_lowercase().starts_with("complaint about message from") {
        return None;
    }
    let original = part(parsed, &ORIGINALS)?;
    let told = header::first_field(&original.bytes, "x-hmxmroriginalrecipient").map(|field| field.decoded());
    let recipients = told.as_deref().and_then(address).into_iter().collect();
    Some(Report { original_ids: original_ids(parsed), news: News::Complaint { kind: "abuse".to_owned(), recipients } })
}

/// Where the mail that a report is about may be named: in the mail it encloses, in its text, in its own references.
fn original_ids(parsed: &Parsed<'_>) -> Vec<String> {
    let enclosed = part(parsed, &ORIGINALS)
        .and_then(|part| header::first_field(&part.bytes, "message-id"))
        .map(|field| header::unfold(field.value).into_owned());
    let is_id = |line: &&str| line.get(..11).is_some_and(|name| name.eq_ignore_ascii_case("message-id:"));
    let lines = text(parsed).lines().map(|line| line.trim_start_matches(['>', ' ', '\t']));
    let quoted = lines.filter(is_id).take(ORIGINALS_MAX).map(|line| line[11..].to_owned());
    let told = enclosed.into_iter().chain(quoted).flat_map(|text| thread::message_ids(&text));
    let mut ids: Vec<String> = Vec::new();
    for id in told.chain(parsed.in_reply_to.clone()).chain(parsed.references.iter().rev().cloned()) {
        if ids.len() < ORIGINALS_MAX && !ids.contains(&id) {
            ids.push(id);
        }
    }
    ids
}

/// Everybody in the header of the report itself: whom it is about is mostly somebody else.
fn people(parsed: &Parsed<'_>) -> Vec<Address> {
    let parties = parsed.to.iter().chain(&parsed.cc).chain(&parsed.sender).chain(&parsed.reply_to);
    let others = parties.filter_map(|party: &Party| Some(party.mailbox.as_ref()?.address()));
    author(parsed).into_iter().chain(others).cloned().collect()
}

/// The address behind the type, as in `rfc822; bob@example.com`.
fn address(told: &str) -> Option<Address> {
    let bare = told.split_once(';').map_or(told, |(_, address)| address).trim();
    let bare = unescaped(bare.trim_start_matches('<').trim_end_matches('>').trim());
    let bare = bare.as_str();
    Address::parse(bare).ok().or_else(|| written::addresses(bare).into_iter().next().map(|(_, _, address)| address))
}

/// The form that carries characters beyond ASCII in an ASCII report: `\x{7528}` (RFC 6533 §3).
fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("\\x{") {
        let (before, from) = rest.split_at(at);
        let end = from.find('}').unwrap_or(from.len());
        let Some(meant) = from.get(3..end).and_then(|hex| char::from_u32(u32::from_str_radix(hex, 16).ok()?)) else {
            break;
        };
        out.push_str(before);
        out.push(meant);
        rest = from.get(end + 1..).unwrap_or_default();
    }
    out.push_str(rest);
    out
}

/// `class.subject.detail` (RFC 3463 §2).
fn is_status(code: &str) -> bool {
    let parts: Vec<&str> = code.split('.').collect();
    let is_number = |part: &&str| (1..=3).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
    parts.len() == 3 && parts.iter().all(is_number) && matches!(parts[0], "2" | "4" | "5")
}

#[cfg(test)]
mod tests;
