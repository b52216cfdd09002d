//! Finds the tags of an HTML text: returns text and tags in order, without comments and scripts.
//!
//! Runs in linear time: a search that may reach the end of the input runs at most once per search target.

/// Maximum length of an element name, in bytes.
const NAME_BYTES_MAX: usize = 16;

/// Maximum number of attributes of a tag that are read.
const ATTRIBUTES_MAX: usize = 64;

/// Elements whose content is never displayed as text. It is skipped up to the literal end tag.
const DROPPED: &[&str] = &["script", "style", "title", "template", "svg", "math", "object", "iframe", "xml"];

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
    /// Bit set of the elements of [`DROPPED`] that have no further end tag: from then on, only their tags are dropped.
    endless: u16,
}

impl<'a> HtmlTagScanner<'a> {
    pub(crate) fn new(html: &'a str) -> Self {
        HtmlTagScanner { html, position: 0, quotes_broken: false, endless: 0 }
    }

    /// Returns the text up to the next tag, and the tag. The tag is `None` for markup that is skipped, and at the end.
    pub(crate) fn next(&mut self) -> Option<(&'a str, Option<HtmlTag<'a>>)> {
        let rest = self.html.get(self.position..).filter(|rest| !rest.is_empty())?;
        let Some(open) = rest.find('<') else {
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
                let attributes = from[1 + name.len()..end].trim_end_matches('>');
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
        from.find('>').map_or(from.len(), |end| end + 1)
    }

    /// Skips the content of an element in [`DROPPED`] up to its end tag.
    fn drop_content(&mut self, name: &str) {
        let Some(which) = DROPPED.iter().position(|dropped| dropped.eq_ignore_ascii_case(name)) else {
            return;
        };
        let bit = 1 << which;
        if self.endless & bit != 0 {
            return;
        }
        match find_close(&self.html.as_bytes()[self.position..], DROPPED[which].as_bytes()) {
            Some(offset) => self.position += offset,
            // As in browsers, an unclosed script or style extends to the end. For other elements, only the tag is
            // dropped.
            None if which < 2 => self.position = self.html.len(),
            None => self.endless |= bit,
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
        let end = rest
            .char_indices()
            .skip(1)
            .find(|(_, c)| c.is_ascii_whitespace() || matches!(c, '=' | '/'))
            .map_or(rest.len(), |(end, _)| end);
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

/// Returns the undecoded value of the first attribute of this name.
pub(crate) fn attribute<'a>(attributes: &'a str, wanted: &str) -> Option<&'a str> {
    let mut read = HtmlAttributes::of(attributes).take(ATTRIBUTES_MAX);
    read.find(|attribute| attribute.name.eq_ignore_ascii_case(wanted)).map(|attribute| attribute.value)
}

fn attribute_value(text: &str) -> (&str, &str) {
    for quote in ['"', '\''] {
        if let Some(inside) = text.strip_prefix(quote) {
            return inside.split_once(quote).unwrap_or((inside, ""));
        }
    }
    let end = text.find(|c: char| c.is_ascii_whitespace()).unwrap_or(text.len());
    text.split_at(end)
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
    let mut at = 0;
    loop {
        let sign = at + memchr::memchr3(b'>', b'"', b'\'', &tag[at..])?;
        at = sign + 1;
        if tag[sign] == b'>' {
            return Some(at);
        }
        // A quote counts only at the start of a value; anywhere else it is a mistake in the HTML.
        let before = tag[..sign].iter().rev().find(|byte| !byte.is_ascii_whitespace());
        if before == Some(&b'=') {
            at += memchr::memchr(tag[sign], &tag[at..])? + 1;
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
        return inside.find("-->").map_or(from.len(), |end| 4 + end + 3);
    }
    from.find('>').map_or(from.len(), |end| end + 1)
}

/// Returns the offset of `</name` in `bytes`, ignoring case.
fn find_close(bytes: &[u8], name: &[u8]) -> Option<usize> {
    let mut start = 0;
    while let Some(at) = bytes.get(start..)?.iter().position(|&byte| byte == b'<') {
        let from = &bytes[start + at..];
        let is_close = from.get(1) == Some(&b'/')
            && from.get(2..2 + name.len()).is_some_and(|word| word.eq_ignore_ascii_case(name));
        if is_close {
            return Some(start + at);
        }
        start += at + 1;
    }
    None
}
