//! Header fields of a message (RFC 5322 §2.2, RFC 2047): splitting, unfolding, decoding and lookup.
//!
//! Accepts arbitrary bytes: the functions never fail or panic, run in linear time and enforce the limits below. They
//! don't interpret the meaning of a field.

mod block;
mod parameters;
mod words;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use crate::parse::charset::{self, CharsetHints};

pub use block::HeaderFlaw;
pub(crate) use block::{HeaderBlock, field_name};
pub(crate) use parameters::MimeFieldValue;
pub(crate) use words::{decode_words, recode_words};

/// Maximum number of bytes of a header section that are parsed. Mail with a larger one is rejected at the end of DATA.
pub const HEADER_SECTION_BYTES_MAX: usize = 262_144;

/// Maximum number of fields of a header section that are parsed. Mail with more has no author.
pub const HEADER_FIELDS_MAX: usize = 2_000;

/// Maximum length of a field name in bytes, including white space before the colon. Mail with a longer one has no
/// author.
pub const FIELD_NAME_BYTES_MAX: usize = 200;

/// Maximum number of raw bytes of a field value that are decoded.
pub const FIELD_VALUE_BYTES_MAX: usize = 262_144;

/// A header field in its raw form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeaderField<'a> {
    /// The name as written, without surrounding white space; visible ASCII.
    pub name: &'a str,
    /// The raw value after the colon, including folds, without the final line end.
    pub value: &'a [u8],
    /// The byte range of the whole field in the input of [`fields`], including its final line end.
    pub range: Range<usize>,
}

impl HeaderField<'_> {
    /// Returns whether the field has this name, ignoring ASCII case.
    pub fn is(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }

    /// Returns the value unfolded, with decoded encoded words and without control characters (RFC 2047).
    pub fn decoded(&self) -> String {
        decode(self.value)
    }
}

/// Iterator over the fields of a header section, created by [`fields`].
#[derive(Debug, Clone)]
pub struct HeaderFieldIter<'a> {
    entries: block::HeaderEntries<'a>,
}

/// Returns the fields of `raw` in order, up to the first empty line.
///
/// Skips lines that aren't a field (no colon, invalid name) and their continuation lines.
pub fn fields(raw: &[u8]) -> HeaderFieldIter<'_> {
    let raw = raw.get(..HEADER_SECTION_BYTES_MAX).unwrap_or(raw);
    HeaderFieldIter { entries: block::HeaderEntries { raw, position: 0, fields_left: HEADER_FIELDS_MAX } }
}

impl<'a> Iterator for HeaderFieldIter<'a> {
    type Item = HeaderField<'a>;

    fn next(&mut self) -> Option<HeaderField<'a>> {
        self.entries.by_ref().find_map(|entry| entry.field)
    }
}

/// Returns the offset of the body: after the first empty line, or the length of `raw` if it has no empty line.
pub fn body_offset(raw: &[u8]) -> usize {
    let end = block::section_end(raw);
    if end == raw.len() { end } else { line_end(raw, end) }
}

/// Returns the raw header section without the empty line that ends it.
pub fn section(raw: &[u8]) -> &[u8] {
    &raw[..block::section_end(raw)]
}

/// Returns the first field of `raw` with this name.
pub fn first_field<'a>(raw: &'a [u8], name: &str) -> Option<HeaderField<'a>> {
    fields(raw).find(|field| field.is(name))
}

/// Unfolds and trims a raw value: each fold becomes one space, together with the white space around it. The bytes are
/// UTF-8 (RFC 6532 §3.2), or else in the character set that they are most likely in. Control characters except tabs are
/// removed. Encoded words aren't decoded.
pub fn unfold(value: &[u8]) -> Cow<'_, str> {
    unfold_in(value, CharsetHints::default())
}

/// Like [`unfold`], with what the message shows about the character set of raw bytes.
fn unfold_in<'v>(value: &'v [u8], hints: CharsetHints<'_>) -> Cow<'v, str> {
    let value = value.get(..FIELD_VALUE_BYTES_MAX).unwrap_or(value).trim_ascii();
    let text = charset::decode_field(value, hints);
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

/// Unfolds a raw value and decodes its encoded words (RFC 2047). The result is one line without control characters
/// except tabs.
pub fn decode(value: &[u8]) -> String {
    decode_in(value, CharsetHints::default())
}

/// Like [`decode`], with what the message shows about the character set of raw bytes.
pub(crate) fn decode_in(value: &[u8], hints: CharsetHints<'_>) -> String {
    let text = unfold_in(value, hints);
    match words::decode_words_in(&text, hints) {
        Some(decoded) => decoded,
        None => text.into_owned(),
    }
}

/// The decoded header section of a message, in order, with lower-case names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DecodedHeaders {
    fields: Vec<(String, String)>,
}

/// The value of one name in [`DecodedHeaders::map`], which is the form of the `headers` member of a message in the API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HeaderValues<'a> {
    /// The only value of the name; a JSON string.
    One(&'a str),
    /// The values of a repeated name in order; a JSON array.
    Many(Vec<&'a str>),
}

impl DecodedHeaders {
    /// Decodes every field of the header section at the start of `raw`.
    pub fn from_raw(raw: &[u8]) -> Self {
        fields(raw).map(|field| (field.name.to_ascii_lowercase(), field.decoded())).collect()
    }

    /// Decodes parsed fields of a message.
    pub(crate) fn from_fields<'f>(fields: impl Iterator<Item = &'f HeaderField<'f>>, hints: CharsetHints<'_>) -> Self {
        fields.map(|field| (field.name.to_ascii_lowercase(), decode_in(field.value, hints))).collect()
    }

    /// Appends a field and lower-cases its name.
    pub fn push(&mut self, name: &str, value: impl Into<String>) {
        self.fields.push((name.to_ascii_lowercase(), value.into()));
    }

    /// Passes every name and value to a function that may change them.
    pub(crate) fn for_each_mut(&mut self, mut change: impl FnMut(&mut String)) {
        for (name, value) in &mut self.fields {
            change(name);
            change(value);
        }
    }

    /// Returns the first value of this name, ignoring ASCII case.
    pub fn first(&self, name: &str) -> Option<&str> {
        self.iter().find(|(have, _)| have.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// Returns every value of this name in order.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> + 'a {
        self.iter().filter(move |(have, _)| have.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// Returns every field as (lower-case name, value) in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.fields.iter().map(|(name, value)| (&**name, &**value))
    }

    /// Returns the number of fields.
    pub fn len(&self) -> usize {
        self.fields.len()
    }

    /// Returns whether there are no fields.
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    /// Returns the values grouped by name, in the order of the first field of each name.
    pub fn map(&self) -> Vec<(&str, HeaderValues<'_>)> {
        let mut positions: BTreeMap<&str, usize> = BTreeMap::new();
        let mut grouped: Vec<(&str, Vec<&str>)> = Vec::new();
        for (name, value) in self.iter() {
            let position = *positions.entry(name).or_insert_with(|| {
                grouped.push((name, Vec::with_capacity(1)));
                grouped.len() - 1
            });
            grouped[position].1.push(value);
        }
        grouped
            .into_iter()
            .map(|(name, values)| match values[..] {
                [one] => (name, HeaderValues::One(one)),
                _ => (name, HeaderValues::Many(values)),
            })
            .collect()
    }
}

impl FromIterator<(String, String)> for DecodedHeaders {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(iter: I) -> Self {
        let fields = iter.into_iter().collect();
        DecodedHeaders { fields }
    }
}

/// Returns the exclusive end of the line that begins at `start`, including its line end.
pub(crate) fn line_end(raw: &[u8], start: usize) -> usize {
    memchr::memchr(b'\n', &raw[start..]).map_or(raw.len(), |offset| start + offset + 1)
}

/// Returns whether a line, including its line end, is empty.
pub(crate) fn is_blank(line: &[u8]) -> bool {
    matches!(line, b"\n" | b"\r\n" | b"")
}

fn without_line_end(value: &[u8]) -> &[u8] {
    let value = value.strip_suffix(b"\n").unwrap_or(value);
    value.strip_suffix(b"\r").unwrap_or(value)
}

#[cfg(test)]
mod tests;
