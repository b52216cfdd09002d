//! Parses notices without a delivery status, which consist of text for people: qmail, exim, old Exchange, Yahoo, GMX
//! and others. Recipients are searched where such texts usually name them, most reliable position first.

use super::{
    RECIPIENTS_MAX, RecipientReport, ReportAction, ReportContent, cause, cause::FailureEvidence, header_addresses,
    is_status, text,
};
use crate::{
    address::Address,
    parse::ParsedMessage,
    wordlist::{self, WordTable},
};

const PHRASES: &str = include_str!("phrases.txt");

/// Most lines of a notice that are parsed.
const LINES_MAX: usize = 400;
/// Most characters of a notice that are kept as the diagnostic.
const WORDS_CHARS_MAX: usize = 500;
/// Lines of the notice that must come before the original message.
const LINES_MIN: usize = 3;
/// Lower-case beginnings of the lines that separate the notice from the original message, without leading dashes.
static ORIGINAL_MARKERS: WordTable = WordTable::new(|| wordlist::table(PHRASES, "original markers"));
/// Phrases directly before a recipient.
static RECIPIENT_PHRASES: WordTable = WordTable::new(|| wordlist::table(PHRASES, "recipient phrases"));
/// Local parts of addresses that a notice gives as contacts, not as recipients.
const CONTACT_LOCAL_PARTS: [&str; 4] = ["mailer-daemon", "postmaster", "support", "abuse"];

/// The position of a recipient in a line, most reliable first.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RecipientPosition {
    /// After a field name: `Final-Recipient: …`.
    Field,
    /// The whole line, or its beginning followed by a known word.
    WholeLine,
    /// After a phrase such as "could not be delivered to".
    AfterPhrase,
    /// At the beginning of the line, in angle brackets.
    LineStart,
    /// In angle brackets.
    Bracketed,
    /// Anywhere.
    Anywhere,
}

const RECIPIENT_POSITIONS: [RecipientPosition; 6] = [
    RecipientPosition::Field,
    RecipientPosition::WholeLine,
    RecipientPosition::AfterPhrase,
    RecipientPosition::LineStart,
    RecipientPosition::Bracketed,
    RecipientPosition::Anywhere,
];

/// Parses the statuses in a notice.
pub(super) fn delivery(parsed: &ParsedMessage<'_>) -> Option<ReportContent> {
    let lines = lines(text(parsed));
    let recipients = recipients(parsed);
    let whole = lines.join("\n");
    if recipients.is_empty() {
        // The address that received the notice may identify the recipient.
        return (!whole.trim().is_empty()).then(|| ReportContent::Delivery(vec![recipient_report(None, "", &whole)]));
    }
    let first_lines: Vec<usize> = recipients.iter().map(|address| line_of(&lines, address)).collect();
    let fates = recipients.iter().zip(&first_lines).map(|(address, from)| {
        let to = first_lines.iter().copied().filter(|line| line > from).min().unwrap_or(lines.len());
        let own = lines[*from..to].join("\n");
        let prose = if recipients.len() == 1 { &whole } else { &own };
        recipient_report(Some(address.clone()), &own, prose)
    });
    Some(ReportContent::Delivery(fates.collect()))
}

/// Returns the recipients that a notice names.
pub(super) fn recipients(parsed: &ParsedMessage<'_>) -> Vec<Address> {
    let failed = parsed.headers.all("x-failed-recipients").flat_map(addresses).map(|found| found.address);
    let failed: Vec<Address> = failed.take(RECIPIENTS_MAX).collect();
    if failed.is_empty() { recipients_in(&lines(text(parsed)), &header_addresses(parsed)) } else { failed }
}

fn recipient_report(recipient: Option<Address>, own: &str, prose: &str) -> RecipientReport {
    let separator = |c: char| !(c.is_ascii_digit() || c == '.');
    let status =
        prose.split(separator).map(|code| code.trim_matches('.')).find(|code| is_status(code)).map(str::to_owned);
    let facts = FailureEvidence { is_delayed: false, status: status.as_deref(), words: own, prose };
    let class = cause::of(&facts);
    let diagnostic = if own.is_empty() { prose } else { own };
    let diagnostic: String =
        diagnostic.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(WORDS_CHARS_MAX).collect();
    let lower = prose.to_lowercase();
    let is_warning = ["warning message only", "do not need to resend", "will be retried", "delivery is delayed"]
        .iter()
        .any(|words| lower.contains(words));
    RecipientReport {
        addresses: recipient.into_iter().collect(),
        action: if is_warning { ReportAction::Pending } else { ReportAction::Failed },
        status,
        diagnostic: Some(diagnostic).filter(|words| !words.is_empty()),
        remote: None,
        class,
    }
}

/// Returns the lines of the notice itself, without quote marks and without the original message.
fn lines(text: &str) -> Vec<&str> {
    let mut lines = Vec::new();
    for line in text.split(['\n', '\r']).take(LINES_MAX) {
        let line = line.trim_start_matches(['>', ' ', '\t']);
        let bare = line.trim_start_matches(['-', ' ', '*', '=']).to_ascii_lowercase();
        let dashed = line.starts_with('-') && bare.starts_with("original message");
        let begins = dashed || ORIGINAL_MARKERS.iter().any(|words| bare.starts_with(words));
        if begins && lines.iter().filter(|line: &&&str| !line.is_empty()).count() >= LINES_MIN {
            break;
        }
        lines.push(line);
    }
    lines
}

/// Returns the recipients in the most reliable position that has any. Addresses from the header of the notice are used
/// only if there are no others.
fn recipients_in(lines: &[&str], own: &[Address]) -> Vec<Address> {
    let mut contacts = Vec::new();
    for position in RECIPIENT_POSITIONS {
        let mut found: Vec<Address> = Vec::new();
        for address in lines.iter().filter_map(|line| at(position, line)) {
            if CONTACT_LOCAL_PARTS.contains(&&*address.local().to_ascii_lowercase()) {
                contacts.push(address);
            } else if found.len() < RECIPIENTS_MAX && !found.contains(&address) {
                found.push(address);
            }
        }
        if found.iter().any(|address| !own.contains(address)) {
            found.retain(|address| !own.contains(address));
        }
        if !found.is_empty() {
            return found;
        }
    }
    contacts.retain(|address| !own.contains(address));
    contacts.truncate(1);
    contacts
}

/// Returns the address in a line, if it is at the given position.
fn at(position: RecipientPosition, line: &str) -> Option<Address> {
    let all = addresses(line);
    let AddressMatch { start, end, address } = all.first().cloned()?;
    let lower = line.to_ascii_lowercase();
    let before = lower[..start].trim_end_matches(['<', '"', '\'', ':', ' ', '\t', ';']);
    let after = line[end..].trim_start_matches(['>', '"', '\'']);
    let fits = match position {
        RecipientPosition::Field => {
            let names = ["final-recipient", "original-recipient", "failed recipient"];
            names.iter().any(|name| before.starts_with(name))
        }
        RecipientPosition::WholeLine => {
            let rest = after.trim_start_matches([':', ',']).trim_start();
            before.is_empty() && (rest.is_empty() || rest.starts_with("on ") || rest.starts_with('('))
        }
        RecipientPosition::AfterPhrase => {
            RECIPIENT_PHRASES.iter().any(|words| before.ends_with(words)) || before == "to"
        }
        RecipientPosition::LineStart => before.is_empty() && line[..start].ends_with('<'),
        RecipientPosition::Bracketed => {
            let found = all.iter().find(|found| line[..found.start].ends_with('<'))?;
            return Some(found.address.clone());
        }
        RecipientPosition::Anywhere => true,
    };
    fits.then_some(address)
}

fn line_of(lines: &[&str], address: &Address) -> usize {
    let is_in = |line: &&str| addresses(line).iter().any(|found| found.address == *address);
    lines.iter().position(is_in).unwrap_or(0)
}

/// An address in a text, with its start and end in bytes.
#[derive(Clone)]
pub(super) struct AddressMatch {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) address: Address,
}

/// Finds the addresses in a text.
pub(super) fn addresses(text: &str) -> Vec<AddressMatch> {
    /// Most addresses found in one text.
    const MAX: usize = 100;
    let bytes = text.as_bytes();
    let is_local = |b: u8| b.is_ascii_alphanumeric() || b"!#$%&*+-/=?^_{|}~.".contains(&b);
    let is_domain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.');
    let mut found = Vec::new();
    for (at, _) in text.match_indices('@').take(MAX) {
        let mut start = at;
        if at > 0 && bytes[at - 1] == b'"' {
            start = text[..at - 1].rfind('"').unwrap_or(at);
        } else {
            while start > 0 && is_local(bytes[start - 1]) {
                start -= 1;
            }
            while start < at && matches!(bytes[start], b'=' | b'.' | b'/') {
                start += 1;
            }
        }
        let mut end = at + 1;
        while end < bytes.len() && is_domain(bytes[end]) {
            end += 1;
        }
        while end > at + 1 && matches!(bytes[end - 1], b'.' | b'-') {
            end -= 1;
        }
        found.extend(Address::parse(&text[start..end]).ok().map(|address| AddressMatch { start, end, address }));
    }
    found
}
