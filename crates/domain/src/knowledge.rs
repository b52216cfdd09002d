//! Knowledge: documents that agents draw on for replies, and their search (`docs/reference/knowledge.md`).
//!
//! A document is split into passages. A search ranks passages by their words and, if there is a model, by their meaning.

mod index;
mod passages;
mod snippet;
mod terms;

pub use index::{KnowledgeIndex, KnowledgeMatch, KnowledgeQuery, KnowledgeReach};
pub use passages::{PASSAGE_CHARS_MAX, Passage, PassageVector, decode, encode, split};
pub use snippet::marked_snippet;
pub use terms::{terms, words_of};

use crate::{
    error::{Detail, ErrorCode, Refusal},
    id::{InboxId, KnowledgeId, WorkspaceId},
    time::Time,
};

/// The longest title in characters.
pub const TITLE_CHARS_MAX: usize = 300;
/// The longest body in characters.
pub const BODY_CHARS_MAX: usize = 200_000;
/// The characters of the body in a list.
pub const EXCERPT_CHARS: usize = 200;
/// The longest `source_id` in characters.
pub const SOURCE_ID_CHARS_MAX: usize = 300;
/// The versions of a document that are kept, the current one included.
pub const VERSIONS_MAX: i64 = 20;
/// The characters of all current documents of a workspace. Their index in memory is about as large.
pub const WORKSPACE_CHARS_MAX: u64 = 100_000_000;
/// The default number of search results.
pub const RESULTS_DEFAULT: u32 = 10;
/// The maximum number of search results.
pub const RESULTS_MAX: u32 = 50;
/// The longest search in characters.
pub const QUERY_CHARS_MAX: usize = 2_000;

/// A knowledge document without its body.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KnowledgeDocument {
    pub workspace: WorkspaceId,
    pub id: KnowledgeId,
    /// The inbox that it is for; `None` for every inbox of the workspace.
    pub inbox: Option<InboxId>,
    /// The caller's name for its source, unique among the documents of the inbox or of the workspace.
    pub source_id: Option<String>,
    pub title: String,
    /// The beginning of the body.
    pub excerpt: String,
    /// The length of the body in characters.
    pub chars: u64,
    /// Counts the changes of title and body, from 1.
    pub version: i64,
    /// The number of its last change in the workspace.
    pub revision: i64,
    pub created_at: Time,
    /// When it was last changed.
    pub updated_at: Time,
}

/// A version of a document.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KnowledgeVersion {
    pub workspace: WorkspaceId,
    pub document: KnowledgeId,
    /// The number.
    pub version: i64,
    pub title: String,
    pub body: String,
    /// When it was written.
    pub created_at: Time,
}

/// A document with the body of its current version.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FullKnowledgeDocument {
    pub document: KnowledgeDocument,
    pub body: String,
}

/// A document that matches a search.
#[derive(Clone, PartialEq, Debug)]
pub struct KnowledgeHit {
    pub document: KnowledgeDocument,
    /// The relevance; higher is better.
    pub rank: f64,
    /// The best passage, with the matches in `**`.
    pub snippet: String,
}

/// The documents of a workspace in numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct KnowledgeUsage {
    /// The number of documents.
    pub documents: u64,
    /// The characters of their bodies.
    pub chars: u64,
}

impl KnowledgeUsage {
    /// Checks the limits after a document was stored. `max` is the number of documents in the plan.
    ///
    /// # Errors
    /// Returns `plan_limit_knowledge`.
    pub fn check(self, max: Option<u64>) -> Result<(), Refusal> {
        if let Some(max) = max.filter(|max| self.documents > *max) {
            let message = format!("The workspace has {max} knowledge documents, as many as its plan allows.");
            return Err(Refusal::new(ErrorCode::PlanLimitKnowledge, message).detail(Detail::Max(max)));
        }
        if self.chars > WORKSPACE_CHARS_MAX {
            let message = format!("All knowledge documents together may have {WORKSPACE_CHARS_MAX} characters.");
            return Err(Refusal::new(ErrorCode::PlanLimitKnowledge, message).detail(Detail::Max(WORKSPACE_CHARS_MAX)));
        }
        Ok(())
    }
}

/// Returns the beginning of a body, as lists show it.
#[must_use]
pub fn excerpt(body: &str) -> String {
    body.chars().take(EXCERPT_CHARS).collect()
}

#[cfg(test)]
mod tests;
