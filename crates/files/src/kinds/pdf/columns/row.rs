//! The cells of one line of a table.

use super::{CellStart, Cells, Column, Gap, PAIR_GAP, STRIP_MIN, TOLERANCE};
use crate::kinds::pdf::words::{Line, Word};

/// Words of a cell of a heading. A line with a longer text is a paragraph above or below the table.
const HEADING_WORDS_MAX: usize = 6;

/// A line of a table.
pub(super) struct Row<'a> {
    index: usize,
    line: &'a Line,
    words: &'a [Word],
    gaps: &'a [Gap],
}

impl<'a> Row<'a> {
    pub(super) fn new(index: usize, lines: &'a [Line], words: &'a [Word], gaps: &'a [Gap]) -> Self {
        let line = &lines[index];
        Self { index, line, words: line.words_of(words), gaps }
    }

    pub(super) fn cells(&self, all: &[Column]) -> Cells {
        let (Some(first), Some(last)) = (self.words.first(), self.words.last()) else { return Cells::default() };
        let columns: Vec<(&Column, Option<usize>)> = all
            .iter()
            .map(|column| (column, self.number_of(column)))
            .filter(|(column, number)| column.covers(self.index) || number.is_some())
            .collect();
        let mut begins = self.begins(&columns);
        let mut numbers: Vec<usize> = columns.iter().filter_map(|(_, number)| *number).collect();
        numbers.retain(|word| begins.iter().all(|start| start.word != *word));
        // One alone may be of a text.
        if begins.len() + numbers.len() > 1 {
            begins.extend(numbers.into_iter().map(|word| CellStart { word: self.with_sign(word), columns: 1 }));
            begins.sort_by_key(|start| start.word);
            begins.dedup_by_key(|start| start.word);
        }
        if begins.is_empty() && !columns.iter().any(|(column, _)| self.continues(column)) {
            return Cells::default();
        }
        let before = columns.iter().filter(|(column, _)| column.middle_of_strip() < first.start).count();
        let before = before.max(self.column_of_first_cell(all));
        let after = columns.iter().filter(|(column, _)| column.middle_of_strip() > last.end).count();
        Cells { before, begins, after }
    }

    /// Returns the columns before the first cell if that is wider than its column, which aligns it at the right.
    fn column_of_first_cell(&self, all: &[Column]) -> usize {
        let near: Vec<&Column> = all.iter().filter(|column| column.is_near(self.index)).collect();
        let is_left_of = |one: &Column, other: &Column| one.middle_of_strip() <= other.middle_of_strip();
        let own = near.iter().filter(|column| !column.covers(self.index) && self.begins_in(column));
        let before = own.map(|column| near.iter().filter(|one| is_left_of(one, column)).count()).max().unwrap_or(0);
        let is_after_first =
            self.words.first().is_some_and(|word| near.iter().any(|one| one.strip.start <= word.start));
        if is_after_first { before } else { 0 }
    }

    /// Returns whether the first cell ends where those of a column do.
    fn begins_in(&self, column: &Column) -> bool {
        let end = self.gaps.first().map_or(self.words.len(), |gap| gap.word);
        let (Some(first), Some(last)) = (self.words.first(), self.words[..end].last()) else { return false };
        let right = column.right.filter(|_| column.left.is_none());
        first.start < column.strip.end && right.is_some_and(|right| (right - last.end).abs() <= TOLERANCE * column.size)
    }

    /// Returns the words that begin a cell after a wide gap.
    fn begins(&self, columns: &[(&Column, Option<usize>)]) -> Vec<CellStart> {
        let reaching = |gap: &Gap| {
            let columns = columns.iter().map(|(column, _)| *column);
            let gap = *gap;
            columns.filter(move |column| self.reaches_over(&gap, column))
        };
        let begins: Vec<CellStart> = self
            .gaps
            .iter()
            .map(|gap| CellStart { word: gap.word, columns: reaching(gap).count() })
            .filter(|start| start.columns > 0)
            .collect();
        let is_certain = |gap: &Gap| {
            gap.width() >= PAIR_GAP * self.line.size
                || reaching(gap).any(|column| column.has(self.index) || column.agreement(gap).contains(&true))
        };
        let is_heading = columns.iter().all(|(column, _)| !column.is_between_lines(self.index));
        if (begins.len() > 1 || self.gaps.iter().any(is_certain)) && !(is_heading && self.is_wordy()) {
            return begins;
        }
        Vec::new()
    }

    fn is_wordy(&self) -> bool {
        let first = self.gaps.first().map_or(self.words.len(), |gap| gap.word);
        first > HEADING_WORDS_MAX || self.gaps.iter().any(|gap| gap.words > HEADING_WORDS_MAX)
    }

    /// Returns whether a gap has the strip of a column.
    fn reaches_over(&self, gap: &Gap, column: &Column) -> bool {
        let shared = gap.end.min(column.strip.end) - gap.start.max(column.strip.start);
        shared >= (STRIP_MIN * self.line.size).min(column.strip.end - column.strip.start) * 0.9
    }

    /// Returns the number that ends where those of a column do, and is so long that it leaves no wide gap before it: a total.
    fn number_of(&self, column: &Column) -> Option<usize> {
        let right = column.right.filter(|_| column.is_of_numbers() && column.is_near(self.index))?;
        let is_number = |at: &usize| {
            let (before, word) = (&self.words[at - 1], &self.words[*at]);
            word.is_number
                && (word.end - right).abs() <= TOLERANCE * column.size
                && before.end <= column.strip.end
                && word.start >= column.strip.start
        };
        (1..self.words.len()).find(is_number)
    }

    /// Returns the first word of a number: its currency may be a word of its own.
    fn with_sign(&self, word: usize) -> usize {
        if word > 1 && self.words[word - 1].is_sign { word - 1 } else { word }
    }

    /// Returns whether the whole line is a cell of a column, below another one.
    fn continues(&self, column: &Column) -> bool {
        if column.lines.first().is_none_or(|first| self.index < *first) {
            return false;
        }
        let (Some(first), Some(last)) = (self.words.first(), self.words.last()) else { return false };
        let is_near =
            |edge: Option<f64>, other: f64| edge.is_some_and(|edge| (edge - other).abs() <= TOLERANCE * column.size);
        is_near(column.left, first.start)
            || is_near(column.right, last.end)
            || is_near(column.middle, (first.start + last.end) / 2.0)
    }
}
