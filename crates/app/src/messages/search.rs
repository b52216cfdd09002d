//! Full-text search over the messages that the caller may see.
//!
//! The index is updated first, so a search finds every message committed before it. If the index cannot be written, the
//! search uses it as it is.

use posthouse_domain::{
    Caller, Channel, CursorPosition, InboxId, MessageId, MessageKind, Page, PageParameters, PageRequest, ParsedQuery,
    RankTier, Record, RecordView, Refusal, SearchHit, search,
};
use posthouse_store::search::{self as store, IndexHit, SearchPosition, SearchScope};
use posthouse_store::{Tx, messages};
use uuid::Uuid;

use crate::{access::visible, messages::index, service::Service};

/// A search request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SearchRequest {
    /// The query as written by the caller.
    pub text: String,
    /// Only messages of this inbox.
    pub inbox: Option<InboxId>,
    /// Only messages of this channel.
    pub channel: Option<Channel>,
    /// Only messages of this type.
    pub kind: Option<MessageKind>,
    pub page: PageParameters,
    /// How much of each hit is shown. Snippets need the bodies, so all are read.
    pub view: RecordView,
}

/// Runs a search, and renders the page of hits on a thread of the store.
///
/// # Errors
/// Returns `invalid_request` for an invalid query, `invalid_cursor`, or `not_found` if the inbox is missing.
pub async fn search<T: Send + 'static>(
    service: &Service,
    caller: Caller,
    request: SearchRequest,
    render: impl Fn(&Page<SearchHit>) -> Result<T, Refusal> + Send + 'static,
) -> Result<T, Refusal> {
    let query = ParsedQuery::parse(&request.text).map_err(|problem| Refusal::invalid_field("q", problem))?;
    let paging = request.page.of_list(cursor_scope(&request, &query))?;
    index::catch_up(service, caller.workspace).await?;
    let bytes_max = service.config.limits.page_bytes;
    service.read(caller.workspace, move |tx| render(&page(tx, &caller, &request, &query, &paging, bytes_max)?)).await
}

fn page(
    tx: &mut Tx,
    caller: &Caller,
    request: &SearchRequest,
    query: &ParsedQuery,
    paging: &PageRequest,
    bytes_max: u64,
) -> Result<Page<SearchHit>, Refusal> {
    if let Some(inbox) = request.inbox {
        visible::inbox(tx, caller, inbox)?;
    }
    let narrowing = SearchScope {
        workspace: caller.workspace,
        inbox: caller.scope().narrow(request.inbox)?,
        channel: request.channel,
        kind: request.kind,
    };
    let hits = store::hits(tx, narrowing, query, paging.after.map(position_after), paging.rows_to_fetch())?;
    paging.page_of(hits, position).try_map(|hits| load(tx, caller, query, hits, request.view, bytes_max))
}

/// Loads the messages of the first hits, as far as they fit in `bytes_max`; `None` for a message that was deleted.
fn load(
    tx: &mut Tx,
    caller: &Caller,
    query: &ParsedQuery,
    hits: Vec<IndexHit>,
    view: RecordView,
    bytes_max: u64,
) -> Result<Vec<Option<SearchHit>>, Refusal> {
    let ids: Vec<MessageId> = hits.iter().map(|hit| hit.message).collect();
    let mut stored = messages::get_many(tx, caller.workspace, &ids)?;
    stored.sort_by_key(|message| ids.iter().position(|id| *id == message.id));
    let count = stored.len();
    let mut records = messages::records_within(tx, caller.workspace, stored, bytes_max)?;
    let is_cut = records.len() < count;
    let last = records.last().map(|record| record.message.id);
    let mut found = Vec::with_capacity(hits.len());
    for hit in hits {
        let at = records.iter().position(|record| record.message.id == hit.message);
        found.push(at.map(|at| {
            let mut record = records.swap_remove(at);
            let snippet = snippet(query, &record);
            if view == RecordView::Summary {
                record.summarize();
            }
            SearchHit { record, rank: hit.tier.rank(), snippet }
        }));
        if is_cut && Some(hit.message) == last {
            break;
        }
    }
    Ok(found)
}

fn snippet(query: &ParsedQuery, record: &Record) -> String {
    let message = &record.message;
    let text = record.bodies.text.as_deref().unwrap_or_default();
    let subject = message.subject.as_deref().unwrap_or_default();
    search::snippet(query, search::SearchedText { subject, from: &message.from, text })
}

/// Returns the text that ties a cursor to its search.
fn cursor_scope(request: &SearchRequest, query: &ParsedQuery) -> String {
    format!("search: {query} {:?} {:?} {:?}", request.inbox, request.channel, request.kind)
}

/// Returns the cursor position of a hit: its row, and its tier in place of an ID.
fn position(last: &IndexHit) -> CursorPosition {
    let tier = RankTier::ALL.iter().position(|tier| *tier == last.tier).unwrap_or_default();
    CursorPosition { sort: last.doc, id: Uuid::from_u128(tier as u128) }
}

fn position_after(position: CursorPosition) -> SearchPosition {
    let tier = usize::try_from(position.id.as_u128()).ok().and_then(|at| RankTier::ALL.get(at));
    SearchPosition { tier: tier.copied().unwrap_or(RankTier::Plain), doc: position.sort }
}
