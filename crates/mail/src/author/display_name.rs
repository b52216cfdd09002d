//! Display names as they may be shown: a name that holds an address of another domain than the author's is how mail pretends
//! to come from somebody else, so it is shown without that address.

use std::ops::Range;

use crate::address::{Address, is_invisible};
use crate::header;

/// What separates a name from the address that was taken out of it.
const EDGES: &[char] = &[
    ' ', '-', '–', '—', '|', '/', ',', ';', ':', '<', '>', '(', ')', '[', ']', '{', '}', '"', '\'', '“', '”', '‘', '’',
];

/// An address, or what a person would take for one, in a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Named {
    /// Where it stands, in bytes.
    pub(super) range: Range<usize>,
    /// Its domain in lower case and A-labels; `None` where that is not a domain name.
    pub(super) domain: Option<String>,
}

/// Most times a name is decoded: what comes out of an encoded word may look like one again.
const DECODED_MAX: usize = 3;

/// The name of an author; `None` when nothing is left of it.
pub(super) fn shown(display: &[u8], author: &Address) -> Option<String> {
    let mut decoded = header::decode(display);
    for _ in 1..DECODED_MAX {
        match header::decode_words(&decoded) {
            Some(again) => decoded = again,
            None => break,
        }
    }
    decoded.retain(|next| !is_invisible(next));
    let is_foreign =
        |text: &str| addresses(text).any(|named| is_of_another(&text[named.range.clone()], &named, author));
    // An address with blanks around its `@` and dots reads like one all the same.
    let joined = without_blanks_around_signs(&decoded);
    if is_foreign(&joined) {
        return without_foreign(&joined, author);
    }
    Some(decoded).filter(|name| !name.trim().is_empty())
}

/// Whether a person would take it for the address of another domain.
fn is_of_another(text: &str, named: &Named, author: &Address) -> bool {
    let looks_like_host = text.rsplit(is_at).next().is_some_and(|domain| domain.contains('.') || !domain.is_ascii());
    looks_like_host && named.domain.as_deref() != Some(author.domain())
}

fn without_blanks_around_signs(text: &str) -> String {
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

/// The name without the addresses of other domains.
fn without_foreign(text: &str, author: &Address) -> Option<String> {
    let mut name = String::with_capacity(text.len());
    let mut done = 0;
    for named in addresses(text).filter(|named| is_of_another(&text[named.range.clone()], named, author)) {
        name.push_str(text[done..named.range.start].trim_end_matches(EDGES));
        name.push(' ');
        done = named.range.end;
    }
    name.push_str(text[done..].trim_start_matches(EDGES));
    let name = name.trim_matches(EDGES);
    name.chars().any(char::is_alphanumeric).then(|| name.to_owned())
}

/// The addresses of a text from the left. Two never overlap.
pub(super) fn addresses(text: &str) -> impl Iterator<Item = Named> {
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
        if start == at || domain.is_empty() {
            return None;
        }
        done = behind + domain.len();
        let checked = Address::parse_smtp(&format!("x@{domain}")).ok();
        Some(Named { range: start..done, domain: checked.map(|address| address.domain().to_owned()) })
    })
}

fn next_boundary(text: &str, at: usize) -> usize {
    text[at..].chars().next().map_or(at, |next| at + next.len_utf8())
}

/// The commercial at in its plain, full-width and small form.
pub(super) fn is_at(next: char) -> bool {
    matches!(next, '@' | '\u{ff20}' | '\u{fe6b}')
}

fn is_local(next: char) -> bool {
    !next.is_whitespace() && !is_at(next) && !"<>()[]{},;:\"“”".contains(next)
}

/// What a domain may be written with; beyond ASCII everything, because it may look like a letter or a dot.
fn is_domain(next: char) -> bool {
    next.is_ascii_alphanumeric()
        || matches!(next, '.' | '-' | '_')
        || (!next.is_ascii() && !next.is_whitespace() && !is_at(next) && !"“”‘’".contains(next))
}
