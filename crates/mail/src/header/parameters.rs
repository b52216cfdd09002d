//! Parameters of a MIME field value: `; name=value; name="value"` (RFC 2045 §5.1, RFC 2231). Never fails: an unclosed
//! quote extends to the end of the text. Runs in linear time. Comments aren't supported.

use crate::parse::{charset, transfer};

/// A parameter as written in the field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MimeParameter {
    /// The name in lower case, including the asterisks of RFC 2231; may be any text.
    pub(crate) name: String,
    /// The value without quotes and escapes.
    pub(crate) value: String,
}

/// Iterator over the parameters of a field, created by [`parameters`].
#[derive(Debug, Clone)]
pub(crate) struct MimeParameters<'a> {
    rest: &'a str,
}

/// Returns the parameters of an unfolded value in order: everything after its first semicolon. Words without `=` are
/// skipped.
pub(crate) fn parameters(value: &str) -> MimeParameters<'_> {
    MimeParameters { rest: after_semicolon(value) }
}

impl Iterator for MimeParameters<'_> {
    type Item = MimeParameter;

    fn next(&mut self) -> Option<MimeParameter> {
        while !self.rest.is_empty() {
            let end = self.rest.find(['=', ';']).unwrap_or(self.rest.len());
            let (name, tail) = self.rest.split_at(end);
            let Some(tail) = tail.strip_prefix('=') else {
                self.rest = after_semicolon(tail);
                continue;
            };
            let (value, rest) = parse_value(tail.trim_start());
            self.rest = rest;
            return Some(MimeParameter { name: name.trim().to_ascii_lowercase(), value });
        }
        None
    }
}

/// Returns the extended form of a parameter: `name*=UTF-8''…` (RFC 2231 §4), or else its sections `name*0*=`, `name*1=`
/// (§3), joined in numerical order. Returns `None` if the field contains neither.
pub(crate) fn extended(value: &str, name: &str) -> Option<String> {
    let mut sections: Vec<ParameterSection> = Vec::new();
    // The number of sections is bounded by the length of an unfolded field.
    for parameter in parameters(value) {
        let Some(star) = parameter.name.strip_prefix(name).and_then(|tail| tail.strip_prefix('*')) else {
            continue;
        };
        if star.is_empty() {
            sections = vec![ParameterSection { number: 0, is_encoded: true, text: parameter.value }];
            break;
        }
        let digits = star.strip_suffix('*').unwrap_or(star);
        if let Ok(number) = digits.parse() {
            sections.push(ParameterSection { number, is_encoded: digits.len() < star.len(), text: parameter.value });
        }
    }
    sections.sort_by_key(|section| section.number);
    sections.dedup_by_key(|section| section.number);
    let text = join_sections(&sections);
    Some(text).filter(|text| !text.is_empty())
}

/// A section of an extended parameter (RFC 2231 §3).
struct ParameterSection {
    number: u32,
    /// Whether the text is percent-encoded.
    is_encoded: bool,
    text: String,
}

/// Joins sections as bytes, because a character may be split between two sections.
fn join_sections(sections: &[ParameterSection]) -> String {
    let mut label = None;
    let mut bytes = Vec::new();
    for (index, section) in sections.iter().enumerate() {
        let mut text = &*section.text;
        if !section.is_encoded {
            bytes.extend_from_slice(text.as_bytes());
            continue;
        }
        let mut quotes = text.splitn(3, '\'');
        if let (0, Some(stated), Some(_), Some(rest)) = (index, quotes.next(), quotes.next(), quotes.next()) {
            label = Some(stated);
            text = rest;
        }
        push_percent_decoded(text, &mut bytes);
    }
    let text = charset::decode(label, &bytes);
    // Some mailers violate RFC 2047 §5 and split an encoded word into sections.
    super::decode_words(&text).unwrap_or_else(|| text.into_owned())
}

fn push_percent_decoded(text: &str, out: &mut Vec<u8>) {
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        match (first, transfer::hex_pair(tail)) {
            (b'%', Some(byte)) => {
                out.push(byte);
                rest = &tail[2..];
            }
            _ => {
                out.push(*first);
                rest = tail;
            }
        }
    }
}

/// Returns the value at the start of `text`, and the text after the semicolon that ends it.
fn parse_value(text: &str) -> (String, &str) {
    let Some(quoted) = text.strip_prefix('"') else {
        let value = text.split(';').next().unwrap_or_default();
        return (value.trim_end().to_owned(), after_semicolon(&text[value.len()..]));
    };
    let mut value = String::new();
    let mut rest = quoted.chars();
    while let Some(next) = rest.next() {
        match next {
            '"' => break,
            '\\' => value.extend(rest.next()),
            other => value.push(other),
        }
    }
    (value, after_semicolon(rest.as_str()))
}

fn after_semicolon(text: &str) -> &str {
    text.split_once(';').map_or("", |(_, rest)| rest)
}
