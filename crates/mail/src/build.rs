//! Builds the MIME text of an outgoing message (RFC 5322, RFC 2045 to 2047, RFC 2231), and prepends trace fields to
//! stored messages.
//!
//! The output is deterministic: nothing here reads a clock or draws random numbers. Every line ends in CRLF and has at
//! most 998 bytes. A value that could start another header field is rejected, never repaired. Bcc is never written,
//! because [`MimeMessage`] has no field for it.

mod field;
mod media_type;
mod part;

pub(crate) use field::address_fields;
pub use field::{MimeBuildError, address_field, prepend};

use mail_builder::headers::Header;
use mail_builder::headers::date::Date;
use mail_builder::headers::message_id::MessageId;

use crate::address::Mailbox;
use crate::thread::normalised_message_id;

/// Fields that [`build`] writes itself; [`MimeMessage::extra`] must not contain them.
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

/// Longest subject or extra value, in bytes. RFC 5322 sets no limit, but receivers do.
pub const FIELD_BYTES_MAX: usize = 16_384;

/// A message to build.
#[derive(Debug, Clone)]
pub struct MimeMessage<'a> {
    /// Message-ID, with or without angle brackets; ASCII.
    pub message_id: &'a str,
    /// Date in milliseconds since 1970-01-01T00:00:00Z; written in UTC, with a resolution of one second.
    pub date_ms: i64,
    /// From.
    pub from: &'a Mailbox,
    /// To. Without any To and Cc, `undisclosed-recipients:;` is written.
    pub to: &'a [Mailbox],
    /// Cc.
    pub cc: &'a [Mailbox],
    /// Reply-To.
    pub reply_to: &'a [Mailbox],
    /// Subject.
    pub subject: &'a str,
    /// Plain text body with any line ends.
    pub text: Option<&'a str>,
    /// HTML body with any line ends.
    pub html: Option<&'a str>,
    /// Files to attach.
    pub attachments: &'a [MimeFile<'a>],
    /// In-Reply-To. An ID that is not ASCII is omitted.
    pub in_reply_to: Option<&'a str>,
    /// References, oldest first. IDs that are not ASCII are omitted.
    pub references: &'a [String],
    /// Additional fields as (name, value), such as `Auto-Submitted`.
    pub extra: &'a [(&'a str, &'a str)],
}

/// A file to attach to a message.
#[derive(Debug, Clone)]
pub struct MimeFile<'a> {
    /// The name that the recipient sees.
    pub filename: &'a str,
    /// `type/subtype`, with any parameters except those that name the file. Must not be a multipart type.
    pub content_type: &'a str,
    /// The content, which arrives byte for byte.
    pub bytes: &'a [u8],
    /// Content-ID without angle brackets. With it, the file is shown inside the HTML body (`cid:`).
    pub content_id: Option<&'a str>,
}

/// A built message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuiltMessage {
    /// The complete message with CRLF line ends, including the last line.
    pub raw: Vec<u8>,
    /// Whether an address in the header is not ASCII, so that every relay must support SMTPUTF8 (RFC 6531 §3.7.4).
    pub needs_smtputf8: bool,
}

/// Builds a message.
///
/// # Errors
/// Returns a [`MimeBuildError`] for the first value that a message can't contain.
pub fn build(mail: &MimeMessage<'_>) -> Result<BuiltMessage, MimeBuildError> {
    let id = normalised_message_id(mail.message_id)
        .filter(|id| id.is_ascii() && !mail.message_id.contains(char::is_control))
        .ok_or(MimeBuildError::MessageId)?;
    let mut raw = Vec::with_capacity(4_096);
    write_participants(mail, &mut raw);
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
            return Err(MimeBuildError::OwnField { name: (*name).to_owned() });
        }
        field::write_checked(name, value, &mut raw)?;
    }
    raw.extend_from_slice(b"MIME-Version: 1.0\r\n");
    part::root(mail, &id)?.write_part(&mut raw);
    if !raw.ends_with(b"\r\n") {
        raw.extend_from_slice(b"\r\n");
    }
    let mut participants = std::iter::once(mail.from).chain(mail.to).chain(mail.cc).chain(mail.reply_to);
    Ok(BuiltMessage { raw, needs_smtputf8: participants.any(|mailbox| !mailbox.address().is_ascii()) })
}

fn write_participants(mail: &MimeMessage<'_>, raw: &mut Vec<u8>) {
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
