//! Detects the beginning of an original message: separators between dashes, header blocks and helpdesk markers.

use std::collections::HashSet;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use memchr::{memchr, memchr2, memchr3};

use super::labels::{HeaderLabel, label};
use super::line::{COLONS, MarkedLine, next_shown, trim};
use super::words::{
    ABOVE_THIS_LINE, FORWARD_SEPARATORS, ORIGINAL_SEPARATORS, PREVIOUS_ANSWERS, PROCESSED_ORIGINALS,
    REPLY_ABOVE_MARKERS,
};

/// Maximum length of a line that is checked as a separator or a header, in bytes.
const LINE_BYTES_MAX: usize = 400;
/// Maximum length of a label, in characters.
const LABEL_CHARS_MAX: usize = 24;
/// Maximum number of lines of a header block. Long recipient lists wrap.
const BLOCK_LINES_MAX: usize = 24;
/// Minimum length of a line of dashes or underscores that counts as a ruler above a header block, in characters.
const RULE_CHARS_MIN: usize = 10;

/// Automata that find all entries of a table in one pass.
static REPLY_ABOVE: LazyLock<AhoCorasick> = LazyLock::new(|| automaton(&REPLY_ABOVE_MARKERS));
static ABOVE_LINE: LazyLock<AhoCorasick> = LazyLock::new(|| automaton(&ABOVE_THIS_LINE));

/// Bytes at the end of a marker by which a line with it is recognized first.
const END_BYTES: usize = 4;

/// The ends of [`REPLY_ABOVE_MARKERS`], whose letters of ASCII are small.
static REPLY_ABOVE_ENDS: LazyLock<HashSet<[u8; END_BYTES]>> =
    LazyLock::new(|| REPLY_ABOVE_MARKERS.iter().filter_map(|words| end_of(words)).collect());

/// Returns the last bytes of a text, with small letters of ASCII.
fn end_of(text: &str) -> Option<[u8; END_BYTES]> {
    text.as_bytes().last_chunk().map(|end: &[u8; END_BYTES]| end.map(|byte| byte.to_ascii_lowercase()))
}

fn automaton(entries: &[&str]) -> AhoCorasick {
    AhoCorasick::new(entries).expect("the table must fit into an automaton")
}

/// Returns whether the character decorates separator lines.
pub(super) fn is_rule_char(c: char) -> bool {
    matches!(c, '-' | '_' | '=' | '*' | '~' | '#' | '\u{2010}'..='\u{2015}' | '─' | '━' | '﹘' | '－')
}

/// Returns the index below the separator, header block or helpdesk marker that begins at line `at`, or `None` if none
/// does. Everything below it is history. `has_text` states whether there is text above the line.
pub(super) fn history_start(lines: &[MarkedLine<'_>], at: usize, has_text: bool) -> Option<usize> {
    let text = lines[at].text;
    if let Some(end) = block_end(lines, at) {
        return Some(end);
    }
    let is_between_dashes = |inner: &str| {
        is_original(inner) || is_dashed_attribution(text, inner) || is_separator_in_unknown_language(lines, at, inner)
    };
    let is_separator = between_dashes(text).is_some_and(|inner| is_between_dashes(&inner))
        || has_text
            && (is_reply_above(text)
                || is_previous_answers(lines, at)
                || is_processed(text)
                || super::attribution::is_dated_name(text));
    is_separator.then(|| {
        let below = next_shown(lines, at + 1).filter(|below| lines[*below].is_plain());
        below.and_then(|below| block_end(lines, below)).unwrap_or(at + 1)
    })
}

/// Returns the index of the first line that is neither blank nor a ruler; the number of lines if all are.
pub(super) fn first_text(lines: &[MarkedLine<'_>]) -> usize {
    lines.iter().position(|line| !line.is_blank() && !is_rule(line.text)).unwrap_or(lines.len())
}

/// Returns the index below the header block or helpdesk marker at line `at` if nothing is above it: some programs put
/// the header of the message itself, or the marker for the answer, above the text. `first_text` is what [`first_text`]
/// returns, once for all lines: each line would otherwise read the rulers above it again.
pub(super) fn own_header_end(lines: &[MarkedLine<'_>], at: usize, first_text: usize) -> Option<usize> {
    // Most lines have text above them, so this decides first.
    if at > first_text {
        return None;
    }
    let end = block_end(lines, at).or_else(|| is_reply_above(lines[at].text).then_some(at + 1))?;
    let has_text = next_shown(lines, end).is_some_and(|below| lines[below].is_plain());
    has_text.then_some(end)
}

/// Returns whether the line is `-----Original Message-----` in any language of the table.
pub(super) fn is_original_separator(text: &str) -> bool {
    between_dashes(text).is_some_and(|inner| is_original(&inner))
}

/// Returns whether the line is a ruler: only dashes, underscores or similar characters.
pub(super) fn is_rule(text: &str) -> bool {
    let text = trim(text);
    text.chars().count() >= 3 && text.chars().all(is_rule_char)
}

/// Returns the words between the dashes of a separator line in lower case, or `None` if it isn't a separator.
fn between_dashes(text: &str) -> Option<String> {
    if text.len() > LINE_BYTES_MAX {
        return None;
    }
    let text = trim(text);
    if !text.starts_with(is_rule_char) {
        return None;
    }
    let inner = text.trim_start_matches(|c| is_rule_char(c) || matches!(c, ' ' | '>' | '<'));
    let dashes = text.chars().take_while(|c| is_rule_char(*c) || *c == ' ').filter(|c| *c != ' ').count();
    let inner = trim(inner.trim_end_matches(|c| is_rule_char(c) || matches!(c, ' ' | '>' | '<' | ':' | '：')));
    (dashes >= 2 && !inner.is_empty()).then(|| inner.to_lowercase().replace('\u{307}', ""))
}

/// Returns whether the line is `-----Original Message-----` in any language of the table. The header may follow on the
/// same line. `inner` is what [`between_dashes`] returns.
fn is_original(inner: &str) -> bool {
    inner.split("--").next().is_some_and(|words| ORIGINAL_SEPARATORS.contains(&trim(words)))
}

/// Returns whether the line is an attribution between dashes, as mobile clients write it: `---- Ana wrote ----`.
fn is_dashed_attribution(text: &str, inner: &str) -> bool {
    trim(text).ends_with("--") && super::attribution::ends_with_verb(inner)
}

/// Returns whether the line is `---------- Forwarded message ---------`, or the form without dashes that Apple uses, in
/// any language of the table.
pub(super) fn is_forward(text: &str) -> bool {
    if let Some(inner) = between_dashes(text) {
        return FORWARD_SEPARATORS.iter().any(|words| inner.starts_with(words));
    }
    let text = trim(text);
    text.len() <= LINE_BYTES_MAX && text.ends_with([':', '：']) && {
        let words = trim(text.trim_end_matches([':', '：'])).to_lowercase();
        FORWARD_SEPARATORS.contains(&words.as_str())
    }
}

/// Returns whether the line is a helpdesk's "reply above this line".
fn is_reply_above(text: &str) -> bool {
    // Most lines contain none of these marks, so the word search can be skipped.
    let marked = |text: &[u8]| memchr3(b'-', b'#', b'=', text).is_some() || memchr2(b'_', b'*', text).is_some();
    // A ruler has no words.
    let has_letter = || text.bytes().any(|byte| byte.is_ascii_alphabetic() || !byte.is_ascii());
    text.len() <= LINE_BYTES_MAX && marked(text.as_bytes()) && has_letter() && {
        let text = text.to_lowercase();
        REPLY_ABOVE.is_match(&text) || is_decorated(trim(&text)) && ABOVE_LINE.is_match(&text)
    } || is_bare_reply_above(trim(text))
}

/// Returns whether a line without decoration says nothing but "reply above this line", with at most one word in front,
/// such as "please".
fn is_bare_reply_above(text: &str) -> bool {
    let text = text.trim_end_matches(['.', ':', '!', '。', '：', '！', '…', ' ']);
    let rest = |words: &&str| {
        let at = text.len().checked_sub(words.len()).filter(|at| text.is_char_boundary(*at))?;
        // The first letter can be a capital of any script.
        let (mut found, mut marker) = (text[at..].chars(), words.chars());
        let begins = found.next()?.to_lowercase().eq(marker.next());
        (begins && found.as_str().eq_ignore_ascii_case(marker.as_str())).then_some(&text[..at])
    };
    let is_polite = |rest: &str| !rest.contains(['\'', '’']) && rest.split_whitespace().count() <= 1;
    text.len() <= LINE_BYTES_MAX
        && end_of(text).is_some_and(|end| REPLY_ABOVE_ENDS.contains(&end))
        && REPLY_ABOVE_MARKERS.iter().filter_map(rest).any(is_polite)
}

/// Returns whether a line begins or ends with at least two characters of a ruler, or is between asterisks.
fn is_decorated(text: &str) -> bool {
    let count = |chars: &mut dyn Iterator<Item = char>| chars.take_while(|c| is_rule_char(*c)).count();
    let (before, after) = (count(&mut text.chars()), count(&mut text.chars().rev()));
    before >= 2 || after >= 2 || before == 1 && after == 1
}

/// Returns whether the line is a helpdesk's heading above the history: decorated, or below a ruler.
fn is_previous_answers(lines: &[MarkedLine<'_>], at: usize) -> bool {
    let text = trim(lines[at].text);
    if text.len() > LINE_BYTES_MAX {
        return false;
    }
    let words = trim(text.trim_matches(|c| is_rule_char(c) || matches!(c, ' ' | ':' | '：')));
    let is_heading = || PREVIOUS_ANSWERS.contains(&words.to_lowercase().as_str());
    let is_below_rule = || super::line::shown_above(lines, at).is_some_and(|above| is_rule(above.text));
    !words.is_empty() && (is_decorated(text) || is_below_rule()) && is_heading()
}

/// Returns whether the line states which program processed the original message below it.
fn is_processed(text: &str) -> bool {
    let text = trim(text);
    let starts = |words: &&&str| text.get(..words.len()).is_some_and(|start| start.eq_ignore_ascii_case(words));
    PROCESSED_ORIGINALS.iter().any(|words| starts(&words))
}

/// A header line: its label if known, whether its value contains an address, and whether it contains a date.
#[derive(Debug, Clone, Copy)]
struct HeaderLine {
    label: Option<HeaderLabel>,
    address: bool,
    date: bool,
}

/// Parses `Label: value`. Ignores the asterisks around the label in the plain text version of bold labels.
fn parse_header_line(text: &str) -> Option<HeaderLine> {
    // Quick check: most lines contain no colon.
    if text.len() > LINE_BYTES_MAX * 8
        || memchr(b':', text.as_bytes()).is_none() && (text.is_ascii() || !text.contains(COLONS))
    {
        return None;
    }
    let text = trim(text).trim_start_matches(['*', '_', '|', ' ']);
    let (name, value) = text.split_once(COLONS)?;
    let name = trim(name.trim_matches(['*', ' ', '\u{a0}']));
    if name.is_empty() || name.chars().count() > LABEL_CHARS_MAX || name.chars().any(|c| c.is_numeric() || c == '<') {
        return None;
    }
    let known = label(&name.to_lowercase().replace('\u{307}', ""));
    // A URL (`https://…`) contains a colon too.
    if known.is_none() && value.starts_with("//") {
        return None;
    }
    Some(HeaderLine { label: known, address: value.contains('@'), date: super::attribution::has_date(value) })
}

/// Returns the index below the header block (From, Sent, To, Subject) that begins at line `at`, or `None` if none does.
pub(super) fn block_end(lines: &[MarkedLine<'_>], at: usize) -> Option<usize> {
    let first = parse_header_line(lines[at].text)?;
    let is_after_rule = lines[..at]
        .iter()
        .rev()
        .take(3)
        .find(|line| !line.is_blank())
        .is_some_and(|line| trim(line.text).chars().count() >= RULE_CHARS_MIN && is_rule(line.text));
    if first.label.is_none() && !is_after_rule {
        return None;
    }
    let mut fields = vec![first];
    let mut end = at + 1;
    let mut loose = 0;
    for (next, line) in lines.iter().enumerate().skip(at + 1).take(BLOCK_LINES_MAX) {
        if line.is_blank() {
            // Text made from HTML may have a blank line between all fields.
            let below = lines.get(next + 1).and_then(|line| parse_header_line(line.text));
            if first.label.is_some() && below.is_some_and(|field| field.label.is_some()) {
                continue;
            }
            break;
        }
        match parse_header_line(line.text) {
            Some(field) if field.label.is_some() || first.label.is_none() => {
                fields.push(field);
                loose = 0;
            }
            // May be a wrapped address list. Prose usually ends with a full stop or runs on.
            _ if loose < 3 && !trim(line.text).ends_with('.') => loose += 1,
            _ => break,
        }
        end = next + 1;
    }
    let is_block =
        if first.label.is_none() { is_unknown_block(&fields) } else { is_known_block(&fields, is_after_rule) };
    is_block.then_some(end)
}

/// Checks a block with known labels: requires a sender and enough other fields to exclude notes such as "From: Berlin,
/// To: Munich".
fn is_known_block(fields: &[HeaderLine], after_rule: bool) -> bool {
    let has = |wanted: HeaderLabel| fields.iter().any(|field| field.label == Some(wanted));
    let kinds = [HeaderLabel::From, HeaderLabel::Date, HeaderLabel::To, HeaderLabel::Subject]
        .into_iter()
        .filter(|label| has(*label))
        .count();
    let address = fields.iter().any(|field| field.address);
    let date = fields.iter().any(|field| field.date);
    // A note about a journey has its date last.
    let is_dated = fields.get(1).is_some_and(|field| field.label == Some(HeaderLabel::Date) && field.date);
    let mail_like = has(HeaderLabel::Subject) || address && date || is_dated;
    has(HeaderLabel::From) && (kinds >= 3 && mail_like || kinds >= 2 && (after_rule || address && date))
}

/// Checks a block below a ruler with labels that the tables lack: requires an address and a date among the values.
fn is_unknown_block(fields: &[HeaderLine]) -> bool {
    fields.len() >= 3
        && fields.iter().any(|field| field.address)
        && fields.iter().any(|field| field.date && !field.address)
}

/// Returns whether the line is a separator with unknown words above fields with an address.
fn is_separator_in_unknown_language(lines: &[MarkedLine<'_>], at: usize, inner: &str) -> bool {
    let dashes_after = trim(lines[at].text).chars().rev().take_while(|c| is_rule_char(*c)).count();
    let fields: Vec<HeaderLine> = lines[at + 1..]
        .iter()
        .filter(|line| !line.is_blank())
        .take(4)
        .map_while(|line| parse_header_line(line.text))
        .collect();
    inner.chars().count() <= 40 && dashes_after >= 4 && fields.len() >= 2 && fields.iter().any(|field| field.address)
}
