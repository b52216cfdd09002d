//! Rows of tables whose cells have several lines. Programs draw the lines of a cell one after another, then those of the next
//! cell, so that the lines of a row are not beside each other.

use std::ops::Range;

use hayro::kurbo::Vec2;

use super::words::{Line, Word};

/// In units of the font size: the narrowest gap between two cells of a line.
const GAP_MIN: f64 = 0.9;
/// The narrowest space between the widest lines of two cells.
const SPACE_MIN: f64 = 0.25;
/// How far the edges of the lines of a cell, and of the cells of a column, are apart.
const TOLERANCE: f64 = 0.12;
/// How far a line of a cell is below the one before it.
const PITCH: Range<f64> = 0.5..1.75;
/// How far the first line of a cell may be above or below those of the cells before it.
const SHIFT_MAX: f64 = 10.0;
/// How far the next row of a table is below.
const ROW_PITCH_MAX: f64 = 5.0;
/// How much the font sizes of the lines of a cell differ.
const SIZES_RATIO: f64 = 1.1;
/// Cells of a row. A longer line is no row.
const CELLS_MAX: usize = 64;
/// Lines of a cell. A longer text is a column of a page.
const CELL_LINES_MAX: usize = 12;
/// Cells of a row that are in the columns of the row beside it, at least.
const SHARED_COLUMNS_MIN: usize = 2;

/// The lines of a page, and their words.
pub(super) struct DrawnLines<'l> {
    pub(super) lines: &'l mut Vec<Line>,
    pub(super) words: &'l mut Vec<Word>,
    pub(super) text: &'l mut String,
}

/// Words of a line without a wide gap.
struct Segment {
    line: usize,
    words: Range<usize>,
    start: f64,
    end: f64,
}

/// Lines below each other that may be a cell.
struct Cell {
    segments: Vec<Segment>,
    left: f64,
    right: f64,
    /// The baseline of its last line.
    bottom: f64,
    size: f64,
    is_label: bool,
}

/// Cells beside each other.
struct CellRow {
    cells: Vec<Cell>,
    along: Vec2,
    /// The baselines of its first and its last line.
    top: f64,
    bottom: f64,
}

/// Makes one line of the lines of each row that has cells of several lines.
pub(super) fn join(drawn: DrawnLines<'_>) {
    let rows = rows_of(drawn.lines, drawn.words);
    let is_joined: Vec<bool> = (0..rows.len()).map(|at| is_joined(&rows, at)).collect();
    if !is_joined.contains(&true) {
        return;
    }
    let (mut joined, mut next) = (Vec::with_capacity(drawn.lines.len()), 0);
    let mut lines = std::mem::take(drawn.lines).into_iter();
    for (row, _) in rows.iter().zip(is_joined).filter(|(_, is_joined)| *is_joined) {
        let (first, last) = row.lines();
        joined.extend(lines.by_ref().take(first - next));
        let is_open = lines.by_ref().take(last + 1 - first).last().is_some_and(|line| line.is_open);
        next = last + 1;
        joined.push(row.line(drawn.words, drawn.text, is_open));
    }
    joined.extend(lines);
    *drawn.lines = joined;
}

/// Returns the rows of all lines, in the order in which they are drawn.
fn rows_of(lines: &[Line], words: &[Word]) -> Vec<CellRow> {
    let mut rows: Vec<CellRow> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        for (number, segment) in segments(at, line, words).into_iter().enumerate() {
            let is_alone = line.is_joined || line.is_reordered();
            match rows.last_mut().filter(|row| !is_alone && row.along.dot(line.along) > 0.999) {
                Some(row) => {
                    if let Some(rest) = row.add(segment, line, number == 0, words) {
                        rows.push(CellRow::begin(rest, line, words));
                    }
                }
                None => rows.push(CellRow::begin(segment, line, words)),
            }
            if is_alone && let Some(row) = rows.last_mut() {
                row.along = Vec2::ZERO;
            }
        }
    }
    rows
}

/// Returns the parts of a line between its wide gaps.
fn segments(at: usize, line: &Line, words: &[Word]) -> Vec<Segment> {
    let mut found: Vec<Segment> = Vec::new();
    for word in line.words.clone() {
        let Word { start, end, is_leader, .. } = words[word];
        match found.last_mut() {
            Some(segment) if is_leader || start - segment.end < GAP_MIN * line.size => {
                (segment.words.end, segment.end) = (word + 1, segment.end.max(end));
            }
            _ => found.push(Segment { line: at, words: word..word + 1, start, end }),
        }
    }
    found
}

/// Returns whether a row has cells of several lines: it has another cell of one line, and the row above or below has cells in
/// its columns. Labels of a list have no such cells.
fn is_joined(rows: &[CellRow], at: usize) -> bool {
    let row = &rows[at];
    let lines = |count: fn(usize) -> bool| row.cells.iter().any(|cell| count(cell.segments.len()));
    let is_list = row.cells.len() == 2 && row.cells[0].is_label;
    if row.cells.len() < 2 || is_list || !lines(|count| count > 1) || !lines(|count| count == 1) {
        return false;
    }
    // A line may be in two rows: a part of it is below a cell, and another part is not beside that.
    let (first, last) = row.lines();
    let (before, after) = (at.checked_sub(1).map(|at| &rows[at]), rows.get(at + 1));
    if before.is_some_and(|row| row.lines().1 >= first) || after.is_some_and(|row| row.lines().0 <= last) {
        return false;
    }
    let is_table = |other: Option<&CellRow>| other.is_some_and(|other| row.is_beside(other));
    !lines(|count| count > CELL_LINES_MAX) && (is_table(before) || is_table(after))
}

impl Cell {
    fn begin(segment: Segment, line: &Line, words: &[Word]) -> Self {
        let is_label = words[segment.words.clone()].iter().all(|word| word.is_label);
        let Segment { start, end, .. } = segment;
        let (bottom, size) = (line.baseline, line.size);
        Self { segments: vec![segment], left: start, right: end, bottom, size, is_label }
    }

    /// Returns whether places are those of the same column.
    fn is_aligned(&self, start: f64, end: f64) -> bool {
        let is_near = |one: f64, other: f64| (one - other).abs() <= TOLERANCE * self.size;
        is_near(self.left, start) || is_near(self.right, end) || is_near(self.left + self.right, start + end)
    }

    /// Returns whether a line is the next one of the cell. A number is a cell of its own.
    fn continues(&self, segment: &Segment, line: &Line, words: &[Word]) -> bool {
        let size = self.size.max(line.size);
        let is_number =
            |segment: &Segment| words[segment.words.clone()].iter().all(|word| word.is_number || word.is_sign);
        let has_number = is_number(segment) || self.segments.last().is_some_and(is_number);
        !has_number
            && PITCH.contains(&((line.baseline - self.bottom) / size))
            && size <= SIZES_RATIO * self.size.min(line.size)
            && self.is_aligned(segment.start, segment.end)
    }

    fn add(&mut self, segment: Segment, line: &Line) {
        (self.left, self.right) = (self.left.min(segment.start), self.right.max(segment.end));
        self.bottom = line.baseline;
        self.is_label = false;
        self.segments.push(segment);
    }
}

impl CellRow {
    fn begin(segment: Segment, line: &Line, words: &[Word]) -> Self {
        let (top, bottom) = (line.baseline, line.baseline);
        Self { cells: vec![Cell::begin(segment, line, words)], along: line.along, top, bottom }
    }

    /// Adds a part of a line to the last cell, or as the next cell; returns it if it is neither.
    fn add(&mut self, segment: Segment, line: &Line, is_first: bool, words: &[Word]) -> Option<Segment> {
        let before = self.cells.len().checked_sub(2).map_or(f64::NEG_INFINITY, |before| self.cells[before].right);
        let Some(last) = self.cells.last_mut() else { return Some(segment) };
        let size = last.size.max(line.size);
        let is_within = segment.start - before >= SPACE_MIN * size;
        if is_first && is_within && last.continues(&segment, line, words) {
            last.add(segment, line);
            self.bottom = self.bottom.max(line.baseline);
            return None;
        }
        let is_beside = segment.start - last.right >= SPACE_MIN * size
            && line.baseline <= self.bottom + TOLERANCE * size
            && line.baseline >= self.top - SHIFT_MAX * size;
        if !is_beside || self.cells.len() >= CELLS_MAX {
            return Some(segment);
        }
        (self.top, self.bottom) = (self.top.min(line.baseline), self.bottom.max(line.baseline));
        self.cells.push(Cell::begin(segment, line, words));
        None
    }

    /// Returns whether another row is of the same table.
    fn is_beside(&self, other: &Self) -> bool {
        let size = self.cells[0].size;
        let down = (self.top - other.bottom).max(other.top - self.bottom);
        let is_shared = |cell: &&Cell| other.cells.iter().any(|other| cell.is_aligned(other.left, other.right));
        self.along.dot(other.along) > 0.999
            && (0.0..ROW_PITCH_MAX * size).contains(&down)
            && self.cells.iter().filter(is_shared).count() >= SHARED_COLUMNS_MIN
    }

    /// Returns the first and the last line.
    fn lines(&self) -> (usize, usize) {
        let lines = || self.cells.iter().flat_map(|cell| &cell.segments).map(|segment| segment.line);
        (lines().min().unwrap_or_default(), lines().max().unwrap_or_default())
    }

    /// Returns the line of all cells, whose text and words are added to those of the page.
    fn line(&self, words: &mut Vec<Word>, text: &mut String, is_open: bool) -> Line {
        let (text_start, words_start) = (text.len(), words.len());
        for (at, cell) in self.cells.iter().enumerate() {
            if at > 0 {
                text.push('\t');
            }
            match &cell.segments[..] {
                [segment] => copy(segment, words, text),
                segments => {
                    let from = text.len();
                    segments.iter().for_each(|segment| append(from, segment, words, text));
                    let has_digit = text[from..].chars().any(char::is_numeric);
                    let (start, end) = (cell.left, cell.right);
                    words.push(Word { from, to: text.len(), start, end, has_digit, ..Word::default() });
                }
            }
        }
        Line {
            text: text_start..text.len(),
            pieces: 0..0,
            words: words_start..words.len(),
            along: self.along,
            top: self.top,
            baseline: self.bottom,
            size: self.cells[0].size,
            is_joined: false,
            is_open,
        }
    }
}

/// Adds the words of a part of a line, each with its place.
fn copy(segment: &Segment, words: &mut Vec<Word>, text: &mut String) {
    let from = words[segment.words.start].from;
    let shift = text.len();
    text.extend_from_within(from..words[segment.words.end - 1].to);
    for at in segment.words.clone() {
        let word = words[at];
        words.push(Word { from: word.from - from + shift, to: word.to - from + shift, ..word });
    }
}

/// Adds the text of a line to its cell, which begins at a place of the text.
fn append(cell: usize, segment: &Segment, words: &[Word], text: &mut String) {
    let range = words[segment.words.start].from..words[segment.words.end - 1].to;
    let (last, next) = (text[cell..].chars().next_back(), text[range.clone()].chars().next());
    let has_space = |last: char| !(is_wide(last) && next.is_some_and(is_wide));
    if last.is_some_and(has_space) {
        text.push(' ');
    }
    text.extend_from_within(range);
}

/// Returns whether a character is of a script without spaces between words: Chinese or Japanese.
pub(super) fn is_wide(c: char) -> bool {
    matches!(c, '\u{2e80}'..='\u{303f}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' |
        '\u{f900}'..='\u{faff}' | '\u{fe30}'..='\u{fe4f}' | '\u{ff00}'..='\u{ffef}' | '\u{20000}'..='\u{3ffff}')
}
