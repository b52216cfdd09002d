//! Which of the candidates in a mail is the code: by the key words around them.

use std::{cell::OnceCell, ops::Range};

use super::page::{Matter, Page};
use super::shape::{self, Candidate, Kind};
use super::words::{self, Hit, Table};

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
    /// Beginnings of words that say what a token is for, in characters.
    purposes: Vec<usize>,
    /// It speaks of an order, an offer or the like.
    other: bool,
}

#[derive(Clone, Copy)]
struct Key {
    from: usize,
    to: usize,
    rank: Rank,
}

/// How surely a key word means a code for signing in.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// A word for any code.
    Weak,
    /// A word for any code, in a sentence that says what it is for.
    Purposed,
    /// A phrase that names it.
    Strong,
}

impl Key {
    fn is_strong(&self) -> bool {
        self.rank > Rank::Weak
    }
}

/// The lines of a page; what is known of each is found out when it is first asked for.
struct Lines<'p> {
    page: &'p Page<'p>,
    contexts: Vec<OnceCell<Context>>,
}

impl Lines<'_> {
    fn at(&self, at: usize) -> &Context {
        self.contexts[at].get_or_init(|| {
            let mut context = context(&self.page.lines[at]);
            // "Use code 482913", which is for an offer unless the sentence goes on "to sign in" in the next line.
            if context.other && context.keys.iter().any(|key| key.rank == Rank::Weak) {
                self.read_wrapped(at, &mut context);
            }
            context
        })
    }

    /// Takes the purpose of a code from the lines beside, when the sentence is wrapped.
    fn read_wrapped(&self, at: usize, context: &mut Context) {
        let joins = |side: usize| side < self.contexts.len() && !self.is_blank(side);
        let first = if at > 0 && joins(at - 1) { at - 1 } else { at };
        let last = (at + 1..=at + 2).take_while(|side| joins(*side)).last().unwrap_or(at);
        let text = |lines: Range<usize>| -> String {
            lines.flat_map(|line| shape::plain(&self.page.lines[line]).into_iter().chain([' '])).map(lower).collect()
        };
        let (ahead, whole) = (text(first..at).len(), text(first..last + 1));
        let hits: Vec<Hit> = words::hits(&whole).collect();
        let purposed = words::purposed(&whole, &hits);
        let place = |byte: usize| whole[ahead..byte].chars().count();
        for hit in hits.iter().filter(|hit| hit.table == Table::Weak && hit.from >= ahead) {
            if purposed.iter().any(|sentence| sentence.contains(&hit.from)) {
                let from = place(hit.from);
                let found = context.keys.iter_mut().filter(|key| key.from == from && key.rank == Rank::Weak);
                found.for_each(|key| key.rank = Rank::Purposed);
            }
        }
    }

    fn is_blank(&self, at: usize) -> bool {
        shape::is_blank(&self.page.lines[at])
    }
}

/// The best code of a page.
pub(super) fn find(page: &Page<'_>) -> Option<Found> {
    let lines = Lines { page, contexts: page.lines.iter().map(|_| OnceCell::new()).collect() };
    let mut best: Option<Found> = None;
    let hosts = page.lines.iter().enumerate().filter(|(_, line)| shape::may_hold_code(line)).map(|(at, _)| at);
    for at in hosts.filter(|at| has_key_near(&lines, *at)) {
        for candidate in shape::candidates(&lines.at(at).chars) {
            let score = score(&lines, at, &candidate);
            if score >= SCORE_MIN && best.as_ref().is_none_or(|best| score > best.score) {
                best = Some(Found { code: candidate.code, score });
            }
        }
    }
    best
}

/// Whether any key word is near enough to a line that a candidate there could be a code at all: without one every score
/// is nothing, and most lines of most mails end here.
fn has_key_near(lines: &Lines<'_>, at: usize) -> bool {
    let wrapped = at.checked_sub(1).is_some_and(|above| !lines.at(above).keys.is_empty());
    let own = lines.at(at);
    wrapped
        || !own.keys.is_empty()
        || !own.purposes.is_empty()
        || around(lines, at).any(|(line, _)| !line.keys.is_empty())
}

fn context(line: &str) -> Context {
    /// Most key words of a line that count.
    const KEYS_MAX: usize = 64;
    let chars = shape::plain(line);
    // Lower-casing one character at a time keeps positions equal.
    let lower: String = chars.iter().map(|c| lower(*c)).collect();
    let hits: Vec<Hit> = words::hits(&lower).collect();
    let purposed = words::purposed(&lower, &hits);
    let place = |byte: usize| lower[..byte].chars().count();
    let (mut keys, mut purposes, mut other) = (Vec::new(), Vec::new(), false);
    for hit in &hits {
        let rank = match hit.table {
            Table::Strong => Rank::Strong,
            Table::Weak if purposed.iter().any(|sentence| sentence.contains(&hit.from)) => Rank::Purposed,
            Table::Weak => Rank::Weak,
            table => {
                other |= is_other(table);
                if table == Table::Purpose && purposes.len() < KEYS_MAX {
                    purposes.push(place(hit.from));
                }
                continue;
            }
        };
        if keys.len() < KEYS_MAX {
            keys.push(Key { from: place(hit.from), to: place(hit.to), rank });
        }
    }
    Context { chars, keys, purposes, other }
}

/// True for the tables of words that speak of some other code.
fn is_other(table: Table) -> bool {
    matches!(table, Table::Other | Table::Trade)
}

/// One character in lower case, when that is one character.
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

/// How well a candidate fits its surroundings.
fn score(lines: &Lines<'_>, at: usize, candidate: &Candidate) -> i32 {
    let line = lines.at(at);
    if is_counted(line, candidate) || is_beneficiary(&line.chars, candidate.from) {
        return 0;
    }
    let mut near = inline_score(lines, at, candidate);
    if candidate.alone {
        near = near.max(alone_score(lines, at));
    }
    let doubtful = |matter: Matter| matter.is_trade || !matter.is_account && candidate.kind != Kind::Digits;
    if near.score == 0 || !near.strong && doubtful(lines.page.matter()) {
        return 0;
    }
    near.score + kind_score(candidate, near.strong, direct(&line.chars, candidate.from))
}

/// What key words near a candidate are worth; the default is nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Near {
    score: i32,
    strong: bool,
}

impl Near {
    /// `score` less a third of the distance in characters, more for a strong key word.
    fn at(score: i32, distance: usize, strong: bool) -> Near {
        let distance = i32::try_from(distance / 3).unwrap_or(i32::MAX / 2);
        Near { score: (score - distance).max(1) + if strong { 9 } else { 0 }, strong }
    }
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
        Kind::Named if candidate.alone || direct => -2,
        Kind::Capitals if candidate.alone || direct && strong => -2,
        Kind::Letters if candidate.alone && strong && length >= 6 => -14,
        Kind::Named | Kind::Capitals | Kind::Letters => -60,
    }
}

/// A code alone on its line: the key words in the lines around.
fn alone_score(lines: &Lines<'_>, at: usize) -> Near {
    around(lines, at).map(|(line, place)| line_score(line, place.score, place.between)).max().unwrap_or_default()
}

/// Where a line stands to a code that is alone on its own.
#[derive(Clone, Copy)]
struct Place {
    /// Lines with text in between.
    between: usize,
    /// What a key word there is worth.
    score: i32,
}

/// The lines with text around a line that count for a code alone on it.
fn around<'l>(lines: &'l Lines<'_>, at: usize) -> impl Iterator<Item = (&'l Context, Place)> {
    let shown = |at: &usize| !lines.is_blank(*at);
    let above = (0..at).rev().filter(shown).take(LINES_BETWEEN_MAX + 1).enumerate();
    let below = (at + 1..lines.contexts.len()).filter(shown).take(2).enumerate();
    let above = above.map(|(between, at)| (at, Place { between, score: 50 }));
    let around = above.chain(below.map(|(between, at)| (at, Place { between, score: 34 })));
    around.map(|(at, place)| (lines.at(at), place))
}

/// A line's key words, `between` lines away.
fn line_score(line: &Context, score: i32, between: usize) -> Near {
    /// What a line in between costs, as a distance in characters.
    const LINE_CHARS: usize = 18;
    let strong = line.keys.iter().any(Key::is_strong);
    if line.keys.is_empty() || line.other && !strong {
        Near::default()
    } else {
        Near::at(score, between * LINE_CHARS, strong)
    }
}

/// A code within a line: the nearest key word, also at the end of the line above when the text is wrapped.
fn inline_score(lines: &Lines<'_>, at: usize, candidate: &Candidate) -> Near {
    let line = lines.at(at);
    let best = line.keys.iter().map(|key| key_score(line, key, candidate)).max().unwrap_or_default();
    let best = best.max(purpose_score(line, candidate));
    let joined = at > 1 && !lines.is_blank(at - 1) && !lines.at(at - 1).keys.is_empty();
    if !joined || candidate.from >= 20 && !direct(&line.chars, candidate.from) {
        return best;
    }
    let above = lines.at(at - 1);
    let keys = above.keys.iter().filter(|key| key.is_strong() || !above.other);
    let near = keys.map(|key| (above.chars.len() - key.to + candidate.from, key.is_strong()));
    let tail = near
        .filter(|(distance, _)| *distance <= BEFORE_CHARS_MAX)
        .map(|(distance, strong)| Near::at(40, distance, strong));
    best.max(tail.max().unwrap_or_default())
}

fn key_score(line: &Context, key: &Key, candidate: &Candidate) -> Near {
    /// What a sentence's end between key word and code costs, and what a colon or "is" before the code gives.
    const SENTENCE: i32 = 14;
    const DIRECT: i32 = 12;
    let refused = key.rank == Rank::Weak && line.other || key.rank == Rank::Purposed && candidate.kind == Kind::Named;
    if refused {
        return Near::default();
    }
    if key.to <= candidate.from {
        let gap: String = line.chars[key.to..candidate.from].iter().map(|c| lower(*c)).collect();
        let distance = candidate.from - key.to;
        let ended = distance > 3 && (gap.contains(". ") || gap.contains('。'));
        let direct = direct(&line.chars, candidate.from);
        // "Your verification code for Flight Center is 482913" speaks of no flight.
        let outright = key.is_strong() && direct && !ended;
        let refuses = |table| table == Table::Other || table == Table::Trade && !outright;
        if distance > BEFORE_CHARS_MAX || words::hits(&gap).any(|hit| refuses(hit.table)) {
            return Near::default();
        }
        let mut near = Near::at(46, distance, key.is_strong());
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
        return Near::default();
    }
    Near::at(40, gap.len(), key.is_strong())
}

/// "Use 482913 to sign in": an order to use the token, and right behind it what for.
fn purpose_score(line: &Context, candidate: &Candidate) -> Near {
    /// Words that tell a reader to give a token somewhere, at the end of what stands before it.
    const ORDERS: [&str; 20] = [
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
    /// Farthest purpose behind the token, in characters: "ein, " and the like may stand between.
    const GAP_CHARS_MAX: usize = 12;
    let fits = matches!(candidate.kind, Kind::Digits | Kind::Mixed | Kind::Groups) && !line.other;
    let near = |at: &&usize| **at >= candidate.to && **at - candidate.to <= GAP_CHARS_MAX;
    let Some(at) = line.purposes.iter().find(near).filter(|_| fits) else { return Near::default() };
    let before = before(&line.chars, candidate.from, 24);
    let before = before.trim_end_matches([' ', '"', '\'', '“', '„', '«', '*', '[', '(', '`']);
    let ordered = ORDERS
        .iter()
        .any(|order| before.strip_suffix(order).is_some_and(|rest| !rest.ends_with(char::is_alphanumeric)));
    if ordered { Near::at(46, at - candidate.to, true) } else { Near::default() }
}

/// True when the candidate follows a colon, "is" or their like.
fn direct(line: &[char], from: usize) -> bool {
    const LINKS: [&str; 34] = [
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
    let before = before(line, from, 24);
    let before = before.trim_end_matches([' ', '"', '\'', '“', '„', '«', '*', '[', '(', '「', '『', '【', '`']);
    before.ends_with([':', '：', '-', '>', '→', '=', '–']) || LINKS.iter().any(|link| before.ends_with(link))
}

/// True behind "for": what a code is for is not the code ("your code for Rechnung24").
fn is_beneficiary(line: &[char], from: usize) -> bool {
    let before = before(line, from, NAMING_CHARS_MAX);
    NAMING.iter().any(|word| before.strip_suffix(' ').is_some_and(|before| before.ends_with(word)))
}

/// Words before what something is for, as for the service that a code opens, each with the space before it.
const NAMING: [&str; 17] = [
    " for", " für", " pour", " para", " per", " pentru", " voor", " för", " vir", " dla", " pro", " для", " за", " za",
    " για", " untuk", " cho",
];
/// Longest of [`NAMING`] with the space behind it, in characters.
const NAMING_CHARS_MAX: usize = 8;

/// At most `count` characters before a place of a line, in lower case.
fn before(line: &[char], at: usize, count: usize) -> String {
    line[at.saturating_sub(count)..at].iter().map(|c| lower(*c)).collect()
}

/// True for "verification code for Flight Center is 482913": the words before the number name a service.
fn names_service(line: &Context, candidate: &Candidate) -> bool {
    direct(&line.chars, candidate.from)
        && line.keys.iter().filter(|key| key.rank == Rank::Strong && key.to <= candidate.from).any(|key| {
            let gap = before(&line.chars, candidate.from, (candidate.from - key.to + 1).min(BEFORE_CHARS_MAX));
            !gap.contains(". ") && NAMING.iter().any(|word| gap.contains(word))
        })
}

/// True for a number that the words right beside it explain: an order, a phone, an account; minutes, points, euros.
fn is_counted(line: &Context, candidate: &Candidate) -> bool {
    /// How far the words beside a number are read, in characters.
    const NEAR_CHARS: usize = 18;
    if candidate.kind == Kind::Letters {
        return false;
    }
    let before = before(&line.chars, candidate.from, NEAR_CHARS);
    let after: String = line.chars[candidate.to..].iter().take(NEAR_CHARS).map(|c| lower(*c)).collect();
    // Only the last clause counts: "Order 77 shipped. Your code: 123456".
    let clause = before.rsplit(['.', ',', ';', '。', '，']).next().unwrap_or("");
    let after = after.trim_start_matches([' ', '-']);
    let named: Vec<Table> = words::hits(clause).map(|hit| hit.table).collect();
    let names_code = named.iter().any(|table| matches!(table, Table::Weak | Table::Strong));
    let counts_after = words::hits(after).any(|hit| hit.table == Table::Counted && hit.from == 0);
    !names_code && named.contains(&Table::Counted) && !names_service(line, candidate) || counts_after
}
