//! Extracts the new text of a reply: the text that its author wrote, without quoted history and signature.
//!
//! Uses the quote markers that mail clients leave in HTML first, then rules on lines with word tables for many
//! languages. In doubt, text is kept: a signature may remain in the result, quoted history must not. The result is
//! returned as `extracted_text` of a message, in addition to the full `text`. Pure functions, linear in the input,
//! which is bounded.

mod attribution;
mod header;
mod labels;
mod line;
mod markup;
mod signature;
pub(crate) mod token;
mod words;

#[cfg(test)]
mod tests;

use line::{LineMark, MarkedLine};

/// Maximum number of bytes of plain text or HTML that are read. The rest is left out.
const SOURCE_BYTES_MAX: usize = 1024 * 1024;
/// Maximum number of lines that are processed. The rest is left out: nobody writes a reply that long by hand.
const LINES_MAX: usize = 20_000;

/// The result of [`new_text`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewText {
    /// The new text; empty if the message contains only history.
    pub text: String,
    /// The method that produced the result.
    pub method: ExtractionMethod,
    /// Number of characters of the displayed text that were left out: history, signature and the blank lines around
    /// them.
    pub left_out_chars: usize,
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
/// Uses the HTML if a mail client marked the history in it, otherwise the plain text if there is one.
#[must_use]
pub fn new_text(text: Option<&str>, html: Option<&str>) -> Option<NewText> {
    let text = text.map(truncated).filter(|text| !text.chars().all(line::is_blank));
    let marked = html.map(truncated).filter(|html| !html.trim().is_empty()).map(markup::read);
    if let Some(marked) = marked.as_ref().filter(|marked| marked.has_history || text.is_none()) {
        let extracted = from_lines(
            marked.lines(),
            if marked.has_history { ExtractionMethod::Structure } else { ExtractionMethod::Rules },
        );
        // If the client marked everything as history, use the plain text instead.
        if !extracted.text.is_empty() || text.is_none() {
            return Some(extracted);
        }
    }
    text.map(|text| from_lines(line::from_text(text), ExtractionMethod::Rules))
}

/// Truncates `source` to [`SOURCE_BYTES_MAX`].
fn truncated(source: &str) -> &str {
    &source[..source.floor_char_boundary(SOURCE_BYTES_MAX)]
}

/// Applies the rules to marked lines and joins the lines that are kept.
fn from_lines(mut lines: Vec<MarkedLine<'_>>, method: ExtractionMethod) -> NewText {
    lines.truncate(LINES_MAX);
    mark_history(&mut lines);
    signature::mark(&mut lines);
    let mut text = join(&lines, |mark| matches!(mark, LineMark::Unclassified | LineMark::Indented));
    if text.is_empty() {
        // In some clients, users can write inside the signature element.
        text = join(&lines, |mark| matches!(mark, LineMark::Unclassified | LineMark::Indented | LineMark::Signature));
    }
    let shown: usize = lines.iter().map(|line| line.text.chars().count() + 1).sum();
    let kept = text.chars().count();
    let whole = lines.iter().all(|line| line.is_blank() || line.is_plain());
    NewText {
        text,
        method: if whole { ExtractionMethod::Whole } else { method },
        left_out_chars: shown.saturating_sub(kept + 1),
    }
}

/// Marks quoted history, attribution lines and separators.
fn mark_history(lines: &mut [MarkedLine<'_>]) {
    let mut at = 0;
    let mut has_text = false;
    while at < lines.len() {
        let line = lines[at];
        if line.mark == LineMark::ForwardedMessage
            || matches!(line.mark, LineMark::Unclassified | LineMark::Dropped) && header::is_forward(line.text)
        {
            return mark_rest_as_content(&mut lines[at..]);
        }
        if line.mark == LineMark::HistoryStart || line.is_plain() && begins_history(lines, at, has_text) {
            let from = first_ruler_above(lines, at);
            let quoted = line.mark != LineMark::HistoryStart && quote_follows_header(lines, at);
            let until = if quoted { end_of_paragraph(lines, at) } else { lines.len() };
            lines[from..until].iter_mut().for_each(|line| line.mark = LineMark::Dropped);
            at = until;
            continue;
        }
        if line.is_plain()
            && let Some(start) = attribution::start(lines, at)
        {
            at = mark_attributed(lines, start, at);
            continue;
        }
        has_text |= line.is_plain() && !line.is_blank();
        at += 1;
    }
}

/// Returns whether everything from line `at` on is history: a separator, a header block, or a helpdesk marker.
///
/// `has_text` states whether there is text above the line.
fn begins_history(lines: &[MarkedLine<'_>], at: usize, has_text: bool) -> bool {
    let text = lines[at].text;
    header::is_original(text)
        || header::is_block(lines, at)
        || header::is_unknown_original(lines, at)
        || has_text && header::is_reply_above(text)
}

/// Marks the remaining lines as content, because a forwarded message is content in full.
fn mark_rest_as_content(lines: &mut [MarkedLine<'_>]) {
    for line in lines {
        line.mark = if line.mark == LineMark::Signature { LineMark::Signature } else { LineMark::ForwardedMessage };
    }
}

/// Marks an attribution and the history it introduces. Returns the index of the next line to process.
fn mark_attributed(lines: &mut [MarkedLine<'_>], start: usize, end: usize) -> usize {
    lines[start..=end].iter_mut().for_each(|line| line.mark = LineMark::Dropped);
    let next = (end + 1..lines.len()).find(|at| !lines[*at].is_blank());
    match next.map(|at| lines[at].mark) {
        // Quoted lines have their own marks, so the text between and below them is the author's.
        Some(LineMark::Quoted | LineMark::Dropped | LineMark::ForwardedMessage) | None => end + 1,
        Some(LineMark::Indented) => {
            let from = next.unwrap_or(end + 1);
            let run = lines[from..].iter_mut().take_while(|line| line.mark == LineMark::Indented);
            from + run.map(|line| line.mark = LineMark::Quoted).count()
        }
        Some(_) => {
            lines[end + 1..].iter_mut().for_each(|line| line.mark = LineMark::Dropped);
            lines.len()
        }
    }
}

/// Returns the index of the first ruler (`____`) directly above line `at`, ignoring blank lines; `at` if there isn't one.
fn first_ruler_above(lines: &[MarkedLine<'_>], at: usize) -> usize {
    let above = lines[..at].iter().rev().take(4).enumerate();
    let rules = above.take_while(|(_, line)| line.is_blank() || header::is_rule(line.text));
    rules.filter(|(_, line)| !line.is_blank()).last().map_or(at, |(back, _)| at - back - 1)
}

/// Returns whether `>` lines follow the paragraph of a header block. These then delimit the history themselves.
fn quote_follows_header(lines: &[MarkedLine<'_>], at: usize) -> bool {
    let end = end_of_paragraph(lines, at);
    let next = lines[end..].iter().take(8).find(|line| !line.is_blank());
    next.is_some_and(|line| line.mark == LineMark::Quoted)
}

/// Returns the index of the first blank or quoted line from `at` on.
fn end_of_paragraph(lines: &[MarkedLine<'_>], at: usize) -> usize {
    let paragraph = lines[at..].iter().take_while(|line| line.is_plain() && !line.is_blank());
    at + paragraph.count()
}

/// Joins the lines that `keep` accepts, and puts one blank line in place of lines that are left out.
fn join(lines: &[MarkedLine<'_>], keep: impl Fn(LineMark) -> bool) -> String {
    let kept = lines.iter().filter(|line| keep(line.mark) || line.mark == LineMark::ForwardedMessage);
    let mut out = String::with_capacity(kept.map(|line| line.text.len() + 1).sum());
    let mut blanks = 0_usize;
    let mut cut = false;
    for line in lines {
        if !keep(line.mark) && line.mark != LineMark::ForwardedMessage {
            cut = true;
        } else if line.is_blank() {
            blanks += 1;
        } else {
            if !out.is_empty() {
                let blanks = if cut { 1 } else { blanks.min(2) };
                (0..=blanks).for_each(|_| out.push('\n'));
            }
            out.push_str(line.text.trim_end());
            (blanks, cut) = (0, false);
        }
    }
    out
}
