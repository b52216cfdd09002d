//! The part before the `@` (RFC 5321 §4.1.2 `Local-part`, RFC 6531 §3.3).
//!
//! Stored in one normalized spelling: without quotes if the content is a dot-string, otherwise quoted with the fewest
//! escapes.

use super::{AddressError, LOCAL_BYTES_MAX};

/// A valid local part.
#[derive(Clone)]
pub(super) struct LocalPart {
    wire: String,
}

impl LocalPart {
    /// Parses a dot-string or a quoted string.
    pub(super) fn parse(text: &str) -> Result<Self, AddressError> {
        let wire = if text.starts_with('"') {
            let content = unquote(text)?;
            check_quoted(&content)?;
            if check_dot_string(&content).is_ok() { content } else { quote(&content) }
        } else {
            check_dot_string(text)?;
            text.to_owned()
        };
        let local = Self { wire };
        if local.wire.len().max(local.canonical().len()) > LOCAL_BYTES_MAX {
            return Err(AddressError::LocalTooLong { bytes_max: LOCAL_BYTES_MAX });
        }
        Ok(local)
    }

    pub(super) fn wire(&self) -> &str {
        &self.wire
    }

    /// Returns the local part in lower case, mapping one character to one character. Non-ASCII letters never become
    /// ASCII: the Kelvin sign would become `k`, and the address would match another mailbox.
    pub(super) fn canonical(&self) -> String {
        self.wire.chars().map(lower).collect()
    }

    /// Splits `name+tag` into `name` and `tag`. Returns `None` if `name` alone isn't a valid local part.
    pub(super) fn name_and_tag(&self) -> Option<(&str, &str)> {
        let (name, tag) = self.wire.split_once('+')?;
        check_dot_string(name).ok().map(|()| (name, tag))
    }
}

fn lower(from: char) -> char {
    if from.is_ascii() {
        return from.to_ascii_lowercase();
    }
    let mut lowered = from.to_lowercase();
    match (lowered.next(), lowered.next()) {
        (Some(to), None) if !to.is_ascii() => to,
        _ => from,
    }
}

/// Returns the index of the closing quote of the quoted string at the start of `text`.
pub(super) fn closing_quote(text: &str) -> Option<usize> {
    let mut escaped = false;
    for (index, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return Some(index),
            _ => {}
        }
    }
    None
}

/// Returns the content of a text that is exactly one quoted string.
pub(super) fn unquote(text: &str) -> Result<String, AddressError> {
    if !text.starts_with('"') || closing_quote(text) != Some(text.len() - 1) {
        return Err(AddressError::Quotes);
    }
    let mut content = String::with_capacity(text.len());
    let mut rest = text[1..text.len() - 1].chars();
    while let Some(next) = rest.next() {
        match next {
            '\\' => content.extend(rest.next()),
            other => content.push(other),
        }
    }
    Ok(content)
}

/// Returns `content` as a quoted string (RFC 5322 §3.2.4).
pub(super) fn quote(content: &str) -> String {
    let mut quoted = String::with_capacity(content.len() + 2);
    quoted.push('"');
    for next in content.chars() {
        if matches!(next, '"' | '\\') {
            quoted.push('\\');
        }
        quoted.push(next);
    }
    quoted.push('"');
    quoted
}

/// Returns whether the character is `atext` (RFC 5322 §3.2.3) or non-ASCII (RFC 6532 §3.2).
pub(super) fn is_atext(next: char) -> bool {
    !next.is_ascii() || next.is_ascii_alphanumeric() || "!#$%&'*+-/=?^_`{|}~".contains(next)
}

/// Returns whether the character is invisible or changes the direction of the text after it.
pub(crate) fn is_invisible(next: char) -> bool {
    matches!(next,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

fn check_characters(text: &str) -> Result<(), AddressError> {
    for next in text.chars() {
        if next.is_control() {
            return Err(AddressError::ControlCharacter);
        }
        if is_invisible(next) {
            return Err(AddressError::InvisibleCharacter);
        }
        if next.is_whitespace() && next != ' ' {
            return Err(AddressError::Space);
        }
    }
    Ok(())
}

fn check_quoted(content: &str) -> Result<(), AddressError> {
    if content.is_empty() {
        return Err(AddressError::EmptyLocal);
    }
    check_characters(content)
}

fn check_dot_string(text: &str) -> Result<(), AddressError> {
    check_characters(text)?;
    for next in text.chars() {
        match next {
            ' ' => return Err(AddressError::Space),
            '"' => return Err(AddressError::Quotes),
            '.' => {}
            other if is_atext(other) => {}
            other => return Err(AddressError::LocalCharacter(other)),
        }
    }
    if text.split('.').any(str::is_empty) {
        return Err(AddressError::Dots);
    }
    Ok(())
}
