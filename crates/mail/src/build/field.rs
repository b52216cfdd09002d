//! Writes header fields: checked, encoded (RFC 2047), folded (RFC 5322 §2.2.3).

use mail_builder::headers::Header;
use mail_builder::headers::address::Address;
use mail_builder::headers::raw::Raw;
use mail_builder::headers::text::Text;

use super::FIELD_BYTES_MAX;
use crate::address::Mailbox;
use crate::header::FIELD_NAME_BYTES_MAX;

/// Longest word of a header value that is written as it stands, in bytes; longer ones are encoded and split.
const WORD_BYTES_MAX: usize = 900;

/// Bytes of text in one encoded word: base64 of them and the frame stay below the 75 of RFC 2047 §2.
const ENCODED_TEXT_BYTES: usize = 42;

/// Why a message cannot be built.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    /// CR, LF, NUL or another control character where a header field holds none.
    #[error("{field} holds a control character")]
    ControlCharacter {
        /// The header field, or the member of the file.
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
        /// What was given.
        name: String,
    },
    /// An extra field that the builder writes itself.
    #[error("the field {name} is set by the service")]
    OwnField {
        /// What was given.
        name: String,
    },
    /// The message id is empty, too long or not ASCII.
    #[error("the message id cannot be used")]
    MessageId,
    /// The media type of a file is not `type/subtype`, or is a multipart.
    #[error("{content_type:?} is not a media type for a file")]
    ContentType {
        /// What was given.
        content_type: String,
    },
    /// The content id of a file is not visible ASCII.
    #[error("{content_id:?} is not a content id")]
    ContentId {
        /// What was given.
        content_id: String,
    },
}

/// Puts header fields (name, value) in front of a stored message, the first given on top; the rest stays byte for byte.
///
/// # Errors
/// [`BuildError`] when a name or a value cannot stand in a header section.
pub fn prepend(fields: &[(&str, &str)], raw: &[u8]) -> Result<Vec<u8>, BuildError> {
    let mut out = Vec::with_capacity(raw.len() + 512 * fields.len());
    for (name, value) in fields {
        write_checked(name, value, &mut out)?;
    }
    out.extend_from_slice(raw);
    Ok(out)
}

/// Refuses a value with control characters in it.
pub(super) fn check(field: &str, value: &str) -> Result<(), BuildError> {
    let field = || field.to_owned();
    if value.chars().any(|c| c.is_control() && c != '\t') {
        return Err(BuildError::ControlCharacter { field: field() });
    }
    if value.len() > FIELD_BYTES_MAX {
        return Err(BuildError::TooLong { field: field(), bytes_max: FIELD_BYTES_MAX });
    }
    Ok(())
}

/// Writes one field with a text value.
pub(super) fn write_checked(name: &str, value: &str, out: &mut Vec<u8>) -> Result<(), BuildError> {
    let is_name = !name.is_empty()
        && name.len() <= FIELD_NAME_BYTES_MAX
        && name.bytes().all(|byte| byte.is_ascii_graphic() && byte != b':');
    if !is_name {
        return Err(BuildError::FieldName { name: name.to_owned() });
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

/// Writes one address field, unless it is empty. Domains are written as A-labels.
pub(super) fn write_mailboxes(name: &str, mailboxes: &[Mailbox], out: &mut Vec<u8>) {
    if mailboxes.is_empty() {
        return;
    }
    let list =
        mailboxes.iter().map(|mailbox| Address::new_address(mailbox.name(), mailbox.address().smtp_form())).collect();
    write_name(name, out);
    Address::new_list(list).write_header(out, name.len() + 2);
}

/// Writes one address field with one mailbox.
pub fn address_field(name: &str, mailbox: &Mailbox, out: &mut Vec<u8>) {
    write_mailboxes(name, std::slice::from_ref(mailbox), out);
}

pub(super) fn write_name(name: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b": ");
}

/// Whether a value survives folding at its spaces as it stands.
fn is_simple(value: &str) -> bool {
    value.is_ascii()
        && !value.contains("=?")
        && !value.contains("  ")
        && !value.contains('\t')
        && value.split(' ').all(|word| word.len() <= WORD_BYTES_MAX)
}

/// Base64 words for ASCII that folding would harm: runs of blanks, endless words, what looks like an encoded word.
fn write_encoded(value: &str, out: &mut Vec<u8>) {
    use base64::Engine as _;
    for (index, chunk) in value.as_bytes().chunks(ENCODED_TEXT_BYTES).enumerate() {
        if index > 0 {
            out.extend_from_slice(b"\r\n ");
        }
        let encoded = base64::engine::general_purpose::STANDARD.encode(chunk);
        out.extend_from_slice(format!("=?utf-8?B?{encoded}?=").as_bytes());
    }
    out.extend_from_slice(b"\r\n");
}
