//! Safe display names. A name that contains another address is a common way to impersonate someone, so such addresses are
//! removed before the name is shown or sent.

use std::ops::Range;

use crate::address::{Address, is_invisible};
use crate::header;

/// Characters to trim between the name and a removed address.
const SEPARATORS: &[char] = &[
    ' ', '-', '–', '—', '|', '/', ',', ';', ':', '<', '>', '(', ')', '[', ']', '{', '}', '"', '\'', '“', '”', '‘', '’',
];

/// An address in a text, or a text that readers could mistake for one.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct AddressInText {
    /// Byte range in the text.
    pub(super) range: Range<usize>,
    /// The domain in lower case with A-labels; `None` if it isn't a valid domain name, or follows another address.
    pub(super) domain: Option<String>,
}

/// Maximum number of times a name is decoded: a decoded word may itself contain an encoded word.
const DECODED_MAX: usize = 3;

/// Maximum number of times a name of this service's own sender is cleaned until nothing changes. A removed address can
/// leave a text that looks like another one.
const CLEANED_MAX: usize = 8;

/// Returns the display name under which a sender of this service is shown and sent: without addresses, encoded words and
/// invisible characters. Readers show it unchanged. Returns `None` if nothing is left.
pub(super) fn own_name(name: &str) -> Option<String> {
    let mut name = name.to_owned();
    for _ in 0..CLEANED_MAX {
        let cleaned = safe_display_name(name.as_bytes(), &|_, _| false)?;
        if cleaned == name {
            return Some(name);
        }
        name = cleaned;
    }
    None
}

/// Returns the display name of an author without misleading addresses, or `None` if nothing is left. `is_allowed` decides
/// about an address that the text contains.
pub(super) fn safe_display_name(display: &[u8], is_allowed: &dyn Fn(&str, &AddressInText) -> bool) -> Option<String> {
    let mut decoded = header::decode(display);
    for _ in 1..DECODED_MAX {
        match header::decode_words(&decoded) {
            Some(again) => decoded = again,
            None => break,
        }
    }
    decoded.retain(|next| !is_invisible(next));
    let is_foreign =
        |text: &str, named: &AddressInText| looks_like_host(&text[named.range.clone()]) && !is_allowed(text, named);
    // White space around the `@` and the dots doesn't keep readers from seeing an address.
    let joined = without_spaces_around_separators(&decoded);
    if addresses(&joined).any(|named| is_foreign(&joined, &named)) {
        return without_addresses(&joined, &is_foreign);
    }
    Some(decoded).filter(|name| !name.trim().is_empty())
}

/// Returns whether readers could take the part after the `@` for a domain.
fn looks_like_host(text: &str) -> bool {
    text.rsplit(is_at).next().is_some_and(|domain| domain.contains('.') || !domain.is_ascii())
}

fn without_spaces_around_separators(text: &str) -> String {
    let mut joined = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(next) = rest.next() {
        joined.push(next);
        if is_at(next) || next == '.' {
            joined.truncate(joined.len() - next.len_utf8());
            joined.truncate(joined.trim_end().len());
            joined.push(next);
            while rest.next_if(|blank| blank.is_whitespace()).is_some() {}
        }
    }
    joined
}

/// Removes the addresses that are foreign.
fn without_addresses(text: &str, is_foreign: &dyn Fn(&str, &AddressInText) -> bool) -> Option<String> {
    let mut name = String::with_capacity(text.len());
    let mut done = 0;
    for named in addresses(text).filter(|named| is_foreign(text, named)) {
        name.push_str(text[done..named.range.start].trim_end_matches(SEPARATORS));
        name.push(' ');
        done = named.range.end;
    }
    name.push_str(text[done..].trim_start_matches(SEPARATORS));
    let name = name.trim_matches(SEPARATORS);
    name.chars().any(char::is_alphanumeric).then(|| name.to_owned())
}

/// Returns the addresses of a text, from left to right. They never overlap.
pub(super) fn addresses(text: &str) -> impl Iterator<Item = AddressInText> {
    let mut done = 0;
    let ats: Vec<(usize, &str)> = text.match_indices(is_at).collect();
    ats.into_iter().filter_map(move |(at, sign)| {
        if at < done {
            return None;
        }
        let before = &text[done..at];
        let start = done + before.rfind(|next: char| !is_local(next)).map_or(0, |end| next_boundary(before, end));
        let behind = at + sign.len();
        let run = text[behind..].find(|next: char| !is_domain(next)).unwrap_or(text.len() - behind);
        let domain = text[behind..behind + run].trim_end_matches(['.', '-']);
        // In `a@b@c`, readers can take `b@c` for an address.
        let is_continued = start == at && at == done && done > 0;
        if start == at && !is_continued || domain.is_empty() {
            return None;
        }
        done = behind + domain.len();
        let checked = Address::parse_smtp(&format!("x@{domain}")).ok().filter(|_| !is_continued);
        Some(AddressInText { range: start..done, domain: checked.map(|address| address.domain().to_owned()) })
    })
}

fn next_boundary(text: &str, at: usize) -> usize {
    text[at..].chars().next().map_or(at, |next| at + next.len_utf8())
}

/// Returns whether the character is an at sign in its plain, full-width or small form.
pub(super) fn is_at(next: char) -> bool {
    matches!(next, '@' | '\u{ff20}' | '\u{fe6b}')
}

fn is_local(next: char) -> bool {
    !next.is_whitespace() && !is_at(next) && !"<>()[]{},;:\"“”".contains(next)
}

/// Returns whether the character can be part of a domain. Accepts all non-ASCII characters except white space and
/// quotes, because they may look like a letter or a dot.
fn is_domain(next: char) -> bool {
    next.is_ascii_alphanumeric()
        || matches!(next, '.' | '-' | '_')
        || (!next.is_ascii() && !next.is_whitespace() && !is_at(next) && !"“”‘’".contains(next))
}
