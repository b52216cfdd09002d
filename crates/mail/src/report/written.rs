//! Notices of servers that write no delivery status, only a text for people: qmail, exim, old Exchange, Yahoo, GMX and
//! others. Recipients are looked for where such texts name them, surest place first.

use super::{Action, Fate, News, RECIPIENTS_MAX, cause, cause::Facts, is_status, people, text};
use crate::{address::Address, parse::Parsed};

/// Most lines of a notice that are read.
const LINES_MAX: usize = 400;
/// Most characters of a notice's words that are kept.
const WORDS_CHARS_MAX: usize = 500;
/// Lines of a notice before which no original mail begins.
const LINES_MIN: usize = 3;
/// How lines begin behind which the original mail follows, lower case, without the dashes in front.
const ORIGINAL: [&str; 20] = [
    "this is a copy of",
    "below this line is a copy",
    "below is a copy",
    "unsent message",
    "the unsent message",
    "returned message",
    "message headers follow",
    "message header follows",
    "the text of the",
    "the text of your",
    "the header of the original",
    "the headers of the",
    "a copy of the original",
    "your original message:",
    "original mail as follows",
    "content of original",
    "non-delivered message",
    "included is a copy",
    "received:",
    "return-path:",
];
/// Words right before a recipient.
const BEFORE: [&str; 9] = [
    "your mail to",
    "be delivered to",
    "delivery to",
    "deliver to",
    "recipient",
    "recipients",
    "following address",
    "your message to",
    "rcpt to",
];
/// Local parts of addresses that are there to be asked, not to be told of.
const HELPERS: [&str; 4] = ["mailer-daemon", "postmaster", "support", "abuse"];

/// Where in a line a recipient stands, surest first.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Behind the name of a field: `Final-Recipient: …`.
    Field,
    /// All of the line, or its beginning and then a word about it.
    Alone,
    /// Behind words such as "could not be delivered to".
    Told,
    /// The beginning of the line, in angle brackets.
    First,
    /// In angle brackets.
    Bracketed,
    /// Anywhere.
    Anywhere,
}

const PLACES: [Place; 6] = [Place::Field, Place::Alone, Place::Told, Place::First, Place::Bracketed, Place::Anywhere];

/// What a notice says.
pub(super) fn delivery(parsed: &Parsed<'_>) -> Option<News> {
    let lines = lines(text(parsed));
    let recipients = recipients(parsed);
    let whole = lines.join("\n");
    if recipients.is_empty() {
        // Who it was may be known by the address that the notice came to.
        return (!whole.trim().is_empty()).then(|| News::Delivery(vec![fate(None, "", &whole)]));
    }
    let places: Vec<usize> = recipients.iter().map(|address| line_of(&lines, address)).collect();
    let fates = recipients.iter().zip(&places).map(|(address, from)| {
        let to = places.iter().copied().filter(|place| place > from).min().unwrap_or(lines.len());
        let own = lines[*from..to].join("\n");
        let said = if recipients.len() == 1 { &whole } else { &own };
        fate(Some(address.clone()), &own, said)
    });
    Some(News::Delivery(fates.collect()))
}

/// Those whom a notice names as its recipients.
pub(super) fn recipients(parsed: &Parsed<'_>) -> Vec<Address> {
    let failed = parsed.headers.all("x-failed-recipients").flat_map(addresses).map(|(_, _, address)| address);
    let failed: Vec<Address> = failed.take(RECIPIENTS_MAX).collect();
    if failed.is_empty() { named(&lines(text(parsed)), &people(parsed)) } else { failed }
}

fn fate(recipient: Option<Address>, own: &str, said: &str) -> Fate {
    let words = |c: char| !(c.is_ascii_digit() || c == '.');
    let status = said.split(words).map(|code| code.trim_matches('.')).find(|code| is_status(code)).map(str::to_owned);
    let facts = Facts { is_delayed: false, status: status.as_deref(), words: own, said };
    let class = cause::of(&facts);
    let told = if own.is_empty() { said } else { own };
    let told: String = told.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(WORDS_CHARS_MAX).collect();
    let lower = said.to_lowercase();
    let is_warning = ["warning message only", "do not need to resend", "will be retried", "delivery is delayed"]
        .iter()
        .any(|words| lower.contains(words));
    Fate {
        addresses: recipient.into_iter().collect(),
        action: if is_warning { Action::Open } else { Action::Failed },
        status,
        diagnostic: Some(told).filter(|words| !words.is_empty()),
        remote: None,
        class,
    }
}

/// The lines of the notice itself, without marks of quotation and without the mail it returns.
fn lines(text: &str) -> Vec<&str> {
    let mut lines = Vec::new();
    for line in text.split(['\n', '\r']).take(LINES_MAX) {
        let line = line.trim_start_matches(['>', ' ', '\t']);
        let bare = line.trim_start_matches(['-', ' ', '*', '=']).to_ascii_lowercase();
        let dashed = line.starts_with('-') && bare.starts_with("original message");
        let begins = dashed || ORIGINAL.iter().any(|words| bare.starts_with(words));
        if begins && lines.iter().filter(|line: &&&str| !line.is_empty()).count() >= LINES_MIN {
            break;
        }
        lines.push(line);
    }
    lines
}

/// Recipients in the surest kind of place that has any; people of the notice's own header only if there is nobody else.
fn named(lines: &[&str], own: &[Address]) -> Vec<Address> {
    let mut helpers = Vec::new();
    for place in PLACES {
        let mut found: Vec<Address> = Vec::new();
        for address in lines.iter().filter_map(|line| at(place, line)) {
            if HELPERS.contains(&&*address.local().to_ascii_lowercase()) {
                helpers.push(address);
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
    helpers.retain(|address| !own.contains(address));
    helpers.truncate(1);
    helpers
}

/// The recipient of a line, if it stands in such a place.
fn at(place: Place, line: &str) -> Option<Address> {
    let all = addresses(line);
    let (from, to, address) = all.first().cloned()?;
    let lower = line.to_ascii_lowercase();
    let before = lower[..from].trim_end_matches(['<', '"', '\'', ':', ' ', '\t', ';']);
    let after = line[to..].trim_start_matches(['>', '"', '\'']);
    let fits = match place {
        Place::Field => {
            let names = ["final-recipient", "original-recipient", "failed recipient"];
            names.iter().any(|name| before.starts_with(name))
        }
        Place::Alone => {
            let rest = after.trim_start_matches([':', ',']).trim_start();
            before.is_empty() && (rest.is_empty() || rest.starts_with("on ") || rest.starts_with('('))
        }
        Place::Told => BEFORE.iter().any(|words| before.ends_with(words)) || before == "to",
        Place::First => before.is_empty() && line[..from].ends_with('<'),
        Place::Bracketed => {
            let (_, _, address) = all.iter().find(|(from, _, _)| line[..*from].ends_with('<'))?;
            return Some(address.clone());
        }
        Place::Anywhere => true,
    };
    fits.then_some(address)
}

fn line_of(lines: &[&str], address: &Address) -> usize {
    let is_in = |line: &&str| addresses(line).iter().any(|(_, _, found)| found == address);
    lines.iter().position(is_in).unwrap_or(0)
}

/// The addresses of a text, with where each begins and ends in bytes.
pub(super) fn addresses(text: &str) -> Vec<(usize, usize, Address)> {
    /// Most addresses of one text.
    const MAX: usize = 100;
    let bytes = text.as_bytes();
    let is_local = |b: u8| b.is_ascii_alphanumeric() || b"!#$%&*+-/=?^_{|}~.".contains(&b);
    let is_domain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.');
    let mut found = Vec::new();
    for (at, _) in text.match_indices('@').take(MAX) {
        let mut from = at;
        if at > 0 && bytes[at - 1] == b'"' {
            from = text[..at - 1].rfind('"').unwrap_or(at);
        } else {
            while from > 0 && is_local(bytes[from - 1]) {
                from -= 1;
            }
            while from < at && matches!(bytes[from], b'=' | b'.' | b'/') {
                from += 1;
            }
        }
        let mut to = at + 1;
        while to < bytes.len() && is_domain(bytes[to]) {
            to += 1;
        }
        while to > at + 1 && matches!(bytes[to - 1], b'.' | b'-') {
            to -= 1;
        }
        found.extend(Address::parse(&text[from..to]).ok().map(|address| (from, to, address)));
    }
    found
}
