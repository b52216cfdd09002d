//! Signatures: the delimiter `-- `, lines added by mobile clients, mailing list footers, "Best regards" with a name.
//!
//! A signature extends to the end of the text or to the next quoted line. In doubt, the text is kept.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, Anchored, Input, StartKind};

use super::line::{LineMark, MarkedLine, trim};
use crate::wordlist::{self, WordTable};

const SIGNATURES: &str = include_str!("signatures.txt");

/// Maximum number of lines below `--` without the trailing space, which may also separate paragraphs of notes. RFC 3676
/// §4.3 requires `-- `.
const BARE_LINES_MAX: usize = 25;
/// Maximum number of lines of a mailing list footer.
const FOOTER_LINES_MAX: usize = 10;
/// Maximum number of lines of a name block below a closing phrase.
const CLOSING_LINES_MAX: usize = 6;
/// Maximum length of a closing phrase in bytes, and of each line of its name block in characters.
const CLOSING_CHARS_MAX: usize = 60;
/// Number of bytes at the start of a line that are compared with [`SENT_FROM`]. Longer than any of its entries.
const START_BYTES_MAX: usize = 64;
/// Minimum length of a confidentiality notice in bytes, and the terms of the table that it contains.
const DISCLAIMER_BYTES_MIN: usize = 120;
const DISCLAIMER_TERMS_MIN: usize = 2;
/// Maximum number of lines of a confidentiality notice and of what follows it.
const DISCLAIMER_LINES_MAX: usize = 40;
/// Maximum number of lines of a signature and of what follows it.
const SECTION_LINES_MAX: usize = 200;
/// Maximum length of the heading of a confidentiality notice in bytes.
const HEADING_BYTES_MAX: usize = 60;
/// Minimum number of underscores above a signature.
const UNDERSCORES_MIN: usize = 4;
/// Maximum length of a mobile client's line in characters, excluding links.
const SENT_FROM_CHARS_MAX: usize = 80;

/// Beginnings of lines that mobile clients add, in lower case.
static SENT_FROM: WordTable = WordTable::new(|| wordlist::table(SIGNATURES, "sent from"));

/// An automaton that matches all entries of [`SENT_FROM`] in one pass.
static SENT_FROM_STARTS: LazyLock<AhoCorasick> = LazyLock::new(|| {
    let starts = AhoCorasick::builder().start_kind(StartKind::Anchored).ascii_case_insensitive(true).build(&*SENT_FROM);
    starts.expect("the table must fit into an automaton")
});

/// Names of devices, clients and operating systems. A line counts only if it contains one of them.
static DEVICES: WordTable = WordTable::new(|| wordlist::table(SIGNATURES, "devices"));

/// Words of the footers of mailing lists and notifications, in lower case.
static LIST_FOOTERS: WordTable = WordTable::new(|| wordlist::table(SIGNATURES, "list footers"));

/// Beginnings of the footers of mailing lists, in lower case.
static LIST_FOOTER_STARTS: WordTable = WordTable::new(|| wordlist::table(SIGNATURES, "list footer starts"));

/// Headings of confidentiality notices, in lower case.
static NOTICE_HEADINGS: WordTable = WordTable::new(|| wordlist::table(SIGNATURES, "notice headings"));

/// Terms of confidentiality notices, in lower case.
static DISCLAIMERS: WordTable = WordTable::new(|| wordlist::table(SIGNATURES, "disclaimers"));

/// Closing phrases that can't be part of a sentence, in lower case. After other phrases, the text is kept.
static CLOSINGS: WordTable = WordTable::new(|| wordlist::table(SIGNATURES, "closings"));

/// Marks signatures among the unclassified lines.
pub(super) fn mark(lines: &mut [MarkedLine<'_>]) {
    let mut at = 0;
    let mut has_text = false;
    let mut in_code_block = false;
    let mut run_end = 0;
    while at < lines.len() {
        let line = lines[at];
        if line.mark == LineMark::ForwardedMessage {
            return;
        }
        if !line.is_plain() || line.is_blank() {
            at += 1;
            continue;
        }
        in_code_block ^= trim(line.text).starts_with("```");
        if at >= run_end {
            run_end = at + run_length(&lines[at..]);
        }
        let end = run_end.min(at + SECTION_LINES_MAX);
        if !in_code_block && let Some(marked) = signature_length(&lines[..end], at, has_text) {
            lines[at..at + marked].iter_mut().for_each(|line| line.mark = LineMark::Signature);
            at += marked;
            continue;
        }
        has_text = true;
        at += 1;
    }
}

/// Marks the last lines that show the same as the lines of a signature that an element of the HTML marks.
pub(super) fn mark_same(lines: &mut [MarkedLine<'_>], signature: &[&str]) {
    let folded = |text: &str| -> String { text.chars().filter(|c| c.is_alphanumeric()).collect() };
    let wanted: String = signature.iter().take(SECTION_LINES_MAX).map(|line| folded(line)).collect();
    if wanted.is_empty() {
        return;
    }
    let begins_with = |at: usize| {
        let first = folded(lines[at].text);
        !first.is_empty() && wanted.starts_with(&first)
    };
    let start = (0..lines.len()).rev().filter(|at| begins_with(*at)).find_map(|start| {
        let mut rest = wanted.as_str();
        for (end, line) in lines.iter().enumerate().skip(start).take(SECTION_LINES_MAX) {
            rest = rest.strip_prefix(&*folded(line.text))?;
            if rest.is_empty() {
                return Some((start, end));
            }
        }
        None
    });
    if let Some((start, end)) = start {
        lines[start..=end].iter_mut().for_each(|line| line.mark = LineMark::Signature);
    }
}

/// Returns the length of the run of lines at the start that are unclassified or in signatures.
fn run_length(lines: &[MarkedLine<'_>]) -> usize {
    lines.iter().take_while(|line| line.is_plain() || line.mark == LineMark::Signature).count()
}

/// Returns the number of lines from `at` to the end that form a signature, or `None`.
fn signature_length(lines: &[MarkedLine<'_>], at: usize, has_text: bool) -> Option<usize> {
    let text = lines[at].text;
    let section = &lines[at..];
    if trim(text) == "--" {
        let rest = section.len();
        if text == "-- " || text == "--\u{a0}" || rest <= BARE_LINES_MAX {
            return has_text.then_some(rest);
        }
    }
    if is_sent_from(text) {
        // After text, the lines that follow are usually unmarked history. At the top, only the line itself is removed.
        return Some(if has_text { section.len() } else { 1 });
    }
    if is_footer_rule(text) && is_list_footer(section) || section.len() <= FOOTER_LINES_MAX && begins_footer(text) {
        return Some(section.len());
    }
    let is_notice = || begins_paragraph(lines, at) && (is_disclaimer(section) || is_headed_disclaimer(section));
    let is_last = || {
        (is_closing_phrase(text) || is_underscored(text) && names_author(section)) && has_name_block(section)
            || is_notice()
    };
    (has_text && is_last()).then_some(section.len())
}

fn begins_paragraph(lines: &[MarkedLine<'_>], at: usize) -> bool {
    at.checked_sub(1).is_none_or(|above| !lines[above].is_text())
}

/// Returns whether a confidentiality notice begins here: a long paragraph near the end with several terms of the table.
fn is_disclaimer(lines: &[MarkedLine<'_>]) -> bool {
    if lines.len() > DISCLAIMER_LINES_MAX {
        return false;
    }
    let paragraph: Vec<&str> = lines.iter().take_while(|line| line.is_text()).map(|line| trim(line.text)).collect();
    let paragraph = paragraph.join(" ").to_lowercase();
    let terms = || DISCLAIMERS.iter().filter(|term| paragraph.contains(**term)).take(DISCLAIMER_TERMS_MIN).count();
    paragraph.len() >= DISCLAIMER_BYTES_MIN && terms() >= DISCLAIMER_TERMS_MIN
}

/// Returns whether a heading with a term of the table is here, and a confidentiality notice below it.
fn is_headed_disclaimer(lines: &[MarkedLine<'_>]) -> bool {
    let heading = trim(lines[0].text).trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let below = lines.iter().enumerate().skip(1).find(|(_, line)| !line.is_blank()).map(|(at, _)| at);
    // A heading on the line above its text is part of that paragraph.
    let Some(below) = below.filter(|_| heading.len() <= HEADING_BYTES_MAX && !heading.is_empty()) else { return false };
    NOTICE_HEADINGS.contains(&heading.as_str()) && is_disclaimer(&lines[below..])
}

/// Returns whether the line is a ruler of underscores, which some people put above their signature.
fn is_underscored(text: &str) -> bool {
    let text = trim(text);
    text.len() >= UNDERSCORES_MIN && text.bytes().all(|byte| byte == b'_')
}

/// Returns whether the first line below a ruler is a name: a few words in capitals.
fn names_author(lines: &[MarkedLine<'_>]) -> bool {
    const WORDS: std::ops::RangeInclusive<usize> = 1..=5;
    let first = lines[1..].iter().map(|line| trim(line.text)).find(|line| !line.is_empty()).unwrap_or_default();
    let is_capital = |word: &str| !word.starts_with(|c: char| c.is_lowercase() || !c.is_alphabetic());
    let words = first.split_whitespace();
    WORDS.contains(&words.clone().count()) && words.clone().all(is_capital) && !first.ends_with(['.', '!', '?', ':'])
}

/// Returns whether the line is the footer of a mailing list: it begins with a phrase of the table, also behind a ruler.
fn begins_footer(text: &str) -> bool {
    let text = trim(text);
    let words = text.trim_start_matches(['_', '-', '=', '*', ' ']);
    let Some(start) = words.get(..words.floor_char_boundary(START_BYTES_MAX)).map(str::to_lowercase) else {
        return false;
    };
    let is_ruled = text.len() - words.len() >= UNDERSCORES_MIN;
    LIST_FOOTER_STARTS.iter().any(|phrase| start.starts_with(phrase))
        || is_ruled && text.len() < 600 && is_about_list(words)
}

/// Returns whether the line is "Sent from my iPhone" or similar, in a language of the table.
fn is_sent_from(text: &str) -> bool {
    let text = trim(text).trim_start_matches(['[', '(', '*', '_']);
    // Lower-casing ASCII doesn't change offsets, so checking the beginning is enough.
    let head = text.get(..START_BYTES_MAX).unwrap_or(text);
    if text.len() > 600 || head.is_ascii() && !starts_like_sent_from(head) {
        return false;
    }
    let lower = text.to_lowercase();
    let words = lower.split(['<', '[']).next().unwrap_or("").trim_end_matches([')', ']', '*', '_', ' ']);
    if words.chars().count() > SENT_FROM_CHARS_MAX || !starts_like_sent_from(&lower) {
        return false;
    }
    // A short line may end with a full stop, but a comma or a second sentence indicates prose.
    let prose = words.contains([',', '!', '?', ';']) || words.trim_end_matches('.').contains(". ");
    let device = DEVICES.iter().any(|device| lower.contains(device));
    // "Sent from a magnificent …" is a joke by the author.
    device && !prose && !words.starts_with("sent from a ")
}

/// Returns whether a text begins with an entry of [`SENT_FROM`], in any case of its ASCII letters.
fn starts_like_sent_from(text: &str) -> bool {
    SENT_FROM_STARTS.find(Input::new(text).anchored(Anchored::Yes)).is_some()
}

/// Returns whether the line is a ruler of underscores or dashes.
fn is_footer_rule(text: &str) -> bool {
    let rule = trim(text);
    rule == "—" || rule.len() >= 2 && rule.bytes().all(|byte| matches!(byte, b'_' | b'-'))
}

/// Returns whether the lines are the footer of a mailing list or notification: a few lines below a ruler that mention
/// the list.
fn is_list_footer(lines: &[MarkedLine<'_>]) -> bool {
    let below: Vec<&str> =
        lines[1..].iter().filter(|line| !line.is_blank()).map(|line| line.text).take(FOOTER_LINES_MAX + 1).collect();
    below.len() <= FOOTER_LINES_MAX && below.iter().any(|text| is_about_list(text))
}

/// Returns whether a line of a footer mentions a mailing list.
fn is_about_list(text: &str) -> bool {
    let text = text.to_lowercase();
    LIST_FOOTERS.iter().any(|words| text.contains(words))
}

/// Returns whether the line is a closing phrase.
fn is_closing_phrase(text: &str) -> bool {
    let line = trim(text);
    let phrase = line.trim_end_matches([',', '.', '!', ' ', ';', ':']);
    line.len() <= CLOSING_CHARS_MAX && CLOSINGS.iter().any(|closing| phrase.eq_ignore_ascii_case(closing))
}

/// Returns whether a short block of name lines follows the closing phrase.
fn has_name_block(lines: &[MarkedLine<'_>]) -> bool {
    let below: Vec<&MarkedLine<'_>> =
        lines[1..].iter().filter(|line| !line.is_blank()).take(CLOSING_LINES_MAX + 1).collect();
    let short =
        below.iter().all(|line| line.text.chars().count() <= CLOSING_CHARS_MAX && !line.text.ends_with(['?', ':']));
    below.len() <= CLOSING_LINES_MAX && short
}
