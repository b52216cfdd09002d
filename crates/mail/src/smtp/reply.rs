//! One SMTP reply: code, enhanced status code and text (RFC 5321 §4.2, RFC 2034, RFC 3463).
//!
//! A reply can never break the protocol: text from outside is cleaned when the reply is made, and lines are folded
//! when it is written. Decides nothing about when a reply is given.

use std::borrow::Cow;
use std::fmt;
use std::io::Write as _;

/// Longest reply line in bytes, line end included (RFC 5321 §4.5.3.1.5).
pub const REPLY_LINE_BYTES_MAX: usize = 512;

/// Most bytes of text in one reply; the rest is cut off.
pub const REPLY_TEXT_BYTES_MAX: usize = 4096;

/// An enhanced status code, `class.subject.detail` (RFC 3463 §2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct EnhancedCode(
    /// Class: 2 success, 4 transient, 5 permanent.
    pub u8,
    /// Subject: 1 address, 2 mailbox, 3 system, 4 network, 5 protocol, 6 content, 7 policy.
    pub u16,
    /// Detail, within the subject.
    pub u16,
);

impl fmt::Display for EnhancedCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.0, self.1, self.2)
    }
}

/// One reply of a server. Its text is ASCII without control characters, except `\n`, which separates lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    code: u16,
    enhanced: Option<EnhancedCode>,
    text: Cow<'static, str>,
}

impl Reply {
    /// A reply whose text is known when the program is built; refuses bad text and mixed classes at build time.
    pub const fn fixed(code: u16, enhanced: EnhancedCode, text: &'static str) -> Reply {
        assert!(text.is_ascii(), "reply text is ASCII");
        assert!(code / 100 == enhanced.0 as u16, "both codes are of one class");
        Reply { code, enhanced: Some(enhanced), text: Cow::Borrowed(text) }
    }

    /// A reply with any text: control and non-ASCII characters become `?`, `\n` begins a new line of the same reply.
    /// The class of `enhanced` follows `code`, so that the two cannot contradict each other.
    pub fn new(code: u16, enhanced: EnhancedCode, text: impl AsRef<str>) -> Reply {
        let class = u8::try_from(code / 100).unwrap_or(5);
        let enhanced = EnhancedCode(class, enhanced.1, enhanced.2);
        Reply { code, enhanced: Some(enhanced), text: Cow::Owned(clean(text.as_ref())) }
    }

    /// A reply without an enhanced code: greeting, HELO, EHLO and 3xx have none (RFC 2034 §4).
    pub fn plain(code: u16, text: impl AsRef<str>) -> Reply {
        Reply { code, enhanced: None, text: Cow::Owned(clean(text.as_ref())) }
    }

    /// The three-digit code.
    pub fn code(&self) -> u16 {
        self.code
    }

    /// The enhanced status code, if the reply has one.
    pub fn enhanced(&self) -> Option<EnhancedCode> {
        self.enhanced
    }

    /// The text, without codes; lines separated by `\n`.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether the reply is a success (2xx).
    pub fn is_success(&self) -> bool {
        self.code / 100 == 2
    }

    /// Appends the reply as it goes over the wire, ended by CRLF.
    pub fn write_to(&self, out: &mut Vec<u8>) {
        let mut rest = self.text.as_bytes();
        loop {
            let mut head = [0_u8; REPLY_HEAD_BYTES_MAX];
            let head = self.head(&mut head);
            let room = REPLY_LINE_BYTES_MAX - CODE_AND_END_BYTES - head.len();
            let end = rest.iter().take(room).position(|&byte| byte == b'\n');
            let (line, next) = match end {
                Some(at) => (&rest[..at], Some(&rest[at + 1..])),
                None if rest.len() > room => (&rest[..room], Some(&rest[room..])),
                None => (rest, None),
            };
            out.extend_from_slice(&digits(self.code));
            out.push(if next.is_some() { b'-' } else { b' ' });
            out.extend_from_slice(head);
            out.extend_from_slice(line);
            out.extend_from_slice(b"\r\n");
            match next {
                Some(next) => rest = next,
                None => return,
            }
        }
    }

    /// The enhanced code and the blank behind it, which every line of a reply repeats (RFC 2034 §4).
    fn head<'a>(&self, buffer: &'a mut [u8; REPLY_HEAD_BYTES_MAX]) -> &'a [u8] {
        let Some(code) = self.enhanced else {
            return &[];
        };
        let mut left = &mut buffer[..];
        write!(left, "{code} ").expect("three numbers of at most 5 digits fit the buffer");
        let used = REPLY_HEAD_BYTES_MAX - left.len();
        &buffer[..used]
    }
}

impl fmt::Display for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.code)?;
        if let Some(code) = self.enhanced {
            write!(f, "{code} ")?;
        }
        f.write_str(&self.text.replace('\n', " "))
    }
}

/// Room for `255.65535.65535 `.
const REPLY_HEAD_BYTES_MAX: usize = 16;

/// Three digits, the separator and CRLF.
const CODE_AND_END_BYTES: usize = 6;

fn digits(code: u16) -> [u8; 3] {
    let digit = |value: u16| b'0' + u8::try_from(value % 10).unwrap_or(0);
    [digit(code / 100), digit(code / 10), digit(code)]
}

fn clean(text: &str) -> String {
    let printable = |c: char| match c {
        '\n' | ' '..='~' => c,
        _ => '?',
    };
    text.chars().take(REPLY_TEXT_BYTES_MAX).map(printable).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn wire(reply: &Reply) -> String {
        let mut out = Vec::new();
        reply.write_to(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn one_line_carries_both_codes() {
        let reply = Reply::fixed(550, EnhancedCode(5, 1, 1), "No such mailbox");
        assert_eq!(wire(&reply), "550 5.1.1 No such mailbox\r\n");
        assert_eq!(reply.to_string(), "550 5.1.1 No such mailbox");
    }

    #[test]
    fn every_line_of_a_long_reply_repeats_the_codes() {
        let reply = Reply::new(250, EnhancedCode(2, 0, 0), "one\ntwo\n");
        assert_eq!(wire(&reply), "250-2.0.0 one\r\n250-2.0.0 two\r\n250 2.0.0 \r\n");
    }

    #[test]
    fn text_from_outside_cannot_forge_a_reply() {
        let reply = Reply::new(550, EnhancedCode(5, 7, 1), "no\r\n250 yes\u{e9}\0");
        assert_eq!(wire(&reply), "550-5.7.1 no?\r\n550 5.7.1 250 yes??\r\n");
    }

    #[test]
    fn the_class_follows_the_code() {
        let reply = Reply::new(450, EnhancedCode(5, 2, 1), "later");
        assert_eq!(wire(&reply), "450 4.2.1 later\r\n");
    }

    #[test]
    fn long_text_is_folded_and_cut() {
        let reply = Reply::new(554, EnhancedCode(5, 0, 0), "x".repeat(10_000));
        let wire = wire(&reply);
        assert!(wire.split_inclusive("\r\n").all(|line| line.len() <= REPLY_LINE_BYTES_MAX));
        assert_eq!(wire.matches('x').count(), REPLY_TEXT_BYTES_MAX);
        assert!(wire.lines().last().unwrap().starts_with("554 5.0.0 "));
    }
}
