//! Finds links of this service in files: as text of any character set, and in attached messages of any depth. Pure.

use posthouse_mail::{
    header,
    parse::{self, NESTING_DEPTH_MAX, ParsedAttachment},
};

use super::mask_texts;
use crate::link_token;

/// Header fields that begin a message.
const FIELDS: [&str; 12] = [
    "received",
    "return-path",
    "delivered-to",
    "from",
    "to",
    "subject",
    "date",
    "message-id",
    "mime-version",
    "content-type",
    "content-transfer-encoding",
    "dkim-signature",
];
/// Fields that are searched for those that begin a message.
const FIELDS_MAX: usize = 20;
/// How often the bytes of a mail may be parsed as attached messages, so that the cost stays linear.
const TIMES_MAX: usize = 4;
/// What may be parsed in any mail, in bytes.
const PARSED_BYTES_MIN: usize = 256 * 1024;

/// Returns whether a file has a link of this service, or has more messages within messages than are searched.
#[must_use]
pub fn is_in_file(content_type: &str, bytes: &[u8]) -> bool {
    Search::of(bytes.len()).is_in(content_type, bytes, NESTING_DEPTH_MAX)
}

/// Returns whether a file of a mail of this size has one.
pub(super) fn is_in_files(files: &[ParsedAttachment<'_>], mail_bytes: usize) -> bool {
    Search::of(mail_bytes).is_in_any(files, NESTING_DEPTH_MAX)
}

/// A search with a bound.
struct Search {
    /// The bytes of attached messages that may still be parsed.
    bytes_left: usize,
}

impl Search {
    const fn of(bytes: usize) -> Self {
        Self { bytes_left: PARSED_BYTES_MIN + TIMES_MAX * bytes }
    }

    fn is_in_any(&mut self, files: &[ParsedAttachment<'_>], depth: usize) -> bool {
        files.iter().any(|file| self.is_in(&file.content_type, &file.bytes, depth))
    }

    fn is_in(&mut self, content_type: &str, bytes: &[u8], depth: usize) -> bool {
        let content_type = content_type.to_ascii_lowercase();
        let is_said_message = content_type.starts_with("message/");
        match parse::text_of_file(bytes) {
            Some(text) if link_token::is_in(&text) => return true,
            Some(_) => {}
            None if link_token::is_in_binary(bytes) => return true,
            // A NUL in a text doesn't hide what a reader sees.
            None if is_said_message || content_type.starts_with("text/") => {
                if link_token::is_in(&String::from_utf8_lossy(bytes).replace('\0', "")) {
                    return true;
                }
            }
            None => return false,
        }
        let start = bytes.get(..header::HEADER_SECTION_BYTES_MAX).unwrap_or(bytes);
        if !is_said_message && !is_message(start) {
            return false;
        }
        let Some(left) = self.bytes_left.checked_sub(bytes.len()).filter(|_| depth > 0) else { return true };
        self.bytes_left = left;
        let mut parsed = parse::parse(bytes);
        mask_texts(&mut parsed).is_any || self.is_in_any(&parsed.attachments, depth - 1)
    }
}

/// Returns whether a file begins like a message.
fn is_message(bytes: &[u8]) -> bool {
    header::fields(bytes).take(FIELDS_MAX).any(|field| FIELDS.iter().any(|name| field.is(name)))
}
