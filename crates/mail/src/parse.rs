//! A raw message to what the service knows about it (RFC 5322, RFC 2045 to 2049, RFC 8621 §4.1.4; contract §4.1, §4.3).
//!
//! [`parse`] never fails, never panics, reads every byte a bounded number of times, nests and splits within the named
//! limits below, and its output is at most a constant times its input. Nothing of the mail is lost by a limit: what
//! is not split further becomes an attachment. It never reads a clock and never fetches anything.

mod attachment;
pub(crate) mod charset;
mod content;
mod people;
pub(crate) mod select;
mod structure;
pub(crate) mod transfer;

#[cfg(test)]
pub(crate) use attachment::safe_filename;
pub use attachment::{Attachment, FILENAME_BYTES_MAX};
pub use people::Party;
pub(crate) use people::{AddressField, parties};

use mail_parser::{DateTime, HeaderValue, parsers::MessageStream};

use crate::author::{self, Author, NoAuthor};
use crate::header::{self, Block, Headers};
use crate::thread;

/// Deepest nesting of multiparts that is opened; a deeper one is an attachment.
pub const NESTING_DEPTH_MAX: usize = 24;

/// Most MIME parts that are told apart; the rest of the message is then one attachment.
pub const PARTS_MAX: usize = 1_000;

/// Most mailboxes of one address field that are kept.
pub const MAILBOXES_MAX: usize = 1_000;

/// A message, understood. Borrows attachment bytes from the raw message where they need no decoding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parsed<'a> {
    /// Message-ID with angle brackets.
    pub message_id: Option<String>,
    /// First id of In-Reply-To, with angle brackets.
    pub in_reply_to: Option<String>,
    /// Ids of References with angle brackets, oldest first, at most [`thread::CHAIN_IDS_MAX`].
    pub references: Vec<String>,
    /// The author, or why there is none.
    pub author: Result<Author, NoAuthor>,
    /// Sender.
    pub sender: Option<Party>,
    /// Reply-To.
    pub reply_to: Vec<Party>,
    /// To.
    pub to: Vec<Party>,
    /// Cc.
    pub cc: Vec<Party>,
    /// Bcc, where a sender left it in.
    pub bcc: Vec<Party>,
    /// Subject, unfolded and decoded; `None` when the field is missing or empty.
    pub subject: Option<String>,
    /// Date as milliseconds since 1970-01-01T00:00:00Z; `None` when missing or not a date.
    pub date_ms: Option<i64>,
    /// Plain text body with LF line ends, taken from the HTML where there is no text (decision 21).
    pub text: Option<String>,
    /// Whether `text`, or a part of it, was made from HTML.
    pub text_from_html: bool,
    /// HTML body, decoded, with LF line ends; `None` when the mail has none.
    pub html: Option<String>,
    /// Every field of the message's own header section, decoded.
    pub headers: Headers,
    /// What is not body: files, inline images, messages inside the message, calendar parts, signatures.
    pub attachments: Vec<Attachment<'a>>,
    /// Whether [`NESTING_DEPTH_MAX`] or [`PARTS_MAX`] stopped the splitting.
    pub limits_hit: bool,
}

impl Parsed<'_> {
    fn empty() -> Self {
        Self {
            message_id: None,
            in_reply_to: None,
            references: Vec::new(),
            author: Err(NoAuthor::Missing),
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
            headers: Headers::default(),
            attachments: Vec::new(),
            limits_hit: false,
        }
    }
}

/// Reads a raw message of any quality.
pub fn parse(raw: &[u8]) -> Parsed<'_> {
    let block = Block::cut(raw);
    let headers = Headers::from_fields(block.fields());
    let mut parsed = Parsed { headers, author: author::of_block(&block), ..Parsed::empty() };
    if parsed.headers.is_empty() {
        parsed.text = Some(select::line_feeds(charset::decode(None, raw)).into_owned());
        return parsed;
    }
    read_identity(&block, &mut parsed);
    let tree = structure::split(raw);
    parsed.limits_hit = tree.limits_hit;
    select::fill(&tree, raw, &mut parsed);
    parsed
}

/// The fields that say to whom, when, and in answer to what. The first field of a name counts.
fn read_identity(block: &Block<'_>, parsed: &mut Parsed<'_>) {
    let mut seen = Vec::with_capacity(12);
    for field in block.fields() {
        let name = field.name.to_ascii_lowercase();
        // Recipient fields that are repeated against RFC 5322 §3.6 are joined; everything else is read once.
        let repeatable = matches!(&*name, "to" | "cc" | "bcc");
        if !repeatable && seen.contains(&name) {
            continue;
        }
        let value = field.value;
        match (&*name, AddressField::of(field)) {
            ("message-id", _) => parsed.message_id = thread::message_ids(&header::unfold(value)).into_iter().next(),
            ("in-reply-to", _) => parsed.in_reply_to = thread::message_ids(&header::unfold(value)).into_iter().next(),
            ("references", _) => {
                parsed.references = thread::bounded_chain(thread::message_ids(&header::unfold(value)));
            }
            ("sender", Some(field)) => parsed.sender = people::parties(field).into_iter().next(),
            ("reply-to", Some(field)) => parsed.reply_to = people::parties(field),
            ("to", Some(field)) => people::extend(&mut parsed.to, field),
            ("cc", Some(field)) => people::extend(&mut parsed.cc, field),
            ("bcc", Some(field)) => people::extend(&mut parsed.bcc, field),
            ("subject", _) => parsed.subject = Some(field.decoded()).filter(|subject| !subject.is_empty()),
            ("date", _) => parsed.date_ms = date_ms(value),
            _ => continue,
        }
        if !repeatable {
            seen.push(name);
        }
    }
}

/// Milliseconds since 1970 of a Date value (RFC 5322 §3.3), `None` when it is no date.
pub fn date_ms(value: &[u8]) -> Option<i64> {
    let line = structured_line(value);
    let HeaderValue::DateTime(date) = MessageStream::new(&line).parse_date() else {
        return None;
    };
    let date = DateTime {
        // A leap second is the last second of its minute.
        second: date.second.min(59),
        ..date
    };
    date.is_valid().then(|| date.to_timestamp().saturating_mul(1_000))
}

/// Longest value of a structured field that is read, in bytes.
const STRUCTURED_VALUE_BYTES_MAX: usize = 65_536;

/// A bounded copy of a raw value, ended the way the field parsers want it. They know UTF-8 only: other bytes are read as
/// windows-1252, as in [`header::unfold`], but for those inside encoded words, which name their character set; words in a
/// set that the field parsers do not know become UTF-8.
fn structured_line(value: &[u8]) -> Vec<u8> {
    let value = value.get(..STRUCTURED_VALUE_BYTES_MAX).unwrap_or(value);
    let is_plain = memchr::memmem::find(value, b"=?").is_none();
    let mut line = match std::str::from_utf8(value) {
        Err(_) if is_plain => charset::decode(None, value).into_owned().into_bytes(),
        Ok(text) => header::recode_words(text).map_or_else(|| value.to_vec(), String::into_bytes),
        Err(_) => value.to_vec(),
    };
    line.push(b'\n');
    line
}

#[cfg(test)]
mod corpus_tests;
#[cfg(test)]
mod tests;
