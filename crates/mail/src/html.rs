//! HTML of a mail to readable text (decision 21), and plain text to HTML.
//!
//! One pass over the bytes without a tree: it never panics, never recurses, needs time linear in its input whatever the
//! input is, and its output is at most a constant times the input. It renders nothing and fetches nothing. Text that the
//! author hid from sighted readers is kept apart, for the screening to look at.

mod entity;
mod render;
mod tag;

use render::Renderer;
use tag::{Tag, Tags};

/// Text of an HTML body, by whether a sighted reader sees it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Extracted {
    /// What is shown: blocks on lines, links as `label <url>`, list items marked, quotations behind `> `.
    pub visible: String,
    /// What `display:none`, `visibility:hidden`, zero sizes or `hidden` take from sight (preheaders, traps).
    pub hidden: String,
}

/// The visible text of an HTML body; see [`Extracted::visible`].
pub fn to_text(html: &str) -> String {
    extract(html).visible
}

/// Visible and hidden text of an HTML body.
pub fn extract(html: &str) -> Extracted {
    let (extracted, unclosed) = run(html, true);
    if unclosed {
        // An element that hides everything to the end is more likely broken than meant: show it.
        return run(html, false).0;
    }
    extracted
}

/// Appends plain text as HTML: markup escaped, line ends kept.
pub fn push_escaped(out: &mut String, text: &str) {
    out.push_str("<div style=\"white-space:pre-wrap\">");
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
    out.push_str("</div>");
}

/// One pass; also tells whether a hidden element was still open at the end.
fn run(html: &str, honour_hidden: bool) -> (Extracted, bool) {
    let mut renderer = Renderer::new(honour_hidden);
    let mut tags = Tags::new(html);
    while let Some((text, tag)) = tags.next() {
        renderer.text(text);
        match tag {
            Some(Tag::Open { name, attributes }) => renderer.open(name, attributes),
            Some(Tag::Close { name }) => renderer.close(name),
            None => {}
        }
    }
    renderer.finish()
}

#[cfg(test)]
mod tests;
