//! A message as detection sees it: lines of displayed text, and links with their context.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell};

use memchr::memmem;

use super::columns::TableColumns;
use super::cue::NearWords;
use super::element::{is_emphasis, is_quote, shown_value};
use super::plain;
use super::shape;
use super::topic::PageTopic;
use super::url;
use super::visible;
use super::words::{self, KeywordTable};
use crate::{
    extract::token::{self, HtmlToken},
    html::hidden::is_filler,
    lines::lines,
    thread,
};

/// Maximum number of bytes of a part that are read. Codes and links are near the top.
const PART_BYTES_MAX: usize = 128 * 1024;
/// Maximum number of lines of a part.
const LINES_MAX: usize = 2_000;
/// Maximum length of a line in characters. A longer line is split.
const LINE_CHARS_MAX: usize = 2_000;
/// Number of bytes of a usual line.
const USUAL_LINE_BYTES: usize = 48;
/// Maximum number of links of a part.
const LINKS_MAX: usize = 200;
/// Maximum number of emphasized texts of a part.
const EMPHASIZED_MAX: usize = 200;
/// Maximum length of an emphasized text in bytes.
const EMPHASIZED_BYTES_MAX: usize = 48;
/// Maximum length of a link in bytes. Longer links are ignored.
const LINK_BYTES_MAX: usize = 4_096;

/// Maximum number of words of a mail with one purpose, such as to send a code.
const PURPOSE_WORDS_MAX: usize = 400;

/// Maximum number of words of a note, which may be about an account even if it is sent as mail to many is.
const NOTE_WORDS_MAX: usize = 120;

/// Minimum length of a line of a plain text that goes on below, in bytes.
const WRAPPED_BYTES_MIN: usize = 60;

/// Index of the first line of the text: the subject and the line below it are none.
const FIRST_TEXT_LINE: usize = 2;

/// Maximum length of a line of single characters in bytes.
const BOXES_BYTES_MAX: usize = 64;

/// A link and its position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PageLink {
    /// The URL as written.
    pub(super) url: String,
    /// The text of the anchor; empty for a bare URL.
    pub(super) label: String,
    /// Index of its line.
    pub(super) line: usize,
    /// Byte offset of the label, or of a bare URL, in its line.
    pub(super) from: usize,
}

/// The lines and links of one part of a message.
#[derive(Debug, Default)]
pub(super) struct VerificationPage<'a> {
    /// The subject, an empty line, then the displayed text.
    pub(super) lines: Vec<Cow<'a, str>>,
    pub(super) links: Vec<PageLink>,
    /// Short texts of HTML elements in bold, large or spaced letters.
    emphasized: Vec<EmphasizedText>,
    columns: TableColumns,
    /// Whether its lines are those of a plain text, which a program may have wrapped.
    is_text: bool,
    /// Whether it answers another mail, quotes one, or comes from a mailing list.
    pub(super) is_conversation: bool,
    /// Index of the last line that shows something, if it consists of single characters.
    boxes: Option<usize>,
    /// What is computed of each line on first use, because not all are needed.
    computed: Vec<ComputedLine>,
    /// Computed on first use, because it isn't needed for most messages.
    topic: OnceCell<PageTopic>,
    /// Whether it is long, computed on first use.
    long: OnceCell<bool>,
}

/// What is computed of a line.
#[derive(Debug, Default)]
struct ComputedLine {
    /// The tables of its keywords.
    tables: OnceCell<Vec<KeywordTable>>,
    /// Its text in the form that candidates are searched in.
    plain: OnceCell<Vec<char>>,
    /// What the words around it allow a code on it to be.
    near: OnceCell<NearWords>,
}

/// The text of an emphasized element.
#[derive(Debug)]
struct EmphasizedText {
    /// Index of its line.
    line: usize,
    /// The text without spaces.
    text: String,
}

/// An anchor element whose end tag hasn't been reached.
struct OpenAnchor {
    url: String,
    /// Offset of the label in the current line.
    label_start: usize,
    /// Whether it shows an image.
    has_image: bool,
}

impl<'a> VerificationPage<'a> {
    /// Creates the page of a plain text.
    pub(super) fn of_text(subject: &'a str, text: &'a str) -> VerificationPage<'a> {
        let mut page = VerificationPage::new(subject);
        page.is_text = true;
        let text = truncated(text);
        page.reserve(text.len() / USUAL_LINE_BYTES);
        let quotes = Cell::new(false);
        // Quoted text is another person's, and older.
        let own = lines(text).map(|line| {
            let is_quoted = is_quoted(line);
            quotes.set(quotes.get() || is_quoted);
            if is_quoted { "" } else { line }
        });
        if memmem::find(text.as_bytes(), b"://").is_none() {
            own.for_each(|line| page.push_line(Cow::Borrowed(line)));
        } else {
            for line in url::joined_lines(own) {
                page.collect_urls(&line, page.lines.len());
                page.push_line(line);
            }
        }
        page.is_conversation |= quotes.get() || has_list_footer(text);
        page
    }

    /// Creates the page of an HTML document from its displayed text.
    pub(super) fn of_html(subject: &'a str, html: &str) -> VerificationPage<'a> {
        let mut page = VerificationPage::new(subject);
        let mut line = String::new();
        let mut anchor: Option<OpenAnchor> = None;
        let mut emphasis_start: Option<usize> = None;
        let mut quotes = 0_usize;
        let mut base: Option<String> = None;
        for token in visible::tokens(truncated(html)) {
            if let HtmlToken::Close(_) = token {
                page.end_emphasis(&mut emphasis_start, &line);
            }
            match token {
                HtmlToken::Close(name) if name.is("blockquote") => quotes = quotes.saturating_sub(1),
                HtmlToken::Open(tag) if tag.is("blockquote") && (quotes > 0 || is_quote(&tag)) => quotes += 1,
                _ if quotes > 0 => {}
                HtmlToken::Text(text) => push_text(&mut line, text),
                HtmlToken::Open(tag) if tag.is("a") => {
                    page.end_anchor(&mut anchor, &line);
                    let href = tag.attribute("href").map(token::decode).unwrap_or_default();
                    let url = url::of_href(&href, base.as_deref());
                    anchor = url.map(|url| OpenAnchor { url, label_start: line.len(), has_image: false });
                }
                HtmlToken::Close(name) if name.is("a") => page.end_anchor(&mut anchor, &line),
                HtmlToken::Open(tag) if tag.is("br") || tag.name.traits.is_block() => {
                    page.end_line(&mut line, &mut anchor);
                    emphasis_start = is_emphasis(&tag).then_some(0);
                }
                HtmlToken::Open(tag) if tag.is("base") => {
                    base = base.or_else(|| tag.attribute("href").map(|href| token::decode(href.trim()).into_owned()));
                }
                HtmlToken::Open(tag) if tag.is("img") && anchor.is_some() => {
                    anchor.iter_mut().for_each(|anchor| anchor.has_image = true);
                    push_text(&mut line, tag.attribute("alt").unwrap_or_default());
                }
                HtmlToken::Open(tag) => {
                    if let Some(code) = shown_value(&tag) {
                        push_space(&mut line);
                        line.push_str(&code);
                    }
                    if tag.is("td") || tag.is("th") {
                        push_space(&mut line);
                        page.columns.begin_cell(line.len());
                    }
                    if is_emphasis(&tag) {
                        emphasis_start = Some(line.len());
                    }
                }
                HtmlToken::Close(name) if name.traits.is_block() => page.end_line(&mut line, &mut anchor),
                _ => {}
            }
        }
        page.end_anchor(&mut anchor, &line);
        page.end_line(&mut line, &mut anchor);
        page
    }

    fn new(subject: &'a str) -> VerificationPage<'a> {
        let mut page = VerificationPage { is_conversation: thread::is_reply(subject), ..VerificationPage::default() };
        page.push_line(Cow::Borrowed(subject));
        page.push_line(Cow::Borrowed(""));
        page
    }

    /// Makes room for more lines.
    fn reserve(&mut self, lines: usize) {
        self.lines.reserve(lines.min(LINES_MAX));
        self.computed.reserve(lines.min(LINES_MAX));
    }

    fn push_line(&mut self, line: Cow<'a, str>) {
        // Most lines begin with a word.
        if begins_with_word(&line) && line.len() <= LINE_CHARS_MAX && self.lines.len() < LINES_MAX {
            if self.lines.len() >= FIRST_TEXT_LINE {
                self.boxes = None;
            }
            self.lines.push(line);
            self.computed.push(ComputedLine::default());
            return;
        }
        // A code with each character in a box of its own has one on each line.
        if let Some(c) = single(&line)
            && let Some(boxes) = self.boxes.map(|at| &mut self.lines[at])
            && boxes.len() <= BOXES_BYTES_MAX
        {
            if boxes.trim().len() < boxes.len() {
                *boxes = Cow::Owned(boxes.trim().to_owned());
            }
            boxes.to_mut().extend([' ', c]);
            return;
        }
        if line.len() <= LINE_CHARS_MAX {
            return self.add_line(line);
        }
        let mut rest = &*line;
        while self.lines.len() < LINES_MAX && !rest.is_empty() {
            let end = rest.char_indices().nth(LINE_CHARS_MAX).map_or(rest.len(), |(at, _)| at);
            self.add_line(Cow::Owned(rest[..end].to_owned()));
            rest = &rest[end..];
        }
    }

    fn add_line(&mut self, line: Cow<'a, str>) {
        let at = self.lines.len();
        if at >= LINES_MAX {
            return;
        }
        let mut words = line.split_whitespace().peekable();
        if at >= FIRST_TEXT_LINE && words.peek().is_some() {
            self.boxes = words.all(|word| single(word).is_some()).then_some(at);
        }
        self.lines.push(line);
        self.computed.push(ComputedLine::default());
    }

    /// Ends a line of HTML. An anchor that has no label yet continues on the next line.
    fn end_line(&mut self, line: &mut String, anchor: &mut Option<OpenAnchor>) {
        if let Some(OpenAnchor { label_start, .. }) = anchor {
            // Buttons are often tables inside an anchor.
            if line.len() > *label_start {
                self.end_anchor(anchor, line);
            } else {
                *label_start = 0;
            }
        }
        if line.trim().is_empty() {
            line.clear();
            return;
        }
        let at = self.lines.len();
        let text = std::mem::take(line);
        let labeled = self.columns.end_row(&text);
        if is_quoted(&text) {
            return;
        }
        self.collect_urls(&text, at);
        self.push_line(Cow::Owned(text.trim().to_owned()));
        if let Some(labeled) = labeled {
            self.push_line(Cow::Owned(labeled));
        }
    }

    fn end_anchor(&mut self, anchor: &mut Option<OpenAnchor>, line: &str) {
        if let Some(OpenAnchor { url, label_start, has_image }) = anchor.take() {
            let label: String = line.get(label_start..).unwrap_or("").trim().chars().take(200).collect();
            // Nobody can see a link that shows nothing.
            if !has_image && label.chars().all(|c| c.is_whitespace() || is_filler(c)) {
                return;
            }
            self.push_link(PageLink { url, label, line: self.lines.len(), from: label_start });
        }
    }

    fn push_link(&mut self, link: PageLink) {
        if self.links.len() < LINKS_MAX && link.url.len() <= LINK_BYTES_MAX {
            self.links.push(link);
        }
    }

    /// Collects the bare URLs of a line.
    fn collect_urls(&mut self, line: &str, at: usize) {
        let mut from = 0;
        while let Some(found) = line[from..].find("://") {
            let colon = from + found;
            let start = ["https", "http"]
                .iter()
                .find(|scheme| line[..colon].to_ascii_lowercase().ends_with(*scheme))
                .map(|scheme| colon - scheme.len());
            let Some(start) = start else {
                from = colon + 3;
                continue;
            };
            let rest = &line[start..];
            let end = url::bare_length(rest);
            let shown_url = trim_url(&rest[..end]);
            // The label of a Markdown link is right before its URL.
            let label = markdown_label(&line[..start]);
            let shown = if label.is_empty() { start } else { start - "](".len() - label.len() };
            let url = url::unescaped(shown_url).into_owned();
            self.push_link(PageLink { url, label: label.to_owned(), line: at, from: shown });
            from = start + end.max(1);
            if self.links.len() >= LINKS_MAX {
                return;
            }
        }
    }

    fn end_emphasis(&mut self, start: &mut Option<usize>, line: &str) {
        let text = start.and_then(|start| line.get(start..)).filter(|text| !text.trim().is_empty());
        let Some(text) = text else { return };
        *start = None;
        if text.len() <= EMPHASIZED_BYTES_MAX && self.emphasized.len() < EMPHASIZED_MAX {
            let text = plain::plain(text).into_iter().filter(|c| !matches!(*c, ' ' | plain::GROUP_DOT)).collect();
            self.emphasized.push(EmphasizedText { line: self.lines.len(), text });
        }
    }

    /// Returns whether an emphasized element of the line has this text and nothing else.
    pub(super) fn emphasizes(&self, line: usize, text: &str) -> bool {
        self.emphasized.iter().any(|emphasized| {
            emphasized.line == line && emphasized.text.trim_matches(|c: char| !c.is_alphanumeric()) == text
        })
    }

    /// Returns whether a line is the rest of a longer one that a program has wrapped. Mail whose subject is about an
    /// account shows its code below such a line.
    pub(super) fn is_continued(&self, line: usize) -> bool {
        let is_about =
            |table: &KeywordTable| matches!(table, KeywordTable::Account | KeywordTable::Code | KeywordTable::Strong);
        let above = line.checked_sub(1).filter(|above| self.is_text && *above >= FIRST_TEXT_LINE);
        above.map(|above| self.lines[above].trim_end()).is_some_and(|above| {
            above.len() >= WRAPPED_BYTES_MIN
                && above.ends_with(|c: char| c.is_alphanumeric() || matches!(c, ',' | '(' | '/'))
                && !self.tables(0).iter().any(is_about)
        })
    }

    /// Returns the topic of the page.
    pub(super) fn topic(&self) -> PageTopic {
        *self.topic.get_or_init(|| {
            let mut topic = PageTopic::default();
            for at in 0..self.lines.len() {
                topic.add(self.tables(at), count_words(&self.lines[at]), at == 0);
            }
            topic.is_general = topic.is_bulk && topic.words > NOTE_WORDS_MAX || topic.words > PURPOSE_WORDS_MAX;
            topic
        })
    }

    /// Returns whether its length and its subject show that its purpose isn't to send a code or a link, as in
    /// [`Self::is_apart`]. That takes less work than its topic.
    pub(super) fn is_long(&self) -> bool {
        *self.long.get_or_init(|| {
            let mut words = self.lines.iter().map(|line| count_words(line));
            let is_long =
                words.try_fold(0, |sum, more| Some(sum + more).filter(|sum| *sum <= PURPOSE_WORDS_MAX)).is_none();
            let mut topic = PageTopic::default();
            topic.add(self.tables(0), 0, true);
            is_long && !topic.is_subject
        })
    }

    /// Returns whether the purpose of the mail isn't to send a code or a link to its reader, whatever it mentions.
    pub(super) fn is_apart(&self) -> bool {
        let topic = || self.topic();
        self.is_conversation || topic().is_general && !topic().is_subject
    }

    /// Returns the tables of the keywords of a line, without its URLs.
    pub(super) fn tables(&self, at: usize) -> &[KeywordTable] {
        self.computed[at].tables.get_or_init(|| words::hits(&self.searched(at)).map(|hit| hit.table).collect())
    }

    /// Returns a line in the form that candidates are searched in.
    pub(super) fn plain(&self, at: usize) -> &[char] {
        self.computed[at].plain.get_or_init(|| plain::plain(&self.lines[at]))
    }

    /// Returns what the words around a line allow a code on it to be, computed once.
    pub(super) fn near_words(&self, at: usize, compute: impl FnOnce() -> NearWords) -> NearWords {
        *self.computed[at].near.get_or_init(compute)
    }

    /// Returns the tables of the keywords of a line, without the sentences that only warn: "Never share this code".
    pub(super) fn advised_tables(&self, at: usize) -> Cow<'_, [KeywordTable]> {
        let tables = self.tables(at);
        if !tables.contains(&KeywordTable::Warning) {
            return Cow::Borrowed(tables);
        }
        let text = self.searched(at);
        let sentences = text.split_inclusive(['.', '!', '?', '。', '！', '？', '।']);
        let of = |sentence: &str| words::hits(sentence).map(|hit| hit.table).collect::<Vec<_>>();
        let advice = sentences.map(of).filter(|tables| !tables.contains(&KeywordTable::Warning));
        Cow::Owned(advice.flatten().collect())
    }

    /// Returns a line in the form that keywords are searched in, without its URLs.
    fn searched(&self, at: usize) -> String {
        let line = &self.lines[at];
        let trimmed = line.trim_ascii();
        let is_plain = trimmed.is_ascii()
            && !words::has_name(trimmed.as_bytes())
            && !trimmed.bytes().any(|byte| byte.is_ascii_control())
            && ["  ", "://"].iter().all(|other| memmem::find(trimmed.as_bytes(), other.as_bytes()).is_none());
        if is_plain {
            return trimmed.to_ascii_lowercase();
        }
        let mut lower = String::with_capacity(line.len());
        words::push_lower(&mut lower, line);
        without_urls(&lower)
    }
}

/// Returns whether a line begins with a word of at least two ASCII letters or digits.
fn begins_with_word(line: &str) -> bool {
    matches!(line.as_bytes(), [first, second, ..] if first.is_ascii_alphanumeric() && second.is_ascii_alphanumeric())
}

/// Returns the number of words of a line that have a letter.
fn count_words(line: &str) -> usize {
    if !line.is_ascii() {
        return line.split_whitespace().filter(|word| word.chars().any(char::is_alphabetic)).count();
    }
    let (mut count, mut is_counted) = (0, false);
    for byte in line.bytes() {
        let is_letter = byte.is_ascii_alphabetic();
        count += usize::from(is_letter && !is_counted);
        is_counted = is_letter || is_counted && !is_space(byte);
    }
    count
}

/// Returns whether an ASCII byte is white space in Unicode, which has one more than `u8::is_ascii_whitespace`.
const fn is_space(byte: u8) -> bool {
    matches!(byte, b'\t'..=b'\r' | b' ')
}

/// Returns whether the line has the mark of quoted text.
fn is_quoted(line: &str) -> bool {
    // Signs on both sides frame a text: ">> 482913 <<".
    !begins_with_word(line) && line.trim_start().starts_with('>') && !line.trim_end().ends_with('<')
}

/// Returns whether a text has the footer of a mailing list: its name below a ruler.
fn has_list_footer(text: &str) -> bool {
    const RULER: &[u8] = b"______________________________";
    const CHARS_MAX: usize = 100;
    let below = memmem::rfind(text.as_bytes(), RULER).and_then(|at| text.get(at..));
    let name = below.and_then(|rest| rest.lines().nth(1));
    name.is_some_and(|name| name.len() <= CHARS_MAX && name.trim_end().ends_with(" mailing list"))
}

/// Returns a text without what shows nothing around it.
pub(super) fn shown(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || is_filler(c))
}

/// Returns the only character of a text if it is a letter or digit.
fn single(text: &str) -> Option<char> {
    let mut chars = shown(text).chars();
    chars.next().filter(|c| c.is_alphanumeric() && !shape::is_unspaced(*c) && chars.next().is_none())
}

/// Returns the words of a line without its URLs.
pub(super) fn without_urls(line: &str) -> String {
    let mut words = String::with_capacity(line.len());
    if line.is_ascii() && memmem::find(line.as_bytes(), b"://").is_none() {
        push_text_of(&mut words, line);
        words.truncate(words.trim_ascii_end().len());
        return words;
    }
    // Checking for one byte first avoids the substring search for most words.
    for word in line.split_whitespace().filter(|word| !(word.contains(':') && word.contains("://"))) {
        if !words.is_empty() {
            words.push(' ');
        }
        words.push_str(word);
    }
    words
}

fn truncated(part: &str) -> &str {
    &part[..part.floor_char_boundary(PART_BYTES_MAX)]
}

/// Appends displayed text: collapses white space and decodes character references.
fn push_text(line: &mut String, text: &str) {
    let text = token::decode(text);
    if text.is_ascii() {
        return push_text_of(line, &text);
    }
    for (index, word) in text.split(char::is_whitespace).enumerate() {
        if index > 0 {
            push_space(line);
        }
        line.push_str(word);
    }
}

/// Appends a text of ASCII characters, with one space for white space, and none at the start of a line.
fn push_text_of(line: &mut String, text: &str) {
    let mut rest = text;
    loop {
        let end = rest.bytes().position(is_space);
        let Some(end) = end else { return line.push_str(rest) };
        line.push_str(&rest[..end]);
        push_space(line);
        rest = &rest[end + 1..];
    }
}

fn push_space(line: &mut String) {
    if !line.is_empty() && !line.ends_with(' ') {
        line.push(' ');
    }
}

/// Trims the punctuation of the surrounding sentence. A closing bracket is kept if the URL contains its opening
/// bracket.
fn trim_url(url: &str) -> &str {
    let mut url = url;
    loop {
        let Some(last) = url.chars().next_back() else { return url };
        let bracket = match last {
            ')' => Some('('),
            ']' => Some('['),
            '}' => Some('{'),
            _ => None,
        };
        let opened = bracket.is_some_and(|open| url.matches(open).count() >= url.matches(last).count());
        let loose = matches!(
            last,
            '.' | ',' | ';' | ':' | '!' | '?' | '\'' | '*' | '…' | '’' | '）' | '】' | '》' | '؟' | '،' | '।'
        ) || bracket.is_some() && !opened;
        if !loose {
            return url;
        }
        url = &url[..url.len() - last.len_utf8()];
    }
}

/// Returns the label if `before` ends with `[label](`.
fn markdown_label(before: &str) -> &str {
    let Some(label) = before.strip_suffix("](") else { return "" };
    label.rfind('[').map_or("", |at| &label[at + 1..])
}
