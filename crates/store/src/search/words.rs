//! An expression in the words of each index, and what the index of PostgreSQL cannot tell of it.

use std::collections::HashMap;

use posthouse_domain::search::{Expression, Tokens};

/// The greatest place of a word that PostgreSQL keeps.
const PLACE_MAX: usize = 16_383;
/// Places that PostgreSQL keeps of one word.
const PLACES_MAX: usize = 255;
/// What stands behind a word, with a number, where its further places are kept. No word holds it.
const AGAIN: char = '\u{E010}';

/// The words with their places, as PostgreSQL reads a `tsvector`. Words hold letters and digits alone.
pub(super) fn vector(tokens: &Tokens) -> String {
    let mut out = String::with_capacity(tokens.0.len() * 2);
    let mut places: HashMap<&str, usize> = HashMap::new();
    for (place, word) in (1..).zip(tokens.words()).filter(|(_, word)| !Tokens::is_gap(word)) {
        let before = places.entry(word).or_default();
        let place = PLACE_MAX.min(place);
        match *before / PLACES_MAX {
            0 => out.push_str(&format!("'{word}':{place} ")),
            times => out.push_str(&format!("'{word}{AGAIN}{times}':{place} ")),
        }
        *before += 1;
    }
    out
}

/// What the index of words can tell by itself: documents with all words of a phrase, whatever they must not have.
pub(super) fn loosened(expression: &Expression) -> Expression {
    let each = |all: &[Expression]| all.iter().map(loosened).collect();
    match expression {
        Expression::All(all) => Expression::All(each(all)),
        Expression::Any(all) => Expression::Any(each(all)),
        Expression::Without(yes, _) => loosened(yes),
        Expression::Phrase(words) => {
            Expression::All(words.iter().map(|word| Expression::Phrase(vec![word.clone()])).collect())
        }
        Expression::Beginning(word) => Expression::Beginning(word.clone()),
        Expression::Narrowed(few, _) => loosened(few),
    }
}

/// Whether the places of words matter, which the index of words does not know.
pub(super) fn has_phrase(expression: &Expression) -> bool {
    match expression {
        Expression::All(all) | Expression::Any(all) => all.iter().any(has_phrase),
        Expression::Without(yes, no) => has_phrase(yes) || has_phrase(no),
        Expression::Phrase(words) => words.len() > 1,
        Expression::Beginning(_) => false,
        Expression::Narrowed(few, all) => has_phrase(few) || has_phrase(all),
    }
}

/// The expression in the words of FTS5. Every word is quoted; none holds a quote.
pub(super) fn fts5(expression: &Expression) -> String {
    let joined = |all: &[Expression], by: &str| format!("({})", all.iter().map(fts5).collect::<Vec<_>>().join(by));
    match expression {
        Expression::All(all) => joined(all, " AND "),
        Expression::Any(all) => joined(all, " OR "),
        Expression::Without(yes, no) => format!("({} NOT {})", fts5(yes), fts5(no)),
        Expression::Phrase(words) => format!("\"{}\"", words.join(" ")),
        Expression::Beginning(word) => format!("\"{word}\" *"),
        Expression::Narrowed(few, all) => format!("({} AND {})", fts5(few), fts5(all)),
    }
}

/// The expression in the words of `tsquery`.
pub(super) fn tsquery(expression: &Expression) -> String {
    let joined = |all: &[Expression], by: &str| format!("({})", all.iter().map(tsquery).collect::<Vec<_>>().join(by));
    match expression {
        Expression::All(all) => joined(all, " & "),
        Expression::Any(all) => joined(all, " | "),
        Expression::Without(yes, no) => format!("({} & !{})", tsquery(yes), tsquery(no)),
        Expression::Phrase(words) if words.len() == 1 => format!("('{}')", words[0]),
        Expression::Phrase(words) => {
            let placed = words.iter().map(|word| format!("('{word}' | '{word}{AGAIN}':*)"));
            format!("({})", placed.collect::<Vec<_>>().join(" <-> "))
        }
        Expression::Beginning(word) => format!("'{word}':*"),
        Expression::Narrowed(few, all) => format!("({} & {})", tsquery(few), tsquery(all)),
    }
}
