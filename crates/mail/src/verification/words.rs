//! Keywords of account messages in data files: one per language family, one for words that decide what a sentence does,
//! and one for links that answer a question. All keywords are in lower case.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use icu_normalizer::DecomposingNormalizerBorrowed;

use super::shape::is_unspaced;
use crate::wordlist;

/// The data files of the language families. Each has all [`FAMILY_TABLES`].
const FAMILIES: [&str; 7] = [
    include_str!("words/germanic.txt"),
    include_str!("words/romance.txt"),
    include_str!("words/slavic.txt"),
    include_str!("words/eastern.txt"),
    include_str!("words/asian.txt"),
    include_str!("words/european.txt"),
    include_str!("words/african.txt"),
];

/// The tables of a family by their names in the data files. Their keywords match anywhere in a text, so that they also
/// match inside compounds and before endings.
const FAMILY_TABLES: [(&str, KeywordTable); 8] = [
    ("strong", KeywordTable::Strong),
    ("code", KeywordTable::Code),
    ("account", KeywordTable::Account),
    ("action", KeywordTable::Action),
    ("notice", KeywordTable::Notice),
    ("other", KeywordTable::Other),
    ("trade", KeywordTable::Trade),
    ("counted", KeywordTable::Counted),
];

/// The data file of [`SENTENCE_TABLES`].
const SENTENCES: &str = include_str!("words/sentences.txt");

/// The tables of [`SENTENCES`]. Their keywords only match at the start of a word.
const SENTENCE_TABLES: [(&str, KeywordTable); 14] = [
    ("names", KeywordTable::Name),
    ("enter", KeywordTable::Enter),
    ("validity", KeywordTable::Validity),
    ("speech", KeywordTable::Speech),
    ("denial", KeywordTable::Denial),
    ("meeting", KeywordTable::Meeting),
    ("common", KeywordTable::Common),
    ("away", KeywordTable::Away),
    ("joins", KeywordTable::Join),
    ("warnings", KeywordTable::Warning),
    ("offers", KeywordTable::Offer),
    ("events", KeywordTable::Event),
    ("bulk", KeywordTable::Bulk),
    ("invitations", KeywordTable::Invitation),
];

/// The words for "password", which match anywhere.
const PASSWORDS: &str = include_str!("words/passwords.txt");

/// The data file of [`ANSWER_TABLES`].
const ANSWERS: &str = include_str!("words/answers.txt");

/// The tables of [`ANSWERS`]. Their keywords only match at the start of a word.
const ANSWER_TABLES: [(&str, KeywordTable); 5] = [
    ("refusals", KeywordTable::Refusal),
    ("no", KeywordTable::No),
    ("yes", KeywordTable::Yes),
    ("approvals", KeywordTable::Approval),
    ("identity", KeywordTable::Identity),
];

/// Maximum length of a keyword that only matches as a whole word, in characters: shorter ones occur inside other words.
const WHOLE_CHARS_MAX: usize = 4;

/// Maximum length of a verb that only matches at the start of a word, in characters.
const VERB_CHARS_MAX: usize = 5;

/// Short words that also match inside compounds and with endings ("Anmeldecode", "kodunuz").
const STEMS: [&str; 9] = ["code", "kode", "kood", "kod", "kód", "kôd", "kòd", "kóði", "kóða"];

/// The table of a keyword.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeywordTable {
    /// Names of codes that are always for signing in.
    Strong,
    /// Words for "code".
    Code,
    /// Words about accounts: sign in, password, verify, address.
    Account,
    /// Actions of a verification link: verify, confirm, activate, reset, accept, sign in.
    Action,
    /// Phrases of messages that only report an event.
    Notice,
    /// Words of offers, postal addresses and other codes. A code near them is another kind of code in any case.
    Other,
    /// Words of orders, invoices, bookings, tickets and shipments. They also occur in names of services. A code near
    /// them is another kind of code unless the sentence names a sign-in code.
    Trade,
    /// Words before a number that make it something else (order, account, phone, card), and units after it.
    Counted,
    /// Names of codes of digits for signing in and for payments that also mean something else. They only count next to
    /// a number.
    Name,
    /// Verbs that ask the reader to enter a code.
    Enter,
    /// What a code does, behind it: it is valid, it confirms.
    Validity,
    /// Phrases of people who report or ask about a code.
    Speech,
    /// Phrases for readers who did not act themselves.
    Denial,
    /// Words of meetings.
    Meeting,
    /// Frequent words of the languages that have tables.
    Common,
    /// Labels of links that unsubscribe or explain.
    Away,
    /// Words that join two clauses.
    Join,
    /// Phrases that warn about codes without one.
    Warning,
    /// Words of labels that advertising has too: join, sign up, log in, continue.
    Offer,
    /// What mail about events asks for, too: to complete a registration.
    Event,
    /// Words of mail that is sent to many: unsubscribe, view in browser.
    Bulk,
    /// Labels of links that accept an invitation.
    Invitation,
    /// Words for "password".
    Password,
    /// Labels of links that deny, report, block or cancel.
    Refusal,
    /// Words for "no".
    No,
    /// Words for "yes".
    Yes,
    /// Labels of links that approve what another link refuses.
    Approval,
    /// Phrases that ask whether the reader acted.
    Identity,
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

/// A keyword and where it matches.
struct Keyword {
    table: KeywordTable,
    word: &'static str,
    /// Whether it only matches at the start of a word.
    from_start: bool,
    /// Whether it only matches at the end of a word.
    to_end: bool,
}

impl Keyword {
    fn new(table: KeywordTable, word: &'static str, in_sentences: bool) -> Keyword {
        let is_short =
            word.chars().count() <= WHOLE_CHARS_MAX && !STEMS.contains(&word) && !word.chars().any(is_unspaced);
        let whole = matches!(
            table,
            KeywordTable::Name | KeywordTable::Common | KeywordTable::Enter | KeywordTable::Speech | KeywordTable::Join
        );
        // Actions are verbs, which begin words: "ative", but not "creative".
        let is_verb = table == KeywordTable::Action && word.is_ascii() && word.len() <= VERB_CHARS_MAX;
        Keyword {
            table,
            word,
            from_start: is_short || in_sentences || is_verb,
            to_end: is_short && word.is_ascii() || whole,
        }
    }
}

/// All keywords in one automaton, so that the search time doesn't depend on the size of the tables.
struct KeywordAutomaton {
    words: AhoCorasick,
    /// The keyword of each pattern. Those after the last are without accents.
    keywords: Vec<Keyword>,
    /// The keywords that patterns without accents stand for.
    plain: Vec<usize>,
}

impl KeywordAutomaton {
    /// Returns the keyword of a pattern.
    fn keyword(&self, pattern: usize) -> &Keyword {
        let plain = pattern.checked_sub(self.keywords.len());
        &self.keywords[plain.map_or(pattern, |at| self.plain[at])]
    }
}

static AUTOMATON: LazyLock<KeywordAutomaton> = LazyLock::new(|| {
    let families = FAMILIES.iter().flat_map(|family| {
        FAMILY_TABLES.iter().flat_map(|(name, table)| {
            wordlist::table(family, name).into_iter().map(|word| Keyword::new(*table, word, false))
        })
    });
    let in_sentences = |file, tables: &'static [(&'static str, KeywordTable)]| {
        tables.iter().flat_map(move |(name, table)| {
            wordlist::table(file, name).into_iter().map(|word| Keyword::new(*table, word, true))
        })
    };
    let sentences = in_sentences(SENTENCES, &SENTENCE_TABLES).chain(in_sentences(ANSWERS, &ANSWER_TABLES));
    let passwords = wordlist::table(PASSWORDS, "passwords").into_iter();
    let passwords = passwords.map(|word| Keyword::new(KeywordTable::Password, word, false));
    let keywords: Vec<Keyword> = families.chain(sentences).chain(passwords).collect();
    // Many people write their language without accents.
    let plain: Vec<(usize, String)> = keywords
        .iter()
        .enumerate()
        .filter(|(_, keyword)| is_written_plain(keyword.table))
        .filter_map(|(at, keyword)| Some((at, without_accents(keyword.word)?)))
        .collect();
    // Few lines are searched, so a full transition table of 16 MB isn't worth it.
    let words = AhoCorasick::builder()
        .kind(Some(AhoCorasickKind::ContiguousNFA))
        .build(keywords.iter().map(|keyword| keyword.word).chain(plain.iter().map(|(_, word)| word.as_str())))
        .expect("the keyword tables must fit into an automaton");
    KeywordAutomaton { words, keywords, plain: plain.into_iter().map(|(at, _)| at).collect() }
});

/// Returns whether the keywords of a table also count without accents: those whose meaning the rest of the text confirms.
fn is_written_plain(table: KeywordTable) -> bool {
    use KeywordTable as Table;
    matches!(table, Table::Strong | Table::Code | Table::Account | Table::Action | Table::Other | Table::Trade)
}

/// Returns the keywords in `text`, which must be in lower case, ordered by their ends.
pub(super) fn hits(text: &str) -> impl Iterator<Item = KeywordHit> {
    AUTOMATON.words.find_overlapping_iter(text).filter_map(move |found| {
        let keyword = AUTOMATON.keyword(found.pattern().as_usize());
        let hit = KeywordHit { from: found.start(), to: found.end(), table: keyword.table };
        is_separate(text, hit, keyword).then_some(hit)
    })
}

/// Returns whether `text`, which must be in lower case, contains a keyword of the table.
pub(super) fn any(text: &str, table: KeywordTable) -> bool {
    hits(text).any(|hit| hit.table == table)
}

/// Returns false for a short word inside a longer one: "port" in "portal", "ref" in "prefer", "code" in "decode".
fn is_separate(text: &str, hit: KeywordHit, keyword: &Keyword) -> bool {
    let letter = |c: Option<char>| {
        c.is_some_and(|c| if c.is_ascii() { c.is_ascii_alphabetic() } else { c.is_alphabetic() && !is_unspaced(c) })
    };
    let (before, after) = (text[..hit.from].chars().next_back(), text[hit.to..].chars().next());
    if keyword.table == KeywordTable::Code && letter(before) {
        // "Barcode" and "decode" aren't compounds of a word and a code.
        const ODD: [&str; 12] = ["en", "de", "trans", "re", "uni", "bar", "post", "zip", "vs", "epis", "ko", "me"];
        let word = text[..hit.from].rsplit(|c: char| !c.is_alphabetic()).next().unwrap_or("");
        if ODD.contains(&word) {
            return false;
        }
    }
    let longer = keyword.word == "code" && after.is_some_and(|c| c.is_ascii_alphabetic() && c != 's');
    !(longer || keyword.from_start && letter(before) || keyword.to_end && letter(after))
}

/// What stands for each letter of a name in words such as "SwiftCall". It is in no table.
const NAME_LETTER: char = 'ꙮ';

/// Appends a text in lower case. Words with capitals inside are names of services, which mean nothing: "SwiftCall",
/// "PayPal".
pub(super) fn push_lower(out: &mut String, text: &str) {
    if text.is_ascii() && !has_name(text.as_bytes()) {
        out.push_str(text);
        let start = out.len() - text.len();
        out[start..].make_ascii_lowercase();
        return;
    }
    let chars: Vec<char> = text.chars().collect();
    out.push_str(&lower_names(&chars));
}

/// Returns whether a small letter is in front of a capital.
pub(super) fn has_name(text: &[u8]) -> bool {
    text.windows(2).any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase())
}

/// Returns a text in lower case, with as many characters, and without names of services as in [`push_lower`].
pub(super) fn lower_names(chars: &[char]) -> String {
    let mut out = String::with_capacity(chars.len());
    let mut rest = chars;
    while let Some(first) = rest.first() {
        let length = if first.is_alphabetic() { rest.iter().take_while(|c| c.is_alphabetic()).count() } else { 1 };
        let (word, after) = rest.split_at(length);
        rest = after;
        let start = out.len();
        word.iter().for_each(|c| out.push(lower_char(*c)));
        if is_service_name(word) && !STEMS.iter().any(|stem| out[start..].ends_with(stem)) {
            out.truncate(start);
            out.extend(word.iter().map(|_| NAME_LETTER));
        }
    }
    out
}

/// Returns a character in lower case. "İ" has two characters there, of which tables only have the first.
fn lower_char(c: char) -> char {
    match c {
        c if c.is_ascii() => c.to_ascii_lowercase(),
        // The scripts of East Asia have no capitals.
        '\u{2e80}'..'\u{a640}' | '\u{ac00}'..'\u{fb00}' => c,
        c => c.to_lowercase().next().unwrap_or(c),
    }
}

/// Returns whether a word begins with a capital and has another one behind a small letter.
fn is_service_name(word: &[char]) -> bool {
    let is_bound = |pair: &[char]| pair[0].is_lowercase() && pair[1].is_uppercase();
    // A capital in front of one or two letters is a plural or an ending: "PINs", "TANs".
    word.len() >= 4 && word[0].is_uppercase() && word.windows(2).any(is_bound)
}

/// Returns a keyword as it is written without accents, if that is long enough to mean nothing else.
fn without_accents(word: &str) -> Option<String> {
    /// Minimum number of characters of such a keyword.
    const CHARS_MIN: usize = 6;
    if word.is_ascii() || word.chars().count() < CHARS_MIN {
        return None;
    }
    let letter = |c: char| match c {
        'đ' => Some('d'),
        'ı' => Some('i'),
        'ł' => Some('l'),
        'ø' => Some('o'),
        c => Some(c).filter(char::is_ascii),
    };
    let is_mark = |c: &char| ('\u{300}'..='\u{36f}').contains(c);
    let normalizer = DecomposingNormalizerBorrowed::new_nfd();
    normalizer.normalize(word).chars().filter(|c| !is_mark(c)).map(letter).collect()
}
