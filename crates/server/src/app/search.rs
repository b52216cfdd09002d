//! Full-text search over the messages that the caller can see (contract §7).
//!
//! The index is brought up to date first, so a search finds everything that was committed before it. Where the index cannot be
//! written, what is in it is searched.

use posthouse_domain::{
    auth::Caller,
    error::Refusal,
    id::{InboxId, MessageId},
    message::{Channel, Kind},
    page::{Paging, Position},
    search::{self, Query, Tier},
};
use posthouse_store::{
    Tx,
    messages::{self, Record},
    search::{self as store, Behind, Hit, Narrowing},
};
use uuid::Uuid;

use super::{App, index_mail, visible};

/// What is looked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Search {
    /// The query as it was written.
    pub text: String,
    /// One inbox alone.
    pub inbox: Option<InboxId>,
    /// Mail of that channel alone.
    pub channel: Option<Channel>,
    /// Mail of that type alone.
    pub kind: Option<Kind>,
    /// Behind that place.
    pub cursor: Option<String>,
    /// How many messages at most.
    pub limit: u32,
}

/// A message that was found.
#[derive(Clone, PartialEq, Debug)]
pub struct Found {
    /// The message.
    pub record: Record,
    /// How well it fits: more is better.
    pub rank: f64,
    /// The part of it where the query is, as HTML.
    pub snippet: String,
}

/// A page of what was found, and the cursor of the next.
pub type Page = (Vec<Found>, Option<String>);

/// Searches.
///
/// # Errors
/// `invalid_request` for the query, `invalid_cursor`, `not_found` for the inbox, the store's own.
pub async fn search(app: &App, caller: Caller, asked: Search) -> Result<Page, Refusal> {
    let query = Query::parse(&asked.text).map_err(|problem| Refusal::invalid_field("q", problem))?;
    let paging = Paging::new(named(&asked), asked.cursor.as_deref(), asked.limit)?;
    index_mail::catch_up(app, caller.workspace).await?;
    app.store.read(move |tx| page(tx, &caller, &asked, &query, &paging)).await
}

fn page(tx: &mut Tx, caller: &Caller, asked: &Search, query: &Query, paging: &Paging) -> Result<Page, Refusal> {
    if let Some(inbox) = asked.inbox {
        visible::inbox(tx, caller, inbox)?;
    }
    let narrowing = Narrowing {
        workspace: caller.workspace,
        inbox: asked.inbox.or(caller.scope.inbox()),
        channel: asked.channel,
        kind: asked.kind,
    };
    let mut hits = store::hits(tx, narrowing, query, paging.after.map(behind), paging.fetched())?;
    let next = paging.cut(&mut hits, position);
    let ids: Vec<MessageId> = hits.iter().map(|hit| hit.message).collect();
    let stored = messages::get_many(tx, caller.workspace, &ids)?;
    let mut records = messages::records(tx, caller.workspace, stored)?;
    let mut found = Vec::with_capacity(hits.len());
    for hit in hits {
        if let Some(at) = records.iter().position(|record| record.message.id == hit.message) {
            let record = records.swap_remove(at);
            let snippet = snippet(query, &record);
            found.push(Found { record, rank: hit.tier.rank(), snippet });
        }
    }
    Ok((found, next))
}

fn snippet(query: &Query, record: &Record) -> String {
    let message = &record.message;
    let text = record.bodies.text.as_deref().unwrap_or_default();
    search::snippet(query, (message.subject.as_deref().unwrap_or_default(), &message.from, text))
}

/// What a cursor belongs to.
fn named(asked: &Search) -> String {
    format!("search: {:?} {:?} {:?} {:?}", asked.text, asked.inbox, asked.channel, asked.kind)
}

/// The place of a hit: its row, and its tier in the room of an id.
fn position(last: &Hit) -> Position {
    let tier = Tier::ALL.iter().position(|tier| *tier == last.tier).unwrap_or_default();
    Position { sort: last.doc, id: Uuid::from_u128(tier as u128) }
}

fn behind(position: Position) -> Behind {
    let tier = usize::try_from(position.id.as_u128()).ok().and_then(|at| Tier::ALL.get(at));
    Behind { tier: tier.copied().unwrap_or(Tier::Plain), doc: position.sort }
}
