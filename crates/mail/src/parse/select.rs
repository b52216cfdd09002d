//! Classifies the parts of a message as text body, HTML body or attachment (RFC 8621 §4.1.4), and returns their
//! contents.
//!
//! The recursion depth is bounded by the depth of the tree. The parts of one body are joined in order.

use std::borrow::Cow;

use super::attachment::ParsedAttachment;
use super::charset::{CharsetHints, EncodedText};
use super::flowed;
use super::structure::{MimePart, MimeTree};
use super::{ParsedMessage, content::PartHeader};
use crate::html;

/// The parts of a message by use, as node indices of the tree.
#[derive(Debug, Default)]
struct PartRoles {
    text: Vec<usize>,
    html: Vec<usize>,
    attachments: Vec<usize>,
}

/// The position of the recursive walk: the enclosing container, and which bodies still accept parts.
#[derive(Clone, Copy)]
struct WalkPosition<'a> {
    container: &'a str,
    in_alternative: bool,
    accepts_text: bool,
    accepts_html: bool,
}

/// Sets the bodies and attachments of `parsed` from the parts of `raw`.
pub(crate) fn fill<'a>(tree: &MimeTree, hints: CharsetHints<'_>, raw: &'a [u8], parsed: &mut ParsedMessage<'a>) {
    let mut roles = PartRoles::default();
    let walk = WalkPosition { container: "", in_alternative: false, accepts_text: true, accepts_html: true };
    classify(tree, &[0], walk, &mut roles);
    let decoder = BodyDecoder { tree, hints, raw };
    parsed.html = decoder.html(&roles);
    let (text, from_html) = decoder.text(&roles);
    parsed.text_from_html = from_html;
    parsed.text = text;
    parsed.attachments = roles
        .attachments
        .iter()
        .map(|&index| {
            let node = &tree.nodes[index];
            ParsedAttachment::new(&node.content, raw, node.body.clone())
        })
        .collect();
}

fn classify(tree: &MimeTree, parts: &[usize], mut walk: WalkPosition<'_>, roles: &mut PartRoles) {
    let (text_before, html_before) = (roles.text.len(), roles.html.len());
    for (index_in_container, &index) in parts.iter().enumerate() {
        let node = &tree.nodes[index];
        if node.is_multipart {
            let container = &node.content.media_type["multipart/".len()..];
            let inside =
                WalkPosition { container, in_alternative: walk.in_alternative || container == "alternative", ..walk };
            classify(tree, &node.children, inside, roles);
        } else if is_body(&node.content, index_in_container, walk.container) {
            classify_body(node, index, &mut walk, roles);
        } else {
            roles.attachments.push(index);
        }
    }
    if walk.container == "alternative" && walk.accepts_text && walk.accepts_html {
        let text_grew = roles.text.len() > text_before;
        let html_grew = roles.html.len() > html_before;
        if html_grew && !text_grew {
            let added = roles.html[html_before..].to_vec();
            roles.text.extend(added);
        } else if text_grew && !html_grew {
            let added = roles.text[text_before..].to_vec();
            roles.html.extend(added);
        }
    }
}

fn classify_body(node: &MimePart, index: usize, walk: &mut WalkPosition<'_>, roles: &mut PartRoles) {
    let is_html = node.content.media_type == "text/html";
    if walk.container == "alternative" {
        let list = if is_html { &mut roles.html } else { &mut roles.text };
        list.push(index);
        return;
    }
    if walk.in_alternative {
        walk.accepts_text &= !is_html;
        walk.accepts_html &= is_html;
    }
    if walk.accepts_text {
        roles.text.push(index);
    }
    if walk.accepts_html {
        roles.html.push(index);
    }
    if !walk.accepts_text && !walk.accepts_html {
        roles.attachments.push(index);
    }
}

/// Returns whether a leaf is displayed as body rather than offered as a file.
fn is_body(content: &PartHeader, index_in_container: usize, container: &str) -> bool {
    let is_text = match &*content.media_type {
        "text/plain" | "text/html" => true,
        // A message that consists of a single part of a rarer text type still needs a body.
        "text/markdown" | "text/enriched" | "text/richtext" | "text/x-amp-html" => container.is_empty(),
        _ => false,
    };
    let is_named = content.filename.is_some();
    is_text && !content.is_attachment && (index_in_container == 0 || (container != "related" && !is_named))
}

struct BodyDecoder<'t, 'a> {
    tree: &'t MimeTree,
    hints: CharsetHints<'t>,
    raw: &'a [u8],
}

impl BodyDecoder<'_, '_> {
    /// Returns the text body, and whether it was converted from HTML.
    fn text(&self, roles: &PartRoles) -> (Option<String>, bool) {
        let (text, from_html) = self.joined_text(&roles.text);
        if !text.trim().is_empty() || roles.html.is_empty() {
            return ((!roles.text.is_empty()).then_some(text), from_html);
        }
        // An empty text alternative carries no content, so convert the HTML instead.
        let (text_of_html, from_html) = self.joined_text(&roles.html);
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

    /// Returns the HTML body: its parts in order, with plain text parts between them escaped. Returns `None` if no part
    /// is HTML.
    fn html(&self, roles: &PartRoles) -> Option<String> {
        if !roles.html.iter().any(|&index| self.is_html(index)) {
            return None;
        }
        let mut out = String::new();
        for &index in &roles.html {
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
        let (is_html, hints) = (self.is_html(index), self.hints);
        let text = match bytes {
            Cow::Borrowed(bytes) => line_feeds(EncodedText { bytes, label, is_html, hints }.decode()),
            Cow::Owned(bytes) => {
                let text = EncodedText { bytes: &bytes, label, is_html, hints }.decode();
                Cow::Owned(line_feeds(text).into_owned())
            }
        };
        if node.content.has_soft_breaks && !is_html { Cow::Owned(flowed::joined(&text)) } else { text }
    }
}

/// Converts CRLF and lone CR to LF, and NUL, which the databases don't accept in text, to U+FFFD.
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
