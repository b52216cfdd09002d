//! Attribution lines: "On …, … wrote:" in any language, on one line or wrapped over several.
//!
//! Three signs count, whatever the language: a date, an address, a verb of writing. Two of them in a short run of lines
//! that ends like an attribution are one; so a language that the tables lack is still recognised by date and address.

use std::sync::LazyLock;

use super::line::{Line, Mark, trim};
use super::words::{ON, WROTE};

/// Most lines over which an attribution is wrapped.
const LINES_MAX: usize = 6;
/// Longest attribution, in bytes.
const BYTES_MAX: usize = 700;

/// What may stand behind the verb at the end of an attribution.
const BEHIND_VERBS: [char; 6] = [':', '：', ' ', '\u{a0}', ')', '）'];

/// [`WROTE`] by the last byte, so that a line is compared with the few verbs that end like it.
static WROTE_BY_END: LazyLock<Vec<Vec<&'static str>>> = LazyLock::new(|| {
    (0..=u8::MAX)
        .map(|end| WROTE.iter().copied().filter(|verb| verb.bytes().next_back() == Some(end)).collect())
        .collect()
});

fn verbs_ending_with(end: u8) -> &'static [&'static str] {
    WROTE_BY_END.get(usize::from(end)).map_or(&[], Vec::as_slice)
}

/// The signs in a run of lines.
#[derive(Debug, Clone, Copy, Default)]
struct Signs {
    date: bool,
    /// An address in angle brackets, or the like.
    address: bool,
    /// Any address.
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

/// The first line of the attribution that ends at line `end`, if one does.
pub(super) fn start(lines: &[Line<'_>], end: usize) -> Option<usize> {
    let last = trim(lines[end].text);
    if last.is_empty() || last.len() > BYTES_MAX || !ends_like_one(last) {
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
        if accepts(signs(&joined), start == end, quote_follows) {
            return Some(start_of_date(lines, start, end));
        }
    }
    None
}

/// Cheap test before any line is joined: a colon, a verb, or an address at the end.
fn ends_like_one(last: &str) -> bool {
    let bare = undecorated(last);
    last.ends_with([':', '：', '>'])
        || bare.ends_with([':', '：'])
        || may_end_with_verb(bare) && ends_with_verb(&bare.to_lowercase())
}

/// False where the last letter alone tells that no verb of the table ends `text`.
fn may_end_with_verb(text: &str) -> bool {
    let last = text.trim_end_matches(BEHIND_VERBS).bytes().next_back();
    last.is_some_and(|last| !last.is_ascii() || !verbs_ending_with(last.to_ascii_lowercase()).is_empty())
}

/// Without the dashes that Zoho puts around and the quotes that others do.
fn undecorated(text: &str) -> &str {
    trim(text.trim_matches(|c: char| matches!(c, '-' | '*' | '_' | ' ' | '\u{a0}')))
}

fn signs(text: &str) -> Signs {
    let text = undecorated(text);
    let lower = text.to_lowercase();
    let bare = trim(lower.trim_end_matches([':', '：', ' ', '\u{a0}']));
    Signs {
        date: has_date(&lower),
        address: (lower.contains('<') || lower.contains('[') || lower.contains('(') || lower.contains("&lt;"))
            && lower.contains('@'),
        bare_address: lower.contains('@'),
        verb_last: ends_with_verb(bare),
        verb: WROTE.iter().any(|verb| contains_word(bare, verb)),
        opens: opens(&lower),
        colon: text.ends_with([':', '：']),
    }
}

fn accepts(signs: Signs, one_line: bool, quote_follows: bool) -> bool {
    let Signs { date, address, bare_address, verb_last, verb, opens, colon } = signs;
    let by_verb = verb_last && (date && (opens || quote_follows || address) || bare_address);
    let inside = verb && colon && (date && opens || address);
    let by_shape = colon && date && address;
    // Without a colon and without a verb only the quote below can tell.
    let by_quote = quote_follows && (date && address || colon && verb_last && one_line || colon && date && opens);
    (by_verb && (colon || date && bare_address || quote_follows)) || inside || by_shape || by_quote
}

/// The nearest line above that opens an attribution and carries a date, with nothing in between that ends a sentence.
fn start_of_date(lines: &[Line<'_>], start: usize, end: usize) -> usize {
    let mut found = start;
    let name_above = start.checked_sub(1).filter(|above| {
        let text = trim(lines[*above].text);
        // A line that begins with the address goes on from the name above it.
        trim(lines[start].text).starts_with(['<', '('])
            && lines[*above].is_plain()
            && !text.is_empty()
            && text.len() <= 80
    });
    if let Some(above) = name_above {
        found = above;
    }
    for at in (0..found).rev().take((LINES_MAX + start).saturating_sub(end + 1)) {
        let text = trim(lines[at].text);
        if !lines[at].is_plain() || text.is_empty() || text.ends_with(['.', '!', '?', '。']) || text.len() > 160 {
            break;
        }
        let lower = text.to_lowercase();
        if opens(&lower) && has_digit(&lower) && has_date_like(&lower) {
            found = at;
        }
    }
    found
}

/// True when the next line with text is quoted.
fn next_is_quoted(lines: &[Line<'_>], at: usize) -> bool {
    let next = lines[at + 1..].iter().take(8).find(|line| !line.is_blank());
    next.is_some_and(|line| matches!(line.mark, Mark::Quoted | Mark::Indented))
}

/// True for a verb of the table at the end of `text` (lower-case, no colon).
fn ends_with_verb(text: &str) -> bool {
    let text = trim(text.trim_end_matches(BEHIND_VERBS));
    let Some(last) = text.bytes().next_back() else { return false };
    verbs_ending_with(last).iter().any(|verb| {
        text.strip_suffix(verb).is_some_and(|before| {
            // "…님이 작성", "…写道" and "…>wrote" need no space before them.
            before.is_empty() || !verb.is_ascii() || before.ends_with(|c: char| !c.is_alphanumeric())
        })
    })
}

/// True when `word` stands in `text`, not as part of a longer word.
fn contains_word(text: &str, word: &str) -> bool {
    text.match_indices(word).take(8).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        let joined = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        word.chars().next().is_some_and(is_wide) || !joined(before) && !joined(after)
    })
}

/// Letters of scripts that are written without spaces.
fn is_wide(c: char) -> bool {
    matches!(c, '\u{0e00}'..='\u{0eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}')
}

/// True when a line (lower-case) begins with a word of the table followed by more, or with a date or weekday.
fn opens(text: &str) -> bool {
    let first_is_date = text.split_whitespace().take(3).any(has_digit);
    let by_word = ON.iter().any(|on| {
        text.strip_prefix(on).is_some_and(|rest| {
            rest.starts_with([' ', '\u{a0}', ',']) || on.chars().next().is_some_and(is_wide) || on.ends_with('-')
        })
    });
    by_word || first_is_date
}

fn has_digit(text: &str) -> bool {
    text.chars().any(char::is_numeric)
}

/// A date or a part of one: digits beside `.`, `/`, `,` or `:`, or a day before a month's name.
fn has_date_like(text: &str) -> bool {
    has_date(text)
        || text.split_whitespace().any(|word| {
            word.chars().take_while(|c| c.is_numeric()).count().clamp(1, 2)
                == word.chars().filter(|c| c.is_numeric()).count()
        })
}

/// True for a year (1990 to 2099), a time (`12:34`, `12.34`), or a numeric date (`1/2/21`, `1.2.2021`, `2021-02-01`).
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

/// The value of a decimal digit of the scripts that mail clients write dates in.
fn digit_value(c: char) -> Option<u32> {
    const ZEROS: [u32; 8] = [0x30, 0x660, 0x6f0, 0x966, 0x9e6, 0xe50, 0x1040, 0xff10];
    ZEROS.iter().map(|zero| (c as u32).wrapping_sub(*zero)).find(|value| *value < 10)
}
