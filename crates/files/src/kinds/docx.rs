//! Documents of Word (ECMA-376 Part 1, WordprocessingML).

mod numbering;

use numbering::{Numbering, ParagraphList};

use super::{
    drawing,
    pptx::{relations, resolved},
};
use crate::{
    FileError, FileText,
    archive::Archive,
    output::TextWriter,
    xml::{self, XmlStep, XmlSteps, XmlTag},
};

/// Notes and comments, after the text.
const NOTES: [&str; 3] = ["word/footnotes.xml", "word/endnotes.xml", "word/comments.xml"];

pub(crate) fn read(bytes: &[u8]) -> Result<FileText, FileError> {
    let mut archive = Archive::open(bytes)?;
    let mut out = TextWriter::default();
    let margins = margins(&archive);
    for name in margins.iter().filter(|name| name.starts_with("word/header")) {
        part(&mut archive, name, &mut out)?;
    }
    let main = relations(&mut archive, "_rels/.rels")?.into_iter().find(|one| one.kind.ends_with("/officeDocument"));
    let name = main.map_or_else(|| "word/document.xml".to_owned(), |main| resolved("", &main.target));
    let document = archive.require(&name)?;
    let mut numbering = numbering(&mut archive)?;
    write_numbered(&xml::decode(&document), &mut out, &mut numbering)?;
    let after = NOTES.iter().map(|name| (*name).to_owned());
    for name in after.chain(margins.into_iter().filter(|name| name.starts_with("word/footer"))) {
        part(&mut archive, &name, &mut out)?;
    }
    drawing::write_related(&mut archive, &name, &mut out)?;
    Ok(out.finish())
}

fn numbering(archive: &mut Archive<'_>) -> Result<Numbering, FileError> {
    let lists = archive.read("word/numbering.xml")?.unwrap_or_default();
    let styles = archive.read("word/styles.xml")?.unwrap_or_default();
    Numbering::parse(&xml::decode(&lists), &xml::decode(&styles))
}

/// Returns the headers and footers of pages, each once.
fn margins(archive: &Archive<'_>) -> Vec<String> {
    let is_margin =
        |name: &String| (name.starts_with("word/header") || name.starts_with("word/footer")) && name.ends_with(".xml");
    let mut names: Vec<String> = archive.names().into_iter().filter(is_margin).collect();
    names.sort_unstable();
    names
}

fn part(archive: &mut Archive<'_>, name: &str, out: &mut TextWriter) -> Result<(), FileError> {
    match archive.read(name)? {
        Some(bytes) => {
            out.end_line();
            write(&xml::decode(&bytes), out)
        }
        None => Ok(()),
    }
}

/// Elements whose text is not of the document: deleted text, the second form of something that is there twice, properties
/// before a change, and how a word is pronounced.
const SKIPPED: [&str; 9] =
    ["del", "moveFrom", "Fallback", "instrText", "delText", "pPrChange", "rPrChange", "sectPrChange", "rt"];

/// Writes the text of a part: a line for each paragraph, and for each row of a table.
pub(crate) fn write(source: &str, out: &mut TextWriter) -> Result<(), FileError> {
    write_numbered(source, out, &mut Numbering::default())
}

fn write_numbered(source: &str, out: &mut TextWriter, numbering: &mut Numbering) -> Result<(), FileError> {
    let mut steps = XmlSteps::new(source);
    let mut reader = DocxReader::new(out, numbering);
    while let Some(step) = steps.next()? {
        if reader.out.is_full() {
            return Ok(());
        }
        match step {
            XmlStep::Open(tag) => reader.open(&tag),
            XmlStep::Close(name) => reader.close(&name),
            XmlStep::Text(text) if reader.is_text => reader.text(&text),
            XmlStep::Text(_) => {}
        }
    }
    Ok(())
}

/// Reads the text of a part.
struct DocxReader<'o> {
    out: &'o mut TextWriter,
    numbering: &'o mut Numbering,
    is_text: bool,
    /// Nesting of elements that are left out.
    skipped: usize,
    /// Nesting of cells.
    cells: usize,
    cell: String,
    list: ParagraphList,
    /// The number of the paragraph, until its text begins.
    label: Option<String>,
}

impl<'o> DocxReader<'o> {
    fn new(out: &'o mut TextWriter, numbering: &'o mut Numbering) -> Self {
        let (cell, list) = (String::new(), ParagraphList::default());
        Self { out, numbering, is_text: false, skipped: 0, cells: 0, cell, list, label: None }
    }

    fn open(&mut self, tag: &XmlTag<'_>) {
        let name = tag.name();
        self.is_text = false;
        if self.skipped > 0 || SKIPPED.contains(&&*name) {
            self.skipped += 1;
            return;
        }
        match &*name {
            "t" => self.is_text = true,
            "p" => self.label = None,
            "pPr" => self.list = ParagraphList::default(),
            "pStyle" | "numId" | "ilvl" => self.list.add(&name, tag),
            "tab" if self.cells == 0 => self.out.push_char('\t'),
            "br" | "cr" if self.cells == 0 => self.out.push_char('\n'),
            "tab" | "br" | "cr" => self.cell.push(' '),
            "noBreakHyphen" if self.cells == 0 => self.out.push_char('-'),
            "noBreakHyphen" => self.cell.push('-'),
            "tc" => self.cells += 1,
            "lang" => tag.attribute("val").iter().for_each(|language| self.out.set_language(language)),
            _ => {}
        }
    }

    fn close(&mut self, name: &str) {
        self.is_text = false;
        if self.skipped > 0 {
            self.skipped -= 1;
            return;
        }
        match name {
            "pPr" => self.label = self.numbering.label(&self.list),
            "p" if self.cells > 0 => self.cell.push(' '),
            "p" => self.out.end_line(),
            "tc" if self.cells == 1 => {
                self.cells = 0;
                self.out.cell(&std::mem::take(&mut self.cell));
            }
            "tc" => self.cells = self.cells.saturating_sub(1),
            "tr" if self.cells == 0 => self.out.end_line(),
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        let label = self.label.take().map(|label| label + " ");
        for piece in label.as_deref().into_iter().chain([text]) {
            if self.cells > 0 { self.cell.push_str(piece) } else { self.out.push(piece) }
        }
    }
}
