//! Attribution lines such as "On …, … wrote:" in any language, on one line or wrapped over several.
//!
//! Three signs count in every language: a date, an address, a verb of writing. A short run of lines with two of these
//! signs and a typical ending is an attribution. So attributions in languages without table entries are still detected
//! by their date and address.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, Match};
use memchr::{memchr, memmem};

use super::line::{COLONS, LineMark, MarkedLine, trim};
use super::words::{ATTRIBUTION_STARTS, NAME_PARTICLES, WRITING_VERBS};

/// Maximum number of lines of a wrapped attribution, and of lines above them that may belong to it.
const LINES_MAX: usize = 6;
/// Maximum length of an attribution, in bytes.
const BYTES_MAX: usize = 700;
/// Maximum length of a line that may begin an attribution on the lines below it, in bytes.
const LINE_BYTES_MAX: usize = 160;
/// Maximum length of a name above its address, in bytes.
const NAME_BYTES_MAX: usize = 80;

/// Number of bytes at the end of a line that are searched for a verb. Longer than any entry of the table.
const VERB_BYTES_MAX: usize = 128;

/// Characters that may follow the verb at the end of an attribution.
const AFTER_VERBS: [char; 8] = [':', '：', '՝', '៖', ' ', '\u{a0}', ')', '）'];

/// An automaton that finds all entries of [`WRITING_VERBS`] in one pass.
static VERBS: LazyLock<AhoCorasick> =
    LazyLock::new(|| AhoCorasick::new(&*WRITING_VERBS).expect("the table must fit into an automaton"));

/// The signs of an attribution in a run of lines.
#[derive(Debug, Clone, Copy)]
struct AttributionSigns {
    date: bool,
    /// A date that isn't only a time of day.
    day: bool,
    /// The last words contain a digit, as in `… um 10:00 Uhr:`.
    date_last: bool,
    /// An address in angle brackets or in other brackets.
    address: bool,
    /// Begins with the bracket of an address.
    address_first: bool,
    /// An address, with or without brackets.
    bare_address: bool,
    /// A verb of writing at the end.
    verb_last: bool,
    /// A verb of writing anywhere.
    verb: bool,
    /// Begins with a word that begins attributions, or with a date.
    opens: bool,
    /// Begins with a word that begins attributions.
    word_first: bool,
    /// Begins with a date.
    date_first: bool,
    /// Ends with a colon.
    colon: bool,
    /// Ends with a bracket or a quotation mark after an address.
    bracket_last: bool,
    /// Consists of a date with a time and an address.
    address_last: bool,
    /// Ends like a sentence.
    sentence: bool,
}

/// The surroundings of a run of lines.
#[derive(Debug, Clone, Copy)]
struct RunContext {
    is_one_line: bool,
    /// Whether a quoted line follows.
    is_quote_next: bool,
    /// Whether that is certainly history, and not what the author quotes from elsewhere.
    is_history_next: bool,
    /// Whether the run is a paragraph of its own.
    is_paragraph: bool,
}

/// Returns for each line whether it contains an at sign.
pub(super) fn at_signs(lines: &[MarkedLine<'_>]) -> Vec<bool> {
    lines.iter().map(|line| memchr(b'@', line.text.as_bytes()).is_some()).collect()
}

/// Returns the index of the first line of the attribution that ends at line `end`, or `None` if no attribution ends
/// there. `at_signs` is the result of [`at_signs`] for these lines.
pub(super) fn start(lines: &[MarkedLine<'_>], end: usize, at_signs: &[bool]) -> Option<usize> {
    let last = trim(lines[end].text);
    if last.is_empty() || last.len() > BYTES_MAX {
        return None;
    }
    let is_quote_next = is_quoted_next(lines, end + 1);
    let is_history_next = first_shown(lines, end + 1) == Some(LineMark::Quoted);
    // Without a quote below, a verb ends an attribution only if there is an address. Most lines have neither.
    let has_address = at_signs[(end + 1).saturating_sub(LINES_MAX)..=end].contains(&true);
    let may_end_with_verb = is_quote_next || has_address;
    let may_end =
        has_ending_mark(last) || is_quote_next && has_digit(last) || may_end_with_verb && has_verb_in_tail(last);
    if !may_end {
        return None;
    }
    let ends_paragraph = lines.get(end + 1).is_none_or(|line| !line.is_text());
    let mut joined = String::new();
    let mut named = None;
    for start in (0..=end).rev().take(LINES_MAX) {
        let text = trim(lines[start].text);
        if !lines[start].is_text() || joined.len() + text.len() > BYTES_MAX {
            break;
        }
        // What is in front of the verb can be on the line above.
        let is_open = named.is_none() || begins_with_verb(&joined);
        joined = if joined.is_empty() { text.to_owned() } else { format!("{text} {joined}") };
        let begins_paragraph = start == 0 || !lines[start - 1].is_text();
        let is_paragraph = begins_paragraph && ends_paragraph;
        let signs = signs(&joined);
        if is_attribution(signs, RunContext { is_one_line: start == end, is_quote_next, is_history_next, is_paragraph })
        {
            return Some(extended(lines, start, joined));
        }
        if is_quote_next && is_open && is_name_and_date(&joined) {
            named = Some(start);
        }
    }
    named
}

/// Quick check before joining lines: a colon or a bracket at the end.
fn has_ending_mark(last: &str) -> bool {
    last.ends_with(['>', ')', ']']) || trim_decoration(last).ends_with(COLONS)
}

/// Returns whether a line ends with a verb of the table.
fn has_verb_in_tail(last: &str) -> bool {
    let bare = trim_decoration(last);
    let tail = &bare[bare.ceil_char_boundary(bare.len().saturating_sub(VERB_BYTES_MAX))..];
    ends_with_verb(&tail.to_lowercase())
}

/// Trims dashes, as added by Zoho, and other decorations.
fn trim_decoration(text: &str) -> &str {
    trim(text.trim_matches(|c: char| matches!(c, '-' | '*' | '_' | ' ' | '\u{a0}')))
}

fn signs(text: &str) -> AttributionSigns {
    let text = trim_decoration(text);
    let lower = text.to_lowercase();
    let bare = trim(lower.trim_end_matches([':', '：', '՝', '៖', ' ', '\u{a0}']));
    let bare_address = lower.contains('@');
    AttributionSigns {
        date: has_date(&lower),
        day: lower.split_whitespace().any(|word| has_digit(word) && !word.contains(':')),
        date_last: bare.split_whitespace().rev().take(2).any(has_digit),
        address: (lower.contains(['<', '[', '(']) || lower.contains("&lt;")) && bare_address,
        address_first: lower.starts_with(['<', '(', '[']),
        bare_address,
        verb_last: ends_with_verb(bare),
        verb: verb_ends(bare).next().is_some(),
        opens: opens(&lower),
        word_first: begins_with_start(&lower),
        date_first: lower.starts_with(char::is_numeric) && has_date(first_words(&lower)),
        colon: text.ends_with(COLONS),
        address_last: is_dated_address(bare),
        bracket_last: bare_address && text.ends_with(['>', ')', ']']),
        sentence: text.ends_with(['.', '!', '?', ',', ';', '。']),
    }
}

impl AttributionSigns {
    /// Returns whether nothing on the lines above can belong to the attribution.
    fn is_complete(self) -> bool {
        self.day && self.verb && (self.word_first || self.address && !self.opens && !self.address_first)
    }
}

/// Decides by three signs, a date, an address and a verb of writing: two of them and a typical end, or one of them above
/// a quote.
fn is_attribution(signs: AttributionSigns, run: RunContext) -> bool {
    let AttributionSigns { date, address, bare_address, verb_last, verb, opens, colon, .. } = signs;
    let quote = run.is_quote_next;
    let by_address = (address || bare_address && (verb_last || opens && quote)) && (date || verb_last || verb && colon);
    let by_date = date && (verb_last && (opens || quote) || verb && colon && (opens || signs.date_last || quote));
    let is_date_and_name = run.is_paragraph && signs.date_first && !signs.sentence;
    let ends = colon || quote || date && bare_address && verb_last || is_date_and_name && signs.bracket_last;
    let is_named = verb_last && run.is_one_line && run.is_history_next;
    let above_quote = colon && (is_named || date && opens) || is_date_and_name;
    (by_address || by_date) && ends || quote && above_quote || signs.address_last && colon && run.is_paragraph
}

/// Returns whether a line above a quote consists of a name, a verb of writing and a date in any order, and a colon:
/// "Ana wrote on 4 August:", "Am 4. August schrieb Ana:", "Quoting Ana (4 August):". The date needs no year.
fn is_name_and_date(text: &str) -> bool {
    let text = trim_decoration(text);
    let Some(bare) = text.strip_suffix([':', '：']) else { return false };
    let lower = bare.to_lowercase();
    // Offsets of the lower-case text apply to the text only if no letter changes its length.
    lower.len() == bare.len()
        && verbs(&lower).any(|verb| match (bare.get(..verb.start), bare.get(verb.end..)) {
            (Some(before), Some(after)) if trim(before).is_empty() => begins_with_name(after),
            (Some(before), Some(after)) if trim(after).is_empty() => has_digit(before) && names_author(before),
            (Some(before), Some(after)) => {
                is_name(before) && is_date_part(after) || is_name(after) && has_digit(before) && opens(&lower)
            }
            _ => false,
        })
}

/// Returns whether a text is a name: one word of several letters, or a few words in capitals or in a script without them,
/// and particles ("van").
fn is_name(text: &str) -> bool {
    const WORDS_MAX: usize = 6;
    let words: Vec<&str> = text.split_whitespace().collect();
    if let [word] = words[..] {
        return !has_digit(word) && (!word.is_ascii() || word.len() > 1) && word.contains(char::is_alphabetic);
    }
    let is_particle = |word: &&str| NAME_PARTICLES.contains(&word.to_lowercase().as_str());
    let is_name_word = |word: &&str| {
        let first = word.chars().find(|c| c.is_alphabetic());
        !has_digit(word) && !ends_sentence(word) && first.is_some_and(|c| !c.is_lowercase()) || is_particle(word)
    };
    (1..=WORDS_MAX).contains(&words.len()) && words.iter().all(is_name_word) && !words.iter().all(is_particle)
}

/// Returns whether a word ends a sentence. A dot after a short word belongs to an abbreviation ("Dr.").
fn ends_sentence(word: &str) -> bool {
    const ABBREVIATION_CHARS_MAX: usize = 5;
    word.ends_with([';', ':', '!', '?']) || word.ends_with('.') && word.chars().count() > ABBREVIATION_CHARS_MAX
}

/// Returns whether a text begins with a name, and has nothing else or a date.
fn begins_with_name(text: &str) -> bool {
    let in_date = |word: &str| has_digit(word) || word.starts_with(|c: char| c.is_lowercase() || c == '(');
    let words: Vec<&str> = text.split_whitespace().collect();
    let (name, date) = words.split_at(words.iter().position(|word| in_date(word)).unwrap_or(words.len()));
    is_name(&name.join(" ")) && (date.is_empty() || is_date_part(&date.join(" ")))
}

/// Returns whether a text can be in front of the verb: a name, or a name and a date in any order.
fn names_author(text: &str) -> bool {
    begins_with_name(text) || has_digit(text) && opens(&text.to_lowercase())
}

/// Returns whether a text can be the date of an attribution: a few words with a digit, or up to two without ("on
/// Tuesday").
fn is_date_part(text: &str) -> bool {
    const WORDS_MAX: usize = 8;
    let words = text.split_whitespace().count();
    (1..=if has_digit(text) { WORDS_MAX } else { 2 }).contains(&words)
}

/// Returns the index of the first line of an attribution that `joined`, from line `start` on, is the end of: the topmost
/// line above with a sign, and the lines in between.
fn extended(lines: &[MarkedLine<'_>], start: usize, mut joined: String) -> usize {
    let mut first = start;
    let mut is_apart = false;
    for at in (0..start).rev().take(LINES_MAX) {
        let text = trim(lines[at].text);
        // Some clients put a blank line between the name and the address.
        if lines[at].is_blank() && joined.starts_with('<') && !is_apart {
            is_apart = true;
            continue;
        }
        if signs(&joined).is_complete() || !lines[at].is_text() || text.len() > LINE_BYTES_MAX {
            break;
        }
        let lower = text.to_lowercase();
        let begins = begins_with_start(&lower) && has_date_like(&lower) || opens(&lower) && has_date(&lower);
        let begins = begins || ATTRIBUTION_STARTS.contains(&&*lower);
        if is_apart && (!begins || ends_sentence(text)) {
            break;
        }
        // A line that begins with the address or the verb continues the name on the line above.
        let follows_name = joined.starts_with(['<', '(', '[']) && text.len() <= NAME_BYTES_MAX
            || names_author(text) && begins_with_verb(&joined);
        if begins || follows_name || has_part(&lower) {
            first = at;
        } else if text.ends_with(['.', '!', '?', '。']) {
            break;
        }
        joined = format!("{text} {joined}");
    }
    first
}

/// Returns what is in front of an attribution on its line, if the reply ends there: "See you. On 4 May 2024, Ana wrote:".
pub(super) fn text_before(line: &str) -> Option<&str> {
    if begins_with_start(&trim(line).to_lowercase()) {
        return None;
    }
    let is_start = |(at, c): (usize, char)| {
        let follows_space = line[..at].ends_with([' ', '-', '\u{a0}']);
        (follows_space && c.is_uppercase()).then(|| line.split_at(at))
    };
    let is_attribution = |rest: &str| {
        let signs = signs(rest);
        signs.word_first && signs.day && signs.date && signs.verb_last && signs.colon
    };
    let mut splits = line.char_indices().filter_map(is_start).filter(|(_, rest)| is_attribution(rest));
    let before = splits.next()?.0.trim_end_matches(['-', ' ', '\u{a0}']);
    (before.contains(char::is_alphanumeric) && !before.contains('@')).then_some(before)
}

/// Returns whether a text is a date with a time and an address, and a word between them: "20 Nov 2026, 10:01 by …".
fn is_dated_address(text: &str) -> bool {
    /// Maximum number of words before the address.
    const WORDS_MAX: usize = 5;
    let Some((date, address)) = text.rsplit_once(' ') else { return false };
    let words = date.split_whitespace().count();
    let starts = date.split_whitespace().take(2).any(has_digit);
    address.contains('@') && (3..=WORDS_MAX).contains(&words) && starts && date.contains(':') && has_date(date)
}

/// Returns whether a line is an attribution without a verb: a date with its time zone, and a name; or a name, and a date
/// between hyphens, as Notes writes it.
pub(super) fn is_dated_name(line: &str) -> bool {
    let line = trim(line);
    let is_date = |date: &str| date.starts_with(|c: char| c.is_ascii_digit()) && has_date(date);
    if line.len() > LINE_BYTES_MAX {
        return false;
    }
    // Most lines have no hyphens.
    let hyphens = memmem::find(line.as_bytes(), b"---").map(|at| (&line[..at], &line[at + 3..]));
    let is_between_hyphens = hyphens.is_some_and(|(name, rest)| {
        rest.split_once("---").is_some_and(|(date, _)| is_date(date)) && is_name(trim(name))
    });
    is_between_hyphens
        || line.starts_with(|c: char| c.is_ascii_digit())
            && line.split_once(" GMT").is_some_and(|(date, rest)| {
                has_date(date) && rest.split_once(' ').is_some_and(|(_, name)| is_name(trim(name)))
            })
}

/// Returns whether a line of a quotation is an attribution with any date: "On Monday Ana wrote:".
pub(super) fn is_opening(line: &str) -> bool {
    let line = trim(line);
    line.len() <= LINE_BYTES_MAX && has_ending_mark(line) && {
        let signs = signs(line);
        signs.word_first && signs.verb_last && signs.colon
    }
}

/// Returns the index of the attribution right above line `at`, which ends without a colon because a header follows, or
/// `at` if no line is one.
pub(super) fn above(lines: &[MarkedLine<'_>], at: usize) -> usize {
    let above = (at.saturating_sub(2)..at).rev().find(|above| !lines[*above].is_blank());
    let is_attribution = |above: &usize| {
        let line = &lines[*above];
        let signs = || signs(trim(line.text));
        let fits = |signs: AttributionSigns| signs.word_first && signs.date && signs.verb && !signs.sentence;
        line.is_text() && line.text.len() <= LINE_BYTES_MAX && fits(signs())
    };
    above.filter(is_attribution).unwrap_or(at)
}

/// Returns whether a lower-case line contains an address in brackets, or is short and contains a verb of writing.
fn has_part(line: &str) -> bool {
    line.contains('@') && line.contains(['<', '(', '['])
        || line.ends_with('<')
        || line.len() <= NAME_BYTES_MAX && verb_ends(line).next().is_some()
}

fn begins_with_verb(text: &str) -> bool {
    verbs(&text.to_lowercase()).any(|verb| verb.start == 0)
}

/// Returns the first three words.
fn first_words(text: &str) -> &str {
    text.match_indices(' ').nth(2).map_or(text, |(at, _)| &text[..at])
}

/// Returns whether the first line from `at` on that isn't blank is quoted.
pub(super) fn is_quoted_next(lines: &[MarkedLine<'_>], at: usize) -> bool {
    matches!(first_shown(lines, at), Some(LineMark::Quoted | LineMark::Indented))
}

/// Returns the mark of the first line from `at` on that isn't blank.
fn first_shown(lines: &[MarkedLine<'_>], at: usize) -> Option<LineMark> {
    const LINES_MAX: usize = 8;
    lines[at..].iter().take(LINES_MAX).find(|line| !line.is_blank()).map(|line| line.mark)
}

/// Returns whether `text` (lower case, without colon) ends with a verb of the table.
pub(super) fn ends_with_verb(text: &str) -> bool {
    let text = trim(text.trim_end_matches(AFTER_VERBS));
    verb_ends(text).any(|end| end == text.len())
}

/// Returns the ends of the verbs of the table in `text` (lower case) that are whole words.
fn verb_ends(text: &str) -> impl Iterator<Item = usize> {
    verbs(text).map(|verb| verb.end)
}

/// Returns the verbs of the table in `text` (lower case) that are whole words.
fn verbs(text: &str) -> impl Iterator<Item = Range<usize>> {
    let is_joined = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let is_word = move |found: &Match| {
        let (before, verb, after) = (&text[..found.start()], &text[found.range()], &text[found.end()..]);
        verb.starts_with(is_wide) || !is_joined(before.chars().next_back()) && !is_joined(after.chars().next())
    };
    VERBS.find_overlapping_iter(text).filter(is_word).map(|found| found.range())
}

/// Returns whether the character belongs to a script that is written without spaces.
fn is_wide(c: char) -> bool {
    matches!(c, '\u{0e00}'..='\u{0eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}')
}

/// Returns whether a lower-case line begins with a word of the table followed by more text, or with a date or weekday.
fn opens(text: &str) -> bool {
    begins_with_start(text) || text.split_whitespace().take(3).any(has_digit)
}

/// Returns whether a lower-case line begins with a word of the table followed by more text.
fn begins_with_start(text: &str) -> bool {
    ATTRIBUTION_STARTS.iter().any(|on| {
        text.strip_prefix(on).is_some_and(|rest| {
            rest.starts_with([' ', '\u{a0}', ',']) || on.chars().next().is_some_and(is_wide) || on.ends_with('-')
        })
    })
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
