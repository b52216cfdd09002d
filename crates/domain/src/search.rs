//! Full-text search: tokenization, the query language, the indexed text of a message, and snippets of hits.
//!
//! Both databases index tokens that are made here, so that they return the same hits. They store tokens with their
//! positions and know nothing about languages.

mod index;
mod pairs;
mod print;
mod query;
mod snippet;
pub(crate) mod words;

use crate::record::Record;
pub use index::{IndexSource, IndexedText, TEXT_BYTES_MAX, inbox_token, index, workspace_token};
pub use pairs::{HASHES_PER_PAIR, needed_pairs, pairs};
pub use query::{ParsedQuery, QUERY_CHARS_MAX, RankTier, SearchExpression};
pub use snippet::{SearchedText, snippet};

/// A message that matches a search.
#[derive(Clone, PartialEq, Debug)]
pub struct SearchHit {
    /// The message.
    pub record: Record,
    /// The relevance; higher is better.
    pub rank: f64,
    /// The excerpt with the matches, as HTML.
    pub snippet: String,
}

#[cfg(test)]
mod tests;
