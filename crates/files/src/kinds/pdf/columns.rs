//! Columns of tables: gaps that stay in their place over the lines of a page. A narrow gap alone may be one of justified text.

mod row;

use std::ops::Range;

use self::row::Row;
use super::words::{Line, Word};

/// In units of the font size: the narrowest gap between columns.
const GAP_MIN: f64 = 0.45;
/// The narrowest strip without text that two lines share.
const STRIP_MIN: f64 = 0.3;
/// How far the edges of the cells of a column are apart.
const TOLERANCE: f64 = 0.08;
/// Lines that agree on a column.
const LINES_MIN: usize = 3;
/// Two lines are enough if their gaps are this wide.
const PAIR_GAP: f64 = 0.9;
/// A gap this much wider than another one of its line is no gap of justified text.
const STRETCH: f64 = 1.6;
/// Lines of a table that may have no gap at a column, one after another.
const SKIPPED_MAX: usize = 2;
/// How far the next line of a table is below.
const PITCH_MAX: f64 = 4.5;
/// How far it may be above: a cell of several lines is drawn before the next cell of its row.
const RISE_MAX: f64 = 6.0;
/// How much the font sizes of two lines of a table differ.
const SIZES_RATIO: f64 = 1.35;
/// A gap that is not wider than the space of a font whose glyphs have one width.
const SPACE_MAX: f64 = 0.65;
/// How much the widths of the spaces of such a font differ.
const SPACES_RATIO: f64 = 1.05;
/// Words of a cell whose column is only aligned at its right edge, as numbers are.
const NUMBER_WORDS_MAX: usize = 4;
/// Gaps of a line. One with more has no cells.
const GAPS_MAX: usize = 64;
/// Columns of the tables of a page.
const COLUMNS_MAX: usize = 512;

/// The cells of one line.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Cells {
    /// Empty cells before the first word.
    pub(super) before: usize,
    /// Words that begin a cell, in their order.
    pub(super) begins: Vec<CellStart>,
    /// Empty cells after the last word.
    pub(super) after: usize,
}

/// A word that begins a cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct CellStart {
    /// Its index in the line.
    pub(super) word: usize,
    /// Columns between its cell and the one before it, at least 1.
    pub(super) columns: usize,
}

/// A gap of a line that may separate cells.
#[derive(Clone, Copy)]
struct Gap {
    start: f64,
    end: f64,
    /// The end of the text after it, up to the next gap.
    text_end: f64,
    /// The word after it.
    word: usize,
    /// Words of the text after it.
    words: usize,
    has_digit: bool,
    follows_label: bool,
    /// Whether another gap of the line is about as wide, as in justified text.
    is_even: bool,
}

impl Gap {
    fn width(&self) -> f64 {
        self.end - self.start
    }
}

/// A column while lines agree on where it begins.
struct Column {
    /// The first and the last line that have it.
    first: usize,
    last: usize,
    /// The strip without text before it.
    strip: Range<f64>,
    /// The place of its cells, as long as all agree.
    left: Option<f64>,
    right: Option<f64>,
    middle: Option<f64>,
    size: f64,
    /// The lines that agree, in their order.
    lines: Vec<usize>,
    /// Cells after gaps that are none of justified text.
    votes: usize,
    /// Whether the first cell counts once a whole line agrees with its line.
    is_first_open: bool,
    digits: usize,
    labels: usize,
    /// The widths of its gaps, in units of the font size.
    widths: Range<f64>,
    is_wordy: bool,
}

impl Column {
    fn begin(line: usize, size: f64, gap: &Gap) -> Self {
        Self {
            first: line,
            last: line,
            strip: gap.start..gap.end,
            left: Some(gap.end),
            right: Some(gap.text_end),
            middle: Some((gap.end + gap.text_end) / 2.0),
            size,
            lines: vec![line],
            votes: usize::from(!gap.is_even),
            is_first_open: gap.is_even,
            digits: usize::from(gap.has_digit),
            labels: usize::from(gap.follows_label),
            widths: gap.width() / size..gap.width() / size,
            is_wordy: gap.words > NUMBER_WORDS_MAX,
        }
    }

    /// Returns the edges on which a cell agrees: left, right, middle.
    fn agreement(&self, gap: &Gap) -> [bool; 3] {
        let is_near =
            |edge: Option<f64>, other: f64| edge.is_some_and(|edge| (edge - other).abs() <= TOLERANCE * self.size);
        [
            is_near(self.left, gap.end),
            is_near(self.right, gap.text_end),
            is_near(self.middle, (gap.end + gap.text_end) / 2.0),
        ]
    }

    /// Returns whether a cell belongs to the column.
    fn accepts(&self, gap: &Gap) -> bool {
        let shared = self.strip.end.min(gap.end) - self.strip.start.max(gap.start);
        shared >= STRIP_MIN * self.size && self.agreement(gap).contains(&true)
    }

    fn add(&mut self, line: usize, gap: &Gap, counts: bool) {
        let [left, right, middle] = self.agreement(gap);
        self.left = self.left.filter(|_| left);
        self.right = self.right.filter(|_| right);
        self.middle = self.middle.filter(|_| middle);
        self.strip = self.strip.start.max(gap.start)..self.strip.end.min(gap.end);
        self.last = line;
        self.lines.push(line);
        self.votes += usize::from(counts);
        self.digits += usize::from(gap.has_digit);
        self.labels += usize::from(gap.follows_label);
        let width = gap.width() / self.size;
        self.widths = self.widths.start.min(width)..self.widths.end.max(width);
        self.is_wordy |= gap.words > NUMBER_WORDS_MAX;
    }

    /// Returns whether enough lines agree.
    fn is_certain(&self) -> bool {
        let lines_min = if self.widths.start >= PAIR_GAP { LINES_MIN - 1 } else { LINES_MIN };
        let is_of_spaces = self.widths.end <= SPACE_MAX && self.widths.end <= SPACES_RATIO * self.widths.start;
        self.votes >= lines_min
            && !is_of_spaces
            && (self.left.is_some() || self.middle.is_some() || self.is_of_numbers())
    }

    fn is_of_numbers(&self) -> bool {
        self.digits * 2 >= self.lines.len() && !self.is_wordy
    }

    fn is_of_labels(&self) -> bool {
        self.labels * 2 >= self.lines.len()
    }

    fn covers(&self, line: usize) -> bool {
        (self.first..=self.last).contains(&line)
    }

    /// Returns whether a line is of the table, the one before it, or one of its totals.
    fn is_near(&self, line: usize) -> bool {
        (self.first..=self.last + 1 + SKIPPED_MAX).contains(&(line + 1))
    }

    fn is_between_lines(&self, line: usize) -> bool {
        self.lines.first().is_some_and(|first| *first <= line) && self.lines.last().is_some_and(|last| line <= *last)
    }

    fn has(&self, line: usize) -> bool {
        self.lines.binary_search(&line).is_ok()
    }

    fn middle_of_strip(&self) -> f64 {
        (self.strip.start + self.strip.end) / 2.0
    }
}

/// Returns the cells of each line.
pub(super) fn cells(lines: &[Line], words: &[Word]) -> Vec<Cells> {
    let mut cells = vec![Cells::default(); lines.len()];
    let gaps: Vec<Vec<Gap>> = lines.iter().map(|line| gaps_of(line, line.words_of(words))).collect();
    for region in regions(lines) {
        let mut columns = columns_of(&region, lines, &gaps);
        if columns.is_empty() || columns.len() > COLUMNS_MAX {
            continue;
        }
        lengthen(&mut columns, &region, lines, words);
        unite(&mut columns, lines, words);
        for line in region {
            cells[line] = Row::new(line, lines, words, &gaps[line]).cells(&columns);
        }
    }
    cells
}

/// Returns the gaps of a line that may separate cells.
fn gaps_of(line: &Line, words: &[Word]) -> Vec<Gap> {
    if line.is_joined {
        return Vec::new();
    }
    let width = |at: usize| words[at].start - words[at - 1].end;
    let is_cut = |at: usize| width(at) >= GAP_MIN * line.size && !is_leader(words, at);
    let cuts: Vec<usize> = (1..words.len()).filter(|at| is_cut(*at)).collect();
    if cuts.len() > GAPS_MAX {
        return Vec::new();
    }
    let narrowest = (1..words.len()).map(width).fold(f64::INFINITY, f64::min);
    let is_only_gap = words.len() == 2;
    let gap = |(at, word): (usize, &usize)| {
        let end = cuts.get(at + 1).copied().unwrap_or(words.len());
        let text = &words[*word..end];
        Gap {
            start: words[word - 1].end,
            end: words[*word].start,
            text_end: words[end - 1].end,
            word: *word,
            words: text.len(),
            has_digit: text.iter().any(|word| word.has_digit),
            follows_label: at == 0 && words[..*word].iter().all(|word| word.is_label),
            is_even: !is_only_gap && width(*word) < STRETCH * narrowest,
        }
    };
    cuts.iter().enumerate().map(gap).collect()
}

/// Returns whether a word leads to the text after it: dots or lines, in one word or in several.
fn is_leader(words: &[Word], at: usize) -> bool {
    let dots = |range: Range<usize>| words[range].iter().all(|word| word.is_dot);
    let is_one_of_three = |start: usize| start + 3 <= words.len() && dots(start..start + 3);
    words[at].is_leader || (at.saturating_sub(2)..=at).any(is_one_of_three)
}

/// Returns the runs of lines that may be of one table.
fn regions(lines: &[Line]) -> Vec<Range<usize>> {
    let mut regions: Vec<Range<usize>> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        match regions.last_mut() {
            Some(region) if line.may_follow(&lines[at - 1]) => region.end = at + 1,
            _ => regions.push(at..at + 1),
        }
    }
    regions
}

impl Line {
    fn may_follow(&self, before: &Line) -> bool {
        let size = self.size.max(before.size);
        let down = (self.top - before.baseline) / size;
        size <= SIZES_RATIO * self.size.min(before.size)
            && self.along.dot(before.along) > 0.999
            && (-RISE_MAX..=PITCH_MAX).contains(&down)
    }
}

/// Returns the columns on which the lines of a region agree.
fn columns_of(region: &Range<usize>, lines: &[Line], gaps: &[Vec<Gap>]) -> Vec<Column> {
    let (mut open, mut found): (Vec<Column>, Vec<Column>) = (Vec::new(), Vec::new());
    for line in region.clone() {
        let (kept, ended) = open.into_iter().partition(|column: &Column| column.last + 1 + SKIPPED_MAX >= line);
        open = kept;
        found.extend(ended.into_iter().filter(Column::is_certain));
        let best = |gap: &Gap| {
            let fitting = open.iter().enumerate().filter(|(_, column)| column.accepts(gap));
            fitting.max_by_key(|(_, column)| (column.last, column.lines.len())).map(|(at, _)| at)
        };
        let matches: Vec<Option<usize>> = gaps[line].iter().map(best).collect();
        let is_whole = matches.len() > 1 && matches.iter().all(Option::is_some);
        for (gap, matching) in gaps[line].iter().zip(matches) {
            match matching.map(|at| &mut open[at]) {
                // Another gap of the line may have been closer.
                Some(column) if column.last < line => {
                    if is_whole && column.is_first_open {
                        column.votes += 1;
                        column.is_first_open = false;
                    }
                    column.add(line, gap, is_whole || !gap.is_even);
                }
                Some(_) => {}
                None => open.push(Column::begin(line, lines[line].size, gap)),
            }
        }
    }
    found.extend(open.into_iter().filter(Column::is_certain));
    without_labels(found)
}

/// Removes the columns after labels of a list, which have no other column beside them.
fn without_labels(mut columns: Vec<Column>) -> Vec<Column> {
    let shared =
        |one: &Column, other: &Column| (one.last.min(other.last) + 1).saturating_sub(one.first.max(other.first));
    let has_company = |column: &Column| {
        let lines = column.last + 1 - column.first;
        columns.iter().any(|other| !other.is_of_labels() && shared(column, other) * 2 >= lines)
    };
    let kept: Vec<bool> = columns.iter().map(|column| !column.is_of_labels() || has_company(column)).collect();
    let mut kept = kept.into_iter();
    columns.retain(|_| kept.next().unwrap_or(true));
    columns
}

/// Lengthens each column over the lines of its table that have no text in its strip: its heading, and rows where it is empty.
fn lengthen(columns: &mut [Column], region: &Range<usize>, lines: &[Line], words: &[Word]) {
    columns.sort_by_key(|column| column.first);
    let mut tables: Vec<Range<usize>> = Vec::new();
    for column in columns.iter() {
        match tables.last_mut() {
            Some(table) if column.first < table.end => table.end = table.end.max(column.last + 1),
            _ => tables.push(column.first..column.last + 1),
        }
    }
    let is_free = |column: &Column, line: usize| {
        let words = lines[line].words_of(words);
        !words.is_empty()
            && words.iter().all(|word| {
                word.end <= column.strip.start + TOLERANCE * column.size
                    || word.start >= column.strip.end - TOLERANCE * column.size
            })
    };
    for column in columns {
        let Some(table) = tables.iter().find(|table| table.contains(&column.first)) else { continue };
        let start = table.start.saturating_sub(SKIPPED_MAX).max(region.start);
        let end = (table.end + 1).min(region.end);
        while column.first > start && is_free(column, column.first - 1) {
            column.first -= 1;
        }
        while column.last + 1 < end && is_free(column, column.last + 1) {
            column.last += 1;
        }
    }
}

/// Unites columns that no text separates.
fn unite(columns: &mut Vec<Column>, lines: &[Line], words: &[Word]) {
    columns.sort_by(|one, other| one.middle_of_strip().total_cmp(&other.middle_of_strip()));
    let mut at = 1;
    while at < columns.len() {
        let before = (0..at).rev().find(|before| {
            let (one, other) = (&columns[*before], &columns[at]);
            one.first <= other.last && other.first <= one.last
        });
        match before {
            Some(before) if !has_text_between(&columns[before], &columns[at], lines, words) => {
                let other = columns.remove(at);
                let one = &mut columns[before];
                (one.first, one.last) = (one.first.min(other.first), one.last.max(other.last));
                one.lines.extend(
                    other
                        .lines
                        .iter()
                        .filter(|line| one.lines.binary_search(line).is_err())
                        .copied()
                        .collect::<Vec<_>>(),
                );
                one.lines.sort_unstable();
                let shared = one.strip.start.max(other.strip.start)..one.strip.end.min(other.strip.end);
                if shared.end - shared.start >= STRIP_MIN * one.size {
                    one.strip = shared;
                } else if other.lines.len() > one.lines.len() {
                    one.strip = other.strip;
                }
            }
            _ => at += 1,
        }
    }
}

fn has_text_between(one: &Column, other: &Column, lines: &[Line], words: &[Word]) -> bool {
    let shared = one.first.max(other.first)..=one.last.min(other.last);
    let is_between = |word: &Word| {
        let middle = (word.start + word.end) / 2.0;
        middle > one.middle_of_strip() && middle < other.middle_of_strip()
    };
    shared.into_iter().any(|line| lines[line].words_of(words).iter().any(is_between))
}
