//! Threads (RFC 5322 §3.6.4): message IDs, subjects, and the fields that connect a reply to its parent.
//!
//! Only text processing. The caller decides which thread a message belongs to.

use crate::wordlist::{self, WordTable};

const PREFIXES: &str = include_str!("thread/prefixes.txt");

/// Longest accepted message ID in bytes, including angle brackets (RFC 5322 §2.1.1: one line).
pub const MESSAGE_ID_BYTES_MAX: usize = 998;

/// Most IDs in one References chain: the first one, which identifies the thread, and the newest.
pub const CHAIN_IDS_MAX: usize = 100;

/// Most prefixes and list tags removed from one subject.
const PREFIXES_MAX: usize = 64;

/// Longest list tag in characters, including brackets.
const TAG_CHARS_MAX: usize = 40;

/// Lower-case subject prefixes of replies in many languages.
static REPLY_PREFIXES: WordTable = WordTable::new(|| wordlist::table(PREFIXES, "reply prefixes"));

/// Lower-case subject prefixes of forwarded messages in many languages.
static FORWARD_PREFIXES: WordTable = WordTable::new(|| wordlist::table(PREFIXES, "forward prefixes"));

/// Returns the subject that all messages of a thread share: without prefixes, their counts and list tags, in lower
/// case, with single spaces. May be empty.
pub fn normalised_subject(subject: &str) -> String {
    let core = strip_prefixes(subject).0;
    let mut out = String::with_capacity(core.len());
    for word in core.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.extend(word.chars().flat_map(char::to_lowercase));
    }
    out
}

/// Returns whether the subject starts like a reply or a forwarded message (`Re:`, `AW:`, `Fwd:`, `回复：` and so on).
pub fn is_reply_or_forward(subject: &str) -> bool {
    strip_prefixes(subject).1
}

/// Returns whether the subject starts like a reply (`Re:`, `AW:` and so on).
pub fn is_reply(subject: &str) -> bool {
    after_prefix(subject.trim(), &REPLY_PREFIXES).is_some()
}

/// Returns the subject without reply and forward prefixes. List tags are kept.
pub fn bare_subject(subject: &str) -> &str {
    let mut rest = subject.trim();
    for _ in 0..PREFIXES_MAX {
        match after_prefix(rest, &REPLY_PREFIXES).or_else(|| after_prefix(rest, &FORWARD_PREFIXES)) {
            Some(after) => rest = after,
            None => break,
        }
    }
    rest
}

/// Returns the subject of a reply: replaces all reply prefixes by one `Re: `. Forward prefixes are kept.
pub fn reply_subject(subject: &str) -> String {
    format!("Re: {}", strip_only(subject.trim(), &REPLY_PREFIXES))
}

/// Returns the subject of a forwarded message: replaces all forward prefixes by one `Fwd: `.
pub fn forward_subject(subject: &str) -> String {
    format!("Fwd: {}", strip_only(subject.trim(), &FORWARD_PREFIXES))
}

/// The fields of a message that its answers refer to.
#[derive(Debug, Clone, Copy)]
pub struct ThreadParent<'p> {
    /// The IDs of its References, oldest first.
    pub references: &'p [String],
    /// The ID in its In-Reply-To.
    pub in_reply_to: Option<&'p str>,
    /// Its Message-ID.
    pub message_id: &'p str,
}

/// Returns the References of a reply: the parent's chain, or what the parent answers if it has none, and the parent; at
/// most [`CHAIN_IDS_MAX`] IDs (RFC 5322 §3.6.4).
pub fn reply_references(parent: &ThreadParent<'_>) -> Vec<String> {
    let mut chain: Vec<String> = parent.references.iter().filter_map(|id| normalised_message_id(id)).collect();
    if chain.is_empty() {
        chain.extend(parent.in_reply_to.and_then(normalised_message_id));
    }
    if let Some(parent) = normalised_message_id(parent.message_id) {
        chain.retain(|id| *id != parent);
        chain.push(parent);
    }
    bounded_chain(chain)
}

/// Shortens a chain of more than [`CHAIN_IDS_MAX`] IDs to the first and the newest ones.
pub(crate) fn bounded_chain(mut chain: Vec<String>) -> Vec<String> {
    if chain.len() > CHAIN_IDS_MAX {
        let surplus = chain.len() - CHAIN_IDS_MAX;
        chain.drain(1..=surplus);
    }
    chain
}

/// Returns one ID with angle brackets; `None` if it is empty or does not fit on a line.
///
/// White space, which comes only from folding, is removed, except in a quoted local part, where it distinguishes IDs
/// (RFC 5322 §4.5.4).
pub fn normalised_message_id(id: &str) -> Option<String> {
    let inner = id.trim();
    let inner = inner.strip_prefix('<').unwrap_or(inner);
    let inner = inner.strip_suffix('>').unwrap_or(inner);
    let quoted_end = if inner.starts_with('"') { inner.rfind("\"@").unwrap_or(0) } else { 0 };
    let is_kept = |&(at, c): &(usize, char)| match c {
        ' ' | '\t' => at < quoted_end,
        c => !c.is_whitespace() && !c.is_control() && !matches!(c, '<' | '>'),
    };
    let inner: String = inner.char_indices().filter(is_kept).map(|(_, c)| c).collect();
    let fits = !inner.is_empty() && inner.len() + 2 <= MESSAGE_ID_BYTES_MAX;
    fits.then(|| format!("<{inner}>"))
}

/// Returns the message IDs in a Message-ID, In-Reply-To or References value, with brackets and in order. An ID that
/// repeats the one before it is dropped.
///
/// A value without brackets is parsed as blank-separated IDs if they have the form `left@right`.
pub fn message_ids(value: &str) -> Vec<String> {
    let mut ids: Vec<String> = Vec::new();
    let mut rest = value;
    while let Some(open) = rest.find('<') {
        let from = &rest[open + 1..];
        let end = from.find(['<', '>']).unwrap_or(from.len());
        ids.extend(normalised_message_id(&from[..end]));
        rest = &from[end..];
    }
    if ids.is_empty() && !value.contains('<') {
        let words = value.split([' ', '\t', ',']).filter(|word| word.contains('@'));
        ids.extend(words.filter_map(normalised_message_id));
    }
    ids.dedup();
    ids
}

/// Creates a Message-ID, with brackets, from a unique text (such as a UUID) and the sender's domain.
pub fn new_message_id(unique: &str, domain: &str) -> String {
    format!("<{unique}@{domain}>")
}

/// Returns whether a Message-ID was created for that domain, as [`new_message_id`] does.
#[must_use]
pub fn is_of_domain(message_id: &str, domain: &str) -> bool {
    let right = message_id.trim_end_matches('>').rsplit_once('@').map(|(_, right)| right);
    right.is_some_and(|right| right.eq_ignore_ascii_case(domain))
}

/// Returns the subject without prefixes and list tags, and whether it had a prefix.
fn strip_prefixes(subject: &str) -> (&str, bool) {
    let mut rest = subject.trim();
    let mut had_prefix = false;
    for _ in 0..PREFIXES_MAX {
        if let Some(after) = after_prefix(rest, &REPLY_PREFIXES).or_else(|| after_prefix(rest, &FORWARD_PREFIXES)) {
            had_prefix = true;
            rest = after;
        } else if let Some(after) = after_tag(rest) {
            rest = after;
        } else {
            break;
        }
    }
    (rest, had_prefix)
}

fn strip_only<'a>(subject: &'a str, prefixes: &[&str]) -> &'a str {
    let mut rest = subject;
    for _ in 0..PREFIXES_MAX {
        match after_prefix(rest, prefixes) {
            Some(after) => rest = after,
            None => break,
        }
    }
    rest
}

/// Returns the text after `Re:`, `Re[4]:`, `Re(2) :`, `RE：` or a similar prefix.
fn after_prefix<'a>(subject: &'a str, prefixes: &[&str]) -> Option<&'a str> {
    const PREFIX_CHARS_MAX: usize = 24;
    // Clients of languages that are written from right to left mark the direction of the prefix.
    let subject = subject.trim_start_matches(is_blank);
    let colon = subject.char_indices().take(PREFIX_CHARS_MAX).find(|(_, c)| matches!(c, ':' | '：'))?.0;
    let (head, tail) = subject.split_at(colon);
    // The lower case of a dotted capital I is an i with a combining dot.
    let word =
        without_count(head.trim_end_matches(is_blank)).trim_end_matches(is_blank).to_lowercase().replace('\u{307}', "");
    prefixes
        .contains(&&*word)
        .then(|| tail[tail.chars().next().map_or(0, char::len_utf8)..].trim_start_matches(is_blank))
}

/// Returns whether a character is white space or a mark of the direction of text.
fn is_blank(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Removes the count from `re[4]`, `re(2)`, `re^3` or `re 2`.
fn without_count(head: &str) -> &str {
    let without = head.trim_end_matches([']', ')']).trim_end_matches(|c: char| c.is_ascii_digit());
    if without.len() == head.len() {
        return head;
    }
    without.trim_end_matches(['[', '(', '^', '*', ' '])
}

/// Returns the text after a list tag such as `[list-name]`, if there is any.
fn after_tag(subject: &str) -> Option<&str> {
    let inside = subject.strip_prefix('[')?;
    let close = inside.char_indices().take(TAG_CHARS_MAX).find(|(_, c)| *c == ']')?.0;
    let after = inside[close + 1..].trim_start();
    (close > 0 && !after.is_empty()).then_some(after)
}

#[cfg(test)]
mod tests;
