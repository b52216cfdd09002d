//! The lines of a page. Programs draw the glyphs of a line from left to right, whatever direction the text has, so a line with
//! letters of Hebrew or Arabic is put in the order in which it is read.

use hayro::kurbo::Vec2;

use super::{
    columns::{self, Cells},
    order::{self, is_mark, is_right_to_left},
    rows::{self, DrawnLines},
    words::{Line, Word},
};
use crate::output::TextWriter;

/// In units of the font size: a gap that separates words.
const WORD_GAP: f64 = 0.16;
/// A gap that separates cells, whatever other lines have there.
const CELL_GAP: f64 = 1.8;
/// Bytes after which the rest counts as another line.
const LINE_BYTES_MAX: usize = 256 * 1024;
/// Bytes of the lines that are compared.
const LINES_BYTES_MAX: usize = 512 * 1024;
/// Characters of a label of a list, such as `[Abc2015]`.
const LABEL_CHARS_MAX: usize = 10;

/// What is drawn at once: a glyph, or what has a stated text.
#[derive(Clone, Copy)]
struct Piece {
    /// Its text: bytes of that of the lines.
    from: usize,
    to: usize,
    /// Where it begins and ends along the line.
    start: f64,
    end: f64,
    size: f64,
}

/// The place of a text that is drawn.
#[derive(Clone, Copy)]
pub(super) struct TextPlace {
    /// Where it begins and ends along the line.
    pub(super) start: f64,
    pub(super) end: f64,
    pub(super) size: f64,
    /// The direction of the line, of length 1.
    pub(super) along: Vec2,
    /// How far down the baseline is.
    pub(super) baseline: f64,
}

/// The lines of a page while they are drawn.
#[derive(Default)]
pub(super) struct PageLines {
    /// The text in the order in which it is drawn.
    text: String,
    pieces: Vec<Piece>,
    words: Vec<Word>,
    lines: Vec<Line>,
    /// Where the text and the pieces of the line that is being drawn begin.
    line_text: usize,
    line_pieces: usize,
    place: Option<TextPlace>,
    is_joined: bool,
    has_right_to_left: bool,
}

impl PageLines {
    /// Returns whether the line has letters that are read from right to left, so that parts of it may be drawn in any order.
    pub(super) fn has_right_to_left(&self) -> bool {
        self.has_right_to_left
    }

    /// Returns the direction of the line that is being drawn; `None` before its first text.
    pub(super) fn direction(&self) -> Option<Vec2> {
        self.place.map(|place| place.along)
    }

    /// Returns whether the line has one text so far.
    pub(super) fn has_one_glyph(&self) -> bool {
        self.pieces.len() == self.line_pieces + 1
    }

    /// Moves the first text of the line, whose direction shows with the second one.
    pub(super) fn replace_place(&mut self, place: TextPlace) {
        if let Some(first) = self.pieces.get_mut(self.line_pieces) {
            (first.start, first.end) = (place.start, place.end);
            self.place = Some(place);
        }
    }

    /// Adds a text. What is full is written.
    pub(super) fn push(&mut self, text: &str, place: TextPlace, out: &mut TextWriter) {
        let from = self.text.len();
        self.text.push_str(text);
        let TextPlace { start, end, size, .. } = place;
        self.pieces.push(Piece { from, to: self.text.len(), start, end, size });
        self.has_right_to_left |= text.chars().any(is_right_to_left);
        let first = self.place.get_or_insert(place);
        first.size = first.size.max(size);
        if self.text.len() - self.line_text >= LINE_BYTES_MAX {
            self.finish_line(true);
        }
        if self.text.len() >= LINES_BYTES_MAX {
            self.finish_line(true);
            self.write(out);
        }
    }

    /// Moves the end of the last text: more is drawn that it stands for.
    pub(super) fn extend(&mut self, end: f64) {
        if let Some(last) = self.pieces[self.line_pieces..].last_mut() {
            last.end = last.end.max(end);
        }
    }

    /// Adds the white space of a gap before the next text.
    pub(super) fn separate(&mut self, gap: f64, size: f64, next: char) {
        let ends_with_space = self.text[self.line_text..].chars().next_back().is_none_or(char::is_whitespace);
        self.text.push_str(white_space(gap, size, ends_with_space, next));
    }

    /// The next text is of another line, and belongs to the word before it.
    pub(super) fn join(&mut self) {
        self.is_joined = true;
    }

    /// Ends the line.
    pub(super) fn end_line(&mut self) {
        self.finish_line(false);
    }

    fn finish_line(&mut self, is_open: bool) {
        let (text, words) = (self.line_text..self.text.len(), self.words.len());
        if self.has_right_to_left {
            self.put_in_visual_order();
        }
        self.find_words();
        if !self.has_right_to_left {
            self.pieces.truncate(self.line_pieces);
        }
        let place = self.place.take();
        self.lines.push(Line {
            text,
            pieces: self.line_pieces..self.pieces.len(),
            words: words..self.words.len(),
            along: place.map_or(Vec2::ZERO, |place| place.along),
            top: place.map_or(0.0, |place| place.baseline),
            baseline: place.map_or(0.0, |place| place.baseline),
            size: place.map_or(1.0, |place| place.size),
            is_joined: self.is_joined,
            is_open,
        });
        (self.line_text, self.line_pieces) = (self.text.len(), self.pieces.len());
        (self.is_joined, self.has_right_to_left) = (false, false);
    }

    /// Puts the pieces of the line in the order in which they are from left to right.
    fn put_in_visual_order(&mut self) {
        let pieces = &mut self.pieces[self.line_pieces..];
        let mut placed: Vec<(f64, Piece)> = Vec::with_capacity(pieces.len());
        let mut base = f64::INFINITY;
        for piece in pieces.iter().rev() {
            // A mark is drawn before its letter, and stays beside it.
            if !self.text[piece.from..piece.to].chars().all(is_mark) {
                base = piece.start;
            }
            placed.push((base.min(f64::MAX), *piece));
        }
        placed.reverse();
        placed.sort_by(|(one, _), (other, _)| one.total_cmp(other));
        for (piece, (start, other)) in pieces.iter_mut().zip(placed) {
            *piece = Piece { start, ..other };
        }
    }

    /// Finds the words of the line.
    fn find_words(&mut self) {
        let mut open: Option<Word> = None;
        let mut size = 0.0_f64;
        for at in self.line_pieces..self.pieces.len() {
            let piece = self.pieces[at];
            let text = &self.text[piece.from..piece.to];
            let range = if self.has_right_to_left { at..at + 1 } else { piece.from..piece.to };
            if text.chars().all(char::is_whitespace) {
                self.words.extend(open.take());
                continue;
            }
            match &mut open {
                Some(word) if piece.start - word.end <= WORD_GAP * size.max(piece.size) => {
                    (word.to, word.end) = (range.end, word.end.max(piece.end));
                }
                _ => {
                    self.words.extend(open.take());
                    let (start, end) = (piece.start, piece.end.max(piece.start));
                    let (from, to) = (range.start, range.end);
                    open = Some(Word { from, to, start, end, ..Word::default() });
                }
            }
            size = piece.size;
        }
        self.words.extend(open);
    }

    /// Writes all lines. The last one is left without an end.
    pub(super) fn write(&mut self, out: &mut TextWriter) {
        if self.text.len() > self.line_text {
            self.finish_line(true);
        }
        self.describe_words();
        rows::join(DrawnLines { lines: &mut self.lines, words: &mut self.words, text: &mut self.text });
        let cells = columns::cells(&self.lines, &self.words);
        for (line, cells) in self.lines.iter().zip(&cells) {
            if line.is_reordered() {
                order::logical(self.shown(line, cells)).iter().for_each(|text| out.push(text));
            } else {
                self.write_line(line, cells, out);
            }
            if !line.is_open {
                out.end_line();
            }
        }
        // The memory is used again.
        self.text.clear();
        self.pieces.clear();
        self.words.clear();
        self.lines.clear();
        (self.line_text, self.line_pieces) = (0, 0);
    }

    fn describe_words(&mut self) {
        for line in &self.lines {
            let is_reordered = line.is_reordered();
            for word in &mut self.words[line.words.clone()] {
                let range = if is_reordered {
                    self.pieces[word.from].from..self.pieces[word.from].to
                } else {
                    word.from..word.to
                };
                let text = &self.text[range];
                word.has_digit = text.chars().any(char::is_numeric);
                if !is_reordered {
                    word.is_dot = matches!(text, "." | "·" | "…" | "_");
                    word.is_leader = is_leader(text);
                    word.is_label = is_label(text);
                    word.is_sign = text.chars().all(is_sign);
                    word.is_number = word.has_digit && text.chars().all(is_of_number);
                }
            }
        }
    }

    fn write_line(&self, line: &Line, cells: &Cells, out: &mut TextWriter) {
        (0..cells.before).for_each(|_| out.push_char('\t'));
        let words = line.words_of(&self.words);
        let mut start = if cells.before > 0 { words[0].from } else { line.text.start };
        for cell in &cells.begins {
            write_cells(&self.text[start..words[cell.word - 1].to], out);
            (0..cell.columns).for_each(|_| out.push_char('\t'));
            start = words[cell.word].from;
        }
        write_cells(&self.text[start..line.text.end], out);
    }

    /// Returns the texts of a line from left to right.
    fn shown(&self, line: &Line, cells: &Cells) -> Vec<&str> {
        let words = line.words_of(&self.words);
        let mut begins = cells.begins.iter().map(|cell| (words[cell.word].from, cell.columns)).peekable();
        let mut shown = Vec::with_capacity(line.pieces.len());
        let (mut end, mut size, mut ends_with_space) = (f64::INFINITY, 0.0_f64, true);
        shown.extend((0..cells.before).map(|_| "\t"));
        for at in line.pieces.clone() {
            let piece = &self.pieces[at];
            let text = &self.text[piece.from..piece.to];
            let next = text.chars().next().unwrap_or(' ');
            if let Some((_, columns)) = begins.next_if(|(from, _)| *from == at) {
                shown.extend((0..columns).map(|_| "\t"));
            } else {
                let gap = white_space(piece.start - end, size.max(piece.size), ends_with_space, next);
                shown.extend((!gap.is_empty()).then_some(gap));
            }
            shown.push(text);
            // Parts may overlap.
            end = if end.is_finite() { end.max(piece.end) } else { piece.end };
            (size, ends_with_space) = (piece.size, text.ends_with(char::is_whitespace));
        }
        shown.extend((0..cells.after).map(|_| "\t"));
        shown
    }
}

/// Writes a text whose tabs separate cells: a space before such a gap is of neither.
fn write_cells(text: &str, out: &mut TextWriter) {
    for (at, cell) in text.split('\t').enumerate() {
        if at > 0 {
            out.trim_spaces();
            out.push_char('\t');
        }
        out.push(cell);
    }
}

/// Returns whether a word only leads the eye from one text to another.
fn is_leader(text: &str) -> bool {
    let is_filling = |c: char| matches!(c, '.' | '·' | '…' | '_' | '-' | '–' | '—');
    text.chars().all(is_filling) && (text.chars().count() > 3 || text.contains('…'))
}

/// Returns whether a word may be the label of an entry of a list: `•`, `1.`, `a)`, `(iii)`, `[12]`, `2.1`.
fn is_label(text: &str) -> bool {
    if text.chars().count() > LABEL_CHARS_MAX {
        return false;
    }
    let is_sign = text.chars().all(|c| !c.is_alphanumeric());
    let is_number = text.chars().all(|c| c.is_ascii_digit() || c == '.');
    let is_short = text.chars().count() <= LABEL_CHARS_MAX / 2;
    is_sign || is_number || (is_short && text.ends_with(['.', ')'])) || (text.starts_with('[') && text.ends_with(']'))
}

/// Returns whether a character is a currency or the sign of a number.
fn is_sign(c: char) -> bool {
    matches!(c, '$' | '¢'..='¥' | '\u{20a0}'..='\u{20cf}' | '+' | '-' | '−' | '±' | '<' | '>')
}

fn is_of_number(c: char) -> bool {
    c.is_numeric() || is_sign(c) || matches!(c, '.' | ',' | '\'' | '’' | '%' | '(' | ')' | '*')
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
