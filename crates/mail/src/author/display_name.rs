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

/// The name of an author; `None` when nothing is left of it.
pub(super) fn shown(display: &[u8], author: &Address) -> Option<String> {
    let decoded: String = header::decode(display).chars().filter(|next| !is_invisible(*next)).collect();
    let mut name = String::with_capacity(decoded.len());
    let mut done = 0;
    for named in addresses(&decoded) {
        let text = &decoded[named.range.clone()];
        let looks_like_host =
            text.rsplit(is_at).next().is_some_and(|domain| domain.contains('.') || !domain.is_ascii());
        if looks_like_host && named.domain.as_deref() != Some(author.domain()) {
            name.push_str(decoded[done..named.range.start].trim_end_matches(EDGES));
            name.push(' ');
            done = named.range.end;
        }
    }
    if done == 0 {
        return Some(decoded).filter(|name| !name.trim().is_empty());
    }
    name.push_str(decoded[done..].trim_start_matches(EDGES));
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
