//! Lower-case phrases from the replies of large providers, the documentation of mail servers, and real reports. Short
//! words are matched as whole words.

use super::BounceClass;
use crate::wordlist::{self, WordTable};

const PHRASES: &str = include_str!("phrases.txt");

/// Unambiguous markers of providers, most of them documented by the provider.
pub(super) const MARKS: [(&str, BounceClass); 47] = [
    // Gmail links to the article that explains the refusal.
    ("p=nosuchuser", BounceClass::UnknownUser),
    ("p=disableduser", BounceClass::InactiveUser),
    ("p=inactiveuser", BounceClass::InactiveUser),
    ("p=baddomain", BounceClass::UnknownDomain),
    ("p=overquota", BounceClass::MailboxFull),
    ("p=receivingrate", BounceClass::RateLimited),
    ("p=unsolicitedratelimiterror", BounceClass::RateLimited),
    ("p=ratelimit", BounceClass::RateLimited),
    ("p=unsolicitediperror", BounceClass::Reputation),
    ("p=unsolicitedmessageerror", BounceClass::Spam),
    ("p=blockedmessage", BounceClass::Content),
    ("p=rfcmessagenoncompliant", BounceClass::Content),
    ("p=maxsizeerror", BounceClass::TooLarge),
    ("p=unauthenticated", BounceClass::Authentication),
    ("answer/81126", BounceClass::Authentication),
    // Exchange and Outlook.com.
    ("resolver.adr.", BounceClass::UnknownUser),
    ("resolver.rst.recipsizelimit", BounceClass::TooLarge),
    ("resolver.rst.sendsizelimit", BounceClass::TooLarge),
    ("resolver.rst.", BounceClass::Policy),
    ("as(201806281)", BounceClass::UnknownUser),
    ("(s2017062302)", BounceClass::UnknownUser),
    ("(s3140)", BounceClass::Reputation),
    ("(s3150)", BounceClass::Reputation),
    ("(s775)", BounceClass::Reputation),
    ("quotaexceededexception", BounceClass::MailboxFull),
    // Yahoo and AOL.
    ("[tss", BounceClass::Reputation),
    ("[ts0", BounceClass::Reputation),
    ("[bl21]", BounceClass::Reputation),
    ("[bl23]", BounceClass::Reputation),
    ("[ipts", BounceClass::Reputation),
    ("[ph01]", BounceClass::Content),
    // Apple.
    ("[cs01]", BounceClass::Spam),
    ("[hm08]", BounceClass::Policy),
    // 163.com and QQ.
    ("mi:spb", BounceClass::Spam),
    ("dt:spm", BounceClass::Spam),
    ("mi:cel", BounceClass::RateLimited),
    // Orange.
    ("ofr_416", BounceClass::UnknownUser),
    ("ofr_417", BounceClass::MailboxFull),
    ("ofr_506", BounceClass::Spam),
    ("lpn007_416", BounceClass::UnknownUser),
    ("lpn007_5", BounceClass::Reputation),
    ("ofr004", BounceClass::RateLimited),
    // Cisco, for recipients that are not in its directory.
    ("#5.1.0 address rejected", BounceClass::UnknownUser),
    // Comcast, Charter, Proofpoint.
    ("rl0000", BounceClass::RateLimited),
    ("bl0000", BounceClass::Reputation),
    ("aup#", BounceClass::Reputation),
    ("ipcheck.proofpoint", BounceClass::Reputation),
];

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

/// The mailbox does not exist.
pub(super) static USER: WordTable = WordTable::new(|| wordlist::table(PHRASES, "user"));

/// SPF, DKIM, DMARC and reverse DNS failures.
pub(super) static AUTHENTICATION: WordTable = WordTable::new(|| wordlist::table(PHRASES, "authentication"));

/// A bad reputation, or a blocklist.
pub(super) static LISTED: WordTable = WordTable::new(|| wordlist::table(PHRASES, "listed"));

/// The message was classified as spam.
pub(super) static SPAM: WordTable = WordTable::new(|| wordlist::table(PHRASES, "spam"));

/// The content was rejected.
pub(super) static CONTENT: WordTable = WordTable::new(|| wordlist::table(PHRASES, "content"));

/// A policy of the recipient's server.
pub(super) static POLICY: WordTable = WordTable::new(|| wordlist::table(PHRASES, "policy"));

/// Phrases about the recipient that don't state the problem.
pub(super) static VAGUE: WordTable = WordTable::new(|| wordlist::table(PHRASES, "vague"));

/// Retries ended without success.
pub(super) static EXPIRED: WordTable = WordTable::new(|| wordlist::table(PHRASES, "expired"));

/// The server could not be reached.
pub(super) static NETWORK: WordTable = WordTable::new(|| wordlist::table(PHRASES, "network"));

/// Returns the first enhanced code in the text (RFC 3463 §2).
pub(super) fn enhanced_in(text: &str) -> Option<&str> {
    let is_number = |part: &str| (1..=3).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
    let is_code = |word: &&str| {
        let parts: Vec<&str> = word.split('.').collect();
        parts.len() == 3 && matches!(parts[0], "4" | "5") && parts[1..].iter().all(|part| is_number(part))
    };
    let words = text.split([' ', '(', ')', '[', ']', '#', ';', ',', '-']).map(|word| word.trim_end_matches(['.', ':']));
    words.filter(|word| !word.ends_with(".0.0")).find(is_code)
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

/// Returns whether the text contains a duration: `5 days`, `432000 seconds`.
pub(super) fn has_span(text: &str) -> bool {
    let units = [" day", " hour", " seconds"];
    units.iter().any(|unit| {
        let before = |at: usize| text[..at].bytes().next_back();
        text.match_indices(unit).any(|(at, _)| before(at).is_some_and(|byte| byte.is_ascii_digit()))
    })
}

/// Returns the text in lower case, with single spaces, and without addresses, because a mailbox can have any name.
pub(super) fn folded(text: &str) -> String {
    let lower = text.split_whitespace().map(without_address).collect::<Vec<_>>().join(" ");
    lower.to_lowercase()
}

/// Removes the address from a word.
fn without_address(text: &str) -> String {
    let Some(at) = text.find('@') else { return text.to_owned() };
    let is_part = |next: char| next.is_alphanumeric() || "!#$%&'*+-/=?^_`{|}~.".contains(next);
    let from = text[..at].rfind(|next| !is_part(next)).map_or(0, |end| end + 1);
    // `rfind` returns the start of the separator, which may have several bytes.
    let from = text.ceil_char_boundary(from);
    let rest = &text[at + 1..];
    let to = rest.find(|next| !is_part(next)).unwrap_or(rest.len());
    format!("{} {}", &text[..from], &rest[to..])
}
