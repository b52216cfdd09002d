//! Tables whose first row labels the columns, with a code in the row below.

use super::cue::CodeCue;
use super::words::{self, KeywordTable};

/// The cells of a row that is on one line, and those of the row above.
#[derive(Debug, Default)]
pub(super) struct TableColumns {
    /// Offsets of the cells in the current line.
    starts: Vec<usize>,
    /// The texts of the row above if none has a digit.
    labels: Vec<String>,
}

impl TableColumns {
    /// Begins a cell at an offset of the current line.
    pub(super) fn begin_cell(&mut self, at: usize) {
        /// Maximum number of cells of a row.
        const CELLS_MAX: usize = 12;
        if self.starts.len() < CELLS_MAX {
            self.starts.push(at);
        }
    }

    /// Ends a line. Returns the cell below a label that names a code for signing in, with that label.
    pub(super) fn end_row(&mut self, line: &str) -> Option<String> {
        let starts = std::mem::take(&mut self.starts);
        let ends = starts.iter().skip(1).copied().chain([line.len()]);
        let cells = starts.iter().zip(ends).map(|(from, to)| line.get(*from..to).unwrap_or_default().trim());
        let cells: Vec<&str> = cells.collect();
        let labels = std::mem::take(&mut self.labels);
        let has_digit = |cell: &str| cell.chars().any(char::is_numeric);
        if cells.len() < 2 {
            return None;
        }
        if !cells.iter().any(|cell| has_digit(cell)) {
            self.labels = cells.into_iter().map(str::to_owned).collect();
            return None;
        }
        let mut columns = labels.iter().zip(&cells).filter(|_| labels.len() == cells.len());
        let (label, cell) = columns.find(|(label, cell)| has_digit(cell) && names_sign_in(label))?;
        Some(format!("{label}: {cell}"))
    }
}

/// Returns whether a label names a code for signing in.
fn names_sign_in(label: &str) -> bool {
    /// Maximum length of a label in characters.
    const LABEL_CHARS_MAX: usize = 48;
    let tables: Vec<KeywordTable> = words::hits(&label.to_lowercase()).map(|hit| hit.table).collect();
    label.chars().count() <= LABEL_CHARS_MAX
        && CodeCue::of(&tables) == CodeCue::SignIn
        && !tables.iter().any(|table| matches!(table, KeywordTable::Other | KeywordTable::Trade))
}
