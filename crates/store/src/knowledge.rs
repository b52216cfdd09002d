//! Knowledge documents, their versions and passages.
//!
//! Each change takes the next number of the workspace, so that an index in memory reads only what changed since its own.

use posthouse_domain::{
    DraftId, InboxId, KnowledgeDocument, KnowledgeId, KnowledgeVersion, MessageId, PageRange, Time, WorkspaceId,
    knowledge::{KnowledgeUsage, VERSIONS_MAX},
};

use crate::{Result, Tx, statements, values::Nil};

statements! {
    fn take_revision(workspace: WorkspaceId) -> Option<i64> =
        "INSERT INTO knowledge_heads (workspace_id, revision) VALUES (:workspace, 1)
        ON CONFLICT (workspace_id) DO UPDATE SET revision = knowledge_heads.revision + 1 RETURNING revision";
    fn head(workspace: WorkspaceId) -> Option<i64> =
        "SELECT revision FROM knowledge_heads WHERE workspace_id = :workspace";
    fn insert_row(document: row &KnowledgeDocument) = "{insert knowledge_documents}";
    fn set_row(document: row &KnowledgeDocument) =
        "UPDATE knowledge_documents {set knowledge_documents} WHERE workspace_id = :workspace_id AND id = :id";
    fn insert_version(version: row &KnowledgeVersion) = "{insert knowledge_versions}";
    fn prune_versions(workspace: WorkspaceId, document: KnowledgeId, before: i64) =
        "DELETE FROM knowledge_versions WHERE workspace_id = :workspace AND document_id = :document AND version <= :before";
    fn set_passages(workspace: WorkspaceId, document: KnowledgeId, model: &str, passages: &[u8]) =
        "INSERT INTO knowledge_passages (workspace_id, document_id, model, passages) VALUES (:workspace, :document, :model, :passages)
        ON CONFLICT (workspace_id, document_id) DO UPDATE SET model = excluded.model, passages = excluded.passages";
    /// Returns a document.
    pub fn get(workspace: WorkspaceId, id: KnowledgeId) -> Option<KnowledgeDocument> =
        "SELECT {knowledge_documents} FROM knowledge_documents WHERE workspace_id = :workspace AND id = :id";
    /// Returns a document and locks its row until the end of the transaction.
    pub fn lock(workspace: WorkspaceId, id: KnowledgeId) -> Option<KnowledgeDocument> =
        "SELECT {knowledge_documents} FROM knowledge_documents WHERE workspace_id = :workspace AND id = :id {FOR_UPDATE}";
    /// Returns the document of a source in its scope, and locks its row until the end of the transaction.
    pub fn lock_source(
        workspace: WorkspaceId, inbox: Option<InboxId> { inbox: Nil::value(inbox.as_ref()) }, source: &str,
    ) -> Option<KnowledgeDocument> =
        "SELECT {knowledge_documents} FROM knowledge_documents
        WHERE workspace_id = :workspace AND inbox_id = :inbox AND source_id = :source {FOR_UPDATE}";
    /// Returns a page of the documents of a workspace, newest first.
    pub fn page(
        workspace: WorkspaceId, page: &PageRange { sort: page.sort(), id: page.id(), limit },
    ) -> Vec<KnowledgeDocument> =
        "SELECT {knowledge_documents} FROM knowledge_documents WHERE workspace_id = :workspace AND (created_at, id) < (:sort, :id)
        ORDER BY created_at DESC, id DESC LIMIT :limit";
    /// Returns a page of the documents of an inbox, or of those for every inbox, newest first.
    pub fn page_of_inbox(
        workspace: WorkspaceId, inbox: Option<InboxId> { inbox: Nil::value(inbox.as_ref()) },
        page: &PageRange { sort: page.sort(), id: page.id(), limit },
    ) -> Vec<KnowledgeDocument> =
        "SELECT {knowledge_documents} FROM knowledge_documents
        WHERE workspace_id = :workspace AND inbox_id = :inbox AND (created_at, id) < (:sort, :id)
        ORDER BY created_at DESC, id DESC LIMIT :limit";
    /// Returns a version of a document.
    pub fn version(workspace: WorkspaceId, document: KnowledgeId, version: i64) -> Option<KnowledgeVersion> =
        "SELECT {knowledge_versions} FROM knowledge_versions
        WHERE workspace_id = :workspace AND document_id = :document AND version = :version";
    /// Returns the kept versions of a document without their bodies, newest first.
    pub fn versions(workspace: WorkspaceId, document: KnowledgeId) -> Vec<VersionSummary> =
        "SELECT version, title, length(body) AS chars, created_at FROM knowledge_versions
        WHERE workspace_id = :workspace AND document_id = :document ORDER BY version DESC";
    fn usage(workspace: WorkspaceId) -> Option<UsageRow> =
        "SELECT count(*) AS documents, CAST(COALESCE(sum(chars), 0) AS BIGINT) AS chars FROM knowledge_documents
        WHERE workspace_id = :workspace";
    /// Returns the documents that changed after a revision, with their passages, in the order of the changes.
    pub fn changed(workspace: WorkspaceId, after: i64, limit: u32) -> Vec<ChangedDocument> =
        "SELECT d.id, d.inbox_id, d.version, d.revision, p.model, p.passages FROM knowledge_documents d
        JOIN knowledge_passages p ON p.workspace_id = d.workspace_id AND p.document_id = d.id
        WHERE d.workspace_id = :workspace AND d.revision > :after ORDER BY d.revision LIMIT :limit";
    /// Returns the ids of all documents.
    pub fn ids(workspace: WorkspaceId) -> Vec<KnowledgeId> =
        "SELECT id FROM knowledge_documents WHERE workspace_id = :workspace";
    fn delete_row(workspace: WorkspaceId, id: KnowledgeId) -> bool =
        "DELETE FROM knowledge_documents WHERE workspace_id = :workspace AND id = :id";
    fn delete_versions(workspace: WorkspaceId, id: KnowledgeId) =
        "DELETE FROM knowledge_versions WHERE workspace_id = :workspace AND document_id = :id";
    fn delete_passages(workspace: WorkspaceId, id: KnowledgeId) =
        "DELETE FROM knowledge_passages WHERE workspace_id = :workspace AND document_id = :id";
    fn delete_citations(workspace: WorkspaceId, id: KnowledgeId) =
        "DELETE FROM knowledge_citations WHERE workspace_id = :workspace AND document_id = :id";
    fn insert_citation_row(
        citation: &NewCitation { workspace, message, document, version }, draft: Option<DraftId> { draft: Nil::value(draft.as_ref()) },
        now: Time,
    ) =
        "INSERT INTO knowledge_citations (workspace_id, message_id, document_id, version, draft_id, created_at)
        VALUES (:workspace, :message, :document, :version, :draft, :now) ON CONFLICT DO NOTHING";
    /// Returns the newest answers that cite a document.
    pub fn citations(workspace: WorkspaceId, document: KnowledgeId, limit: u32) -> Vec<CitationRow> =
        "SELECT c.message_id, m.inbox_id, c.version, c.draft_id, c.created_at FROM knowledge_citations c
        JOIN messages m ON m.workspace_id = c.workspace_id AND m.id = c.message_id
        WHERE c.workspace_id = :workspace AND c.document_id = :document ORDER BY c.created_at DESC LIMIT :limit";
    fn of_inbox(workspace: WorkspaceId, inbox: InboxId) -> Vec<KnowledgeId> =
        "SELECT id FROM knowledge_documents WHERE workspace_id = :workspace AND inbox_id = :inbox";
}

/// A document that an answer to a message cites.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NewCitation {
    pub workspace: WorkspaceId,
    pub message: MessageId,
    pub document: KnowledgeId,
    pub version: i64,
    /// The draft with the answer, if it was stored.
    pub draft: Option<DraftId>,
}

/// Stores that an answer cites a document.
pub fn insert_citation(tx: &mut Tx, citation: &NewCitation, now: Time) -> Result<()> {
    insert_citation_row(tx, citation, citation.draft, now)
}

/// The passages of a document, as they are stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredPassages {
    /// The model of the vectors; empty if there are none.
    pub model: String,
    /// The encoded passages.
    pub bytes: Vec<u8>,
}

/// Replaces the passages of a version, unless the document has another one by now.
pub fn replace_passages(tx: &mut Tx, workspace: WorkspaceId, of: &ChangedDocument) -> Result<()> {
    let is_current = get(tx, workspace, of.id)?.is_some_and(|document| document.version == of.version);
    if is_current { set_passages(tx, workspace, of.id, &of.passages.model, &of.passages.bytes) } else { Ok(()) }
}

/// Takes the number of the next change of a workspace's documents. Changes of a workspace wait for each other.
pub fn next_revision(tx: &mut Tx, workspace: WorkspaceId) -> Result<i64> {
    Ok(take_revision(tx, workspace)?.unwrap_or_default())
}

/// Returns the number of the last change of a workspace's documents.
pub fn revision(tx: &mut Tx, workspace: WorkspaceId) -> Result<i64> {
    Ok(head(tx, workspace)?.unwrap_or_default())
}

/// Stores a document with its first version.
pub fn insert(
    tx: &mut Tx,
    document: &KnowledgeDocument,
    version: &KnowledgeVersion,
    passages: &StoredPassages,
) -> Result<()> {
    insert_row(tx, document)?;
    store_version(tx, version, passages)
}

/// Changes a document, with a new version.
pub fn update(
    tx: &mut Tx,
    document: &KnowledgeDocument,
    version: &KnowledgeVersion,
    passages: &StoredPassages,
) -> Result<()> {
    set_row(tx, document)?;
    store_version(tx, version, passages)
}

/// Changes a document without a new version.
pub fn reassign(tx: &mut Tx, document: &KnowledgeDocument) -> Result<()> {
    set_row(tx, document)
}

/// Stores a version. Old ones beyond the maximum go.
fn store_version(tx: &mut Tx, version: &KnowledgeVersion, passages: &StoredPassages) -> Result<()> {
    insert_version(tx, version)?;
    let KnowledgeVersion { workspace, document, .. } = *version;
    prune_versions(tx, workspace, document, version.version - VERSIONS_MAX)?;
    set_passages(tx, workspace, document, &passages.model, &passages.bytes)
}

/// Deletes a document with its versions and passages; returns whether there was one.
pub fn delete(tx: &mut Tx, workspace: WorkspaceId, id: KnowledgeId) -> Result<bool> {
    next_revision(tx, workspace)?;
    delete_citations(tx, workspace, id)?;
    delete_versions(tx, workspace, id)?;
    delete_passages(tx, workspace, id)?;
    delete_row(tx, workspace, id)
}

/// Deletes the documents of an inbox.
pub fn delete_of_inbox(tx: &mut Tx, workspace: WorkspaceId, inbox: InboxId) -> Result<()> {
    of_inbox(tx, workspace, inbox)?.into_iter().try_for_each(|id| delete(tx, workspace, id).map(drop))
}

/// Returns the number of documents and of their characters.
pub fn usage_of(tx: &mut Tx, workspace: WorkspaceId) -> Result<KnowledgeUsage> {
    let found = usage(tx, workspace)?;
    Ok(found.map_or_else(KnowledgeUsage::default, |row| KnowledgeUsage { documents: row.documents, chars: row.chars }))
}

crate::row_struct!(
    /// The number of documents and of their characters.
    UsageRow { documents: u64, chars: u64 }
);

/// An answer that cites a document.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CitationRow {
    /// The message that it replies to.
    pub message: MessageId,
    /// The inbox of that message.
    pub inbox: InboxId,
    /// The cited version.
    pub version: i64,
    /// The draft with the answer, if it was stored.
    pub draft: Option<DraftId>,
    /// When it was written.
    pub created_at: Time,
}

crate::from_row!(CitationRow { message_id: MessageId, inbox_id: InboxId, version, draft_id: DraftId, created_at } => {
    Self { message: message_id, inbox: inbox_id, version, draft: Nil::read(draft_id), created_at }
});

crate::row_struct!(
    /// A version without its body.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub VersionSummary { version: i64, title: String, chars: u64, created_at: Time }
);

/// A document that changed, with its passages.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChangedDocument {
    /// The document.
    pub id: KnowledgeId,
    pub inbox: Option<InboxId>,
    pub version: i64,
    /// The number of the change.
    pub revision: i64,
    pub passages: StoredPassages,
}

crate::from_row!(ChangedDocument {
    id, inbox_id: uuid::Uuid, version, revision, model, passages: Vec<u8>,
} => {
    Self { id, inbox: Nil::read(InboxId(inbox_id)), version, revision, passages: StoredPassages { model, bytes: passages } }
});
