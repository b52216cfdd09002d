//! Rows of tables, such as those of an order, whose labels name the codes of things.
//!
//! "Product code: 482913" is a code by its name, and "Acme code: 482913" too. What is around decides: the first one is
//! in a table.

use std::sync::LazyLock;

use super::page::VerificationPage;
use super::plain;
use super::shape;
use super::words::{self, KeywordTable};
use crate::wordlist::{self, WordTable};

/// Maximum length of a label in characters; longer lines are sentences.
const LABEL_CHARS_MAX: usize = 48;
/// Maximum number of lines that show something, above and below a row, that belong to its table.
const NEIGHBORS_MAX: usize = 2;

/// Words in front of a code that say whose it is.
static OWNERS: WordTable = LazyLock::new(|| wordlist::table(include_str!("words/sentences.txt"), "owners"));

/// Names of the codes with which banks approve payments, as receipts show them.
static AUTHORIZATIONS: WordTable =
    LazyLock::new(|| wordlist::table(include_str!("words/sentences.txt"), "authorizations"));

/// Beginnings of words for things and people that have codes which nobody signs in with.
static THINGS: WordTable = LazyLock::new(|| wordlist::table(include_str!("words/sentences.txt"), "things"));

/// Returns whether a word, in lower case, says whose a code is.
pub(super) fn is_owner(word: &str) -> bool {
    OWNERS.contains(&word)
}

/// Returns whether a code below or behind a label, in lower case, is that of a payment in a receipt, which asks for
/// nothing.
pub(super) fn is_code_of_payment(page: &VerificationPage<'_>, at: usize, label: &str) -> bool {
    let label = label.trim_end_matches(|c: char| !c.is_alphanumeric());
    let is_named = label.chars().count() <= LABEL_CHARS_MAX && AUTHORIZATIONS.iter().any(|name| label.ends_with(name));
    is_named && page.lines.iter().any(|line| has_amount(line)) && !is_asked_for(page, at)
}

/// Returns whether a line near a code asks to enter something or has a number of minutes, or the mail warns about codes.
fn is_asked_for(page: &VerificationPage<'_>, at: usize) -> bool {
    /// Number of lines above and below the code that can ask to enter it.
    const NEAR_MAX: usize = 3;
    let warns = |table: &KeywordTable| matches!(table, KeywordTable::Warning | KeywordTable::Denial);
    let mut near = at.saturating_sub(NEAR_MAX)..page.lines.len().min(at + NEAR_MAX + 1);
    near.any(|line| page.tables(line).contains(&KeywordTable::Enter) || has_duration(&page.lines[line]))
        || (0..page.lines.len()).any(|line| page.tables(line).iter().any(warns))
}

/// Returns whether the name of a code, in a text in lower case in front of it, is that of a thing or a group of people:
/// "Probandencode", "customs code", "code fiscal". Nothing may ask to enter it. Of other compounds, only those count that
/// are in mail about no account.
pub(super) fn is_named_for_thing(page: &VerificationPage<'_>, at: usize, text: &str) -> bool {
    let modifier = modifier(text);
    let is_of_thing =
        modifier == Some(CodeModifier::Thing) || modifier == Some(CodeModifier::Unknown) && !page.topic().is_account;
    is_of_thing && !is_asked_for(page, at)
}

/// What a name of a code says about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CodeModifier {
    /// A word of [`THINGS`].
    Thing,
    /// The first part of a compound, which is in no table.
    Unknown,
}

/// Returns what the last name of a code in a text, in lower case, says about the code: the first part of a compound, the
/// word in front of it, or the words behind it.
fn modifier(text: &str) -> Option<CodeModifier> {
    /// Maximum number of words behind the name: "code de produit".
    const WORDS_MAX: usize = 3;
    let is_thing = |word: &str| THINGS.iter().any(|thing| word.starts_with(thing));
    let hits: Vec<words::KeywordHit> = words::hits(text).collect();
    let code = hits.iter().filter(|hit| hit.table == KeywordTable::Code).max_by_key(|hit| hit.to)?;
    let is_letter = |c: char| c.is_alphabetic();
    let start = text[..code.from].trim_end_matches(is_letter).len();
    let end = text.len() - text[code.to..].trim_start_matches(is_letter).len();
    let compound = &text[start..code.from];
    let behind = text[end..].trim_end_matches(|c: char| !c.is_alphanumeric());
    let is_near = behind.split_whitespace().count() <= WORDS_MAX && !behind.contains([',', ';', '.', ':']);
    let in_front = text[..start].strip_suffix(' ').and_then(|front| front.rsplit([' ', '(']).next());
    let in_front = in_front.filter(|_| compound.is_empty()).unwrap_or_default();
    let from = start - if in_front.is_empty() { 0 } else { in_front.len() + 1 };
    let is_about = |hit: &words::KeywordHit| {
        use KeywordTable as Table;
        matches!(hit.table, Table::Account | Table::Strong | Table::Action | Table::Name)
    };
    if hits.iter().any(|hit| is_about(hit) && hit.to > from) {
        return None;
    }
    if is_thing(compound) || is_thing(in_front) || is_near && behind.split_whitespace().any(is_thing) {
        return Some(CodeModifier::Thing);
    }
    // Of the languages with compounds, German and Dutch have all words about accounts in the tables.
    let is_compound = is_word(compound) && text[code.from..end].starts_with("code") && !text[..start].ends_with('-');
    // "Bestaetigungscode".
    let is_written_plain = || {
        let accented = compound.replace("ae", "ä").replace("oe", "ö").replace("ue", "ü");
        words::hits(&accented).any(|hit| is_about(&hit))
    };
    let is_unknown = is_compound && is_near && !OWNERS.contains(&compound) && !is_written_plain();
    is_unknown.then_some(CodeModifier::Unknown)
}

/// Returns whether a line has a number of minutes or seconds.
fn has_duration(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    words.windows(2).any(|pair| {
        let unit = pair[1].to_lowercase();
        pair[0].ends_with(|c: char| c.is_ascii_digit())
            && shape::DURATION_UNITS.iter().any(|known| unit.starts_with(known))
    })
}

/// Returns whether a line has an amount of money: `$12.40`, `12,40 EUR`.
fn has_amount(line: &str) -> bool {
    const CURRENCIES: [&str; 14] =
        ["EUR", "USD", "GBP", "CHF", "CAD", "AUD", "JPY", "SEK", "NOK", "DKK", "PLN", "BRL", "MXN", "INR"];
    let has_digit = || line.bytes().any(|byte| byte.is_ascii_digit());
    let is_currency = |word: &str| CURRENCIES.contains(&word);
    has_digit()
        && (line.contains(['$', '€', '£', '¥', '₹', '₩', '₺', '₽'])
            || line.split(|c: char| !c.is_ascii_alphabetic()).any(is_currency))
}

/// Returns whether a label, in lower case, names the code of a thing: it has a word for codes, and another one that is
/// about nothing that one signs in to.
fn is_of_thing(label: &str) -> bool {
    let label = label.trim_end_matches(|c: char| !c.is_alphanumeric());
    if label.chars().count() > LABEL_CHARS_MAX {
        return false;
    }
    let mut codes = Vec::new();
    for hit in words::hits(label) {
        match hit.table {
            KeywordTable::Code => codes.push(hit),
            KeywordTable::Strong | KeywordTable::Name | KeywordTable::Account => return false,
            KeywordTable::Action | KeywordTable::Enter | KeywordTable::Password => return false,
            _ => {}
        }
    }
    let is_apart = |c: char| !c.is_alphabetic();
    let mut from = 0;
    let mut is_other = false;
    for word in label.split(is_apart) {
        let start = from;
        from += word.len() + label[start + word.len()..].chars().next().map_or(0, char::len_utf8);
        // Endings belong to the word for codes, and what is in front of it in a compound doesn't.
        let code = codes.iter().filter(|hit| (start..start + word.len()).contains(&hit.from)).map(|hit| hit.from).min();
        let modifier = code.map_or(word, |code| &label[start..code]);
        is_other |= is_word(modifier) && !OWNERS.contains(&modifier);
    }
    is_other && !codes.is_empty()
}

/// Returns whether a text is long enough for a word that isn't an article.
fn is_word(text: &str) -> bool {
    let chars = text.chars().count();
    chars >= if text.is_ascii() { 4 } else { 2 }
}

/// Returns whether a code below or behind a label is that of a thing in a table: line `at` is a row of the table, and
/// `label` is in lower case.
pub(super) fn is_code_of_thing(page: &VerificationPage<'_>, at: usize, label: &str) -> bool {
    if at == 0 || !is_of_thing(label) || page.topic().is_subject {
        return false;
    }
    let topic = page.topic();
    let is_shown = |line: &usize| !plain::is_blank(&page.lines[*line]);
    let is_label = |line: &usize| page.lines[*line].to_lowercase().contains(label.trim());
    let above = (1..at).rev().filter(is_shown).filter(|line| !is_label(line)).take(NEIGHBORS_MAX);
    let below = (at + 1..page.lines.len()).filter(is_shown).take(NEIGHBORS_MAX);
    let is_trade = |line: usize| page.tables(line).contains(&KeywordTable::Trade);
    let mut rows = above.chain(below).filter(|line| is_row(&page.lines[*line]));
    if topic.is_account { rows.any(is_trade) } else { topic.is_trade || rows.next().is_some() }
}

/// Returns whether a line has a short label and a short value.
fn is_row(line: &str) -> bool {
    /// Maximum number of words of a value.
    const WORDS_MAX: usize = 5;
    let parts = line.split_once([':', '：', '|', '\t']);
    parts.is_some_and(|(label, value)| {
        let (label, value) = (label.trim(), value.trim());
        let is_short = label.chars().count() <= LABEL_CHARS_MAX && value.split_whitespace().count() <= WORDS_MAX;
        is_short && !label.is_empty() && !value.is_empty() && !value.starts_with("//")
    })
}
