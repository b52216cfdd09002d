//! Value types: bounded text, numbers, lists, base64, and members of PATCH bodies.

use base64::{
    Engine, alphabet,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};
use serde_json::{Value, json};

use super::{BodyValue, Problems, expected, nullable};

/// The largest `maxLength` in a schema. A longer text exceeds the request body first, which has a limit of its own.
const SCHEMA_LENGTH_MAX: usize = 1024 * 1024;

/// The characters that [`check_shown_name`] refuses, for a character class.
macro_rules! hidden {
    () => {
        concat!(
            r"\u0000-\u001F\u007F-\u009F\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180E\u200B\u200E\u200F",
            r"\u2028-\u202E\u2060-\u206F\u2800\u3164\uFEFF\uFFA0\uFFF0-\uFFFB",
            "\u{E0000}-\u{E00FF}"
        )
    };
}

// The characters that the checks below accept, as patterns of JSON Schema (ECMA-262).
/// Of [`check_text`].
const TEXT_PATTERN: &str = r"^[^\u0000-\u0008\u000B\u000E-\u001F\u007F-\u0084\u0086-\u009F]*$";
/// Of [`check_line`].
const LINE_PATTERN: &str = r"^[^\u0000-\u001F\u007F-\u009F\u2028\u2029]*$";
/// Of [`check_line`] if the line can't be empty: at least one character is not white space.
const FILLED_LINE_PATTERN: &str = r"^[^\u0000-\u001F\u007F-\u009F\u2028\u2029]*[^\u0000-\u0020\u007F-\u00A0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000][^\u0000-\u001F\u007F-\u009F\u2028\u2029]*$";
/// Of [`check_shown_name`]. Its last range is written as characters, because engines spell escapes beyond U+FFFF
/// differently.
const SHOWN_NAME_PATTERN: &str = concat!(
    r"^[^",
    hidden!(),
    r"]*[^",
    hidden!(),
    r"\u0020\u00A0\u1680\u2000-\u200A\u200C\u200D\u202F\u205F\u3000][^",
    hidden!(),
    r"]*$"
);
/// Text of `MIN` to `MAX` characters, without control characters except tabs, line breaks, form feeds (U+000C) and next
/// lines (U+0085).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BoundedText<const MIN: usize, const MAX: usize>(pub String);

/// One line of `MIN` to `MAX` characters, without control characters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BoundedLine<const MIN: usize, const MAX: usize>(pub String);

/// A name that strangers read, of 1 to `MAX` characters: a line with something to see, without characters that are
/// invisible or turn the text around. Emoji keep their joiners.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ShownName<const MAX: usize>(pub String);

/// An integer from `LOW` to `HIGH`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BoundedInt<const LOW: i64, const HIGH: i64>(pub i64);

/// An array of `MIN` to `MAX` items.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BoundedList<T, const MIN: usize, const MAX: usize>(pub Vec<T>);

/// Up to `MAX` comma-separated values of one query parameter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CommaList<T, const MAX: usize>(pub Vec<T>);

/// Bytes in base64, in the standard or URL-safe alphabet, with or without padding and line breaks.
#[derive(Clone, PartialEq, Eq)]
pub struct Base64(pub Vec<u8>);

/// A member of a PATCH body: absent, null or a value.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Patch<T> {
    /// Absent: the field keeps its value.
    #[default]
    Keep,
    /// Null: the field is cleared.
    Clear,
    /// A new value.
    Set(T),
}

/// The problem of null in a [`Replacement`].
const NULL_REPLACEMENT: &str = "must not be null; leave it out";

/// A member of a PATCH body that always has a value: absent or a new value. Null is refused, because nothing can be cleared.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Replacement<T>(pub Option<T>);

impl<T> Patch<T> {
    /// Returns the new value of an optional field; `None` if it keeps its value.
    #[must_use]
    pub fn change(self) -> Option<Option<T>> {
        match self {
            Patch::Keep => None,
            Patch::Clear => Some(None),
            Patch::Set(value) => Some(Some(value)),
        }
    }
}

impl<T> From<Option<T>> for Patch<T> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Keep, Self::Set)
    }
}

impl std::fmt::Debug for Base64 {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Base64({} bytes)", self.0.len())
    }
}

fn length_problem(text: &str, min: usize, max: usize) -> Option<String> {
    // A text has at most as many characters as bytes, so most texts need no count.
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

/// Returns the schema of what [`check_line`] accepts.
pub(super) fn line_schema(min: usize, max: usize) -> Value {
    let pattern = if min == 0 { LINE_PATTERN } else { FILLED_LINE_PATTERN };
    json!({ "type": "string", "minLength": min, "maxLength": max, "pattern": pattern })
}

pub(super) fn check_text(text: &str, min: usize, max: usize) -> Result<(), String> {
    if is_plain(text) {
        return length_problem(text, min, max).map_or(Ok(()), Err);
    }
    let control = |c: &char| c.is_control() && !matches!(c, '\n' | '\r' | '\t' | '\u{c}' | '\u{85}');
    match text.chars().find(control) {
        Some(c) => Err(format!("must not contain the control character U+{:04X}", u32::from(c))),
        None => length_problem(text, min, max).map_or(Ok(()), Err),
    }
}

/// Returns whether a text has only printable ASCII characters, tabs and line breaks. Looks at every byte without
/// branches, which compilers turn into vector instructions: bodies are long.
fn is_plain(text: &str) -> bool {
    text.bytes().fold(true, |plain, byte| {
        plain & (matches!(byte, b' '..=b'~') | matches!(byte, b'\n') | matches!(byte, b'\r') | matches!(byte, b'\t'))
    })
}

pub(super) fn check_line(text: &str, min: usize, max: usize) -> Result<(), String> {
    match text.chars().find(|c| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')) {
        Some('\r' | '\n') => Err("must be one line without line breaks".to_owned()),
        Some(c) => Err(format!("must not contain the control character U+{:04X}", u32::from(c))),
        None if min > 0 && !text.is_empty() && text.trim().is_empty() => Err("must not be blank".to_owned()),
        None => length_problem(text, min, max).map_or(Ok(()), Err),
    }
}

/// Returns whether a character has no glyph of its own, or changes how its neighbors are ordered or shown: format
/// controls except the joiners of emoji and scripts, fillers, and tags.
fn is_hidden(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180e}'
        | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{2800}'
        | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{e0000}'..='\u{e00ff}')
}

fn check_shown_name(text: &str, max: usize) -> Result<(), String> {
    check_line(text, 1, max)?;
    if let Some(c) = text.chars().find(|c| is_hidden(*c)) {
        return Err(format!("must not contain the invisible character U+{:04X}", u32::from(c)));
    }
    if text.chars().all(|c| c.is_whitespace() || matches!(c, '\u{200c}' | '\u{200d}')) {
        return Err("must not be blank".to_owned());
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

impl<const MIN: usize, const MAX: usize> BodyValue for BoundedText<MIN, MAX> {
    fn schema() -> Value {
        let mut schema = json!({ "type": "string", "minLength": MIN, "pattern": TEXT_PATTERN });
        if MAX <= SCHEMA_LENGTH_MAX {
            schema["maxLength"] = MAX.into();
        }
        schema
    }
    fn decode(value: &Value, path: &str, problems: &mut Problems) -> Option<Self> {
        string(value, path, problems, |text| check_text(text, MIN, MAX).map(|()| Self(text.to_owned())))
    }
}

impl<const MIN: usize, const MAX: usize> BodyValue for BoundedLine<MIN, MAX> {
    fn schema() -> Value {
        line_schema(MIN, MAX)
    }
    fn decode(value: &Value, path: &str, problems: &mut Problems) -> Option<Self> {
        string(value, path, problems, |text| check_line(text, MIN, MAX).map(|()| Self(text.to_owned())))
    }
}

impl<const MAX: usize> BodyValue for ShownName<MAX> {
    fn schema() -> Value {
        json!({ "type": "string", "minLength": 1, "maxLength": MAX, "pattern": SHOWN_NAME_PATTERN })
    }
    fn decode(value: &Value, path: &str, problems: &mut Problems) -> Option<Self> {
        string(value, path, problems, |text| check_shown_name(text, MAX).map(|()| Self(text.to_owned())))
    }
}

impl<const LOW: i64, const HIGH: i64> BoundedInt<LOW, HIGH> {
    pub(super) fn checked(number: i64) -> Result<Self, String> {
        if (LOW..=HIGH).contains(&number) {
            Ok(Self(number))
        } else {
            Err(format!("must be between {LOW} and {HIGH}, not {number}"))
        }
    }
}

impl<const LOW: i64, const HIGH: i64> BodyValue for BoundedInt<LOW, HIGH> {
    fn schema() -> Value {
        json!({ "type": "integer", "minimum": LOW, "maximum": HIGH })
    }
    fn decode(value: &Value, path: &str, problems: &mut Problems) -> Option<Self> {
        match value.as_i64().map(Self::checked) {
            Some(Ok(number)) => Some(number),
            Some(Err(problem)) => problems.add(path, problem),
            None if value.is_number() => problems.add(path, format!("must be a whole number between {LOW} and {HIGH}")),
            None => expected("a whole number", value, path, problems),
        }
    }
}

impl<T: BodyValue, const MIN: usize, const MAX: usize> BodyValue for BoundedList<T, MIN, MAX> {
    fn schema() -> Value {
        json!({ "type": "array", "items": T::schema(), "minItems": MIN, "maxItems": MAX })
    }
    fn decode(value: &Value, path: &str, problems: &mut Problems) -> Option<Self> {
        let Some(items) = value.as_array() else { return expected("an array", value, path, problems) };
        if items.len() < MIN || items.len() > MAX {
            return problems.add(path, format!("must have {MIN} to {MAX} items, not {}", items.len()));
        }
        // Decode every item to report all problems; collecting directly would stop at the first.
        let decoded: Vec<Option<T>> =
            items.iter().enumerate().map(|(i, item)| T::decode(item, &format!("{path}[{i}]"), problems)).collect();
        decoded.into_iter().collect::<Option<Vec<T>>>().map(Self)
    }
}

impl BodyValue for Base64 {
    fn schema() -> Value {
        json!({ "type": "string", "title": "Base64", "contentEncoding": "base64", "pattern": base64_pattern() })
    }
    fn decode(value: &Value, path: &str, problems: &mut Problems) -> Option<Self> {
        string(value, path, problems, |text| decode_base64(text).map(Self))
    }
}

/// Returns the pattern of what [`decode_base64`] accepts: groups of four characters, then the rest with unused bits of
/// zero and any number of the padding characters that belong there (RFC 4648 §3.5, §4, §5), with white space anywhere.
fn base64_pattern() -> String {
    const BLANK: &str = r"[\t\n\f\r ]*";
    let alphabet = |more: &str| {
        let any = format!("[A-Za-z0-9{more}]{BLANK}");
        let pad = format!("={BLANK}");
        format!(
            "{BLANK}(?:{any}{any}{any}{any})*\
             (?:{any}[AQgw]{BLANK}(?:{pad}){{0,2}}|{any}{any}[AEIMQUYcgkosw048]{BLANK}(?:{pad})?)?"
        )
    };
    format!("^(?:{}|{})$", alphabet("+/"), alphabet("_-"))
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

impl<T: BodyValue> BodyValue for Patch<T> {
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

impl<T: BodyValue> BodyValue for Replacement<T> {
    fn schema() -> Value {
        T::schema()
    }
    fn decode(value: &Value, path: &str, problems: &mut Problems) -> Option<Self> {
        if value.is_null() {
            return problems.add(path, NULL_REPLACEMENT);
        }
        T::decode(value, path, problems).map(|value| Self(Some(value)))
    }
    fn absent() -> Option<Self> {
        Some(Self(None))
    }
}

#[cfg(test)]
mod tests;
