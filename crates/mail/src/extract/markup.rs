//! Converts HTML to marked lines: the quote and signature markers of mail clients become [`LineMark`]s.
//!
//! Only the outermost marker counts. Unclosed elements are tolerated: a region ends when the tags of its own name are
//! balanced.

use super::line::{LineMark, MarkedLine};
use super::token::{self, HtmlStartTag, HtmlToken};
use crate::html::hidden::{self, is_filler};

/// Maximum number of nested regions. Deeper ones have no effect because the outermost one counts.
const REGIONS_MAX: usize = 4;

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
    /// Returns the lines with their marks.
    pub(super) fn lines(&self) -> Vec<MarkedLine<'_>> {
        self.text.split('\n').zip(&self.marks).map(|(text, mark)| MarkedLine { text, mark: *mark }).collect()
    }

    /// Returns the lines that an element marks as signature.
    pub(super) fn signature(&self) -> Vec<&str> {
        let lines = self.text.split('\n').zip(&self.marks);
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

    fn write_text(&mut self, text: &str) {
        let mut decoded = String::with_capacity(text.len());
        token::decode_into(&mut decoded, text);
        for c in decoded.chars() {
            match c {
                '\n' if self.preformatted > 0 => self.end_line(),
                '\r' if self.preformatted > 0 => {}
                c if self.preformatted == 0 && c.is_ascii_whitespace() => {
                    if !self.line.is_empty() && !self.line.ends_with(' ') {
                        self.line.push(' ');
                    }
                }
                '\n' | '\r' => self.line.push(' '),
                '\u{a0}' => self.line.push(' '),
                c => self.line.push(c),
            }
        }
    }

    fn open(&mut self, tag: HtmlStartTag<'a>) {
        if tag.is("br") {
            return self.end_line();
        }
        if token::is_block(tag.name) {
            self.end_text();
            if tag.is("p") || tag.is("blockquote") || tag.is("hr") {
                self.blank_line();
            }
            if tag.is("li") {
                self.line.push_str("- ");
            }
        } else if (tag.is("td") || tag.is("th")) && !self.line.is_empty() {
            self.line.push(' ');
        }
        // The tokenizer skips what is never displayed, with its end tag.
        let is_empty = token::is_void(tag.name) || token::is_undisplayed(tag.name);
        if is_empty || tag.closes_itself() && !token::is_block(tag.name) {
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
        let decided = !matches!(self.mark(), LineMark::Unclassified | LineMark::Indented);
        self.in_gmail_quote |= tag.is("div") && tag.attribute("class").is_some_and(|class| class.contains(GMAIL_QUOTE));
        let is_left_out = |mark: &LineMark| *mark != LineMark::Hidden || self.respects_hidden;
        let Some(mark) = self.mark_of(tag).filter(is_left_out).filter(|_| !decided && self.regions.len() < REGIONS_MAX)
        else {
            return;
        };
        self.end_text();
        self.has_history |=
            matches!(mark, LineMark::Quoted | LineMark::UnquotedHistory | LineMark::Dropped) && !is_hidden(tag);
        self.has_quotes |= mark == LineMark::Indented;
        match mark {
            LineMark::UnquotedHistory => {
                self.cut = true;
                self.regions.clear();
            }
            LineMark::ForwardedMessage => self.forward = true,
            mark => self.regions.push(MarkedRegion { name: tag.name, open: 1, mark }),
        }
    }

    fn close(&mut self, name: &str) {
        if token::is_block(name) {
            self.end_text();
            if ["p", "blockquote", "h1", "h2", "h3", "h4"].iter().any(|block| block.eq_ignore_ascii_case(name)) {
                self.blank_line();
            }
        }
        if name.eq_ignore_ascii_case("pre") {
            self.preformatted = self.preformatted.saturating_sub(1);
        }
        let mut keep = self.regions.len();
        for (at, region) in self.regions.iter_mut().enumerate() {
            if region.name.eq_ignore_ascii_case(name) {
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
    fn mark_of(&self, tag: HtmlStartTag<'a>) -> Option<LineMark> {
        let mark = mark_of(tag)?;
        let is_grouped = mark == LineMark::Indented && self.in_gmail_quote;
        Some(if is_grouped { LineMark::Quoted } else { mark })
    }

    /// Adds an empty line unless there already is one.
    fn blank_line(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.end_line();
        }
    }

    fn end_line(&mut self) {
        let mark = if std::mem::take(&mut self.forward) { LineMark::ForwardedMessage } else { self.mark() };
        self.text.push_str(self.line.trim_end_matches(|c: char| c.is_whitespace() || is_filler(c)));
        self.text.push('\n');
        self.marks.push(mark);
        self.line.clear();
    }

    fn finish(mut self) -> MarkedText {
        self.end_text();
        MarkedText { text: self.text, marks: self.marks, has_history: self.has_history, has_quotes: self.has_quotes }
    }
}

/// Returns whether the element hides its content.
fn is_hidden(tag: HtmlStartTag<'_>) -> bool {
    hidden::is_hidden(tag.name, |name| tag.attribute(name))
}

/// Returns the style of an element in lower case without white space.
fn style(tag: HtmlStartTag<'_>) -> String {
    let style = tag.attribute("style").unwrap_or("");
    style.chars().filter(|c| !c.is_whitespace()).map(|c| c.to_ascii_lowercase()).collect()
}

/// Returns the mark that an element gives its content.
fn mark_of(tag: HtmlStartTag<'_>) -> Option<LineMark> {
    let quote = tag.is("blockquote");
    for attribute in ["id", "class", "name", "data-smartmail"] {
        let value = tag.attribute(attribute).unwrap_or("").to_ascii_lowercase();
        for word in value.split_ascii_whitespace() {
            let mark = mark_of_word(word, quote, attribute);
            if mark.is_some() {
                return mark;
            }
        }
    }
    let style = style(tag);
    if is_hidden(tag) {
        return Some(LineMark::Hidden);
    }
    if quote {
        let cited = tag.attribute("type").is_some_and(|kind| kind.eq_ignore_ascii_case("cite"));
        // A bar beside a quotation doesn't tell whom it quotes.
        let history = cited || tag.attribute("cite").is_some();
        return Some(if history { LineMark::Quoted } else { LineMark::Indented });
    }
    outlook_border(tag, &style)
}

/// Returns the mark for one word of `id`, `class` or `name`. Outlook prefixes the names of other clients with `x_`.
fn mark_of_word(word: &str, quote: bool, attribute: &str) -> Option<LineMark> {
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
    if quote && QUOTED_BLOCKQUOTE.iter().any(|name| word.starts_with(name)) {
        return Some(LineMark::Quoted);
    }
    // GMX and WEB.DE mark quotes with `name="quote"`. The class `quote` is common in other designs.
    if QUOTED.iter().any(|name| word == *name || word.starts_with("yahoo_quoted"))
        && (word != "quote" || attribute == "name")
    {
        return Some(LineMark::Quoted);
    }
    let signature =
        word.ends_with("signature") || word.starts_with("protonmail_signature") || word == "gmail_signature_prefix";
    signature.then_some(LineMark::Signature)
}

/// Detects Outlook's border above the header block (`border-top:solid #E1E1E1 1.0pt; padding:3.0pt 0cm 0cm 0cm`) and
/// the blue bar next to an indented original.
fn outlook_border(tag: HtmlStartTag<'_>, style: &str) -> Option<LineMark> {
    if !tag.is("div") {
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
