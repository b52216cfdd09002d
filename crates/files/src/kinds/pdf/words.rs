//! Words and lines of a page.

use std::ops::Range;

use hayro::kurbo::Vec2;

/// A word of a line.
#[derive(Clone, Copy, Default)]
pub(super) struct Word {
    /// Where it begins and ends: bytes of the text, or pieces of a line whose order changes.
    pub(super) from: usize,
    pub(super) to: usize,
    /// Where it begins and ends along the line.
    pub(super) start: f64,
    pub(super) end: f64,
    pub(super) has_digit: bool,
    /// Whether it may be the label of an entry of a list.
    pub(super) is_label: bool,
    /// Whether it is a number, which may have a sign, a currency and brackets.
    pub(super) is_number: bool,
    /// Whether it is the currency or the sign of a number.
    pub(super) is_sign: bool,
    /// Whether it is one dot.
    pub(super) is_dot: bool,
    /// Whether it only leads from one text to another: dots, lines.
    pub(super) is_leader: bool,
}

/// A line that is complete.
pub(super) struct Line {
    pub(super) text: Range<usize>,
    /// The pieces of a line whose order changes.
    pub(super) pieces: Range<usize>,
    pub(super) words: Range<usize>,
    pub(super) along: Vec2,
    /// How far down the baseline of its first line is; cells may have several.
    pub(super) top: f64,
    pub(super) baseline: f64,
    pub(super) size: f64,
    /// Whether text of the next line was joined to it.
    pub(super) is_joined: bool,
    /// Whether the text goes on without a line end.
    pub(super) is_open: bool,
}

impl Line {
    /// Returns its words, of those of all lines.
    pub(super) fn words_of<'a>(&self, words: &'a [Word]) -> &'a [Word] {
        &words[self.words.clone()]
    }

    pub(super) fn is_reordered(&self) -> bool {
        !self.pieces.is_empty()
    }
}
