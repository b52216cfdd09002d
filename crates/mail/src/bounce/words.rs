//! Lower-case phrases from the replies of large providers, the documentation of mail servers, and real reports. Short
//! words are matched as whole words.

use super::BounceClass;
use crate::wordlist::{self, WordTable};

const PHRASES: &str = include_str!("phrases.txt");

/// Unambiguous markers of providers, most of them documented by the provider, each with the name of its class.
pub(super) static MARKS: WordTable = WordTable::new(|| wordlist::table(PHRASES, "marks"));

/// Returns the class of the longest marker in a text.
pub(super) fn mark_in(text: &str) -> Option<BounceClass> {
    let marks = MARKS.iter().filter_map(|entry| entry.rsplit_once(" = "));
    let longest = marks.filter(|(mark, _)| text.contains(mark)).max_by_key(|(mark, _)| mark.len());
    longest.and_then(|(_, class)| BounceClass::parse(class))
}

/// The sender's address is refused.
pub(super) static ABOUT_SENDER: WordTable = WordTable::new(|| wordlist::table(PHRASES, "about sender"));

/// Rate limits whose text also names a quota.
pub(super) static RATE_FIRST: WordTable = WordTable::new(|| wordlist::table(PHRASES, "rate first"));

/// The message is too large.
pub(super) static LARGE: WordTable = WordTable::new(|| wordlist::table(PHRASES, "large"));

/// The mailbox or disk is full.
pub(super) static FULL: WordTable = WordTable::new(|| wordlist::table(PHRASES, "full"));

/// Rate limits.
pub(super) static RATE: WordTable = WordTable::new(|| wordlist::table(PHRASES, "rate"));

/// Problems of the host or the domain.
pub(super) static DOMAIN: WordTable = WordTable::new(|| wordlist::table(PHRASES, "domain"));

/// The mailbox existed, but is not active any more.
pub(super) static INACTIVE: WordTable = WordTable::new(|| wordlist::table(PHRASES, "inactive"));

/// What is said about an account or a mailbox that was closed.
pub(super) const CLOSED: [&str; 8] =
    ["disabled", "suspended", "inactive", "closed", "been deleted", "terminated", "been removed", "retired"];

/// The mailbox does not exist.
pub(super) static USER: WordTable = WordTable::new(|| wordlist::table(PHRASES, "user"));

/// SPF, DKIM, DMARC and reverse DNS failures.
pub(super) static AUTHENTICATION: WordTable = WordTable::new(|| wordlist::table(PHRASES, "authentication"));

/// A bad reputation, or a blocklist.
pub(super) static LISTED: WordTable = WordTable::new(|| wordlist::table(PHRASES, "listed"));

/// The message was classified as spam.
pub(super) static SPAM: WordTable = WordTable::new(|| wordlist::table(PHRASES, "spam"));

/// Verdicts of spam filters.
pub(super) static SPAM_VERDICTS: WordTable = WordTable::new(|| wordlist::table(PHRASES, "spam verdicts"));

/// The content was rejected.
pub(super) static CONTENT: WordTable = WordTable::new(|| wordlist::table(PHRASES, "content"));

/// A policy of the recipient's server.
pub(super) static POLICY: WordTable = WordTable::new(|| wordlist::table(PHRASES, "policy"));

/// Demands for encryption, and failures of it.
pub(super) static TLS: WordTable = WordTable::new(|| wordlist::table(PHRASES, "tls"));

/// A later attempt may succeed.
pub(super) static LATER: WordTable = WordTable::new(|| wordlist::table(PHRASES, "later"));

/// A connection failed, or retries ended; never about the recipient.
pub(super) static OUTAGE: WordTable = WordTable::new(|| wordlist::table(PHRASES, "outage"));

/// Words for a domain, which may be missing.
pub(super) static DOMAIN_NOUNS: WordTable = WordTable::new(|| wordlist::table(PHRASES, "domain nouns"));

/// What is said about anything that doesn't exist.
pub(super) static MISSING: WordTable = WordTable::new(|| wordlist::table(PHRASES, "missing"));

/// Words that many servers put into every refusal.
pub(super) static WEAK_POLICY: WordTable = WordTable::new(|| wordlist::table(PHRASES, "weak policy"));

/// Phrases about the recipient that don't state the problem.
pub(super) static VAGUE: WordTable = WordTable::new(|| wordlist::table(PHRASES, "vague"));

/// Retries ended without success.
pub(super) static EXPIRED: WordTable = WordTable::new(|| wordlist::table(PHRASES, "expired"));

/// The server could not be reached.
pub(super) static NETWORK: WordTable = WordTable::new(|| wordlist::table(PHRASES, "network"));

/// Returns the first enhanced code in the text (RFC 3463 §2).
pub(super) fn enhanced_in(text: &str) -> Option<&str> {
    enhanced_codes(text).next()
}

/// Returns the enhanced codes in the text, except those that say nothing.
pub(super) fn enhanced_codes(text: &str) -> impl Iterator<Item = &str> {
    let is_number = |part: &str| (1..=3).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
    let is_code = move |word: &&str| {
        let parts: Vec<&str> = word.split('.').collect();
        parts.len() == 3 && matches!(parts[0], "4" | "5") && parts[1..].iter().all(|part| is_number(part))
    };
    let words = text.split([' ', '(', ')', '[', ']', '#', ';', ',', '-', '\'']);
    let words = words.map(|word| word.trim_end_matches(['.', ':']));
    words.filter(|word| !word.ends_with(".0.0")).filter(is_code)
}

/// Returns the reply that a folded text quotes behind its code, as in `550-'5.7.1 <…>... Access denied'`: it comes from
/// the server that decided, and what is around it from one that passed it on.
pub(super) fn quoted_reply(text: &str) -> Option<&str> {
    let quotes = text.match_indices("-'").filter(|(at, _)| {
        let code = text.as_bytes().get(at.saturating_sub(3)..*at).unwrap_or_default();
        matches!(code, [b'4' | b'5', rest @ ..] if rest.len() == 2 && rest.iter().all(u8::is_ascii_digit))
    });
    let start = quotes.map(|(at, mark)| at + mark.len()).next()?;
    let inner = &text[start..];
    let end = inner.rfind('\'').filter(|end| *end > 0)?;
    Some(&inner[..end])
}

/// Returns the class of a refusal that Microsoft documents for a recipient that its directory doesn't have. Others use
/// the same words, with other codes, for their own policy.
pub(super) fn directory_refusal(text: &str, enhanced: Option<&str>) -> Option<BounceClass> {
    let is_code = enhanced == Some("5.4.1") || enhanced_codes(text).any(|code| code == "5.4.1");
    (is_code && text.contains("recipient address rejected: access denied")).then_some(BounceClass::UnknownUser)
}

/// Whole replies whose code is that of another reason, each behind the subject and detail of the code and with the name
/// of its class.
static CONTRADICTIONS: WordTable = WordTable::new(|| wordlist::table(PHRASES, "contradictions"));

/// Returns the class of a whole reply that a provider sends with the code of another reason. A reply that says more isn't
/// one, because filters also use such words.
pub(super) fn contradiction(text: &str, enhanced: Option<&str>) -> Option<BounceClass> {
    let stated = enhanced_codes(text).next();
    if enhanced_codes(text).any(|other| Some(other) != stated) {
        return None;
    }
    let code = stated.or(enhanced)?;
    // A report repeats the code behind the reply.
    let reply = text.rsplit(code).find(|part| part.contains(char::is_alphabetic))?;
    let code = code.split_once('.')?.1;
    // Nothing but a code of the session, or the command, may follow.
    let is_session = |word: &str| word.bytes().any(|byte| byte.is_ascii_digit());
    let is_rest = |rest: &str| rest.starts_with(" (in reply to ") || rest.split(' ').skip(1).all(is_session);
    let reply = reply.trim_start_matches(|c: char| !c.is_alphabetic()).split_whitespace().collect::<Vec<_>>().join(" ");
    let is_whole = |words: &str| {
        let rest = reply.strip_prefix(words).map(|rest| rest.trim_start_matches(['!', '.']).trim_end());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' ') && is_rest(rest))
    };
    CONTRADICTIONS.iter().find_map(|entry| {
        let (reply, class) = entry.rsplit_once(" = ")?;
        let (of, words) = reply.split_once(' ')?;
        (of == code && is_whole(words)).then(|| BounceClass::parse(class)).flatten()
    })
}

/// Returns whether the text contains any of the phrases.
pub(super) fn has(text: &str, any: &[&str]) -> bool {
    any.iter().any(|words| text.contains(words))
}

/// Returns whether the text contains `first`, followed closely by one of the phrases in `then`.
pub(super) fn contains_near(text: &str, first: &str, then: &[&str]) -> bool {
    /// The longest distance, in bytes.
    const BYTES: usize = 32;
    text.match_indices(first).any(|(at, _)| {
        let from = at + first.len();
        let to = text.floor_char_boundary((from + BYTES).min(text.len()));
        has(&text[from..to], then)
    })
}

/// Returns whether the text contains `wanted` as a whole word.
pub(super) fn word(text: &str, wanted: &str) -> bool {
    text.match_indices(wanted).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + wanted.len()..].chars().next();
        let is_part = |next: Option<char>| next.is_some_and(char::is_alphanumeric);
        !is_part(before) && !is_part(after)
    })
}

/// Returns whether the text contains a duration or a number of attempts: `5 days`, `432000 seconds`.
pub(super) fn has_span(text: &str) -> bool {
    let units = [" day", " hour", " seconds", " attempts"];
    units.iter().any(|unit| {
        let before = |at: usize| text[..at].bytes().next_back();
        text.match_indices(unit).any(|(at, _)| before(at).is_some_and(|byte| byte.is_ascii_digit()))
    })
}

/// Returns the text in lower case, with single spaces, and without addresses, because a mailbox can have any name.
pub(super) fn folded(text: &str) -> String {
    let lower = text.split_whitespace().map(without_address).collect::<Vec<_>>().join(" ");
    // The lower case of a dotted capital I is an i with a combining dot.
    lower.to_lowercase().replace('\u{307}', "")
}

/// Returns a folded text without URLs and host names, which may contain any word. Names of blocklists remain.
pub(super) fn without_hosts(text: &str) -> String {
    let is_kept = |word: &&str| !is_host(word) || has(word, &LISTED);
    text.split(' ').filter(is_kept).collect::<Vec<_>>().join(" ")
}

fn is_host(word: &str) -> bool {
    let bare = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    let labels =
        bare.rsplit_once('.').filter(|(_, last)| last.len() > 1 && last.bytes().all(|b| b.is_ascii_lowercase()));
    let is_name = |name: &str| name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b'_'));
    bare.contains("://") || labels.is_some_and(|(name, _)| is_name(name))
}

/// Removes the address from a word.
fn without_address(text: &str) -> String {
    let Some(at) = text.find('@') else { return text.to_owned() };
    let is_part = |next: char| next.is_alphanumeric() || "!#$%&'*+-/=?^_`{|}~.".contains(next);
    let from = text[..at].rfind(|next| !is_part(next)).map_or(0, |end| end + 1);
    // `rfind` returns the start of the separator, which may have several bytes.
    let from = text.ceil_char_boundary(from);
    let rest = &text[at + 1..];
    // Old servers write their reply right behind the address: `bob@example.com...User unknown`.
    let glued = rest.find("..").unwrap_or(rest.len());
    let to = rest.find(|next| !is_part(next)).unwrap_or(rest.len()).min(glued);
    format!("{} {}", &text[..from], &rest[to..])
}
