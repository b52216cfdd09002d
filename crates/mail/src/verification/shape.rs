//! The forms of tokens: which ones can be a code, without regard to the words around them.

use std::sync::LazyLock;

use super::plain::{GROUP_DOT, OVERWRITTEN};
use crate::wordlist::{self, WordTable};

/// Minimum number of letters and digits of a code.
pub(super) const CODE_CHARS_MIN: usize = 4;
/// Maximum number of letters and digits of a code without hyphens or spaces.
pub(super) const CODE_CHARS_MAX: usize = 10;
/// Maximum number of letters and digits of a code in groups.
pub(super) const GROUPED_CHARS_MAX: usize = 18;
/// Maximum number of groups of a code.
const GROUPS_MAX: usize = 3;
/// Maximum number of letters and digits of a group.
const GROUP_CHARS_MAX: usize = 6;
/// Maximum number of letters of a code of words.
const WORDS_CHARS_MAX: usize = 40;

/// Maximum number of characters of a model such as `i810`.
const MODEL_CHARS_MAX: usize = 5;

/// Units after a number, as in `10am` or `100GB`.
static UNITS: WordTable = LazyLock::new(|| wordlist::table(include_str!("words/links.txt"), "units"));

/// What a list of numbers begins with.
const COUNTS: [&str; 2] = ["123456789", "0123456789"];

/// Parts of acronyms without vowels.
static ACRONYMS: WordTable = LazyLock::new(|| wordlist::table(include_str!("words/links.txt"), "acronyms"));

/// Beginnings of the units in front of which a code was sent.
pub(super) const DURATION_UNITS: [&str; 14] =
    ["分", "秒", "min", "мин", "хв", "dakika", "phút", "phut", "นาที", "perc", "λεπτ", "분", "sec", "sek"];

/// A token that may be a code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CodeCandidate {
    /// The code as it is reported.
    pub(super) code: String,
    /// Start in the line, in characters.
    pub(super) from: usize,
    /// Exclusive end in the line, in characters.
    pub(super) to: usize,
    /// The form of the token.
    pub(super) kind: CodeForm,
    /// Whether the line contains nothing else except surrounding punctuation.
    pub(super) alone: bool,
    /// Whether it is between asterisks or underscores.
    pub(super) bold: bool,
    /// Whether a number sign is in front of it, so that it is a code only if it is named as one.
    pub(super) hashed: bool,
}

/// The form of a code, most common first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CodeForm {
    /// Only digits, possibly in groups.
    Digits,
    /// Four digits that may be a year (1900 to 2099).
    Year,
    /// Groups of digits with a separator that numbers, dates or ranges also have, or of different lengths: `482.913`,
    /// `482 - 913`, `48 291 3`.
    Loose,
    /// Letters and digits.
    Mixed,
    /// A word and a number, as in names of services, models or offers (`Rechnung24`, `SSH2`, `SAVE20`); rarely a code.
    Named,
    /// Groups of capitals or digits, joined by hyphens.
    Groups,
    /// At least three words in small letters, joined by hyphens.
    Words,
    /// Groups with more than [`CODE_CHARS_MAX`] letters and digits, as in account numbers and license keys.
    Long,
    /// Only capitals.
    Capitals,
    /// Lower-case or mixed-case letters: a word unless it is alone on its line.
    Letters,
}

/// Quick check of a line. Returns false if no candidate on it can be a code, regardless of context: if the line has no
/// digit, no adjacent capitals (ignoring spaces and hyphens between them), and not the length of a code.
pub(super) fn may_hold_code<'p>(line: &str, plain: impl FnOnce() -> &'p [char]) -> bool {
    let (mut shown, mut capital) = (0, false);
    if line.is_ascii() {
        // Most lines have neither digits nor two capitals. Counting has no branches, so vector instructions do it.
        return count(line, u8::is_ascii_digit) > 0
            || is_code_length(count(line, u8::is_ascii_alphabetic))
            || count(line, |byte| *byte == b'-') > 1 && holds_words(line)
            || count(line, u8::is_ascii_uppercase) > 1
                && line.bytes().any(|byte| signals_code(char::from(byte), &mut shown, &mut capital));
    }
    plain().iter().any(|c| signals_code(*c, &mut shown, &mut capital)) || is_code_length(shown)
}

/// Returns the number of these bytes in a line.
fn count(line: &str, is_counted: impl Fn(&u8) -> bool) -> usize {
    // Sums of a byte each fit 16 into a vector.
    const SUM_MAX: usize = 255;
    let of = |part: &[u8]| part.iter().fold(0_u8, |sum, byte| sum + u8::from(is_counted(byte)));
    line.as_bytes().chunks(SUM_MAX).map(|part| usize::from(of(part))).sum()
}

/// Returns whether a line has two hyphens between small letters, with a word between them.
fn holds_words(line: &str) -> bool {
    let is_small = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_lowercase());
    let inner = |word: &str| {
        word.trim_matches(|c: char| !c.is_ascii_alphanumeric()).split('-').filter(|part| is_small(part)).count()
    };
    line.split(' ').any(|word| inner(word) > 2)
}

/// Processes one character of a line. Returns true if the line may contain a code regardless of the rest.
fn signals_code(c: char, shown: &mut usize, capital: &mut bool) -> bool {
    match c {
        'a'..='z' => *capital = false,
        ' ' | '\t' | '-' => return false,
        '0'..='9' => return true,
        'A'..='Z' if *capital => return true,
        'A'..='Z' => *capital = true,
        c => {
            *capital = false;
            *shown += usize::from(!c.is_ascii() && c.is_alphanumeric());
            return false;
        }
    }
    *shown += 1;
    false
}

fn is_code_length(shown: usize) -> bool {
    (CODE_CHARS_MIN..=GROUPED_CHARS_MAX).contains(&shown)
}

/// A run of letters and digits with inner hyphens, as a range in the line.
type TokenRange = std::ops::Range<usize>;

/// Returns the candidates of a line.
pub(super) fn candidates(line: &[char]) -> Vec<CodeCandidate> {
    let tokens = tokens(line);
    let mut all = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let run = spaced_run(line, &tokens[at..]);
        let account = if run.is_code { 0 } else { account_number_tokens(line, &tokens[at..]) };
        let last = &tokens[at + run.count - 1];
        let is_passed_over = run.count == 1 && tokens.len() > 1 && is_short_or_word(&line[tokens[at].clone()]);
        if account == 0 && (run.is_code || run.count == 1) && !is_passed_over {
            all.extend(candidate(line, tokens[at].start, last.end));
        }
        at += run.count.max(account);
    }
    all
}

/// Returns whether a token that isn't alone on its line can't be a code: it is too short, or has only letters of which
/// some are small.
fn is_short_or_word(token: &[char]) -> bool {
    token.len() < CODE_CHARS_MIN
        || token.iter().all(char::is_ascii_alphabetic) && token.iter().any(char::is_ascii_lowercase)
}

fn tokens(line: &[char]) -> Vec<TokenRange> {
    let mut all = Vec::new();
    let mut at = 0;
    while at < line.len() {
        let end = token_end(line, at);
        if end > at {
            all.push(without_affixes(line, at..end));
        }
        at = end.max(at + 1);
    }
    all
}

/// Removes a particle in small letters that some languages join to a number by a hyphen: `ngu-482913`, `482913-dir`.
fn without_affixes(line: &[char], token: TokenRange) -> TokenRange {
    let is_small = |range: &TokenRange| line[range.clone()].iter().all(char::is_ascii_lowercase);
    let is_code = |range: &TokenRange| !line[range.clone()].iter().any(char::is_ascii_lowercase);
    let hyphens = || token.clone().filter(|at| line[*at] == '-');
    let prefixed = hyphens().next().map(|at| (token.start..at, at + 1..token.end));
    let suffixed = hyphens().next_back().map(|at| (at + 1..token.end, token.start..at));
    let parts = prefixed.into_iter().chain(suffixed);
    let code = parts.filter(|(particle, code)| is_small(particle) && is_code(code)).map(|(_, code)| code).next();
    code.unwrap_or(token)
}

/// Returns the end of the run of letters, digits and inner hyphens that begins at `at`.
fn token_end(line: &[char], at: usize) -> usize {
    let mut end = at;
    while end < line.len() {
        let inner_hyphen = end > at && line[end] == '-' && line.get(end + 1).is_some_and(char::is_ascii_alphanumeric);
        if !line[end].is_ascii_alphanumeric() && !inner_hyphen {
            break;
        }
        end += 1;
    }
    end
}

/// Tokens with only spaces between them that belong together.
struct SpacedRun {
    /// Number of tokens.
    count: usize,
    /// Whether they form one code. Otherwise they form an account, card or phone number.
    is_code: bool,
}

/// Returns the run of groups that starts at the first token: single characters (`4 8 2 9 1 3`, `A 7 K 2 P 9`), groups
/// of one length (`123 456`, `K7P 4QX`), or a longer number that isn't a code (`DE89 3704 0044 0532 0130 00`).
fn spaced_run(line: &[char], tokens: &[TokenRange]) -> SpacedRun {
    const SPACES_MAX: usize = 3;
    let is_group = |token: &TokenRange| {
        let group = &line[token.clone()];
        let digits = group.iter().any(char::is_ascii_digit);
        group.len() <= GROUP_CHARS_MAX
            && group.iter().all(|c| c.is_ascii_digit() || c.is_ascii_uppercase())
            && (digits || group.len() == 1 || is_unpronounceable(group.iter().copied()))
    };
    let joined = |pair: &[TokenRange]| {
        let gap = &line[pair[0].end..pair[1].start];
        let is_gap = gap.len() <= SPACES_MAX && gap.iter().all(|c| *c == ' ')
            || gap == [GROUP_DOT]
            || gap == [' ', GROUP_DOT, ' '];
        is_gap && is_group(&pair[1])
    };
    if !is_group(&tokens[0]) {
        return SpacedRun { count: 1, is_code: false };
    }
    let count = 1 + tokens.windows(2).take_while(|pair| joined(pair)).count();
    let lengths: Vec<usize> = tokens[..count].iter().map(TokenRange::len).collect();
    let total: usize = lengths.iter().sum();
    let same = lengths.iter().all(|length| *length == lengths[0]);
    let is_code = match lengths[0] {
        1 => same && (CODE_CHARS_MIN..=CODE_CHARS_MAX).contains(&count),
        2 => same && (CODE_CHARS_MIN..=CODE_CHARS_MAX).contains(&total),
        _ => same && (2..=GROUPS_MAX).contains(&count) && total <= GROUPED_CHARS_MAX,
    };
    let is_code = is_code || is_loose(line, &tokens[..count]);
    // Two numbers next to each other, such as a code and a duration, aren't one.
    let separate = !is_code && count == 2 && lengths[0].abs_diff(lengths[1]) > 1;
    SpacedRun { count: if separate { 1 } else { count }, is_code }
}

/// Returns whether groups of different lengths may be a code: few digits in three or four groups.
fn is_loose(line: &[char], groups: &[TokenRange]) -> bool {
    const DIGITS: std::ops::RangeInclusive<usize> = 6..=8;
    const GROUPS: std::ops::RangeInclusive<usize> = 3..=4;
    const DIGITS_OF_GROUP_MAX: usize = 3;
    let is_short =
        |group: &TokenRange| group.len() <= DIGITS_OF_GROUP_MAX && line[group.clone()].iter().all(char::is_ascii_digit);
    GROUPS.contains(&groups.len())
        && groups.iter().all(is_short)
        && groups.iter().any(|group| group.len() != groups[0].len())
        && DIGITS.contains(&groups.iter().map(TokenRange::len).sum())
}

/// Returns the number of tokens of the bank account number at the start (IBAN, ISO 13616), or 0: a country, two check
/// digits, and groups of digits and capitals with spaces between them. Only the first group can be letters: a bank.
fn account_number_tokens(line: &[char], tokens: &[TokenRange]) -> usize {
    const CHARS: std::ops::RangeInclusive<usize> = 15..=34;
    let is_number =
        |token: &TokenRange| line[token.clone()].iter().all(|c| c.is_ascii_digit() || c.is_ascii_uppercase());
    let has_digit = |token: &TokenRange| line[token.clone()].iter().any(char::is_ascii_digit);
    let begins = matches!(&line[tokens[0].clone()], [a, b, c, d, ..]
        if a.is_ascii_uppercase() && b.is_ascii_uppercase() && c.is_ascii_digit() && d.is_ascii_digit());
    if !begins || !is_number(&tokens[0]) {
        return 0;
    }
    let mut chars = tokens[0].len();
    let joined = tokens.windows(2).enumerate().take_while(|(at, pair)| {
        chars += pair[1].len();
        let is_spaced = line[pair[0].end..pair[1].start].iter().all(|c| *c == ' ');
        is_spaced && is_number(&pair[1]) && (*at == 0 || has_digit(&pair[1])) && chars <= *CHARS.end()
    });
    let count = 1 + joined.count();
    let total: usize = tokens[..count].iter().map(TokenRange::len).sum();
    if CHARS.contains(&total) { count } else { 0 }
}

fn candidate(line: &[char], from: usize, to: usize) -> Option<CodeCandidate> {
    let raw: String = line[from..to].iter().filter(|c| !matches!(**c, ' ' | GROUP_DOT)).collect();
    // Nobody enters the hyphens of `4-8-2-9-1-3`.
    let raw = if raw.split('-').all(|group| group.len() == 1) { raw.replace('-', "") } else { raw };
    let length = raw.chars().filter(|c| *c != '-').count();
    let is_spaced = line[from..to].contains(&' ');
    // "1 2 3 4 5" counts.
    let is_count = || COUNTS.iter().any(|count| count.starts_with(&raw)) && groups(line, from, to).len() > 1;
    let is_loose =
        line[from..to].contains(&GROUP_DOT) || is_spaced && (is_count() || is_loose(line, &groups(line, from, to)));
    let grouped = raw.contains('-') || is_spaced;
    let longest = match grouped {
        true if is_words(&raw) => WORDS_CHARS_MAX,
        true => GROUPED_CHARS_MAX,
        false => CODE_CHARS_MAX,
    };
    if !(CODE_CHARS_MIN..=longest).contains(&length) || !has_clear_boundaries(line, from, to) {
        return None;
    }
    let kind = if grouped && length > CODE_CHARS_MAX && !raw.contains('-') { CodeForm::Long } else { form_of(&raw)? };
    let outside = line[..from].iter().chain(&line[to..]);
    let alone = outside.clone().all(|c| !c.is_alphanumeric() && *c != OVERWRITTEN)
        && outside.filter(|c| **c != ' ').count() <= 12;
    // Groups of capitals with spaces between them may be words.
    let is_phrase = line[from..to].contains(&' ') && !raw.bytes().any(|byte| byte.is_ascii_digit()) && !alone;
    // "Salaam," greets the reader, and "Cheers" is below the text.
    let is_title = line[from].is_ascii_uppercase() && line[from + 1..to].iter().all(char::is_ascii_lowercase);
    let is_greeting = kind == CodeForm::Letters && (is_title || matches!(line.get(to), Some(',' | '!')));
    if is_phrase || is_greeting {
        return None;
    }
    let is_between = |mark| from > 0 && line[from - 1] == mark && line.get(to) == Some(&mark);
    let bold = is_between('*') || is_between('_');
    let hashed = from > 0 && line[from - 1] == '#';
    let kind = if is_loose { CodeForm::Loose } else { kind };
    let (code, kind) = match service_prefix(&raw) {
        Some(digits) => (digits.to_owned(), CodeForm::Digits),
        None => (raw, kind),
    };
    Some(CodeCandidate { code, from, to, kind, alone, bold, hashed })
}

/// Returns the groups of a token, between spaces.
fn groups(line: &[char], from: usize, to: usize) -> Vec<TokenRange> {
    tokens(&line[from..to]).into_iter().map(|token| from + token.start..from + token.end).collect()
}

/// Returns whether a token consists of at least three words in small letters, joined by hyphens: no phrase such as
/// "step-by-step", which has shorter ones.
fn is_words(raw: &str) -> bool {
    const WORDS: std::ops::RangeInclusive<usize> = 3..=5;
    const WORD_CHARS: std::ops::RangeInclusive<usize> = 4..=10;
    let is_word = |word: &str| WORD_CHARS.contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_lowercase());
    WORDS.contains(&raw.split('-').count()) && raw.split('-').all(is_word)
}

/// Returns the digits after the initials of a service, as in `G-482913` or `FB-48291`. Sign-in forms show the initials
/// as fixed text, so only the digits are entered.
fn service_prefix(raw: &str) -> Option<&str> {
    let (initials, digits) = raw.split_once('-')?;
    let is_prefix = (1..=2).contains(&initials.len()) && initials.bytes().all(|byte| byte.is_ascii_uppercase());
    let is_code = digits.len() >= CODE_CHARS_MIN && digits.bytes().all(|byte| byte.is_ascii_digit());
    (is_prefix && is_code).then_some(digits)
}

/// Returns false if adjacent characters show that the token isn't a code: prices, dates, times, versions, colors, phone
/// numbers, masked numbers, percentages.
fn has_clear_boundaries(line: &[char], from: usize, to: usize) -> bool {
    /// Maximum number of digits that are shown of a masked number.
    const SHOWN_DIGITS_MAX: usize = 4;
    let before = from.checked_sub(1).map(|at| line[at]);
    let before2 = from.checked_sub(2).map(|at| line[at]);
    let (after, after2) = (line.get(to).copied(), line.get(to + 1).copied());
    let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    let currency = |c: Option<char>| c.is_some_and(|c| "$€£¥₹₽₩₺₴₪₫฿￥¢₦₱₿".contains(c));
    let joined_before = matches!(before, Some('.' | ',' | '/' | ':' | '-')) && digit(before2);
    let joined_after =
        matches!(after, Some('.' | ',' | '/' | ':' | '-')) && digit(after2) && !precedes_duration(line, to);
    // An adjacent letter makes the token part of a word, except in scripts without spaces.
    let word = |c: Option<char>| c.is_some_and(|c| c.is_alphabetic() && !is_unspaced(c));
    let priced = currency(before)
        || currency(after)
        || before == Some(' ') && currency(before2)
        || after == Some(' ') && currency(after2);
    // A bullet with nothing before it begins an item of a list, and an ellipsis hides all but the last digits.
    let is_bullet = before2 == Some('•') && line[..from - 2].iter().any(|c| *c != ' ');
    // Underscores on both sides are emphasis.
    let is_emphasized = before == Some('_') && after == Some('_');
    let marked_before = before == Some('=') && !follows_label(&line[..from - 1])
        || is_compared(&line[..from])
        || before == Some('…') && to - from <= SHOWN_DIGITS_MAX
        || matches!(before, Some('+' | '•' | '/' | '\\' | '&' | '%' | OVERWRITTEN | '№' | '@' | '×'))
        || before == Some('_') && !is_emphasized
        || before == Some('#') && before2.is_some_and(|c| !matches!(c, ' ' | '[' | '*' | ':'))
        || before == Some(' ') && (is_bullet || matches!(before2, Some('№' | '+')));
    // The number sign ends what is typed into a telephone or a door.
    let marked_after = matches!(after, Some('%' | '/' | '\\' | '=' | '°' | '@' | '#' | OVERWRITTEN))
        || after == Some('_') && !is_emphasized
        || after == Some(' ') && after2 == Some('%');
    // Asterisks on both sides are emphasis; on one side, they mask a number ("****4829").
    let masked = (before == Some('*')) != (after == Some('*')) || follows_mask(line, from);
    let is_zone = before == Some('-') && follows_time(&line[..from - 1]);
    let joined = joined_before || joined_after || word(before) || word(after) || is_zone;
    let other = priced || marked_before || marked_after || masked || joined;
    !other
}

/// Returns whether the dot or comma at `at` is followed by a duration, so that a new clause begins there:
/// "482913,10分钟内有效", "482913,10 minutes".
fn precedes_duration(line: &[char], at: usize) -> bool {
    /// Maximum number of digits of a duration.
    const DIGITS_MAX: usize = 3;
    if !matches!(line[at], '.' | ',') {
        return false;
    }
    let digits = line[at + 1..].iter().take(DIGITS_MAX).take_while(|c| c.is_ascii_digit()).count();
    let unit = line[at + 1 + digits..].iter().skip_while(|c| **c == ' ');
    let unit: String = unit.take(DIGITS_MAX + 3).flat_map(|c| c.to_lowercase()).collect();
    DURATION_UNITS.iter().any(|known| unit.starts_with(known))
}

/// Returns whether the operator of a program ends a text: `code == 482913`.
fn is_compared(before: &[char]) -> bool {
    matches!(before, [.., ' ', '=' | '!', '=', ' '] | [.., ' ', '<' | '>', '=', ' '])
}

/// Returns whether a word of its own ends a text, as in `TAN=482913` and `<OTP=482913>`. In `?id=482913` it belongs to a query.
fn follows_label(before: &[char]) -> bool {
    let letters = before.iter().rev().take_while(|c| c.is_alphabetic()).count();
    letters > 0
        && before[..before.len() - letters].last().is_none_or(|c| matches!(c, ' ' | '(' | '[' | '{' | '<' | '"' | '*'))
}

/// Returns whether a time of day ends a text, so that a time zone such as `-0800` follows.
fn follows_time(before: &[char]) -> bool {
    let time: Vec<char> = before.iter().rev().skip_while(|c| **c == ' ').take(3).copied().collect();
    matches!(&time[..], [a, b, ':'] if a.is_ascii_digit() && b.is_ascii_digit())
}

/// Returns whether a masked number begins or continues at `from`: "**** 4829", "XXXX-4829".
fn follows_mask(line: &[char], from: usize) -> bool {
    /// Minimum number of characters that hide digits; two asterisks can end emphasized text.
    const CHARS_MIN: usize = 3;
    let is_mask = |c: &&char| matches!(c, '*' | '•' | '●' | 'x' | 'X');
    let before = line[..from].iter().rev().skip_while(|c| matches!(c, ' ' | '-'));
    before.take_while(is_mask).count() >= CHARS_MIN || line[from..].iter().take_while(is_mask).count() >= CHARS_MIN
}

/// Returns whether the character belongs to a script without spaces, or one that attaches particles to numbers.
pub(super) fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{0e00}'..='\u{0eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{1100}'..='\u{11ff}' | '\u{3040}'..='\u{30ff}' | '\u{3130}'..='\u{318f}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}')
}

/// Returns the form of a token without spaces, or `None` for dates, numbers with units and hyphenated words.
fn form_of(raw: &str) -> Option<CodeForm> {
    let groups: Vec<&str> = raw.split('-').collect();
    let digits = raw.chars().any(|c| c.is_ascii_digit());
    let upper = raw.chars().any(|c| c.is_ascii_uppercase());
    let lower = raw.chars().any(|c| c.is_ascii_lowercase());
    if groups.len() > 1 {
        return form_of_groups(&groups, lower);
    }
    match (digits, upper, lower) {
        (true, false, false) => {
            let year = raw.len() == 4 && raw.parse::<u32>().is_ok_and(|value| (1900..=2099).contains(&value));
            Some(if year { CodeForm::Year } else { CodeForm::Digits })
        }
        (true, _, _) if is_named_number(raw) => None,
        (true, _, _) if has_word(raw) => Some(CodeForm::Named),
        (true, _, _) => Some(CodeForm::Mixed),
        (false, true, false) => Some(CodeForm::Capitals),
        (false, _, _) => Some(CodeForm::Letters),
    }
}

fn form_of_groups(groups: &[&str], lower: bool) -> Option<CodeForm> {
    let all_digits = groups.iter().all(|group| group.chars().all(|c| c.is_ascii_digit()));
    let same = groups.iter().all(|group| group.len() == groups[0].len());
    let total: usize = groups.iter().map(|group| group.len()).sum();
    if lower && is_words(&groups.join("-")) {
        return Some(CodeForm::Words);
    }
    if groups.len() > GROUPS_MAX && total > CODE_CHARS_MAX || groups.iter().any(|group| group.len() > GROUP_CHARS_MAX) {
        return None;
    }
    if lower {
        let has = |group: &str, is: fn(&u8) -> bool| group.bytes().any(|byte| is(&byte));
        let mixed = |group: &&&str| has(group, u8::is_ascii_digit) && has(group, u8::is_ascii_alphabetic);
        let upper = groups.iter().any(|group| has(group, u8::is_ascii_uppercase));
        let similar = groups.iter().all(|group| group.len() >= 3 && group.len().abs_diff(groups[0].len()) <= 1);
        if upper && similar && groups.iter().filter(mixed).count() == groups.len() {
            return Some(CodeForm::Groups);
        }
        // "sign-in" and "one-time" are words.
        let cased = groups.iter().all(|group| !group.bytes().any(|byte| byte.is_ascii_uppercase()));
        return (cased && same && groups[0].len() >= 3).then_some(CodeForm::Letters);
    }
    if all_digits {
        // 2026-11-20 is a date, 555-0123 a phone number.
        let form = if total > CODE_CHARS_MAX { CodeForm::Long } else { CodeForm::Digits };
        let is_code = groups[0].len() >= 2 || (CODE_CHARS_MIN..=CODE_CHARS_MAX).contains(&groups.len());
        return (same && is_code).then_some(form);
    }
    let prefixed = groups.len() == 2
        && groups[0].len() <= 3
        && groups[0].chars().all(|c| c.is_ascii_uppercase())
        && groups[1].len() >= 4
        && groups[1].chars().all(|c| c.is_ascii_digit());
    let similar = groups.iter().all(|group| group.len() >= 3 && group.len().abs_diff(groups[0].len()) <= 1);
    let words = groups.iter().all(|group| group.bytes().all(|byte| byte.is_ascii_uppercase()))
        && groups.iter().any(|group| !is_unpronounceable(group.chars()));
    match same && groups[0].len() >= 2 || prefixed || similar {
        true if words => Some(CodeForm::Capitals),
        true => Some(CodeForm::Groups),
        false => None,
    }
}

/// Returns whether the letters have no vowel, so that they aren't a word.
fn is_unpronounceable(letters: impl Iterator<Item = char>) -> bool {
    !letters.into_iter().any(|c| matches!(c.to_ascii_uppercase(), 'A' | 'E' | 'I' | 'O' | 'U' | 'Y'))
}

/// Returns whether capitals have an acronym without vowels in them: "HTTPS", "XHTML".
pub(super) fn is_acronym(capitals: &str) -> bool {
    let lower = capitals.to_ascii_lowercase();
    ACRONYMS.iter().any(|acronym| lower.contains(acronym))
}

/// Returns whether capitals can be no word: they have no vowel, too many consonants in a row, or letters side by side that
/// no word has.
pub(super) fn is_no_word(capitals: &str) -> bool {
    const CONSONANTS_MAX: usize = 3;
    let is_vowel = |c: char| !is_unpronounceable(std::iter::once(c));
    let is_odd = |pair: &[u8]| match pair {
        [b'Q', next] => *next != b'U',
        [b'J' | b'V', next] => !is_vowel(char::from(*next)),
        [b'X', next] => !is_vowel(char::from(*next)) && !b"CHPT".contains(next),
        _ => false,
    };
    capitals.split(is_vowel).any(|run| run.len() > CONSONANTS_MAX) || capitals.as_bytes().windows(2).any(is_odd)
}

impl CodeCandidate {
    /// Returns whether the token looks generated: no person would write it as a word.
    pub(super) fn is_random(&self) -> bool {
        match self.kind {
            CodeForm::Digits | CodeForm::Mixed | CodeForm::Groups | CodeForm::Long | CodeForm::Words => true,
            CodeForm::Capitals => is_unpronounceable(self.code.chars()),
            CodeForm::Year | CodeForm::Loose | CodeForm::Named | CodeForm::Letters => false,
        }
    }
}

/// Returns whether the token contains a word, so that a person probably chose it: a part of a mixed-case token with a
/// vowel (`Office365`, `23andMe`), or a word with a vowel and a number before or after it (`order2026`, `SAVE20`,
/// `1200START`), or the few letters and digits of a model (`SSH2`, `i810`).
fn has_word(raw: &str) -> bool {
    let has_vowel = |part: &str| part.contains(['a', 'e', 'i', 'o', 'u', 'y', 'A', 'E', 'I', 'O', 'U', 'Y']);
    let upper = raw.bytes().any(|byte| byte.is_ascii_uppercase());
    if upper && raw.split(|c: char| !c.is_ascii_lowercase()).any(|run| run.len() >= 3 && has_vowel(run)) {
        return true;
    }
    let digit = |c: char| c.is_ascii_digit();
    let word = raw.trim_matches(digit);
    let is_word = word.bytes().all(|byte| byte.is_ascii_alphabetic());
    let begins_or_ends = raw.starts_with(word) || raw.ends_with(word);
    let is_model = raw.starts_with(word) && raw.len() <= MODEL_CHARS_MAX;
    let is_numbered = raw.len() >= word.len() + 2 && word.len() >= 4 && has_vowel(word);
    is_word && begins_or_ends && (is_numbered || is_model)
}

/// Returns whether the token is a number with a unit or prefix: `10am`, `1080p`, `100GB`, `2nd`, `v2`.
fn is_named_number(raw: &str) -> bool {
    let lower = raw.to_ascii_lowercase();
    let tail = lower.trim_start_matches(|c: char| c.is_ascii_digit());
    UNITS.contains(&tail)
        || lower.starts_with("0x")
        || lower.starts_with('v') && lower[1..].chars().all(|c| c.is_ascii_digit()) && lower.len() <= 4
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::plain::plain;
    use super::*;

    proptest! {
        #[test]
        fn lines_with_plausible_candidates_pass_the_quick_check(line in "[A-Da-d0-1 .:#*@１Ａаש-]{0,24}") {
            let plain = plain(&line);
            let candidates = candidates(&plain);
            // Other forms never score enough, see `kind_score` in the `code` module.
            let is_plausible = |c: &CodeCandidate| c.alone || !matches!(c.kind, CodeForm::Letters);
            prop_assert!(may_hold_code(&line, || &plain[..]) || !candidates.iter().any(is_plausible), "{line:?} {candidates:?}");
        }
    }

    #[test]
    fn prose_fails_the_quick_check() {
        let may_hold_code = |line: &str| may_hold_code(line, || &*plain(line).leak());
        assert!(!may_hold_code("Please tell the others, as Mary said to John."));
        assert!(!may_hold_code(""));
        for line in ["A B C D is yours", "Your code is 4711", "code: ABCD", "qwerty", "KX-RT", "код: １２３４"] {
            assert!(may_hold_code(line), "{line}");
        }
    }
}
