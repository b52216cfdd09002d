//! The value and parameters of a MIME field: `value; name=value; name="value"` (RFC 2045 §5.1, RFC 2231).
//!
//! Never fails and runs in linear time. Accepts what mail programs write: folds, blanks and comments around every
//! separator, missing semicolons, unquoted values with blanks, quotation marks without escape inside a quoted value.

use crate::parse::{charset, transfer};

/// A MIME field value, split into its parts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct MimeFieldValue {
    /// The text before the first parameter, without blanks and comments.
    pub(crate) value: String,
    /// The parameters in order.
    pub(crate) parameters: Vec<MimeParameter>,
}

/// A parameter as written in the field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MimeParameter {
    /// The name in lower case, including the asterisks of RFC 2231; may be any text.
    pub(crate) name: String,
    /// The value without quotes and escapes.
    pub(crate) value: String,
}

impl MimeFieldValue {
    /// Parses an unfolded value.
    pub(crate) fn parse(text: &str) -> Self {
        let mut field = MimeFieldValue::default();
        let mut scanner = FieldScanner { rest: text, has_comments: true };
        let mut in_value = true;
        // The words since the last separator; several words aren't a name.
        let mut name = String::new();
        loop {
            scanner.skip_comments();
            if let Some(after) = scanner.rest.strip_prefix(';') {
                (scanner.rest, in_value) = (after, false);
                name.clear();
                continue;
            }
            if scanner.rest.is_empty() {
                return field;
            }
            let word = scanner.word();
            scanner.skip_comments();
            if let Some(after) = scanner.rest.strip_prefix('=') {
                scanner.rest = after;
                name.push_str(&word.to_ascii_lowercase());
                let parameter = MimeParameter { name: std::mem::take(&mut name), value: scanner.value() };
                field.parameters.push(parameter);
                in_value = false;
            } else if in_value {
                field.value.push_str(word.trim_matches('"'));
            } else {
                name.push_str(word);
                name.push(' ');
            }
        }
    }

    /// Returns a parameter, decoded. `name` must be in lower case.
    ///
    /// The extended form takes precedence, whatever the order (RFC 2231, RFC 6266 §4.3): `name*=UTF-8''…`, or else the
    /// sections `name*0*=`, `name*1=`, joined in numerical order.
    /// Returns `None` if it is missing or empty.
    pub(crate) fn parameter(&self, name: &str) -> Option<String> {
        let plain = || {
            let plain = self.parameters.iter().find(|parameter| parameter.name == name)?;
            Some(super::decode_words(&plain.value).unwrap_or_else(|| plain.value.clone()))
        };
        self.extended(name).or_else(plain).filter(|value| !value.is_empty())
    }

    fn extended(&self, name: &str) -> Option<String> {
        let mut sections: Vec<ParameterSection<'_>> = Vec::new();
        // The number of sections is bounded by the length of an unfolded field.
        for parameter in &self.parameters {
            let Some(star) = parameter.name.strip_prefix(name).and_then(|tail| tail.strip_prefix('*')) else {
                continue;
            };
            if star.is_empty() {
                sections = vec![ParameterSection { number: 0, is_encoded: true, text: &parameter.value }];
                break;
            }
            let digits = star.strip_suffix('*').unwrap_or(star);
            if let Ok(number) = digits.parse() {
                let is_encoded = digits.len() < star.len();
                sections.push(ParameterSection { number, is_encoded, text: &parameter.value });
            }
        }
        sections.sort_by_key(|section| section.number);
        sections.dedup_by_key(|section| section.number);
        let text = join_sections(&sections);
        Some(text).filter(|text| !text.is_empty())
    }
}

/// A section of an extended parameter (RFC 2231 §3).
struct ParameterSection<'a> {
    number: u32,
    /// Whether the text is percent-encoded.
    is_encoded: bool,
    text: &'a str,
}

/// Joins sections as bytes, because a character may be split between two sections.
fn join_sections(sections: &[ParameterSection<'_>]) -> String {
    let mut label = None;
    let mut bytes = Vec::new();
    for (index, section) in sections.iter().enumerate() {
        if !section.is_encoded {
            bytes.extend_from_slice(section.text.as_bytes());
            continue;
        }
        let text = match index {
            0 => {
                let (stated, text) = split_charset(section.text);
                label = stated;
                text
            }
            _ => section.text,
        };
        push_percent_decoded(text.trim_matches('"'), &mut bytes);
    }
    let text = charset::decode(label, &bytes);
    // Some mailers violate RFC 2047 §5 and split an encoded word into sections.
    super::decode_words(&text).unwrap_or_else(|| text.into_owned())
}

/// Splits `charset'language'text` (RFC 2231 §4). Some mailers omit the language with its quote, or both quotes; a text
/// before a single quote counts as a character set only if it is the name of one.
fn split_charset(text: &str) -> (Option<&str>, &str) {
    let Some((label, rest)) = text.split_once('\'') else {
        return (None, text);
    };
    match rest.split_once('\'') {
        Some((language, after)) if is_language(language) => (Some(label), after),
        _ if charset::is_known(label) => (Some(label), rest),
        _ => (None, text),
    }
}

/// Returns whether the text may be a language tag (RFC 5646 §2.1) or is empty.
fn is_language(text: &str) -> bool {
    text.len() <= 35 && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
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

/// Returns the length of the comment at the start of `text` (RFC 5322 §3.2.2).
fn comment_length(text: &str) -> Option<usize> {
    if !text.starts_with('(') {
        return None;
    }
    let mut depth = 0_usize;
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'(' => depth += 1,
            b')' if depth == 1 => return Some(at + 1),
            b')' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// The unread rest of a field value.
struct FieldScanner<'a> {
    rest: &'a str,
    /// Cleared at the first parenthesis that is never closed: from there on, parentheses are text. So no text is
    /// searched twice.
    has_comments: bool,
}

impl<'a> FieldScanner<'a> {
    /// Skips blanks and comments.
    fn skip_comments(&mut self) {
        self.rest = self.rest.trim_start();
        while self.skip_comment() {
            self.rest = self.rest.trim_start();
        }
    }

    /// Skips the comment that begins here. Returns whether there was one.
    fn skip_comment(&mut self) -> bool {
        if !self.has_comments || !self.rest.starts_with('(') {
            return false;
        }
        let length = comment_length(self.rest);
        self.has_comments = length.is_some();
        self.rest = &self.rest[length.unwrap_or(0)..];
        length.is_some()
    }

    /// Reads a word of at least one character.
    fn word(&mut self) -> &'a str {
        let first = self.rest.chars().next().map_or(0, char::len_utf8);
        let ends = |c: char| c.is_whitespace() || matches!(c, ';' | '=' | '(');
        let length = self.rest[first..].find(ends).map_or(self.rest.len(), |at| first + at);
        self.take(length)
    }

    fn take(&mut self, length: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(length);
        self.rest = rest;
        taken
    }

    /// Reads the value after the `=` of a parameter.
    fn value(&mut self) -> String {
        self.skip_comments();
        match self.rest.strip_prefix('"') {
            Some(quoted) => {
                self.rest = quoted;
                self.quoted()
            }
            None => without_single_quotes(self.unquoted()).to_owned(),
        }
    }

    /// Reads a quoted value, after its opening quotation mark. A mark closes the value if a separator or a
    /// parameter follows it, or if no other mark precedes the next semicolon. A value that is never closed ends at the first semicolon.
    fn quoted(&mut self) -> String {
        let mut value = String::new();
        let mut chars = self.rest.char_indices();
        while let Some((at, next)) = chars.next() {
            match next {
                '"' if closes_quote(&self.rest[at + 1..]) => {
                    self.rest = &self.rest[at + 1..];
                    return value;
                }
                '\\' => value.extend(chars.next().map(|(_, escaped)| escaped)),
                other => value.push(other),
            }
        }
        let length = self.rest.find(';').unwrap_or(self.rest.len());
        self.take(length).trim_end().to_owned()
    }

    /// Reads an unquoted value: up to a semicolon, or up to the name of a parameter that lacks its semicolon. A comment
    /// at its end isn't part of it; inside, as in `report (1).pdf`, parentheses are text.
    fn unquoted(&mut self) -> &'a str {
        let text = self.rest;
        let mut end = 0;
        while !self.rest.is_empty() && !self.rest.starts_with(';') {
            if end > 0 && self.skip_comment() {
                let is_inside = self.rest.starts_with(|c: char| !c.is_whitespace() && c != ';');
                end = if is_inside { text.len() - self.rest.len() } else { end };
                continue;
            }
            if self.rest.starts_with(char::is_whitespace) {
                self.rest = self.rest.trim_start();
                if begins_parameter(self.rest) {
                    break;
                }
                continue;
            }
            let separator = |(at, c): &(usize, char)| *at > 0 && (c.is_whitespace() || matches!(c, ';' | '('));
            let length = self.rest.char_indices().find(separator).map_or(self.rest.len(), |(at, _)| at);
            self.take(length);
            end = text.len() - self.rest.len();
        }
        &text[..end]
    }
}

/// Returns whether the quotation mark before `after` closes its value.
fn closes_quote(after: &str) -> bool {
    let next = after.trim_start();
    next.is_empty()
        || next.starts_with([';', '('])
        || next.len() < after.len() && begins_parameter(next)
        || after.find(['"', ';']).is_none_or(|at| after[at..].starts_with(';'))
}

/// Returns whether `text` begins with the name of a parameter and its `=`.
fn begins_parameter(text: &str) -> bool {
    const NAME_BYTES_MAX: usize = 32;
    let name =
        text.bytes().take(NAME_BYTES_MAX).take_while(|byte| byte.is_ascii_alphanumeric() || b"*-_".contains(byte));
    let length = name.count();
    length > 0 && text[length..].starts_with('=')
}

/// Removes the single quotation marks around a whole value, which some mailers use instead of double ones.
fn without_single_quotes(value: &str) -> &str {
    let inner = value.strip_prefix('\'').and_then(|value| value.strip_suffix('\''));
    inner.filter(|inner| !inner.is_empty() && !inner.contains('\'')).unwrap_or(value)
}

#[cfg(test)]
mod tests;
