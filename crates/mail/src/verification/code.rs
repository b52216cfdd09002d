//! Selects the verification code among the candidates of a message by the keywords around them.

use std::{cell::OnceCell, ops::Range};

use super::page::{PageTopic, VerificationPage};
use super::shape::{self, CodeCandidate, CodeForm};
use super::words::{self, KeywordHit, KeywordTable};

/// Maximum distance between a code and a keyword before it, on the same line or the line above, in characters.
const BEFORE_CHARS_MAX: usize = 70;
/// Maximum distance between a code and a keyword after it, in characters.
const AFTER_CHARS_MAX: usize = 60;
/// Maximum number of non-blank lines between a keyword and a code that is alone on its line.
const LINES_BETWEEN_MAX: usize = 3;
/// Minimum score of a code.
const SCORE_MIN: i32 = 30;

/// A detected code and its score, which is at least [`SCORE_MIN`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DetectedCode {
    pub(super) code: String,
    pub(super) score: i32,
}

/// A line and its keywords.
struct LineContext {
    /// The line as normalized by [`shape::plain`].
    chars: Vec<char>,
    /// The keywords with their ranges, in characters.
    keys: Vec<RankedKeyword>,
    /// Starts of phrases that state the purpose of a token, in characters.
    purposes: Vec<usize>,
    /// Whether the line contains words of orders, offers and other codes.
    other: bool,
}

#[derive(Clone, Copy)]
struct RankedKeyword {
    from: usize,
    to: usize,
    rank: KeywordRank,
}

/// The certainty that a keyword refers to a sign-in code.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum KeywordRank {
    /// A word for any kind of code.
    Weak,
    /// A word for any kind of code, in a sentence that states a sign-in purpose.
    Purposed,
    /// A phrase that names a sign-in code.
    Strong,
}

impl RankedKeyword {
    fn is_strong(&self) -> bool {
        self.rank > KeywordRank::Weak
    }
}

/// The lines of a page. The context of each line is computed on first use.
struct PageLines<'p> {
    page: &'p VerificationPage<'p>,
    contexts: Vec<OnceCell<LineContext>>,
}

impl PageLines<'_> {
    fn at(&self, at: usize) -> &LineContext {
        self.contexts[at].get_or_init(|| {
            let mut context = line_context(&self.page.lines[at]);
            // "Use code 482913" refers to an offer unless a wrapped sentence continues with a purpose such as "to sign
            // in".
            if context.other && context.keys.iter().any(|key| key.rank == KeywordRank::Weak) {
                self.apply_wrapped_purpose(at, &mut context);
            }
            context
        })
    }

    /// Upgrades the keywords of a line if the wrapped sentence around it states a purpose.
    fn apply_wrapped_purpose(&self, at: usize, context: &mut LineContext) {
        let joins = |side: usize| side < self.contexts.len() && !self.is_blank(side);
        let first = if at > 0 && joins(at - 1) { at - 1 } else { at };
        let last = (at + 1..=at + 2).take_while(|side| joins(*side)).last().unwrap_or(at);
        let text = |lines: Range<usize>| -> String {
            lines.flat_map(|line| shape::plain(&self.page.lines[line]).into_iter().chain([' '])).map(lower).collect()
        };
        let (ahead, whole) = (text(first..at).len(), text(first..last + 1));
        let hits: Vec<KeywordHit> = words::hits(&whole).collect();
        let purposed = words::purpose_sentences(&whole, &hits);
        let char_index = |byte: usize| whole[ahead..byte].chars().count();
        for hit in hits.iter().filter(|hit| hit.table == KeywordTable::Weak && hit.from >= ahead) {
            if purposed.iter().any(|sentence| sentence.contains(&hit.from)) {
                let from = char_index(hit.from);
                let weak_keys = context.keys.iter_mut().filter(|key| key.from == from && key.rank == KeywordRank::Weak);
                weak_keys.for_each(|key| key.rank = KeywordRank::Purposed);
            }
        }
    }

    fn is_blank(&self, at: usize) -> bool {
        shape::is_blank(&self.page.lines[at])
    }
}

/// Returns the code with the highest score on a page.
pub(super) fn find(page: &VerificationPage<'_>) -> Option<DetectedCode> {
    let lines = PageLines { page, contexts: page.lines.iter().map(|_| OnceCell::new()).collect() };
    let mut best: Option<DetectedCode> = None;
    let line_numbers = page.lines.iter().enumerate().filter(|(_, line)| shape::may_hold_code(line)).map(|(at, _)| at);
    for at in line_numbers.filter(|at| has_key_near(&lines, *at)) {
        for candidate in shape::candidates(&lines.at(at).chars) {
            let score = score(&lines, at, &candidate);
            if score >= SCORE_MIN && best.as_ref().is_none_or(|best| score > best.score) {
                best = Some(DetectedCode { code: candidate.code, score });
            }
        }
    }
    best
}

/// Returns whether a keyword is near enough to the line for a candidate on it to score. Most lines of most messages are
/// skipped here.
fn has_key_near(lines: &PageLines<'_>, at: usize) -> bool {
    let wrapped = at.checked_sub(1).is_some_and(|above| !lines.at(above).keys.is_empty());
    let own = lines.at(at);
    wrapped
        || !own.keys.is_empty()
        || !own.purposes.is_empty()
        || lines_around(lines, at).any(|(line, _)| !line.keys.is_empty())
}

fn line_context(line: &str) -> LineContext {
    /// Maximum number of keywords of a line that count.
    const KEYS_MAX: usize = 64;
    let chars = shape::plain(line);
    // Lower-casing character by character keeps the positions.
    let lower: String = chars.iter().map(|c| lower(*c)).collect();
    let hits: Vec<KeywordHit> = words::hits(&lower).collect();
    let purposed = words::purpose_sentences(&lower, &hits);
    let char_index = |byte: usize| lower[..byte].chars().count();
    let (mut keys, mut purposes, mut other) = (Vec::new(), Vec::new(), false);
    for hit in &hits {
        let rank = match hit.table {
            KeywordTable::Strong => KeywordRank::Strong,
            KeywordTable::Weak if purposed.iter().any(|sentence| sentence.contains(&hit.from)) => KeywordRank::Purposed,
            KeywordTable::Weak => KeywordRank::Weak,
            table => {
                other |= is_other_code_table(table);
                if table == KeywordTable::Purpose && purposes.len() < KEYS_MAX {
                    purposes.push(char_index(hit.from));
                }
                continue;
            }
        };
        if keys.len() < KEYS_MAX {
            keys.push(RankedKeyword { from: char_index(hit.from), to: char_index(hit.to), rank });
        }
    }
    LineContext { chars, keys, purposes, other }
}

/// Returns whether the words of the table refer to other kinds of codes.
fn is_other_code_table(table: KeywordTable) -> bool {
    matches!(table, KeywordTable::Other | KeywordTable::Trade)
}

/// Returns the lower-case form of a character if it is a single character.
fn lower(c: char) -> char {
    if c.is_ascii() {
        return c.to_ascii_lowercase();
    }
    let mut all = c.to_lowercase();
    match (all.next(), all.next()) {
        (Some(one), None) => one,
        _ if c == 'İ' => 'i',
        _ => c,
    }
}

/// Returns the score of a candidate by its form and its context.
fn score(lines: &PageLines<'_>, at: usize, candidate: &CodeCandidate) -> i32 {
    let line = lines.at(at);
    if is_other_number(line, candidate) || is_service_name(&line.chars, candidate.from) {
        return 0;
    }
    let mut near = inline_score(lines, at, candidate);
    if candidate.alone {
        near = near.max(alone_score(lines, at));
    }
    let doubtful = |topic: PageTopic| topic.is_trade || !topic.is_account && candidate.kind != CodeForm::Digits;
    if near.score == 0 || !near.strong && doubtful(lines.page.topic()) {
        return 0;
    }
    near.score + kind_score(candidate, near.strong, follows_connector(&line.chars, candidate.from))
}

/// The score that a keyword gives a nearby candidate. The default is zero.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct KeywordScore {
    score: i32,
    strong: bool,
}

impl KeywordScore {
    /// Reduces `score` by a third of the distance in characters, and increases it for a strong keyword.
    fn at(score: i32, distance: usize, strong: bool) -> KeywordScore {
        let distance = i32::try_from(distance / 3).unwrap_or(i32::MAX / 2);
        KeywordScore { score: (score - distance).max(1) + if strong { 9 } else { 0 }, strong }
    }
}

/// Returns the score of the form of a candidate. Forms that look like words need the strongest context.
fn kind_score(candidate: &CodeCandidate, strong: bool, direct: bool) -> i32 {
    let length = candidate.code.chars().filter(|c| *c != '-').count();
    match candidate.kind {
        CodeForm::Digits if length == 6 => 10,
        CodeForm::Digits if length <= 8 => 6,
        CodeForm::Digits => 0,
        CodeForm::Year if direct && strong || candidate.alone => 0,
        CodeForm::Year => -60,
        CodeForm::Mixed => 4,
        CodeForm::Groups => 5,
        CodeForm::Named if candidate.alone || direct => -2,
        CodeForm::Capitals if candidate.alone || direct && strong => -2,
        CodeForm::Letters if candidate.alone && strong && length >= 6 => -14,
        CodeForm::Named | CodeForm::Capitals | CodeForm::Letters => -60,
    }
}

/// Scores a code alone on its line by the keywords of the surrounding lines.
fn alone_score(lines: &PageLines<'_>, at: usize) -> KeywordScore {
    lines_around(lines, at)
        .map(|(line, nearby)| line_score(line, nearby.score, nearby.between))
        .max()
        .unwrap_or_default()
}

/// The relation of a line to a code that is alone on another line.
#[derive(Clone, Copy)]
struct NearbyLine {
    /// Number of non-blank lines in between.
    between: usize,
    /// Base score of a keyword on the line.
    score: i32,
}

/// Returns the non-blank lines around line `at` that count for a code alone on it.
fn lines_around<'l>(lines: &'l PageLines<'_>, at: usize) -> impl Iterator<Item = (&'l LineContext, NearbyLine)> {
    let shown = |at: &usize| !lines.is_blank(*at);
    let above = (0..at).rev().filter(shown).take(LINES_BETWEEN_MAX + 1).enumerate();
    let below = (at + 1..lines.contexts.len()).filter(shown).take(2).enumerate();
    let above = above.map(|(between, at)| (at, NearbyLine { between, score: 50 }));
    let nearby = above.chain(below.map(|(between, at)| (at, NearbyLine { between, score: 34 })));
    nearby.map(|(at, nearby)| (lines.at(at), nearby))
}

/// Scores the keywords of a line that is `between` lines away.
fn line_score(line: &LineContext, score: i32, between: usize) -> KeywordScore {
    /// Distance in characters that a line in between counts as.
    const LINE_CHARS: usize = 18;
    let strong = line.keys.iter().any(RankedKeyword::is_strong);
    if line.keys.is_empty() || line.other && !strong {
        KeywordScore::default()
    } else {
        KeywordScore::at(score, between * LINE_CHARS, strong)
    }
}

/// Scores a code within a line by the nearest keyword, including keywords on the line above if the text is wrapped.
fn inline_score(lines: &PageLines<'_>, at: usize, candidate: &CodeCandidate) -> KeywordScore {
    let line = lines.at(at);
    let best = line.keys.iter().map(|key| key_score(line, key, candidate)).max().unwrap_or_default();
    let best = best.max(purpose_score(line, candidate));
    let joined = at > 1 && !lines.is_blank(at - 1) && !lines.at(at - 1).keys.is_empty();
    if !joined || candidate.from >= 20 && !follows_connector(&line.chars, candidate.from) {
        return best;
    }
    let above = lines.at(at - 1);
    let keys = above.keys.iter().filter(|key| key.is_strong() || !above.other);
    let near = keys.map(|key| (above.chars.len() - key.to + candidate.from, key.is_strong()));
    let tail = near
        .filter(|(distance, _)| *distance <= BEFORE_CHARS_MAX)
        .map(|(distance, strong)| KeywordScore::at(40, distance, strong));
    best.max(tail.max().unwrap_or_default())
}

fn key_score(line: &LineContext, key: &RankedKeyword, candidate: &CodeCandidate) -> KeywordScore {
    /// Penalty for the end of a sentence between keyword and code, and bonus for a colon or "is" before the code.
    const SENTENCE: i32 = 14;
    const DIRECT: i32 = 12;
    let refused = key.rank == KeywordRank::Weak && line.other
        || key.rank == KeywordRank::Purposed && candidate.kind == CodeForm::Named;
    if refused {
        return KeywordScore::default();
    }
    if key.to <= candidate.from {
        let gap: String = line.chars[key.to..candidate.from].iter().map(|c| lower(*c)).collect();
        let distance = candidate.from - key.to;
        let ended = distance > 3 && (gap.contains(". ") || gap.contains('。'));
        let direct = follows_connector(&line.chars, candidate.from);
        // "Your verification code for Flight Center is 482913" doesn't refer to a flight.
        let outright = key.is_strong() && direct && !ended;
        let refuses = |table| table == KeywordTable::Other || table == KeywordTable::Trade && !outright;
        if distance > BEFORE_CHARS_MAX || words::hits(&gap).any(|hit| refuses(hit.table)) {
            return KeywordScore::default();
        }
        let mut near = KeywordScore::at(46, distance, key.is_strong());
        near.score += if ended {
            -SENTENCE
        } else if direct {
            DIRECT
        } else {
            0
        };
        return near;
    }
    let gap = line.chars.get(candidate.to..key.from).unwrap_or_default();
    let ended = gap.windows(2).any(|pair| matches!(pair, ['.' | '!' | '?', ' '])) || gap.contains(&'。');
    if candidate.to > key.from || gap.len() > AFTER_CHARS_MAX || ended {
        return KeywordScore::default();
    }
    KeywordScore::at(40, gap.len(), key.is_strong())
}

/// Scores instructions such as "Use 482913 to sign in": a verb of use before the token and its purpose right after it.
fn purpose_score(line: &LineContext, candidate: &CodeCandidate) -> KeywordScore {
    /// Verbs at the end of the text before the token that ask the reader to use it.
    const IMPERATIVES: [&str; 20] = [
        "use",
        "enter",
        "type",
        "type in",
        "input",
        "utilisez",
        "utilise",
        "saisissez",
        "gib",
        "geben sie",
        "verwende",
        "verwenden sie",
        "nutze",
        "usa",
        "use o",
        "ingresa",
        "introduce",
        "inserisci",
        "gebruik",
        "ange",
    ];
    /// Maximum distance of the purpose after the token, in characters. Short words such as "ein, " may be in between.
    const GAP_CHARS_MAX: usize = 12;
    let fits = matches!(candidate.kind, CodeForm::Digits | CodeForm::Mixed | CodeForm::Groups) && !line.other;
    let near = |at: &&usize| **at >= candidate.to && **at - candidate.to <= GAP_CHARS_MAX;
    let Some(at) = line.purposes.iter().find(near).filter(|_| fits) else { return KeywordScore::default() };
    let before = text_before(&line.chars, candidate.from, 24);
    let before = before.trim_end_matches([' ', '"', '\'', '“', '„', '«', '*', '[', '(', '`']);
    let is_instruction = IMPERATIVES
        .iter()
        .any(|imperative| before.strip_suffix(imperative).is_some_and(|rest| !rest.ends_with(char::is_alphanumeric)));
    if is_instruction { KeywordScore::at(46, at - candidate.to, true) } else { KeywordScore::default() }
}

/// Returns whether the text before the candidate ends with a colon, "is" or similar.
fn follows_connector(line: &[char], from: usize) -> bool {
    const CONNECTORS: [&str; 34] = [
        " is",
        " are",
        " est",
        " ist",
        " es",
        " è",
        " é",
        " são",
        " lautet",
        " er",
        " är",
        " on",
        " jest",
        " je",
        " to",
        " este",
        " είναι",
        " هو",
        " هي",
        " است",
        " הוא",
        "は",
        "为",
        "為",
        "是",
        "입니다",
        " là",
        " คือ",
        " adalah",
        " ialah",
        " है",
        " use",
        " enter",
        " code",
    ];
    let before = text_before(line, from, 24);
    let before = before.trim_end_matches([' ', '"', '\'', '“', '„', '«', '*', '[', '(', '「', '『', '【', '`']);
    before.ends_with([':', '：', '-', '>', '→', '=', '–'])
        || CONNECTORS.iter().any(|connector| before.ends_with(connector))
}

/// Returns whether the candidate follows "for" or similar, so that it names the service of the code: "your code for
/// Rechnung24".
fn is_service_name(line: &[char], from: usize) -> bool {
    let before = text_before(line, from, NAMING_CHARS_MAX);
    NAMING.iter().any(|word| before.strip_suffix(' ').is_some_and(|before| before.ends_with(word)))
}

/// Prepositions before the service or purpose of a code, each with the space before it.
const NAMING: [&str; 17] = [
    " for", " für", " pour", " para", " per", " pentru", " voor", " för", " vir", " dla", " pro", " для", " за", " za",
    " για", " untuk", " cho",
];
/// Length of the longest entry of [`NAMING`] with the space after it, in characters.
const NAMING_CHARS_MAX: usize = 8;

/// Returns at most `count` characters before offset `at` in lower case.
fn text_before(line: &[char], at: usize, count: usize) -> String {
    line[at.saturating_sub(count)..at].iter().map(|c| lower(*c)).collect()
}

/// Returns whether the words before the number name a service: "verification code for Flight Center is 482913".
fn names_service(line: &LineContext, candidate: &CodeCandidate) -> bool {
    follows_connector(&line.chars, candidate.from)
        && line.keys.iter().filter(|key| key.rank == KeywordRank::Strong && key.to <= candidate.from).any(|key| {
            let gap = text_before(&line.chars, candidate.from, (candidate.from - key.to + 1).min(BEFORE_CHARS_MAX));
            !gap.contains(". ") && NAMING.iter().any(|word| gap.contains(word))
        })
}

/// Returns whether adjacent words show that a number isn't a code: an order, a phone number, an account, minutes,
/// points, euros.
fn is_other_number(line: &LineContext, candidate: &CodeCandidate) -> bool {
    /// Number of characters before and after the number that are checked.
    const NEAR_CHARS: usize = 18;
    if candidate.kind == CodeForm::Letters {
        return false;
    }
    let before = text_before(&line.chars, candidate.from, NEAR_CHARS);
    let after: String = line.chars[candidate.to..].iter().take(NEAR_CHARS).map(|c| lower(*c)).collect();
    // Only the last clause counts: "Order 77 shipped. Your code: 123456".
    let clause = before.rsplit(['.', ',', ';', '。', '，']).next().unwrap_or("");
    let after = after.trim_start_matches([' ', '-']);
    let named: Vec<KeywordTable> = words::hits(clause).map(|hit| hit.table).collect();
    let names_code = named.iter().any(|table| matches!(table, KeywordTable::Weak | KeywordTable::Strong));
    let counts_after = words::hits(after).any(|hit| hit.table == KeywordTable::Counted && hit.from == 0);
    !names_code && named.contains(&KeywordTable::Counted) && !names_service(line, candidate) || counts_after
}
