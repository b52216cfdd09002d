//! Lists and reads knowledge documents and their versions.

use posthouse_domain::{
    Caller, CursorPosition, FullKnowledgeDocument, InboxId, KnowledgeDocument, KnowledgeId, KnowledgeVersion, Page,
    PageParameters, PageRange, Refusal,
};
use posthouse_store::{Tx, knowledge as store};

pub use posthouse_store::knowledge::{CitationRow, VersionSummary};

use super::visible_document;
use crate::{access::visible, service::Service};

/// The answers that are listed for a document.
const ANSWERS_MAX: u32 = 100;

/// Returns a page of the documents that the caller may read, newest first; with an inbox, only those for it.
///
/// # Errors
/// Returns `not_found` if the inbox is missing or invisible, or `invalid_cursor`.
pub async fn page(
    service: &Service,
    caller: Caller,
    inbox: Option<InboxId>,
    page: PageParameters,
) -> Result<Page<KnowledgeDocument>, Refusal> {
    let list = page.of_list(format!("knowledge of {} {inbox:?}", caller.workspace))?;
    let range = list.page();
    let found = service.read(caller.workspace, move |tx| rows(tx, &caller, inbox, &range)).await?;
    Ok(list.page_of(found, |last| CursorPosition::of(last.created_at, last.id.0)))
}

fn rows(
    tx: &mut Tx,
    caller: &Caller,
    inbox: Option<InboxId>,
    range: &PageRange,
) -> Result<Vec<KnowledgeDocument>, Refusal> {
    let workspace = caller.workspace;
    match (inbox, caller.scope().inboxes()) {
        (Some(inbox), _) => {
            visible::inbox(tx, caller, inbox)?;
            Ok(store::page_of_inbox(tx, workspace, Some(inbox), range)?)
        }
        (None, None) => Ok(store::page(tx, workspace, range)?),
        (None, Some(own)) => {
            let mut found = store::page_of_inbox(tx, workspace, None, range)?;
            for inbox in own {
                found.extend(store::page_of_inbox(tx, workspace, Some(*inbox), range)?);
            }
            found.sort_by_key(|document| std::cmp::Reverse((document.created_at, document.id)));
            found.truncate(range.limit as usize);
            Ok(found)
        }
    }
}

/// Returns a document with its body.
///
/// # Errors
/// Returns `not_found` if it is missing or invisible.
pub async fn get(service: &Service, caller: Caller, id: KnowledgeId) -> Result<FullKnowledgeDocument, Refusal> {
    service.read(caller.workspace, move |tx| full(tx, &caller, id)).await
}

/// Returns the kept versions of a document, newest first.
///
/// # Errors
/// Returns `not_found` if it is missing or invisible.
pub async fn versions(service: &Service, caller: Caller, id: KnowledgeId) -> Result<Vec<VersionSummary>, Refusal> {
    let work = move |tx: &mut Tx| {
        let document = visible_document(tx, &caller, id)?;
        Ok::<_, Refusal>(store::versions(tx, document.workspace, id)?)
    };
    service.read(caller.workspace, work).await
}

/// Returns a version of a document.
///
/// # Errors
/// Returns `not_found` if the document is missing or invisible, or the version isn't kept.
pub async fn version(
    service: &Service,
    caller: Caller,
    id: KnowledgeId,
    number: i64,
) -> Result<KnowledgeVersion, Refusal> {
    let work = move |tx: &mut Tx| {
        let document = visible_document(tx, &caller, id)?;
        store::version(tx, document.workspace, id, number)?.ok_or_else(|| Refusal::not_found("version"))
    };
    service.read(caller.workspace, work).await
}

/// Returns the newest answers that cite a document, newest first, to messages that the caller may see.
///
/// # Errors
/// Returns `not_found` if it is missing or invisible.
pub async fn answers(service: &Service, caller: Caller, id: KnowledgeId) -> Result<Vec<CitationRow>, Refusal> {
    let work = move |tx: &mut Tx| {
        let document = visible_document(tx, &caller, id)?;
        let mut found = store::citations(tx, document.workspace, id, ANSWERS_MAX)?;
        found.retain(|answer| caller.scope().allows_inbox(answer.inbox));
        Ok::<_, Refusal>(found)
    };
    service.read(caller.workspace, work).await
}

pub(super) fn full(tx: &mut Tx, caller: &Caller, id: KnowledgeId) -> Result<FullKnowledgeDocument, Refusal> {
    let document = visible_document(tx, caller, id)?;
    let version = store::version(tx, document.workspace, id, document.version)?;
    let version = version.ok_or_else(|| Refusal::not_found("knowledge document"))?;
    Ok(FullKnowledgeDocument { document, body: version.body })
}
