//! HTML to marked lines: the quote and signature markers that mail clients leave, turned into [`Mark`]s.
//!
//! Only the outermost marker counts. Unclosed elements are tolerated: a region ends where its own tag name is balanced.

use super::line::{Line, Mark};
use super::token::{self, Tag, Token};

/// Most regions inside each other; deeper ones change nothing, for the outermost decides.
const REGIONS_MAX: usize = 4;

/// `id`, `class` or `name` values after which everything is history (Outlook on the web, Outlook mobile and Mac, NetEase).
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

/// `id`, `class` or `name` values of elements that hold history and nothing else.
const QUOTED: [&str; 17] = [
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
    "quote",
];

/// Values that mark a `blockquote` as history; on a `div` they only group attribution, quote and inline answers.
const QUOTED_BLOCKQUOTE: [&str; 3] = ["gmail_quote", "protonmail_quote", "moz-cite"];

/// Values of attribution lines ("On … wrote:").
const ATTRIBUTION: [&str; 3] = ["gmail_attr", "moz-cite-prefix", "gmail_quote_attribution"];

/// Values that begin a forwarded message, which is content.
const FORWARD: [&str; 2] = ["moz-forward-container", "isforwardcontent"];

/// The text of an HTML document, line by line, and what its markup says about each line.
#[derive(Debug)]
pub(super) struct Marked {
    text: String,
    marks: Vec<Mark>,
    /// True when a marker of history was met.
    pub(super) has_history: bool,
}

impl Marked {
    /// The lines with their marks.
    pub(super) fn lines(&self) -> Vec<Line<'_>> {
        self.text.split('\n').zip(&self.marks).map(|(text, mark)| Line { text, mark: *mark }).collect()
    }
}

/// Reads an HTML document.
pub(super) fn read(html: &str) -> Marked {
    let mut reader = Reader::default();
    for token in token::tokens(html) {
        match token {
            Token::Text(text) => reader.write(text),
            Token::Open(tag) => {
                reader.open(tag);
                if reader.cut {
                    break;
                }
            }
            Token::Close(name) => reader.close(name),
        }
    }
    reader.finish()
}

/// An element that marks what it holds.
#[derive(Debug)]
struct Region<'a> {
    name: &'a str,
    /// How many elements of that name are open, the region's own included.
    open: usize,
    mark: Mark,
}

#[derive(Debug, Default)]
struct Reader<'a> {
    text: String,
    marks: Vec<Mark>,
    line: String,
    regions: Vec<Region<'a>>,
    preformatted: usize,
    /// The next line begins a forwarded message.
    forward: bool,
    cut: bool,
    has_history: bool,
}

impl<'a> Reader<'a> {
    fn mark(&self) -> Mark {
        self.regions.last().map_or(Mark::Plain, |region| region.mark)
    }

    fn write(&mut self, text: &str) {
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

    fn open(&mut self, tag: Tag<'a>) {
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
        if token::is_void(tag.name) || tag.closes_itself() && !token::is_block(tag.name) {
            return;
        }
        self.preformatted += usize::from(tag.is("pre"));
        for region in &mut self.regions {
            region.open += usize::from(tag.is(region.name));
        }
        self.enter(tag);
    }

    /// Begins the region that a tag marks, if it does.
    fn enter(&mut self, tag: Tag<'a>) {
        let decided = !matches!(self.mark(), Mark::Plain | Mark::Indented);
        let Some(mark) = meaning(tag).filter(|_| !decided && self.regions.len() < REGIONS_MAX) else {
            return;
        };
        self.end_text();
        self.has_history |= matches!(mark, Mark::Quoted | Mark::Cut | Mark::Dropped) && !is_hidden(tag);
        match mark {
            Mark::Cut => self.cut = true,
            Mark::Forward => self.forward = true,
            mark => self.regions.push(Region { name: tag.name, open: 1, mark }),
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

    /// Ends the line when it has text.
    fn end_text(&mut self) {
        if !self.line.is_empty() {
            self.end_line();
        }
    }

    /// Adds an empty line unless one is there.
    fn blank_line(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.end_line();
        }
    }

    fn end_line(&mut self) {
        let mark = if std::mem::take(&mut self.forward) { Mark::Forward } else { self.mark() };
        self.text.push_str(self.line.trim_end());
        self.text.push('\n');
        self.marks.push(mark);
        self.line.clear();
    }

    fn finish(mut self) -> Marked {
        self.end_text();
        if self.cut {
            self.marks.push(Mark::Cut);
            self.text.push('\n');
        }
        Marked { text: self.text, marks: self.marks, has_history: self.has_history }
    }
}

/// True for an element that its style hides.
fn is_hidden(tag: Tag<'_>) -> bool {
    style(tag).contains("display:none") || tag.attribute("hidden").is_some()
}

/// The style of an element, lower-case and without spaces.
fn style(tag: Tag<'_>) -> String {
    let style = tag.attribute("style").unwrap_or("");
    style.chars().filter(|c| !c.is_whitespace()).map(|c| c.to_ascii_lowercase()).collect()
}

/// What an element says about its content, if it says anything.
fn meaning(tag: Tag<'_>) -> Option<Mark> {
    let quote = tag.is("blockquote");
    for attribute in ["id", "class", "name", "data-smartmail"] {
        let value = tag.attribute(attribute).unwrap_or("").to_ascii_lowercase();
        for word in value.split_ascii_whitespace() {
            let mark = named(word, quote, attribute);
            if mark.is_some() {
                return mark;
            }
        }
    }
    let style = style(tag);
    if style.contains("display:none") || tag.attribute("hidden").is_some() {
        return Some(Mark::Dropped);
    }
    if quote {
        let cited = tag.attribute("type").is_some_and(|kind| kind.eq_ignore_ascii_case("cite"));
        let history = cited
            || tag.attribute("cite").is_some()
            || style.contains("border-left:") && !style.contains("border-left:none");
        return Some(if history { Mark::Quoted } else { Mark::Indented });
    }
    outlook_border(tag, &style)
}

/// What one word of `id`, `class` or `name` says. Outlook puts `x_` before the names of other clients.
fn named(word: &str, quote: bool, attribute: &str) -> Option<Mark> {
    let word = word.trim_start_matches("x_");
    if CUT.contains(&word) {
        return Some(Mark::Cut);
    }
    if ATTRIBUTION.contains(&word) {
        return Some(Mark::Dropped);
    }
    if FORWARD.contains(&word) {
        return Some(Mark::Forward);
    }
    if quote && QUOTED_BLOCKQUOTE.iter().any(|name| word.starts_with(name)) {
        return Some(Mark::Quoted);
    }
    // A bare `quote` is a marker of GMX and WEB.DE in `name` alone; as a class it is anyone's design.
    if QUOTED.iter().any(|name| word == *name || word.starts_with("yahoo_quoted"))
        && (word != "quote" || attribute == "name")
    {
        return Some(Mark::Quoted);
    }
    let signature =
        word.ends_with("signature") || word.starts_with("protonmail_signature") || word == "gmail_signature_prefix";
    signature.then_some(Mark::Signature)
}

/// The line above the header block of Outlook (`border-top:solid #E1E1E1 1.0pt; padding:3.0pt 0cm 0cm 0cm`) and the
/// blue bar beside an indented original.
fn outlook_border(tag: Tag<'_>, style: &str) -> Option<Mark> {
    if !tag.is("div") {
        return None;
    }
    let above = style.contains("border-top:solid#e1e1e1")
        || style.contains("border-top:solid#b5c4df")
        || style.contains("border-top:solid") && (style.contains("padding:3.0pt0") || style.contains("padding:3,0pt0"));
    let beside = style.contains("border-left:solidblue1.5pt") || style.contains("border-left:2pxsolid#c3d9e5");
    if above {
        return Some(Mark::Cut);
    }
    beside.then_some(Mark::Quoted)
}
