//! Searches the knowledge documents that a caller may read.
//!
//! The index in memory is brought to the state of the store first, so a search finds every document committed before it
//! and no passage of an old version.

use posthouse_domain::knowledge::{
    self, KnowledgeIndex, KnowledgeMatch, KnowledgeQuery, KnowledgeReach, Passage, marked_snippet, terms, words_of,
};
use posthouse_domain::{
    Caller, ErrorCode, InboxId, KnowledgeDocument, KnowledgeHit, KnowledgeId, KnowledgeVersion, Refusal, WorkspaceId,
};
use posthouse_store::Tx;
use posthouse_store::knowledge::{self as store, ChangedDocument};

use super::{Embedder, reach};
use crate::memory::knowledge::SharedIndex;
use crate::{
    limits::blocking_pool::{WorkClass, WorkOwner, WorkStop},
    service::Service,
};

/// The documents read per transaction.
const STEP: u32 = 500;

/// A search for knowledge.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KnowledgeSearch {
    /// The words or the question.
    pub text: String,
    /// The inbox whose documents are searched beside those for every inbox.
    pub inbox: Option<InboxId>,
    /// The maximum number of documents.
    pub limit: u32,
}

/// A document that matches, with its best passage.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct FoundPassage {
    pub(crate) document: KnowledgeDocument,
    pub(crate) rank: f64,
    /// Where the passage begins, in characters of the body.
    pub(crate) start_chars: usize,
    pub(crate) text: String,
}

/// Returns the documents that match best.
///
/// # Errors
/// Returns `not_found` if the inbox is missing or invisible.
pub async fn search(service: &Service, caller: Caller, request: KnowledgeSearch) -> Result<Vec<KnowledgeHit>, Refusal> {
    let wanted = words_of(&request.text);
    let found = passages(service, caller, request).await?;
    let hit = |found: FoundPassage| KnowledgeHit {
        snippet: marked_snippet(&found.text, &wanted),
        document: found.document,
        rank: found.rank,
    };
    Ok(found.into_iter().map(hit).collect())
}

/// Returns the documents that match best, each with its best passage.
pub(crate) async fn passages(
    service: &Service,
    caller: Caller,
    request: KnowledgeSearch,
) -> Result<Vec<FoundPassage>, Refusal> {
    let (workspace, inbox) = (caller.workspace, request.inbox);
    let reach = service.read(workspace, move |tx| reach(tx, &caller, inbox)).await?;
    let index = current_index(service, workspace).await?;
    let embedder = Embedder::of(service);
    let searched = reach.clone();
    let work = move |_: &WorkStop| {
        let vector = embedder.embed(&request.text);
        let query =
            KnowledgeQuery { terms: terms(&request.text), vector, reach: searched, limit: request.limit as usize };
        index.read().map(|index| index.search(&query)).unwrap_or_default()
    };
    let matches = service.blocking_pool.run_for(WorkOwner { class: WorkClass::Search, workspace }, 0, work).await?;
    service.read(workspace, move |tx| load(tx, workspace, &matches, &reach)).await
}

/// Loads the documents of matches. One that changed since is left out if its passage is no longer there.
fn load(
    tx: &mut Tx,
    workspace: WorkspaceId,
    matches: &[KnowledgeMatch],
    reach: &KnowledgeReach,
) -> Result<Vec<FoundPassage>, Refusal> {
    let mut found = Vec::with_capacity(matches.len());
    for hit in matches {
        let Some(document) = store::get(tx, workspace, hit.document)?.filter(|d| reach.has(d.inbox)) else { continue };
        let Some(version) = store::version(tx, workspace, document.id, document.version)? else { continue };
        let (start, end) = (hit.start as usize, hit.end as usize);
        let Some(text) = version.body.get(start..end).map(str::to_owned) else { continue };
        let start_chars = version.body[..start].chars().count();
        found.push(FoundPassage { document, rank: hit.rank, start_chars, text });
    }
    Ok(found)
}

/// Returns the index of a workspace in the state of the store.
async fn current_index(service: &Service, workspace: WorkspaceId) -> Result<SharedIndex, Refusal> {
    let index = service.knowledge.of(workspace);
    let newest = service.read(workspace, move |tx| store::revision(tx, workspace)).await?;
    if revision(&index) >= newest {
        return Ok(index);
    }
    let _one_at_a_time = service.knowledge.reading.lock().await;
    let index = service.knowledge.of(workspace);
    while revision(&index) < newest {
        let known = revision(&index);
        let model = Embedder::of(service).version().to_owned();
        let batch = service.read(workspace, move |tx| batch(tx, workspace, known, &model)).await?;
        let (target, embedder) = (SharedIndex::clone(&index), Embedder::of(service));
        let work = move |_: &WorkStop| apply(&target, batch, &embedder);
        let owner = WorkOwner { class: WorkClass::Search, workspace };
        let applied = service.blocking_pool.run_for(owner, 0, work).await??;
        service.knowledge.grown(workspace, applied.bytes);
        keep(service, workspace, applied.renewed).await;
    }
    Ok(index)
}

/// Stores passages that were made again with the current model. If that fails, they are made again after a restart.
async fn keep(service: &Service, workspace: WorkspaceId, renewed: Vec<ChangedDocument>) {
    if renewed.is_empty() {
        return;
    }
    let work = move |tx: &mut Tx| renewed.iter().try_for_each(|one| store::replace_passages(tx, workspace, one));
    if let Err(error) = service.store.write_background(work).await {
        tracing::warn!(workspace_id = %workspace, cause = error.internal(), "knowledge.passages_not_kept");
    }
}

fn revision(index: &SharedIndex) -> i64 {
    index.read().map(|index| index.revision).unwrap_or(i64::MIN)
}

/// Changes of documents, read together.
struct ChangeBatch {
    documents: Vec<ChangedDocument>,
    /// The text of those whose vectors are of another model.
    outdated: Vec<KnowledgeVersion>,
    /// All documents, if this is the last batch: others were deleted.
    last: Option<LastBatch>,
}

struct LastBatch {
    ids: Vec<KnowledgeId>,
    revision: i64,
}

fn batch(tx: &mut Tx, workspace: WorkspaceId, known: i64, model: &str) -> Result<ChangeBatch, Refusal> {
    let documents = store::changed(tx, workspace, known, STEP)?;
    let mut outdated = Vec::new();
    for one in documents.iter().filter(|one| one.passages.model != model) {
        outdated.extend(store::version(tx, workspace, one.id, one.version)?);
    }
    let last = if documents.len() < STEP as usize {
        Some(LastBatch { ids: store::ids(tx, workspace)?, revision: store::revision(tx, workspace)? })
    } else {
        None
    };
    Ok(ChangeBatch { documents, outdated, last })
}

/// The result of applying changes.
struct AppliedBatch {
    /// The size of the index in bytes.
    bytes: usize,
    /// The documents whose passages were made again.
    renewed: Vec<ChangedDocument>,
}

/// Applies changes to an index. Passages whose vectors are of another model are made again.
fn apply(index: &SharedIndex, batch: ChangeBatch, embedder: &Embedder) -> Result<AppliedBatch, Refusal> {
    let broken = || Refusal::new(ErrorCode::Internal, "The index of knowledge can't be read.");
    let mut index = index.write().map_err(|_| broken())?;
    let mut renewed = Vec::new();
    for mut document in batch.documents {
        let outdated = batch.outdated.iter().find(|version| version.document == document.id);
        let passages = match outdated {
            Some(version) => {
                let passages = knowledge::split(&version.title, &version.body, |text| embedder.embed(text));
                document.passages.model = embedder.version().to_owned();
                document.passages.bytes = knowledge::encode(&passages);
                passages
            }
            None => read_passages(&document),
        };
        index.put(document.id, document.inbox, &passages);
        index.revision = document.revision;
        renewed.extend(outdated.map(|_| document));
    }
    if let Some(last) = batch.last {
        index.retain(&last.ids);
        index.revision = last.revision;
    }
    if index.is_worn() {
        // It is read again from the start by the next search.
        *index = KnowledgeIndex::default();
    }
    Ok(AppliedBatch { bytes: index.bytes(), renewed })
}

fn read_passages(document: &ChangedDocument) -> Vec<Passage> {
    knowledge::decode(&document.passages.bytes).unwrap_or_else(|| {
        tracing::error!(document_id = %document.id, "knowledge.unreadable");
        Vec::new()
    })
}
