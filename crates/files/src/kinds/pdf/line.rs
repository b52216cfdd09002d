//! One line of a page. Programs draw its glyphs from left to right, whatever direction the text has, so a line with letters of
//! Hebrew or Arabic is put in the order in which it is read.

use std::ops::Range;

use super::order::{self, is_mark, is_right_to_left};
use crate::output::TextWriter;

/// In units of the font size: a gap that separates words.
const WORD_GAP: f64 = 0.16;
/// A gap that separates cells.
const CELL_GAP: f64 = 1.8;
/// Bytes after which the rest counts as another line.
const LINE_BYTES_MAX: usize = 256 * 1024;

/// What is drawn at once: a glyph, or what has a stated text.
#[derive(Clone, Copy)]
struct Piece {
    /// Its text: bytes of that of the line.
    from: usize,
    to: usize,
    /// Where it begins and ends along the line.
    start: f64,
    end: f64,
    size: f64,
}

/// A line while it is drawn.
#[derive(Default)]
pub(super) struct PageLine {
    /// The text in the order in which it is drawn.
    text: String,
    pieces: Vec<Piece>,
    has_right_to_left: bool,
}

impl PageLine {
    /// Returns whether the line has letters that are read from right to left, so that parts of it may be drawn in any order.
    pub(super) fn has_right_to_left(&self) -> bool {
        self.has_right_to_left
    }

    /// Returns whether the line must end here.
    pub(super) fn is_full(&self) -> bool {
        self.text.len() >= LINE_BYTES_MAX
    }

    /// Adds a text that is drawn in a range along the line.
    pub(super) fn push(&mut self, text: &str, reach: Range<f64>, size: f64) {
        let from = self.text.len();
        self.text.push_str(text);
        self.pieces.push(Piece { from, to: self.text.len(), start: reach.start, end: reach.end, size });
        self.has_right_to_left |= text.chars().any(is_right_to_left);
    }

    /// Moves the end of the last text: more is drawn that it stands for.
    pub(super) fn extend(&mut self, end: f64) {
        if let Some(last) = self.pieces.last_mut() {
            last.end = last.end.max(end);
        }
    }

    /// Adds the white space of a gap before the next text.
    pub(super) fn separate(&mut self, gap: f64, size: f64, next: char) {
        let ends_with_space = self.text.chars().next_back().is_none_or(char::is_whitespace);
        self.text.push_str(white_space(gap, size, ends_with_space, next));
    }

    /// Writes the line, without its end, and begins another.
    pub(super) fn write(&mut self, out: &mut TextWriter) {
        if self.has_right_to_left {
            order::logical(self.shown()).iter().for_each(|text| out.push(text));
        } else {
            // A space before the gap between cells is of neither.
            for (at, cell) in self.text.split('\t').enumerate() {
                if at > 0 {
                    out.trim_spaces();
                    out.push_char('\t');
                }
                out.push(cell);
            }
        }
        // The memory is used again.
        self.text.clear();
        self.pieces.clear();
        self.has_right_to_left = false;
    }

    /// Returns the texts from left to right.
    fn shown(&self) -> Vec<&str> {
        let text_of = |piece: &Piece| &self.text[piece.from..piece.to];
        let mut placed: Vec<(f64, Piece)> = Vec::with_capacity(self.pieces.len());
        let mut base = f64::INFINITY;
        for piece in self.pieces.iter().rev() {
            // A mark is drawn before its letter, and stays beside it.
            if !text_of(piece).chars().all(is_mark) {
                base = piece.start;
            }
            placed.push((base.min(f64::MAX), *piece));
        }
        placed.reverse();
        placed.sort_by(|(one, _), (other, _)| one.total_cmp(other));
        let mut shown = Vec::with_capacity(placed.len());
        let (mut end, mut size, mut ends_with_space) = (f64::INFINITY, 0.0_f64, true);
        for (start, piece) in placed {
            let text = text_of(&piece);
            let next = text.chars().next().unwrap_or(' ');
            let gap = white_space(start - end, size.max(piece.size), ends_with_space, next);
            shown.extend((!gap.is_empty()).then_some(gap));
            shown.push(text);
            // Parts may overlap.
            end = if end.is_finite() { end.max(piece.end) } else { piece.end };
            (size, ends_with_space) = (piece.size, text.ends_with(char::is_whitespace));
        }
        shown
    }
}

/// Returns the white space that a gap stands for.
fn white_space(gap: f64, size: f64, ends_with_space: bool, next: char) -> &'static str {
    if next == ' ' || gap <= WORD_GAP * size {
        return "";
    }
    match (gap > CELL_GAP * size, ends_with_space) {
        (true, _) => "\t",
        (false, true) => "",
        (false, false) => " ",
    }
}
