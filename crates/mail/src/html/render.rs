//! Lays out the text of HTML in lines: blocks, lists, links, quotes, table rows.

use super::HtmlText;
use super::entity;
use super::hidden::{HidingAttributes, HidingState, OwnHiding, is_filler};
use super::layout::{ElementLayout, Gap, LayoutRole};
use super::tag::{attribute, read_attributes};

/// Maximum quote depth that is shown as a separate `> `.
const QUOTE_DEPTH_MAX: usize = 5;

/// Maximum number of nested lists with separate numbering.
const LIST_DEPTH_MAX: usize = 16;

/// Bytes of markers of quotes and lists for each byte of the HTML. Lines over it have no markers, so that a small mail has
/// no large text.
const MARKERS_PER_BYTE_MAX: usize = 2;

/// Bytes of markers that even the smallest HTML may have.
const MARKER_BYTES_MIN: usize = 64;

/// Maximum length of a link target that is written to the output, in bytes.
const LINK_BYTES_MAX: usize = 8_192;

/// Maximum number of nested elements that change what is hidden. Deeper ones change nothing.
const HIDING_DEPTH_MAX: usize = 64;

struct OpenLink {
    target: String,
    /// Offset of the label in the output.
    start: usize,
    /// Whether a link without label is shown.
    is_shown: bool,
}

/// An element that changes what is hidden.
struct HidingElement<'a> {
    name: &'a str,
    /// Number of open elements of that name, including its own.
    depth: usize,
    /// What is hidden inside.
    state: HidingState,
}

/// The marker of an item of a list.
enum Marker {
    Bullet,
    Number(u32),
}

/// The state of the pass over an HTML text.
pub(crate) struct TextRenderer<'a> {
    out: String,
    hidden_out: String,
    gap: Gap,
    quote_depth: usize,
    pre_depth: usize,
    /// The next number of each open ordered list; `None` for a bulleted list.
    lists: Vec<Option<u32>>,
    marker: Option<Marker>,
    link: Option<OpenLink>,
    /// The innermost last. Only the last one can be removed from the text with all that is inside.
    hiding: Vec<HidingElement<'a>>,
    respect_hidden: bool,
    /// How many bytes of markers may still be written.
    marker_bytes_left: usize,
}

impl<'a> TextRenderer<'a> {
    /// Creates the renderer of an HTML text of this size.
    pub(crate) fn new(html_bytes: usize, respect_hidden: bool) -> Self {
        TextRenderer {
            out: String::new(),
            hidden_out: String::new(),
            gap: Gap::None,
            quote_depth: 0,
            pre_depth: 0,
            lists: Vec::new(),
            marker: None,
            link: None,
            hiding: Vec::new(),
            respect_hidden,
            marker_bytes_left: html_bytes.saturating_mul(MARKERS_PER_BYTE_MAX).saturating_add(MARKER_BYTES_MIN),
        }
    }

    pub(crate) fn text(&mut self, raw: &str) {
        if raw.is_empty() {
            return;
        }
        if is_short_word(raw) && !self.state().hides_text() {
            self.flush_gap();
            return self.out.push_str(raw);
        }
        let text = entity::decoded(raw);
        if self.state().hides_text() {
            push_folded(&mut self.hidden_out, &text);
            // It can separate boxes with letters of their own.
            if !self.state().is_removed() && text.chars().all(is_white_space) {
                self.request_gap(Gap::Space);
            }
        } else if self.pre_depth > 0 {
            self.write_preformatted(&text);
        } else {
            self.write_flowing(&text);
        }
    }

    fn write_flowing(&mut self, text: &str) {
        for (index, word) in text.split(is_white_space).enumerate() {
            if index > 0 {
                self.request_gap(Gap::Space);
            }
            if !word.is_empty() {
                self.write_word(word);
            }
        }
    }

    fn write_preformatted(&mut self, text: &str) {
        for (index, line) in text.split('\n').enumerate() {
            if index > 0 {
                self.flush_gap();
                trim_line(&mut self.out);
                self.out.push('\n');
            }
            let line = line.trim_end_matches('\r');
            if !line.is_empty() {
                self.write_word(line);
            }
        }
    }

    /// Writes text that neither begins nor ends with white space, after the pending gap.
    fn write_word(&mut self, word: &str) {
        if word.bytes().all(|byte| byte.is_ascii_graphic()) {
            self.flush_gap();
            return self.out.push_str(word);
        }
        if word.chars().all(is_filler) {
            return;
        }
        self.flush_gap();
        for c in word.chars() {
            match c {
                // These have no effect on the text around them.
                '\u{ad}' | '\u{34f}' | '\u{200b}' | '\u{2060}' | '\u{feff}' => {}
                '\t' => self.out.push('\t'),
                c if c.is_control() => {}
                c => self.out.push(c),
            }
        }
    }

    fn request_gap(&mut self, gap: Gap) {
        self.gap = self.gap.max(gap);
    }

    fn flush_gap(&mut self) {
        let gap = std::mem::replace(&mut self.gap, Gap::None);
        let mut new_line = matches!(self.out.as_bytes().last(), None | Some(b'\n'));
        match gap {
            Gap::None => {}
            Gap::Space if !new_line => self.out.push(' '),
            Gap::Cell if !new_line => self.out.push('\t'),
            Gap::Space | Gap::Cell => {}
            Gap::Line | Gap::Paragraph => {
                trim_line(&mut self.out);
                match self.out.as_bytes() {
                    [] | [.., b'\n', b'\n'] => {}
                    [.., b'\n'] if gap == Gap::Line => {}
                    [.., b'\n'] => self.out.push('\n'),
                    _ if gap == Gap::Line => self.out.push('\n'),
                    _ => self.out.push_str("\n\n"),
                }
                new_line = true;
            }
        }
        if new_line {
            for _ in 0..self.quote_depth.min(QUOTE_DEPTH_MAX) {
                self.push_marker("> ");
            }
        }
        match self.marker.take() {
            Some(Marker::Bullet) => self.push_marker("- "),
            Some(Marker::Number(number)) => self.push_marker(&format!("{number}. ")),
            None => {}
        }
    }

    fn push_marker(&mut self, marker: &str) {
        if let Some(left) = self.marker_bytes_left.checked_sub(marker.len()) {
            self.marker_bytes_left = left;
            self.out.push_str(marker);
        }
    }

    /// Returns what is hidden here.
    fn state(&self) -> HidingState {
        self.hiding.last().map_or_else(HidingState::default, |last| last.state)
    }

    /// Begins an element that changes what is hidden.
    fn begin_hiding(&mut self, name: &'a str, attributes: &str, layout: ElementLayout) {
        let is_changeable = layout.can_hide || !self.hiding.is_empty();
        if !self.respect_hidden || !is_changeable || attributes.is_empty() || self.hiding.len() >= HIDING_DEPTH_MAX {
            return;
        }
        let state = self.state().inside(&own_hiding(name, attributes));
        let can_hide = layout.can_hide || !state.hides_text() && layout.has_content(name);
        if can_hide && state != self.state() {
            self.separate_hidden();
            self.hiding.push(HidingElement { name, depth: 1, state });
        }
    }

    /// Ends the elements that change what is hidden whose tags are balanced.
    fn end_hiding(&mut self, name: &str) {
        for element in &mut self.hiding {
            element.depth -= usize::from(element.name.eq_ignore_ascii_case(name));
        }
        if let Some(ended) = self.hiding.iter().position(|element| element.depth == 0) {
            self.hiding.truncate(ended);
        }
    }

    pub(crate) fn open(&mut self, name: &'a str, attributes: &str) {
        for element in &mut self.hiding {
            element.depth += usize::from(element.name.eq_ignore_ascii_case(name));
        }
        if self.state().is_removed() {
            return self.separate_hidden();
        }
        let layout = ElementLayout::of(name);
        self.begin_hiding(name, attributes, layout);
        if self.state().is_removed() {
            return;
        }
        self.request_gap(layout.gap);
        match layout.role {
            LayoutRole::None => {}
            LayoutRole::LineBreak => self.line_break(),
            LayoutRole::Ruler => {
                if !self.state().hides_images() {
                    self.write_word("---");
                    self.request_gap(Gap::Line);
                }
            }
            LayoutRole::Item => self.list_item(),
            LayoutRole::List => self.begin_list(None),
            LayoutRole::NumberedList => {
                self.begin_list(Some(attribute(attributes, "start").and_then(|n| n.trim().parse().ok()).unwrap_or(1)))
            }
            LayoutRole::Quote => self.quote_depth += 1,
            LayoutRole::Preformatted => self.pre_depth += 1,
            LayoutRole::Link => self.begin_link(attributes),
            LayoutRole::Image => self.write_image(attributes),
        }
    }

    pub(crate) fn close(&mut self, name: &str) {
        let was_removed = self.state().is_removed();
        if !self.hiding.is_empty() {
            self.separate_hidden();
            self.end_hiding(name);
        }
        if was_removed {
            return;
        }
        let layout = ElementLayout::of(name);
        match layout.role {
            LayoutRole::Link => self.end_link(),
            LayoutRole::Quote => self.quote_depth = self.quote_depth.saturating_sub(1),
            LayoutRole::Preformatted => self.pre_depth = self.pre_depth.saturating_sub(1),
            LayoutRole::List | LayoutRole::NumberedList => {
                self.lists.pop();
                self.marker = None;
            }
            LayoutRole::LineBreak => self.line_break(),
            LayoutRole::None | LayoutRole::Ruler | LayoutRole::Item | LayoutRole::Image => {}
        }
        self.request_gap(layout.gap);
    }

    /// Separates the hidden text behind a tag from that in front of it.
    fn separate_hidden(&mut self) {
        if !self.hidden_out.is_empty() && !self.hidden_out.ends_with(' ') {
            self.hidden_out.push(' ');
        }
    }

    /// Handles `<br>`: one ends the line, two produce an empty line.
    fn line_break(&mut self) {
        let gap = if self.gap >= Gap::Line { Gap::Paragraph } else { Gap::Line };
        self.request_gap(gap);
    }

    fn begin_list(&mut self, first: Option<u32>) {
        if self.lists.len() < LIST_DEPTH_MAX {
            self.lists.push(first);
        }
    }

    fn list_item(&mut self) {
        self.marker = Some(match self.lists.last_mut() {
            Some(Some(number)) => {
                let marker = Marker::Number(*number);
                *number = number.saturating_add(1);
                marker
            }
            _ => Marker::Bullet,
        });
    }

    fn begin_link(&mut self, attributes: &str) {
        self.end_link();
        let Some(target) = attribute(attributes, "href").filter(|target| target.len() <= LINK_BYTES_MAX) else {
            return;
        };
        let target = entity::decoded(target.trim());
        let lower = target.get(..8).unwrap_or(&target).to_ascii_lowercase();
        let has_known_scheme =
            ["http://", "https://", "mailto:", "tel:"].iter().any(|scheme| lower.starts_with(scheme));
        if has_known_scheme {
            let target: String = target.chars().filter(|c| !c.is_whitespace() && !c.is_control()).collect();
            let start = self.out.len();
            self.link = Some(OpenLink { target, start, is_shown: !self.state().hides_text() });
        }
    }

    /// Writes the link target after the label, unless the label is the same.
    fn end_link(&mut self) {
        let Some(link) = self.link.take() else {
            return;
        };
        let label = self.out.get(link.start..).unwrap_or_default().trim();
        let label = label.trim_start_matches("> ").trim_start_matches("- ");
        if label.is_empty() && !link.is_shown || same_target(label, &link.target) {
            return;
        }
        if !label.is_empty() {
            self.gap = Gap::Space;
        }
        self.flush_gap();
        self.out.push('<');
        self.out.push_str(&link.target);
        self.out.push('>');
    }

    fn write_image(&mut self, attributes: &str) {
        if self.state().hides_images() {
            return;
        }
        self.link.iter_mut().for_each(|link| link.is_shown = true);
        if let Some(alt) = attribute(attributes, "alt") {
            let alt = entity::decoded(alt);
            self.write_flowing(&alt);
        }
    }

    pub(crate) fn finish(mut self) -> (HtmlText, bool) {
        self.end_link();
        let unclosed = self.state().hides_text();
        let visible = self.out.trim_end().trim_start_matches('\n').to_owned();
        let hidden = self.hidden_out.trim().to_owned();
        (HtmlText { visible, hidden }, unclosed)
    }
}

/// Returns what the attributes of an element decide about what is hidden.
fn own_hiding(name: &str, attributes: &str) -> OwnHiding {
    let mut hiding = HidingAttributes::default();
    for attribute in read_attributes(attributes) {
        hiding.add(attribute.name, attribute.value);
    }
    OwnHiding::of(name, &hiding)
}

/// Returns whether a label already names the target of its link.
fn same_target(label: &str, target: &str) -> bool {
    let bare = |text: &str| -> String {
        let text = text.trim().trim_end_matches('/').to_lowercase();
        let text = text.strip_prefix("https://").or(text.strip_prefix("http://")).unwrap_or(&text);
        let text = text.strip_prefix("mailto:").or(text.strip_prefix("tel:")).unwrap_or(text);
        text.split_whitespace().collect()
    };
    // A label much longer than its target can't be equal; skip the comparison.
    label.len() <= 2 * target.len() + 16 && bare(label) == bare(target)
}

/// Appends text with collapsed white space.
fn push_folded(out: &mut String, text: &str) {
    for piece in text.split_inclusive(is_white_space) {
        let word = piece.trim_matches(is_white_space);
        out.push_str(word);
        if word.len() < piece.len() && !out.is_empty() && !out.ends_with([' ', '\n']) {
            out.push(' ');
        }
    }
}

/// Returns whether a text is one word of few ASCII characters, without character references. Many texts are.
fn is_short_word(text: &str) -> bool {
    const BYTES_MAX: usize = 16;
    text.len() <= BYTES_MAX && text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'&')
}

fn is_white_space(c: char) -> bool {
    c.is_ascii_whitespace() || c == '\u{a0}' || c == '\u{b}'
}

/// Removes trailing white space from the last line.
fn trim_line(out: &mut String) {
    if !matches!(out.as_bytes().last(), Some(b' ' | b'\t')) {
        return;
    }
    let is_kept = |byte: &u8| !matches!(byte, b' ' | b'\t');
    out.truncate(out.as_bytes().iter().rposition(is_kept).map_or(0, |last| last + 1));
}
