//! A message as a list of marked lines. Plain text and HTML are both converted to this form.

use crate::{html::hidden::is_filler, lines::lines};

/// The colons of the scripts of mail clients: ASCII, full-width, Armenian, Khmer.
pub(super) const COLONS: [char; 4] = [':', '：', '՝', '៖'];

/// The classification of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineMark {
    /// Not classified yet.
    Unclassified,
    /// Quoted history.
    Quoted,
    /// Inside a quotation that the markup doesn't identify as history. It is history if an attribution precedes it.
    Indented,
    /// History without quote characters, below an attribution or a header block.
    UnquotedHistory,
    /// Part of a signature.
    Signature,
    /// A forwarded message begins here. Everything that follows is content.
    ForwardedMessage,
    /// Left out for another reason, such as an attribution line or a separator.
    Dropped,
    /// Never displayed.
    Hidden,
}

/// A line of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MarkedLine<'a> {
    /// The displayed text of the line, without its line end.
    pub(super) text: &'a str,
    /// The classification.
    pub(super) mark: LineMark,
}

impl MarkedLine<'_> {
    /// Returns whether the line shows nothing.
    pub(super) fn is_blank(&self) -> bool {
        self.text.chars().all(is_blank)
    }

    /// Returns whether the line isn't classified yet.
    pub(super) fn is_plain(&self) -> bool {
        self.mark == LineMark::Unclassified
    }

    /// Returns whether the line isn't classified yet and shows something.
    pub(super) fn is_text(&self) -> bool {
        self.is_plain() && !self.is_blank()
    }
}

/// Returns whether the character is white space or shows nothing, such as a direction mark around an attribution.
pub(super) fn is_blank(c: char) -> bool {
    if c.is_ascii() {
        return matches!(c, '\t'..='\r' | ' ');
    }
    c.is_whitespace() || is_filler(c)
}

/// Trims blank characters, see [`is_blank`].
pub(super) fn trim(text: &str) -> &str {
    // Most lines have nothing to trim.
    let is_shown = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_graphic);
    if is_shown(text.as_bytes().first()) && is_shown(text.as_bytes().last()) {
        return text;
    }
    text.trim_matches(is_blank)
}

/// Splits plain text into lines.
pub(super) fn from_text(text: &str) -> Vec<MarkedLine<'_>> {
    lines(text).map(|text| MarkedLine { text, mark: LineMark::Unclassified }).collect()
}

/// Returns the index of the first line from `at` on that isn't blank.
pub(super) fn next_shown(lines: &[MarkedLine<'_>], at: usize) -> Option<usize> {
    (at..lines.len()).find(|at| !lines[*at].is_blank())
}

/// Returns the last line above line `at` that isn't blank.
pub(super) fn shown_above<'l, 'a>(lines: &'l [MarkedLine<'a>], at: usize) -> Option<&'l MarkedLine<'a>> {
    lines[..at].iter().rev().find(|line| !line.is_blank())
}

/// Sets the mark of unclassified and indented lines.
pub(super) fn mark_all(lines: &mut [MarkedLine<'_>], mark: LineMark) {
    let open = lines.iter_mut().filter(|line| matches!(line.mark, LineMark::Unclassified | LineMark::Indented));
    open.for_each(|line| line.mark = mark);
}
