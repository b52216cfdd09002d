//! Documents of Word (ECMA-376 Part 1, WordprocessingML).

mod numbering;

use numbering::{Numbering, ParagraphNumbers};

use super::{
    drawing,
    embedded::EmbeddedFiles,
    paragraphs::{self, NoLabels, NoteMarks, ParagraphLabels, PartContext, TextStyles},
    relations::{relations, resolved},
};
use crate::{FileError, FileText, archive::Archive, output::TextWriter, xml};

/// Notes and comments, after the text.
const NOTES: [&str; 3] = ["word/footnotes.xml", "word/endnotes.xml", "word/comments.xml"];

pub(crate) fn read(bytes: &[u8], depth: usize) -> Result<FileText, FileError> {
    let mut archive = Archive::open(bytes)?;
    let mut out = TextWriter::default();
    let margins = margins(&archive);
    let styles = archive.read("word/styles.xml")?.unwrap_or_default();
    let styles = xml::decode(&styles);
    let text_styles = TextStyles::parse(&styles)?;
    let mut marks = NoteMarks::default();
    let mut write = |part: Option<Vec<u8>>, out: &mut TextWriter, labels: &mut dyn ParagraphLabels| {
        let part = part.unwrap_or_default();
        out.end_line();
        let context = PartContext { labels, styles: &text_styles, marks: &mut marks };
        paragraphs::write_styled(&xml::decode(&part), out, context)
    };
    for name in margins.iter().filter(|name| name.starts_with("word/header")) {
        write(archive.read(name)?, &mut out, &mut NoLabels)?;
    }
    let main = relations(&mut archive, "_rels/.rels")?.into_iter().find(|one| one.kind.ends_with("/officeDocument"));
    let main = main.map_or_else(|| "word/document.xml".to_owned(), |main| resolved("", &main.target));
    let document = archive.require(&main)?;
    let mut numbers = ParagraphNumbers::new(numbering(&mut archive, &styles)?);
    write(Some(document), &mut out, &mut numbers)?;
    let after = NOTES.iter().map(|name| (*name).to_owned());
    for name in after.chain(margins.into_iter().filter(|name| name.starts_with("word/footer"))) {
        write(archive.read(&name)?, &mut out, &mut NoLabels)?;
    }
    drawing::write_related(&mut archive, &main, &mut out)?;
    EmbeddedFiles::new(depth).write(&mut archive, &main, &mut out)?;
    Ok(out.finish())
}

fn numbering(archive: &mut Archive<'_>, styles: &str) -> Result<Numbering, FileError> {
    let lists = archive.read("word/numbering.xml")?.unwrap_or_default();
    Numbering::parse(&xml::decode(&lists), styles)
}

/// Returns the headers and footers of pages, each once.
fn margins(archive: &Archive<'_>) -> Vec<String> {
    let is_margin =
        |name: &String| (name.starts_with("word/header") || name.starts_with("word/footer")) && name.ends_with(".xml");
    let mut names: Vec<String> = archive.names().into_iter().filter(is_margin).collect();
    names.sort_unstable();
    names
}
