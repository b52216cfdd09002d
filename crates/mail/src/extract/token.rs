//! A small tolerant tokenizer for the HTML of messages.
//!
//! Yields text, start tags and end tags in document order. Skips comments, declarations and the content of elements
//! that are never displayed (script, style, title, …). Builds no tree, keeps no state between tokens and never fails:
//! anything that isn't a tag is text. Deliberately simpler than the parsing algorithm of the HTML standard (section
//! 13.2).

use mail_parser::decoders::html::add_html_token;

/// Maximum length of a tag in bytes. A longer one is text.
const TAG_BYTES_MAX: usize = 8 * 1024;
/// Maximum length of a character reference in bytes, including `&` and `;`.
const ENTITY_BYTES_MAX: usize = 34;
/// Elements whose content is never displayed.
const HIDDEN: [&str; 5] = ["script", "style", "title", "template", "noscript"];

/// A token of HTML.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HtmlToken<'a> {
    /// Raw text with undecoded character references.
    Text(&'a str),
    /// A start tag.
    Open(HtmlStartTag<'a>),
    /// The name of an end tag, as written.
    Close(&'a str),
}

/// A start tag: its name as written, and its raw attributes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct HtmlStartTag<'a> {
    pub(crate) name: &'a str,
    attributes: &'a str,
}

impl<'a> HtmlStartTag<'a> {
    /// Returns the raw value of the first attribute of this name, without quotes.
    pub(crate) fn attribute(&self, name: &str) -> Option<&'a str> {
        let mut rest = self.attributes;
        loop {
            rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '/');
            let end = rest.find(|c: char| c.is_ascii_whitespace() || c == '=' || c == '/').unwrap_or(rest.len());
            if rest.is_empty() {
                return None;
            }
            let (key, after) = rest.split_at(end.max(usize::from(rest.starts_with('='))));
            let after = after.trim_start();
            let (value, after) = match after.strip_prefix('=') {
                Some(value) => attribute_value(value.trim_start()),
                None => ("", after),
            };
            if key.eq_ignore_ascii_case(name) {
                return Some(value);
            }
            rest = after;
        }
    }

    /// Returns whether the tag has this name, ignoring case.
    pub(crate) fn is(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }

    /// Returns whether the tag is self-closing (`<br/>`).
    pub(crate) fn closes_itself(&self) -> bool {
        self.attributes.ends_with('/')
    }
}

/// Splits the attribute value at the start of `text` from the rest.
fn attribute_value(text: &str) -> (&str, &str) {
    for quote in ['"', '\''] {
        if let Some(inner) = text.strip_prefix(quote) {
            return inner.split_once(quote).unwrap_or((inner, ""));
        }
    }
    text.split_at(text.find(|c: char| c.is_ascii_whitespace()).unwrap_or(text.len()))
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
        while !self.rest.is_empty() {
            if let Some(comment) = self.rest.strip_prefix("<!--") {
                self.rest = comment.split_once("-->").map_or("", |(_, after)| after);
                continue;
            }
            if self.rest.starts_with("<!") || self.rest.starts_with("<?") {
                self.rest = self.rest.split_once('>').map_or("", |(_, after)| after);
                continue;
            }
            if let Some((token, after)) = parse_tag(self.rest) {
                self.rest = match token {
                    HtmlToken::Open(open) if !open.closes_itself() => skip_hidden(open.name, after),
                    _ => after,
                };
                return Some(token);
            }
            // The first character is text even if it is a `<` that doesn't begin a tag.
            let first = self.rest.chars().next().map_or(0, char::len_utf8);
            let end = self.rest[first..].find('<').map_or(self.rest.len(), |at| at + first);
            let (text, after) = self.rest.split_at(end);
            self.rest = after;
            return Some(HtmlToken::Text(text));
        }
        None
    }
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
    let name_end = body.find(|c: char| c.is_ascii_whitespace() || c == '/').unwrap_or(body.len());
    let (name, attributes) = body.split_at(name_end);
    let token = if closing {
        HtmlToken::Close(name)
    } else {
        HtmlToken::Open(HtmlStartTag { name, attributes: attributes.trim_end() })
    };
    Some((token, after))
}

/// Returns the offset of the `>` that ends a tag. Returns `None` if a `<` outside quotes shows that it isn't a tag.
fn tag_end(inner: &str) -> Option<usize> {
    let mut quote = None;
    let mut before = b' ';
    for (at, byte) in inner.bytes().enumerate().take(TAG_BYTES_MAX) {
        match (quote, byte) {
            (None, b'>') => return Some(at),
            (None, b'<') => return None,
            // A quote counts only after `=`: otherwise, a stray apostrophe could swallow the document.
            (None, b'"' | b'\'') if before == b'=' => quote = Some(byte),
            (Some(open), _) if open == byte => quote = None,
            _ => {}
        }
        if !byte.is_ascii_whitespace() {
            before = byte;
        }
    }
    inner.bytes().take(TAG_BYTES_MAX).position(|byte| byte == b'>')
}

/// Returns the rest after an element that is never displayed, or `after` for any other element.
fn skip_hidden<'a>(name: &str, after: &'a str) -> &'a str {
    let Some(hidden) = HIDDEN.iter().find(|hidden| hidden.eq_ignore_ascii_case(name)) else {
        return after;
    };
    let mut from = 0;
    while let Some(at) = after[from..].find("</") {
        let rest = &after[from + at + 2..];
        if rest.get(..hidden.len()).is_some_and(|end| end.eq_ignore_ascii_case(hidden)) {
            return rest.split_once('>').map_or("", |(_, after)| after);
        }
        from += at + 2;
    }
    ""
}

/// Returns whether the content of an element is never displayed.
pub(crate) fn is_undisplayed(name: &str) -> bool {
    HIDDEN.iter().any(|hidden| hidden.eq_ignore_ascii_case(name))
}

/// Appends `text` to `out` with decoded character references.
pub(crate) fn decode_into(out: &mut String, text: &str) {
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = rest.bytes().take(ENTITY_BYTES_MAX).position(|byte| byte == b';');
        let name = end.and_then(|end| rest.get(1..end)).unwrap_or("");
        if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'#') {
            out.push('&');
            rest = &rest[1..];
            continue;
        }
        add_html_token(out, &rest.as_bytes()[..name.len() + 2], false);
        rest = &rest[name.len() + 2..];
    }
    out.push_str(rest);
}

/// Returns `text` with decoded character references.
pub(crate) fn decode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    decode_into(&mut out, text);
    out
}

/// Returns whether the element begins and ends a line.
pub(crate) fn is_block(name: &str) -> bool {
    const BLOCKS: [&str; 37] = [
        "address",
        "article",
        "aside",
        "blockquote",
        "body",
        "center",
        "dd",
        "dir",
        "div",
        "dl",
        "dt",
        "fieldset",
        "figure",
        "footer",
        "form",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "hr",
        "html",
        "li",
        "main",
        "nav",
        "ol",
        "p",
        "pre",
        "section",
        "table",
        "tbody",
        "tfoot",
        "thead",
        "tr",
        "ul",
    ];
    BLOCKS.iter().any(|block| block.eq_ignore_ascii_case(name))
}

/// Returns whether the element has neither content nor an end tag.
pub(crate) fn is_void(name: &str) -> bool {
    const VOID: [&str; 13] =
        ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"];
    VOID.iter().any(|void| void.eq_ignore_ascii_case(name))
}
