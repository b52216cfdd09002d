//! A mail as detection sees it: lines of shown text, and links with the words around them.

use std::{borrow::Cow, cell::OnceCell};

use memchr::memmem;

use super::words::{self, Hit, Table};
use crate::extract::token::{self, Token};

/// Most bytes of a part that are read: what a person looks for stands near the top.
const PART_BYTES_MAX: usize = 128 * 1024;
/// Most lines of a part.
const LINES_MAX: usize = 2_000;
/// Longest line, in characters; a longer one goes on in the next.
const LINE_CHARS_MAX: usize = 2_000;
/// Most links of a part.
const LINKS_MAX: usize = 200;
/// Longest link, in bytes; a longer one is none.
const LINK_BYTES_MAX: usize = 4_096;

/// A link with the place where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Link {
    /// The URL as written.
    pub(super) url: String,
    /// The text of the anchor, empty for a bare URL.
    pub(super) label: String,
    /// Index of its line.
    pub(super) line: usize,
}

/// What is known of one part of a mail.
#[derive(Debug, Default)]
pub(super) struct Page<'a> {
    /// The subject, an empty line, then the shown text.
    pub(super) lines: Vec<Cow<'a, str>>,
    pub(super) links: Vec<Link>,
    /// Most mails hold nothing that the words of the whole could decide about.
    matter: OnceCell<Matter>,
}

/// What a page is about.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Matter {
    /// It speaks of signing in, passwords or accounts.
    pub(super) is_account: bool,
    /// It is about an order, a bill, an offer or a parcel.
    pub(super) is_trade: bool,
    /// It only tells what happened.
    pub(super) is_notice: bool,
}

impl<'a> Page<'a> {
    /// The page of a plain text.
    pub(super) fn of_text(subject: &'a str, text: &'a str) -> Page<'a> {
        let mut page = Page::new(subject);
        let text = bounded(text);
        let has_urls = memmem::find(text.as_bytes(), b"://").is_some();
        for line in text.lines() {
            if has_urls {
                let at = page.lines.len();
                page.collect_urls(line, at);
            }
            page.push_line(Cow::Borrowed(line));
        }
        page
    }

    /// The page of an HTML document: what it shows, never its markup.
    pub(super) fn of_html(subject: &'a str, html: &str) -> Page<'a> {
        let mut page = Page::new(subject);
        let mut line = String::new();
        let mut anchor: Option<(String, usize)> = None;
        for token in token::tokens(bounded(html)) {
            match token {
                Token::Text(text) => write(&mut line, text),
                Token::Open(tag) if tag.is("a") => {
                    page.end_anchor(&mut anchor, &line);
                    let url = tag.attribute("href").map(|href| token::decode(href.trim())).unwrap_or_default();
                    anchor = is_web(&url).then_some((url, line.len()));
                }
                Token::Close(name) if name.eq_ignore_ascii_case("a") => page.end_anchor(&mut anchor, &line),
                Token::Open(tag) if tag.is("td") || tag.is("th") => gap(&mut line),
                Token::Open(tag) if tag.is("br") || token::is_block(tag.name) => page.end_line(&mut line, &mut anchor),
                Token::Close(name) if token::is_block(name) => page.end_line(&mut line, &mut anchor),
                _ => {}
            }
        }
        page.end_anchor(&mut anchor, &line);
        page.end_line(&mut line, &mut anchor);
        page
    }

    fn new(subject: &'a str) -> Page<'a> {
        let mut page = Page::default();
        page.push_line(Cow::Borrowed(subject));
        page.push_line(Cow::Borrowed(""));
        page
    }

    fn push_line(&mut self, line: Cow<'a, str>) {
        if line.len() <= LINE_CHARS_MAX {
            if self.lines.len() < LINES_MAX {
                self.lines.push(line);
            }
            return;
        }
        let mut rest = &*line;
        while self.lines.len() < LINES_MAX {
            let end = rest.char_indices().nth(LINE_CHARS_MAX).map_or(rest.len(), |(at, _)| at);
            self.lines.push(Cow::Owned(rest[..end].to_owned()));
            rest = &rest[end..];
            if rest.is_empty() {
                return;
            }
        }
    }

    /// Ends a line of HTML; an anchor around it goes on with its label so far.
    fn end_line(&mut self, line: &mut String, anchor: &mut Option<(String, usize)>) {
        if let Some((_, from)) = anchor {
            // A button is often a table inside of its anchor.
            if line.len() > *from {
                self.end_anchor(anchor, line);
            } else {
                *from = 0;
            }
        }
        if line.trim().is_empty() {
            line.clear();
            return;
        }
        let at = self.lines.len();
        let text = std::mem::take(line);
        self.collect_urls(&text, at);
        self.push_line(Cow::Owned(text.trim().to_owned()));
    }

    fn end_anchor(&mut self, anchor: &mut Option<(String, usize)>, line: &str) {
        if let Some((url, from)) = anchor.take() {
            let label = line.get(from..).unwrap_or("").trim().chars().take(200).collect();
            self.push_link(Link { url, label, line: self.lines.len() });
        }
    }

    fn push_link(&mut self, link: Link) {
        if self.links.len() < LINKS_MAX && link.url.len() <= LINK_BYTES_MAX {
            self.links.push(link);
        }
    }

    /// Adds the bare URLs of a line.
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
            let end = rest
                .find(|c: char| {
                    c.is_whitespace()
                        || matches!(
                            c,
                            '<' | '>'
                                | '"'
                                | '「'
                                | '」'
                                | '。'
                                | '，'
                                | '、'
                                | '（'
                                | '）'
                                | '“'
                                | '”'
                                | '»'
                                | '`'
                                | '\u{200b}'
                                | '|'
                        )
                })
                .unwrap_or(rest.len());
            let url = trim_url(&rest[..end]);
            // A Markdown link has its label right before it.
            let label = markdown_label(&line[..start]);
            self.push_link(Link { url: url.to_owned(), label: label.to_owned(), line: at });
            from = start + end.max(1);
            if self.links.len() >= LINKS_MAX {
                return;
            }
        }
    }

    /// What the words of the page as a whole say, read when they are first asked for.
    pub(super) fn matter(&self) -> Matter {
        *self.matter.get_or_init(|| Matter::of(&self.lines))
    }
}

impl Matter {
    fn of(lines: &[Cow<'_, str>]) -> Matter {
        let mut matter = Matter::default();
        let mut trade_lines = 0;
        for (at, line) in lines.iter().enumerate() {
            let lower = without_urls(&line.to_lowercase());
            let (mut trade, mut strong) = (false, false);
            let hits: Vec<Hit> = words::hits(&lower).collect();
            let purposed = words::purposed(&lower, &hits);
            for hit in &hits {
                match hit.table {
                    Table::Account => matter.is_account = true,
                    Table::Strong => strong = true,
                    Table::Weak => strong |= purposed.iter().any(|sentence| sentence.contains(&hit.from)),
                    Table::Notice => matter.is_notice = true,
                    Table::Other | Table::Trade => trade = true,
                    _ => {}
                }
            }
            trade_lines += usize::from(trade && !strong) * if at == 0 { 2 } else { 1 };
        }
        matter.is_trade = trade_lines >= 2;
        matter
    }
}

/// The words of a line without its links.
pub(super) fn without_urls(line: &str) -> String {
    let mut words = String::with_capacity(line.len());
    // Looking for one byte first spares nearly every word the search for three.
    for word in line.split_whitespace().filter(|word| !(word.contains(':') && word.contains("://"))) {
        if !words.is_empty() {
            words.push(' ');
        }
        words.push_str(word);
    }
    words
}

fn bounded(part: &str) -> &str {
    &part[..part.floor_char_boundary(PART_BYTES_MAX)]
}

fn is_web(url: &str) -> bool {
    let scheme = url.get(..8).unwrap_or(url).to_ascii_lowercase();
    scheme.starts_with("http://") || scheme.starts_with("https://")
}

/// Appends the shown form of `text`: white space folded, references decoded.
fn write(line: &mut String, text: &str) {
    for c in token::decode(text).chars() {
        if c.is_whitespace() { gap(line) } else { line.push(c) }
    }
}

fn gap(line: &mut String) {
    if !line.is_empty() && !line.ends_with(' ') {
        line.push(' ');
    }
}

/// Without the punctuation of the sentence around it; a bracket stays when it was opened inside.
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

/// The label in `[label](`, when `before` ends so.
fn markdown_label(before: &str) -> &str {
    let Some(label) = before.strip_suffix("](") else { return "" };
    label.rfind('[').map_or("", |at| &label[at + 1..])
}
