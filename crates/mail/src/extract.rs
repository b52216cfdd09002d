//! Extracts the new text of a reply: the text that its author wrote, without quoted history and signature.
//!
//! Uses the quote markers that mail clients leave in HTML first, then rules on lines with word tables for many
//! languages. In doubt, text is kept: a signature may remain in the result, quoted history must not. The result is
//! returned as `extracted_text` of a message, in addition to the full `text`. Pure functions, linear in the input,
//! which is bounded.

mod attribution;
mod element;
mod header;
mod labels;
mod line;
mod markup;
mod quote;
mod signature;
pub(crate) mod token;
mod words;

#[cfg(test)]
mod tests;

use std::iter;

use line::{LineMark, MarkedLine};
use markup::MarkedText;

/// Maximum number of bytes of plain text or HTML that are read. The rest is left out.
const SOURCE_BYTES_MAX: usize = 1024 * 1024;
/// Maximum number of lines that are processed. The rest is left out: nobody writes a reply that long by hand.
const LINES_MAX: usize = 20_000;

/// The result of [`new_text`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewText {
    /// The new text. If the message contains only history, the part of it that is most likely new.
    pub text: String,
    /// The method that produced the result.
    pub method: ExtractionMethod,
}

/// The basis of the cut, most reliable first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExtractionMethod {
    /// Quote markers of a mail client in the HTML.
    Structure,
    /// Rules on the lines of the text: `>`, attribution lines, header blocks, signatures.
    Rules,
    /// Nothing was cut.
    Whole,
}

/// Extracts the new text of a message from its plain text and its HTML. Returns `None` if it has neither.
///
/// Uses the HTML if a mail client marked the history or the author quotes something in it, otherwise the plain text if
/// there is one. If nothing of these is new, the result is what is most likely new, so it is empty only if the message
/// shows nothing.
#[must_use]
pub fn new_text(text: Option<&str>, html: Option<&str>) -> Option<NewText> {
    let text = text.map(truncated).filter(|text| !text.chars().all(line::is_blank));
    let html = html.map(truncated_html).filter(|html| !html.trim().is_empty()).map(markup::read);
    let is_marked = html.as_ref().is_some_and(|html| html.has_history);
    let signature = html.as_ref().filter(|_| !is_marked).map(MarkedText::signature).unwrap_or_default();
    let html = html.as_ref().filter(|html| is_marked || html.has_quotes || text.is_none());
    let method = if is_marked { ExtractionMethod::Structure } else { ExtractionMethod::Rules };
    let from_html = iter::once_with(|| Some(Extraction::new(html?.lines(LINES_MAX), method)));
    let from_text = iter::once_with(|| {
        let mut lines = line::from_text(text?);
        signature::mark_same(&mut lines, &signature);
        Some(Extraction::new(lines, ExtractionMethod::Rules))
    });
    let mut sources = Vec::with_capacity(2);
    for source in from_html.chain(from_text).flatten() {
        let new = source.text(&NEW);
        if !new.text.chars().all(|c| line::is_blank(c) || header::is_rule_char(c)) {
            return Some(new);
        }
        sources.push(source);
    }
    let likely = FALLBACKS.iter().flat_map(|marks| sources.iter().map(|source| source.text(marks)));
    let has_words = |new: &NewText| new.text.contains(char::is_alphanumeric);
    likely.into_iter().find(has_words).or_else(|| Some(sources.first()?.text(&NEW)))
}

/// Truncates `source` to [`SOURCE_BYTES_MAX`].
fn truncated(source: &str) -> &str {
    &source[..source.floor_char_boundary(SOURCE_BYTES_MAX)]
}

/// Truncates HTML before a tag that doesn't fit.
fn truncated_html(source: &str) -> &str {
    let kept = truncated(source);
    let open = kept.rfind('<').filter(|at| kept.len() < source.len() && !kept[*at..].contains('>'));
    &kept[..open.unwrap_or(kept.len())]
}

/// The marks of lines that are new text.
const NEW: [LineMark; 3] = [LineMark::Unclassified, LineMark::Indented, LineMark::ForwardedMessage];

/// The marks of lines that are used if there is no new text, most likely new first. In some clients, users can write
/// inside the signature element; text below an attribution without quote characters may be a reply.
const FALLBACKS: [&[LineMark]; 4] = [
    &[LineMark::Signature],
    &[LineMark::UnquotedHistory, LineMark::Signature],
    &[LineMark::Quoted, LineMark::UnquotedHistory, LineMark::Signature],
    &[LineMark::Dropped],
];

/// The classified lines of a text.
struct Extraction<'a> {
    lines: Vec<MarkedLine<'a>>,
    method: ExtractionMethod,
}

impl<'a> Extraction<'a> {
    /// Classifies lines.
    fn new(mut lines: Vec<MarkedLine<'a>>, method: ExtractionMethod) -> Self {
        lines.truncate(LINES_MAX);
        quote::mark(&mut lines);
        mark_history(&mut lines);
        signature::mark(&mut lines);
        Extraction { lines, method }
    }

    /// Joins the lines with these marks.
    fn text(&self, marks: &[LineMark]) -> NewText {
        let text = join(&self.lines, marks);
        let is_whole = self
            .lines
            .iter()
            .all(|line| line.is_blank() || marks.contains(&line.mark) && line.mark != LineMark::ForwardedMessage);
        NewText { text, method: if is_whole { ExtractionMethod::Whole } else { self.method } }
    }
}

/// Marks quoted history, attribution lines and separators.
fn mark_history(lines: &mut [MarkedLine<'_>]) {
    let mut at = 0;
    let mut has_text = false;
    let last_quote = lines.iter().rposition(|line| line.mark == LineMark::Quoted);
    let at_signs = attribution::at_signs(lines);
    let first_text = header::first_text(lines);
    while at < lines.len() {
        let line = lines[at];
        if line.mark == LineMark::ForwardedMessage
            || matches!(line.mark, LineMark::Unclassified | LineMark::Dropped) && header::is_forward(line.text)
            || line.mark == LineMark::Quoted && quote::is_forward(lines, at)
        {
            return mark_rest_as_content(&mut lines[at..]);
        }
        if line.mark == LineMark::UnquotedHistory {
            return drop_introduction(lines, at, at);
        }
        if line.mark == LineMark::Indented {
            at = mark_indented(lines, at, has_text);
        } else if quote::ends_with_separator(lines, at) {
            return line::mark_all(&mut lines[at + 1..], LineMark::UnquotedHistory);
        } else if !line.is_text() {
            at += 1;
        } else if let Some(end) = header::own_header_end(lines, at, first_text) {
            drop_introduction(lines, at, end);
            at = end;
        } else if let Some(end) = header::history_start(lines, at, has_text) {
            if !attribution::is_quoted_next(lines, end) {
                return mark_rest_as_history(lines, at, end);
            }
            // Quoted lines have their own marks, so the text between and below them is the author's.
            drop_introduction(lines, at, end);
            at = end;
        } else if let Some(start) = attribution::start(lines, at, &at_signs) {
            match attribution::text_before(line.text).filter(|_| start == at) {
                Some(before) => {
                    lines[at].text = before;
                    has_text = true;
                }
                None => drop_introduction(lines, start, at + 1),
            }
            // A reply below its quotes has no text above them.
            let is_above_reply = !has_text && last_quote > Some(at);
            at = mark_attributed(lines, at + 1, ReplyPosition { has_text, is_above_reply });
        } else {
            has_text = true;
            at += 1;
        }
    }
}

/// Marks the remaining lines as content, because a forwarded message is content in full.
fn mark_rest_as_content(lines: &mut [MarkedLine<'_>]) {
    for line in lines.iter_mut().filter(|line| !matches!(line.mark, LineMark::Signature | LineMark::Hidden)) {
        line.mark = LineMark::ForwardedMessage;
    }
}

/// Marks the lines from `end` on as history, and those from `start` on as its introduction.
fn mark_rest_as_history(lines: &mut [MarkedLine<'_>], start: usize, end: usize) {
    drop_introduction(lines, attribution::above(lines, start), end);
    line::mark_all(&mut lines[end..], LineMark::UnquotedHistory);
}

/// Drops the lines that introduce history, and the ruler above them.
fn drop_introduction(lines: &mut [MarkedLine<'_>], start: usize, end: usize) {
    let from = first_ruler_above(lines, start);
    line::mark_all(&mut lines[from..end], LineMark::Dropped);
}

/// Marks the indented lines from `at` on as quoted if an attribution or a header is above them or begins them, or if
/// other history is next to them. Returns the index of the line below them.
fn mark_indented(lines: &mut [MarkedLine<'_>], at: usize, has_text: bool) -> usize {
    /// Maximum number of lines of the attribution, and of lines below that it is judged by.
    const LINES_MAX: usize = 12;
    let end = at + lines[at..].iter().take_while(|line| line.mark == LineMark::Indented).count();
    // The marks of blank lines don't matter, and each such run would read the blank lines around it.
    let Some(first) = line::next_shown(&lines[..end], at) else { return end };
    let shown = lines[first..end].iter().take(LINES_MAX);
    let shown: Vec<_> = shown.map(|line| MarkedLine { mark: LineMark::Unclassified, ..*line }).collect();
    let at_signs = attribution::at_signs(&shown);
    let is_attribution =
        |end| attribution::start(&shown, end, &at_signs).is_some() || attribution::is_opening(shown[end].text);
    let is_history = (0..shown.len()).any(is_attribution) || header::history_start(&shown, 0, has_text).is_some();
    let is_history_mark = |mark| matches!(mark, LineMark::Quoted | LineMark::UnquotedHistory);
    // An attribution above belongs to these lines; one below begins other history.
    let is_adjacent = || {
        let above = line::shown_above(lines, at).map(|line| line.mark);
        let below = line::next_shown(lines, end).map(|next| lines[next].mark);
        above.is_some_and(|mark| mark == LineMark::Dropped || is_history_mark(mark))
            || below.is_some_and(is_history_mark)
    };
    if is_history || is_adjacent() {
        line::mark_all(&mut lines[at..end], LineMark::Quoted);
    }
    end
}

/// Where the new text of a reply is.
#[derive(Debug, Clone, Copy)]
struct ReplyPosition {
    /// Whether there is text above the history.
    has_text: bool,
    /// Whether quoted lines further below delimit the history.
    is_above_reply: bool,
}

/// Marks the history below an attribution that ends above line `at`. Returns the index of the next line to process.
fn mark_attributed(lines: &mut [MarkedLine<'_>], at: usize, reply: ReplyPosition) -> usize {
    let Some(next) = line::next_shown(lines, at) else { return at };
    match lines[next].mark {
        LineMark::Indented => {
            let run = lines[next..].iter_mut().take_while(|line| line.mark == LineMark::Indented);
            next + run.map(|line| line.mark = LineMark::Quoted).count()
        }
        LineMark::Unclassified => {
            if let Some(end) = quote::mark_run(lines, next, reply.has_text) {
                return end;
            }
            if reply.is_above_reply {
                return at;
            }
            line::mark_all(&mut lines[next..], LineMark::UnquotedHistory);
            lines.len()
        }
        // Quoted lines have their own marks, so the text between and below them is the author's.
        _ => at,
    }
}

/// Returns the index of the first ruler (`____`) directly above line `at`, ignoring blank lines; `at` if there isn't one.
fn first_ruler_above(lines: &[MarkedLine<'_>], at: usize) -> usize {
    let above = lines[..at].iter().rev().take(4).enumerate();
    let rules = above.take_while(|(_, line)| line.is_blank() || header::is_rule(line.text));
    rules.filter(|(_, line)| !line.is_blank()).last().map_or(at, |(back, _)| at - back - 1)
}

/// Joins the lines with these marks, and puts one blank line in place of lines that are left out.
fn join(lines: &[MarkedLine<'_>], marks: &[LineMark]) -> String {
    let kept = lines.iter().filter(|line| marks.contains(&line.mark));
    let mut out = String::with_capacity(kept.map(|line| line.text.len() + 1).sum());
    let mut blanks = 0_usize;
    let mut cut = false;
    for line in lines {
        if !marks.contains(&line.mark) {
            cut = true;
        } else if line.is_blank() {
            blanks += 1;
        } else {
            if !out.is_empty() {
                let blanks = if cut { 1 } else { blanks.min(2) };
                (0..=blanks).for_each(|_| out.push('\n'));
            }
            out.push_str(line.text.trim_end_matches(line::is_blank));
            (blanks, cut) = (0, false);
        }
    }
    out
}
