//! Which parts are the text, which the HTML, which attachments (RFC 8621 §4.1.4), and their contents.
//!
//! The recursion is bounded by the depth of the tree. Parts of one body are joined in order.

use std::borrow::Cow;

use super::attachment::Attachment;
use super::charset;
use super::structure::{Node, Tree};
use super::{Parsed, content::Content};
use crate::html;

/// The parts of a message by their use; numbers are nodes of the tree.
#[derive(Debug, Default)]
struct Chosen {
    text: Vec<usize>,
    html: Vec<usize>,
    attachments: Vec<usize>,
}

/// Where the walk stands: which of the two bodies still take parts, and inside what.
#[derive(Clone, Copy)]
struct Place<'a> {
    container: &'a str,
    in_alternative: bool,
    takes_text: bool,
    takes_html: bool,
}

/// Fills bodies and attachments of `parsed` from the parts of `raw`.
pub(crate) fn fill<'a>(tree: &Tree, raw: &'a [u8], parsed: &mut Parsed<'a>) {
    let mut chosen = Chosen::default();
    let place = Place { container: "", in_alternative: false, takes_text: true, takes_html: true };
    choose(tree, &[0], place, &mut chosen);
    let bodies = Bodies { tree, raw };
    parsed.html = bodies.html(&chosen);
    let (text, from_html) = bodies.text(&chosen);
    parsed.text_from_html = from_html;
    parsed.text = text;
    parsed.attachments = chosen
        .attachments
        .iter()
        .map(|&index| {
            let node = &tree.nodes[index];
            Attachment::new(&node.content, &raw[node.body.clone()])
        })
        .collect();
}

fn choose(tree: &Tree, parts: &[usize], mut place: Place<'_>, chosen: &mut Chosen) {
    let (text_before, html_before) = (chosen.text.len(), chosen.html.len());
    for (position, &index) in parts.iter().enumerate() {
        let node = &tree.nodes[index];
        if node.is_multipart {
            let container = &node.content.media_type["multipart/".len()..];
            let inside =
                Place { container, in_alternative: place.in_alternative || container == "alternative", ..place };
            choose(tree, &node.children, inside, chosen);
        } else if is_body(&node.content, position, place.container) {
            choose_body(node, index, &mut place, chosen);
        } else {
            chosen.attachments.push(index);
        }
    }
    if place.container == "alternative" && place.takes_text && place.takes_html {
        let text_grew = chosen.text.len() > text_before;
        let html_grew = chosen.html.len() > html_before;
        if html_grew && !text_grew {
            let added = chosen.html[html_before..].to_vec();
            chosen.text.extend(added);
        } else if text_grew && !html_grew {
            let added = chosen.text[text_before..].to_vec();
            chosen.html.extend(added);
        }
    }
}

fn choose_body(node: &Node, index: usize, place: &mut Place<'_>, chosen: &mut Chosen) {
    let is_html = node.content.media_type == "text/html";
    if place.container == "alternative" {
        let list = if is_html { &mut chosen.html } else { &mut chosen.text };
        list.push(index);
        return;
    }
    if place.in_alternative {
        place.takes_text &= !is_html;
        place.takes_html &= is_html;
    }
    if place.takes_text {
        chosen.text.push(index);
    }
    if place.takes_html {
        chosen.html.push(index);
    }
    if !place.takes_text && !place.takes_html {
        chosen.attachments.push(index);
    }
}

/// Whether a leaf is shown as body rather than offered as a file.
fn is_body(content: &Content, position: usize, container: &str) -> bool {
    let is_text = match &*content.media_type {
        "text/plain" | "text/html" => true,
        // A message that is nothing but one text of a rarer kind is still to be read.
        "text/markdown" | "text/enriched" | "text/richtext" | "text/x-amp-html" => container.is_empty(),
        _ => false,
    };
    let is_named = content.filename.is_some();
    is_text && !content.is_attachment && (position == 0 || (container != "related" && !is_named))
}

struct Bodies<'t, 'a> {
    tree: &'t Tree,
    raw: &'a [u8],
}

impl Bodies<'_, '_> {
    /// The text body, and whether HTML was used for it.
    fn text(&self, chosen: &Chosen) -> (Option<String>, bool) {
        let (text, from_html) = self.joined_text(&chosen.text);
        if !text.trim().is_empty() || chosen.html.is_empty() {
            return (some_if(!chosen.text.is_empty(), text), from_html);
        }
        // An empty text alternative beside an HTML body says nothing: read the HTML.
        let (text_of_html, from_html) = self.joined_text(&chosen.html);
        (Some(text_of_html), from_html)
    }

    fn joined_text(&self, parts: &[usize]) -> (String, bool) {
        let mut text = String::new();
        let mut from_html = false;
        for &index in parts {
            if !text.is_empty() && !text.ends_with('\n') {
                text.push('\n');
            }
            let decoded = self.decoded(index);
            if self.is_html(index) {
                from_html = true;
                text.push_str(&html::to_text(&decoded));
            } else if text.is_empty() {
                text = decoded.into_owned();
            } else {
                text.push_str(&decoded);
            }
        }
        (text, from_html)
    }

    /// The HTML body: its parts in order, plain ones between them escaped; none when no part is HTML.
    fn html(&self, chosen: &Chosen) -> Option<String> {
        if !chosen.html.iter().any(|&index| self.is_html(index)) {
            return None;
        }
        let mut out = String::new();
        for &index in &chosen.html {
            let decoded = self.decoded(index);
            if !self.is_html(index) {
                html::push_escaped(&mut out, &decoded);
            } else if out.is_empty() {
                out = decoded.into_owned();
            } else {
                out.push_str(&decoded);
            }
        }
        Some(out)
    }

    fn is_html(&self, index: usize) -> bool {
        self.tree.nodes[index].content.media_type == "text/html"
    }

    fn decoded(&self, index: usize) -> Cow<'_, str> {
        let node = &self.tree.nodes[index];
        let label = node.content.charset.as_deref();
        let bytes = node.content.encoding.decode(&self.raw[node.body.clone()]);
        let is_html = self.is_html(index);
        let decode = if is_html { charset::decode_html } else { charset::decode };
        match bytes {
            Cow::Borrowed(bytes) => line_feeds(decode(label, bytes)),
            Cow::Owned(bytes) => Cow::Owned(line_feeds(decode(label, &bytes)).into_owned()),
        }
    }
}

fn some_if(there: bool, text: String) -> Option<String> {
    there.then_some(text)
}

/// CRLF and lone CR become LF; NUL, which no store of text takes, becomes U+FFFD.
pub(crate) fn line_feeds(text: Cow<'_, str>) -> Cow<'_, str> {
    let mut breaks = memchr::memchr2_iter(b'\r', 0, text.as_bytes()).peekable();
    if breaks.peek().is_none() {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for at in breaks {
        out.push_str(&text[from..at]);
        match &text.as_bytes()[at..] {
            [b'\r', b'\n', ..] => {}
            [b'\r', ..] => out.push('\n'),
            _ => out.push('\u{fffd}'),
        }
        from = at + 1;
    }
    out.push_str(&text[from..]);
    Cow::Owned(out)
}
