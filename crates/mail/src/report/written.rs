//! Parses notices that consist of text for people: qmail, exim, old Exchange, Domino, mobile carriers and others, in
//! any language of `phrases.txt`. A notice states a failure or a delay and names a recipient where such texts name one; recipients
//! are searched there, most reliable position first. Each recipient gets the lines that are about it.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use super::{
    RECIPIENTS_MAX, RecipientReport, ReportAction, ReportContent,
    address_search::{AddressMatch, addresses},
    cause,
    cause::FailureEvidence,
    header_addresses, is_status,
    original::Original,
    text,
};
use crate::{
    address::Address,
    bounce, html,
    parse::ParsedMessage,
    wordlist::{self, WordTable},
};

const PHRASES: &str = include_str!("phrases.txt");

/// Most lines of a notice that are parsed.
const LINES_MAX: usize = 400;
/// Most characters of a notice that are kept as the diagnostic.
const WORDS_CHARS_MAX: usize = 500;
/// Most bytes of the lines of one recipient, and of a notice that is about all.
const OWN_BYTES_MAX: usize = 2 * 1024;
const NOTICE_BYTES_MAX: usize = 16 * 1024;
/// Lines of the notice that must come before the original message.
const LINES_MIN: usize = 3;
/// Most bytes of a local part without a domain (RFC 5321 §4.5.3.1.1).
const LOCAL_BYTES_MAX: usize = 64;
/// Lower-case beginnings of the lines that separate the notice from the original message, without leading dashes.
static ORIGINAL_MARKERS: WordTable = WordTable::new(|| wordlist::table(PHRASES, "original markers"));
/// Phrases directly before a recipient.
static RECIPIENT_PHRASES: WordTable = WordTable::new(|| wordlist::table(PHRASES, "recipient phrases"));
/// Names of fields with a recipient.
static RECIPIENT_FIELDS: WordTable = WordTable::new(|| wordlist::table(PHRASES, "recipient fields"));
/// An automaton that finds all statements that mail was not delivered in one pass.
static FAILURES: LazyLock<AhoCorasick> = LazyLock::new(|| {
    AhoCorasick::new(wordlist::table(PHRASES, "failures")).expect("the table must fit into an automaton")
});
/// Statements that delivery continues.
static DELAYS: WordTable = WordTable::new(|| wordlist::table(PHRASES, "delays"));
/// Statements that delivery does not continue.
static ENDS: WordTable = WordTable::new(|| wordlist::table(PHRASES, "ends"));
/// Words for mail and its parts.
static MAIL_NOUNS: WordTable = WordTable::new(|| wordlist::table(PHRASES, "mail nouns"));
/// Words for what a reply code comes from.
const SERVER_NOUNS: [&str; 9] = ["said", "replied", "smtp", "rcpt", "server", "host", "response", "error", "reason"];
/// Local parts of addresses that a notice gives as contacts, not as recipients.
const CONTACT_LOCAL_PARTS: [&str; 6] = ["mailer-daemon", "postmaster", "support", "abuse", "helpdesk", "hostmaster"];

/// The position of a recipient in a line, most reliable first.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RecipientPosition {
    /// Behind the reply code of a transcript: `550 <bob@example.com>... User unknown`.
    Transcript,
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

const RECIPIENT_POSITIONS: [RecipientPosition; 7] = [
    RecipientPosition::Transcript,
    RecipientPosition::Field,
    RecipientPosition::WholeLine,
    RecipientPosition::AfterPhrase,
    RecipientPosition::LineStart,
    RecipientPosition::Bracketed,
    RecipientPosition::Anywhere,
];

/// A recipient as a notice names it.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum NamedRecipient {
    /// By its address.
    Address(Address),
    /// By its local part alone, in lower case.
    Local(String),
}

impl NamedRecipient {
    fn is_in(&self, line: &str, all: &[AddressMatch]) -> bool {
        match self {
            Self::Address(address) => all.iter().any(|found| found.address == *address),
            Self::Local(local) => {
                let is_part = |c: char| c.is_alphanumeric() || "._+-@".contains(c);
                line.to_lowercase().split(|c| !is_part(c)).any(|word| word.trim_matches('.') == local)
            }
        }
    }
}

/// A report that is written as text.
pub(super) struct WrittenReport {
    pub(super) content: ReportContent,
    /// Whether the lines of a recipient contain what a server replied, or a known reason.
    pub(super) is_certain: bool,
}

/// Parses the statuses in a notice. Returns `None` if the text states no failure, or names no recipient.
pub(super) fn delivery(parsed: &ParsedMessage<'_>, original: &Original) -> Option<WrittenReport> {
    let has_header = parsed.headers.first("x-failed-recipients").is_some();
    let (whole, names, own) = texts(parsed).find_map(|text| {
        let notice = lines(&text);
        let whole = notice.join("\n");
        let is_failure = has_header
            || super::is_declared(parsed)
            || states_failure(&whole)
            || states_failure(subject(parsed))
            // People also write that an answer is delayed.
            || super::is_daemon(parsed) && is_delay(&whole);
        let found = if is_failure { recipients_of(parsed, &notice, original) } else { FoundRecipients::default() };
        let own = own_lines(&notice, &found.names);
        // An address anywhere in a text is a recipient only together with a reason.
        let is_named = has_header
            || found.is_reliable && has(&folded(&whole), &MAIL_NOUNS)
            || own.iter().any(|own| has_reason(own));
        (is_named && !found.names.is_empty()).then_some((whole, found.names, own))
    })?;
    let has_any = own.iter().any(|own| has_reason(own));
    let is_certain = has_header || has_any && names.iter().all(|name| matches!(name, NamedRecipient::Address(_)));
    let notice = &whole[..whole.floor_char_boundary(NOTICE_BYTES_MAX)];
    let is_delayed = is_delay(notice);
    let mut reports: Vec<RecipientReport> = Vec::new();
    for (name, own) in names.iter().zip(&own) {
        let fate = match reports.first() {
            // Without a reason of their own, all recipients share that of the notice.
            Some(first) if !has_any => first.clone(),
            // What is said about other recipients is no evidence.
            Some(_) => recipient_report(own, own, is_delayed),
            None => recipient_report(own, if has_any && names.len() > 1 { own } else { notice }, is_delayed),
        };
        reports.push(named(name, fate));
    }
    Some(WrittenReport { content: ReportContent::Delivery(reports), is_certain })
}

/// Returns whether a text states that mail was not delivered: by a phrase, by a reply of a server, or by a status code
/// with a known reason.
pub(super) fn states_failure(text: &str) -> bool {
    let lower = folded(text);
    let is_reply = || has(&lower, &SERVER_NOUNS) || status_in(text).is_some();
    let is_failure = || status_in(text).is_some_and(|code| !code.starts_with('2'));
    FAILURES.is_match(&lower)
        || cause::reply_code(text).is_some() && is_reply() && has_reason(text)
        || is_failure() && bounce::by_prose(text).is_some()
}

/// Returns whether a text says that the server goes on trying.
pub(super) fn is_delay(text: &str) -> bool {
    // Exim announces that it "will give up" one day.
    let lower = folded(text).replace("will give up", "");
    has(&lower, &DELAYS) && !has(&lower, &ENDS)
}

/// Returns the recipients that a notice names by their addresses.
pub(super) fn recipients(parsed: &ParsedMessage<'_>) -> Vec<Address> {
    let of = |text: std::borrow::Cow<'_, str>| {
        let (found, _) = addresses_of(parsed, &lines(&text));
        (!found.is_empty()).then_some(found)
    };
    texts(parsed).find_map(of).unwrap_or_default()
}

/// Returns the lines of the human-readable text that are about each address.
pub(super) fn prose_of(parsed: &ParsedMessage<'_>, addresses: &[Address]) -> Vec<String> {
    let names: Vec<NamedRecipient> = addresses.iter().cloned().map(NamedRecipient::Address).collect();
    own_lines(&lines(text(parsed)), &names)
}

/// Returns the texts of a message, the plain text first. Some notices name the recipient only in their HTML.
fn texts<'p>(parsed: &'p ParsedMessage<'_>) -> impl Iterator<Item = std::borrow::Cow<'p, str>> {
    let html = parsed.html.as_deref().filter(|_| !parsed.text_from_html);
    let html = html.map(|html| &html[..html.floor_char_boundary(super::TEXT_BYTES_MAX)]);
    std::iter::once(text(parsed).into()).chain(html.map(|html| html::to_text(html).into()))
}

fn subject<'p>(parsed: &'p ParsedMessage<'_>) -> &'p str {
    parsed.subject.as_deref().unwrap_or_default()
}

fn folded(text: &str) -> String {
    // The lower case of a dotted capital I is an i with a combining dot.
    let mut words = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !words.is_empty() {
            words.push(' ');
        }
        words.push_str(word);
    }
    let lower = words.to_lowercase();
    if lower.contains('\u{307}') { lower.replace('\u{307}', "") } else { lower }
}

fn has(text: &str, any: &[&str]) -> bool {
    any.iter().any(|words| text.contains(words))
}

/// Returns whether the text contains a reply or a reason of a server.
fn has_reason(text: &str) -> bool {
    let is_reply = || cause::reply_code(text).is_some() && has(&text.to_lowercase(), &SERVER_NOUNS);
    status_in(text).is_some() || bounce::by_prose(text).is_some() || is_reply()
}

fn status_in(text: &str) -> Option<&str> {
    let separator = |c: char| !(c.is_ascii_digit() || c == '.');
    text.split(separator).map(|code| code.trim_matches('.')).find(|code| is_status(code))
}

/// The recipients that a notice names.
#[derive(Default)]
struct FoundRecipients {
    names: Vec<NamedRecipient>,
    /// Whether their position shows that they are recipients, or the original message was sent to them.
    is_reliable: bool,
}

fn recipients_of(parsed: &ParsedMessage<'_>, lines: &[String], original: &Original) -> FoundRecipients {
    let (addresses, position) = addresses_of(parsed, lines);
    if !addresses.is_empty() {
        let is_weak = matches!(position, RecipientPosition::Bracketed | RecipientPosition::Anywhere);
        let is_reliable = !is_weak || addresses.iter().any(|address| original.recipients.contains(address));
        return FoundRecipients { names: addresses.into_iter().map(NamedRecipient::Address).collect(), is_reliable };
    }
    let (locals, is_listed) = local_parts(lines);
    // A local part that the original message was sent to is certainly a recipient.
    let known = original.recipients.iter().filter(|address| locals.contains(&address.local().to_lowercase()));
    let known: Vec<NamedRecipient> = known.take(RECIPIENTS_MAX).cloned().map(NamedRecipient::Address).collect();
    // A notice that names nobody is about the only recipient of the message that it returns.
    if let ([], [only]) = (&known[..], &original.recipients[..])
        && has_reason(&lines.join("\n"))
    {
        return FoundRecipients { names: vec![NamedRecipient::Address(only.clone())], is_reliable: true };
    }
    let is_known = !known.is_empty();
    let is_reliable = is_known || is_listed;
    let names = if is_known { known } else { locals.into_iter().map(NamedRecipient::Local).collect() };
    FoundRecipients { names, is_reliable }
}

fn addresses_of(parsed: &ParsedMessage<'_>, lines: &[String]) -> (Vec<Address>, RecipientPosition) {
    let failed = parsed.headers.all("x-failed-recipients").flat_map(addresses).map(|found| found.address);
    let failed: Vec<Address> = failed.take(RECIPIENTS_MAX).collect();
    if failed.is_empty() { recipients_in(lines, &header_addresses(parsed)) } else { (failed, RecipientPosition::Field) }
}

/// Returns the status of a recipient, from the lines about it and from the text that may be about it.
fn recipient_report(own: &str, prose: &str, is_delayed: bool) -> RecipientReport {
    let status = status_in(own).or_else(|| status_in(prose)).map(str::to_owned);
    let verdict = cause::of(&FailureEvidence { is_delayed, status: status.as_deref(), words: own, prose });
    let diagnostic = if own.is_empty() { prose } else { own };
    let diagnostic: String =
        diagnostic.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(WORDS_CHARS_MAX).collect();
    RecipientReport {
        addresses: Vec::new(),
        local_part: None,
        action: if is_delayed { ReportAction::Pending } else { ReportAction::Failed },
        status,
        diagnostic: Some(diagnostic).filter(|words| !words.is_empty()),
        remote: None,
        class: verdict.class,
        severity: verdict.severity,
    }
}

fn named(name: &NamedRecipient, fate: RecipientReport) -> RecipientReport {
    match name {
        NamedRecipient::Address(address) => RecipientReport { addresses: vec![address.clone()], ..fate },
        NamedRecipient::Local(local) => RecipientReport { local_part: Some(local.clone()), ..fate },
    }
}

/// Returns the lines of the notice itself, without quote marks and without the original message.
fn lines(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for line in text.split(['\n', '\r']).take(LINES_MAX) {
        let line = line.trim_start_matches(['>', ' ', '\t']);
        let bare = line.trim_start_matches(['-', ' ', '*', '=']).to_lowercase();
        let is_dashed = line.starts_with('-');
        let begins = is_dashed && bare.starts_with("original message")
            || ORIGINAL_MARKERS.iter().any(|words| bare.starts_with(words));
        // A sentence that says what follows needs no other sign.
        let is_sentence = || bare.starts_with("original message follows") && bare.ends_with(['.', ':']);
        let least = if is_dashed || is_sentence() { 1 } else { LINES_MIN };
        if begins && lines.iter().filter(|line| !line.is_empty()).count() >= least {
            break;
        }
        lines.push(line.replace("<mailto:", "<"));
    }
    lines
}

/// Returns for each recipient the lines about it: those that name it, and those that follow until another recipient is
/// named. Recipients that are listed together share what follows. If the reasons come before the recipients, as in
/// Notes, the lines before count instead.
fn own_lines(lines: &[String], names: &[NamedRecipient]) -> Vec<String> {
    let mut own = vec![String::new(); names.len()];
    let mut before = vec![String::new(); names.len()];
    let (mut current, mut passage, mut is_list): (Vec<usize>, String, bool) = (Vec::new(), String::new(), false);
    for line in lines.iter().filter(|line| !line.trim().is_empty()) {
        let all = addresses(line);
        let named: Vec<usize> = (0..names.len()).filter(|at| names[*at].is_in(line, &all)).collect();
        // The lines between those of a transcript are about other recipients, or about hosts.
        if names.len() > 1 && is_transcript(line, &all) {
            named.iter().for_each(|at| push_line(&mut own[*at], line));
            current.clear();
            continue;
        }
        if named.is_empty() {
            is_list = false;
            push_line(&mut passage, line);
        } else {
            let is_bare = is_bare(line, &all);
            if !(is_bare && is_list) {
                current.clear();
            }
            current.extend(named.iter().filter(|at| !current.contains(at)).copied().collect::<Vec<_>>());
            is_list = is_bare;
            named.iter().for_each(|at| push_line(&mut before[*at], &passage));
            if !is_bare {
                passage.clear();
            }
        }
        for at in &current {
            push_line(&mut own[*at], line);
        }
        if !named.is_empty() && is_list {
            passage.clear();
        }
    }
    let comes_first = names.len() > 1 && own.last().is_some_and(|own| !has_reason(own)) && has_reason(&before[0]);
    if comes_first { before } else { own }
}

fn push_line(own: &mut String, line: &str) {
    if own.len() < OWN_BYTES_MAX {
        own.push_str(&line[..line.floor_char_boundary(OWN_BYTES_MAX)]);
        own.push('\n');
    }
}

/// Returns whether a line contains nothing but addresses.
fn is_bare(line: &str, all: &[AddressMatch]) -> bool {
    let starts = std::iter::once(0).chain(all.iter().map(|found| found.end));
    let ends = all.iter().map(|found| found.start).chain(std::iter::once(line.len()));
    let mut rest = starts.zip(ends).filter_map(|(start, end)| line.get(start..end));
    !rest.any(|between| between.chars().any(char::is_alphanumeric))
}

/// Returns the recipients in the most reliable position that has any. Addresses from the header of the notice are used
/// only if there are no others.
fn recipients_in(lines: &[String], own: &[Address]) -> (Vec<Address>, RecipientPosition) {
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
        // A notice may greet its own recipient, who sent the message.
        if !matches!(position, RecipientPosition::Field | RecipientPosition::Transcript | RecipientPosition::WholeLine)
        {
            found.retain(|address| !own.contains(address));
        }
        if !found.is_empty() {
            return (found, position);
        }
    }
    contacts.retain(|address| !own.contains(address));
    contacts.truncate(1);
    (contacts, RecipientPosition::Anywhere)
}

/// Returns whether a line is the reply about a recipient in the transcript of a session, as sendmail writes it.
fn is_transcript(line: &str, all: &[AddressMatch]) -> bool {
    let begins = cause::reply_code(line.get(..3).unwrap_or_default()).is_some();
    all.first().is_some_and(|first| {
        let before = line.get(3..first.start).unwrap_or("-");
        begins && matches!(before.trim_start(), "" | "<") && line[first.end..].trim_start_matches('>').starts_with("..")
    })
}

/// Returns the address in a line, if it is at the given position.
fn at(position: RecipientPosition, line: &str) -> Option<Address> {
    let all = addresses(line);
    let AddressMatch { start, end, address } = all.first().cloned()?;
    let lower = line.to_ascii_lowercase();
    let before = lower[..start].trim_end_matches(['<', '"', '\'', ':', ' ', '\t', ';', '[']);
    let before = before.strip_suffix("smtp").map_or(before, |rest| rest.trim_end_matches([':', '[', ' ']));
    let before = &before.split_whitespace().collect::<Vec<_>>().join(" ");
    let after = line[end..].trim_start_matches(['>', '"', '\'', ']']);
    let fits = match position {
        RecipientPosition::Transcript => is_transcript(line, &all),
        RecipientPosition::Field => RECIPIENT_FIELDS.iter().any(|name| before.starts_with(name)),
        RecipientPosition::WholeLine => {
            let rest = after.trim_start_matches([':', ',', ';']).trim_start();
            before.trim_matches(['*', '-', '・', '●', ' ']).is_empty()
                && (rest.is_empty()
                    || rest.starts_with("on ")
                    || rest.starts_with('(')
                    || all.get(1).is_some_and(|next| next.address == address))
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

/// Returns what may be local parts of recipients without their domain, in lower case: a word that is alone in its line,
/// that a reason in parentheses or after a colon follows, or that follows the name of a field. Also returns whether a
/// sentence about recipients announces them, which ends with a colon.
fn local_parts(lines: &[String]) -> (Vec<String>, bool) {
    let mut found: Vec<String> = Vec::new();
    let (mut is_listed, mut is_announced) = (false, false);
    for line in lines {
        let trimmed = line.trim();
        let before = is_announced;
        is_announced = if trimmed.is_empty() { before } else { trimmed.ends_with(':') && states_failure(trimmed) };
        let lower = trimmed.to_lowercase();
        let field = RECIPIENT_FIELDS.iter().find_map(|name| lower.strip_prefix(name)?.trim_start().strip_prefix(':'));
        let reasoned = trimmed.split_once(['(', ':']).filter(|(_, reason)| has_reason(reason));
        let is_alone = !trimmed.contains(char::is_whitespace);
        let after_colon = lower.rsplit_once(": ").filter(|(reason, _)| has_reason(reason)).map(|(_, name)| name);
        let candidates = [
            field.map(|value| value.rsplit(';').next().unwrap_or(value)),
            is_alone.then_some(&*lower),
            reasoned.map(|(name, _)| name),
            after_colon,
        ];
        for name in candidates.into_iter().flatten() {
            let name = name.trim().trim_matches(['<', '>', '"', '\'', ':', ',', '(', ')']).to_lowercase();
            let is_local = |c: char| c.is_ascii_alphanumeric() || "._+-".contains(c);
            let fits = (2..=LOCAL_BYTES_MAX).contains(&name.len()) && name.chars().all(is_local);
            let is_name = fits && name.starts_with(|c: char| c.is_ascii_alphanumeric()) && !is_status(&name);
            if is_name && found.len() < RECIPIENTS_MAX && !found.contains(&name) {
                is_listed |= is_alone && before;
                found.push(name);
            }
        }
    }
    (found, is_listed)
}
