//! Converts expressions to the query syntax of each index.

use std::collections::HashMap;

use posthouse_domain::{IndexedText, search::SearchExpression};

/// The highest word position that PostgreSQL stores.
const POSITION_MAX: usize = 16_383;
/// The number of positions that PostgreSQL stores per word.
const POSITIONS_PER_WORD_MAX: usize = 255;
/// Marks a continuation of a word, followed by a number, to store further positions. No word contains it.
const CONTINUATION: char = '\u{E010}';

/// Formats words and positions as a PostgreSQL `tsvector`. Words contain letters and digits only.
pub(super) fn vector(tokens: &IndexedText) -> String {
    let mut out = String::with_capacity(tokens.0.len() * 2);
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for (position, word) in (1..).zip(tokens.words()).filter(|(_, word)| !IndexedText::is_separator(word)) {
        let before = counts.entry(word).or_default();
        let position = POSITION_MAX.min(position);
        match *before / POSITIONS_PER_WORD_MAX {
            0 => out.push_str(&format!("'{word}':{position} ")),
            times => out.push_str(&format!("'{word}{CONTINUATION}{times}':{position} ")),
        }
        *before += 1;
    }
    out
}

/// Relaxes an expression to what the word index can answer: all words of a phrase in any order, without exclusions.
pub(super) fn relax(expression: &SearchExpression) -> SearchExpression {
    let each = |all: &[SearchExpression]| all.iter().map(relax).collect();
    match expression {
        SearchExpression::All(all) => SearchExpression::All(each(all)),
        SearchExpression::Any(all) => SearchExpression::Any(each(all)),
        SearchExpression::Without(yes, _) => relax(yes),
        SearchExpression::Phrase(words) => {
            SearchExpression::All(words.iter().map(|word| SearchExpression::Phrase(vec![word.clone()])).collect())
        }
        SearchExpression::Prefix(word) => SearchExpression::Prefix(word.clone()),
        SearchExpression::Both(few, _) => relax(few),
    }
}

/// Returns whether word order matters, which the word index doesn't know.
pub(super) fn has_phrase(expression: &SearchExpression) -> bool {
    match expression {
        SearchExpression::All(all) | SearchExpression::Any(all) => all.iter().any(has_phrase),
        SearchExpression::Without(yes, no) => has_phrase(yes) || has_phrase(no),
        SearchExpression::Phrase(words) => words.len() > 1,
        SearchExpression::Prefix(_) => false,
        SearchExpression::Both(few, all) => has_phrase(few) || has_phrase(all),
    }
}

/// Formats an expression for FTS5. Every word is quoted; no word contains a quote.
pub(super) fn fts5(expression: &SearchExpression) -> String {
    let joined =
        |all: &[SearchExpression], by: &str| format!("({})", all.iter().map(fts5).collect::<Vec<_>>().join(by));
    match expression {
        SearchExpression::All(all) => joined(all, " AND "),
        SearchExpression::Any(all) => joined(all, " OR "),
        SearchExpression::Without(yes, no) => format!("({} NOT {})", fts5(yes), fts5(no)),
        SearchExpression::Phrase(words) => format!("\"{}\"", words.join(" ")),
        SearchExpression::Prefix(word) => format!("\"{word}\" *"),
        SearchExpression::Both(few, all) => format!("({} AND {})", fts5(few), fts5(all)),
    }
}

/// Formats an expression as a `tsquery`.
pub(super) fn tsquery(expression: &SearchExpression) -> String {
    let joined =
        |all: &[SearchExpression], by: &str| format!("({})", all.iter().map(tsquery).collect::<Vec<_>>().join(by));
    match expression {
        SearchExpression::All(all) => joined(all, " & "),
        SearchExpression::Any(all) => joined(all, " | "),
        SearchExpression::Without(yes, no) => format!("({} & !{})", tsquery(yes), tsquery(no)),
        SearchExpression::Phrase(words) if words.len() == 1 => format!("('{}')", words[0]),
        SearchExpression::Phrase(words) => {
            let placed = words.iter().map(|word| format!("('{word}' | '{word}{CONTINUATION}':*)"));
            format!("({})", placed.collect::<Vec<_>>().join(" <-> "))
        }
        SearchExpression::Prefix(word) => format!("'{word}':*"),
        SearchExpression::Both(few, all) => format!("({} & {})", tsquery(few), tsquery(all)),
    }
}
