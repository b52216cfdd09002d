//! Which of the candidates in a mail is the code: by the key words around them.

use super::page::Page;
use super::shape::{self, Candidate, Kind};
use super::words::{self, FAMILIES};

/// Farthest key word before a code on the same or the line above, in characters.
const BEFORE_CHARS_MAX: usize = 70;
/// Farthest key word behind a code, in characters.
const AFTER_CHARS_MAX: usize = 60;
/// How many lines with text may stand between a key word and a code that is alone on its line.
const LINES_BETWEEN_MAX: usize = 3;
/// Least score of a code.
const SCORE_MIN: i32 = 30;

/// A code and how sure it is (see [`SCORE_MIN`]).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) code: String,
    pub(super) score: i32,
}

/// A line with its key words.
struct Context {
    /// The line in the plain form of [`shape::plain`].
    chars: Vec<char>,
    /// Ends and beginnings of key words, in characters.
    keys: Vec<Key>,
    /// It speaks of an order, an offer or the like.
    other: bool,
    blank: bool,
}

#[derive(Clone, Copy)]
struct Key {
    from: usize,
    to: usize,
    strong: bool,
}

/// The best code of a page.
pub(super) fn find(page: &Page) -> Option<Found> {
    let lines: Vec<Context> = page.lines.iter().map(|line| context(line)).collect();
    let mut best: Option<Found> = None;
    for at in 0..lines.len() {
        for candidate in shape::candidates(&lines[at].chars) {
            let score = score(page, &lines, at, &candidate);
            if score >= SCORE_MIN && best.as_ref().is_none_or(|best| score > best.score) {
                best = Some(Found { code: candidate.code, score });
            }
        }
    }
    best
}

fn context(line: &str) -> Context {
    let chars = shape::plain(line);
    // Lower-casing one character at a time keeps positions equal.
    let lower: String = chars.iter().map(|c| lower(*c)).collect();
    let other = words::any(&lower, |family| family.other);
    let mut keys = Vec::new();
    for family in FAMILIES {
        for (table, strong) in [(family.strong, true), (family.weak, false)] {
            for word in table {
                collect(&lower, word, strong, &mut keys);
            }
        }
    }
    Context { blank: chars.iter().all(|c| c.is_whitespace()), chars, keys, other }
}

/// Adds every place of `word` to `keys`.
fn collect(lower: &str, word: &str, strong: bool, keys: &mut Vec<Key>) {
    /// Most places of one word in a line that count.
    const PLACES_MAX: usize = 8;
    let mut from = 0;
    for _ in 0..PLACES_MAX {
        let Some((start, end)) = words::find(lower, word, from) else { return };
        let before = lower[..start].chars().count();
        // "encode", "codebase", "unicode" speak of no code.
        let inside = !strong && word == "code" && is_inside_word(lower, start, end);
        if !inside {
            keys.push(Key { from: before, to: before + word.chars().count(), strong });
        }
        from = end;
    }
}

fn is_inside_word(lower: &str, start: usize, end: usize) -> bool {
    let goes_on = lower[end..].chars().next().is_some_and(|c| c.is_ascii_alphabetic() && c != 's');
    ["en", "de", "uni", "bar", "post", "gr", "vs"].iter().any(|before| lower[..start].ends_with(before)) || goes_on
}

/// One character in lower case, when that is one character.
fn lower(c: char) -> char {
    let mut all = c.to_lowercase();
    match (all.next(), all.next()) {
        (Some(one), None) => one,
        _ if c == 'İ' => 'i',
        _ => c,
    }
}

/// How well a candidate fits its surroundings.
fn score(page: &Page, lines: &[Context], at: usize, candidate: &Candidate) -> i32 {
    let line = &lines[at];
    if is_counted(&line.chars, candidate) {
        return 0;
    }
    let near = if candidate.alone { alone_score(lines, at).max(inline_score(lines, at, candidate)) } else { inline_score(lines, at, candidate) };
    if near == 0 {
        return 0;
    }
    let strong = near % 2 == 1;
    if !strong && (page.is_trade || !page.is_account && candidate.kind != Kind::Digits) {
        return 0;
    }
    near + kind_score(candidate, strong, direct(&line.chars, candidate.from)) + if at == 0 && page.has_subject { 2 } else { 0 }
}

/// What speaks for a kind; letters alone need the surest places.
fn kind_score(candidate: &Candidate, strong: bool, direct: bool) -> i32 {
    let length = candidate.code.chars().filter(|c| *c != '-').count();
    match candidate.kind {
        Kind::Digits if length == 6 => 10,
        Kind::Digits if length <= 8 => 6,
        Kind::Digits => 0,
        Kind::Year if direct && strong || candidate.alone => 0,
        Kind::Year => -60,
        Kind::Mixed => 4,
        Kind::Groups => 5,
        Kind::Capitals if candidate.alone || direct && strong => -2,
        Kind::Letters if candidate.alone && strong && length >= 6 => -14,
        Kind::Capitals | Kind::Letters => -60,
    }
}

/// Score of a code alone on its line, by the key words in the lines around; odd when the key word is strong.
fn alone_score(lines: &[Context], at: usize) -> i32 {
    let mut best = 0;
    let above = lines[..at].iter().rev().filter(|line| !line.blank).take(LINES_BETWEEN_MAX + 1);
    for (between, line) in above.enumerate() {
        best = best.max(line_score(line, 50 - 6 * i32::try_from(between).unwrap_or(0)));
    }
    let below = lines[at + 1..].iter().filter(|line| !line.blank).take(2);
    for (between, line) in below.enumerate() {
        best = best.max(line_score(line, 34 - 6 * i32::try_from(between).unwrap_or(0)));
    }
    best
}

/// The base, made odd by a strong key word, even by a weak one; 0 without any that counts.
fn line_score(line: &Context, base: i32) -> i32 {
    if line.keys.iter().any(|key| key.strong) {
        return base / 2 * 2 + 9;
    }
    if line.keys.is_empty() || line.other { 0 } else { base / 2 * 2 }
}

/// Score of a code within a line, by the nearest key word; odd when it is strong.
fn inline_score(lines: &[Context], at: usize, candidate: &Candidate) -> i32 {
    let line = &lines[at];
    let mut best = 0;
    for key in &line.keys {
        best = best.max(key_score(line, key, candidate));
    }
    // The line above when the text is wrapped.
    if let Some(above) = at.checked_sub(1).map(|above| &lines[above]).filter(|above| !above.blank && at > 1) {
        let tail: i32 = above.keys.iter().filter(|key| key.strong || !above.other).map(|key| {
            let distance = above.chars.len() - key.to + candidate.from;
            if distance <= BEFORE_CHARS_MAX { base(40, distance, key.strong) } else { 0 }
        }).max().unwrap_or(0);
        best = best.max(if direct(&line.chars, candidate.from) || candidate.from < 20 { tail } else { 0 });
    }
    best
}

fn key_score(line: &Context, key: &Key, candidate: &Candidate) -> i32 {
    if !key.strong && line.other {
        return 0;
    }
    if key.to <= candidate.from {
        let gap: String = line.chars[key.to..candidate.from].iter().collect();
        let distance = candidate.from - key.to;
        if distance > BEFORE_CHARS_MAX || words::any(&gap.to_lowercase(), |family| family.other) {
            return 0;
        }
        let sentence_end = gap.contains(". ") || gap.contains('。');
        let score = base(46, distance, key.strong);
        return if sentence_end && distance > 3 { (score - 14).max(0) } else { score + if direct(&line.chars, candidate.from) { 12 } else { 0 } };
    }
    if candidate.to <= key.from {
        let gap = &line.chars[candidate.to..key.from];
        let ended = gap.windows(2).any(|pair| matches!(pair, ['.' | '!' | '?', ' '])) || gap.contains(&'。');
        let distance = gap.len();
        return if distance > AFTER_CHARS_MAX || ended { 0 } else { base(40, distance, key.strong) };
    }
    0
}

/// `from` less the distance, odd for a strong key word.
fn base(from: i32, distance: usize, strong: bool) -> i32 {
    let score = from - i32::try_from(distance / 3).unwrap_or(i32::MAX / 2);
    (score.max(2) / 2 * 2) + if strong { 9 } else { 0 }
}

/// True when the candidate follows a colon, "is" or their like.
fn direct(line: &[char], from: usize) -> bool {
    const LINKS: [&str; 34] = [
        " is", " are", " est", " ist", " es", " è", " é", " são", " lautet", " er", " är", " on", " jest", " je", " to", " este", " είναι", " هو", " هي", " است", " הוא", "は", "为", "為", "是", "입니다", " là", " คือ", " adalah", " ialah", " है", " use", " enter", " code",
    ];
    let before: String = line[..from].iter().rev().take(24).collect::<Vec<_>>().into_iter().rev().map(|c| lower(*c)).collect();
    let before = before.trim_end_matches([' ', '"', '\'', '“', '„', '«', '*', '[', '(', '「', '『', '【', '`']);
    before.ends_with([':', '：', '-', '>', '→', '=', '–']) || LINKS.iter().any(|link| before.ends_with(link))
}

/// True for a number that the words right beside it explain: an order, a phone, an account; minutes, points, euros.
fn is_counted(line: &[char], candidate: &Candidate) -> bool {
    /// How far the words beside a number are read, in characters.
    const NEAR_CHARS: usize = 18;
    if candidate.kind == Kind::Letters {
        return false;
    }
    let before: String = line[candidate.from.saturating_sub(NEAR_CHARS)..candidate.from].iter().map(|c| lower(*c)).collect();
    let after: String = line[candidate.to..].iter().take(NEAR_CHARS).map(|c| lower(*c)).collect();
    // Only the last clause counts: "Order 77 shipped. Your code: 123456".
    let clause = before.rsplit(['.', ',', ';', '。', '，']).next().unwrap_or("");
    let after = after.trim_start_matches([' ', '-']);
    let names_code = FAMILIES.iter().flat_map(|family| family.weak.iter().chain(family.strong)).any(|word| words::has(clause, word));
    let counted = |text: &str, start: bool| {
        FAMILIES.iter().flat_map(|family| family.counted).any(|word| if start { starts(text, word) } else { words::has(text, word) })
    };
    !names_code && counted(clause, false) || counted(after, true) && !after.starts_with("code")
}

/// True when `text` begins with `word`, and a short Latin word is not a part of a longer one.
fn starts(text: &str, word: &str) -> bool {
    const UNITS_ONLY_CHARS_MIN: usize = 1;
    text.strip_prefix(word).is_some_and(|rest| {
        word.chars().count() > 4 || word.chars().any(shape::is_unspaced) && word.len() > UNITS_ONLY_CHARS_MIN || !rest.starts_with(char::is_alphabetic)
    })
}
