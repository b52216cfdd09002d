//! Writes a digest until its budget is used.

use std::borrow::Cow;

use super::escape::{escaped, fitting};
use super::{DigestKind, DigestLine, TOKEN_BYTES, tokens};
use crate::id::{AttachmentId, MessageId};

/// A part of a digest: consecutive lines of one message or file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DigestPart {
    pub message: MessageId,
    /// The file, if it is text of a file.
    pub attachment: Option<AttachmentId>,
    /// What it contains.
    pub kind: DigestKind,
    /// Where it begins in the text of the message or file, in characters.
    pub from: u32,
    /// Where it ends.
    pub to: u32,
}

/// A finished digest.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Digest {
    pub text: String,
    /// Its parts in order.
    pub parts: Vec<DigestPart>,
}

impl Digest {
    /// Returns the number of tokens.
    #[must_use]
    pub fn tokens(&self) -> usize {
        tokens(&self.text)
    }
}

/// How far the text of a message or file was written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnitEnd {
    /// To its end.
    Complete,
    /// Up to this offset in characters; the budget is used.
    At(u32),
}

/// Writes a digest.
#[derive(Debug)]
pub struct DigestWriter {
    bytes_max: usize,
    digest: Digest,
}

impl DigestWriter {
    /// Starts a digest with a budget in tokens.
    #[must_use]
    pub fn new(budget: usize) -> Self {
        Self { bytes_max: budget.saturating_mul(TOKEN_BYTES), digest: Digest::default() }
    }

    /// Returns the digest.
    #[must_use]
    pub fn finish(self) -> Digest {
        self.digest
    }

    /// Writes a heading and the lines from an offset on, as far as the budget allows. `part` says what the lines are of. A
    /// line is cut only if nothing else was written.
    pub fn write(&mut self, heading: &str, part: &DigestPart, lines: &[DigestLine], offset: u32) -> UnitEnd {
        let before = self.digest.text.len();
        if before > 0 && !self.digest.text.ends_with('\n') {
            self.digest.text.push('\n');
        }
        let heading_start = self.digest.text.len();
        self.digest.text.push_str(heading);
        self.digest.text.push('\n');
        let after_heading = self.digest.text.len();
        if after_heading > self.bytes_max {
            self.digest.text.truncate(before);
            return UnitEnd::At(offset);
        }
        if lines.is_empty() {
            self.digest.parts.push(DigestPart { from: offset, to: offset, ..part.clone() });
            return UnitEnd::Complete;
        }
        for line in lines.iter().filter(|line| line.to > offset) {
            let skipped = offset.saturating_sub(line.from) as usize;
            let raw = if line.is_reference { line.text.as_str() } else { after_chars(&line.text, skipped) };
            let text = if line.is_reference { Cow::Borrowed(raw) } else { escaped(raw) };
            let room = self.bytes_max - self.digest.text.len();
            let start = line.from.max(offset);
            if text.len() <= room {
                self.digest.text.push_str(&text);
                self.add(part, line.kind, start, line.to);
                continue;
            }
            let is_first = self.digest.text.len() == after_heading;
            if !is_first {
                return UnitEnd::At(start);
            }
            if heading_start > 0 || line.is_reference {
                self.digest.text.truncate(before);
                return UnitEnd::At(start);
            }
            let cut = fitting(raw, room);
            self.digest.text.push_str(&escaped(cut));
            let end = start + u32::try_from(cut.chars().count()).unwrap_or(u32::MAX);
            self.add(part, line.kind, start, end);
            return UnitEnd::At(end);
        }
        UnitEnd::Complete
    }

    fn add(&mut self, part: &DigestPart, kind: DigestKind, from: u32, to: u32) {
        let is_same = |last: &DigestPart| {
            (last.message, last.attachment, last.kind, last.to) == (part.message, part.attachment, kind, from)
        };
        match self.digest.parts.last_mut().filter(|last| is_same(last)) {
            Some(last) => last.to = to,
            None => self.digest.parts.push(DigestPart { kind, from, to, ..part.clone() }),
        }
    }
}

/// Returns the text after a number of characters.
fn after_chars(text: &str, count: usize) -> &str {
    text.char_indices().nth(count).map_or("", |(at, _)| &text[at..])
}
