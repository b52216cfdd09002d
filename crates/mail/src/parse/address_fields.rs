//! Address fields other than `From` (RFC 5322 §3.4), which only [`crate::author`] parses. Groups are flattened to their
//! members.

use mail_parser::{HeaderValue, parsers::MessageStream};

use super::{MAILBOXES_MAX, charset::CharsetHints, structured_line};
use crate::address::{Address, Mailbox};
use crate::header::HeaderField;

/// An entry of an address field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddressEntry {
    /// `Name <addr>` or only the address. If the entry isn't a valid mailbox, the original text, decoded and on one
    /// line.
    pub header_form: String,
    /// The entry as a validated mailbox, or `None` if it isn't one.
    pub mailbox: Option<Mailbox>,
}

impl AddressEntry {
    fn new(name: Option<&str>, address: Option<&str>) -> Option<Self> {
        let name = name.map(one_line).filter(|name| !name.is_empty());
        let written = address.map(one_line).filter(|address| !address.is_empty());
        let mailbox = written
            .as_deref()
            .and_then(|text| Address::parse(text).ok())
            .map(|address| Mailbox::cleaned(name.as_deref(), address));
        let header_form = match (&mailbox, &name, written) {
            (Some(mailbox), ..) => mailbox.to_string(),
            (None, Some(name), Some(address)) => format!("{name} <{address}>"),
            (None, Some(name), None) => name.clone(),
            (None, None, written) => written?,
        };
        Some(AddressEntry { header_form, mailbox })
    }
}

/// An address field other than `From`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AddressFieldValue<'a> {
    value: &'a [u8],
    /// What the message shows about the character set of raw bytes.
    hints: CharsetHints<'a>,
}

impl<'a> AddressFieldValue<'a> {
    /// Returns the field if it is one of the supported address fields.
    pub(crate) fn of(field: &HeaderField<'a>, hints: CharsetHints<'a>) -> Option<Self> {
        let names = ["Sender", "Reply-To", "To", "Cc", "Bcc", "Resent-From", "Resent-Sender"];
        names.iter().any(|name| field.is(name)).then_some(Self { value: field.value, hints })
    }
}

/// Parses the entries of an address field, at most [`MAILBOXES_MAX`].
pub(crate) fn parties(field: AddressFieldValue<'_>) -> Vec<AddressEntry> {
    let line = with_quoted_locals(structured_line(field.value, field.hints));
    let HeaderValue::Address(address) = MessageStream::new(&line).parse_address() else {
        return Vec::new();
    };
    address.iter().filter_map(|entry| AddressEntry::new(entry.name(), entry.address())).take(MAILBOXES_MAX).collect()
}

/// Puts every bare address that begins with a quoted string (`"a b"@x.example`, RFC 5322 §3.4.1) into angle brackets:
/// the `mail_parser` field parser treats a quoted string outside angle brackets as a name.
fn with_quoted_locals(line: Vec<u8>) -> Vec<u8> {
    if memchr::memmem::find(&line, b"\"@").is_none() {
        return line;
    }
    let mut out = Vec::with_capacity(line.len() + 2);
    let mut rest = &line[..];
    let mut comments = 0_usize;
    while let Some(first) = rest.first() {
        let length = match first {
            b'"' if comments == 0 => closed_length(rest, b'"'),
            b'<' if comments == 0 => closed_length(rest, b'>'),
            b'\\' => 2,
            _ => 1,
        };
        match first {
            b'(' => comments += 1,
            b')' => comments = comments.saturating_sub(1),
            _ => {}
        }
        let (token, after) = rest.split_at(length.min(rest.len()));
        rest = after;
        let is_quoted = *first == b'"' && comments == 0;
        if is_quoted && after.starts_with(b"@") {
            let ends = |byte: &u8| byte.is_ascii_whitespace() || b",;()<>\"".contains(byte);
            let (domain, after) = after.split_at(after.iter().position(ends).unwrap_or(after.len()));
            push_bracketed(token, domain, &mut out);
            rest = after;
        } else {
            out.extend_from_slice(token);
        }
    }
    out
}

/// Returns the length up to and including `close`, skipping escapes, or the length of `text` if `close` is missing.
fn closed_length(text: &[u8], close: u8) -> usize {
    let mut escaped = false;
    for (index, byte) in text.iter().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            byte if *byte == close => return index + 1,
            _ => {}
        }
    }
    text.len()
}

/// Writes an unfolded address in angle brackets. Backslashes are doubled because the field parser removes one level of
/// escaping there.
fn push_bracketed(local: &[u8], domain: &[u8], out: &mut Vec<u8>) {
    out.push(b'<');
    for &byte in local.iter().filter(|byte| !matches!(byte, b'\r' | b'\n')) {
        out.push(byte);
        if byte == b'\\' {
            out.push(byte);
        }
    }
    out.extend_from_slice(domain);
    out.push(b'>');
}

/// Appends the entries of a repeated field, up to [`MAILBOXES_MAX`] in total.
pub(crate) fn extend(list: &mut Vec<AddressEntry>, field: AddressFieldValue<'_>) {
    let remaining = MAILBOXES_MAX.saturating_sub(list.len());
    list.extend(parties(field).into_iter().take(remaining));
}

/// Trims a text and replaces control characters: decoded names may contain line ends.
fn one_line(text: &str) -> String {
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    text.trim().to_owned()
}
