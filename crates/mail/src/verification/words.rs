//! Keywords of account messages, one data file per language family. All keywords are in lower case and match anywhere
//! in the text, so that they also match inside compounds and before endings.

use std::{ops::Range, sync::LazyLock};

use aho_corasick::{AhoCorasick, AhoCorasickKind};

use crate::wordlist;

/// The data files of the language families. Each has all tables except [`KeywordTable::Purpose`].
const FAMILIES: [&str; 5] = [
    include_str!("words/germanic.txt"),
    include_str!("words/romance.txt"),
    include_str!("words/slavic.txt"),
    include_str!("words/eastern.txt"),
    include_str!("words/asian.txt"),
];

/// The data file of [`KeywordTable::Purpose`].
const PURPOSES: &str = include_str!("words/purposes.txt");

/// The tables of a family by their names in the data files.
const TABLES: [(&str, KeywordTable); 8] = [
    ("strong", KeywordTable::Strong),
    ("weak", KeywordTable::Weak),
    ("account", KeywordTable::Account),
    ("action", KeywordTable::Action),
    ("notice", KeywordTable::Notice),
    ("other", KeywordTable::Other),
    ("trade", KeywordTable::Trade),
    ("counted", KeywordTable::Counted),
];

/// Short words that also match inside compounds and with endings ("Anmeldecode", "kodunuz").
const STEMS: [&str; 6] = ["code", "kode", "kood", "kod", "kód", "kôd"];

/// The table of a keyword.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeywordTable {
    /// Phrases that name a sign-in code, regardless of the other content.
    Strong,
    /// Words for "code" that may also refer to other codes.
    Weak,
    /// Words about accounts: sign in, password, verify, address.
    Account,
    /// Actions of a verification link: verify, confirm, activate, reset, accept, sign in.
    Action,
    /// Phrases of messages that only report an event.
    Notice,
    /// Words of offers, postal addresses and other codes. A code near them is another kind of code in any case.
    Other,
    /// Words of orders, invoices, bookings, tickets and shipments. They also occur in names of services. A code near
    /// them is another kind of code unless the sentence states its purpose directly.
    Trade,
    /// Words before a number that make it something else (order, account, phone, card), and units after it.
    Counted,
    /// Phrases that state the purpose of a code ("to sign in"). Only whole phrases count, in all languages.
    Purpose,
}

/// An occurrence of a keyword in a text, as a byte range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct KeywordHit {
    /// Start.
    pub(super) from: usize,
    /// Exclusive end.
    pub(super) to: usize,
    /// The table of the keyword.
    pub(super) table: KeywordTable,
}

/// All keywords in one automaton, so that the search time doesn't depend on the size of the tables.
struct KeywordAutomaton {
    words: AhoCorasick,
    /// The keyword of each pattern.
    keywords: Vec<Keyword>,
}

/// A keyword and the properties that decide whether an occurrence counts.
struct Keyword {
    table: KeywordTable,
    word: &'static str,
    /// See [`STEMS`].
    is_stem: bool,
    /// Whether it is so short that it often occurs inside other words.
    is_short: bool,
}

impl Keyword {
    fn new(table: KeywordTable, word: &'static str) -> Keyword {
        let is_short = word.chars().count() <= 4 && !word.chars().any(super::shape::is_unspaced);
        Keyword { table, word, is_stem: STEMS.contains(&word), is_short }
    }
}

static AUTOMATON: LazyLock<KeywordAutomaton> = LazyLock::new(|| {
    let mut keywords = Vec::new();
    for family in FAMILIES {
        for (name, table) in TABLES {
            keywords.extend(wordlist::table(family, name).into_iter().map(|word| Keyword::new(table, word)));
        }
    }
    let purposes = wordlist::table(PURPOSES, "purposes");
    keywords.extend(purposes.into_iter().map(|word| Keyword::new(KeywordTable::Purpose, word)));
    // Few lines are searched, so a full transition table of 16 MB isn't worth it.
    let words = AhoCorasick::builder()
        .kind(Some(AhoCorasickKind::ContiguousNFA))
        .build(keywords.iter().map(|keyword| keyword.word))
        .expect("the keyword tables must fit into an automaton");
    KeywordAutomaton { words, keywords }
});

/// Returns the keywords in `text`, which must be in lower case, ordered by their ends.
pub(super) fn hits(text: &str) -> impl Iterator<Item = KeywordHit> {
    AUTOMATON.words.find_overlapping_iter(text).filter_map(move |found| {
        let keyword = &AUTOMATON.keywords[found.pattern().as_usize()];
        let hit = KeywordHit { from: found.start(), to: found.end(), table: keyword.table };
        is_separate(text, hit, keyword).then_some(hit)
    })
}

/// Returns whether `text`, which must be in lower case, contains a keyword of the table.
pub(super) fn any(text: &str, table: KeywordTable) -> bool {
    hits(text).any(|hit| hit.table == table)
}

/// Returns the byte ranges of the sentences that state the purpose of a code, as in "Use code 482913 to sign in", and
/// don't mention an offer. A word for "code" in them counts like a phrase that names a sign-in code.
pub(super) fn purpose_sentences(text: &str, hits: &[KeywordHit]) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for purpose in hits.iter().filter(|hit| hit.table == KeywordTable::Purpose) {
        if found.last().is_none_or(|last| last.end <= purpose.from) {
            found.push(sentence(text, purpose));
        }
    }
    let offers =
        |range: &Range<usize>| hits.iter().any(|hit| hit.table == KeywordTable::Other && range.contains(&hit.from));
    found.retain(|range| !offers(range));
    found
}

/// Returns the sentence around a word.
fn sentence(text: &str, word: &KeywordHit) -> Range<usize> {
    const ENDS: [&str; 7] = [". ", "! ", "? ", "。", "！", "？", "।"];
    let from = ENDS.iter().filter_map(|end| text[..word.from].rfind(end)).max().unwrap_or(0);
    let to = ENDS.iter().filter_map(|end| text[word.to..].find(end)).min();
    from..to.map_or(text.len(), |to| word.to + to)
}

/// Returns false for a short word inside a longer one: "port" in "portal", "ref" in "prefer", "code" in "decode".
fn is_separate(text: &str, hit: KeywordHit, keyword: &Keyword) -> bool {
    if !keyword.is_stem && !keyword.is_short {
        return true;
    }
    let before = text[..hit.from].chars().next_back();
    let after = text[hit.to..].chars().next();
    let letter = |c: Option<char>| c.is_some_and(|c| c.is_alphabetic() && !super::shape::is_unspaced(c));
    if keyword.is_stem {
        let odd =
            ["en", "de", "uni", "bar", "post", "zip", "s", "vs"].iter().any(|odd| text[..hit.from].ends_with(odd));
        let longer = keyword.word == "code" && after.is_some_and(|c| c.is_ascii_alphabetic() && c != 's');
        let inside = odd && letter(before) || longer;
        return !inside;
    }
    !letter(before) && (!letter(after) || !keyword.word.is_ascii())
}
