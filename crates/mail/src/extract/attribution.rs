//! Attribution lines such as "On …, … wrote:" in any language, on one line or wrapped over several.
//!
//! Three signs count in every language: a date, an address, a verb of writing. A short run of lines with two of these
//! signs and a typical ending is an attribution. So attributions in languages without table entries are still detected
//! by their date and address.

use std::sync::LazyLock;

use super::line::{LineMark, MarkedLine, trim};
use super::words::{ATTRIBUTION_STARTS, WRITING_VERBS};

/// Maximum number of lines of a wrapped attribution.
const LINES_MAX: usize = 6;
/// Maximum length of an attribution, in bytes.
const BYTES_MAX: usize = 700;

/// Characters that may follow the verb at the end of an attribution.
const AFTER_VERBS: [char; 6] = [':', '：', ' ', '\u{a0}', ')', '）'];

/// [`WRITING_VERBS`] indexed by last byte, so that a line is compared only with the few verbs that can end it.
static WROTE_BY_END: LazyLock<Vec<Vec<&'static str>>> = LazyLock::new(|| {
    (0..=u8::MAX)
        .map(|end| WRITING_VERBS.iter().copied().filter(|verb| verb.bytes().next_back() == Some(end)).collect())
        .collect()
});

fn verbs_ending_with(end: u8) -> &'static [&'static str] {
    WROTE_BY_END.get(usize::from(end)).map_or(&[], Vec::as_slice)
}

/// The signs of an attribution in a run of lines.
#[derive(Debug, Clone, Copy, Default)]
struct AttributionSigns {
    date: bool,
    /// An address in angle brackets or in other brackets.
    address: bool,
    /// An address, with or without brackets.
    bare_address: bool,
    /// A verb of writing at the end.
    verb_last: bool,
    /// A verb of writing anywhere.
    verb: bool,
    /// Begins with a word that begins attributions, or with a date.
    opens: bool,
    /// Ends with a colon.
    colon: bool,
}

/// Returns the index of the first line of the attribution that ends at line `end`, or `None` if no attribution ends
/// there.
pub(super) fn start(lines: &[MarkedLine<'_>], end: usize) -> Option<usize> {
    let last = trim(lines[end].text);
    if last.is_empty() || last.len() > BYTES_MAX || !may_end_attribution(last) {
        return None;
    }
    let quote_follows = next_is_quoted(lines, end);
    let mut joined = String::new();
    for start in (0..=end).rev().take(LINES_MAX) {
        let text = trim(lines[start].text);
        if !lines[start].is_plain() || text.is_empty() || joined.len() + text.len() > BYTES_MAX {
            break;
        }
        joined = if joined.is_empty() { text.to_owned() } else { format!("{text} {joined}") };
        if is_attribution(signs(&joined), start == end, quote_follows) {
            return Some(extend_to_date_line(lines, start, end));
        }
    }
    None
}

/// Quick check before joining lines: a colon, a verb, or an address at the end.
fn may_end_attribution(last: &str) -> bool {
    let bare = trim_decoration(last);
    last.ends_with([':', '：', '>'])
        || bare.ends_with([':', '：'])
        || may_end_with_verb(bare) && ends_with_verb(&bare.to_lowercase())
}

/// Quick check of the last byte. Returns false if no verb of the table can end `text`.
fn may_end_with_verb(text: &str) -> bool {
    let last = text.trim_end_matches(AFTER_VERBS).bytes().next_back();
    last.is_some_and(|last| !last.is_ascii() || !verbs_ending_with(last.to_ascii_lowercase()).is_empty())
}

/// Trims dashes, as added by Zoho, and other decorations.
fn trim_decoration(text: &str) -> &str {
    trim(text.trim_matches(|c: char| matches!(c, '-' | '*' | '_' | ' ' | '\u{a0}')))
}

fn signs(text: &str) -> AttributionSigns {
    let text = trim_decoration(text);
    let lower = text.to_lowercase();
    let bare = trim(lower.trim_end_matches([':', '：', ' ', '\u{a0}']));
    AttributionSigns {
        date: has_date(&lower),
        address: (lower.contains('<') || lower.contains('[') || lower.contains('(') || lower.contains("&lt;"))
            && lower.contains('@'),
        bare_address: lower.contains('@'),
        verb_last: ends_with_verb(bare),
        verb: WRITING_VERBS.iter().any(|verb| contains_word(bare, verb)),
        opens: opens(&lower),
        colon: text.ends_with([':', '：']),
    }
}

fn is_attribution(signs: AttributionSigns, one_line: bool, quote_follows: bool) -> bool {
    let AttributionSigns { date, address, bare_address, verb_last, verb, opens, colon } = signs;
    let by_verb = verb_last && (date && (opens || quote_follows || address) || bare_address);
    let inside = verb && colon && (date && opens || address);
    let by_shape = colon && date && address;
    // Without a colon and a verb, only a quote below identifies an attribution.
    let by_quote = quote_follows && (date && address || colon && verb_last && one_line || colon && date && opens);
    (by_verb && (colon || date && bare_address || quote_follows)) || inside || by_shape || by_quote
}

/// Returns the index of the nearest line above that begins an attribution and contains a date, unless a line in between
/// ends a sentence. Otherwise, returns `start`.
fn extend_to_date_line(lines: &[MarkedLine<'_>], start: usize, end: usize) -> usize {
    let mut first = start;
    let name_above = start.checked_sub(1).filter(|above| {
        let text = trim(lines[*above].text);
        // A line that begins with the address continues the name on the line above.
        trim(lines[start].text).starts_with(['<', '('])
            && lines[*above].is_plain()
            && !text.is_empty()
            && text.len() <= 80
    });
    if let Some(above) = name_above {
        first = above;
    }
    for at in (0..first).rev().take((LINES_MAX + start).saturating_sub(end + 1)) {
        let text = trim(lines[at].text);
        if !lines[at].is_plain() || text.is_empty() || text.ends_with(['.', '!', '?', '。']) || text.len() > 160 {
            break;
        }
        let lower = text.to_lowercase();
        if opens(&lower) && has_digit(&lower) && has_date_like(&lower) {
            first = at;
        }
    }
    first
}

/// Returns whether the next non-blank line is quoted.
fn next_is_quoted(lines: &[MarkedLine<'_>], at: usize) -> bool {
    let next = lines[at + 1..].iter().take(8).find(|line| !line.is_blank());
    next.is_some_and(|line| matches!(line.mark, LineMark::Quoted | LineMark::Indented))
}

/// Returns whether `text` (lower case, without colon) ends with a verb of the table.
fn ends_with_verb(text: &str) -> bool {
    let text = trim(text.trim_end_matches(AFTER_VERBS));
    let Some(last) = text.bytes().next_back() else { return false };
    verbs_ending_with(last).iter().any(|verb| {
        text.strip_suffix(verb).is_some_and(|before| {
            // "…님이 작성", "…写道" and "…>wrote" have no space before the verb.
            before.is_empty() || !verb.is_ascii() || before.ends_with(|c: char| !c.is_alphanumeric())
        })
    })
}

/// Returns whether `text` contains `word` as a whole word.
fn contains_word(text: &str, word: &str) -> bool {
    text.match_indices(word).take(8).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        let joined = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        word.chars().next().is_some_and(is_wide) || !joined(before) && !joined(after)
    })
}

/// Returns whether the character belongs to a script that is written without spaces.
fn is_wide(c: char) -> bool {
    matches!(c, '\u{0e00}'..='\u{0eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}')
}

/// Returns whether a lower-case line begins with a word of the table followed by more text, or with a date or weekday.
fn opens(text: &str) -> bool {
    let first_is_date = text.split_whitespace().take(3).any(has_digit);
    let by_word = ATTRIBUTION_STARTS.iter().any(|on| {
        text.strip_prefix(on).is_some_and(|rest| {
            rest.starts_with([' ', '\u{a0}', ',']) || on.chars().next().is_some_and(is_wide) || on.ends_with('-')
        })
    });
    by_word || first_is_date
}

fn has_digit(text: &str) -> bool {
    text.chars().any(char::is_numeric)
}

/// Returns whether the text contains a date or a part of one: digits next to `.`, `/`, `,` or `:`, or a day number.
fn has_date_like(text: &str) -> bool {
    has_date(text)
        || text.split_whitespace().any(|word| {
            word.chars().take_while(|c| c.is_numeric()).count().clamp(1, 2)
                == word.chars().filter(|c| c.is_numeric()).count()
        })
}

/// Returns whether the text contains a year (1990 to 2099), a time (`12:34`, `12.34`) or a numeric date (`1/2/21`,
/// `1.2.2021`, `2021-02-01`).
pub(super) fn has_date(text: &str) -> bool {
    let mut digits = 0_usize;
    let mut groups = 0_usize;
    let mut value = 0_u32;
    let mut joint = ' ';
    for c in text.chars().chain([' ']) {
        if let Some(digit) = digit_value(c) {
            digits += 1;
            value = value.saturating_mul(10).saturating_add(digit);
            continue;
        }
        if digits > 0 {
            let year = digits == 4 && (1990..=2099).contains(&value);
            let joined = groups > 0 && joint == ':' && digits == 2 || groups >= 2 && digits <= 4;
            if year || joined {
                return true;
            }
            groups += 1;
            (digits, value) = (0, 0);
            joint = c;
            groups = if matches!(c, ':' | '/' | '.' | '-') { groups } else { 0 };
        } else {
            groups = 0;
        }
    }
    false
}

/// Returns the value of a decimal digit in the scripts that mail clients use in dates.
fn digit_value(c: char) -> Option<u32> {
    const ZEROS: [u32; 8] = [0x30, 0x660, 0x6f0, 0x966, 0x9e6, 0xe50, 0x1040, 0xff10];
    ZEROS.iter().map(|zero| (c as u32).wrapping_sub(*zero)).find(|value| *value < 10)
}
