//! Search results: a message with its rank and a snippet.

use schemars::JsonSchema;
use serde::Serialize;

use super::message::MessageView;
use posthouse_domain::search::SearchHit;

/// A search result.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "FoundMessage")]
pub struct SearchHitView<'a> {
    #[serde(flatten)]
    message: MessageView<'a>,
    /// Relevance: 1 if the subject contains all words, 0.75 if subject or sender contain them or the body repeats them,
    /// otherwise 0.5.
    rank: f64,
    /// Excerpt around the first match, as escaped HTML with matches in `<b>`.
    snippet: &'a str,
}

impl<'a> SearchHitView<'a> {
    /// Returns the view of a search hit.
    #[must_use]
    pub fn of(hit: &'a SearchHit) -> Self {
        Self { message: MessageView::of(&hit.record), rank: hit.rank, snippet: &hit.snippet }
    }
}
