//! Builds the MIME text of a mail to send (RFC 5322, RFC 2045 to 2047, RFC 2231), and puts trace lines before stored mail.
//!
//! The same input gives the same bytes: nothing here reads a clock or draws a random number. Every line ends in CRLF and
//! is at most 998 bytes. A value that could begin a header field of its own is refused, never repaired. Bcc is never
//! written: there is no place for it in [`Outgoing`].

mod field;
mod media_type;
mod part;

pub use field::{BuildError, address_field, prepend};

use mail_builder::headers::Header;
use mail_builder::headers::date::Date;
use mail_builder::headers::message_id::MessageId;

use crate::address::Mailbox;
use crate::thread::normalised_message_id;

/// Fields that [`build`] writes itself; they cannot come in through [`Outgoing::extra`].
const OWN_FIELDS: &[&str] = &[
    "from",
    "sender",
    "to",
    "cc",
    "bcc",
    "reply-to",
    "subject",
    "date",
    "message-id",
    "in-reply-to",
    "references",
    "mime-version",
    "content-type",
    "content-transfer-encoding",
    "content-disposition",
    "content-id",
    "received",
    "return-path",
    "dkim-signature",
];

/// Longest subject or extra value that is written, in bytes: RFC 5322 knows no limit, receivers do.
pub const FIELD_BYTES_MAX: usize = 16_384;

/// A mail to build.
#[derive(Debug, Clone)]
pub struct Outgoing<'a> {
    /// Message-ID, with or without brackets; ASCII.
    pub message_id: &'a str,
    /// Date in milliseconds since 1970-01-01T00:00:00Z; written in UTC, to the second.
    pub date_ms: i64,
    /// From.
    pub from: &'a Mailbox,
    /// To; with no To and no Cc, `undisclosed-recipients:;` is written.
    pub to: &'a [Mailbox],
    /// Cc.
    pub cc: &'a [Mailbox],
    /// Reply-To.
    pub reply_to: &'a [Mailbox],
    /// Subject.
    pub subject: &'a str,
    /// Plain text body, any line ends.
    pub text: Option<&'a str>,
    /// HTML body, any line ends.
    pub html: Option<&'a str>,
    /// Files.
    pub attachments: &'a [File<'a>],
    /// In-Reply-To. An id that is not ASCII is left out.
    pub in_reply_to: Option<&'a str>,
    /// References, oldest first. Ids that are not ASCII are left out.
    pub references: &'a [String],
    /// Further fields as (name, value), such as `Auto-Submitted`.
    pub extra: &'a [(&'a str, &'a str)],
}

/// A file to attach.
#[derive(Debug, Clone)]
pub struct File<'a> {
    /// Name shown to the recipient.
    pub filename: &'a str,
    /// `type/subtype`, with any parameters but those that name the file; never a multipart.
    pub content_type: &'a str,
    /// The content, carried byte for byte.
    pub bytes: &'a [u8],
    /// Content-ID without brackets: the file is then shown inside the HTML body (`cid:`).
    pub content_id: Option<&'a str>,
}

/// A built mail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Built {
    /// The whole message, CRLF line ends, last line ended.
    pub raw: Vec<u8>,
    /// Whether an address in it is not ASCII, so that every relay must know SMTPUTF8 (RFC 6531 §3.7.4).
    pub needs_smtputf8: bool,
}

/// Builds a message.
///
/// # Errors
/// [`BuildError`] names the first value that cannot stand in a message.
pub fn build(mail: &Outgoing<'_>) -> Result<Built, BuildError> {
    let id = normalised_message_id(mail.message_id)
        .filter(|id| id.is_ascii() && !mail.message_id.contains(char::is_control))
        .ok_or(BuildError::MessageId)?;
    let mut raw = Vec::with_capacity(4_096);
    write_people(mail, &mut raw);
    field::write_checked("Subject", mail.subject, &mut raw)?;
    field::write_name("Date", &mut raw);
    Date::new(mail.date_ms.div_euclid(1_000)).write_header(&mut raw, "Date: ".len());
    write_ids("Message-ID", [&*id], &mut raw);
    let parent = mail.in_reply_to.and_then(ascii_id);
    write_ids("In-Reply-To", parent.as_deref(), &mut raw);
    let references: Vec<String> = mail.references.iter().filter_map(|id| ascii_id(id)).collect();
    write_ids("References", references.iter().map(String::as_str), &mut raw);
    for (name, value) in mail.extra {
        if OWN_FIELDS.iter().any(|own| own.eq_ignore_ascii_case(name)) {
            return Err(BuildError::OwnField { name: (*name).to_owned() });
        }
        field::write_checked(name, value, &mut raw)?;
    }
    raw.extend_from_slice(b"MIME-Version: 1.0\r\n");
    part::root(mail, &id)?.write_part(&mut raw);
    if !raw.ends_with(b"\r\n") {
        raw.extend_from_slice(b"\r\n");
    }
    let mut everyone = std::iter::once(mail.from).chain(mail.to).chain(mail.cc).chain(mail.reply_to);
    Ok(Built { raw, needs_smtputf8: everyone.any(|mailbox| !mailbox.address().is_ascii()) })
}

fn write_people(mail: &Outgoing<'_>, raw: &mut Vec<u8>) {
    field::write_mailboxes("From", std::slice::from_ref(mail.from), raw);
    field::write_mailboxes("To", mail.to, raw);
    field::write_mailboxes("Cc", mail.cc, raw);
    if mail.to.is_empty() && mail.cc.is_empty() {
        raw.extend_from_slice(b"To: undisclosed-recipients:;\r\n");
    }
    field::write_mailboxes("Reply-To", mail.reply_to, raw);
}

fn ascii_id(id: &str) -> Option<String> {
    normalised_message_id(id).filter(|id| id.is_ascii())
}

fn write_ids<'a>(name: &str, ids: impl IntoIterator<Item = &'a str>, raw: &mut Vec<u8>) {
    let inner = ids.into_iter().map(|id| id.trim_start_matches('<').trim_end_matches('>'));
    let ids = MessageId::new_list(inner);
    if !ids.id.is_empty() {
        field::write_name(name, raw);
        ids.write_header(raw, name.len() + 2);
    }
}

#[cfg(test)]
mod tests;
