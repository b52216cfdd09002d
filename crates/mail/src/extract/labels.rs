//! Labels of the header block that Outlook and other clients put above an original message, in many languages.

use crate::wordlist::{self, WordTable};

const LABELS: &str = include_str!("labels.txt");

/// The kinds of labels that identify a header block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HeaderLabel {
    /// The sender.
    From,
    /// The date.
    Date,
    /// A recipient (To, Cc, Bcc, Reply-To).
    To,
    /// The subject.
    Subject,
    /// Any other header, such as importance or attachments.
    Other,
}

static FROM: WordTable = WordTable::new(|| wordlist::table(LABELS, "from"));
static DATE: WordTable = WordTable::new(|| wordlist::table(LABELS, "date"));
static TO: WordTable = WordTable::new(|| wordlist::table(LABELS, "to"));
static SUBJECT: WordTable = WordTable::new(|| wordlist::table(LABELS, "subject"));
static OTHER: WordTable = WordTable::new(|| wordlist::table(LABELS, "other"));

/// Returns the kind of a label. `name` must be in lower case, without colon and decorations.
pub(super) fn label(name: &str) -> Option<HeaderLabel> {
    // The sender is checked first: `de` and `a` are short words in several tables, and a block requires a sender.
    [
        (&FROM, HeaderLabel::From),
        (&DATE, HeaderLabel::Date),
        (&TO, HeaderLabel::To),
        (&SUBJECT, HeaderLabel::Subject),
        (&OTHER, HeaderLabel::Other),
    ]
    .into_iter()
    .find(|(names, _)| names.contains(&name))
    .map(|(_, label)| label)
}
