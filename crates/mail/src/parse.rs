//! Parses a raw message into header fields, bodies and attachments (RFC 5322, RFC 2045 to 2049, RFC 8621 §4.1.4).
//!
//! [`parse`] never fails and never panics, runs in linear time, respects the nesting and part limits below, and its
//! output is at most a constant times its input. The limits lose no content: a part that isn't split further becomes an
//! attachment. The module doesn't access the clock or the network.

mod address_fields;
mod attachment;
pub(crate) mod charset;
mod content;
mod flowed;
mod rewrite;
pub(crate) mod select;
mod structure;
pub(crate) mod transfer;
mod unseparated;

pub use address_fields::AddressEntry;
pub(crate) use address_fields::{AddressFieldValue, parties};
#[cfg(test)]
pub(crate) use attachment::safe_filename;
pub use attachment::{FILENAME_BYTES_MAX, ParsedAttachment};
pub(crate) use charset::CharsetHints;
pub use charset::{html_of_file, text_of_file};
pub(crate) use content::PartHeader;
pub(crate) use flowed::joined as joined_lines;
pub use rewrite::TextUse;
pub use transfer::TransferDecoder;
pub(crate) use transfer::TransferEncoding;

use mail_parser::{DateTime, HeaderValue, parsers::MessageStream};

use crate::author::{self, Author, AuthorError};
use crate::header::{self, DecodedHeaders, HeaderBlock};
use crate::thread;

/// Maximum nesting depth of multiparts. A deeper multipart becomes an attachment.
pub const NESTING_DEPTH_MAX: usize = 24;

/// Maximum number of MIME parts. The rest of the message then becomes one attachment.
pub const PARTS_MAX: usize = 1_000;

/// Maximum number of mailboxes of one address field that are kept.
pub const MAILBOXES_MAX: usize = 1_000;

/// A parsed message. Borrows attachment bytes from the raw message if they aren't encoded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParsedMessage<'a> {
    /// `Message-ID` in angle brackets.
    pub message_id: Option<String>,
    /// First ID of `In-Reply-To`, in angle brackets.
    pub in_reply_to: Option<String>,
    /// IDs of `References` in angle brackets, oldest first, at most [`thread::CHAIN_IDS_MAX`].
    pub references: Vec<String>,
    /// The author, or the reason why the message has no author.
    pub author: Result<Author, AuthorError>,
    /// `Sender`.
    pub sender: Option<AddressEntry>,
    /// `Reply-To`.
    pub reply_to: Vec<AddressEntry>,
    /// `To`.
    pub to: Vec<AddressEntry>,
    /// `Cc`.
    pub cc: Vec<AddressEntry>,
    /// `Bcc`, if the sender didn't remove it.
    pub bcc: Vec<AddressEntry>,
    /// Subject, unfolded and decoded; `None` if the field is missing or empty.
    pub subject: Option<String>,
    /// `Date` in milliseconds since 1970-01-01T00:00:00Z; `None` if it is missing or invalid.
    pub date_ms: Option<i64>,
    /// Plain text body with LF line ends, converted from the HTML if the message has no plain text.
    pub text: Option<String>,
    /// Whether `text`, or a part of it, was converted from HTML.
    pub text_from_html: bool,
    /// HTML body, decoded, with LF line ends; `None` if the message has no HTML.
    pub html: Option<String>,
    /// Every field of the message header, decoded.
    pub headers: DecodedHeaders,
    /// Parts that aren't body: files, inline images, attached messages, calendar parts, signatures.
    pub attachments: Vec<ParsedAttachment<'a>>,
    /// Whether [`NESTING_DEPTH_MAX`] or [`PARTS_MAX`] was reached.
    pub limits_hit: bool,
}

impl ParsedMessage<'_> {
    fn empty() -> Self {
        Self {
            message_id: None,
            in_reply_to: None,
            references: Vec::new(),
            author: Err(AuthorError::MissingFrom),
            sender: None,
            reply_to: Vec::new(),
            to: Vec::new(),
            cc: Vec::new(),
            bcc: Vec::new(),
            subject: None,
            date_ms: None,
            text: None,
            text_from_html: false,
            html: None,
            headers: DecodedHeaders::default(),
            attachments: Vec::new(),
            limits_hit: false,
        }
    }
}

/// Parses a raw message. Accepts any bytes.
pub fn parse(raw: &[u8]) -> ParsedMessage<'_> {
    let block = HeaderBlock::cut(raw);
    let mut parsed = ParsedMessage { author: author::of_block(&block), ..ParsedMessage::empty() };
    if block.fields().next().is_none() {
        parsed.text = Some(select::line_feeds(charset::decode(None, raw)).into_owned());
        return parsed;
    }
    let tree = structure::split(raw);
    let top_level = parsed.author.as_ref().ok().and_then(|author| author.address().domain().rsplit('.').next());
    let hints = tree.charset_hints(raw, &block, top_level);
    parsed.headers = DecodedHeaders::from_fields(block.fields(), hints);
    parsed.author = author::shown_in(&block, hints);
    read_identity(&block, hints, &mut parsed);
    parsed.limits_hit = tree.limits_hit;
    select::fill(&tree, hints, raw, &mut parsed);
    parsed
}

/// Parses the fields for sender, recipients, date, subject and threading. If a field is repeated, the first one counts.
fn read_identity(block: &HeaderBlock<'_>, hints: CharsetHints<'_>, parsed: &mut ParsedMessage<'_>) {
    let mut seen = Vec::with_capacity(12);
    for field in block.fields() {
        let name = field.name.to_ascii_lowercase();
        // Repeated recipient fields violate RFC 5322 §3.6, but dropping recipients would be worse: they are joined.
        let repeatable = matches!(&*name, "to" | "cc" | "bcc");
        if !repeatable && seen.contains(&name) {
            continue;
        }
        let value = field.value;
        match (&*name, AddressFieldValue::of(field, hints)) {
            ("message-id", _) => parsed.message_id = thread::message_ids(&header::unfold(value)).into_iter().next(),
            ("in-reply-to", _) => parsed.in_reply_to = thread::message_ids(&header::unfold(value)).into_iter().next(),
            ("references", _) => {
                parsed.references = thread::bounded_chain(thread::message_ids(&header::unfold(value)));
            }
            ("sender", Some(field)) => parsed.sender = address_fields::sender(field),
            ("reply-to", Some(field)) => parsed.reply_to = address_fields::parties(field),
            ("to", Some(field)) => address_fields::extend(&mut parsed.to, field),
            ("cc", Some(field)) => address_fields::extend(&mut parsed.cc, field),
            ("bcc", Some(field)) => address_fields::extend(&mut parsed.bcc, field),
            ("subject", _) => {
                parsed.subject = Some(header::decode_in(value, hints)).filter(|subject| !subject.is_empty());
            }
            ("date", _) => parsed.date_ms = date_ms(value),
            _ => continue,
        }
        if !repeatable {
            seen.push(name);
        }
    }
}

/// Parses a `Date` value (RFC 5322 §3.3) to milliseconds since 1970-01-01T00:00:00Z. Returns `None` if it isn't valid.
pub fn date_ms(value: &[u8]) -> Option<i64> {
    let line = structured_line(value, CharsetHints::default());
    let HeaderValue::DateTime(date) = MessageStream::new(&line).parse_date() else {
        return None;
    };
    let date = DateTime {
        // A leap second counts as the last second of its minute.
        second: date.second.min(59),
        ..date
    };
    date.is_valid().then(|| date.to_timestamp().saturating_mul(1_000))
}

/// Maximum number of bytes of a structured field value that are parsed.
const STRUCTURED_VALUE_BYTES_MAX: usize = 65_536;

/// Returns a bounded copy of a raw value in the form that the `mail_parser` field parsers require: with a final line
/// end.
///
/// Those parsers only accept UTF-8. A value that isn't UTF-8 is decoded as in [`header::unfold`]. Encoded words that
/// the parsers would decode differently are re-encoded to UTF-8.
fn structured_line(value: &[u8], hints: CharsetHints<'_>) -> Vec<u8> {
    let value = value.get(..STRUCTURED_VALUE_BYTES_MAX).unwrap_or(value);
    let text = charset::decode_field(value, hints);
    let mut line = header::recode_words(&text, hints).unwrap_or_else(|| text.into_owned()).into_bytes();
    line.push(b'\n');
    line
}

#[cfg(test)]
mod corpus_tests;
#[cfg(test)]
mod tests;
