//! OpenDocument (OASIS OpenDocument 1.3): text, tables and presentations. A table or a slide is a page.

mod formulas;
mod lists;
mod objects;
mod sheet;
mod styles;

use formulas::Formula;
use lists::OdfLists;
use objects::{ObjectText, OdfObjects};
use sheet::SheetPlace;
use styles::{OdfStyles, TextForm};

use super::{
    parts::{EndedPart, PartKind, TextParts},
    symbols::SymbolFont,
};
use crate::{
    FileError, FileText,
    archive::Archive,
    limits::{REPEATS_MAX, ROW_CELLS_MAX},
    output::TextWriter,
    xml::{self, XmlStep, XmlSteps, XmlTag},
};

/// Most spaces that one element stands for.
const SPACES_MAX: usize = 100;

pub(crate) fn read(bytes: &[u8], depth: usize) -> Result<FileText, FileError> {
    let mut archive = Archive::open(bytes)?;
    if archive.read("META-INF/manifest.xml")?.is_some_and(|manifest| xml::decode(&manifest).contains("encryption-data"))
    {
        return Err(FileError::new(crate::FileErrorCode::Encrypted, "The file needs a password."));
    }
    let content = archive.require("content.xml")?;
    let source = xml::decode(&content);
    let styles = archive.read("styles.xml")?.unwrap_or_default();
    let styles = xml::decode(&styles);
    let mut reader = OdfReader {
        lists: OdfLists::parse([&*styles, &*source])?,
        styles: OdfStyles::parse([&*styles, &*source])?,
        ..OdfReader::default()
    };
    let mut objects = OdfObjects::new(depth);
    let mut steps = XmlSteps::new(&source);
    while let Some(step) = steps.next()? {
        match step {
            XmlStep::Open(tag) => {
                reader.open(&tag);
                if reader.skipped == 0 && matches!(&*tag.name(), "object" | "object-ole") {
                    let text = objects.read(&mut archive, &tag);
                    text.into_iter().for_each(|text| reader.object(text));
                }
            }
            XmlStep::Close(name) => reader.close(&name),
            XmlStep::Text(text) => reader.text(&text),
        }
        if reader.out.is_full() {
            break;
        }
    }
    if objects.is_cut() {
        reader.out.leave_out();
    }
    if reader.is_document {
        reader.read_margins(&styles)?;
    }
    Ok(reader.parts.finish(reader.out))
}

/// What a reader leaves while it reads a part.
#[derive(Default)]
struct OuterPlace {
    paragraphs: usize,
    cells: usize,
    cell: String,
    row: Vec<String>,
}

#[derive(Default)]
struct OdfReader {
    out: TextWriter,
    is_sheets: bool,
    is_slides: bool,
    /// Whether the file is a text.
    is_document: bool,
    /// Whether the file is an object of another one.
    is_object: bool,
    /// Nesting of elements.
    depth: usize,
    /// Nesting of elements that are left out.
    skipped: usize,
    /// Nesting of paragraphs; text elsewhere is layout.
    paragraphs: usize,
    cells: usize,
    cell: String,
    cell_repeats: usize,
    row: Vec<String>,
    row_repeats: usize,
    place: SheetPlace,
    lists: OdfLists,
    styles: OdfStyles,
    /// The form of the text, with the nesting of the element that begins it.
    forms: Vec<(usize, TextForm)>,
    parts: TextParts<OuterPlace>,
    formula: Formula,
    /// The date of the cell in the form of ISO 8601.
    date: Option<String>,
}

impl OdfReader {
    /// Returns the text of an object, such as a chart: its titles and its table.
    fn read_object(source: &str) -> Result<FileText, FileError> {
        let mut reader = Self { is_object: true, ..Self::default() };
        let mut steps = XmlSteps::new(source);
        while let Some(step) = steps.next()? {
            reader.step(step);
            if reader.out.is_full() {
                break;
            }
        }
        Ok(reader.parts.finish(reader.out))
    }

    /// Reads the headers and footers of the pages of a text.
    fn read_margins(&mut self, styles: &str) -> Result<(), FileError> {
        let mut steps = XmlSteps::new(styles);
        let mut is_margin = false;
        while let Some(step) = steps.next()? {
            let margin = match &step {
                XmlStep::Open(tag) => {
                    margin(&tag.name()).filter(|_| tag.attribute("display").as_deref() != Some("false"))
                }
                XmlStep::Close(name) if margin(name).is_some() => {
                    is_margin = false;
                    self.close(name);
                    continue;
                }
                XmlStep::Close(_) | XmlStep::Text(_) => None,
            };
            match margin {
                Some(kind) if !is_margin => {
                    is_margin = true;
                    self.begin_part(kind);
                    self.depth += 1;
                }
                _ if is_margin => self.step(step),
                _ => {}
            }
        }
        Ok(())
    }

    fn step(&mut self, step: XmlStep<'_>) {
        match step {
            XmlStep::Open(tag) => self.open(&tag),
            XmlStep::Close(name) => self.close(&name),
            XmlStep::Text(text) => self.text(&text),
        }
    }

    fn open(&mut self, tag: &XmlTag<'_>) {
        let name = tag.name();
        let is_left_out = match &*name {
            "tracked-changes" | "note-citation" | "desc" | "ruby-text" => true,
            // A chart has one that is shown.
            "title" => !self.is_object,
            // Its text only says that it is one.
            "page-number" => self.is_slides,
            _ => false,
        };
        if self.skipped > 0 || is_left_out {
            self.skipped += 1;
            return;
        }
        let is_of_formula = self.formula.open(&name);
        if !is_of_formula {
            self.open_text(&name, tag);
        }
        self.depth += 1;
    }

    fn open_text(&mut self, name: &str, tag: &XmlTag<'_>) {
        match name {
            "text" => self.is_document = true,
            "presentation" => self.is_slides = true,
            "spreadsheet" => self.is_sheets = true,
            "table" if self.is_sheets && self.cells == 0 => {
                self.out.begin_page();
                self.out.push(&tag.attribute("name").unwrap_or_default());
                self.out.end_line();
                self.place = SheetPlace::default();
            }
            "page" => drop(self.out.begin_page()),
            "p" | "h" => {
                self.paragraphs += 1;
                self.begin_form(tag);
            }
            "span" => self.begin_form(tag),
            "section" if tag.attribute("display").as_deref() == Some("none") => {
                self.forms.push((self.depth, TextForm { is_hidden: true, font: None }));
            }
            "hidden-text" if tag.attribute("is-hidden").as_deref() == Some("true") => {
                self.out.hide(&tag.attribute("string-value").unwrap_or_default());
            }
            "note-body" => {
                let mark = self.parts.mark();
                self.text(&mark);
                self.begin_part(PartKind::Note);
                self.out.push(&mark);
            }
            "annotation" => {
                let place = if self.is_sheets { format!("{}: ", self.place) } else { String::new() };
                self.begin_part(PartKind::Comment);
                self.out.push(&place);
            }
            name if is_shape(name) && self.paragraphs > 0 && self.cells == 0 => self.begin_part(PartKind::Box),
            "list" | "list-item" | "list-header" => self.lists.open(name, tag),
            "table-row" if self.cells == 0 => {
                self.row_repeats = repeats(tag, "number-rows-repeated");
                self.place.begin_row(tag);
            }
            "table-cell" | "covered-table-cell" => {
                self.cells += 1;
                if self.cells == 1 {
                    self.cell_repeats = repeats(tag, "number-columns-repeated");
                    self.place.begin_cell(tag);
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
        self.depth = self.depth.saturating_sub(1);
        if let Some(formula) = self.formula.close(name) {
            self.text(&formula);
        }
        self.close_text(name);
        self.forms.pop_if(|(depth, _)| *depth >= self.depth);
        if let Some(EndedPart { state, .. }) = self.parts.end(self.depth, &mut self.out) {
            (self.paragraphs, self.cells) = (state.paragraphs, state.cells);
            (self.cell, self.row) = (state.cell, state.row);
        }
    }

    fn close_text(&mut self, name: &str) {
        match name {
            "p" | "h" => {
                self.paragraphs = self.paragraphs.saturating_sub(1);
                if self.cells > 0 {
                    self.cell.push(' ');
                } else if self.paragraphs == 0 {
                    self.out.end_line();
                    self.write_boxes();
                }
            }
            "table" if self.is_sheets && self.cells == 0 => {
                self.parts.write_boxes(&mut self.out);
                self.parts.write_comments(&mut self.out);
            }
            "table-cell" | "covered-table-cell" => {
                self.cells = self.cells.saturating_sub(1);
                if self.cells == 0 {
                    self.place.end_cell();
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
        let mut signs = None;
        if let Some((_, form)) = self.forms.last() {
            if form.is_hidden {
                return self.out.hide(text);
            }
            let sign =
                |font: &SymbolFont| text.chars().map(|c| font.sign(u32::from(c)).unwrap_or(c)).collect::<String>();
            signs = form.font.as_ref().map(sign);
        }
        let text = signs.as_deref().unwrap_or(text);
        let label = self.lists.take_label().map(|label| label + " ");
        for piece in label.as_deref().into_iter().chain([text]) {
            if self.cells > 0 { self.cell.push_str(piece) } else { self.out.push(piece) }
        }
    }

    fn begin_form(&mut self, tag: &XmlTag<'_>) {
        let around = self.forms.last().map_or_else(TextForm::default, |(_, form)| form.clone());
        let form = self.styles.form(tag.attribute("style-name").as_deref(), &around);
        self.forms.push((self.depth, form));
    }

    /// Begins a part within the element that begins.
    fn begin_part(&mut self, kind: PartKind) {
        let paragraphs = std::mem::take(&mut self.paragraphs);
        let cells = std::mem::take(&mut self.cells);
        let place =
            OuterPlace { paragraphs, cells, cell: std::mem::take(&mut self.cell), row: std::mem::take(&mut self.row) };
        self.parts.begin(kind, self.depth, place, &mut self.out);
    }

    /// Adds the text of an object.
    fn object(&mut self, text: ObjectText) {
        match text {
            ObjectText::Formula(formula) => self.text(&formula),
            ObjectText::Lines(lines) => {
                self.parts.add(PartKind::Box, lines);
                if self.paragraphs == 0 {
                    self.write_boxes();
                }
            }
        }
    }

    /// Writes what stands after the paragraph or the row that has ended. A sheet has it at its end.
    fn write_boxes(&mut self) {
        if !self.is_sheets && self.cells == 0 {
            self.parts.write_boxes(&mut self.out);
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
        self.place.end_row();
        self.write_boxes();
    }
}

/// Returns whether an element is a shape that may have paragraphs of its own.
fn is_shape(name: &str) -> bool {
    matches!(
        name,
        "text-box"
            | "custom-shape"
            | "rect"
            | "circle"
            | "ellipse"
            | "polygon"
            | "path"
            | "line"
            | "connector"
            | "caption"
    )
}

/// Returns the kind of part of the element of a header or a footer.
fn margin(name: &str) -> Option<PartKind> {
    match name {
        "header" | "header-left" | "header-first" => Some(PartKind::Header),
        "footer" | "footer-left" | "footer-first" => Some(PartKind::Footer),
        _ => None,
    }
}

fn repeats(tag: &XmlTag<'_>, name: &str) -> usize {
    tag.attribute(name).and_then(|count| count.parse().ok()).unwrap_or(1).clamp(1, REPEATS_MAX)
}

#[cfg(test)]
mod tests;
