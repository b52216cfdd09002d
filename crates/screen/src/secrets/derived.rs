//! A text made from another, and where each of its parts comes from.

use crate::html;

/// A text that was made from another.
#[derive(Debug, Default)]
pub(super) struct DerivedText {
    pub(super) text: String,
    pieces: Vec<Piece>,
}

/// Where a part of a text comes from. It ends where the next begins.
#[derive(Debug)]
struct Piece {
    at: usize,
    start: usize,
    end: usize,
    /// Whether its bytes are those of the source, in order.
    is_same: bool,
}

impl DerivedText {
    /// Appends a part of the source that begins at `start`.
    pub(super) fn copy(&mut self, part: &str, start: usize) {
        let at = self.text.len();
        self.text.push_str(part);
        let follows = |last: &&mut Piece| last.is_same && last.end == start && start - last.start == at - last.at;
        match self.pieces.last_mut().filter(follows) {
            Some(last) => last.end = start + part.len(),
            None => self.pieces.push(Piece { at, start, end: start + part.len(), is_same: true }),
        }
    }

    /// Appends a text that stands for a range of the source.
    pub(super) fn put(&mut self, text: &str, start: usize, end: usize) {
        self.pieces.push(Piece { at: self.text.len(), start, end, is_same: false });
        self.text.push_str(text);
    }

    /// Appends a character that stands for a range of the source.
    pub(super) fn put_char(&mut self, c: char, start: usize, end: usize) {
        self.put(c.encode_utf8(&mut [0; 4]), start, end);
    }

    /// Returns the text of markup, which names the places of its parts.
    pub(super) fn of_stream(stream: html::Stream) -> Self {
        let mut form = Self::default();
        let (text, places) = stream.into_parts();
        for (number, (at, start)) in places.iter().enumerate() {
            let next = places.get(number + 1).map_or(text.len(), |next| next.0 as usize);
            let (at, start) = (*at as usize, *start as usize);
            form.pieces.push(Piece { at, start, end: start + next.saturating_sub(at), is_same: true });
        }
        Self { text, ..form }
    }

    /// Returns the range of the source that a range of the text stands for.
    pub(super) fn source(&self, start: usize, end: usize) -> (usize, usize) {
        let piece = |at: usize| {
            let after = self.pieces.partition_point(|piece| piece.at <= at);
            after.checked_sub(1).map(|number| &self.pieces[number])
        };
        let place = |at: usize| {
            piece(at).map_or((0, 0), |piece| {
                let same = piece.start + (at - piece.at);
                if piece.is_same { (same, same + 1) } else { (piece.start, piece.end) }
            })
        };
        let (first, last) = (place(start), place(end.saturating_sub(1).max(start)));
        (first.0.min(last.0), last.1.max(first.1))
    }
}
