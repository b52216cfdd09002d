//! Key words of account mails, one file per family of languages. Everything is lower-case and matched as a part of the
//! text, so that compounds and endings match too.

use std::{ops::Range, sync::LazyLock};

use aho_corasick::{AhoCorasick, AhoCorasickKind};

mod asian;
mod eastern;
mod germanic;
mod purposes;
mod romance;
mod slavic;

/// The key words of a family of languages.
#[derive(Debug)]
pub(super) struct Family {
    /// Phrases that name a code for signing in, whatever else the mail speaks of.
    pub(super) strong: &'static [&'static str],
    /// Words for "code", which also name other codes.
    pub(super) weak: &'static [&'static str],
    /// Words of accounts: sign in, password, verify, address.
    pub(super) account: &'static [&'static str],
    /// What a link of verification does: verify, confirm, activate, reset, accept, sign in.
    pub(super) action: &'static [&'static str],
    /// Sentences of mails that only tell what happened.
    pub(super) notice: &'static [&'static str],
    /// Words of offers, of post and of other codes: a code near them is another code, whatever else the sentence says.
    pub(super) other: &'static [&'static str],
    /// Words of orders, bills, bookings, tickets and shipments: a code near them is another code, unless the sentence
    /// says outright what it is for; they also stand in names of services.
    pub(super) trade: &'static [&'static str],
    /// Words before a number that make it something else (order, account, phone, card), and units after it.
    pub(super) counted: &'static [&'static str],
}

/// All families.
const FAMILIES: [&Family; 5] = [&germanic::WORDS, &romance::WORDS, &slavic::WORDS, &eastern::WORDS, &asian::WORDS];

/// Short words that live on in compounds and endings ("Anmeldecode", "kodunuz").
const STEMS: [&str; 6] = ["code", "kode", "kood", "kod", "kód", "kôd"];

/// Which table of a [`Family`] a word is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Table {
    /// See [`Family::strong`].
    Strong,
    /// See [`Family::weak`].
    Weak,
    /// See [`Family::account`].
    Account,
    /// See [`Family::action`].
    Action,
    /// See [`Family::notice`].
    Notice,
    /// See [`Family::other`].
    Other,
    /// See [`Family::trade`].
    Trade,
    /// See [`Family::counted`].
    Counted,
    /// See [`purposes`].
    Purpose,
}

/// A key word in a text, by bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Hit {
    /// Where it begins.
    pub(super) from: usize,
    /// Where it ends.
    pub(super) to: usize,
    /// Its table.
    pub(super) table: Table,
}

/// All words in one automaton, so that the cost of a text does not grow with the tables.
struct Automaton {
    words: AhoCorasick,
    /// What is known of each pattern.
    known: Vec<Known>,
}

/// A word of the tables, with what its hits are judged by.
struct Known {
    table: Table,
    word: &'static str,
    /// See [`STEMS`].
    is_stem: bool,
    /// So short that it also stands inside of other words.
    is_short: bool,
}

impl Known {
    fn new(table: Table, word: &'static str) -> Known {
        let is_short = word.chars().count() <= 4 && !word.chars().any(super::shape::is_unspaced);
        Known { table, word, is_stem: STEMS.contains(&word), is_short }
    }
}

static AUTOMATON: LazyLock<Automaton> = LazyLock::new(|| {
    let mut known = Vec::new();
    for family in FAMILIES {
        for (table, words) in [
            (Table::Strong, family.strong),
            (Table::Weak, family.weak),
            (Table::Account, family.account),
            (Table::Action, family.action),
            (Table::Notice, family.notice),
            (Table::Other, family.other),
            (Table::Trade, family.trade),
            (Table::Counted, family.counted),
        ] {
            known.extend(words.iter().map(|word| Known::new(table, word)));
        }
    }
    known.extend(purposes::PURPOSES.iter().map(|word| Known::new(Table::Purpose, word)));
    // Few lines of few mails get here; a table of all transitions would take 16 MB for it.
    let words = AhoCorasick::builder()
        .kind(Some(AhoCorasickKind::ContiguousNFA))
        .build(known.iter().map(|known| known.word))
        .expect("a few thousand short words fit an automaton");
    Automaton { words, known }
});

/// The key words in `text` (lower-case), in order of their ends.
pub(super) fn hits(text: &str) -> impl Iterator<Item = Hit> {
    AUTOMATON.words.find_overlapping_iter(text).filter_map(move |found| {
        let known = &AUTOMATON.known[found.pattern().as_usize()];
        let hit = Hit { from: found.start(), to: found.end(), table: known.table };
        stands(text, hit, known).then_some(hit)
    })
}

/// True when `text` (lower-case) has a word of the table.
pub(super) fn any(text: &str, table: Table) -> bool {
    hits(text).any(|hit| hit.table == table)
}

/// The sentences of `text`, by bytes, that say what a code is for, as "Use code 482913 to sign in" does, and nothing of
/// an offer. A word for "code" in them is as sure as a phrase that names a code for signing in.
pub(super) fn purposed(text: &str, hits: &[Hit]) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for purpose in hits.iter().filter(|hit| hit.table == Table::Purpose) {
        if found.last().is_none_or(|last| last.end <= purpose.from) {
            found.push(sentence(text, purpose));
        }
    }
    let offers = |range: &Range<usize>| hits.iter().any(|hit| hit.table == Table::Other && range.contains(&hit.from));
    found.retain(|range| !offers(range));
    found
}

/// The sentence around a word.
fn sentence(text: &str, word: &Hit) -> Range<usize> {
    const ENDS: [&str; 7] = [". ", "! ", "? ", "。", "！", "？", "।"];
    let from = ENDS.iter().filter_map(|end| text[..word.from].rfind(end)).max().unwrap_or(0);
    let to = ENDS.iter().filter_map(|end| text[word.to..].find(end)).min();
    from..to.map_or(text.len(), |to| word.to + to)
}

/// False for a short word inside of a longer one: "port" in "portal", "ref" in "prefer", "code" in "decode".
fn stands(text: &str, hit: Hit, known: &Known) -> bool {
    if !known.is_stem && !known.is_short {
        return true;
    }
    let before = text[..hit.from].chars().next_back();
    let after = text[hit.to..].chars().next();
    let letter = |c: Option<char>| c.is_some_and(|c| c.is_alphabetic() && !super::shape::is_unspaced(c));
    if known.is_stem {
        let odd =
            ["en", "de", "uni", "bar", "post", "zip", "s", "vs"].iter().any(|odd| text[..hit.from].ends_with(odd));
        let longer = known.word == "code" && after.is_some_and(|c| c.is_ascii_alphabetic() && c != 's');
        let inside = odd && letter(before) || longer;
        return !inside;
    }
    !letter(before) && (!letter(after) || !known.word.is_ascii())
}
