//! Phrases of mail clients in many languages: verbs and beginnings of attribution lines, separators, helpdesk markers.
//!
//! Lines are lower-cased before the comparison. One entry covers all clients of a language.

use crate::wordlist::{self, WordTable};

const PHRASES: &str = include_str!("phrases.txt");

/// Verbs of writing at the end of, or inside, an attribution line.
pub(super) static WRITING_VERBS: WordTable = WordTable::new(|| wordlist::table(PHRASES, "writing verbs"));

/// Words at the beginning of an attribution line.
pub(super) static ATTRIBUTION_STARTS: WordTable = WordTable::new(|| wordlist::table(PHRASES, "attribution starts"));

/// Words in names that begin with a small letter.
pub(super) static NAME_PARTICLES: WordTable = WordTable::new(|| wordlist::table(PHRASES, "name particles"));

/// Text between the dashes of a separator above an original message.
pub(super) static ORIGINAL_SEPARATORS: WordTable = WordTable::new(|| wordlist::table(PHRASES, "original separators"));

/// Text of a separator above a forwarded message.
pub(super) static FORWARD_SEPARATORS: WordTable = WordTable::new(|| wordlist::table(PHRASES, "forward separators"));

/// Text that helpdesks put above quoted history; the reply is above it.
pub(super) static REPLY_ABOVE_MARKERS: WordTable = WordTable::new(|| wordlist::table(PHRASES, "reply above markers"));

/// Ends of such texts, which count on a decorated line.
pub(super) static ABOVE_THIS_LINE: WordTable = WordTable::new(|| wordlist::table(PHRASES, "above this line"));

/// Headings that helpdesks put above quoted history.
pub(super) static PREVIOUS_ANSWERS: WordTable = WordTable::new(|| wordlist::table(PHRASES, "previous answers"));

/// Beginnings of lines that name the program that processed the original message below.
pub(super) static PROCESSED_ORIGINALS: WordTable = WordTable::new(|| wordlist::table(PHRASES, "processed originals"));
