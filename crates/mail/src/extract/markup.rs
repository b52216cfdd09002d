//! Converts HTML to marked lines: the quote and signature markers of mail clients become [`LineMark`]s.
//!
//! Only the outermost marker counts, except that text inside hidden text can be shown again. Unclosed elements are
//! tolerated: a region ends when the tags of its own name are balanced.

use super::line::{LineMark, MarkedLine};
use super::token::{self, HtmlName, HtmlStartTag, HtmlToken};
use crate::html::hidden::{HidingAttributes, HidingState, OwnHiding, is_filler};
use crate::lines::lines;

/// Maximum number of nested regions. Deeper ones have no effect.
const REGIONS_MAX: usize = 12;

/// `id`, `class` or `name` values of elements after which everything is history (Outlook on the web, Outlook mobile and
/// Mac, NetEase).
const CUT: [&str; 8] = [
    "divrplyfwdmsg",
    "appendonsend",
    "mail-editor-reference-message-container",
    "ms-outlook-mobile-reference-message",
    "olk_src_body_section",
    "isreplycontent",
    "stopspelling",
    "original-content",
];

/// `id`, `class` or `name` values of elements that contain only history.
const QUOTED: [&str; 24] = [
    "yahoo_quoted",
    "tutanota_quote",
    "zmail_extra",
    "blockquote_zmail",
    "freshdesk_quote",
    "front-blockquote",
    "quoted-content",
    "sh-quoted-content",
    "messagereplysection",
    "appleoriginalcontents",
    "history_container",
    "hey_quoted",
    "zendesk_quote",
    "airmail_ext_on",
    "elided-text",
    "mail_quote",
    "hs_reply",
    "nylas-quote",
    "missive_quote",
    "mail_android_quote",
    "wps_quotion",
    "mailbird-quote",
    "tutanota_quote_container",
    "quote",
];

/// Values that mark a `blockquote` as history. On a `div`, they only group the attribution, quotes and inline replies.
const QUOTED_BLOCKQUOTE: [&str; 3] = ["protonmail_quote", "moz-cite", "quoted"];

/// The value of quotes in Gmail. On a `div`, it groups the attribution and the history; outside, an author quotes
/// something else.
const GMAIL_QUOTE: &str = "gmail_quote";

/// Values of attribution lines ("On … wrote:").
const ATTRIBUTION: [&str; 4] = ["gmail_attr", "moz-cite-prefix", "gmail_quote_attribution", "reply-intro"];

/// Values of elements that begin a forwarded message, which is content.
const FORWARD: [&str; 2] = ["moz-forward-container", "isforwardcontent"];

/// The text of an HTML document in lines, and the mark of each line.
#[derive(Debug, Default)]
pub(super) struct MarkedText {
    text: String,
    marks: Vec<LineMark>,
    /// Whether the document contains a marker of history.
    pub(super) has_history: bool,
    /// Whether it contains other quotations.
    pub(super) has_quotes: bool,
}

impl MarkedText {
    /// Returns the first lines with their marks, at most `lines_max`.
    pub(super) fn lines(&self, lines_max: usize) -> Vec<MarkedLine<'_>> {
        let marked = lines(&self.text).zip(&self.marks).take(lines_max);
        marked.map(|(text, mark)| MarkedLine { text, mark: *mark }).collect()
    }

    /// Returns the lines that an element marks as signature.
    pub(super) fn signature(&self) -> Vec<&str> {
        if !self.marks.contains(&LineMark::Signature) {
            return Vec::new();
        }
        let lines = lines(&self.text).zip(&self.marks);
        lines.filter(|(_, mark)| **mark == LineMark::Signature).map(|(text, _)| text).collect()
    }
}

/// Converts an HTML document. A hidden element that is never closed is probably a mistake, so its content is shown.
pub(super) fn read(html: &str) -> MarkedText {
    let text = read_with(html, true);
    text.or_else(|| read_with(html, false)).unwrap_or_default()
}

/// Converts an HTML document. Returns `None` if an element that `respects_hidden` counts is still open at the end.
fn read_with(html: &str, respects_hidden: bool) -> Option<MarkedText> {
    let mut reader = MarkupReader { respects_hidden, ..MarkupReader::default() };
    for token in token::tokens(html) {
        match token {
            HtmlToken::Text(text) => reader.write_text(text),
            HtmlToken::Open(tag) => reader.open(tag),
            HtmlToken::Close(name) => reader.close(name),
        }
    }
    let is_open = |region: &MarkedRegion<'_>| region.mark == LineMark::Hidden;
    let is_hidden = respects_hidden && reader.regions.iter().any(is_open);
    (!is_hidden).then(|| reader.finish())
}

/// An element that marks its content.
#[derive(Debug)]
struct MarkedRegion<'a> {
    name: &'a str,
    /// Number of open elements of that name, including the region's own.
    open: usize,
    mark: LineMark,
    /// What is hidden inside.
    state: HidingState,
}

#[derive(Debug, Default)]
struct MarkupReader<'a> {
    text: String,
    marks: Vec<LineMark>,
    line: String,
    regions: Vec<MarkedRegion<'a>>,
    preformatted: usize,
    /// Whether the next line begins a forwarded message.
    forward: bool,
    /// Whether everything that follows is history.
    cut: bool,
    has_history: bool,
    has_quotes: bool,
    /// Whether an element of Gmail groups history.
    in_gmail_quote: bool,
    /// Whether hidden elements are left out.
    respects_hidden: bool,
}

impl<'a> MarkupReader<'a> {
    fn mark(&self) -> LineMark {
        let outside = if self.cut { LineMark::UnquotedHistory } else { LineMark::Unclassified };
        self.regions.last().map_or(outside, |region| region.mark)
    }

    /// Returns what is hidden here.
    fn state(&self) -> HidingState {
        self.regions.last().map_or_else(HidingState::default, |region| region.state)
    }

    /// Returns the mark of text that isn't hidden here.
    fn shown_mark(&self) -> LineMark {
        let outside = if self.cut { LineMark::UnquotedHistory } else { LineMark::Unclassified };
        self.regions.iter().rev().map(|region| region.mark).find(|mark| *mark != LineMark::Hidden).unwrap_or(outside)
    }

    fn write_text(&mut self, text: &str) {
        let text = token::decode(text);
        if self.preformatted > 0 { self.write_preformatted(&text) } else { self.write_flowing(&text) }
    }

    fn write_preformatted(&mut self, text: &str) {
        for c in text.chars() {
            match c {
                '\n' => self.end_line(),
                '\r' => {}
                '\u{a0}' => self.line.push(' '),
                c => self.line.push(c),
            }
        }
    }

    fn write_flowing(&mut self, text: &str) {
        let mut rest = text;
        while let Some(at) = space(rest) {
            self.line.push_str(&rest[..at]);
            let is_kept = !rest.as_bytes()[at].is_ascii();
            if is_kept || !self.line.is_empty() && !self.line.ends_with(' ') {
                self.line.push(' ');
            }
            rest = &rest[at + if is_kept { '\u{a0}'.len_utf8() } else { 1 }..];
        }
        self.line.push_str(rest);
    }

    fn open(&mut self, tag: HtmlStartTag<'a>) {
        if tag.is("br") {
            return self.end_line();
        }
        let traits = tag.name.traits;
        if traits.is_block() {
            self.end_text();
            if traits.has_space_above() {
                self.blank_line();
            } else if tag.is("li") {
                self.line.push_str("- ");
            }
        } else if traits.is_cell() && !self.line.is_empty() {
            self.line.push(' ');
        }
        // The tokenizer skips what is never displayed, with its end tag.
        let is_empty = traits.is_void() || traits.is_undisplayed();
        if is_empty || tag.closes_itself() && !traits.is_block() {
            return;
        }
        self.preformatted += usize::from(tag.is("pre"));
        for region in &mut self.regions {
            region.open += usize::from(tag.is(region.name));
        }
        self.begin_region(tag);
    }

    /// Begins a region if the tag marks its content.
    fn begin_region(&mut self, tag: HtmlStartTag<'a>) {
        if !tag.has_attributes() && !tag.is("blockquote") {
            return;
        }
        let is_hidden = self.mark() == LineMark::Hidden;
        let is_decided = !matches!(self.shown_mark(), LineMark::Unclassified | LineMark::Indented);
        let is_open = !is_decided && !self.state().is_removed() && self.regions.len() < REGIONS_MAX;
        if !is_open && (self.in_gmail_quote || !tag.is("div")) {
            return;
        }
        let attributes = MarkingAttributes::of(tag);
        self.in_gmail_quote |= tag.is("div") && attributes.class.is_some_and(|class| class.contains(GMAIL_QUOTE));
        if !is_open {
            return;
        }
        let own = attributes.own_hiding(tag);
        let is_shown = !self.state().inside(&own).hides_text();
        let state = if self.respects_hidden { self.state().inside(&own) } else { HidingState::default() };
        let mark = match self.mark_of(tag, &attributes, state.hides_text()) {
            Some(mark) => mark,
            None if is_hidden && !state.hides_text() => self.shown_mark(),
            None => return,
        };
        if mark == LineMark::Hidden && is_hidden && state == self.state() {
            return;
        }
        self.end_text();
        self.has_history |=
            matches!(mark, LineMark::Quoted | LineMark::UnquotedHistory | LineMark::Dropped) && is_shown;
        self.has_quotes |= mark == LineMark::Indented;
        match mark {
            LineMark::UnquotedHistory => {
                self.cut = true;
                self.regions.clear();
            }
            LineMark::ForwardedMessage => self.forward = true,
            mark => self.regions.push(MarkedRegion { name: tag.name.text, open: 1, mark, state }),
        }
    }

    fn close(&mut self, name: HtmlName<'_>) {
        if name.traits.is_block() {
            self.end_text();
            if name.traits.has_space_below() {
                self.blank_line();
            }
        }
        if name.is("pre") {
            self.preformatted = self.preformatted.saturating_sub(1);
        }
        let mut keep = self.regions.len();
        for (at, region) in self.regions.iter_mut().enumerate() {
            if name.is(region.name) {
                region.open = region.open.saturating_sub(1);
                if region.open == 0 {
                    keep = keep.min(at);
                }
            }
        }
        if keep < self.regions.len() {
            self.end_text();
            self.regions.truncate(keep);
        }
    }

    /// Ends the line if it contains text.
    fn end_text(&mut self) {
        if !self.line.is_empty() {
            self.end_line();
        }
    }

    /// Returns the mark that an element gives its content here.
    fn mark_of(&self, tag: HtmlStartTag<'_>, attributes: &MarkingAttributes<'_>, is_hidden: bool) -> Option<LineMark> {
        let mark = attributes.mark_of(tag, is_hidden)?;
        let is_grouped = mark == LineMark::Indented && self.in_gmail_quote;
        Some(if is_grouped { LineMark::Quoted } else { mark })
    }

    /// Adds an empty line unless there already is one.
    fn blank_line(&mut self) {
        if !matches!(self.text.as_bytes(), [] | [.., b'\n', b'\n']) {
            self.end_line();
        }
    }

    fn end_line(&mut self) {
        let mark = if std::mem::take(&mut self.forward) { LineMark::ForwardedMessage } else { self.mark() };
        let is_trimmed = self.line.as_bytes().last().is_none_or(u8::is_ascii_graphic);
        let is_blank = |c: char| c.is_whitespace() || is_filler(c);
        self.text.push_str(if is_trimmed { &self.line } else { self.line.trim_end_matches(is_blank) });
        self.text.push('\n');
        self.marks.push(mark);
        self.line.clear();
    }

    fn finish(mut self) -> MarkedText {
        self.end_text();
        MarkedText { text: self.text, marks: self.marks, has_history: self.has_history, has_quotes: self.has_quotes }
    }
}

/// Returns the place of the first white space of ASCII, or of the first no-break space.
fn space(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let is_space =
        |at: &usize| bytes[*at].is_ascii_whitespace() || bytes[*at] == 0xc2 && bytes.get(at + 1) == Some(&0xa0);
    (0..bytes.len()).find(is_space)
}

/// The attributes of a start tag that can mark its content, as written.
#[derive(Debug, Default)]
struct MarkingAttributes<'a> {
    id: Option<&'a str>,
    class: Option<&'a str>,
    name: Option<&'a str>,
    smartmail: Option<&'a str>,
    kind: Option<&'a str>,
    cite: Option<&'a str>,
    hiding: HidingAttributes<'a>,
}

impl<'a> MarkingAttributes<'a> {
    fn of(tag: HtmlStartTag<'a>) -> Self {
        let mut all = Self::default();
        for (name, value) in tag.attributes() {
            let place = hashify::tiny_map_ignore_case! { name.as_bytes(),
                "id" => &mut all.id, "class" => &mut all.class, "name" => &mut all.name,
                "data-smartmail" => &mut all.smartmail, "type" => &mut all.kind, "cite" => &mut all.cite,
            };
            match place {
                Some(place) => _ = place.get_or_insert(value),
                None => all.hiding.add(name, value),
            }
        }
        all
    }

    /// Returns what the element decides about what is hidden.
    fn own_hiding(&self, tag: HtmlStartTag<'_>) -> OwnHiding {
        OwnHiding::of(tag.name.text, &self.hiding)
    }

    /// Returns the mark that the element gives its content.
    fn mark_of(&self, tag: HtmlStartTag<'_>, is_hidden: bool) -> Option<LineMark> {
        let is_quote = tag.is("blockquote");
        for (value, is_name) in [(self.id, false), (self.class, false), (self.name, true), (self.smartmail, false)] {
            let value = value.unwrap_or_default().to_ascii_lowercase();
            let mark = value.split_ascii_whitespace().find_map(|word| mark_of_word(word, is_quote, is_name));
            if mark.is_some() {
                return mark;
            }
        }
        if is_hidden {
            return Some(LineMark::Hidden);
        }
        if is_quote {
            let is_cited = self.kind.is_some_and(|kind| kind.eq_ignore_ascii_case("cite"));
            // A bar beside a quotation doesn't tell whom it quotes.
            let is_history = is_cited || self.cite.is_some();
            return Some(if is_history { LineMark::Quoted } else { LineMark::Indented });
        }
        self.hiding.style.filter(|_| tag.is("div")).and_then(outlook_border)
    }
}

/// Returns the mark for one word of `id`, `class` or `name`. Outlook prefixes the names of other clients with `x_`.
fn mark_of_word(word: &str, is_quote: bool, is_name: bool) -> Option<LineMark> {
    let word = word.trim_start_matches("x_");
    if CUT.contains(&word) {
        return Some(LineMark::UnquotedHistory);
    }
    if ATTRIBUTION.contains(&word) {
        return Some(LineMark::Dropped);
    }
    if FORWARD.contains(&word) {
        return Some(LineMark::ForwardedMessage);
    }
    if is_quote && QUOTED_BLOCKQUOTE.iter().any(|name| word.starts_with(name)) {
        return Some(LineMark::Quoted);
    }
    // GMX and WEB.DE mark quotes with `name="quote"`. The class `quote` is common in other designs.
    if word.starts_with("yahoo_quoted") || QUOTED.contains(&word) && (word != "quote" || is_name) {
        return Some(LineMark::Quoted);
    }
    let signature = word.ends_with("signature")
        || word.starts_with("protonmail_signature")
        || matches!(word, "gmail_signature_prefix" | "messagesignaturesection");
    signature.then_some(LineMark::Signature)
}

/// Detects Outlook's border above the header block (`border-top:solid #E1E1E1 1.0pt; padding:3.0pt 0cm 0cm 0cm`) and
/// the blue bar next to an indented original.
fn outlook_border(style: &str) -> Option<LineMark> {
    let style: String = style.chars().filter(|c| !c.is_whitespace()).map(|c| c.to_ascii_lowercase()).collect();
    if !style.contains("border-") {
        return None;
    }
    let above = style.contains("border-top:solid#e1e1e1")
        || style.contains("border-top:solid#b5c4df")
        || style.contains("border-top:solid") && (style.contains("padding:3.0pt0") || style.contains("padding:3,0pt0"));
    let beside = style.contains("border-left:solidblue1.5pt") || style.contains("border-left:2pxsolid#c3d9e5");
    if above {
        return Some(LineMark::UnquotedHistory);
    }
    beside.then_some(LineMark::Quoted)
}
