//! Converts the HTML of a message to readable text, and plain text to HTML.
//!
//! One pass over the input without building a tree: never panics, never recurses, runs in linear time for any input,
//! and produces output of at most a constant times the input size. Nothing is rendered or fetched. Text that the sender
//! hid from sighted readers is returned separately, so that spam screening can inspect it.

pub mod bound;
mod element;
mod entity;
pub(crate) mod hidden;
mod layout;
mod open;
mod render;
mod tag;
pub mod view;

pub use entity::reference;
use render::TextRenderer;
pub use tag::quoted_tag_end;
use tag::{HtmlTag, HtmlTagScanner};

/// The text of an HTML body, split by whether a sighted reader sees it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HtmlText {
    /// The displayed text: blocks on separate lines, links as `label <url>`, list items with markers, quotes with `> `.
    pub visible: String,
    /// Text that the style or the attributes of its element hide, such as a preheader.
    pub hidden: String,
}

/// Returns the visible text of an HTML body, see [`HtmlText::visible`].
pub fn to_text(html: &str) -> String {
    extract(html).visible
}

/// Returns the visible and the hidden text of an HTML body.
pub fn extract(html: &str) -> HtmlText {
    let (extracted, unclosed_hidden) = run(html, true);
    if unclosed_hidden {
        // A hidden element that is never closed is probably a mistake, so its content is shown.
        return run(html, false).0;
    }
    extracted
}

/// The tags around plain text that is shown as HTML, so that line ends are preserved.
const TEXT_TAGS: [&str; 2] = ["<div style=\"white-space:pre-wrap\">", "</div>"];

/// Appends plain text as HTML: escapes markup and preserves line ends.
pub fn push_escaped(out: &mut String, text: &str) {
    push_escaped_up_to(out, text, usize::MAX);
}

/// Appends plain text as [`push_escaped`] does, up to a number of bytes of HTML. Returns whether that was all of it.
pub fn push_escaped_up_to(out: &mut String, text: &str, bytes_max: usize) -> bool {
    let [open, close] = TEXT_TAGS;
    let mut left = bytes_max.saturating_sub(open.len() + close.len());
    let is_over = |c: char| match left.checked_sub(view::escaped_bytes(c)) {
        Some(rest) => {
            left = rest;
            false
        }
        None => true,
    };
    let end = text.find(is_over);
    out.push_str(open);
    view::push_escaped(out, &text[..end.unwrap_or(text.len())]);
    out.push_str(close);
    end.is_none()
}

/// Runs one pass. Also returns whether a hidden element was still open at the end.
fn run(html: &str, respect_hidden: bool) -> (HtmlText, bool) {
    let mut renderer = TextRenderer::new(html.len(), respect_hidden);
    let mut tags = HtmlTagScanner::new(html);
    while let Some((text, tag)) = tags.next() {
        renderer.text(text);
        match tag {
            Some(HtmlTag::Open { name, attributes }) => renderer.open(name, attributes),
            Some(HtmlTag::Close { name }) => renderer.close(name),
            None => {}
        }
    }
    renderer.finish()
}

#[cfg(test)]
pub(crate) mod tests;
