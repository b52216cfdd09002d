//! A mail as a list of lines, each with what is known about it. Both sources (plain text, HTML) end here.

/// What is known about a line before the rules on words run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    /// Nothing yet.
    Plain,
    /// Quoted history.
    Quoted,
    /// In a quotation of which the markup does not say whether it is history: it is when an attribution precedes it.
    Indented,
    /// History begins here and reaches to the end.
    Cut,
    /// Part of a signature that the markup names.
    Signature,
    /// A forwarded message begins here: from here on everything is content.
    Forward,
    /// Left out for another reason (attribution line, separator).
    Dropped,
}

/// One line of a mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Line<'a> {
    /// The line as it will be shown, without its end.
    pub(super) text: &'a str,
    /// What is known about it.
    pub(super) mark: Mark,
}

impl Line<'_> {
    /// True when the line shows nothing.
    pub(super) fn is_blank(&self) -> bool {
        self.text.chars().all(is_blank)
    }

    /// True for a line of which nothing is decided yet.
    pub(super) fn is_plain(&self) -> bool {
        self.mark == Mark::Plain
    }
}

/// White space, and the marks of writing direction and width that clients put around attributions.
pub(super) fn is_blank(c: char) -> bool {
    if c.is_ascii() {
        return matches!(c, '\t'..='\r' | ' ');
    }
    c.is_whitespace()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{ad}')
}

/// `text` without blank characters at its ends, see [`is_blank`].
pub(super) fn trim(text: &str) -> &str {
    text.trim_matches(is_blank)
}

/// Deepest nesting of `>` that is a quote; more is noise, and noise is not ours to cut.
const QUOTE_DEPTH_MAX: usize = 64;

/// The lines of a plain text; lines that begin with `>` are quoted.
pub(super) fn from_text(text: &str) -> Vec<Line<'_>> {
    let mut lines: Vec<Line<'_>> = Vec::new();
    for text in text.lines() {
        let before = lines.last();
        let is_tail_of_address = || {
            trim(text).ends_with(':')
                && before.is_some_and(|before| before.is_plain() && ends_in_open_angle(before.text))
        };
        let mark = if is_quoted(text) && !is_tail_of_address() { Mark::Quoted } else { Mark::Plain };
        lines.push(Line { text, mark });
    }
    lines
}

/// True for `> text` and its deeper forms.
fn is_quoted(text: &str) -> bool {
    let text = text.trim_start();
    let quoted = text.starts_with('>') || text.starts_with('＞');
    quoted
        && text.bytes().take_while(|byte| matches!(byte, b'>' | b' ')).filter(|byte| *byte == b'>').count()
            <= QUOTE_DEPTH_MAX
}

/// True when a wrapped `<address` is closed on the next line.
fn ends_in_open_angle(text: &str) -> bool {
    let tail = text.rfind('<').map(|at| &text[at..]);
    tail.is_some_and(|tail| !tail.contains('>') && tail.len() < 320)
}
