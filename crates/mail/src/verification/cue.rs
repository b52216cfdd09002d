//! What the words around a code say about it.

use super::words::KeywordTable;

/// The certainty that the words around a candidate name a code for signing in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) enum CodeCue {
    /// No such words.
    #[default]
    None,
    /// Words about an account.
    Account,
    /// A word for any kind of code.
    Code,
    /// A word for any kind of code with a verb such as "enter".
    Requested,
    /// A word for a code with words about an account, or a name of sign-in codes.
    SignIn,
}

impl CodeCue {
    /// Returns the cue of a text from the tables of its keywords.
    pub(super) fn of(tables: &[KeywordTable]) -> CodeCue {
        let has = |table| tables.contains(&table);
        match (has(KeywordTable::Strong), has(KeywordTable::Code), has(KeywordTable::Account)) {
            (true, _, _) | (_, true, true) => CodeCue::SignIn,
            (_, true, _) if has(KeywordTable::Enter) => CodeCue::Requested,
            (_, true, _) => CodeCue::Code,
            (_, _, true) => CodeCue::Account,
            _ => CodeCue::None,
        }
    }

    /// Returns the points of a candidate for its words.
    pub(super) fn points(self) -> i32 {
        match self {
            CodeCue::None => 0,
            CodeCue::Account => 1,
            CodeCue::Code => 3,
            CodeCue::Requested => 4,
            CodeCue::SignIn => 5,
        }
    }
}

/// What the words around a line allow a candidate of it to be.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct NearWords {
    /// Whether a word can name a code.
    pub(super) has_name: bool,
    /// Whether a word of the sentence is about an account.
    pub(super) has_account: bool,
    /// Whether a word of the sentence asks to enter something.
    pub(super) has_verb: bool,
}
