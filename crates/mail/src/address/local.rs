//! The part before the `@` (RFC 5321 §4.1.2 `Local-part`, RFC 6531 §3.3).
//!
//! Stored in one normalized spelling: without quotes if the content is a dot-string, otherwise quoted with the fewest
//! escapes.

use std::borrow::Cow;

use icu_normalizer::ComposingNormalizerBorrowed;

use super::{AddressError, LOCAL_BYTES_MAX};

const NFC: ComposingNormalizerBorrowed<'static> = ComposingNormalizerBorrowed::new_nfc();

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

    /// Returns the local part in lower case and in Unicode normalization form C, so that two spellings of one name are
    /// one address. Lower case maps one character to one character, and characters that aren't ASCII never become
    /// ASCII: the Kelvin sign would become `k`, and the address would match another mailbox.
    pub(super) fn canonical(&self) -> String {
        if self.wire.is_ascii() {
            return self.wire.to_ascii_lowercase();
        }
        let content =
            if self.wire.starts_with('"') { unquote(&self.wire).unwrap_or_default() } else { self.wire.clone() };
        let lowered: String = composed(&content).chars().map(lower).collect();
        let canonical = composed(&lowered);
        if check_dot_string(&canonical).is_ok() { canonical.into_owned() } else { quote(&canonical) }
    }

    /// Splits `name+tag` into `name` and `tag`. Returns `None` if `name` alone isn't a valid local part.
    pub(super) fn name_and_tag(&self) -> Option<(&str, &str)> {
        let (name, tag) = self.wire.split_once('+')?;
        check_dot_string(name).ok().map(|()| (name, tag))
    }
}

/// Returns a text in Unicode normalization form C, except for the characters that would become ASCII.
pub(crate) fn composed(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    if !text.contains(becomes_ascii) {
        return NFC.normalize(text);
    }
    let mut whole = String::with_capacity(text.len());
    for piece in text.split_inclusive(becomes_ascii) {
        let (rest, kept) = match piece.chars().next_back().filter(|last| becomes_ascii(*last)) {
            Some(last) => (&piece[..piece.len() - last.len_utf8()], Some(last)),
            None => (piece, None),
        };
        whole.push_str(&NFC.normalize(rest));
        whole.extend(kept);
    }
    Cow::Owned(whole)
}

/// Returns whether a character that isn't ASCII becomes ASCII in normalization form C: the Kelvin sign, the Greek question
/// mark and the Greek varia.
const fn becomes_ascii(from: char) -> bool {
    matches!(from, '\u{212a}' | '\u{37e}' | '\u{1fef}')
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_three_characters_become_ascii() {
        for character in (0x80..=0x0010_ffff).filter_map(char::from_u32) {
            let text = character.to_string();
            assert_eq!(NFC.normalize(&text).is_ascii(), becomes_ascii(character), "{:x}", u32::from(character));
            assert!(!composed(&text).is_ascii(), "{:x}", u32::from(character));
        }
    }
}
