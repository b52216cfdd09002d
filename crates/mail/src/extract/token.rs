//! A small tolerant tokenizer for the HTML of messages.
//!
//! Yields text, start tags and end tags in document order. Skips comments, declarations and the content of elements
//! that are never displayed (script, style, title, …). Builds no tree, keeps no state between tokens and never fails:
//! anything that isn't a tag is text. Deliberately simpler than the parsing algorithm of the HTML standard (section
//! 13.2).

use std::borrow::Cow;

use mail_parser::decoders::html::add_html_token;
use memchr::{memchr, memmem};

use super::element::ElementTraits;
use crate::byte_search::find_byte;

/// Maximum length of a tag in bytes. A longer one is text.
const TAG_BYTES_MAX: usize = 8 * 1024;
/// Maximum length of a character reference in bytes, including `&` and `;`.
const ENTITY_BYTES_MAX: usize = 34;

/// A token of HTML.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HtmlToken<'a> {
    /// Raw text with undecoded character references.
    Text(&'a str),
    /// A start tag.
    Open(HtmlStartTag<'a>),
    /// The name of an end tag.
    Close(HtmlName<'a>),
}

/// The name of an element as written, and what its name tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct HtmlName<'a> {
    pub(crate) text: &'a str,
    pub(crate) traits: ElementTraits,
}

impl<'a> HtmlName<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, traits: ElementTraits::of(text) }
    }

    /// Returns whether the element has this name, ignoring case.
    pub(crate) fn is(&self, name: &str) -> bool {
        self.text.eq_ignore_ascii_case(name)
    }
}

/// A start tag: its name, and its raw attributes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct HtmlStartTag<'a> {
    pub(crate) name: HtmlName<'a>,
    attributes: &'a str,
}

impl<'a> HtmlStartTag<'a> {
    /// Returns whether the tag has attributes.
    pub(crate) fn has_attributes(&self) -> bool {
        !self.attributes.is_empty()
    }

    /// Returns the names of the attributes and their raw values without quotes, in order.
    pub(crate) fn attributes(&self) -> impl Iterator<Item = (&'a str, &'a str)> + use<'a> {
        let mut rest = self.attributes;
        std::iter::from_fn(move || {
            rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '/');
            if rest.is_empty() {
                return None;
            }
            let is_end = |byte: u8| byte.is_ascii_whitespace() || byte == b'=' || byte == b'/';
            let end = rest.bytes().position(is_end).unwrap_or(rest.len());
            let (key, after) = rest.split_at(end.max(usize::from(rest.starts_with('='))));
            let after = after.trim_start();
            let (value, after) = match after.strip_prefix('=') {
                Some(value) => attribute_value(value.trim_start()),
                None => ("", after),
            };
            rest = after;
            Some((key, value))
        })
    }

    /// Returns the raw value of the first attribute of this name, without quotes.
    pub(crate) fn attribute(&self, name: &str) -> Option<&'a str> {
        self.attributes().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// Returns whether the tag has this name, ignoring case.
    pub(crate) fn is(&self, name: &str) -> bool {
        self.name.is(name)
    }

    /// Returns whether the tag is self-closing (`<br/>`).
    pub(crate) fn closes_itself(&self) -> bool {
        self.attributes.ends_with('/')
    }
}

/// Splits the attribute value at the start of `text` from the rest.
fn attribute_value(text: &str) -> (&str, &str) {
    if let Some(&quote @ (b'"' | b'\'')) = text.as_bytes().first() {
        let inner = &text[1..];
        return memchr(quote, inner.as_bytes()).map_or((inner, ""), |end| (&inner[..end], &inner[end + 1..]));
    }
    text.split_at(text.bytes().position(|byte| byte.is_ascii_whitespace()).unwrap_or(text.len()))
}

/// Returns the tokens of `html`.
pub(crate) fn tokens(html: &str) -> HtmlTokens<'_> {
    HtmlTokens { rest: html }
}

/// Iterator over the tokens of a document, see [`tokens`].
#[derive(Debug, Clone)]
pub(crate) struct HtmlTokens<'a> {
    rest: &'a str,
}

impl<'a> Iterator for HtmlTokens<'a> {
    type Item = HtmlToken<'a>;

    fn next(&mut self) -> Option<HtmlToken<'a>> {
        loop {
            match self.rest.as_bytes() {
                [] => return None,
                [b'<', b'!' | b'?', ..] => {
                    self.rest = after_markup(self.rest);
                    continue;
                }
                [b'<', ..] => {}
                _ => return Some(self.text()),
            }
            let Some((token, after)) = parse_tag(self.rest) else { return Some(self.text()) };
            self.rest = match token {
                HtmlToken::Open(open) if open.name.traits.is_undisplayed() && !open.closes_itself() => {
                    after_element(open.name.text, after)
                }
                _ => after,
            };
            return Some(token);
        }
    }
}

impl<'a> HtmlTokens<'a> {
    /// Returns the text up to the next `<` that may begin a tag or other markup. The first character is text even if it
    /// is a `<`.
    fn text(&mut self) -> HtmlToken<'a> {
        let bytes = self.rest.as_bytes();
        let mut end = 1;
        while let Some(at) = bytes.get(end..).and_then(|rest| find_byte(b'<', rest)) {
            end += at;
            if matches!(bytes.get(end + 1), Some(b'a'..=b'z' | b'A'..=b'Z' | b'/' | b'!' | b'?')) {
                let (text, after) = self.rest.split_at(end);
                self.rest = after;
                return HtmlToken::Text(text);
            }
            end += 1;
        }
        HtmlToken::Text(std::mem::take(&mut self.rest))
    }
}

/// Returns the rest after the comment, declaration or processing instruction at the start of `text`.
fn after_markup(text: &str) -> &str {
    let bytes = text.as_bytes();
    let end = match bytes.strip_prefix(b"<!--") {
        Some(comment) => memmem::find(comment, b"-->").map(|at| "<!--".len() + at + "-->".len()),
        None => memchr(b'>', bytes).map(|at| at + 1),
    };
    end.map_or("", |end| &text[end..])
}

/// Returns the tag at the start of `text` and the rest after it.
fn parse_tag(text: &str) -> Option<(HtmlToken<'_>, &str)> {
    let inner = text.strip_prefix('<')?;
    let (closing, inner) = inner.strip_prefix('/').map_or((false, inner), |inner| (true, inner));
    if !inner.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    let end = tag_end(inner)?;
    let (body, after) = (&inner[..end], &inner[end + 1..]);
    let is_end = |byte: u8| byte.is_ascii_whitespace() || byte == b'/';
    let (name, attributes) = body.split_at(body.bytes().position(is_end).unwrap_or(body.len()));
    let name = HtmlName::new(name);
    let token = if closing {
        HtmlToken::Close(name)
    } else {
        HtmlToken::Open(HtmlStartTag { name, attributes: attributes.trim_end() })
    };
    Some((token, after))
}

/// Returns the offset of the `>` that ends a tag. Returns `None` if a `<` outside quotes shows that it isn't a tag.
fn tag_end(inner: &str) -> Option<usize> {
    let bytes = &inner.as_bytes()[..inner.len().min(TAG_BYTES_MAX)];
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'>' => return Some(at),
            b'<' => return None,
            // A quote counts only after `=`: otherwise, a stray apostrophe could swallow the document.
            b'"' | b'\'' if bytes[..at].trim_ascii_end().last() == Some(&b'=') => {
                let Some(length) = memchr(byte, &bytes[at + 1..]) else { break };
                at += length + 1;
            }
            _ => {}
        }
        at += 1;
    }
    memchr(b'>', bytes)
}

/// Returns the rest after an element that is never displayed.
fn after_element<'a>(name: &str, after: &'a str) -> &'a str {
    for at in memmem::find_iter(after.as_bytes(), b"</") {
        let rest = &after[at + 2..];
        if rest.get(..name.len()).is_some_and(|end| end.eq_ignore_ascii_case(name)) {
            return memchr(b'>', rest.as_bytes()).map_or("", |end| &rest[end + 1..]);
        }
    }
    ""
}

/// Returns `text` with decoded character references.
pub(crate) fn decode(text: &str) -> Cow<'_, str> {
    if find_byte(b'&', text.as_bytes()).is_none() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = memchr(b'&', rest.as_bytes()) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let length = reference_length(rest.as_bytes());
        match length {
            Some(length) => add_html_token(&mut out, &rest.as_bytes()[..length], false),
            None => out.push('&'),
        }
        rest = &rest[length.unwrap_or(1)..];
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// Returns the length of the character reference at the start of `text`, with its `&` and `;`.
fn reference_length(text: &[u8]) -> Option<usize> {
    let name = text[1..].iter().take(ENTITY_BYTES_MAX);
    let length = name.take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'#').count() + 2;
    ((3..=ENTITY_BYTES_MAX).contains(&length) && text.get(length - 1) == Some(&b';')).then_some(length)
}
