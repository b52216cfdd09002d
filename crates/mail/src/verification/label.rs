//! Labels of links: their text, and what they answer.
//!
//! A mail that asks whether the reader acted, or to confirm a request, often has a pair of links: one approves, the other
//! refuses. The refusal makes the other link an answer, even if the mail has no word about accounts.

use std::{ops::Range, sync::LazyLock};

use super::page::{self, PageLink, VerificationPage};
use super::shape::is_unspaced;
use super::words::{self, KeywordTable};
use crate::wordlist::{self, WordTable};

/// The data file of the tables of labels.
const SENTENCES: &str = include_str!("words/sentences.txt");

/// Returns the label of a link in lower case. The label of a bare URL is the short text before it on its line, or else on
/// the line above.
pub(super) fn of(page: &VerificationPage<'_>, link: &PageLink) -> String {
    /// Maximum length of the label of a bare URL in characters.
    const LABEL_CHARS_MAX: usize = 40;
    if !link.label.is_empty() {
        return plain(&link.label);
    }
    let text = text_before(page, link);
    if text.chars().count() <= LABEL_CHARS_MAX { text } else { String::new() }
}

/// Returns the text before a link on its line and after the link before it, or else the nearest line above that shows
/// something, in lower case.
pub(super) fn text_before(page: &VerificationPage<'_>, link: &PageLink) -> String {
    let before = page::without_urls(&plain(before_on_line(page, link)));
    // A label takes precedence over the line above.
    if !before.is_empty() || !link.label.is_empty() {
        return before;
    }
    let above = page.lines[1..link.line.clamp(1, page.lines.len())].iter().rev().find(|line| !line.trim().is_empty());
    above.map(|line| plain(line.trim())).unwrap_or_default()
}

/// Returns the text of a line between a link and the link before it.
fn before_on_line<'p>(page: &'p VerificationPage<'_>, link: &PageLink) -> &'p str {
    let others = page.links.iter().filter(|other| other.line == link.line && other.from < link.from);
    let end = |other: &PageLink| other.from + if other.label.is_empty() { other.url.len() } else { other.label.len() };
    let start = others.map(end).max().unwrap_or(0);
    page.lines.get(link.line).and_then(|line| line.get(start..link.from)).unwrap_or("")
}

/// Returns whether a label, in lower case, names a verification action, or the password that it sets.
pub(super) fn acts(label: &str) -> bool {
    let sets_password = words::any(label, KeywordTable::Password) && !label.trim_end().ends_with(['?', '？', '؟']);
    let is_action = |hit: words::KeywordHit| matches!(hit.table, KeywordTable::Action | KeywordTable::Event);
    sets_password || words::hits(label).any(is_action) || joins(label)
}

/// Returns whether a label, in lower case, accepts an invitation, which is to an account.
pub(super) fn joins(label: &str) -> bool {
    words::any(label, KeywordTable::Invitation)
}

/// Returns whether a label, in lower case, is short and names what it does and an account, or its password.
pub(super) fn is_of_account(label: &str) -> bool {
    /// Maximum number of words of such a label; headlines have more.
    const WORDS_MAX: usize = 5;
    let tables: Vec<KeywordTable> = words::hits(label).map(|hit| hit.table).collect();
    let has = |table| tables.contains(&table);
    let is_named = has(KeywordTable::Password) || has(KeywordTable::Action) && has(KeywordTable::Account);
    is_named && label.split_whitespace().count() <= WORDS_MAX
}

/// Returns whether a label, in lower case, names an account beside the action: "activate account", but not "activate".
pub(super) fn acts_on_account(label: &str) -> bool {
    is_of_account(label) && names_account(label)
}

/// Returns whether a text, in lower case, has words about an account besides those for an action, or a password.
pub(super) fn names_account(text: &str) -> bool {
    let hits: Vec<words::KeywordHit> = words::hits(text).collect();
    let is_apart = |account: &words::KeywordHit| {
        let mut actions = hits.iter().filter(|hit| matches!(hit.table, KeywordTable::Action | KeywordTable::Event));
        actions.all(|action| action.to <= account.from || account.to <= action.from)
    };
    hits.iter().any(|hit| match hit.table {
        KeywordTable::Account => is_apart(hit),
        KeywordTable::Strong | KeywordTable::Password => true,
        _ => false,
    })
}

/// Verbs for what one does with an account, and with an offer.
static ACTIVATIONS: WordTable = LazyLock::new(|| wordlist::table(SENTENCES, "activations"));
/// What advertising offers.
static ADVERTISED: WordTable = LazyLock::new(|| wordlist::table(SENTENCES, "advertised"));

/// Returns where the words of a table begin a word of a label, in lower case. Short ones must be whole words.
fn places<'l>(label: &'l str, table: &'static WordTable) -> impl Iterator<Item = Range<usize>> + 'l {
    /// Maximum length of a word that must be whole, in bytes.
    const WHOLE_BYTES_MAX: usize = 4;
    let is_letter = |c: char| c.is_alphabetic() && !is_unspaced(c);
    let places = table.iter().flat_map(|word| label.match_indices(word).map(|(at, _)| at..at + word.len()));
    places.filter(move |place| {
        let is_part = place.len() <= WHOLE_BYTES_MAX && label[place.end..].starts_with(is_letter);
        !is_part && !label[..place.start].ends_with(is_letter)
    })
}

/// Returns whether a label, in lower case, activates something that isn't an account as far as it says: "activate now",
/// "activate the upgrade".
pub(super) fn activates_something(label: &str) -> bool {
    let activations: Vec<Range<usize>> = places(label, &ACTIVATIONS).collect();
    let is_activation = |action: &words::KeywordHit| {
        activations.iter().any(|activation| activation.start < action.to && action.from < activation.end)
    };
    let mut actions = words::hits(label).filter(|hit| hit.table == KeywordTable::Action);
    !activations.is_empty() && actions.all(|action| is_activation(&action)) && !names_account(label)
}

/// Returns whether a text, in lower case, has a word for what advertising offers.
pub(super) fn advertises(text: &str) -> bool {
    places(text, &ADVERTISED).next().is_some()
}

/// Returns whether a label, in lower case, has no other words for an action than those that advertising has too.
pub(super) fn is_offer(label: &str) -> bool {
    let hits: Vec<words::KeywordHit> = words::hits(label).collect();
    let of = |table| hits.iter().filter(move |hit| hit.table == table);
    let is_offered =
        |action: &words::KeywordHit| of(KeywordTable::Offer).any(|offer| (offer.from..offer.to).contains(&action.from));
    of(KeywordTable::Password).next().is_none()
        && of(KeywordTable::Event).next().is_none()
        && !joins(label)
        && of(KeywordTable::Action).all(is_offered)
}

/// Returns whether a label, in lower case, refuses what a mail asks.
pub(super) fn refuses(label: &str) -> bool {
    let trimmed = label.trim_start_matches(|c: char| !c.is_alphanumeric());
    let start = label.len() - trimmed.len();
    words::hits(label).any(|hit| {
        let ends = || !label[hit.to..].trim_start().starts_with(char::is_alphanumeric);
        hit.table == KeywordTable::Refusal || hit.table == KeywordTable::No && hit.from == start && ends()
    })
}

/// Returns whether a label, in lower case, approves what a mail asks. Labels that also refuse are excluded elsewhere.
pub(super) fn approves(label: &str) -> bool {
    words::any(label, KeywordTable::Approval) || words::any(label, KeywordTable::Action) || agrees(label)
}

/// Returns whether a label, in lower case, says "yes".
pub(super) fn agrees(label: &str) -> bool {
    is_answered(label, KeywordTable::Yes)
}

/// Returns whether a label is a word of the table, or has one before a comma: "No", "No, deny it".
fn is_answered(label: &str, table: KeywordTable) -> bool {
    let label = label.trim_start_matches(|c: char| !c.is_alphanumeric());
    words::hits(label).any(|hit| {
        let rest = &label[hit.to..];
        hit.table == table && hit.from == 0 && !rest.trim_start().starts_with(char::is_alphanumeric)
    })
}

/// Returns whether the mail asks a question that one of its links refuses: whether the reader acted, or to confirm
/// something. The words above the links decide, except those of their labels.
pub(super) fn is_question(page: &VerificationPage<'_>) -> bool {
    // One link refuses, another one is the answer.
    if page.links.len() < 2 {
        return false;
    }
    let refusals: Vec<(&PageLink, String)> = page.links.iter().map(|link| (link, of(page, link))).collect();
    // To leave a list is no answer: "Annulla l'iscrizione".
    let is_answer = |label: &str| refuses(label) && !words::any(label, KeywordTable::Bulk);
    let refusals: Vec<_> = refusals.into_iter().filter(|(_, label)| is_answer(label)).collect();
    let Some((last, _)) = refusals.last() else { return false };
    let asks =
        |text: &str| words::hits(text).any(|hit| matches!(hit.table, KeywordTable::Identity | KeywordTable::Account));
    let mut labels = vec![false; page.lines.len()];
    for link in &page.links {
        mark_label(page, link, &mut labels);
    }
    let texts = page.lines.iter().zip(labels).take(last.line).filter(|(_, is_label)| !is_label);
    let labeled = page.links.iter().filter(|link| !link.label.is_empty() && link.line <= last.line);
    refusals.iter().any(|(_, label)| words::any(label, KeywordTable::Denial))
        || texts.map(|(line, _)| plain(line)).any(|text| asks(&text))
        || labeled.map(|link| text_before(page, link)).any(|text| asks(&text))
}

/// Marks the line of a link, and the line above that labels it.
fn mark_label(page: &VerificationPage<'_>, link: &PageLink, labels: &mut [bool]) {
    let Some(line) = page.lines.get(link.line) else { return };
    labels[link.line] = true;
    if link.label.is_empty() && page::without_urls(line).is_empty() {
        let above = (1..link.line).rev().find(|at| !page.lines[*at].trim().is_empty());
        if let Some(at) = above {
            labels[at] = true;
        }
    }
}

/// Returns a text in lower case, with plain apostrophes.
fn plain(text: &str) -> String {
    text.to_lowercase().replace('’', "'")
}
