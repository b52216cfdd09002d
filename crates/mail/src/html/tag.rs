//! Finds the tags of an HTML text: returns text and tags in order, without comments and scripts.
//!
//! Runs in linear time: a search that may reach the end of the input runs at most once per search target.

use memchr::{memchr, memchr3, memmem};

use crate::byte_search::find_byte;

/// Maximum length of an element name, in bytes.
const NAME_BYTES_MAX: usize = 16;

/// Maximum number of attributes of a tag that are read.
const ATTRIBUTES_MAX: usize = 64;

/// An element whose content is never displayed as text. It is skipped up to the literal end tag.
#[derive(Debug, Clone, Copy)]
struct DroppedElement {
    /// Its number, below 16.
    number: u8,
    /// Whether it extends to the end of the input if it has no end tag, as in browsers. Of others, only the tag is dropped.
    is_endless: bool,
}

impl DroppedElement {
    /// Returns the dropped element with this name, in any case.
    fn of(name: &str) -> Option<Self> {
        let number = hashify::tiny_map_ignore_case! { name.as_bytes(),
            "script" => 0, "style" => 1, "title" => 2, "template" => 3, "svg" => 4, "math" => 5, "object" => 6,
            "iframe" => 7, "xml" => 8,
        };
        number.map(|number| Self { number, is_endless: number < 2 })
    }
}

/// An HTML tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HtmlTag<'a> {
    /// `<name attributes>`, with the name as written.
    Open { name: &'a str, attributes: &'a str },
    /// `</name>`.
    Close { name: &'a str },
}

/// Scanner over an HTML text.
pub(crate) struct HtmlTagScanner<'a> {
    html: &'a str,
    position: usize,
    /// Whether a quote in a tag was never closed: from then on, tags end at the first `>`.
    quotes_broken: bool,
    /// Bit set of the dropped elements that have no further end tag: from then on, only their tags are dropped.
    unclosed: u16,
}

impl<'a> HtmlTagScanner<'a> {
    pub(crate) fn new(html: &'a str) -> Self {
        HtmlTagScanner { html, position: 0, quotes_broken: false, unclosed: 0 }
    }

    /// Returns the text up to the next tag, and the tag. The tag is `None` for markup that is skipped, and at the end.
    pub(crate) fn next(&mut self) -> Option<(&'a str, Option<HtmlTag<'a>>)> {
        let rest = self.html.get(self.position..).filter(|rest| !rest.is_empty())?;
        let Some(open) = find_byte(b'<', rest.as_bytes()) else {
            self.position = self.html.len();
            return Some((rest, None));
        };
        let from = &rest[open..];
        let text = &rest[..open];
        self.position += open;
        match from.as_bytes().get(1) {
            Some(b'!' | b'?') => {
                self.position += markup_end(from);
                Some((text, None))
            }
            Some(b'/') if from.as_bytes().get(2).is_some_and(u8::is_ascii_alphabetic) => {
                let end = self.tag_end(from);
                self.position += end;
                let name = name(&from[2..end]);
                Some((text, Some(HtmlTag::Close { name })))
            }
            Some(byte) if byte.is_ascii_alphabetic() => {
                let end = self.tag_end(from);
                self.position += end;
                let name = name(&from[1..end]);
                let attributes = without_end(&from[1 + name.len()..end]);
                self.drop_content(name);
                Some((text, Some(HtmlTag::Open { name, attributes })))
            }
            _ => {
                // A `<` that doesn't begin a tag is text.
                self.position += 1;
                Some((&rest[..=open], None))
            }
        }
    }

    /// Returns the offset after the `>` that ends the tag at the start of `from`. Quoted values may contain `>`.
    fn tag_end(&mut self, from: &str) -> usize {
        if !self.quotes_broken {
            match quoted_tag_end(from.as_bytes()) {
                Some(end) => return end,
                None => self.quotes_broken = true,
            }
        }
        after_sign(from)
    }

    /// Skips the content of a dropped element up to its end tag.
    fn drop_content(&mut self, name: &str) {
        let Some(dropped) = DroppedElement::of(name) else { return };
        let bit = 1 << dropped.number;
        if self.unclosed & bit != 0 {
            return;
        }
        match find_close(&self.html.as_bytes()[self.position..], name.as_bytes()) {
            Some(offset) => self.position += offset,
            None if dropped.is_endless => self.position = self.html.len(),
            None => self.unclosed |= bit,
        }
    }
}

/// An attribute of a tag, as written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct HtmlAttribute<'a> {
    pub(crate) name: &'a str,
    /// The value without its quotes, not decoded.
    pub(crate) value: &'a str,
}

/// Iterator over the attributes of a tag, in linear time.
pub(crate) struct HtmlAttributes<'a>(&'a str);

impl<'a> HtmlAttributes<'a> {
    /// Reads the text between the name of a tag and its end.
    pub(crate) fn of(attributes: &'a str) -> Self {
        HtmlAttributes(attributes)
    }
}

impl<'a> Iterator for HtmlAttributes<'a> {
    type Item = HtmlAttribute<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        let rest = self.0.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '/');
        if rest.is_empty() {
            return None;
        }
        let is_end = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'=' | b'/');
        let end = rest.as_bytes()[1..].iter().position(is_end).map_or(rest.len(), |end| end + 1);
        let name = &rest[..end];
        let after = rest[end..].trim_start();
        let value = match after.strip_prefix('=') {
            None => {
                self.0 = after;
                ""
            }
            Some(after) => {
                let (value, tail) = attribute_value(after.trim_start());
                self.0 = tail;
                value
            }
        };
        Some(HtmlAttribute { name, value })
    }
}

/// Returns the attributes that are read for text.
pub(crate) fn read_attributes(attributes: &str) -> impl Iterator<Item = HtmlAttribute<'_>> {
    HtmlAttributes::of(attributes).take(ATTRIBUTES_MAX)
}

/// Returns the undecoded value of the first attribute of this name.
pub(crate) fn attribute<'a>(attributes: &'a str, wanted: &str) -> Option<&'a str> {
    let mut read = read_attributes(attributes);
    read.find(|attribute| attribute.name.eq_ignore_ascii_case(wanted)).map(|attribute| attribute.value)
}

/// Returns the text of a tag without the signs that end it.
fn without_end(tag: &str) -> &str {
    let signs = tag.bytes().rev().take_while(|byte| *byte == b'>').count();
    &tag[..tag.len() - signs]
}

fn attribute_value(text: &str) -> (&str, &str) {
    if let Some(&quote @ (b'"' | b'\'')) = text.as_bytes().first() {
        let inside = &text[1..];
        return memchr(quote, inside.as_bytes()).map_or((inside, ""), |end| (&inside[..end], &inside[end + 1..]));
    }
    text.split_at(text.bytes().position(|byte| byte.is_ascii_whitespace()).unwrap_or(text.len()))
}

fn name(text: &str) -> &str {
    let end = text
        .bytes()
        .take(NAME_BYTES_MAX)
        .position(|byte| !byte.is_ascii_alphanumeric() && !matches!(byte, b':' | b'-'))
        .unwrap_or(text.len().min(NAME_BYTES_MAX));
    text.get(..end).unwrap_or_default()
}

/// Returns the length of a tag up to its `>`, or `None` if it has none. Quoted values may contain `>`.
#[must_use]
pub fn quoted_tag_end(tag: &[u8]) -> Option<usize> {
    /// Bytes of most tags without attributes.
    const SHORT_BYTES: usize = 16;
    let sign = tag.iter().take(SHORT_BYTES).position(|byte| matches!(byte, b'>' | b'"' | b'\''));
    if let Some(end) = sign.filter(|at| tag[*at] == b'>') {
        return Some(end + 1);
    }
    let mut at = 0;
    loop {
        let sign = at + memchr3(b'>', b'"', b'\'', &tag[at..])?;
        at = sign + 1;
        if tag[sign] == b'>' {
            return Some(at);
        }
        // A quote counts only at the start of a value; anywhere else it is a mistake in the HTML.
        let before = tag[..sign].iter().rev().find(|byte| !byte.is_ascii_whitespace());
        if before == Some(&b'=') {
            at += memchr(tag[sign], &tag[at..])? + 1;
        }
    }
}

/// Returns the offset after the comment, conditional, doctype or processing instruction at the start of `from`.
fn markup_end(from: &str) -> usize {
    if let Some(inside) = from.strip_prefix("<!--") {
        if inside.starts_with('>') {
            return 5;
        }
        if inside.starts_with("->") {
            return 6;
        }
        return memmem::find(inside.as_bytes(), b"-->").map_or(from.len(), |end| 4 + end + 3);
    }
    after_sign(from)
}

/// Returns the offset after the first `>`, or the length.
fn after_sign(text: &str) -> usize {
    memchr(b'>', text.as_bytes()).map_or(text.len(), |end| end + 1)
}

/// Returns the offset of `</name` in `bytes`, ignoring case.
fn find_close(bytes: &[u8], name: &[u8]) -> Option<usize> {
    memmem::find_iter(bytes, b"</").find(|at| {
        let word = bytes.get(at + 2..at + 2 + name.len());
        word.is_some_and(|word| word.eq_ignore_ascii_case(name))
    })
}
