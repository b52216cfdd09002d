//! SMTP replies: code, enhanced status code and text (RFC 5321 §4.2, RFC 2034, RFC 3463).
//!
//! A reply can't break the protocol: untrusted text is sanitized when the reply is created, and long lines are folded
//! when it is written.

use std::borrow::Cow;
use std::fmt;
use std::io::Write as _;

/// Longest reply line in bytes, including the line end (RFC 5321 §4.5.3.1.5).
pub const REPLY_LINE_BYTES_MAX: usize = 512;

/// Most bytes of text in one reply; the rest is truncated.
pub const REPLY_TEXT_BYTES_MAX: usize = 4096;

/// An enhanced status code, `class.subject.detail` (RFC 3463 §2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct EnhancedStatusCode(
    /// Class: 2 success, 4 transient, 5 permanent.
    pub u8,
    /// Subject: 1 address, 2 mailbox, 3 system, 4 network, 5 protocol, 6 content, 7 policy.
    pub u16,
    /// Detail within the subject.
    pub u16,
);

impl fmt::Display for EnhancedStatusCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.0, self.1, self.2)
    }
}

/// A server reply. Its text is ASCII without control characters, except `\n`, which separates lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerReply {
    code: u16,
    enhanced: Option<EnhancedStatusCode>,
    text: Cow<'static, str>,
}

impl ServerReply {
    /// Creates a reply with constant text. Invalid text or codes of different classes fail the build.
    pub const fn fixed(code: u16, enhanced: EnhancedStatusCode, text: &'static str) -> ServerReply {
        assert!(text.is_ascii(), "reply text must be ASCII");
        assert!(code / 100 == enhanced.0 as u16, "both codes must have the same class");
        ServerReply { code, enhanced: Some(enhanced), text: Cow::Borrowed(text) }
    }

    /// Creates a reply with any text. Control and non-ASCII characters become `?`; `\n` starts a new line of the same
    /// reply. The class of `enhanced` is replaced by that of `code`, so that the two can't contradict each other.
    pub fn new(code: u16, enhanced: EnhancedStatusCode, text: impl AsRef<str>) -> ServerReply {
        let class = u8::try_from(code / 100).unwrap_or(5);
        let enhanced = EnhancedStatusCode(class, enhanced.1, enhanced.2);
        ServerReply { code, enhanced: Some(enhanced), text: Cow::Owned(clean(text.as_ref())) }
    }

    /// Creates a reply without an enhanced code: greeting, HELO, EHLO and 3xx replies have none (RFC 2034 §4).
    pub fn plain(code: u16, text: impl AsRef<str>) -> ServerReply {
        ServerReply { code, enhanced: None, text: Cow::Owned(clean(text.as_ref())) }
    }

    /// Returns the three-digit code.
    pub fn code(&self) -> u16 {
        self.code
    }

    /// Returns the enhanced status code, if there is one.
    pub fn enhanced(&self) -> Option<EnhancedStatusCode> {
        self.enhanced
    }

    /// Returns the text without codes; lines are separated by `\n`.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns whether the reply is a success (2xx).
    pub fn is_success(&self) -> bool {
        self.code / 100 == 2
    }

    /// Appends the reply in wire format, terminated by CRLF.
    pub fn write_to(&self, out: &mut Vec<u8>) {
        let mut rest = self.text.as_bytes();
        loop {
            let mut head = [0_u8; REPLY_HEAD_BYTES_MAX];
            let head = self.head(&mut head);
            let text_bytes_max = REPLY_LINE_BYTES_MAX - CODE_AND_END_BYTES - head.len();
            let end = rest.iter().take(text_bytes_max).position(|&byte| byte == b'\n');
            let (line, next) = match end {
                Some(at) => (&rest[..at], Some(&rest[at + 1..])),
                None if rest.len() > text_bytes_max => (&rest[..text_bytes_max], Some(&rest[text_bytes_max..])),
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

    /// Returns the enhanced code and the blank after it, which every line of a reply repeats (RFC 2034 §4).
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

impl fmt::Display for ServerReply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.code)?;
        if let Some(code) = self.enhanced {
            write!(f, "{code} ")?;
        }
        f.write_str(&self.text.replace('\n', " "))
    }
}

/// Size of `255.65535.65535 `.
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

    fn wire(reply: &ServerReply) -> String {
        let mut out = Vec::new();
        reply.write_to(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn one_line_carries_both_codes() {
        let reply = ServerReply::fixed(550, EnhancedStatusCode(5, 1, 1), "No such mailbox");
        assert_eq!(wire(&reply), "550 5.1.1 No such mailbox\r\n");
        assert_eq!(reply.to_string(), "550 5.1.1 No such mailbox");
    }

    #[test]
    fn every_line_of_a_long_reply_repeats_the_codes() {
        let reply = ServerReply::new(250, EnhancedStatusCode(2, 0, 0), "one\ntwo\n");
        assert_eq!(wire(&reply), "250-2.0.0 one\r\n250-2.0.0 two\r\n250 2.0.0 \r\n");
    }

    #[test]
    fn text_from_outside_cannot_forge_a_reply() {
        let reply = ServerReply::new(550, EnhancedStatusCode(5, 7, 1), "no\r\n250 yes\u{e9}\0");
        assert_eq!(wire(&reply), "550-5.7.1 no?\r\n550 5.7.1 250 yes??\r\n");
    }

    #[test]
    fn the_class_follows_the_code() {
        let reply = ServerReply::new(450, EnhancedStatusCode(5, 2, 1), "later");
        assert_eq!(wire(&reply), "450 4.2.1 later\r\n");
    }

    #[test]
    fn long_text_is_folded_and_cut() {
        let reply = ServerReply::new(554, EnhancedStatusCode(5, 0, 0), "x".repeat(10_000));
        let wire = wire(&reply);
        assert!(wire.split_inclusive("\r\n").all(|line| line.len() <= REPLY_LINE_BYTES_MAX));
        assert_eq!(wire.matches('x').count(), REPLY_TEXT_BYTES_MAX);
        assert!(wire.lines().last().unwrap().starts_with("554 5.0.0 "));
    }
}
