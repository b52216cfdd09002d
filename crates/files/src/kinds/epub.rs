//! Books (EPUB 3.3): a page for each document of the spine.

use super::{relations::resolved, text::write_html};
use crate::{
    FileError, FileText,
    archive::Archive,
    output::TextWriter,
    xml::{self, XmlStep, XmlSteps},
};

pub(crate) fn read(bytes: &[u8]) -> Result<FileText, FileError> {
    let mut archive = Archive::open(bytes)?;
    let container = archive.require("META-INF/container.xml")?;
    let package_name = package_name(&xml::decode(&container))?;
    let package = archive.require(&package_name)?;
    let folder = package_name.rsplit_once('/').map_or("", |(folder, _)| folder);
    let (mut out, mut is_damaged) = (TextWriter::default(), false);
    for target in spine(&xml::decode(&package), &mut out)? {
        let Some(chapter) = archive.read(&resolved(folder, &unescaped(&target)))? else {
            is_damaged = true;
            continue;
        };
        if !out.begin_page() {
            break;
        }
        write_html(&mut out, &xml::decode(&chapter));
        if out.is_full() {
            break;
        }
    }
    out.finish_parts(is_damaged)
}

fn package_name(source: &str) -> Result<String, FileError> {
    let mut steps = XmlSteps::new(source);
    while let Some(step) = steps.next()? {
        if let XmlStep::Open(tag) = step
            && tag.name() == "rootfile"
            && let Some(path) = tag.attribute("full-path")
        {
            return Ok(path);
        }
    }
    Err(FileError::parse("The book names no package."))
}

/// Returns the names of the documents in reading order.
fn spine(source: &str, out: &mut TextWriter) -> Result<Vec<String>, FileError> {
    let (mut steps, mut items, mut order) = (XmlSteps::new(source), Vec::new(), Vec::new());
    let mut is_language = false;
    while let Some(step) = steps.next()? {
        match step {
            XmlStep::Open(tag) => match &*tag.name() {
                "item" => items.extend(tag.attribute("id").zip(tag.attribute("href"))),
                "itemref" => order.extend(tag.attribute("idref")),
                name => is_language = name == "language",
            },
            XmlStep::Text(text) if is_language => out.set_language(text.trim()),
            XmlStep::Text(_) => {}
            XmlStep::Close(_) => is_language = false,
        }
    }
    let target = |id: String| items.iter().find(|(item, _)| *item == id).map(|(_, href)| href.clone());
    Ok(order.into_iter().filter_map(target).collect())
}

/// Decodes the escaped bytes of a reference, such as `%20` (RFC 3986 §2.1).
fn unescaped(reference: &str) -> String {
    let (mut bytes, mut rest) = (Vec::new(), reference.as_bytes());
    while let [first, tail @ ..] = rest {
        let digits = if *first == b'%' { tail.get(..2).and_then(|two| std::str::from_utf8(two).ok()) } else { None };
        let escaped = digits.and_then(|two| u8::from_str_radix(two, 16).ok());
        bytes.push(escaped.unwrap_or(*first));
        rest = if escaped.is_some() { &tail[2..] } else { tail };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::unescaped;

    #[test]
    fn references_are_unescaped() {
        let table =
            [("a%20b.xhtml", "a b.xhtml"), ("%C3%A9", "é"), ("100%", "100%"), ("%zz%2", "%zz%2"), ("é%41", "éA")];
        for (reference, name) in table {
            assert_eq!(unescaped(reference), name);
        }
    }
}
