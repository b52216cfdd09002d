//! Key words of account mails, one file per family of languages. Everything is lower-case and matched as a part of the
//! text, so that compounds and endings match too.

mod asian;
mod eastern;
mod germanic;
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
    /// Words of orders, bills, bookings, tickets and shipments, of offers and of post: a code near them is another code.
    pub(super) other: &'static [&'static str],
    /// Words before a number that make it something else (order, account, phone, card), and units after it.
    pub(super) counted: &'static [&'static str],
}

/// All families.
pub(super) const FAMILIES: [&Family; 5] = [&germanic::WORDS, &romance::WORDS, &slavic::WORDS, &eastern::WORDS, &asian::WORDS];

/// True when `text` (lower-case) has a word of the table that `table` picks.
pub(super) fn any(text: &str, table: impl Fn(&Family) -> &'static [&'static str]) -> bool {
    FAMILIES.iter().any(|family| table(family).iter().any(|word| has(text, word)))
}

/// True when `word` is in `text`: Latin and Cyrillic words of up to four letters at a word's beginning only.
pub(super) fn has(text: &str, word: &str) -> bool {
    find(text, word, 0).is_some()
}

/// Where `word` is in `text` from byte `from` on, under the rule of [`has`].
pub(super) fn find(text: &str, word: &str, from: usize) -> Option<(usize, usize)> {
    let short = word.chars().count() <= 4 && word.chars().all(|c| c.is_alphabetic() && !super::shape::is_unspaced(c));
    let mut at = from;
    while let Some(found) = text.get(at..).and_then(|rest| rest.find(word)) {
        let (start, end) = (at + found, at + found + word.len());
        let joined = text[..start].chars().next_back().is_some_and(char::is_alphabetic);
        let goes_on = text[end..].chars().next().is_some_and(|c| c.is_alphabetic() && !super::shape::is_unspaced(c));
        let whole = !short || !joined && (!goes_on || !word.is_ascii() || word.len() == 4);
        if whole {
            return Some((start, end));
        }
        at = end;
    }
    None
}
