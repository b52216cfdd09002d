//! Parses reports of other mail servers about sent mail: delivery status notifications (RFC 3464), notices of servers
//! that don't use that format (qmail, exim, Exchange and others), and spam complaints (RFC 5965). It only parses; the
//! caller decides which reports to trust and what follows.

mod address_search;
mod cause;
mod notification;
mod original;
mod structured;
mod written;

use crate::{
    address::Address,
    author::Author,
    bounce::{BounceClass, BounceSeverity},
    header,
    lines::lines,
    parse::{self, AddressEntry, ParsedAttachment, ParsedMessage},
    thread,
    wordlist::{self, WordTable},
};

/// Most recipients parsed from one report.
const RECIPIENTS_MAX: usize = 100;
/// Most candidate Message-IDs of the original message.
const ORIGINAL_IDS_MAX: usize = 6;
/// Most bytes of a notice's text that are parsed.
const TEXT_BYTES_MAX: usize = 128 * 1024;
/// Media types in which a report includes the original message or its header.
const ORIGINAL_MEDIA_TYPES: [&str; 5] =
    ["message/rfc822", "text/rfc822-headers", "message/rfc822-headers", "message/global", "message/global-headers"];
/// Local parts that mail servers use as the author of reports.
pub const DAEMON_LOCAL_PARTS: [&str; 7] = [
    "mailer-daemon",
    "postmaster",
    "post_master",
    "post-master",
    "mail-daemon",
    "mailer_daemon",
    "mail.delivery.system",
];
/// Lower-case phrases in the subjects of notices.
static NOTICE_SUBJECTS: WordTable = WordTable::new(|| wordlist::table(PHRASES, "notice subjects"));

const PHRASES: &str = include_str!("report/phrases.txt");

/// A report about a message that was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InboundReport {
    /// Message-IDs, with angle brackets, that may be that of the original message; likeliest first, at most six.
    pub original_ids: Vec<String>,
    /// The content of the report.
    pub content: ReportContent,
    /// Whether its form proves that it is a report. Other text is one only if it names a recipient of the message.
    pub is_certain: bool,
}

/// The content of a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReportContent {
    /// The delivery status of each recipient.
    Delivery(Vec<RecipientReport>),
    /// A recipient marked the message as spam.
    Complaint {
        /// The `Feedback-Type`, such as `abuse`.
        kind: String,
        /// The recipients who complained, if the report names them.
        recipients: Vec<Address>,
    },
}

/// The delivery status of one recipient.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecipientReport {
    /// The recipient's original and final addresses, as far as the report names them.
    pub addresses: Vec<Address>,
    /// The recipient's local part in lower case, if the report leaves the domain out.
    pub local_part: Option<String>,
    /// The action that the server took.
    pub action: ReportAction,
    /// The enhanced status code (RFC 3463).
    pub status: Option<String>,
    /// The reply or message of the server that made the decision.
    pub diagnostic: Option<String>,
    /// The server that made the decision.
    pub remote: Option<String>,
    /// Why delivery failed or is delayed.
    pub class: BounceClass,
    /// How final that is.
    pub severity: BounceSeverity,
}

impl RecipientReport {
    /// Returns whether the failure is permanent. Otherwise a later attempt could succeed.
    #[must_use]
    pub fn is_hard(&self) -> bool {
        self.action == ReportAction::Failed && self.severity != BounceSeverity::Soft
    }

    /// Returns whether the address doesn't work for any sender, so that no more mail should be sent to it.
    #[must_use]
    pub fn is_dead_address(&self) -> bool {
        self.action == ReportAction::Failed && self.severity == BounceSeverity::DeadAddress
    }
}

/// The value of the `Action` field (RFC 3464 §2.3.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportAction {
    /// Delivery failed and will not be retried.
    Failed,
    /// The message was delivered.
    Delivered,
    /// Delivery continues, or the message was passed to a system that sends no reports: the result is not final.
    Pending,
}

impl InboundReport {
    /// Returns whether delivery failed for at least one recipient.
    #[must_use]
    pub fn is_failure(&self) -> bool {
        matches!(&self.content, ReportContent::Delivery(entries) if entries.iter().any(|entry| entry.action == ReportAction::Failed))
    }
}

/// Parses a report. Returns `None` if the message is not one. `returned` is true if its return path is empty, as
/// RFC 3464 §2 requires for reports.
///
/// A report has the structure of one, or is a text of a mail server that states a failure or a delay and names a
/// recipient.
/// All other mail of mail servers is ordinary mail; see [`resembles_report`].
#[must_use]
pub fn read(parsed: &ParsedMessage<'_>, returned: bool) -> Option<InboundReport> {
    let from_server = returned || is_daemon(parsed);
    let structured = (is_declared(parsed) || from_server).then(|| {
        structured::delivery(parsed)
            .or_else(|| structured::complaint(parsed))
            .or_else(|| structured::disposition(parsed))
    });
    let structured = structured
        .flatten()
        .or_else(|| notification::read(parsed))
        .or_else(|| hotmail_complaint(parsed))
        .or_else(|| enclosed_report(parsed).filter(|_| from_server));
    let is_text = from_server && !is_conversation(parsed) && !structured::is_receipt(parsed);
    if structured.is_none() && !is_text {
        return None;
    }
    let original = original::read(parsed);
    if let Some(content) = structured {
        return Some(InboundReport { original_ids: original.ids, content, is_certain: true });
    }
    let found = written::delivery(parsed, &original)?;
    Some(InboundReport { original_ids: original.ids, content: found.content, is_certain: found.is_certain })
}

/// Parses the delivery status in an attached message that is itself a report, as gateways pass it on.
fn enclosed_report(parsed: &ParsedMessage<'_>) -> Option<ReportContent> {
    let enclosed = part(parsed, &["message/rfc822"])?;
    let inner = parse::parse(&enclosed.bytes);
    if is_declared(&inner) && is_daemon(&inner) { structured::delivery(&inner) } else { None }
}

/// Returns whether ordinary mail resembles a report: it comes from a mail server and mentions a failed delivery.
#[must_use]
pub fn resembles_report(parsed: &ParsedMessage<'_>, returned: bool) -> bool {
    let mentions_failure = || {
        let subject = parsed.subject.as_deref().unwrap_or_default();
        let lower = subject.to_lowercase();
        NOTICE_SUBJECTS.iter().any(|part| lower.contains(part))
            || written::states_failure(subject)
            || written::states_failure(text(parsed))
    };
    let is_server = returned || is_daemon(parsed);
    is_server && (is_declared(parsed) || returned && is_mailer_daemon(parsed) || mentions_failure())
}

/// Returns whether the message is declared as a report (RFC 6522).
fn is_declared(parsed: &ParsedMessage<'_>) -> bool {
    let kind = parsed.headers.first("content-type");
    kind.is_some_and(|kind| kind.trim_start().to_ascii_lowercase().starts_with("multipart/report"))
}

/// Returns whether a person or a mailing list wrote the message, whatever its author is called. Lists add their fields
/// to the reports that they pass on, but none writes as `mailer-daemon`.
fn is_conversation(parsed: &ParsedMessage<'_>) -> bool {
    // The commands of SMTP are in no answer of a person.
    let has_commands =
        || lines(text(parsed)).any(|line| line.trim_start().to_ascii_lowercase().starts_with("rcpt to:"));
    let is_list = || parsed.headers.first("list-unsubscribe").is_some() && !is_mailer_daemon(parsed);
    parsed.subject.as_deref().is_some_and(thread::is_reply) && !has_commands() || is_list()
}

fn is_mailer_daemon(parsed: &ParsedMessage<'_>) -> bool {
    author(parsed).is_some_and(|author| author.local().eq_ignore_ascii_case("mailer-daemon"))
}

/// Returns the text of a message, limited to the bytes that are parsed.
fn text<'p>(parsed: &'p ParsedMessage<'_>) -> &'p str {
    let text = parsed.text.as_deref().unwrap_or_default();
    &text[..text.floor_char_boundary(TEXT_BYTES_MAX)]
}

fn part<'p, 'a>(parsed: &'p ParsedMessage<'a>, types: &[&str]) -> Option<&'p ParsedAttachment<'a>> {
    parsed.attachments.iter().find(|part| types.contains(&&*part.content_type))
}

fn author<'p>(parsed: &'p ParsedMessage<'_>) -> Option<&'p Address> {
    parsed.author.as_ref().ok().map(Author::address)
}

/// Returns whether the address is one that mail systems use, such as `mailer-daemon`.
#[must_use]
pub fn is_mail_system(address: &Address) -> bool {
    is_daemon_name(address.local())
}

fn is_daemon_name(local: &str) -> bool {
    DAEMON_LOCAL_PARTS.contains(&&*local.to_ascii_lowercase())
}

/// Returns whether a mail server wrote the message. Some servers send their name without a domain.
fn is_daemon(parsed: &ParsedMessage<'_>) -> bool {
    let named = match author(parsed) {
        Some(author) => author.local(),
        None => parsed.headers.first("from").unwrap_or_default().trim(),
    };
    is_daemon_name(named)
}

/// Parses the old complaint format of Outlook.com: the original message with a field that names the recipient.
fn hotmail_complaint(parsed: &ParsedMessage<'_>) -> Option<ReportContent> {
    let subject = parsed.subject.as_deref()?.trim_start();
    let is_from = author(parsed)?.canonical_str() == "staff@hotmail.com";
    if !is_from || !subject.to_ascii_lowercase().starts_with("complaint about message from") {
        return None;
    }
    let original = part(parsed, &ORIGINAL_MEDIA_TYPES)?;
    let recipient = header::first_field(&original.bytes, "x-hmxmroriginalrecipient").map(|field| field.decoded());
    let recipients = recipient.as_deref().and_then(address).into_iter().collect();
    Some(ReportContent::Complaint { kind: "abuse".to_owned(), recipients })
}

/// Returns all addresses in the header of the report itself. The reported recipient is usually not one of them.
fn header_addresses(parsed: &ParsedMessage<'_>) -> Vec<Address> {
    let parties = parsed.to.iter().chain(&parsed.cc).chain(&parsed.sender).chain(&parsed.reply_to);
    let others = parties.filter_map(|party: &AddressEntry| Some(party.mailbox.as_ref()?.address()));
    author(parsed).into_iter().chain(others).cloned().collect()
}

/// Parses the address after the type, as in `rfc822; bob@example.com`.
fn address(value: &str) -> Option<Address> {
    let bare = value.split_once(';').map_or(value, |(_, address)| address).trim();
    let bare = unescaped(bare.trim_start_matches('<').trim_end_matches('>').trim());
    let bare = bare.as_str();
    Address::parse(bare).ok().or_else(|| address_search::addresses(bare).into_iter().next().map(|found| found.address))
}

/// Decodes `\x{7528}`, the encoding of non-ASCII characters in an ASCII report (RFC 6533 §3).
fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("\\x{") {
        let (before, from) = rest.split_at(at);
        let end = from.find('}').unwrap_or(from.len());
        let Some(decoded) = from.get(3..end).and_then(|hex| char::from_u32(u32::from_str_radix(hex, 16).ok()?)) else {
            break;
        };
        out.push_str(before);
        out.push(decoded);
        rest = from.get(end + 1..).unwrap_or_default();
    }
    out.push_str(rest);
    out
}

/// Returns whether `code` has the form `class.subject.detail` (RFC 3463 §2).
fn is_status(code: &str) -> bool {
    let is_number = |part: &str| (1..=3).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
    let [b'2' | b'4' | b'5', b'.', ..] = code.as_bytes() else { return false };
    code[2..].split_once('.').is_some_and(|(subject, detail)| is_number(subject) && is_number(detail))
}

#[cfg(test)]
mod tests;
