//! Searches for cards, in the caller's workspace and in the public directory.

use posthouse_api::views::agent::CardView;
use posthouse_domain::{
    Agent, Caller, CardQuery, CursorPosition, Page, PageParameters, PageRequest, Refusal, SearchedCards, Time,
};
use posthouse_store::{Tx, card_index};

pub use posthouse_store::card_index::IndexableCard;

use super::{switches, view::AgentViewer, view::CardAudience};
use crate::service::{ReadScope, Service};

/// Returns a page of the cards that match, newest first. Without a caller, the scope must be the public directory.
///
/// # Errors
/// Returns `invalid_cursor`, `directory_disabled` or `public_directory_disabled`.
pub async fn search(
    service: &Service,
    caller: Option<Caller>,
    query: CardQuery,
    page: PageParameters,
) -> Result<Page<CardView>, Refusal> {
    let list = list(&query, &page)?;
    if caller.is_some() {
        switches::check(service)?;
    }
    if query.scope == SearchedCards::Public {
        switches::check_public(service)?;
    }
    let audience = caller.map_or(CardAudience::Public, |caller| CardAudience::Workspace(caller.workspace));
    let viewer = AgentViewer::of(service);
    let load = move |tx: &mut Tx| {
        let page = load(tx, &query, &list, viewer.now)?;
        page.try_map(|found| found.iter().map(|agent| Ok(viewer.card(tx, agent, audience)?)).collect())
    };
    match caller {
        Some(caller) => service.read(caller.workspace, load).await,
        None => service.read(ReadScope::Service, load).await,
    }
}

/// Returns a page of the listed agents whose cards match, newest first, for pages.
///
/// # Errors
/// Returns `invalid_cursor` or `public_directory_disabled`.
pub async fn listed(service: &Service, query: CardQuery, page: PageParameters) -> Result<Page<Agent>, Refusal> {
    let list = list(&query, &page)?;
    switches::check_public(service)?;
    let now = service.clock.now();
    service.read(ReadScope::Service, move |tx| load(tx, &query, &list, now)).await
}

fn list(query: &CardQuery, page: &PageParameters) -> Result<PageRequest, Refusal> {
    page.of_list(format!("agents {query:?}"))
}

fn load(tx: &mut Tx, query: &CardQuery, list: &PageRequest, now: Time) -> Result<Page<Agent>, Refusal> {
    let before = list.after.map_or(i64::MAX, |after| after.sort);
    let found = card_index::search(tx, query, before, now, list.rows_to_fetch())?;
    let position =
        |agent: &Agent| CursorPosition { sort: agent.card.as_ref().map_or(0, |card| card.number), id: agent.inbox.0 };
    Ok(list.page_of(found, position))
}

/// Returns the listed cards that search engines may index, newest first.
///
/// # Errors
/// Returns `public_directory_disabled`.
pub async fn indexable<T: Send + 'static>(
    service: &Service,
    limit: u32,
    render: impl Fn(Vec<IndexableCard>) -> T + Send + 'static,
) -> Result<T, Refusal> {
    switches::check_public(service)?;
    let now = service.clock.now();
    Ok(service
        .read(ReadScope::Service, move |tx| {
            Ok::<_, posthouse_store::Error>(render(card_index::indexable(tx, now, limit)?))
        })
        .await?)
}
