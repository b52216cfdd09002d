//! Address fields other than `From` (RFC 5322 §3.4), which only [`crate::author`] parses. Groups are flattened to their
//! members.
//!
//! Lenient about what programs and people write: names with commas, `mailto:`, quotes and brackets around an address, an
//! address as its own name. A name without an address is nobody.

use mail_parser::{HeaderValue, parsers::MessageStream};

use super::{
    MAILBOXES_MAX,
    charset::{self, CharsetHints},
    structured_line,
    unseparated::{bare_address, closed_length, separated},
};
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
        let written = address.map(|address| bare_address(&one_line(address))).filter(|address| !address.is_empty());
        let is_own = |name: &String| written.as_ref().is_some_and(|address| bare_address(name) == *address);
        let name = name.map(|name| without_quotes(&one_line(name)).to_owned());
        let name = name.filter(|name| !name.is_empty() && !is_own(name));
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
    /// Whether it names recipients, which people type.
    is_typed: bool,
}

impl<'a> AddressFieldValue<'a> {
    /// Returns the field if it is one of the supported address fields.
    pub(crate) fn of(field: &HeaderField<'a>, hints: CharsetHints<'a>) -> Option<Self> {
        let names = ["Sender", "Reply-To", "To", "Cc", "Bcc", "Resent-From", "Resent-Sender"];
        let is_typed = ["Reply-To", "To", "Cc", "Bcc"].iter().any(|name| field.is(name));
        names.iter().any(|name| field.is(name)).then_some(Self { value: field.value, hints, is_typed })
    }
}

impl<'a> AddressFieldValue<'a> {
    /// Returns a field of any name, whose value is a list of addresses.
    pub(crate) fn other(field: &HeaderField<'a>) -> Self {
        Self { value: field.value, hints: CharsetHints::default(), is_typed: false }
    }
}

/// Parses the entry of a `Sender` field, also one that isn't an address.
pub(crate) fn sender(field: AddressFieldValue<'_>) -> Option<AddressEntry> {
    let entry = parties(field).into_iter().next();
    entry.or_else(|| AddressEntry::new(Some(&charset::decode_field(field.value, field.hints)), None))
}

/// Parses the entries of an address field, at most [`MAILBOXES_MAX`].
pub(crate) fn parties(field: AddressFieldValue<'_>) -> Vec<AddressEntry> {
    let line = with_quoted_locals(without_inner_comments(structured_line(field.value, field.hints)));
    let line = if field.is_typed { separated(line) } else { line };
    let HeaderValue::Address(address) = MessageStream::new(&line).parse_address() else {
        return Vec::new();
    };
    let mut all: Vec<AddressEntry> = Vec::new();
    // The parts of a name with commas, which look like members of the list.
    let mut names: Vec<String> = Vec::new();
    for entry in address.iter() {
        if all.len() >= MAILBOXES_MAX {
            break;
        }
        let (name, address) = match (entry.name(), entry.address()) {
            // The field parser takes a bare word for an address.
            (None, Some(word)) if !word.contains('@') => (Some(word), None),
            (Some(name), None) if bare_address(name).contains('@') && !name.contains(' ') => (None, Some(name)),
            pair => pair,
        };
        match (name, address) {
            (Some(name), None) => names.push(name.to_owned()),
            (Some(name), address) if !names.is_empty() => {
                names.push(name.to_owned());
                all.extend(AddressEntry::new(Some(&names.join(", ")), address));
                names.clear();
            }
            (name, address) => {
                names.clear();
                all.extend(AddressEntry::new(name, address));
            }
        }
    }
    all
}

/// Returns a name without the single quotes around it, and the bracket or dot behind its address.
fn without_quotes(name: &str) -> &str {
    let name = if name.contains('<') { name } else { name.trim_end_matches(['>', ' ']) };
    let inner = name.strip_prefix(['\'', '‘']).and_then(|name| name.strip_suffix(['\'', '’']));
    let name = inner.map(str::trim).filter(|inner| !inner.is_empty()).unwrap_or(name);
    if name == "." { "" } else { name }
}

/// Leaves out the comments inside addresses (RFC 5322 §A.5), with the blanks around them, which the field parser would
/// take for parts of the address.
fn without_inner_comments(line: Vec<u8>) -> Vec<u8> {
    if memchr::memchr(b'(', &line).is_none() {
        return line;
    }
    let mut out = Vec::with_capacity(line.len());
    let (mut in_brackets, mut depth, mut start, mut at) = (false, 0_usize, 0, 0);
    while at < line.len() {
        let byte = line[at];
        let length = match byte {
            b'"' if depth == 0 => closed_length(&line[at..], b'"'),
            b'\\' => 2.min(line.len() - at),
            _ => 1,
        };
        match byte {
            b'<' | b'>' if depth == 0 => in_brackets = byte == b'<',
            b'(' => {
                start = if depth == 0 { out.len() } else { start };
                depth += 1;
            }
            _ => {}
        }
        out.extend_from_slice(&line[at..at + length]);
        at += length;
        if byte == b')' && depth > 0 {
            depth -= 1;
            // Behind an address, a comment is its name.
            let is_inner = in_brackets || line.get(at) == Some(&b'@') || out[..start].ends_with(b"@");
            if depth == 0 && is_inner {
                out.truncate(out[..start].trim_ascii_end().len());
                at += line[at..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
            }
        }
    }
    // A parenthesis that is never closed is text.
    if depth > 0 { line } else { out }
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
