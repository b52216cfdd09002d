//! The input buffer of a session. Bounded: a line that never ends is discarded as it arrives.

use memchr::{memchr, memrchr};

use crate::smtp::command::AUTH_LINE_BYTES_MAX;

/// Bytes that the caller may pass in before the session can process them. Beyond this, the caller should stop reading.
pub const INPUT_BYTES_MAX: usize = 256 * 1024;

/// Bytes of an overlong line that are discarded while waiting for its end, before the session ends.
const LINE_DROP_BYTES_MAX: usize = 64 * 1024;

/// Consumed bytes at the front of the buffer that trigger moving the rest there.
const SLACK_BYTES_MAX: usize = 64 * 1024;

/// Largest capacity that an empty buffer keeps, in bytes.
const KEPT_BYTES_MAX: usize = 4 * 1024;

/// The front of the input, where a command line is expected.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum InputLine {
    /// The line is incomplete.
    Partial,
    /// A complete line without its CRLF.
    Complete(Vec<u8>),
    /// A line that is longer than any command may be; discarded.
    TooLong,
    /// A line that ends with a bare LF or contains a CR; discarded.
    BareLineBreak,
    /// A line that exceeds the limit for discarded bytes.
    FarTooLong,
}

#[derive(Debug, Default)]
pub(super) struct InputBuffer {
    bytes: Vec<u8>,
    used: usize,
    line_dropped: usize,
}

impl InputBuffer {
    pub(super) fn push(&mut self, bytes: &[u8]) {
        if self.used == self.bytes.len() {
            self.bytes.clear();
            self.used = 0;
        } else if self.used > SLACK_BYTES_MAX {
            self.bytes.drain(..self.used);
            self.used = 0;
        }
        self.bytes.extend_from_slice(bytes);
    }

    pub(super) fn rest(&self) -> &[u8] {
        &self.bytes[self.used..]
    }

    pub(super) fn consume(&mut self, count: usize) {
        self.used = (self.used + count).min(self.bytes.len());
        if self.used == self.bytes.len() && self.bytes.capacity() > KEPT_BYTES_MAX {
            // Frees the memory of received content while a session is idle.
            *self = InputBuffer { line_dropped: self.line_dropped, ..InputBuffer::default() };
        }
    }

    /// Returns the next line. A bare LF also ends a line, so that a client with wrong line ends gets a reply.
    pub(super) fn next_line(&mut self) -> InputLine {
        let Some(end) = memchr(b'\n', self.rest()) else {
            return self.unfinished_line();
        };
        let total = std::mem::take(&mut self.line_dropped) + end + 1;
        let line = &self.rest()[..end];
        let result = match line.strip_suffix(b"\r") {
            _ if total > LINE_DROP_BYTES_MAX => InputLine::FarTooLong,
            _ if total > AUTH_LINE_BYTES_MAX => InputLine::TooLong,
            Some(line) if memrchr(b'\r', line).is_none() => InputLine::Complete(line.to_vec()),
            _ => InputLine::BareLineBreak,
        };
        self.consume(end + 1);
        result
    }

    fn unfinished_line(&mut self) -> InputLine {
        let waiting = self.rest().len();
        if self.line_dropped + waiting > AUTH_LINE_BYTES_MAX {
            self.line_dropped += waiting;
            self.consume(waiting);
        }
        match self.line_dropped > LINE_DROP_BYTES_MAX {
            true => InputLine::FarTooLong,
            false => InputLine::Partial,
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_only_at_crlf() {
        let mut input = InputBuffer::default();
        input.push(b"NOOP\r\nRSET\nQ\rUIT\r\nQU");
        assert_eq!(input.next_line(), InputLine::Complete(b"NOOP".to_vec()));
        assert_eq!(input.next_line(), InputLine::BareLineBreak);
        assert_eq!(input.next_line(), InputLine::BareLineBreak);
        assert_eq!(input.next_line(), InputLine::Partial);
        input.push(b"IT\r\n");
        assert_eq!(input.next_line(), InputLine::Complete(b"QUIT".to_vec()));
    }

    #[test]
    fn endless_lines_use_bounded_memory_and_end_the_session() {
        let mut input = InputBuffer::default();
        let mut pieces = 0;
        while input.next_line() != InputLine::FarTooLong {
            input.push(&[b'x'; 1000]);
            pieces += 1;
            assert!(input.rest().len() <= AUTH_LINE_BYTES_MAX + 1000);
        }
        assert_eq!(pieces, LINE_DROP_BYTES_MAX / 1000 + 1);
    }

    #[test]
    fn a_long_line_is_discarded_up_to_its_end() {
        let mut input = InputBuffer::default();
        for _ in 0..20 {
            input.push(&[b'x'; 1000]);
            assert_eq!(input.next_line(), InputLine::Partial);
        }
        input.push(b"\r\nQUIT\r\n");
        assert_eq!(input.next_line(), InputLine::TooLong);
        assert_eq!(input.next_line(), InputLine::Complete(b"QUIT".to_vec()));
    }
}
