//! A message as a list of marked lines. Plain text and HTML are both converted to this form.

/// The classification of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineMark {
    /// Not classified yet.
    Unclassified,
    /// Quoted history.
    Quoted,
    /// Inside a quotation that the markup doesn't identify as history. It is history if an attribution precedes it.
    Indented,
    /// History begins here and extends to the end.
    HistoryStart,
    /// Part of a signature that the markup identifies.
    Signature,
    /// A forwarded message begins here. Everything that follows is content.
    ForwardedMessage,
    /// Left out for another reason, such as an attribution line or a separator.
    Dropped,
}

/// A line of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MarkedLine<'a> {
    /// The displayed text of the line, without its line end.
    pub(super) text: &'a str,
    /// The classification.
    pub(super) mark: LineMark,
}

impl MarkedLine<'_> {
    /// Returns whether the line shows nothing.
    pub(super) fn is_blank(&self) -> bool {
        self.text.chars().all(is_blank)
    }

    /// Returns whether the line isn't classified yet.
    pub(super) fn is_plain(&self) -> bool {
        self.mark == LineMark::Unclassified
    }
}

/// Returns whether the character is white space or a direction or width mark, which clients put around attributions.
pub(super) fn is_blank(c: char) -> bool {
    if c.is_ascii() {
        return matches!(c, '\t'..='\r' | ' ');
    }
    c.is_whitespace()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{ad}')
}

/// Trims blank characters, see [`is_blank`].
pub(super) fn trim(text: &str) -> &str {
    text.trim_matches(is_blank)
}

/// Maximum depth of `>` that counts as a quote. Anything deeper is noise and is kept.
const QUOTE_DEPTH_MAX: usize = 64;

/// Splits plain text into lines and marks lines that begin with `>` as quoted.
pub(super) fn from_text(text: &str) -> Vec<MarkedLine<'_>> {
    let mut lines: Vec<MarkedLine<'_>> = Vec::new();
    for text in text.lines() {
        let before = lines.last();
        let is_tail_of_address = || {
            trim(text).ends_with(':')
                && before.is_some_and(|before| before.is_plain() && ends_in_open_angle(before.text))
        };
        let mark = if is_quoted(text) && !is_tail_of_address() { LineMark::Quoted } else { LineMark::Unclassified };
        lines.push(MarkedLine { text, mark });
    }
    lines
}

/// Returns whether the line begins with `>`, at most [`QUOTE_DEPTH_MAX`] deep.
fn is_quoted(text: &str) -> bool {
    let text = text.trim_start();
    let quoted = text.starts_with('>') || text.starts_with('＞');
    quoted
        && text.bytes().take_while(|byte| matches!(byte, b'>' | b' ')).filter(|byte| *byte == b'>').count()
            <= QUOTE_DEPTH_MAX
}

/// Returns whether the line ends inside a wrapped `<address` that the next line closes.
fn ends_in_open_angle(text: &str) -> bool {
    let tail = text.rfind('<').map(|at| &text[at..]);
    tail.is_some_and(|tail| !tail.contains('>') && tail.len() < 320)
}
