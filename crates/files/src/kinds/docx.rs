//! Documents of Word (ECMA-376 Part 1, WordprocessingML).

mod numbering;

use numbering::{Numbering, ParagraphNumbers};

use super::{
    drawing,
    embedded::EmbeddedFiles,
    paragraphs,
    relations::{relations, resolved},
};
use crate::{FileError, FileText, archive::Archive, output::TextWriter, xml};

/// Notes and comments, after the text.
const NOTES: [&str; 3] = ["word/footnotes.xml", "word/endnotes.xml", "word/comments.xml"];

pub(crate) fn read(bytes: &[u8], depth: usize) -> Result<FileText, FileError> {
    let mut archive = Archive::open(bytes)?;
    let mut out = TextWriter::default();
    let margins = margins(&archive);
    for name in margins.iter().filter(|name| name.starts_with("word/header")) {
        part(&mut archive, name, &mut out)?;
    }
    let main = relations(&mut archive, "_rels/.rels")?.into_iter().find(|one| one.kind.ends_with("/officeDocument"));
    let main = main.map_or_else(|| "word/document.xml".to_owned(), |main| resolved("", &main.target));
    let document = archive.require(&main)?;
    let mut numbers = ParagraphNumbers::new(numbering(&mut archive)?);
    paragraphs::write_labeled(&xml::decode(&document), &mut out, &mut numbers)?;
    let after = NOTES.iter().map(|name| (*name).to_owned());
    for name in after.chain(margins.into_iter().filter(|name| name.starts_with("word/footer"))) {
        part(&mut archive, &name, &mut out)?;
    }
    drawing::write_related(&mut archive, &main, &mut out)?;
    EmbeddedFiles::new(depth).write(&mut archive, &main, &mut out)?;
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
            paragraphs::write(&xml::decode(&bytes), out)
        }
        None => Ok(()),
    }
}
