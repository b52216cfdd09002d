//! Documents of Word (ECMA-376 Part 1, WordprocessingML).

use super::pptx::{relations, resolved};
use crate::{
    FileError, FileText,
    archive::Archive,
    output::TextWriter,
    xml::{self, XmlStep, XmlSteps},
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
    write(&xml::decode(&document), &mut out)?;
    let after = NOTES.iter().map(|name| (*name).to_owned());
    for name in after.chain(margins.into_iter().filter(|name| name.starts_with("word/footer"))) {
        part(&mut archive, &name, &mut out)?;
    }
    Ok(out.finish())
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

/// Writes the text of a part: a line for each paragraph, and for each row of a table.
pub(crate) fn write(source: &str, out: &mut TextWriter) -> Result<(), FileError> {
    let mut steps = XmlSteps::new(source);
    let (mut is_text, mut skipped, mut cells) = (false, 0_usize, 0_usize);
    let mut cell = String::new();
    while let Some(step) = steps.next()? {
        if out.is_full() {
            return Ok(());
        }
        match step {
            XmlStep::Open(tag) => {
                let name = tag.name();
                // Deleted text, and the second form of something that is there twice.
                if skipped > 0 || matches!(&*name, "del" | "moveFrom" | "Fallback" | "instrText" | "delText") {
                    skipped += 1;
                    continue;
                }
                match &*name {
                    "t" => is_text = true,
                    "tab" if cells == 0 => out.push_char('\t'),
                    "br" | "cr" if cells == 0 => out.push_char('\n'),
                    "tab" | "br" | "cr" => cell.push(' '),
                    "noBreakHyphen" if cells == 0 => out.push_char('-'),
                    "noBreakHyphen" => cell.push('-'),
                    "tc" => cells += 1,
                    "lang" => tag.attribute("val").iter().for_each(|language| out.set_language(language)),
                    _ => {}
                }
            }
            XmlStep::Close(_) if skipped > 0 => skipped -= 1,
            XmlStep::Close(name) => match &*name {
                "t" => is_text = false,
                "p" if cells > 0 => cell.push(' '),
                "p" => out.end_line(),
                "tc" if cells == 1 => {
                    cells = 0;
                    out.cell(&std::mem::take(&mut cell));
                }
                "tc" => cells = cells.saturating_sub(1),
                "tr" if cells == 0 => out.end_line(),
                _ => {}
            },
            XmlStep::Text(text) if is_text && skipped == 0 && cells > 0 => cell.push_str(&text),
            XmlStep::Text(text) if is_text && skipped == 0 => out.push(&text),
            XmlStep::Text(_) => {}
        }
    }
    Ok(())
}
