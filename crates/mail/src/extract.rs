//! The new text of a reply: what its author wrote, without quoted history and without signature.
//!
//! Structure first (the quote markers that mail clients leave in HTML), then rules on lines, with tables for
//! languages. Never replaces `text` (decision 21) and never cuts where it doubts: a signature may stay, history may not.
//! Pure, linear in the input and bounded. API: `extracted_text` of the message object.

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

use line::{Line, Mark};

/// Most bytes of plain text or HTML that are read; what lies beyond is left out.
const SOURCE_BYTES_MAX: usize = 1024 * 1024;
/// Most lines that the rules read; what lies beyond is left out, for no person wrote it as an answer.
const LINES_MAX: usize = 20_000;

/// What [`new_text`] found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extracted {
    /// The new text; empty when the mail holds history alone.
    pub text: String,
    /// How it was found.
    pub method: Method,
    /// Characters of the shown text that were left out (history, signature, blank lines around them).
    pub left_out_chars: usize,
}

/// Where the cut came from, surest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Quote markers of a mail client in the HTML.
    Structure,
    /// Rules on the lines of the text: `>`, attribution lines, header blocks, signatures.
    Rules,
    /// Nothing was cut.
    Whole,
}

/// The new content of a mail, from its plain text and its HTML; `None` when it has neither.
///
/// HTML decides when a mail client marked the history in it; else the plain text does, where there is one.
#[must_use]
pub fn new_text(text: Option<&str>, html: Option<&str>) -> Option<Extracted> {
    let text = text.map(bounded).filter(|text| !text.chars().all(line::is_blank));
    let marked = html.map(bounded).filter(|html| !html.trim().is_empty()).map(markup::read);
    if let Some(marked) = marked.as_ref().filter(|marked| marked.has_history || text.is_none()) {
        let found = from_lines(marked.lines(), if marked.has_history { Method::Structure } else { Method::Rules });
        // A client that marks everything as history leaves the decision to the text.
        if !found.text.is_empty() || text.is_none() {
            return Some(found);
        }
    }
    text.map(|text| from_lines(line::from_text(text), Method::Rules))
}

/// The beginning of `source`, at most [`SOURCE_BYTES_MAX`].
fn bounded(source: &str) -> &str {
    &source[..source.floor_char_boundary(SOURCE_BYTES_MAX)]
}

/// Applies the rules to marked lines and joins what is left.
fn from_lines(mut lines: Vec<Line<'_>>, method: Method) -> Extracted {
    lines.truncate(LINES_MAX);
    mark_history(&mut lines);
    signature::mark(&mut lines);
    let mut text = join(&lines, |mark| matches!(mark, Mark::Plain | Mark::Indented));
    if text.is_empty() {
        // Some clients let people write inside of the signature's element.
        text = join(&lines, |mark| matches!(mark, Mark::Plain | Mark::Indented | Mark::Signature));
    }
    let shown: usize = lines.iter().map(|line| line.text.chars().count() + 1).sum();
    let kept = text.chars().count();
    let whole = lines.iter().all(|line| line.is_blank() || line.is_plain());
    Extracted {
        text,
        method: if whole { Method::Whole } else { method },
        left_out_chars: shown.saturating_sub(kept + 1),
    }
}

/// Marks quoted history, attribution lines and separators.
fn mark_history(lines: &mut [Line<'_>]) {
    let mut at = 0;
    let mut has_text = false;
    while at < lines.len() {
        let line = lines[at];
        if line.mark == Mark::Forward
            || matches!(line.mark, Mark::Plain | Mark::Dropped) && header::is_forward(line.text)
        {
            return keep_rest(&mut lines[at..]);
        }
        if line.mark == Mark::Cut || line.is_plain() && begins_history(lines, at, has_text) {
            let from = drop_rules_above(lines, at);
            let quoted = line.mark != Mark::Cut && header_is_quoted(lines, at);
            let until = if quoted { end_of_paragraph(lines, at) } else { lines.len() };
            lines[from..until].iter_mut().for_each(|line| line.mark = Mark::Dropped);
            at = until;
            continue;
        }
        if line.is_plain()
            && let Some(start) = attribution::start(lines, at)
        {
            at = drop_attributed(lines, start, at);
            continue;
        }
        has_text |= line.is_plain() && !line.is_blank();
        at += 1;
    }
}

/// True when everything from this line on is history: a separator, a header block, a helpdesk's marker.
///
/// `has_text` says whether anything was written above it.
fn begins_history(lines: &[Line<'_>], at: usize, has_text: bool) -> bool {
    let text = lines[at].text;
    header::is_original(text)
        || header::is_block(lines, at)
        || header::is_unknown_original(lines, at)
        || has_text && header::is_reply_above(text)
}

/// A forwarded message is content, whatever is in it.
fn keep_rest(lines: &mut [Line<'_>]) {
    for line in lines {
        line.mark = if line.mark == Mark::Signature { Mark::Signature } else { Mark::Forward };
    }
}

/// Marks an attribution and what it introduces; the line to go on with.
fn drop_attributed(lines: &mut [Line<'_>], start: usize, end: usize) -> usize {
    lines[start..=end].iter_mut().for_each(|line| line.mark = Mark::Dropped);
    let next = (end + 1..lines.len()).find(|at| !lines[*at].is_blank());
    match next.map(|at| lines[at].mark) {
        // Quoted text marks itself: what stands between and below is the author's.
        Some(Mark::Quoted | Mark::Dropped | Mark::Forward) | None => end + 1,
        Some(Mark::Indented) => {
            let from = next.unwrap_or(end + 1);
            let run = lines[from..].iter_mut().take_while(|line| line.mark == Mark::Indented);
            from + run.map(|line| line.mark = Mark::Quoted).count()
        }
        Some(_) => {
            lines[end + 1..].iter_mut().for_each(|line| line.mark = Mark::Dropped);
            lines.len()
        }
    }
}

/// The first of the rules (`____`) and blank lines right above line `at`.
fn drop_rules_above(lines: &[Line<'_>], at: usize) -> usize {
    let above = lines[..at].iter().rev().take(4).enumerate();
    let rules = above.take_while(|(_, line)| line.is_blank() || header::is_rule(line.text));
    rules.filter(|(_, line)| !line.is_blank()).last().map_or(at, |(back, _)| at - back - 1)
}

/// True when the paragraph of a header block is followed by `>` lines, which then mark the history themselves.
fn header_is_quoted(lines: &[Line<'_>], at: usize) -> bool {
    let end = end_of_paragraph(lines, at);
    let next = lines[end..].iter().take(8).find(|line| !line.is_blank());
    next.is_some_and(|line| line.mark == Mark::Quoted)
}

/// The first blank or quoted line from `at` on.
fn end_of_paragraph(lines: &[Line<'_>], at: usize) -> usize {
    let paragraph = lines[at..].iter().take_while(|line| line.is_plain() && !line.is_blank());
    at + paragraph.count()
}

/// The lines that `keep` lets through, with single blank lines where others were left out.
fn join(lines: &[Line<'_>], keep: impl Fn(Mark) -> bool) -> String {
    let kept = lines.iter().filter(|line| keep(line.mark) || line.mark == Mark::Forward);
    let mut out = String::with_capacity(kept.map(|line| line.text.len() + 1).sum());
    let mut blanks = 0_usize;
    let mut cut = false;
    for line in lines {
        if !keep(line.mark) && line.mark != Mark::Forward {
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
