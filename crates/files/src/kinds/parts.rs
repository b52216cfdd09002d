//! Parts of a document whose text stands within another one, but is shown elsewhere: notes, headers, comments, text boxes.

use std::collections::HashSet;

use crate::{FileText, limits::CHARS_MAX, output::TextWriter};

/// Parts of a document.
const PARTS_MAX: usize = 20_000;
/// Characters of all parts that are kept until the end.
const PART_CHARS_MAX: usize = 4 * CHARS_MAX;

/// A kind of part.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum PartKind {
    /// The text above each page, of which sections may have their own.
    Header,
    /// The text below each page.
    Footer,
    /// A footnote or an endnote.
    Note,
    /// A comment.
    Comment,
    /// A text box or an object, which is read after the paragraph that has it.
    Box,
    /// Text that is returned: the instruction of a field.
    Instruction,
}

/// The text around a part, while the part is read.
struct OuterText<S> {
    kind: PartKind,
    note: usize,
    depth: usize,
    out: TextWriter,
    state: S,
}

/// What is around a part that has ended.
pub(super) struct EndedPart<S> {
    /// The state of the reader before the part.
    pub(super) state: S,
    /// The text of an instruction.
    pub(super) instruction: Option<String>,
}

/// The parts of a document, of which a reader keeps its own state.
pub(super) struct TextParts<S> {
    outer: Vec<OuterText<S>>,
    finished: Vec<(PartKind, String)>,
    margins: HashSet<(PartKind, String)>,
    /// Text boxes of the paragraph that is being read.
    boxes: Vec<String>,
    chars: usize,
    notes: usize,
    is_cut: bool,
}

impl<S> Default for TextParts<S> {
    fn default() -> Self {
        let (outer, finished, boxes) = (Vec::new(), Vec::new(), Vec::new());
        Self { outer, finished, margins: HashSet::new(), boxes, chars: 0, notes: 0, is_cut: false }
    }
}

impl<S> TextParts<S> {
    /// Returns the mark of the note that is being read, or else of the next one.
    pub(super) fn mark(&self) -> String {
        let note = self.outer.iter().rev().find(|outer| outer.kind == PartKind::Note).map(|outer| outer.note);
        format!("[{}]", note.unwrap_or(self.notes + 1))
    }

    /// Begins a part within `depth` elements. Its text goes to `out` until it ends.
    pub(super) fn begin(&mut self, kind: PartKind, depth: usize, state: S, out: &mut TextWriter) {
        self.notes += usize::from(kind == PartKind::Note);
        let out = std::mem::take(out);
        self.outer.push(OuterText { kind, note: self.notes, depth, out, state });
    }

    /// Ends the part within `depth` elements, if there is one.
    pub(super) fn end(&mut self, depth: usize, out: &mut TextWriter) -> Option<EndedPart<S>> {
        self.outer.last().filter(|outer| outer.depth == depth)?;
        let OuterText { kind, out: around, state, note, .. } = self.outer.pop()?;
        let text = std::mem::replace(out, around).finish();
        out.hide(&text.hidden);
        self.is_cut |= text.is_truncated;
        let mut text = text.pages.concat();
        let mark = format!("[{note}]");
        if kind == PartKind::Note && text.strip_prefix(&mark).is_some_and(|rest| !rest.starts_with(char::is_whitespace))
        {
            text.insert(mark.len(), ' ');
        }
        if kind == PartKind::Instruction {
            return Some(EndedPart { state, instruction: Some(text) });
        }
        self.add(kind, text);
        Some(EndedPart { state, instruction: None })
    }

    /// Adds the text of a part.
    pub(super) fn add(&mut self, kind: PartKind, text: String) {
        self.chars += text.len();
        if self.chars > PART_CHARS_MAX || self.finished.len() + self.boxes.len() >= PARTS_MAX {
            self.is_cut = true;
        } else if kind == PartKind::Box {
            self.boxes.push(text);
        } else if !text.is_empty() && !self.is_repeated(kind, &text) {
            self.finished.push((kind, text));
        }
    }

    /// Returns whether a header or a footer is that of another section.
    fn is_repeated(&mut self, kind: PartKind, text: &str) -> bool {
        matches!(kind, PartKind::Header | PartKind::Footer) && !self.margins.insert((kind, text.to_owned()))
    }

    /// Writes the text boxes of a paragraph that has ended. Those of a paragraph in a text box come after that one.
    pub(super) fn write_boxes(&mut self, out: &mut TextWriter) {
        if self.outer.iter().all(|outer| outer.kind != PartKind::Box) {
            write_lines(&std::mem::take(&mut self.boxes), out);
        }
    }

    /// Writes the comments so far, at the end of a sheet.
    pub(super) fn write_comments(&mut self, out: &mut TextWriter) {
        let is_comment = |(kind, _): &mut (PartKind, String)| *kind == PartKind::Comment;
        let comments: Vec<String> = self.finished.extract_if(.., is_comment).map(|(_, text)| text).collect();
        write_lines(&comments, out);
    }

    /// Returns the text of a document with its parts: headers before it, and notes, comments and footers after it.
    pub(super) fn finish(mut self, mut out: TextWriter) -> FileText {
        // The end of a file is often lost.
        while let Some(depth) = self.outer.last().map(|outer| outer.depth) {
            self.end(depth, &mut out);
        }
        self.write_boxes(&mut out);
        let of = |wanted: PartKind| -> Vec<String> {
            self.finished.iter().filter(|(kind, _)| *kind == wanted).map(|(_, text)| text.clone()).collect()
        };
        let headers = of(PartKind::Header);
        if !headers.is_empty() {
            out.put_before(&headers);
        }
        for kind in [PartKind::Note, PartKind::Comment, PartKind::Footer] {
            write_lines(&of(kind), &mut out);
        }
        if self.is_cut {
            out.leave_out();
        }
        out.finish()
    }
}

fn write_lines(texts: &[String], out: &mut TextWriter) {
    for text in texts {
        out.end_line();
        out.push(text);
        out.end_line();
    }
}
