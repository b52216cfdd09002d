//! Header fields of a message (RFC 5322 §2.2, RFC 2047): finding, unfolding, decoding, looking up.
//!
//! Works on bytes of any quality: it never fails and never panics, reads every byte a bounded number of times
//! and obeys the limits named below. It never judges what a field means; the modules above do.

mod block;
mod parameters;
mod words;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

pub use block::HeaderFlaw;
pub(crate) use block::{Block, field_name};
pub(crate) use parameters::{extended, parameters};
pub(crate) use words::{decode_words, recode_words};

/// Most bytes of a header section that are read for fields. Mail with a larger one is refused at the end of DATA.
pub const HEADER_SECTION_BYTES_MAX: usize = 262_144;

/// Most fields of one header section that are read. Mail with more has no author.
pub const HEADER_FIELDS_MAX: usize = 2_000;

/// Longest field name in bytes, blanks before the colon included. Mail with a longer one has no author.
pub const FIELD_NAME_BYTES_MAX: usize = 200;

/// Most raw bytes of one field's value that are decoded.
pub const FIELD_VALUE_BYTES_MAX: usize = 262_144;

/// One header field as it stands in the raw bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field<'a> {
    /// The name as written, without white space around it; visible ASCII.
    pub name: &'a str,
    /// The raw value after the colon, folds included, without the last line end.
    pub value: &'a [u8],
    /// Where the whole field (name to last line end, inclusive) lies in the bytes given to [`fields`].
    pub range: Range<usize>,
}

impl Field<'_> {
    /// Whether the field has this name (ASCII case does not matter).
    pub fn is(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }

    /// The value unfolded, its encoded words decoded, control characters gone (RFC 2047).
    pub fn decoded(&self) -> String {
        decode(self.value)
    }
}

/// Iterator over the fields of a header section; made by [`fields`].
#[derive(Debug, Clone)]
pub struct Fields<'a> {
    entries: block::Entries<'a>,
}

/// The fields from the first byte of `raw` to the first empty line, in order.
///
/// Lines that are not a field (no colon, bad name) are skipped with the lines that continue them.
pub fn fields(raw: &[u8]) -> Fields<'_> {
    let raw = raw.get(..HEADER_SECTION_BYTES_MAX).unwrap_or(raw);
    Fields { entries: block::Entries { raw, position: 0, fields_left: HEADER_FIELDS_MAX } }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Field<'a>;

    fn next(&mut self) -> Option<Field<'a>> {
        self.entries.by_ref().find_map(|entry| entry.field)
    }
}

/// Offset of the first byte of the body: just behind the first empty line, or the length when there is none.
pub fn body_offset(raw: &[u8]) -> usize {
    let end = block::section_end(raw);
    if end == raw.len() { end } else { line_end(raw, end) }
}

/// The raw header section, without the empty line that ends it.
pub fn section(raw: &[u8]) -> &[u8] {
    &raw[..block::section_end(raw)]
}

/// The first field of `raw` with this name.
pub fn first_field<'a>(raw: &'a [u8], name: &str) -> Option<Field<'a>> {
    fields(raw).find(|field| field.is(name))
}

/// A raw value unfolded (each fold with the white space around it is one space) and trimmed; bytes that are not
/// UTF-8 are read as windows-1252, control characters other than tab are dropped. Encoded words stay as they are.
pub fn unfold(value: &[u8]) -> Cow<'_, str> {
    let value = value.get(..FIELD_VALUE_BYTES_MAX).unwrap_or(value).trim_ascii();
    let text = match std::str::from_utf8(value) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => encoding_rs::WINDOWS_1252.decode_without_bom_handling(value).0,
    };
    if !text.chars().any(|c| c.is_control() && c != '\t') {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    let mut after_fold = false;
    for c in text.chars() {
        match c {
            '\n' => {
                out.truncate(out.trim_end_matches([' ', '\t']).len());
                after_fold = true;
            }
            ' ' | '\t' if after_fold => {}
            c if c.is_control() && c != '\t' => {}
            c => {
                if after_fold {
                    out.push(' ');
                    after_fold = false;
                }
                out.push(c);
            }
        }
    }
    Cow::Owned(out)
}

/// A raw value unfolded and with its encoded words decoded (RFC 2047); one line, no control characters but tab.
pub fn decode(value: &[u8]) -> String {
    let text = unfold(value);
    match decode_words(&text) {
        Some(decoded) => decoded,
        None => text.into_owned(),
    }
}

/// The decoded header section of one message, in order, names in lower case.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Headers {
    fields: Vec<(String, String)>,
}

/// Value of one name in the map form of a message's `headers` member (contract §4.1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MapValue<'a> {
    /// The name occurs once: a string.
    One(&'a str),
    /// The name is repeated: an array, in the order of the mail.
    Many(Vec<&'a str>),
}

impl Headers {
    /// Decodes every field of the header section at the start of `raw`.
    pub fn from_raw(raw: &[u8]) -> Self {
        fields(raw).map(|field| (field.name.to_ascii_lowercase(), field.decoded())).collect()
    }

    /// Decodes these fields.
    pub(crate) fn from_fields<'f>(fields: impl Iterator<Item = &'f Field<'f>>) -> Self {
        fields.map(|field| (field.name.to_ascii_lowercase(), field.decoded())).collect()
    }

    /// Adds a field at the end; the name is lower-cased.
    pub fn push(&mut self, name: &str, value: impl Into<String>) {
        self.fields.push((name.to_ascii_lowercase(), value.into()));
    }

    /// The first value of this name (ASCII case does not matter).
    pub fn first(&self, name: &str) -> Option<&str> {
        self.iter().find(|(have, _)| have.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// Every value of this name, in order.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> + 'a {
        self.iter().filter(move |(have, _)| have.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// Every (lower-case name, value), in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.fields.iter().map(|(name, value)| (&**name, &**value))
    }

    /// Number of fields.
    pub fn len(&self) -> usize {
        self.fields.len()
    }

    /// Whether there is no field.
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    /// Map form: each name once, in the order of its first field.
    pub fn map(&self) -> Vec<(&str, MapValue<'_>)> {
        let mut places: BTreeMap<&str, usize> = BTreeMap::new();
        let mut grouped: Vec<(&str, Vec<&str>)> = Vec::new();
        for (name, value) in self.iter() {
            let place = *places.entry(name).or_insert_with(|| {
                grouped.push((name, Vec::with_capacity(1)));
                grouped.len() - 1
            });
            grouped[place].1.push(value);
        }
        grouped
            .into_iter()
            .map(|(name, values)| match values[..] {
                [one] => (name, MapValue::One(one)),
                _ => (name, MapValue::Many(values)),
            })
            .collect()
    }
}

impl FromIterator<(String, String)> for Headers {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(iter: I) -> Self {
        let fields = iter.into_iter().collect();
        Headers { fields }
    }
}

/// End (exclusive, line end included) of the line that begins at `start`.
pub(crate) fn line_end(raw: &[u8], start: usize) -> usize {
    memchr::memchr(b'\n', &raw[start..]).map_or(raw.len(), |offset| start + offset + 1)
}

/// Whether a line (with its line end) is empty.
pub(crate) fn is_blank(line: &[u8]) -> bool {
    matches!(line, b"\n" | b"\r\n" | b"")
}

fn without_line_end(value: &[u8]) -> &[u8] {
    let value = value.strip_suffix(b"\n").unwrap_or(value);
    value.strip_suffix(b"\r").unwrap_or(value)
}

#[cfg(test)]
mod tests;
