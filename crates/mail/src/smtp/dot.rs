//! Message content on the wire: end of data, dot-stuffing, line ends and size limits (RFC 5321 §2.3.8, §4.1.1.4,
//! §4.5.2, §4.5.3.1.6; RFC 3030 for counted chunks).
//!
//! Only CRLF.CRLF ends dotted content. A bare CR or LF never starts a line, never ends the content, and makes the
//! message invalid; this rules out SMTP smuggling. NUL is content like any other octet. Content that is already known
//! to be rejected is not kept in memory.

use memchr::memchr2;

/// Longest line of the header section in bytes, without CRLF. Senders must not exceed 998 (RFC 5322 §2.1.1), but many
/// do. Lines of the body are limited only by the size of the message: mail programs write whole documents in one line.
pub const HEADER_LINE_BYTES_MAX: u64 = 64 * 1024;

/// Largest accepted header section in bytes, including the empty line that ends it. This is more than the header parser
/// reads: a report with such a header is stored, and other mail is rejected because it has no author.
pub const HEADER_BYTES_MAX: u64 = 2 * crate::header::HEADER_SECTION_BYTES_MAX as u64;

/// Most memory reserved for a message before its first byte, in bytes, whatever size the client declared.
pub const CONTENT_RESERVE_BYTES_MAX: u64 = 64 * 1024;

/// How the end of the content is determined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContentFraming {
    /// By CRLF.CRLF, with dots doubled at the start of lines: `DATA`.
    Dotted,
    /// By octet counts outside of the content: `BDAT`.
    Counted,
}

/// Why content is rejected. Of several flaws, the first one in this list is reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ContentFlaw {
    /// Larger than the limit for whole messages.
    TooLarge,
    /// A CR without LF or a LF without CR.
    BareLineBreak,
    /// The header section exceeds [`HEADER_BYTES_MAX`].
    HeaderTooLarge,
    /// A line of the header section exceeds [`HEADER_LINE_BYTES_MAX`].
    HeaderLineTooLong,
}

/// The result of [`ContentReader::feed`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContentProgress {
    /// Bytes consumed; the bytes after them belong to the next command.
    pub consumed: usize,
    /// Whether the end of dotted content was reached.
    pub ended: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ContentState {
    /// After CRLF, or at the very beginning.
    LineStart,
    /// Inside a line.
    Text,
    /// Inside a line, after a CR that is already stored as content.
    Cr,
    /// After a dot at the start of a line, which is not stored yet.
    Dot,
    /// After that dot and a CR, neither of which is stored yet.
    DotCr,
    /// After CRLF.CRLF.
    Ended,
}

/// Collects the content of one message from input that may be split anywhere.
#[derive(Debug)]
pub struct ContentReader {
    framing: ContentFraming,
    state: ContentState,
    bytes_max: u64,
    bytes: u64,
    line_bytes: u64,
    in_header: bool,
    flaw: Option<ContentFlaw>,
    data: Vec<u8>,
}

impl ContentReader {
    /// Creates a collector for at most `limits.bytes_max` bytes of content.
    pub fn new(framing: ContentFraming, limits: ContentLimits) -> ContentReader {
        let reserve = limits.bytes_expected.min(CONTENT_RESERVE_BYTES_MAX);
        let reserve = usize::try_from(reserve).unwrap_or(0);
        ContentReader {
            framing,
            state: ContentState::LineStart,
            bytes_max: limits.bytes_max,
            bytes: 0,
            line_bytes: 0,
            in_header: true,
            flaw: None,
            data: Vec::with_capacity(reserve),
        }
    }

    /// Consumes the next bytes, up to and including the end of dotted content.
    pub fn feed(&mut self, input: &[u8]) -> ContentProgress {
        let mut at = 0;
        while at < input.len() && self.state != ContentState::Ended {
            let byte = input[at];
            match (self.state, byte) {
                (ContentState::LineStart, b'.') if self.framing == ContentFraming::Dotted => {
                    self.state = ContentState::Dot;
                    at += 1;
                }
                (ContentState::Dot, b'\r') => {
                    self.state = ContentState::DotCr;
                    at += 1;
                }
                (ContentState::DotCr, b'\n') => {
                    self.state = ContentState::Ended;
                    at += 1;
                }
                (ContentState::DotCr, _) => self.bare_cr(b"\r"),
                (ContentState::Cr, b'\n') => {
                    self.store(b"\n");
                    self.end_line(0, self.bytes);
                    self.state = ContentState::LineStart;
                    at += 1;
                }
                (ContentState::Cr, _) => self.bare_cr(b""),
                (ContentState::LineStart | ContentState::Text | ContentState::Dot, _) => at = self.text(input, at),
                (ContentState::Ended, _) => {}
            }
        }
        ContentProgress { consumed: at, ended: self.state == ContentState::Ended }
    }

    /// Returns the most severe flaw so far.
    pub fn flaw(&self) -> Option<ContentFlaw> {
        self.flaw
    }

    /// Returns the number of content bytes so far, stored or discarded, without stuffed dots.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns the number of content bytes in memory; 0 if the content is already known to be rejected.
    pub fn bytes_held(&self) -> u64 {
        self.data.len() as u64
    }

    /// Returns the complete content without stuffed dots, otherwise unchanged.
    ///
    /// # Errors
    /// Returns the [`ContentFlaw`] for which the content is rejected.
    pub fn finish(mut self) -> Result<Vec<u8>, ContentFlaw> {
        if self.state == ContentState::Cr {
            self.record_flaw(ContentFlaw::BareLineBreak);
        }
        match self.flaw {
            Some(flaw) => Err(flaw),
            None => Ok(self.data),
        }
    }

    /// Processes whole lines: from `start` to the next line that starts with a dot, or to the end of the input.
    fn text(&mut self, input: &[u8], start: usize) -> usize {
        let mut at = start;
        self.state = ContentState::Text;
        while at < input.len() {
            let Some(found) = memchr2(b'\r', b'\n', &input[at..]) else {
                self.line_bytes += (input.len() - at) as u64;
                at = input.len();
                break;
            };
            let next = at + found + 1;
            match (input[at + found], input.get(next)) {
                (b'\r', Some(b'\n')) => {
                    at = next + 1;
                    self.end_line(found as u64, self.bytes + (at - start) as u64);
                    if self.framing == ContentFraming::Dotted && input.get(at) == Some(&b'.') {
                        self.state = ContentState::LineStart;
                        break;
                    }
                    if at == input.len() {
                        self.state = ContentState::LineStart;
                    }
                }
                (b'\r', None) => {
                    self.line_bytes += found as u64;
                    self.state = ContentState::Cr;
                    at = next;
                }
                _ => {
                    self.record_flaw(ContentFlaw::BareLineBreak);
                    self.line_bytes += found as u64 + 1;
                    at = next;
                }
            }
        }
        self.store(&input[start..at]);
        self.check_limits();
        at
    }

    /// Ends a line. Its last `rest` bytes are not counted yet; `total` is the content size including its CRLF.
    fn end_line(&mut self, rest: u64, total: u64) {
        let line_bytes = self.line_bytes + rest;
        if self.in_header {
            if line_bytes > HEADER_LINE_BYTES_MAX {
                self.record_flaw(ContentFlaw::HeaderLineTooLong);
            }
            if total > HEADER_BYTES_MAX {
                self.record_flaw(ContentFlaw::HeaderTooLarge);
            }
            self.in_header = line_bytes > 0;
        }
        self.line_bytes = 0;
    }

    /// Handles a CR that is not followed by LF. `held` is the part of it that is not stored yet.
    fn bare_cr(&mut self, held: &[u8]) {
        self.record_flaw(ContentFlaw::BareLineBreak);
        self.store(held);
        self.line_bytes += 1;
        self.state = ContentState::Text;
    }

    fn check_limits(&mut self) {
        if self.in_header && self.line_bytes > HEADER_LINE_BYTES_MAX {
            self.record_flaw(ContentFlaw::HeaderLineTooLong);
        }
        if self.in_header && self.bytes > HEADER_BYTES_MAX {
            self.record_flaw(ContentFlaw::HeaderTooLarge);
        }
    }

    fn store(&mut self, run: &[u8]) {
        self.bytes += run.len() as u64;
        if self.bytes > self.bytes_max {
            self.record_flaw(ContentFlaw::TooLarge);
        }
        if self.flaw.is_none() {
            self.data.extend_from_slice(run);
        }
    }

    /// Records a flaw and frees the memory. The most severe flaw wins, whatever the order in which flaws occur.
    fn record_flaw(&mut self, flaw: ContentFlaw) {
        self.flaw = Some(self.flaw.map_or(flaw, |known| known.min(flaw)));
        self.data = Vec::new();
    }
}

/// The size limits of one message, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContentLimits {
    /// Most bytes of content accepted.
    pub bytes_max: u64,
    /// Size announced by the sender, or 0. Only a hint, limited by [`CONTENT_RESERVE_BYTES_MAX`].
    pub bytes_expected: u64,
}

#[cfg(test)]
mod tests;
