//! The place of a cell in a sheet, by which comments name it.

use std::fmt;

use crate::xml::XmlTag;

/// A place in a sheet, counted from 0.
#[derive(Default)]
pub(super) struct SheetPlace {
    row: u64,
    column: u64,
    /// How many rows and columns the row and the cell stand for.
    rows: u64,
    columns: u64,
}

impl SheetPlace {
    pub(super) fn begin_row(&mut self, tag: &XmlTag<'_>) {
        (self.column, self.rows) = (0, count(tag, "number-rows-repeated"));
    }

    pub(super) fn end_row(&mut self) {
        self.row = self.row.saturating_add(self.rows);
    }

    pub(super) fn begin_cell(&mut self, tag: &XmlTag<'_>) {
        self.columns = count(tag, "number-columns-repeated");
    }

    pub(super) fn end_cell(&mut self) {
        self.column = self.column.saturating_add(self.columns);
    }
}

fn count(tag: &XmlTag<'_>, name: &str) -> u64 {
    tag.attribute(name).and_then(|count| count.parse().ok()).unwrap_or(1)
}

/// The name of a cell, such as `AB12`.
impl fmt::Display for SheetPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mut letters, mut number) = (Vec::new(), self.column.saturating_add(1));
        while number > 0 {
            letters.push(char::from(b'A' + ((number - 1) % 26) as u8));
            number = (number - 1) / 26;
        }
        let letters: String = letters.into_iter().rev().collect();
        write!(f, "{letters}{}", self.row.saturating_add(1))
    }
}
