//! What was received and not yet understood. Bounded: a line that never ends is dropped while it comes.

use memchr::{memchr, memrchr};

use crate::smtp::command::AUTH_LINE_BYTES_MAX;

/// Bytes a shell may hand over ahead of what the session can use, before it should stop reading.
pub const INPUT_BYTES_MAX: usize = 256 * 1024;

/// Bytes of an over-long line that are dropped in wait of its end before the session ends.
const LINE_DROP_BYTES_MAX: usize = 64 * 1024;

/// Used bytes at the front of the buffer before the rest is moved there.
const SLACK_BYTES_MAX: usize = 64 * 1024;

/// Room of an empty buffer that is kept for what comes next, in bytes.
const KEPT_BYTES_MAX: usize = 4 * 1024;

/// What is at the front of the input, where a command line is expected.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// Not ended yet.
    Partial,
    /// A line, without its CRLF.
    Complete(Vec<u8>),
    /// Longer than any command may be; dropped.
    TooLong,
    /// Ended by a bare LF, or with a CR inside; dropped.
    BareLineBreak,
    /// So long that waiting for its end is not worth it.
    Flood,
}

#[derive(Debug, Default)]
pub(super) struct Input {
    bytes: Vec<u8>,
    used: usize,
    line_dropped: usize,
}

impl Input {
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
            // Idle sessions keep no memory of the content they brought.
            *self = Input { line_dropped: self.line_dropped, ..Input::default() };
        }
    }

    /// Takes the next line. A line ends at LF, so that a client with wrong line ends hears of it and does not wait.
    pub(super) fn next_line(&mut self) -> Line {
        let Some(end) = memchr(b'\n', self.rest()) else {
            return self.unfinished_line();
        };
        let total = std::mem::take(&mut self.line_dropped) + end + 1;
        let line = &self.rest()[..end];
        let result = match line.strip_suffix(b"\r") {
            _ if total > LINE_DROP_BYTES_MAX => Line::Flood,
            _ if total > AUTH_LINE_BYTES_MAX => Line::TooLong,
            Some(line) if memrchr(b'\r', line).is_none() => Line::Complete(line.to_vec()),
            _ => Line::BareLineBreak,
        };
        self.consume(end + 1);
        result
    }

    fn unfinished_line(&mut self) -> Line {
        let waiting = self.rest().len();
        if self.line_dropped + waiting > AUTH_LINE_BYTES_MAX {
            self.line_dropped += waiting;
            self.consume(waiting);
        }
        match self.line_dropped > LINE_DROP_BYTES_MAX {
            true => Line::Flood,
            false => Line::Partial,
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_at_crlf_only() {
        let mut input = Input::default();
        input.push(b"NOOP\r\nRSET\nQ\rUIT\r\nQU");
        assert_eq!(input.next_line(), Line::Complete(b"NOOP".to_vec()));
        assert_eq!(input.next_line(), Line::BareLineBreak);
        assert_eq!(input.next_line(), Line::BareLineBreak);
        assert_eq!(input.next_line(), Line::Partial);
        input.push(b"IT\r\n");
        assert_eq!(input.next_line(), Line::Complete(b"QUIT".to_vec()));
    }

    #[test]
    fn endless_lines_take_no_memory_and_end() {
        let mut input = Input::default();
        let mut pieces = 0;
        while input.next_line() != Line::Flood {
            input.push(&[b'x'; 1000]);
            pieces += 1;
            assert!(input.rest().len() <= AUTH_LINE_BYTES_MAX + 1000);
        }
        assert_eq!(pieces, LINE_DROP_BYTES_MAX / 1000 + 1);
    }

    #[test]
    fn a_long_line_is_dropped_up_to_its_end() {
        let mut input = Input::default();
        for _ in 0..20 {
            input.push(&[b'x'; 1000]);
            assert_eq!(input.next_line(), Line::Partial);
        }
        input.push(b"\r\nQUIT\r\n");
        assert_eq!(input.next_line(), Line::TooLong);
        assert_eq!(input.next_line(), Line::Complete(b"QUIT".to_vec()));
    }
}
