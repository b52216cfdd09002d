//! The kinds of single values: bounded text, numbers, lists, base64, labels, and the three states of a PATCH member.

use base64::{
    Engine, alphabet,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};
use posthouse_domain::label;
use serde_json::{Value, json};

use super::{Problems, Wire, expected, nullable};

/// Longest label in characters.
const LABEL_CHARS_MAX: usize = 64;

/// Text of `MIN` to `MAX` characters; line breaks, also of pages (U+000C, U+0085), and tabs are fine, other control characters
/// are not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Text<const MIN: usize, const MAX: usize>(pub String);

/// One line of `MIN` to `MAX` characters, without any control character.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line<const MIN: usize, const MAX: usize>(pub String);

/// A whole number from `LOW` to `HIGH`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Int<const LOW: i64, const HIGH: i64>(pub i64);

/// An array of `MIN` to `MAX` items.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct List<T, const MIN: usize, const MAX: usize>(pub Vec<T>);

/// Values joined by commas in one query parameter, at most `MAX` of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CommaList<T, const MAX: usize>(pub Vec<T>);

/// Bytes in base64: the standard or the URL alphabet, padded or not, line breaks allowed.
#[derive(Clone, PartialEq, Eq)]
pub struct Base64(pub Vec<u8>);

/// A label: 1 to 64 characters without white space, commas and control characters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label(pub String);

/// A label that callers may give and take: a [`Label`] that is none of the system's.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OwnLabel(pub String);

impl From<Label> for String {
    fn from(label: Label) -> Self {
        label.0
    }
}

impl From<OwnLabel> for String {
    fn from(label: OwnLabel) -> Self {
        label.0
    }
}

/// A member of a PATCH body: left out, null or a value.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Patch<T> {
    /// Left out: the field keeps its value.
    #[default]
    Keep,
    /// Null: the field is cleared.
    Clear,
    /// A new value.
    Set(T),
}

impl<T> From<Option<T>> for Patch<T> {
    fn from(given: Option<T>) -> Self {
        given.map_or(Self::Keep, Self::Set)
    }
}

impl std::fmt::Debug for Base64 {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Base64({} bytes)", self.0.len())
    }
}

fn length_problem(text: &str, min: usize, max: usize) -> Option<String> {
    // Bytes bound characters from above, so most texts are settled without counting.
    if text.len() >= min * 4 && text.len() <= max {
        return None;
    }
    let count = text.chars().count();
    if count >= min && count <= max {
        return None;
    }
    Some(if count < min && min == 1 {
        "must not be empty".to_owned()
    } else {
        format!("must have {min} to {max} characters, not {count}")
    })
}

pub(super) fn check_text(text: &str, min: usize, max: usize) -> Result<(), String> {
    let control = |c: &char| c.is_control() && !matches!(c, '\n' | '\r' | '\t' | '\u{c}' | '\u{85}');
    match text.chars().find(control) {
        Some(c) => Err(format!("must not contain the control character U+{:04X}", u32::from(c))),
        None => length_problem(text, min, max).map_or(Ok(()), Err),
    }
}

pub(super) fn check_line(text: &str, min: usize, max: usize) -> Result<(), String> {
    match text.chars().find(|c| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')) {
        Some('\r' | '\n') => Err("must be one line without line breaks".to_owned()),
        Some(c) => Err(format!("must not contain the control character U+{:04X}", u32::from(c))),
        None => length_problem(text, min, max).map_or(Ok(()), Err),
    }
}

pub(super) fn check_label(text: &str) -> Result<(), String> {
    check_line(text, 1, LABEL_CHARS_MAX)?;
    if text.chars().any(|c| c.is_whitespace() || c == ',') {
        return Err("must not contain white space or commas".to_owned());
    }
    Ok(())
}

pub(super) fn string<T>(
    value: &Value,
    path: &str,
    problems: &mut Problems,
    read: impl FnOnce(&str) -> Result<T, String>,
) -> Option<T> {
    match value.as_str().map(read) {
        Some(Ok(read)) => Some(read),
        Some(Err(problem)) => problems.add(path, problem),
        None => expected("a string", value, path, problems),
    }
}

impl<const MIN: usize, const MAX: usize> Wire for Text<MIN, MAX> {
    fn schema() -> Value {
        json!({ "type": "string", "minLength": MIN, "maxLength": MAX })
    }
    fn decode(value: &Value, path: &str, problems: &mut Problems) -> Option<Self> {
        string(value, path, problems, |text| check_text(text, MIN, MAX).map(|()| Self(text.to_owned())))
    }
}

impl<const MIN: usize, const MAX: usize> Wire for Line<MIN, MAX> {
    fn schema() -> Value {
        json!({ "type": "string", "minLength": MIN, "maxLength": MAX })
    }
    fn decode(value: &Value, path: &str, problems: &mut Problems) -> Option<Self> {
        string(value, path, problems, |text| check_line(text, MIN, MAX).map(|()| Self(text.to_owned())))
    }
}

impl Wire for Label {
    fn schema() -> Value {
        json!({ "type": "string", "minLength": 1, "maxLength": LABEL_CHARS_MAX, "pattern": "^[^\\s,]+$" })
    }
    fn decode(value: &Value, path: &str, problems: &mut Problems) -> Option<Self> {
        string(value, path, problems, |text| check_label(text).map(|()| Self(text.to_owned())))
    }
}

impl Wire for OwnLabel {
    fn schema() -> Value {
        Label::schema()
    }
    fn decode(value: &Value, path: &str, problems: &mut Problems) -> Option<Self> {
        string(value, path, problems, |text| {
            check_label(text)?;
            if label::is_system(text) {
                return Err(format!("{text} is a label of the system, which callers neither add nor remove"));
            }
            Ok(Self(text.to_owned()))
        })
    }
}

impl<const LOW: i64, const HIGH: i64> Int<LOW, HIGH> {
    pub(super) fn checked(number: i64) -> Result<Self, String> {
        if (LOW..=HIGH).contains(&number) {
            Ok(Self(number))
        } else {
            Err(format!("must be from {LOW} to {HIGH}, not {number}"))
        }
    }
}

impl<const LOW: i64, const HIGH: i64> Wire for Int<LOW, HIGH> {
    fn schema() -> Value {
        json!({ "type": "integer", "minimum": LOW, "maximum": HIGH })
    }
    fn decode(value: &Value, path: &str, problems: &mut Problems) -> Option<Self> {
        match value.as_i64().map(Self::checked) {
            Some(Ok(number)) => Some(number),
            Some(Err(problem)) => problems.add(path, problem),
            None if value.is_number() => problems.add(path, format!("must be a whole number from {LOW} to {HIGH}")),
            None => expected("a whole number", value, path, problems),
        }
    }
}

impl<T: Wire, const MIN: usize, const MAX: usize> Wire for List<T, MIN, MAX> {
    fn schema() -> Value {
        json!({ "type": "array", "items": T::schema(), "minItems": MIN, "maxItems": MAX })
    }
    fn decode(value: &Value, path: &str, problems: &mut Problems) -> Option<Self> {
        let Some(items) = value.as_array() else { return expected("an array", value, path, problems) };
        if items.len() < MIN || items.len() > MAX {
            return problems.add(path, format!("must have {MIN} to {MAX} items, not {}", items.len()));
        }
        // Every item is looked at, so that every problem is said; `collect` alone would stop at the first.
        let decoded: Vec<Option<T>> =
            items.iter().enumerate().map(|(i, item)| T::decode(item, &format!("{path}[{i}]"), problems)).collect();
        decoded.into_iter().collect::<Option<Vec<T>>>().map(Self)
    }
}

impl Wire for Base64 {
    fn schema() -> Value {
        json!({ "type": "string", "contentEncoding": "base64" })
    }
    fn decode(value: &Value, path: &str, problems: &mut Problems) -> Option<Self> {
        string(value, path, problems, |text| decode_base64(text).map(Self))
    }
}

fn decode_base64(text: &str) -> Result<Vec<u8>, String> {
    const ANY_PADDING: GeneralPurposeConfig =
        GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
    const STANDARD: GeneralPurpose = GeneralPurpose::new(&alphabet::STANDARD, ANY_PADDING);
    const URL_SAFE: GeneralPurpose = GeneralPurpose::new(&alphabet::URL_SAFE, ANY_PADDING);
    let packed: String;
    let text = if text.bytes().any(|b| b.is_ascii_whitespace()) {
        packed = text.split_ascii_whitespace().collect();
        &packed
    } else {
        text
    };
    let engine = if text.bytes().any(|b| matches!(b, b'-' | b'_')) { URL_SAFE } else { STANDARD };
    engine.decode(text).map_err(|e| format!("is not valid base64 ({e})"))
}

impl<T: Wire> Wire for Patch<T> {
    fn schema() -> Value {
        nullable(T::schema())
    }
    fn decode(value: &Value, path: &str, problems: &mut Problems) -> Option<Self> {
        if value.is_null() { Some(Patch::Clear) } else { T::decode(value, path, problems).map(Patch::Set) }
    }
    fn absent() -> Option<Self> {
        Some(Patch::Keep)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_may_have_the_breaks_of_lines_and_pages_and_no_other_control_character() {
        assert_eq!(check_text("a\tb\r\nc\u{c}d\u{85}e", 1, 100), Ok(()));
        for control in ['\0', '\u{b}', '\u{1b}', '\u{7f}', '\u{80}'] {
            let problem = format!("must not contain the control character U+{:04X}", u32::from(control));
            assert_eq!(check_text(&format!("a{control}"), 1, 100), Err(problem));
        }
        assert!(check_line("a\u{c}", 1, 100).is_err());
    }
}
