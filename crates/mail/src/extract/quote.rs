//! Quote characters at the start of lines: `>`, bars, and initials before `>`.

use std::collections::HashMap;

use super::header;
use super::line::{self, LineMark, MarkedLine, trim};

/// Maximum depth of `>` that counts as a quote. Anything deeper is noise and is kept.
const DEPTH_MAX: usize = 64;
/// Minimum number of lines with the same bar or initials before these count as quote characters.
const LINES_MIN: usize = 2;
/// Maximum number of letters before `>`.
const INITIALS_MAX: usize = 3;
/// Maximum length of an address that a mail program may have wrapped, in bytes.
const ADDRESS_BYTES_MAX: usize = 320;
/// Maximum number of lines of such an address above its end.
const ADDRESS_LINES_MAX: usize = 3;

/// Vertical bars that some programs put before quoted lines.
const BARS: [char; 7] = ['|', '¦', '│', '┃', '▌', '▎', '▏'];
/// Characters that count as quote characters only below an attribution.
const RARE: [char; 5] = [':', '}', ']', '»', '›'];

/// What quotes a line, other than `>`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum QuotePrefix<'a> {
    /// Initials of the quoted author, as in `JD> text`.
    Initials(&'a str),
    Bar(char),
    Rare(char),
    Indentation,
}

/// Marks the quoted lines.
pub(super) fn mark(lines: &mut [MarkedLine<'_>]) {
    let mut counts: HashMap<QuotePrefix<'_>, usize> = HashMap::new();
    for prefix in lines.iter().filter(|line| line.is_plain()).filter_map(|line| prefix(line.text)) {
        if matches!(prefix, QuotePrefix::Initials(_) | QuotePrefix::Bar(_)) {
            *counts.entry(prefix).or_default() += 1;
        }
    }
    counts.retain(|_, count| *count >= LINES_MIN);
    for at in 0..lines.len() {
        let text = lines[at].text;
        let is_repeated = || !counts.is_empty() && prefix(text).is_some_and(|prefix| counts.contains_key(&prefix));
        if lines[at].is_plain() && (is_angle_quote(text) && !is_tail_of_address(&lines[..=at]) || is_repeated()) {
            lines[at].mark = LineMark::Quoted;
        }
    }
}

/// Marks the run of lines from `at` on, directly below an attribution, that begin with one rare quote character or
/// that are indented. Returns the index of the line below the run, or `None` if line `at` doesn't begin one. Below a
/// reply (`is_below_text`), one indented line is the heading of history.
pub(super) fn mark_run(lines: &mut [MarkedLine<'_>], at: usize, is_below_text: bool) -> Option<usize> {
    let first = prefix(lines[at].text)?;
    let belongs = |line: &MarkedLine<'_>| line.is_blank() || line.is_plain() && prefix(line.text) == Some(first);
    let end = at + lines[at..].iter().take_while(|line| belongs(line)).count();
    let is_heading = || lines[at..end].iter().filter(|line| !line.is_blank()).count() == 1 && end < lines.len();
    if is_below_text && first == QuotePrefix::Indentation && is_heading() {
        return None;
    }
    line::mark_all(&mut lines[at..end], LineMark::Quoted);
    Some(end)
}

fn prefix(text: &str) -> Option<QuotePrefix<'_>> {
    // No prefix begins with a lower-case letter, and most lines do.
    if text.starts_with(|c: char| c.is_ascii_lowercase()) {
        return None;
    }
    let shown = text.trim_start();
    let first = shown.chars().next()?;
    let rest = &shown[first.len_utf8()..];
    if BARS.contains(&first) {
        // A bar after text shows that the line is the row of a table.
        let is_row = rest.trim_start_matches([first, ' ']).contains(first);
        return (rest.is_empty() || rest.starts_with([' ', first]) && !is_row).then_some(QuotePrefix::Bar(first));
    }
    if RARE.contains(&first) {
        return rest.starts_with([' ', first]).then_some(QuotePrefix::Rare(first));
    }
    let letters = shown.char_indices().take(INITIALS_MAX + 1).find(|(_, c)| !c.is_alphabetic()).map_or(0, |(at, _)| at);
    let after = shown[letters..].strip_prefix('>');
    if first.is_uppercase() && after.is_some_and(|after| after.is_empty() || after.starts_with([' ', '>', '\t'])) {
        return Some(QuotePrefix::Initials(&shown[..letters]));
    }
    (text.starts_with("  ") || text.starts_with('\t')).then_some(QuotePrefix::Indentation)
}

/// Returns whether the line begins with `>`, at most [`DEPTH_MAX`] deep.
fn is_angle_quote(text: &str) -> bool {
    let text = text.trim_start();
    let depth = || text.bytes().take_while(|byte| matches!(byte, b'>' | b' ')).filter(|byte| *byte == b'>').count();
    let is_decorated = || text.starts_with(">>>") && text.trim_end().ends_with("<<<");
    text.starts_with(['>', '＞']) && depth() <= DEPTH_MAX && !is_decorated()
}

/// Returns whether the quoted line at `at` begins a forwarded message: a quotation that has no attribution above it and
/// begins with the marker of one, as Apple Mail writes it.
pub(super) fn is_forward(lines: &[MarkedLine<'_>], at: usize) -> bool {
    // Few lines are markers. Each blank one would read the blank lines above it.
    let above = || line::shown_above(lines, at);
    header::is_forward(unquoted(lines[at].text))
        && above().is_none_or(|above| !matches!(above.mark, LineMark::Quoted | LineMark::Dropped))
}

/// Returns whether the line at `at` is the last one of a quotation and the separator above an original message, which is
/// then below the quotation.
pub(super) fn ends_with_separator(lines: &[MarkedLine<'_>], at: usize) -> bool {
    let is_last = || line::next_shown(lines, at + 1).is_some_and(|below| lines[below].mark != LineMark::Quoted);
    lines[at].mark == LineMark::Quoted && header::is_original_separator(unquoted(lines[at].text)) && is_last()
}

/// Returns a line without its quote characters.
fn unquoted(text: &str) -> &str {
    text.trim_start_matches(['>', ' '])
}

/// Returns whether the last line closes the `<address` of an attribution that a mail program wrapped.
fn is_tail_of_address(lines: &[MarkedLine<'_>]) -> bool {
    let Some((last, above)) = lines.split_last() else { return false };
    if !trim(last.text).ends_with([':', '：']) {
        return false;
    }
    let above = above.iter().rev().take(ADDRESS_LINES_MAX).take_while(|line| line.is_text());
    let mut closed = 0_usize;
    for line in above.filter(|line| line.text.len() < ADDRESS_BYTES_MAX) {
        // A sign between numbers has a blank behind it.
        let is_bracket = |(at, c): &(usize, char)| *c == '>' || *c == '<' && !line.text[at + 1..].starts_with(' ');
        for (_, bracket) in line.text.char_indices().rev().filter(is_bracket) {
            match (bracket, closed) {
                ('<', 0) => return true,
                ('<', _) => closed -= 1,
                _ => closed += 1,
            }
        }
    }
    false
}
