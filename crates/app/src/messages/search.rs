//! Full-text search over the messages that the caller may see.
//!
//! The index is updated first, so a search finds every message committed before it. If the index cannot be written, the
//! search uses it as it is.

use crate::messages::index::SearchIndex;
use posthouse_domain::search::SearchHit;
use posthouse_domain::{
    auth::Caller,
    error::Refusal,
    id::{InboxId, MessageId},
    message::{Channel, MessageKind},
    page::{CursorPosition, PageRequest},
    record::Record,
    search::{self, ParsedQuery, RankTier},
};
use posthouse_store::{
    Tx, messages,
    search::{self as store, IndexHit, SearchPosition, SearchScope},
};
use uuid::Uuid;

use crate::{access::visible, app::App, messages::index};

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
    /// The cursor to continue after.
    pub cursor: Option<String>,
    /// Maximum number of hits.
    pub limit: u32,
}

/// A page of hits, and the cursor of the next page.
pub type SearchPage = (Vec<SearchHit>, Option<String>);

/// Runs a search.
///
/// # Errors
/// Returns `invalid_request` for an invalid query, `invalid_cursor`, `not_found` if the inbox is missing, or an error
/// if a database call fails.
pub async fn search(
    app: &App,
    index: &SearchIndex,
    caller: Caller,
    request: SearchRequest,
) -> Result<SearchPage, Refusal> {
    let query = ParsedQuery::parse(&request.text).map_err(|problem| Refusal::invalid_field("q", problem))?;
    let paging = PageRequest::new(cursor_scope(&request), request.cursor.as_deref(), request.limit)?;
    index::catch_up(app, index, caller.workspace).await?;
    app.store.read(move |tx| page(tx, &caller, &request, &query, &paging)).await
}

fn page(
    tx: &mut Tx,
    caller: &Caller,
    request: &SearchRequest,
    query: &ParsedQuery,
    paging: &PageRequest,
) -> Result<SearchPage, Refusal> {
    if let Some(inbox) = request.inbox {
        visible::inbox(tx, caller, inbox)?;
    }
    let narrowing = SearchScope {
        workspace: caller.workspace,
        inbox: request.inbox.or(caller.scope().inbox()),
        channel: request.channel,
        kind: request.kind,
    };
    let mut hits = store::hits(tx, narrowing, query, paging.after.map(position_after), paging.rows_to_fetch())?;
    let next = paging.cut(&mut hits, position);
    let ids: Vec<MessageId> = hits.iter().map(|hit| hit.message).collect();
    let stored = messages::get_many(tx, caller.workspace, &ids)?;
    let mut records = messages::records(tx, caller.workspace, stored)?;
    let mut found = Vec::with_capacity(hits.len());
    for hit in hits {
        if let Some(at) = records.iter().position(|record| record.message.id == hit.message) {
            let record = records.swap_remove(at);
            let snippet = snippet(query, &record);
            found.push(SearchHit { record, rank: hit.tier.rank(), snippet });
        }
    }
    Ok((found, next))
}

fn snippet(query: &ParsedQuery, record: &Record) -> String {
    let message = &record.message;
    let text = record.bodies.text.as_deref().unwrap_or_default();
    let subject = message.subject.as_deref().unwrap_or_default();
    search::snippet(query, search::SearchedText { subject, from: &message.from, text })
}

/// Returns the text that ties a cursor to its search.
fn cursor_scope(request: &SearchRequest) -> String {
    format!("search: {:?} {:?} {:?} {:?}", request.text, request.inbox, request.channel, request.kind)
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
