//! Writes header fields: validated, encoded (RFC 2047), and folded (RFC 5322 §2.2.3).

use mail_builder::headers::Header;
use mail_builder::headers::address::Address;
use mail_builder::headers::raw::Raw;
use mail_builder::headers::text::Text;

use super::FIELD_BYTES_MAX;
use crate::address::Mailbox;
use crate::header::FIELD_NAME_BYTES_MAX;

/// Longest word of a header value that is written unencoded, in bytes. Longer ones are encoded and split.
const WORD_BYTES_MAX: usize = 900;

/// Bytes of text in one encoded word. Their base64 with the delimiters stays below the 75 characters of RFC 2047 §2.
const ENCODED_TEXT_BYTES: usize = 42;

/// Why a message can't be built.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MimeBuildError {
    /// A CR, LF, NUL or other control character in a value for a header field.
    #[error("{field} contains a control character")]
    ControlCharacter {
        /// The header field, or the property of the file.
        field: String,
    },
    /// A value longer than [`FIELD_BYTES_MAX`].
    #[error("{field} is longer than {bytes_max} bytes")]
    TooLong {
        /// The header field.
        field: String,
        /// The limit.
        bytes_max: usize,
    },
    /// A field name that is empty, too long, or not visible ASCII without a colon.
    #[error("{name:?} is not a header field name")]
    FieldName {
        /// The given name.
        name: String,
    },
    /// An extra field that the builder writes itself.
    #[error("the field {name} is set by the service")]
    OwnField {
        /// The given name.
        name: String,
    },
    /// The message ID is empty, too long or not ASCII.
    #[error("the message ID is empty, too long or not ASCII")]
    MessageId,
    /// The media type of a file is not `type/subtype`, or is a multipart type.
    #[error("{content_type:?} is not a media type for a file")]
    ContentType {
        /// The given media type.
        content_type: String,
    },
    /// The content ID of a file is not visible ASCII.
    #[error("{content_id:?} is not a content ID")]
    ContentId {
        /// The given content ID.
        content_id: String,
    },
}

/// Prepends header fields (name, value) to a stored message, in the given order. The message itself is not changed.
///
/// # Errors
/// Returns a [`MimeBuildError`] if a header can't contain a name or value.
pub fn prepend(fields: &[(&str, &str)], raw: &[u8]) -> Result<Vec<u8>, MimeBuildError> {
    let mut out = Vec::with_capacity(raw.len() + 512 * fields.len());
    for (name, value) in fields {
        write_checked(name, value, &mut out)?;
    }
    out.extend_from_slice(raw);
    Ok(out)
}

/// Rejects a value that contains control characters or is too long.
pub(super) fn check(field: &str, value: &str) -> Result<(), MimeBuildError> {
    let field = || field.to_owned();
    if value.chars().any(|c| c.is_control() && c != '\t') {
        return Err(MimeBuildError::ControlCharacter { field: field() });
    }
    if value.len() > FIELD_BYTES_MAX {
        return Err(MimeBuildError::TooLong { field: field(), bytes_max: FIELD_BYTES_MAX });
    }
    Ok(())
}

/// Writes one field with a text value.
pub(super) fn write_checked(name: &str, value: &str, out: &mut Vec<u8>) -> Result<(), MimeBuildError> {
    let is_name = !name.is_empty()
        && name.len() <= FIELD_NAME_BYTES_MAX
        && name.bytes().all(|byte| byte.is_ascii_graphic() && byte != b':');
    if !is_name {
        return Err(MimeBuildError::FieldName { name: name.to_owned() });
    }
    check(name, value)?;
    write_name(name, out);
    let value = value.trim();
    let column = name.len() + 2;
    if is_simple(value) {
        Raw::new(value).write_header(out, column);
    } else if value.is_ascii() {
        write_encoded(value, out);
    } else {
        Text::new(value).write_header(out, column);
    }
    Ok(())
}

/// Writes one address field, unless the list is empty. Domains are written as A-labels.
pub(super) fn write_mailboxes(name: &str, mailboxes: &[Mailbox], out: &mut Vec<u8>) {
    if mailboxes.is_empty() {
        return;
    }
    write_name(name, out);
    if mailboxes.iter().any(|mailbox| mailbox.name().is_some_and(is_changed_in_quotes)) {
        return write_one_per_line(mailboxes, out);
    }
    let list =
        mailboxes.iter().map(|mailbox| Address::new_address(mailbox.name(), mailbox.address().smtp_form())).collect();
    Address::new_list(list).write_header(out, name.len() + 2);
}

/// Returns whether a reader could show another name than the service checked if it stands in quotes, where the builder puts
/// ASCII names: many readers decode encoded words there, and a line that is folded in a run of blanks loses one.
fn is_changed_in_quotes(name: &str) -> bool {
    name.contains("=?") || name.contains("  ")
}

/// Writes mailboxes with their names as base64 words, so that readers show each name as it is.
fn write_one_per_line(mailboxes: &[Mailbox], out: &mut Vec<u8>) {
    for (index, mailbox) in mailboxes.iter().enumerate() {
        if index > 0 {
            out.extend_from_slice(b",\r\n ");
        }
        if let Some(name) = mailbox.name() {
            write_encoded_words(name, out);
            out.extend_from_slice(b"\r\n ");
        }
        out.extend_from_slice(format!("<{}>", mailbox.address().smtp_form()).as_bytes());
    }
    out.extend_from_slice(b"\r\n");
}

/// Writes an address field with one mailbox.
pub fn address_field(name: &str, mailbox: &Mailbox, out: &mut Vec<u8>) {
    write_mailboxes(name, std::slice::from_ref(mailbox), out);
}

/// Writes an address field with several mailboxes, unless there are none.
pub(crate) fn address_fields(name: &str, mailboxes: &[Mailbox], out: &mut Vec<u8>) {
    write_mailboxes(name, mailboxes, out);
}

pub(super) fn write_name(name: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b": ");
}

/// Returns whether a value can be folded at its spaces without any other change.
fn is_simple(value: &str) -> bool {
    value.is_ascii()
        && !value.contains("  ")
        && !value.contains('\t')
        && !has_encoded_word(value)
        && value.split(' ').all(|word| word.len() <= WORD_BYTES_MAX)
}

/// Returns whether a reader would decode a part of a value: `=?charset?encoding?text?=` (RFC 2047 §2). Many readers also
/// decode one with blanks in its text, which the RFC doesn't allow. `agent=?1` alone isn't one; fields of RFC 8941
/// contain it.
fn has_encoded_word(value: &str) -> bool {
    value.match_indices("=?").any(|(at, start)| {
        let mut parts = value[at + start.len()..].splitn(3, '?');
        let (charset, encoding, text) = (parts.next(), parts.next(), parts.next());
        charset.is_some_and(|charset| !charset.is_empty())
            && encoding.is_some_and(|encoding| matches!(encoding, "b" | "B" | "q" | "Q"))
            && text.is_some_and(|text| text.contains("?="))
    })
}

/// Writes ASCII that folding would change as base64 words: runs of blanks, overlong words, apparent encoded words.
fn write_encoded(value: &str, out: &mut Vec<u8>) {
    write_encoded_words(value, out);
    out.extend_from_slice(b"\r\n");
}

/// Writes text as base64 words, one per line. No word ends within a character (RFC 2047 §5).
fn write_encoded_words(text: &str, out: &mut Vec<u8>) {
    use base64::Engine as _;
    let mut rest = text;
    while !rest.is_empty() {
        let (chunk, after) = rest.split_at(rest.floor_char_boundary(ENCODED_TEXT_BYTES));
        let encoded = base64::engine::general_purpose::STANDARD.encode(chunk);
        out.extend_from_slice(format!("=?utf-8?B?{encoded}?=").as_bytes());
        rest = after;
        if !rest.is_empty() {
            out.extend_from_slice(b"\r\n ");
        }
    }
}
