//! Knowledge documents, their versions, and results of a search for knowledge.

use posthouse_domain::{FullKnowledgeDocument, KnowledgeDocument, KnowledgeHit, KnowledgeVersion};
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use super::TimestampView;

view! {
    /// A knowledge document in a list.
    #[derive(Serialize, JsonSchema)]
    #[schemars(rename = "KnowledgeItem")]
    pub struct KnowledgeItemView of document: &KnowledgeDocument {
        id: Uuid = document.id.into(),
        /// Inbox that the document is for; null for every inbox of the workspace.
        inbox_id: Option<Uuid> = document.inbox.map(Into::into),
        /// Your name for the source of the document.
        source_id: Option<String> = document.source_id.clone(),
        title: String = document.title.clone(),
        /// First 200 characters of the body.
        excerpt: String = document.excerpt.clone(),
        /// Length of the body in characters.
        chars: u64 = document.chars,
        /// Counts changes of title and body, from 1.
        version: i64 = document.version,
        created_at: TimestampView = document.created_at.into(),
        updated_at: TimestampView = document.updated_at.into(),
    }
}

/// A knowledge document.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Knowledge")]
pub struct KnowledgeView<'a> {
    id: Uuid,
    /// Inbox that the document is for; null for every inbox of the workspace.
    inbox_id: Option<Uuid>,
    /// Your name for the source of the document.
    source_id: Option<&'a str>,
    title: &'a str,
    /// Plain text or Markdown.
    body: &'a str,
    /// Counts changes of title and body, from 1.
    version: i64,
    created_at: TimestampView,
    updated_at: TimestampView,
}

/// A version of a knowledge document.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "KnowledgeVersion")]
pub struct KnowledgeVersionView<'a> {
    version: i64,
    title: &'a str,
    /// Plain text or Markdown.
    body: &'a str,
    created_at: TimestampView,
}

/// A result of a search for knowledge.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "KnowledgeResult")]
pub struct KnowledgeResultView<'a> {
    id: Uuid,
    title: &'a str,
    /// Inbox that the document is for; null for every inbox of the workspace.
    inbox_id: Option<Uuid>,
    /// Relevance from 0 to 1; higher is better.
    rank: f64,
    /// Part of the best passage, with matches in `**`.
    snippet: &'a str,
}

/// Results of a search for knowledge, without pagination.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "KnowledgeResults")]
pub struct KnowledgeResultsView<'a> {
    /// Results, best first.
    pub data: Vec<KnowledgeResultView<'a>>,
}

impl<'a> KnowledgeView<'a> {
    /// Returns the view of a document.
    #[must_use]
    pub fn of(full: &'a FullKnowledgeDocument) -> Self {
        let document = &full.document;
        Self {
            id: document.id.into(),
            inbox_id: document.inbox.map(Into::into),
            source_id: document.source_id.as_deref(),
            title: &document.title,
            body: &full.body,
            version: document.version,
            created_at: document.created_at.into(),
            updated_at: document.updated_at.into(),
        }
    }
}

impl<'a> KnowledgeVersionView<'a> {
    /// Returns the view of a version.
    #[must_use]
    pub fn of(version: &'a KnowledgeVersion) -> Self {
        let KnowledgeVersion { title, body, created_at, .. } = version;
        Self { version: version.version, title, body, created_at: (*created_at).into() }
    }
}

impl<'a> KnowledgeResultsView<'a> {
    /// Returns the view of results.
    #[must_use]
    pub fn of(hits: &'a [KnowledgeHit]) -> Self {
        let result = |hit: &'a KnowledgeHit| KnowledgeResultView {
            id: hit.document.id.into(),
            title: &hit.document.title,
            inbox_id: hit.document.inbox.map(Into::into),
            rank: hit.rank,
            snippet: &hit.snippet,
        };
        Self { data: hits.iter().map(result).collect() }
    }
}
