//! Objects of a document: formulas, charts and documents in parts of their own, and files of other programs.

use super::{OdfReader, formulas};
use crate::{
    archive::Archive,
    kinds::embedded::EmbeddedFiles,
    output::TextWriter,
    xml::{self, XmlTag},
};

/// Objects that are read.
const OBJECTS_MAX: usize = 200;

/// The text of an object.
pub(super) enum ObjectText {
    /// A formula, inside of its line.
    Formula(String),
    /// Lines, after the paragraph.
    Lines(String),
}

/// The objects of a document while it is read.
pub(super) struct OdfObjects {
    files: EmbeddedFiles,
    count: usize,
    /// Whether an object was left out.
    is_cut: bool,
}

impl OdfObjects {
    pub(super) fn new(depth: usize) -> Self {
        Self { files: EmbeddedFiles::new(depth), count: 0, is_cut: false }
    }

    /// Returns whether an object was left out.
    pub(super) fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Returns the text of the object that an element names. A damaged object costs itself alone.
    pub(super) fn read(&mut self, archive: &mut Archive<'_>, tag: &XmlTag<'_>) -> Option<ObjectText> {
        let name = tag.attribute("href")?;
        let name = name.trim_start_matches("./").trim_end_matches('/');
        if name.is_empty() || name.contains("..") || name.contains(':') {
            return None;
        }
        self.count += 1;
        if self.count > OBJECTS_MAX {
            self.is_cut = true;
            return None;
        }
        let text = match archive.read_embedded(&format!("{name}/content.xml")) {
            Ok(Some(part)) => return self.read_part(&xml::decode(&part)),
            Ok(None) => self.read_file(archive, name),
            Err(_) => {
                self.is_cut = true;
                None
            }
        };
        text.map(ObjectText::Lines)
    }

    /// Returns the text of an object that is a document.
    fn read_part(&mut self, source: &str) -> Option<ObjectText> {
        if let Some(formula) = formulas::of_part(source) {
            return Some(ObjectText::Formula(formula));
        }
        let text = OdfReader::read_object(source).ok()?;
        self.is_cut |= text.is_truncated;
        Some(ObjectText::Lines(text.pages.join("\n")))
    }

    /// Returns the text of an object of another program.
    fn read_file(&mut self, archive: &mut Archive<'_>, name: &str) -> Option<String> {
        let bytes = archive.read_embedded(name).ok()??;
        let mut out = TextWriter::default();
        self.files.write_part(name, bytes, &mut out);
        let text = out.finish();
        self.is_cut |= text.is_truncated;
        Some(text.pages.concat())
    }
}
