//! Parser for server replies (RFC 5321 §4.2; enhanced status codes: RFC 3463 and RFC 2034).
//!
//! The result does not depend on how the bytes are split into packets. Limits stop a server that sends without end.

use std::collections::VecDeque;

/// Longest reply line in bytes, without its line end. RFC 5321 §4.5.3.1.5 allows 512; real servers exceed that.
pub const REPLY_LINE_BYTES_MAX: usize = 2_048;

/// Most lines of one reply. Not set by an RFC; far more than any EHLO reply has.
pub const REPLY_LINES_MAX: usize = 128;

/// Most unparsed bytes buffered: enough for the replies to a full pipelined group.
pub const REPLY_BUFFER_BYTES_MAX: usize = 512 * 1024;

/// Longest reply text that is kept, in bytes.
pub const REPLY_TEXT_BYTES_MAX: usize = 512;

/// A reply: its code, and the text of its lines without the code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ReceivedReply {
    pub(super) code: u16,
    pub(super) lines: Vec<String>,
}

impl ReceivedReply {
    /// Returns true for 2yz replies.
    pub(super) fn is_success(&self) -> bool {
        self.code / 100 == 2
    }

    /// Returns true for 4yz and 5yz replies.
    pub(super) fn is_refusal(&self) -> bool {
        self.code >= 400
    }

    /// Returns the enhanced status code at the start of the text, if any.
    pub(super) fn enhanced_code(&self) -> Option<String> {
        self.lines.first().and_then(|line| split_enhanced(line)).map(|(code, _)| code.to_owned())
    }

    /// Returns all lines as one, without enhanced codes and control characters, truncated to [`REPLY_TEXT_BYTES_MAX`].
    pub(super) fn text(&self) -> String {
        let bare = self.lines.iter().map(|line| split_enhanced(line).map_or(line.as_str(), |(_, rest)| rest));
        clean_text(bare)
    }
}

/// Joins texts with single spaces, replaces control characters with spaces, and truncates to [`REPLY_TEXT_BYTES_MAX`].
pub(super) fn clean_text<'a>(texts: impl IntoIterator<Item = &'a str>) -> String {
    let mut clean = String::new();
    let words = texts.into_iter().flat_map(|text| text.split(|next: char| next.is_control() || next.is_whitespace()));
    for word in words.filter(|word| !word.is_empty()) {
        if !clean.is_empty() {
            clean.push(' ');
        }
        clean.push_str(word);
        if clean.len() > REPLY_TEXT_BYTES_MAX {
            clean.truncate(clean.floor_char_boundary(REPLY_TEXT_BYTES_MAX));
            break;
        }
    }
    clean
}

/// Splits `5.1.1 text` into code and text (RFC 3463 §2: class 2, 4 or 5, then two numbers of one to three digits).
fn split_enhanced(line: &str) -> Option<(&str, &str)> {
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    let mut parts = word.split('.');
    let class = parts.next()?;
    let is_number = |part: &str| (1..=3).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
    let is_valid = matches!(class, "2" | "4" | "5")
        && parts.next().is_some_and(is_number)
        && parts.next().is_some_and(is_number)
        && parts.next().is_none();
    is_valid.then_some((word, rest))
}

/// A violation of the reply syntax or its limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum ReplyError {
    #[error("the server sent a line that is not an SMTP reply")]
    Malformed,
    #[error("the server sent a reply with different codes on its lines")]
    CodesDiffer,
    #[error("the server sent a reply line longer than {REPLY_LINE_BYTES_MAX} bytes")]
    LineTooLong,
    #[error("the server sent a reply of more than {REPLY_LINES_MAX} lines")]
    TooManyLines,
    #[error("the server sent more data than expected")]
    BufferFull,
}

/// Collects bytes from the server and parses them into replies.
#[derive(Debug, Default)]
pub(super) struct ReplyReader {
    buffer: VecDeque<u8>,
    /// The lines so far of a reply that is not complete.
    partial: Option<ReceivedReply>,
    overflow: bool,
}

impl ReplyReader {
    /// Accepts bytes from the server.
    pub(super) fn receive(&mut self, bytes: &[u8]) {
        if self.buffer.len() + bytes.len() > REPLY_BUFFER_BYTES_MAX {
            self.overflow = true;
        } else {
            self.buffer.extend(bytes);
        }
    }

    /// Returns true if no bytes are buffered, not even part of a reply.
    pub(super) fn is_empty(&self) -> bool {
        self.buffer.is_empty() && self.partial.is_none() && !self.overflow
    }

    /// Returns the next complete reply, if there is one.
    pub(super) fn take(&mut self) -> Result<Option<ReceivedReply>, ReplyError> {
        if self.overflow {
            return Err(ReplyError::BufferFull);
        }
        while let Some(line) = self.take_line()? {
            let (code, last, text) = split_line(&line)?;
            let mut reply = self.partial.take().unwrap_or(ReceivedReply { code, lines: Vec::new() });
            if reply.code != code {
                return Err(ReplyError::CodesDiffer);
            }
            if reply.lines.len() == REPLY_LINES_MAX {
                return Err(ReplyError::TooManyLines);
            }
            reply.lines.push(text);
            if last {
                return Ok(Some(reply));
            }
            self.partial = Some(reply);
        }
        Ok(None)
    }

    /// Returns the next complete line without its end. A bare LF also ends a line; in a reply this can't hide anything.
    fn take_line(&mut self) -> Result<Option<Vec<u8>>, ReplyError> {
        let window = REPLY_LINE_BYTES_MAX + 2;
        let Some(end) = self.buffer.iter().take(window).position(|byte| *byte == b'\n') else {
            return if self.buffer.len() >= window { Err(ReplyError::LineTooLong) } else { Ok(None) };
        };
        let mut line: Vec<u8> = self.buffer.drain(..=end).collect();
        line.pop();
        if line.last() == Some(&b'\r') {
            line.pop();
        }
        if line.len() > REPLY_LINE_BYTES_MAX { Err(ReplyError::LineTooLong) } else { Ok(Some(line)) }
    }
}

/// Splits a line into its code, whether it is the last line, and its text.
fn split_line(line: &[u8]) -> Result<(u16, bool, String), ReplyError> {
    let (code, rest) = line.split_at_checked(3).ok_or(ReplyError::Malformed)?;
    let (b'2'..=b'5', true) = (code[0], code.iter().all(u8::is_ascii_digit)) else {
        return Err(ReplyError::Malformed);
    };
    let number = code.iter().fold(0_u16, |number, digit| number * 10 + u16::from(digit - b'0'));
    let (last, text) = match rest.split_first() {
        None => (true, rest),
        Some((b' ', text)) => (true, text),
        Some((b'-', text)) => (false, text),
        Some(_) => return Err(ReplyError::Malformed),
    };
    Ok((number, last, String::from_utf8_lossy(text).into_owned()))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &[u8]) -> Result<Vec<ReceivedReply>, ReplyError> {
        let mut replies = ReplyReader::default();
        replies.receive(text);
        let mut all = Vec::new();
        while let Some(reply) = replies.take()? {
            all.push(reply);
        }
        Ok(all)
    }

    #[test]
    fn replies_are_parsed() {
        for (text, code, enhanced, shown) in [
            ("250 ok\r\n", 250, None, "ok"),
            ("250\r\n", 250, None, ""),
            ("250 \r\n", 250, None, ""),
            ("250 ok\n", 250, None, "ok"),
            ("550 5.1.1 no such user\r\n", 550, Some("5.1.1"), "no such user"),
            ("550-5.1.1 no such\r\n550 5.1.1 user\r\n", 550, Some("5.1.1"), "no such user"),
            ("421 4.3.2\r\n", 421, Some("4.3.2"), ""),
            ("550 5.1.1234 x\r\n", 550, None, "5.1.1234 x"),
            ("550 192.0.2.1 is listed\r\n", 550, None, "192.0.2.1 is listed"),
            ("550 5.7.1.2 x\r\n", 550, None, "5.7.1.2 x"),
            ("554 a\u{7}b\u{1b}[31m c\td\r\n", 554, None, "a b [31m c d"),
        ] {
            let all = read(text.as_bytes()).unwrap();
            assert_eq!(all.len(), 1, "{text:?}");
            assert_eq!(
                (all[0].code, all[0].enhanced_code().as_deref(), all[0].text().as_str()),
                (code, enhanced, shown),
                "{text:?}"
            );
        }
        assert_eq!(read(b"550 \xff\xfe\r\n").unwrap()[0].text(), "\u{fffd}\u{fffd}");
    }

    #[test]
    fn malformed_replies_are_rejected() {
        let long = format!("250 {}\r\n", "x".repeat(REPLY_LINE_BYTES_MAX));
        let many = "250-x\r\n".repeat(REPLY_LINES_MAX + 1);
        let flood = "x".repeat(REPLY_BUFFER_BYTES_MAX + 1);
        for (text, error) in [
            ("\r\n", ReplyError::Malformed),
            ("25\r\n", ReplyError::Malformed),
            ("150 x\r\n", ReplyError::Malformed),
            ("650 x\r\n", ReplyError::Malformed),
            ("2a0 x\r\n", ReplyError::Malformed),
            ("250_x\r\n", ReplyError::Malformed),
            ("2500 x\r\n", ReplyError::Malformed),
            ("HTTP/1.1 400 Bad Request\r\n", ReplyError::Malformed),
            ("250-a\r\n251 b\r\n", ReplyError::CodesDiffer),
            (&long, ReplyError::LineTooLong),
            (&many, ReplyError::TooManyLines),
            (&flood, ReplyError::BufferFull),
            (&flood[..REPLY_LINE_BYTES_MAX + 2], ReplyError::LineTooLong),
        ] {
            assert_eq!(read(text.as_bytes()), Err(error), "{:?}", &text[..text.len().min(40)]);
        }
    }

    #[test]
    fn reply_text_is_bounded() {
        let text = format!("550-{}\r\n550 {}\r\n", "é".repeat(900), "x".repeat(900));
        assert_eq!(read(text.as_bytes()).unwrap()[0].text(), "é".repeat(REPLY_TEXT_BYTES_MAX / 2));
    }

    proptest! {
        #[test]
        fn splitting_does_not_change_the_result(
            text in "([2-5][0-9]{2}[ -][a-z.0-9 ]{0,9}\r?\n|[ -~\r\n]{0,9}){0,9}",
            cut in 1usize..7,
        ) {
            let whole = read(text.as_bytes());
            let mut replies = ReplyReader::default();
            let mut all = Ok(Vec::new());
            'feed: for piece in text.as_bytes().chunks(cut) {
                replies.receive(piece);
                loop {
                    match (replies.take(), all.as_mut()) {
                        (Ok(Some(reply)), Ok(list)) => list.push(reply),
                        (Ok(_), _) => break,
                        (Err(error), _) => { all = Err(error); break 'feed; }
                    }
                }
            }
            prop_assert_eq!(all, whole);
        }

        #[test]
        fn any_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let _ = read(&bytes).map(|all| all.iter().map(|reply| (reply.text(), reply.enhanced_code())).collect::<Vec<_>>());
        }
    }
}
