//! Full-text search (contract §7): what words are, what a query means, what is indexed of a message, what is shown of a hit.
//!
//! Both databases get words that are made here, so that they find the same. They only store words with places and say
//! which messages have them; nothing here knows their languages.

mod index;
mod pairs;
mod query;
mod snippet;
mod words;

pub use index::{Source, TEXT_BYTES_MAX, Tokens, inbox_token, index, workspace_token};
pub use pairs::{NUMBERS_PER_PAIR, needed_pairs, pairs};
pub use query::{Expression, QUERY_CHARS_MAX, Query, Tier};
pub use snippet::snippet;

#[cfg(test)]
mod tests;
