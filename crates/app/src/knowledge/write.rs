//! Creates, changes and deletes knowledge documents.
//!
//! A document's passages are made before the transaction, because that takes a while. The old ones are gone from search
//! with the commit.

use posthouse_api::views::event::data;
use posthouse_api::views::knowledge::KnowledgeItemView;
use posthouse_domain::knowledge::{self, KnowledgeVersion};
use posthouse_domain::{
    Caller, ErrorCode, EventKind, FullKnowledgeDocument, IdGenerator, InboxId, KnowledgeDocument, KnowledgeId,
    NewEvent, Plans, Refusal, Time, WorkspaceId,
};
use posthouse_store::knowledge::{self as store, StoredPassages};
use posthouse_store::{Tx, events, inboxes, workspaces};

use super::{Embedder, check_scope, visible_document};
use crate::{
    limits::blocking_pool::{WorkClass, WorkOwner, WorkStop},
    service::Service,
};

/// How often a change begins again because the document changed meanwhile.
const ATTEMPTS_MAX: usize = 5;

/// A document to create, or a new version of the document with its source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewKnowledge {
    /// The inbox that it is for; `None` for every inbox.
    pub inbox: Option<InboxId>,
    /// The caller's name for its source.
    pub source_id: Option<String>,
    pub title: String,
    pub body: String,
}

/// A change of a document; `None` keeps a field.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct KnowledgeChange {
    pub title: Option<String>,
    pub body: Option<String>,
    /// The inbox; `Some(None)` for every inbox.
    pub inbox: Option<Option<InboxId>>,
}

/// A stored document.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredKnowledge {
    pub document: FullKnowledgeDocument,
    pub is_new: bool,
}

/// What transactions need.
#[derive(Clone)]
struct Writer {
    caller: Caller,
    ids: IdGenerator,
    now: Time,
    plans: Plans,
}

impl Writer {
    fn of(service: &Service, caller: Caller) -> Self {
        Self { caller, ids: service.clock.ids(), now: service.clock.now(), plans: service.config.plans }
    }

    /// Checks the limits of the plan, and appends the event.
    fn finish(&self, tx: &mut Tx, kind: EventKind, document: &KnowledgeDocument) -> Result<(), Refusal> {
        if kind != EventKind::KnowledgeDeleted {
            let workspace = workspaces::get(tx, document.workspace)?.ok_or_else(|| Refusal::not_found("workspace"))?;
            let max = workspace.limits(&self.plans).knowledge_documents;
            store::usage_of(tx, document.workspace)?.check(max)?;
        }
        let detail = data::text(&data::KnowledgeData { knowledge: KnowledgeItemView::of(document) });
        // The first id is that of a new document.
        let ids = self.ids.clone();
        let _: KnowledgeId = ids.next();
        let event =
            NewEvent::new(kind, document.workspace, ids.next(), self.now).in_inbox(document.inbox).with_detail(detail);
        Ok(events::append(tx, &event)?)
    }
}

/// Creates a document. One with the `source_id` of a document in the same scope becomes its next version, unless title and
/// body are the same.
///
/// # Errors
/// Returns `forbidden` if a key of one inbox names no inbox, `not_found` if the inbox is missing, or
/// `plan_limit_knowledge`.
pub async fn put(service: &Service, caller: Caller, new: NewKnowledge) -> Result<StoredKnowledge, Refusal> {
    let writer = Writer::of(service, caller);
    let (title, body) = (new.title.clone(), new.body.clone());
    let passages = passages(service, caller.workspace, title, body).await?;
    service.write(move |tx| put_in(tx, &writer, &new, &passages)).await
}

fn put_in(
    tx: &mut Tx,
    writer: &Writer,
    new: &NewKnowledge,
    passages: &StoredPassages,
) -> Result<StoredKnowledge, Refusal> {
    let workspace = writer.caller.workspace;
    check_scope(tx, &writer.caller, new.inbox)?;
    inboxes::take_workspace(tx, workspace)?;
    let known = match &new.source_id {
        Some(source) => store::lock_source(tx, workspace, new.inbox, source)?,
        None => None,
    };
    if let Some(before) = &known
        && let Some(same) = store::version(tx, workspace, before.id, before.version)?
        && (&same.title, &same.body) == (&new.title, &new.body)
    {
        let document = FullKnowledgeDocument { document: before.clone(), body: same.body };
        return Ok(StoredKnowledge { document, is_new: false });
    }
    let is_new = known.is_none();
    let before = known.unwrap_or_else(|| KnowledgeDocument {
        workspace,
        id: writer.ids.clone().next(),
        inbox: new.inbox,
        source_id: new.source_id.clone(),
        title: String::new(),
        excerpt: String::new(),
        chars: 0,
        version: 0,
        revision: 0,
        created_at: writer.now,
        updated_at: writer.now,
    });
    let (document, version) = next_version(tx, writer, &before, new.title.clone(), new.body.clone())?;
    if is_new {
        store::insert(tx, &document, &version, passages)?;
    } else {
        store::update(tx, &document, &version, passages)?;
    }
    let kind = if is_new { EventKind::KnowledgeCreated } else { EventKind::KnowledgeUpdated };
    writer.finish(tx, kind, &document)?;
    Ok(StoredKnowledge { document: FullKnowledgeDocument { document, body: version.body }, is_new })
}

fn next_version(
    tx: &mut Tx,
    writer: &Writer,
    before: &KnowledgeDocument,
    title: String,
    body: String,
) -> Result<(KnowledgeDocument, KnowledgeVersion), Refusal> {
    let document = KnowledgeDocument {
        title: title.clone(),
        excerpt: knowledge::excerpt(&body),
        chars: body.chars().count() as u64,
        version: before.version + 1,
        revision: store::next_revision(tx, before.workspace)?,
        updated_at: writer.now,
        ..before.clone()
    };
    let version = KnowledgeVersion {
        workspace: document.workspace,
        document: document.id,
        version: document.version,
        title,
        body,
        created_at: writer.now,
    };
    Ok((document, version))
}

/// Changes a document and returns it. A change of title or body makes a new version.
///
/// # Errors
/// Returns `not_found` if the document or the inbox is missing, `forbidden` if a key of one inbox changes a document for
/// every inbox, `knowledge_source_exists`, or `plan_limit_knowledge`.
pub async fn change(
    service: &Service,
    caller: Caller,
    id: KnowledgeId,
    change: KnowledgeChange,
) -> Result<FullKnowledgeDocument, Refusal> {
    for _ in 0..ATTEMPTS_MAX {
        let writer = Writer::of(service, caller);
        let reader = caller;
        let before = service.read(caller.workspace, move |tx| super::read::full(tx, &reader, id)).await?;
        let title = change.title.clone().unwrap_or_else(|| before.document.title.clone());
        let body = change.body.clone().unwrap_or_else(|| before.body.clone());
        let passages = if title == before.document.title && body == before.body {
            None
        } else {
            Some(passages(service, caller.workspace, title.clone(), body.clone()).await?)
        };
        let inbox = change.inbox;
        let after = DocumentChange { version: before.document.version, title, body, inbox, passages };
        if let Some(done) = service.write(move |tx| change_in(tx, &writer, id, &after)).await? {
            return Ok(done);
        }
    }
    Err(Refusal::new(ErrorCode::Unavailable, "The document is being changed by others."))
}

/// A document after a change, with the version that it was made from.
struct DocumentChange {
    version: i64,
    title: String,
    body: String,
    inbox: Option<Option<InboxId>>,
    passages: Option<StoredPassages>,
}

/// Stores a change; returns `None` if the document has another version by now.
fn change_in(
    tx: &mut Tx,
    writer: &Writer,
    id: KnowledgeId,
    change: &DocumentChange,
) -> Result<Option<FullKnowledgeDocument>, Refusal> {
    let before = changeable(tx, &writer.caller, id)?;
    if before.version != change.version {
        return Ok(None);
    }
    let inbox = change.inbox.unwrap_or(before.inbox);
    let (title, body) = (change.title.clone(), change.body.clone());
    if inbox == before.inbox && change.passages.is_none() {
        return Ok(Some(FullKnowledgeDocument { document: before, body }));
    }
    if inbox != before.inbox {
        check_scope(tx, &writer.caller, inbox)?;
        if let Some(source) = &before.source_id
            && store::lock_source(tx, before.workspace, inbox, source)?.is_some()
        {
            let message = "A document there has the same `source_id`.";
            return Err(Refusal::new(ErrorCode::KnowledgeSourceExists, message));
        }
    }
    let document = match &change.passages {
        Some(passages) => {
            let (document, version) = next_version(tx, writer, &before, title, body.clone())?;
            let document = KnowledgeDocument { inbox, ..document };
            store::update(tx, &document, &version, passages)?;
            document
        }
        None => {
            let revision = store::next_revision(tx, before.workspace)?;
            let document = KnowledgeDocument { inbox, revision, updated_at: writer.now, ..before };
            store::reassign(tx, &document)?;
            document
        }
    };
    writer.finish(tx, EventKind::KnowledgeUpdated, &document)?;
    Ok(Some(FullKnowledgeDocument { document, body }))
}

/// Deletes a document with all its versions.
///
/// # Errors
/// Returns `not_found` if it is missing, or `forbidden` if a key of one inbox deletes a document for every inbox.
pub async fn delete(service: &Service, caller: Caller, id: KnowledgeId) -> Result<(), Refusal> {
    let writer = Writer::of(service, caller);
    let work = move |tx: &mut Tx| {
        let document = changeable(tx, &writer.caller, id)?;
        store::delete(tx, document.workspace, id)?;
        writer.finish(tx, EventKind::KnowledgeDeleted, &document)
    };
    service.write(work).await
}

/// Locks a document that the caller may change.
fn changeable(tx: &mut Tx, caller: &Caller, id: KnowledgeId) -> Result<KnowledgeDocument, Refusal> {
    store::lock(tx, caller.workspace, id)?;
    let document = visible_document(tx, caller, id)?;
    check_scope(tx, caller, document.inbox)?;
    Ok(document)
}

async fn passages(
    service: &Service,
    workspace: WorkspaceId,
    title: String,
    body: String,
) -> Result<StoredPassages, Refusal> {
    let embedder = Embedder::of(service);
    let work = move |_: &WorkStop| StoredPassages {
        model: embedder.version().to_owned(),
        bytes: knowledge::encode(&knowledge::split(&title, &body, |text| embedder.embed(text))),
    };
    service.blocking_pool.run_for(WorkOwner { class: WorkClass::Search, workspace }, 0, work).await
}
