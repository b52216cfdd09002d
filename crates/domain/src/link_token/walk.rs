//! Reads a text once, as the views that its readers have of it: as it is, without tags, without comments, without what
//! browsers don't show. Each part of the text is passed on with the views that contain it. Pure, in linear time.

use std::ops::Range;

use memchr::{memchr, memmem};
use posthouse_mail::html::quoted_tag_end;

use super::symbol::{self, Symbol};

/// The number of views.
pub(super) const VIEWS: usize = 4;
/// The text as it is.
const SOURCE: u8 = 1;
/// Without tags and the delimiters of comments.
const UNTAGGED: u8 = 2;
/// Also without comments.
const UNCOMMENTED: u8 = 4;
/// Also without the content of elements that aren't shown.
const SHOWN: u8 = 8;
/// All views.
const ALL: u8 = SOURCE | UNTAGGED | UNCOMMENTED | SHOWN;

/// Elements whose content isn't shown.
const DROPPED: [&str; 9] = ["script", "style", "title", "template", "svg", "math", "object", "iframe", "xml"];

/// Their first letters.
const DROPPED_LETTERS: &[u8; 6] = b"stmoix";

/// A symbol of a text.
pub(super) struct Seen<'a> {
    pub(super) symbol: Symbol,
    /// Its place in the text.
    pub(super) range: Range<usize>,
    /// The text after it.
    pub(super) rest: &'a str,
    views: u8,
}

impl Seen<'_> {
    /// Returns whether a view has it.
    pub(super) fn is_in(&self, view: usize) -> bool {
        self.views & 1 << view != 0
    }
}

/// What reads the symbols.
pub(super) trait Reader {
    /// Returns whether only the start of a token matters now.
    fn is_idle(&self) -> bool;
    /// Returns whether the rest of the text doesn't matter.
    fn is_done(&self) -> bool;
    /// Reads the next symbol.
    fn read(&mut self, seen: &Seen<'_>);
}

/// Passes the symbols of a text to a reader. Returns how many bytes were looked at.
pub(super) fn walk(text: &str, reader: &mut impl Reader) -> usize {
    let mut seen = 0;
    let of_parts = parts(text.as_bytes(), |range, views| {
        seen += pass(text, range, views, reader);
        !reader.is_done()
    });
    seen + of_parts
}

/// Passes the parts of a text, each with the bit set of its views, until `read` returns false. Returns how many bytes were
/// looked at. No part is empty.
pub(super) fn parts(text: &[u8], mut read: impl FnMut(Range<usize>, u8) -> bool) -> usize {
    let mut walk = Walk { text, seen: 0, comment_end: 0, dropped_end: 0, quotes_broken: false, endless: 0 };
    let mut at = 0;
    while at < text.len() {
        let end = walk.text_end(at);
        if end > at && !read(at..end, walk.views(at)) || end == text.len() {
            break;
        }
        at = walk.markup_end(end);
        let views = if at == end + 1 { walk.views(end) } else { SOURCE };
        if !read(end..at, views) {
            break;
        }
    }
    walk.seen
}

/// Passes the symbols of a part to a reader. Returns how many bytes were looked at.
fn pass(text: &str, range: Range<usize>, views: u8, reader: &mut impl Reader) -> usize {
    let part = &text[..range.end];
    let (mut at, mut seen) = (range.start, 0);
    while at < range.end {
        if reader.is_idle() {
            let start = symbol::next_start(part.as_bytes(), at);
            seen += start - at;
            at = start;
            if at == range.end {
                break;
            }
        }
        let read = symbol::first(&part[at..]);
        let end = at + read.bytes;
        reader.read(&Seen { symbol: read.symbol, range: at..end, rest: &text[end..], views });
        seen += read.seen;
        at = end;
    }
    seen
}

struct Walk<'a> {
    text: &'a [u8],
    seen: usize,
    /// Where the last comment ends, before its delimiter.
    comment_end: usize,
    /// Where the content of the last dropped element ends.
    dropped_end: usize,
    /// Whether a quote in a tag was never closed: from then on, tags end at the first `>`.
    quotes_broken: bool,
    /// Bit set of the elements of [`DROPPED`] that have no further end tag.
    endless: u16,
}

impl Walk<'_> {
    /// Returns the views that contain text at an offset.
    const fn views(&self, at: usize) -> u8 {
        let hidden = if at < self.comment_end { UNCOMMENTED | SHOWN } else { 0 };
        ALL & !(hidden | if at < self.dropped_end { SHOWN } else { 0 })
    }

    /// Returns where the next markup begins.
    fn text_end(&mut self, at: usize) -> usize {
        let until = if at < self.comment_end { self.comment_end } else { self.text.len() };
        let end = memchr(b'<', &self.text[at..until]).map_or(until, |found| at + found);
        self.seen += end - at;
        end
    }

    /// Returns where the markup at an offset ends; after one byte if it is text.
    fn markup_end(&mut self, at: usize) -> usize {
        let from = &self.text[at..];
        if at == self.comment_end && from.starts_with(b"-->") {
            return at + 3;
        }
        // Markup within a comment or a dropped element ends with it.
        let end_after = |end: usize| if end > at { end } else { self.text.len() };
        let bound = end_after(self.comment_end).min(end_after(self.dropped_end));
        if from.starts_with(b"<!--") && at >= self.comment_end {
            let found = memmem::find(&from[4..], b"-->");
            self.comment_end = found.map_or(self.text.len(), |found| at + 4 + found);
            self.seen += self.comment_end - at;
            return at + 4;
        }
        match from {
            [b'<', b'!' | b'?', ..] => self.plain_end(at, bound),
            [b'<', b'/', next, ..] if next.is_ascii_alphabetic() => self.tag_end(at, bound),
            [b'<', next, ..] if next.is_ascii_alphabetic() => {
                let end = self.tag_end(at, bound);
                self.drop_content(at + 1, end);
                end
            }
            // A sign in text.
            _ => at + 1,
        }
    }

    fn plain_end(&mut self, at: usize, bound: usize) -> usize {
        let end = memchr(b'>', &self.text[at..bound]).map_or(bound, |found| at + found + 1);
        self.seen += end - at;
        end
    }

    fn tag_end(&mut self, at: usize, bound: usize) -> usize {
        if self.quotes_broken {
            return self.plain_end(at, bound);
        }
        let found = quoted_tag_end(&self.text[at..bound]).map(|bytes| at + bytes);
        self.seen += found.unwrap_or(bound) - at;
        found.unwrap_or_else(|| {
            let is_whole = bound == self.text.len();
            self.quotes_broken |= is_whole;
            if is_whole { self.plain_end(at, bound) } else { bound }
        })
    }

    /// Notes the content of an element whose tag has this name and end, if it isn't shown.
    fn drop_content(&mut self, name: usize, tag_end: usize) {
        let tag = &self.text[name..];
        let is_named = |dropped: &&str| {
            tag.get(..dropped.len()).is_some_and(|start| start.eq_ignore_ascii_case(dropped.as_bytes()))
                && tag.get(dropped.len()).is_some_and(|next| !next.is_ascii_alphanumeric())
        };
        // Most elements begin with another letter.
        if !tag.first().is_some_and(|letter| DROPPED_LETTERS.contains(&letter.to_ascii_lowercase())) {
            return;
        }
        let Some(which) = DROPPED.iter().position(is_named) else { return };
        if self.endless & 1 << which != 0 || tag_end < self.dropped_end {
            return;
        }
        match close_of(&self.text[tag_end..], DROPPED[which].as_bytes()) {
            Some(offset) => {
                self.dropped_end = tag_end + offset;
                self.seen += offset;
            }
            None => {
                self.seen += self.text.len() - tag_end;
                self.endless |= 1 << which;
            }
        }
    }
}

/// Returns the offset of `</name`, ignoring case.
fn close_of(text: &[u8], name: &[u8]) -> Option<usize> {
    memmem::find_iter(text, b"</")
        .find(|at| text.get(at + 2..at + 2 + name.len()).is_some_and(|word| word.eq_ignore_ascii_case(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Collects the letters of each view.
    #[derive(Default)]
    struct Letters([String; VIEWS]);

    impl Reader for Letters {
        fn is_idle(&self) -> bool {
            false
        }

        fn is_done(&self) -> bool {
            false
        }

        fn read(&mut self, seen: &Seen<'_>) {
            if let Symbol::Letter(letter) = seen.symbol {
                (0..VIEWS).filter(|view| seen.is_in(*view)).for_each(|view| self.0[view].push(char::from(letter)));
            }
        }
    }

    fn views(text: &str) -> [String; VIEWS] {
        let mut letters = Letters::default();
        walk(text, &mut letters);
        letters.0
    }

    #[test]
    fn the_first_letters_are_those_of_all_elements() {
        assert!(DROPPED.iter().all(|name| DROPPED_LETTERS.contains(&name.as_bytes()[0])));
    }

    #[test]
    fn each_view_has_what_it_shows() {
        let cases = [
            ("1<b>2</b>3", ["1b2b3", "123", "123", "123"]),
            ("1<a b=\"c>d\">2", ["1abcd2", "12", "12", "12"]),
            ("1<!-- 2<b>3 > 4 -->5", ["12b345", "12345", "15", "15"]),
            ("1<style>2<b>3</style>4", ["1style2b3style4", "1234", "1234", "14"]),
            ("1 < 2 <3", ["123", "123", "123", "123"]),
            ("1<!doctype x>2<?x?>3", ["1doctypex2x3", "123", "123", "123"]),
            ("1<!-- 2", ["12", "12", "1", "1"]),
            ("1<a 2", ["1a2", "1", "1", "1"]),
            ("1<a b=\"2>3<i>4", ["1ab23i4", "134", "134", "134"]),
            ("1<title>2", ["1title2", "12", "12", "12"]),
            ("1<svg>2<style>3</svg>4</style>5", ["1svg2style3svg4style5", "12345", "12345", "145"]),
            ("<", ["", "", "", ""]),
        ];
        for (text, expected) in cases {
            assert_eq!(views(text), expected.map(str::to_owned), "{text}");
        }
    }
}
