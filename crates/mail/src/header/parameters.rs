//! Parameters of a MIME field value: `; name=value; name="value"` (RFC 2045 §5.1, RFC 2231). Never fails: a quote that is
//! not closed ends with the text. Every character is read once. Comments are not known here.

use crate::parse::{charset, transfer};

/// One parameter as it stands in the field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Parameter {
    /// The name in lower case, with the stars of RFC 2231; may be any text.
    pub(crate) name: String,
    /// The value without its quotes and escapes.
    pub(crate) value: String,
}

/// Iterator over the parameters of a field; made by [`parameters`].
#[derive(Debug, Clone)]
pub(crate) struct Parameters<'a> {
    rest: &'a str,
}

/// The parameters of an unfolded value, in order: what stands behind its first semicolon. Words without `=` are none.
pub(crate) fn parameters(value: &str) -> Parameters<'_> {
    Parameters { rest: after_semicolon(value) }
}

impl Iterator for Parameters<'_> {
    type Item = Parameter;

    fn next(&mut self) -> Option<Parameter> {
        while !self.rest.is_empty() {
            let end = self.rest.find(['=', ';']).unwrap_or(self.rest.len());
            let (name, tail) = self.rest.split_at(end);
            let Some(tail) = tail.strip_prefix('=') else {
                self.rest = after_semicolon(tail);
                continue;
            };
            let (value, rest) = value(tail.trim_start());
            self.rest = rest;
            return Some(Parameter { name: name.trim().to_ascii_lowercase(), value });
        }
        None
    }
}

/// The value of a parameter in its extended form: `name*=UTF-8''…` (RFC 2231 §4), else its sections `name*0*=`, `name*1=`
/// (§3) put together in the order of their numbers. `None` where the field holds neither.
pub(crate) fn extended(value: &str, name: &str) -> Option<String> {
    let mut sections: Vec<(u32, bool, String)> = Vec::new();
    // Sections are bounded by the length of an unfolded field.
    for parameter in parameters(value) {
        let Some(star) = parameter.name.strip_prefix(name).and_then(|tail| tail.strip_prefix('*')) else {
            continue;
        };
        if star.is_empty() {
            sections = vec![(0, true, parameter.value)];
            break;
        }
        let number = star.strip_suffix('*').unwrap_or(star);
        if let Ok(at) = number.parse() {
            sections.push((at, number.len() < star.len(), parameter.value));
        }
    }
    sections.sort_by_key(|(at, ..)| *at);
    sections.dedup_by_key(|(at, ..)| *at);
    let text = joined(&sections);
    Some(text).filter(|text| !text.is_empty())
}

/// Sections are joined as bytes: a character may begin in one and end in the next.
fn joined(sections: &[(u32, bool, String)]) -> String {
    let mut label = None;
    let mut bytes = Vec::new();
    for (index, (_, is_encoded, text)) in sections.iter().enumerate() {
        let mut text = &**text;
        if !is_encoded {
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
    // Against RFC 2047 §5 some mailers cut an encoded word into sections.
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

/// The value at the start of `text`, and what stands behind the semicolon that ends it.
fn value(text: &str) -> (String, &str) {
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
