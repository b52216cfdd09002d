//! OpenDocument (OASIS OpenDocument 1.3): text, tables and presentations. A table or a slide is a page.

mod formulas;
mod lists;

use formulas::Formula;
use lists::OdfLists;

use crate::{
    FileError, FileText,
    archive::Archive,
    limits::{REPEATS_MAX, ROW_CELLS_MAX},
    output::TextWriter,
    xml::{self, XmlStep, XmlSteps, XmlTag},
};

/// Most spaces that one element stands for.
const SPACES_MAX: usize = 100;

pub(crate) fn read(bytes: &[u8]) -> Result<FileText, FileError> {
    let mut archive = Archive::open(bytes)?;
    if archive.read("META-INF/manifest.xml")?.is_some_and(|manifest| xml::decode(&manifest).contains("encryption-data"))
    {
        return Err(FileError::new(crate::FileErrorCode::Encrypted, "The file needs a password."));
    }
    let content = archive.require("content.xml")?;
    let source = xml::decode(&content);
    let styles = archive.read("styles.xml")?.unwrap_or_default();
    let lists = OdfLists::parse([&*xml::decode(&styles), &*source])?;
    let mut reader = OdfReader { lists, ..OdfReader::default() };
    let mut steps = XmlSteps::new(&source);
    while let Some(step) = steps.next()? {
        match step {
            XmlStep::Open(tag) if tag.name() == "object" => {
                reader.open(&tag);
                if let Some(formula) = formulas::of_object(&mut archive, &tag) {
                    reader.text(&formula);
                }
            }
            XmlStep::Open(tag) => reader.open(&tag),
            XmlStep::Close(name) => reader.close(&name),
            XmlStep::Text(text) => reader.text(&text),
        }
        if reader.out.is_full() {
            break;
        }
    }
    Ok(reader.out.finish())
}

#[derive(Default)]
struct OdfReader {
    out: TextWriter,
    is_sheets: bool,
    /// Nesting of elements that are left out.
    skipped: usize,
    /// Nesting of paragraphs; text elsewhere is layout.
    paragraphs: usize,
    cells: usize,
    cell: String,
    cell_repeats: usize,
    row: Vec<String>,
    row_repeats: usize,
    lists: OdfLists,
    formula: Formula,
    /// The date of the cell in the form of ISO 8601.
    date: Option<String>,
}

impl OdfReader {
    fn open(&mut self, tag: &XmlTag<'_>) {
        let name = tag.name();
        if self.skipped > 0 || matches!(&*name, "tracked-changes" | "annotation" | "note-citation" | "desc" | "title") {
            self.skipped += 1;
            return;
        }
        if self.formula.open(&name) {
            return;
        }
        match &*name {
            "spreadsheet" => self.is_sheets = true,
            "table" if self.is_sheets && self.cells == 0 => {
                self.out.begin_page();
                self.out.push(&tag.attribute("name").unwrap_or_default());
                self.out.end_line();
            }
            "page" => drop(self.out.begin_page()),
            "p" | "h" => self.paragraphs += 1,
            "list" | "list-item" | "list-header" => self.lists.open(&name, tag),
            "table-row" if self.cells == 0 => self.row_repeats = repeats(tag, "number-rows-repeated"),
            "table-cell" | "covered-table-cell" => {
                self.cells += 1;
                if self.cells == 1 {
                    self.cell_repeats = repeats(tag, "number-columns-repeated");
                    self.date = tag.attribute("date-value").map(|date| date.replacen('T', " ", 1));
                }
            }
            "s" => {
                let count = tag.attribute("c").and_then(|count| count.parse().ok()).unwrap_or(1).min(SPACES_MAX);
                self.text(&" ".repeat(count));
            }
            "tab" => self.text("\t"),
            "line-break" => self.text("\n"),
            _ => {}
        }
    }

    fn close(&mut self, name: &str) {
        if self.skipped > 0 {
            self.skipped -= 1;
            return;
        }
        if let Some(formula) = self.formula.close(name) {
            self.text(&formula);
        }
        match name {
            "p" | "h" => {
                self.paragraphs = self.paragraphs.saturating_sub(1);
                if self.cells > 0 {
                    self.cell.push(' ');
                } else if self.paragraphs == 0 {
                    self.out.end_line();
                }
            }
            "table-cell" | "covered-table-cell" => {
                self.cells = self.cells.saturating_sub(1);
                if self.cells == 0 {
                    let text = std::mem::take(&mut self.cell);
                    let cell = self.date.take().filter(|_| self.is_sheets).unwrap_or(text);
                    let room = ROW_CELLS_MAX.saturating_sub(self.row.len());
                    if self.cell_repeats > room && !cell.trim().is_empty() {
                        self.out.leave_out();
                    }
                    self.row.extend(std::iter::repeat_n(cell, self.cell_repeats.min(room)));
                }
            }
            "table-row" if self.cells == 0 => self.end_row(),
            "list" | "list-item" | "list-header" => self.lists.close(name),
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        if self.skipped == 0 && self.formula.text(text) {
            return;
        }
        if self.skipped > 0 || self.paragraphs == 0 {
            return;
        }
        let label = self.lists.take_label().map(|label| label + " ");
        for piece in label.as_deref().into_iter().chain([text]) {
            if self.cells > 0 { self.cell.push_str(piece) } else { self.out.push(piece) }
        }
    }

    /// Writes a row without the empty cells at its end; an empty row once.
    fn end_row(&mut self) {
        let row = std::mem::take(&mut self.row);
        let used = row.iter().rposition(|cell| !cell.trim().is_empty()).map_or(0, |last| last + 1);
        for _ in 0..if used == 0 { 0 } else { self.row_repeats } {
            row[..used].iter().for_each(|cell| self.out.cell(cell));
            self.out.end_line();
        }
    }
}

fn repeats(tag: &XmlTag<'_>, name: &str) -> usize {
    tag.attribute(name).and_then(|count| count.parse().ok()).unwrap_or(1).clamp(1, REPEATS_MAX)
}
