//! Marks of footnotes and endnotes: Word counts them, they are not in the text.

use std::collections::HashMap;

use crate::xml::XmlTag;

/// Notes that get a mark.
const NOTES_MAX: usize = 10_000;

/// A kind of note.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum NoteKind {
    Foot,
    End,
}

/// The marks of the notes of a document.
#[derive(Default)]
pub(crate) struct NoteMarks {
    /// The number of each note to which the text refers.
    numbers: HashMap<(NoteKind, String), usize>,
    /// The note that is being read.
    note: Option<String>,
}

impl NoteMarks {
    /// Returns the mark that an element shows: `[1]` where the text refers to a note, and before the note. Notes at the end of
    /// the document count on after those at the foot of a page.
    pub(super) fn mark(&mut self, name: &str, tag: &XmlTag<'_>) -> Option<String> {
        let (kind, id) = match name {
            "footnoteReference" => (NoteKind::Foot, tag.attribute("id")?),
            "endnoteReference" => (NoteKind::End, tag.attribute("id")?),
            "footnoteRef" => (NoteKind::Foot, self.note.clone()?),
            "endnoteRef" => (NoteKind::End, self.note.clone()?),
            _ => return None,
        };
        let is_reference = name.ends_with("Reference");
        let next = self.numbers.len() + 1;
        let number = match self.numbers.get(&(kind, id.clone())) {
            Some(number) => *number,
            None if is_reference && next <= NOTES_MAX => *self.numbers.entry((kind, id)).or_insert(next),
            None => return None,
        };
        Some(format!("[{number}]"))
    }

    /// Takes the id of a note that begins.
    pub(super) fn begin_note(&mut self, name: &str, tag: &XmlTag<'_>) {
        if matches!(name, "footnote" | "endnote") {
            self.note = tag.attribute("id");
        }
    }
}
