//! The text of an HTML body, split by whether a sighted reader sees it, with the place of each piece in the source.

use crate::style::{HiddenClasses, Look, look};
use crate::words::position;

/// Open elements that are remembered.
const DEPTH_MAX: usize = 256;
/// Open elements that are compared with a closing tag.
const CLOSE_MAX: usize = 32;
/// Bytes of a tag that are read.
const TAG_BYTES_MAX: usize = 8_192;
/// Blanks from which the data of an element is a sentence.
const DATA_BLANKS_MIN: usize = 3;
/// Links that are compared with their text.
const LINKS_MAX: usize = 512;
/// What ends the content of a conditional comment.
const END_OF_CONDITION: &str = "<![endif]";

/// A text that was collected from pieces of a source.
#[derive(Debug, Default)]
pub(crate) struct Stream {
    pub(crate) text: String,
    /// Where each piece begins in the text and in the source.
    pieces: Vec<(u32, u32)>,
}

impl Stream {
    fn push(&mut self, c: char, source: usize) {
        self.anchor(source);
        self.text.push(c);
    }

    fn anchor(&mut self, source: usize) {
        let at = position(self.text.len());
        if self.pieces.last().is_none_or(|(text, from)| at - text != position(source).saturating_sub(*from)) {
            self.pieces.push((at, position(source)));
        }
    }

    fn break_line(&mut self) {
        if !self.text.ends_with('\n') {
            self.text.push('\n');
        }
    }

    /// Returns the text, and where each of its pieces begins in it and in the source.
    pub(crate) fn into_parts(self) -> (String, Vec<(u32, u32)>) {
        (self.text, self.pieces)
    }

    /// Returns where a byte of the text is in the source.
    pub(crate) fn source(&self, at: u32) -> u32 {
        let after = self.pieces.partition_point(|(text, _)| *text <= at);
        after.checked_sub(1).map_or(0, |piece| {
            let (text, source) = self.pieces[piece];
            source + (at - text)
        })
    }
}

/// A link with its text.
#[derive(Debug)]
pub(crate) struct Link {
    pub(crate) target: String,
    pub(crate) label: String,
    pub(crate) start: u32,
    pub(crate) end: u32,
}

/// An HTML body as its readers have it.
#[derive(Debug, Default)]
pub(crate) struct HtmlParts {
    pub(crate) visible: Stream,
    pub(crate) hidden: Stream,
    pub(crate) links: Vec<Link>,
}

struct Element {
    name: u64,
    is_hidden: bool,
    background: Option<u32>,
    color: Option<u32>,
}

struct Reader<'a> {
    html: &'a str,
    parts: HtmlParts,
    open: Vec<Element>,
    classes: HiddenClasses,
    link: Option<Link>,
    /// Whether this is the content of a comment, in which other comments don't begin.
    is_comment: bool,
}

/// Reads an HTML body.
pub(crate) fn read(html: &str) -> HtmlParts {
    let mut reader = Reader::new(html, HtmlParts::default());
    reader.run(0);
    reader.parts
}

impl<'a> Reader<'a> {
    fn new(html: &'a str, parts: HtmlParts) -> Self {
        Self { html, parts, open: Vec::new(), classes: HiddenClasses::default(), link: None, is_comment: false }
    }

    fn run(&mut self, from: usize) {
        let html = self.html;
        let mut at = from;
        while at < html.len() {
            let signs = memchr::memchr_iter(b'<', &html.as_bytes()[at..]).map(|sign| at + sign);
            let tag = signs.into_iter().find(|sign| is_markup(&html.as_bytes()[*sign..])).unwrap_or(html.len());
            self.text(at, tag);
            if tag == html.len() {
                return;
            }
            at = self.markup(tag);
        }
    }

    /// Reads markup that begins with `<`, and returns where it ends.
    fn markup(&mut self, at: usize) -> usize {
        let rest = &self.html[at..];
        if self.is_comment && rest.starts_with("<!") {
            return at + if rest.starts_with(END_OF_CONDITION) { END_OF_CONDITION.len() } else { 2 };
        }
        if let Some(comment) = rest.strip_prefix("<!--") {
            let end = comment.find("-->").unwrap_or(comment.len());
            self.comment(at + 4, at + 4 + end);
            return (at + 4 + end + 3).min(self.html.len());
        }
        let second = rest.as_bytes().get(1).copied().unwrap_or(0);
        if second == b'!' || second == b'?' {
            return memchr::memchr(b'>', rest.as_bytes()).map_or(self.html.len(), |end| at + end + 1);
        }
        let end = tag_end(rest.as_bytes());
        let inside = rest.get(1..end).unwrap_or_default().trim_end_matches('>');
        if let Some(name) = inside.strip_prefix('/') {
            self.close(name.trim());
            return at + end;
        }
        let name_end = inside.find(|c: char| c.is_ascii_whitespace() || c == '/').unwrap_or(inside.len());
        let name = inside[..name_end].to_ascii_lowercase();
        let attributes = inside.get(name_end..).filter(|_| inside.len() <= TAG_BYTES_MAX).unwrap_or_default();
        let attributes_at = at + 1 + name_end;
        match name.as_str() {
            "style" | "script" | "title" | "template" | "noscript" => {
                return self.raw_text(&name, at + end);
            }
            _ => self.open(&name, attributes, attributes_at, at),
        }
        at + end
    }

    /// Reads the content of a comment. A conditional comment has markup for some programs, whose elements and styles are
    /// apart from those around it.
    fn comment(&mut self, from: usize, to: usize) {
        let html = self.html;
        let text = &html[from..to];
        if !text.starts_with("[if") && !text.starts_with("<![") {
            return self.hidden_text(text, from);
        }
        self.parts.hidden.break_line();
        let mut inner = Reader::new(&html[..to], std::mem::take(&mut self.parts));
        inner.is_comment = true;
        inner.open.push(Element { name: 0, is_hidden: true, background: None, color: None });
        inner.run(from + condition_end(text));
        self.parts = inner.parts;
        self.parts.hidden.break_line();
    }

    /// Reads the content of an element that isn't displayed.
    fn raw_text(&mut self, name: &str, from: usize) -> usize {
        let rest = &self.html[from..];
        let end = find_close(rest, name);
        let content = &rest[..end];
        match name {
            "style" => self.classes.read(content),
            "script" => {}
            _ => self.hidden_text(content, from),
        }
        from + end
    }

    fn hidden_text(&mut self, text: &str, at: usize) {
        self.parts.hidden.break_line();
        decode(text, at, &mut self.parts.hidden);
        self.parts.hidden.break_line();
    }

    fn is_hidden(&self) -> bool {
        self.open.last().is_some_and(|element| element.is_hidden)
    }

    fn text(&mut self, from: usize, to: usize) {
        let stream = if self.is_hidden() { &mut self.parts.hidden } else { &mut self.parts.visible };
        let before = stream.text.len();
        decode(&self.html[from..to], from, stream);
        if let Some(link) = self.link.as_mut().filter(|link| link.label.len() < 512) {
            link.label.push_str(&stream.text[before..]);
        }
    }

    fn open(&mut self, name: &str, attributes: &str, at: usize, tag: usize) {
        let is_block = is_block(name);
        if is_block {
            self.parts.visible.break_line();
            self.parts.hidden.break_line();
        }
        if matches!(name, "p" | "li" | "td" | "tr" | "div" | "table")
            && self.open.last().is_some_and(|e| e.name == hash("p"))
        {
            self.open.pop();
        }
        let (parent_hidden, background, color) =
            self.open.last().map_or((false, None, None), |e| (e.is_hidden, e.background, e.color));
        let mut seen = Look::within(background, color);
        let mut target = None;
        for (key, value, value_at) in Attributes::new(attributes) {
            match key.to_ascii_lowercase().as_str() {
                "hidden" => seen.is_hidden = true,
                "style" => look(value, &mut seen),
                "class" => seen.is_hidden |= value.split_ascii_whitespace().any(|class| self.classes.has('.', class)),
                "id" => seen.is_hidden |= self.classes.has('#', value.trim()),
                "bgcolor" => seen.set_background(value),
                "color" if name == "font" => seen.set_color(value),
                "size" if name == "font" => seen.is_hidden |= value.trim() == "0",
                "alt" | "title" | "aria-label" | "aria-description" | "summary" | "content" | "placeholder"
                | "data-prompt" | "data-instructions" => self.hidden_text(value, at + value_at),
                "value" if name == "input" => self.hidden_text(value, at + value_at),
                "href" if name == "a" => target = Some(value.trim().to_owned()),
                // Sentences in the data of scripts and screen readers.
                key if (key.starts_with("data-") || key.starts_with("aria-"))
                    && value.matches(' ').nth(DATA_BLANKS_MIN - 1).is_some() =>
                {
                    self.hidden_text(value, at + value_at)
                }
                _ => {}
            }
        }
        if name == "a" {
            self.end_link(tag);
            self.link = target.filter(|_| self.parts.links.len() < LINKS_MAX).map(|target| Link {
                target,
                label: String::new(),
                start: position(tag),
                end: position(tag),
            });
        }
        if is_void(name) || attributes.trim_end().ends_with('/') && !is_block {
            return;
        }
        if self.open.len() < DEPTH_MAX {
            let is_hidden = parent_hidden || seen.hides();
            self.open.push(Element { name: hash(name), is_hidden, background: seen.background, color: seen.color });
        }
    }

    fn close(&mut self, name: &str) {
        let name = name.to_ascii_lowercase();
        if is_block(&name) {
            self.parts.visible.break_line();
            self.parts.hidden.break_line();
        }
        if name == "a" {
            self.end_link(0);
        }
        let hash = hash(&name);
        if let Some(depth) = self.open.iter().rev().take(CLOSE_MAX).position(|element| element.name == hash) {
            self.open.truncate(self.open.len() - 1 - depth);
        }
    }

    fn end_link(&mut self, _at: usize) {
        if let Some(mut link) = self.link.take() {
            link.end = position(self.html.len()).min(link.start + 1);
            self.parts.links.push(link);
        }
    }
}

/// Returns whether a `<` begins markup; else it is a sign of the text.
fn is_markup(rest: &[u8]) -> bool {
    rest.get(1).is_some_and(|second| second.is_ascii_alphabetic() || matches!(second, b'/' | b'!' | b'?'))
}

fn hash(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

fn is_block(name: &str) -> bool {
    matches!(
        name,
        "p" | "div"
            | "br"
            | "tr"
            | "td"
            | "th"
            | "li"
            | "ul"
            | "ol"
            | "table"
            | "h1"
            | "h2"
            | "h3"
            | "h4"
            | "h5"
            | "h6"
            | "blockquote"
            | "pre"
            | "section"
            | "article"
            | "header"
            | "footer"
            | "hr"
            | "center"
            | "body"
            | "details"
            | "summary"
            | "dl"
            | "dt"
            | "dd"
            | "caption"
            | "figure"
            | "figcaption"
            | "address"
            | "main"
            | "aside"
            | "nav"
            | "form"
            | "fieldset"
            | "legend"
            | "option"
            | "textarea"
            | "button"
    )
}

fn is_void(name: &str) -> bool {
    matches!(
        name,
        "br" | "img"
            | "hr"
            | "input"
            | "meta"
            | "link"
            | "area"
            | "base"
            | "col"
            | "embed"
            | "source"
            | "track"
            | "wbr"
    )
}

/// Returns where the condition of a conditional comment ends; 0 if it has other words than conditions have.
fn condition_end(text: &str) -> usize {
    const WORDS: [&str; 9] = ["if", "mso", "ie", "gt", "gte", "lt", "lte", "vml", "endif"];
    let Some(end) = text.find("]>") else { return 0 };
    let mut words = text[..end].split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let is_known = |word: &str| {
        WORDS.iter().any(|known| known.eq_ignore_ascii_case(word)) || word.bytes().all(|byte| byte.is_ascii_digit())
    };
    if words.all(is_known) { end + 2 } else { 0 }
}

/// Returns where a tag ends: after the first `>` outside of quotes, or after the first one at all if quotes don't end.
fn tag_end(tag: &[u8]) -> usize {
    let mut quote = 0;
    for (at, byte) in tag.iter().enumerate().take(TAG_BYTES_MAX) {
        match *byte {
            b'"' | b'\'' if quote == 0 && at > 0 && tag[at - 1] == b'=' => quote = *byte,
            found if quote != 0 && found == quote => quote = 0,
            b'>' if quote == 0 => return at + 1,
            _ => {}
        }
    }
    memchr::memchr(b'>', tag).map_or(tag.len(), |end| end + 1)
}

/// Returns where the closing tag of an element begins.
fn find_close(rest: &str, name: &str) -> usize {
    let bytes = rest.as_bytes();
    for at in memchr::memchr_iter(b'<', bytes) {
        let close = bytes.get(at + 2..at + 2 + name.len());
        if bytes.get(at + 1) == Some(&b'/') && close.is_some_and(|close| close.eq_ignore_ascii_case(name.as_bytes())) {
            return at;
        }
    }
    rest.len()
}

/// The attributes of a tag: name, value, and where the value begins.
struct Attributes<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Attributes<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    fn skip(&mut self, is_skipped: impl Fn(u8) -> bool) {
        let bytes = self.text.as_bytes();
        while bytes.get(self.at).is_some_and(|byte| is_skipped(*byte)) {
            self.at += 1;
        }
    }
}

impl<'a> Iterator for Attributes<'a> {
    type Item = (&'a str, &'a str, usize);

    fn next(&mut self) -> Option<Self::Item> {
        self.skip(|byte| byte.is_ascii_whitespace() || byte == b'/' || byte == b'=');
        let start = self.at;
        self.skip(|byte| !byte.is_ascii_whitespace() && byte != b'=');
        let name = self.text.get(start..self.at).filter(|name| !name.is_empty())?;
        self.skip(|byte| byte.is_ascii_whitespace());
        if self.text.as_bytes().get(self.at) != Some(&b'=') {
            return Some((name, "", self.at));
        }
        self.at += 1;
        self.skip(|byte| byte.is_ascii_whitespace());
        let quote = self.text.as_bytes().get(self.at).copied().filter(|byte| matches!(byte, b'"' | b'\''));
        self.at += usize::from(quote.is_some());
        let start = self.at;
        self.skip(|byte| quote.map_or_else(|| !byte.is_ascii_whitespace(), |quote| byte != quote));
        let value = self.text.get(start..self.at)?;
        self.at += usize::from(quote.is_some());
        Some((name, value, start))
    }
}

/// Appends a text with its character references replaced.
fn decode(text: &str, at: usize, out: &mut Stream) {
    let mut from = 0;
    for reference in memchr::memchr_iter(b'&', text.as_bytes()) {
        if reference < from {
            continue;
        }
        let Some((c, length)) = character(&text[reference..]) else { continue };
        if from < reference {
            out.anchor(at + from);
            out.text.push_str(&text[from..reference]);
        }
        out.push(c, at + reference);
        from = reference + length;
    }
    if from < text.len() {
        out.anchor(at + from);
        out.text.push_str(&text[from..]);
    }
}

/// Returns the character of a reference and the length of the reference.
pub(crate) fn character(text: &str) -> Option<(char, usize)> {
    const NAMED: [(&str, char); 34] = [
        ("amp", '&'),
        ("lt", '<'),
        ("gt", '>'),
        ("quot", '"'),
        ("apos", '\''),
        ("nbsp", ' '),
        ("zwnj", '\u{200c}'),
        ("zwj", '\u{200d}'),
        ("shy", '\u{ad}'),
        ("lrm", '\u{200e}'),
        ("rlm", '\u{200f}'),
        ("colon", ':'),
        ("period", '.'),
        ("sol", '/'),
        ("commat", '@'),
        ("NewLine", '\n'),
        ("Tab", '\t'),
        ("lowbar", '_'),
        ("lsqb", '['),
        ("rsqb", ']'),
        ("hyphen", '-'),
        ("dash", '-'),
        ("plus", '+'),
        ("equals", '='),
        ("num", '#'),
        ("comma", ','),
        ("ensp", ' '),
        ("emsp", ' '),
        ("thinsp", ' '),
        ("hairsp", ' '),
        ("numsp", ' '),
        ("NoBreak", '\u{2060}'),
        ("ZeroWidthSpace", '\u{200b}'),
        ("UnderBar", '_'),
    ];
    let bytes = text.as_bytes();
    let end = bytes.iter().take(18).skip(1).position(|byte| !byte.is_ascii_alphanumeric() && *byte != b'#')? + 1;
    let name = text.get(1..end)?;
    let length = end + usize::from(bytes.get(end) == Some(&b';'));
    let found = if let Some(number) = name.strip_prefix('#') {
        let code = number
            .strip_prefix(['x', 'X'])
            .map_or_else(|| number.parse().ok(), |hex| u32::from_str_radix(hex, 16).ok())?;
        char::from_u32(code)?
    } else {
        NAMED.iter().find(|(known, _)| *known == name)?.1
    };
    Some((found, length))
}

#[cfg(test)]
mod tests;
