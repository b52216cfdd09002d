//! What a search shows (contract §7): a message with its rank and the part where the query is.

use schemars::JsonSchema;
use serde::Serialize;

use super::message::MessageView;
use crate::app::search::Found;

/// A message that was found.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "FoundMessage")]
pub struct FoundView<'a> {
    #[serde(flatten)]
    message: MessageView<'a>,
    /// How well it fits: 1 when all words are in the subject, 0.75 when they are in subject or sender or several times in the body,
    /// else 0.5.
    rank: f64,
    /// HTML: the part of the message where the query is, escaped, with `<b>` around what was found.
    snippet: &'a str,
}

impl<'a> FoundView<'a> {
    /// Shows what was found.
    #[must_use]
    pub fn of(found: &'a Found) -> Self {
        Self { message: MessageView::of(&found.record), rank: found.rank, snippet: &found.snippet }
    }
}
