//! The content of a message as it comes over the wire: end of data, dot-stuffing, line discipline and size
//! (RFC 5321 §2.3.8, §4.1.1.4, §4.5.2, §4.5.3.1.6; RFC 3030 for counted chunks).
//!
//! Only CRLF.CRLF ends dotted content. A bare CR or LF never begins a line, never ends anything and spoils the
//! message, which is what makes smuggling a second message impossible. NUL is content like any other octet.
//! Never keeps a byte of a message that is already known to be refused.

use memchr::memchr2;

/// Longest line of content in bytes without its CRLF. 998 is what senders should keep (RFC 5322 §2.1.1); many do not.
pub const CONTENT_LINE_BYTES_MAX: u64 = 64 * 1024;

/// Largest header section in bytes that is taken in, its closing empty line included. More than is read: a report with such
/// a header is stored, other mail is refused for having no author.
pub const HEADER_BYTES_MAX: u64 = 2 * crate::header::HEADER_SECTION_BYTES_MAX as u64;

/// Room reserved for a message before its first byte, in bytes, whatever size was declared.
pub const CONTENT_RESERVE_BYTES_MAX: u64 = 64 * 1024;

/// How the end of the content is marked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// By CRLF.CRLF, with dots doubled at the start of lines: `DATA`.
    Dotted,
    /// By octet counts outside the content: `BDAT`.
    Counted,
}

/// Why content is refused. Of several flaws the first of this list is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Flaw {
    /// Larger than the limit for whole messages.
    TooLarge,
    /// A CR without LF or a LF without CR.
    BareLineBreak,
    /// The header section exceeds [`HEADER_BYTES_MAX`].
    HeaderTooLarge,
    /// A line exceeds [`CONTENT_LINE_BYTES_MAX`].
    LineTooLong,
}

/// What [`Content::feed`] did with its input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Bytes used up; what follows them belongs to the next command.
    pub consumed: usize,
    /// Whether the end of dotted content was among them.
    pub ended: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// After CRLF, or at the very beginning.
    LineStart,
    /// Inside a line.
    Text,
    /// Inside a line, its last byte is a CR that is already content.
    Cr,
    /// A dot at the start of a line, held back.
    Dot,
    /// That dot and a CR, both held back.
    DotCr,
    /// CRLF.CRLF was seen.
    Ended,
}

/// Collects the content of one message from input cut anywhere.
#[derive(Debug)]
pub struct Content {
    framing: Framing,
    state: State,
    bytes_max: u64,
    bytes: u64,
    line_bytes: u64,
    in_header: bool,
    flaw: Option<Flaw>,
    data: Vec<u8>,
}

impl Content {
    /// Content of at most `limits.bytes_max` bytes.
    pub fn new(framing: Framing, limits: ContentLimits) -> Content {
        let reserve = limits.bytes_expected.min(CONTENT_RESERVE_BYTES_MAX);
        let reserve = usize::try_from(reserve).unwrap_or(0);
        Content {
            framing,
            state: State::LineStart,
            bytes_max: limits.bytes_max,
            bytes: 0,
            line_bytes: 0,
            in_header: true,
            flaw: None,
            data: Vec::with_capacity(reserve),
        }
    }

    /// Takes the next bytes, up to and including the end of dotted content.
    pub fn feed(&mut self, input: &[u8]) -> Progress {
        let mut at = 0;
        while at < input.len() && self.state != State::Ended {
            let byte = input[at];
            match (self.state, byte) {
                (State::LineStart, b'.') if self.framing == Framing::Dotted => {
                    self.state = State::Dot;
                    at += 1;
                }
                (State::Dot, b'\r') => {
                    self.state = State::DotCr;
                    at += 1;
                }
                (State::DotCr, b'\n') => {
                    self.state = State::Ended;
                    at += 1;
                }
                (State::DotCr, _) => self.bare_cr(b"\r"),
                (State::Cr, b'\n') => {
                    self.keep(b"\n");
                    self.end_line(0, self.bytes);
                    self.state = State::LineStart;
                    at += 1;
                }
                (State::Cr, _) => self.bare_cr(b""),
                (State::LineStart | State::Text | State::Dot, _) => at = self.text(input, at),
                (State::Ended, _) => {}
            }
        }
        Progress { consumed: at, ended: self.state == State::Ended }
    }

    /// The flaw known so far.
    pub fn flaw(&self) -> Option<Flaw> {
        self.flaw
    }

    /// Bytes of content so far, kept or not, without stuffed dots.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Bytes of content in memory; none of content that is known to be refused.
    pub fn bytes_held(&self) -> u64 {
        self.data.len() as u64
    }

    /// The whole content, byte-identical and without stuffed dots, or why it is refused.
    pub fn finish(mut self) -> Result<Vec<u8>, Flaw> {
        if self.state == State::Cr {
            self.spoil(Flaw::BareLineBreak);
        }
        match self.flaw {
            Some(flaw) => Err(flaw),
            None => Ok(self.data),
        }
    }

    /// Runs over whole lines at once: from `start` to the next line that begins with a dot, or to the end of input.
    fn text(&mut self, input: &[u8], start: usize) -> usize {
        let mut at = start;
        self.state = State::Text;
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
                    if self.framing == Framing::Dotted && input.get(at) == Some(&b'.') {
                        self.state = State::LineStart;
                        break;
                    }
                    if at == input.len() {
                        self.state = State::LineStart;
                    }
                }
                (b'\r', None) => {
                    self.line_bytes += found as u64;
                    self.state = State::Cr;
                    at = next;
                }
                _ => {
                    self.spoil(Flaw::BareLineBreak);
                    self.line_bytes += found as u64 + 1;
                    at = next;
                }
            }
        }
        self.keep(&input[start..at]);
        self.check_limits();
        at
    }

    /// Ends a line whose last `rest` bytes are not counted yet, with `total` bytes of content behind its CRLF.
    fn end_line(&mut self, rest: u64, total: u64) {
        let line_bytes = self.line_bytes + rest;
        if line_bytes > CONTENT_LINE_BYTES_MAX {
            self.spoil(Flaw::LineTooLong);
        }
        if self.in_header {
            if total > HEADER_BYTES_MAX {
                self.spoil(Flaw::HeaderTooLarge);
            }
            self.in_header = line_bytes > 0;
        }
        self.line_bytes = 0;
    }

    /// A CR that no LF followed; `held` is what of it is not content yet.
    fn bare_cr(&mut self, held: &[u8]) {
        self.spoil(Flaw::BareLineBreak);
        self.keep(held);
        self.line_bytes += 1;
        self.state = State::Text;
    }

    fn check_limits(&mut self) {
        if self.line_bytes > CONTENT_LINE_BYTES_MAX {
            self.spoil(Flaw::LineTooLong);
        }
        if self.in_header && self.bytes > HEADER_BYTES_MAX {
            self.spoil(Flaw::HeaderTooLarge);
        }
    }

    fn keep(&mut self, run: &[u8]) {
        self.bytes += run.len() as u64;
        if self.bytes > self.bytes_max {
            self.spoil(Flaw::TooLarge);
        }
        if self.flaw.is_none() {
            self.data.extend_from_slice(run);
        }
    }

    /// Notes a flaw, the gravest one wins whatever the order of arrival, and gives the memory back.
    fn spoil(&mut self, flaw: Flaw) {
        self.flaw = Some(self.flaw.map_or(flaw, |known| known.min(flaw)));
        self.data = Vec::new();
    }
}

/// Sizes of one message in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContentLimits {
    /// Most bytes of content taken.
    pub bytes_max: u64,
    /// Bytes the sender announced, 0 if unknown; only a hint, and bounded by [`CONTENT_RESERVE_BYTES_MAX`].
    pub bytes_expected: u64,
}

#[cfg(test)]
mod tests;
