//! Workbooks of Excel (ECMA-376 Part 1, SpreadsheetML): a page for each sheet, a line for each row. Values are shown as stored;
//! formulas are never calculated.

mod format;

use std::borrow::Cow;

use format::CellFormats;
pub(in crate::kinds) use format::civil_time;

use super::{
    drawing,
    embedded::EmbeddedFiles,
    paragraphs,
    relations::{Relation, related, relations, resolved},
};
use crate::{
    FileError, FileText,
    archive::Archive,
    limits::{CHARS_MAX, ROW_CELLS_MAX, SHARED_STRINGS_BYTES_MAX},
    output::TextWriter,
    xml::{self, XmlStep, XmlSteps, XmlTag},
};

/// Bytes of one row: more than the characters of any text need.
const ROW_BYTES_MAX: usize = 4 * CHARS_MAX;

pub(crate) fn read(bytes: &[u8], depth: usize) -> Result<FileText, FileError> {
    let mut archive = Archive::open(bytes)?;
    let workbook = archive.require("xl/workbook.xml")?;
    let targets = relations(&mut archive, "xl/_rels/workbook.xml.rels")?;
    let workbook = Workbook::parse(&xml::decode(&workbook))?;
    let values = SheetValues {
        strings: shared_strings(&mut archive, &targets)?,
        formats: formats(&mut archive, &targets)?,
        is_1904: workbook.is_1904,
    };
    let (mut out, mut is_damaged) = (TextWriter::default(), false);
    let mut embedded = EmbeddedFiles::new(depth);
    for sheet in &workbook.sheets {
        let relation = targets.iter().find(|relation| relation.id == sheet.relation);
        let name = relation.map(|relation| resolved("xl", &relation.target)).unwrap_or_default();
        let Some(bytes) = archive.read(&name)? else {
            is_damaged = true;
            continue;
        };
        if !out.begin_page() {
            break;
        }
        out.push(&sheet.name);
        out.end_line();
        values.write(&xml::decode(&bytes), &mut out)?;
        write_beside(&mut archive, &name, &mut out)?;
        embedded.write(&mut archive, &name, &mut out)?;
        if out.is_full() {
            break;
        }
    }
    out.finish_parts(is_damaged)
}

/// Writes what lies on a sheet beside its cells: shapes, charts and comments.
fn write_beside(archive: &mut Archive<'_>, sheet: &str, out: &mut TextWriter) -> Result<(), FileError> {
    for (relation, name) in related(archive, sheet)? {
        let is_comments = relation.kind.ends_with("/comments");
        if !is_comments && !relation.kind.ends_with("/drawing") {
            continue;
        }
        let Some(bytes) = archive.read(&name)? else { continue };
        if is_comments {
            write_comments(&xml::decode(&bytes), out)?;
        } else {
            paragraphs::write(&xml::decode(&bytes), out)?;
            drawing::write_related(archive, &name, out)?;
        }
        if out.is_full() {
            break;
        }
    }
    Ok(())
}

/// Writes a line for each comment, with its cell.
fn write_comments(source: &str, out: &mut TextWriter) -> Result<(), FileError> {
    let mut steps = XmlSteps::new(source);
    let (mut is_text, mut cell, mut text) = (false, String::new(), String::new());
    while let Some(step) = steps.next()? {
        match step {
            XmlStep::Open(tag) => match &*tag.name() {
                "comment" => cell = tag.attribute("ref").unwrap_or_default(),
                "t" => is_text = true,
                _ => {}
            },
            XmlStep::Close(name) => match &*name {
                "t" => is_text = false,
                "comment" => {
                    out.end_line();
                    out.cell(&format!("{cell}: {}", std::mem::take(&mut text).trim()));
                    out.end_line();
                }
                _ => {}
            },
            XmlStep::Text(piece) if is_text => text.push_str(&piece),
            XmlStep::Text(_) => {}
        }
        if out.is_full() {
            break;
        }
    }
    Ok(())
}

/// The sheets of a workbook.
#[derive(Default)]
struct Workbook {
    sheets: Vec<Sheet>,
    /// Whether dates count from 1904.
    is_1904: bool,
}

struct Sheet {
    name: String,
    relation: String,
}

impl Workbook {
    fn parse(source: &str) -> Result<Self, FileError> {
        let (mut steps, mut workbook) = (XmlSteps::new(source), Self::default());
        while let Some(step) = steps.next()? {
            let XmlStep::Open(tag) = step else { continue };
            match &*tag.name() {
                "sheet" => {
                    if let (Some(name), Some(relation)) = (tag.attribute("name"), tag.attribute_of("r", "id")) {
                        workbook.sheets.push(Sheet { name, relation });
                    }
                }
                "workbookPr" => {
                    workbook.is_1904 = matches!(tag.attribute("date1904").as_deref(), Some("1" | "true"));
                }
                _ => {}
            }
        }
        Ok(workbook)
    }
}

fn part<'n>(targets: &'n [Relation], kind: &str, usual: &'n str) -> String {
    let found = targets.iter().find(|relation| relation.kind.ends_with(kind));
    found.map_or_else(|| usual.to_owned(), |relation| resolved("xl", &relation.target))
}

/// Returns the strings that cells name by their index.
fn shared_strings(archive: &mut Archive<'_>, targets: &[Relation]) -> Result<Vec<String>, FileError> {
    let Some(bytes) = archive.read(&part(targets, "/sharedStrings", "xl/sharedStrings.xml"))? else {
        return Ok(Vec::new());
    };
    let source = xml::decode(&bytes);
    let (mut steps, mut strings, mut bytes) = (XmlSteps::new(&source), Vec::new(), 0);
    let (mut text, mut is_text, mut is_phonetic) = (String::new(), false, false);
    while let Some(step) = steps.next()? {
        match step {
            XmlStep::Open(tag) => match &*tag.name() {
                "t" => is_text = !is_phonetic,
                "rPh" => is_phonetic = true,
                _ => {}
            },
            XmlStep::Close(name) => match &*name {
                "t" => is_text = false,
                "rPh" => is_phonetic = false,
                "si" => strings.push(std::mem::take(&mut text)),
                _ => {}
            },
            XmlStep::Text(piece) if is_text => {
                bytes += piece.len();
                if bytes > SHARED_STRINGS_BYTES_MAX {
                    return Err(FileError::too_large("The workbook has too much text."));
                }
                text.push_str(&piece);
            }
            XmlStep::Text(_) => {}
        }
    }
    Ok(strings)
}

fn formats(archive: &mut Archive<'_>, targets: &[Relation]) -> Result<CellFormats, FileError> {
    match archive.read(&part(targets, "/styles", "xl/styles.xml"))? {
        Some(bytes) => CellFormats::parse(&xml::decode(&bytes)),
        None => Ok(CellFormats::default()),
    }
}

/// What the cells of all sheets refer to.
struct SheetValues {
    strings: Vec<String>,
    formats: CellFormats,
    is_1904: bool,
}

/// A cell while it is read.
#[derive(Default)]
struct Cell {
    column: Option<usize>,
    kind: String,
    style: usize,
    value: String,
}

impl Cell {
    fn of(tag: &XmlTag<'_>) -> Self {
        Self {
            column: tag.attribute("r").as_deref().and_then(column),
            kind: tag.attribute("t").unwrap_or_default(),
            style: tag.attribute("s").and_then(|style| style.parse().ok()).unwrap_or_default(),
            value: String::new(),
        }
    }
}

/// Returns the index of the column of a reference such as `AB12`.
fn column(reference: &str) -> Option<usize> {
    let letters = reference.bytes().take_while(u8::is_ascii_alphabetic).take(4);
    letters.fold(None, |index: Option<usize>, letter| {
        Some(index.map_or(0, |index| (index + 1) * 26) + usize::from(letter.to_ascii_uppercase() - b'A'))
    })
}

impl SheetValues {
    fn write(&self, source: &str, out: &mut TextWriter) -> Result<(), FileError> {
        let mut steps = XmlSteps::new(source);
        let (mut cell, mut is_value, mut row) = (Cell::default(), false, SheetRow::default());
        while let Some(step) = steps.next()? {
            match step {
                XmlStep::Open(tag) => match &*tag.name() {
                    "c" => cell = Cell::of(&tag),
                    "v" | "t" => is_value = true,
                    _ => {}
                },
                XmlStep::Close(name) => match &*name {
                    "v" | "t" => is_value = false,
                    "c" => self.place(std::mem::take(&mut cell), &mut row),
                    "row" => {
                        std::mem::take(&mut row).write(out);
                        if out.is_full() {
                            return Ok(());
                        }
                    }
                    _ => {}
                },
                XmlStep::Text(text) if is_value => cell.value.push_str(&text),
                XmlStep::Text(_) => {}
            }
        }
        Ok(())
    }

    /// Adds a cell to its row while there is room: many cells may name one long string.
    fn place(&self, cell: Cell, row: &mut SheetRow) {
        let column = cell.column.unwrap_or(row.cells.len());
        let shown = self.shown(&cell);
        if cell.value.is_empty() {
            return;
        }
        if column >= ROW_CELLS_MAX || row.bytes + shown.len() > ROW_BYTES_MAX {
            row.is_cut |= !shown.trim().is_empty();
            return;
        }
        row.bytes += shown.len();
        if row.cells.len() <= column {
            row.cells.resize(column + 1, String::new());
        }
        row.cells[column] = shown.into_owned();
    }

    fn shown<'c>(&'c self, cell: &'c Cell) -> Cow<'c, str> {
        let value = cell.value.as_str();
        match &*cell.kind {
            "s" => value.trim().parse().ok().and_then(|index: usize| self.strings.get(index)).map_or("", |s| s).into(),
            "b" => if value.trim() == "1" { "TRUE" } else { "FALSE" }.into(),
            "str" | "inlineStr" | "e" | "d" => value.into(),
            _ => self.formats.shown(value, cell.style, self.is_1904),
        }
    }
}

/// A row while it is read.
#[derive(Default)]
struct SheetRow {
    cells: Vec<String>,
    bytes: usize,
    /// Whether a cell had no room.
    is_cut: bool,
}

impl SheetRow {
    /// Writes the row without the empty cells at its end.
    fn write(&self, out: &mut TextWriter) {
        let used = self.cells.iter().rposition(|cell| !cell.trim().is_empty()).map_or(0, |last| last + 1);
        self.cells[..used].iter().for_each(|cell| out.cell(cell));
        out.end_line();
        if self.is_cut {
            out.leave_out();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::column;

    #[test]
    fn references_name_columns() {
        let table = [("A1", Some(0)), ("Z9", Some(25)), ("AA1", Some(26)), ("AB12", Some(27)), ("12", None)];
        for (reference, expected) in table {
            assert_eq!(column(reference), expected, "{reference}");
        }
    }
}
