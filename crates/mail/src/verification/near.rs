//! What the lines around a code say about it.

use super::cue::{CodeCue, NearWords};
use super::page::VerificationPage;
use super::plain;
use super::sentence;
use super::words::{self, KeywordTable};

/// Maximum number of non-blank lines above a code whose words count for it.
const LINES_ABOVE_MAX: usize = 4;
/// Maximum number of non-blank lines below a code whose words count for it.
const LINES_BELOW_MAX: usize = 2;

/// What the lines around a candidate say.
#[derive(Default)]
pub(super) struct NearPoints {
    pub(super) cue: CodeCue,
    pub(super) points: i32,
}

/// Returns the best cue of the lines around a line, which counts less with each line in between.
pub(super) fn points(page: &VerificationPage<'_>, at: usize) -> NearPoints {
    // The line itself can have a sentence in front of the code.
    let own = std::iter::once((0, at));
    let mut best = NearPoints::default();
    let around = own.chain(above(page, at).enumerate()).map(|near| (near, 0));
    let around = around.chain(below(page, at).enumerate().map(|near| (near, 1)));
    for ((between, line), penalty) in around {
        let tables = page.advised_tables(line);
        let cue = if ends_with_name(&page.lines[line]) { CodeCue::SignIn } else { CodeCue::of(&tables) };
        let has = |table| tables.contains(&table);
        let other = has(KeywordTable::Other) || has(KeywordTable::Speech) || has(KeywordTable::Trade);
        let points = cue.points() - penalty - i32::try_from(between).unwrap_or(i32::MAX / 2).min(2);
        if (!other || cue == CodeCue::SignIn && !has(KeywordTable::Other)) && points > best.points {
            best = NearPoints { cue: best.cue.max(cue), points };
        }
    }
    best
}

/// Returns whether a line ends with a name of codes in capitals that also means something else: "Ihre TAN:".
fn ends_with_name(line: &str) -> bool {
    let last = line.trim_end_matches(|c: char| !c.is_alphanumeric()).rsplit(|c: char| !c.is_alphanumeric()).next();
    last.is_some_and(|word| !word.contains(char::is_lowercase) && words::any(&word.to_lowercase(), KeywordTable::Name))
}

/// Returns what the words on a line, and on those around it that count for it, allow a candidate to be. In a conversation,
/// only the sentence counts.
pub(super) fn words_around(page: &VerificationPage<'_>, at: usize) -> NearWords {
    page.near_words(at, || {
        let sentence = sentence::possible_tables(page, at);
        let has = |table: KeywordTable| sentence.contains(&table);
        let is_name = |table: &KeywordTable| {
            matches!(table, KeywordTable::Strong | KeywordTable::Code | KeywordTable::Name)
                // The subject can have a code beside an action.
                || at == 0 && matches!(table, KeywordTable::Account | KeywordTable::Action)
        };
        let around = || {
            let mut lines = std::iter::once(at).chain(above(page, at)).chain(below(page, at));
            lines.any(|line| page.tables(line).iter().any(is_name) || ends_with_name(&page.lines[line]))
        };
        NearWords {
            has_name: sentence.iter().any(is_name) || !page.is_conversation && !page.is_long() && around(),
            has_account: has(KeywordTable::Account),
            has_verb: has(KeywordTable::Enter),
        }
    })
}

/// Returns the lines above a line that show something, the nearest first.
fn above(page: &VerificationPage<'_>, at: usize) -> impl Iterator<Item = usize> {
    (0..at).rev().filter(|at| !plain::is_blank(&page.lines[*at])).take(LINES_ABOVE_MAX)
}

/// Returns the lines below a line that show something, the nearest first.
fn below(page: &VerificationPage<'_>, at: usize) -> impl Iterator<Item = usize> {
    (at + 1..page.lines.len()).filter(|at| !plain::is_blank(&page.lines[*at])).take(LINES_BELOW_MAX)
}
