//! `GET /v1/events`: the event log of the workspace.

use posthouse_api::{views::event::EventView, wire::CommaList, wire::rows};
use posthouse_app::events::log::{self, EventBatch, EventFilter, EventReadLimits};
use posthouse_app::events::render::{self, EventDetail};
use posthouse_call::prelude::*;
use posthouse_call::{render_page, render_view};
use posthouse_domain::{Event, EventId, EventKind, Page, RecordView};
use posthouse_store::{Tx, events};
use uuid::Uuid;

/// Largest number of types in one request.
const TYPES_MAX: usize = 40;
/// Events scanned for one page. A filter for rare types can return a short page with a cursor.
const SCANNED_MAX: usize = 5_000;

pub(crate) fn operations() -> Vec<Operation> {
    vec![
        Operation::new(Method::Get, "/v1/events", "listEvents", Permission::MessagesRead)
            .summary("Lists the events of the last 30 days, oldest first unless order is desc.")
            .responds::<PageView<EventView<'_>>>(200)
            .errors(&[ErrorCode::InvalidCursor, ErrorCode::NotFound])
            .handle(list),
        Operation::new(Method::Get, "/v1/events/{id}", "getEvent", Permission::MessagesRead)
            .summary("Returns one event of the last 30 days.")
            .responds::<EventView<'_>>(200)
            .errors(&[ErrorCode::NotFound])
            .handle(get),
    ]
}

choice! {
    /// The order of the events.
    enum EventOrder {
        /// Oldest first.
        Ascending = "asc",
        /// Newest first.
        Descending = "desc",
    }
}

query! {
    /// Filters and page of a list of events.
    struct EventsQuery {
        /// The id of the last event you received. If omitted, the list begins with the oldest event. Can't be combined
        /// with `order=desc`.
        after: Option<Cursor>,
        /// The `next_cursor` of the previous page; the same as `after` if the oldest events come first. Can't be combined
        /// with `after`.
        cursor: Option<Cursor>,
        /// Event types, separated by commas. If omitted, all types.
        types: CommaList<EventKind, TYPES_MAX>,
        /// Only events of this inbox.
        inbox_id: Option<Uuid>,
        /// The order of the events. Default: `asc`, oldest first.
        order: Option<EventOrder>,
        /// How much of each message and draft the list shows: `summary` leaves out bodies, header fields and data.
        /// Default: full.
        view: Option<RecordView>,
        /// Maximum number of events per page. Default: 25.
        limit: Option<Limit>,
    }
}

async fn list(service: Arc<Service>, input: Input<EventsQuery>) -> Result<Outcome, Refusal> {
    let (caller, query, now, plans) = (input.caller, input.query, service.clock.now(), service.config.plans);
    let bytes_max = service.config.limits.page_bytes;
    let detail = EventDetail { view: query.view.unwrap_or(RecordView::Full), bytes_max };
    let work = move |tx: &mut Tx| {
        let page = page(tx, &caller, &query)?.try_map(|found| {
            let shown = render::load(tx, caller.workspace, found, &plans, now, detail)?;
            Ok::<_, Refusal>(shown.into_iter().map(Some).collect())
        })?;
        render_page(&page, bytes_max, EventView::of)
    };
    Ok(Outcome::rendered_json(200, service.read(caller.workspace, work).await?.into_json()))
}

async fn get(service: Arc<Service>, input: Input) -> Result<Outcome, Refusal> {
    let id: EventId = input.path.id("id", "event")?;
    let (caller, now, plans) = (input.caller, service.clock.now(), service.config.plans);
    let detail = EventDetail::full(service.config.limits.page_bytes);
    let work = move |tx: &mut Tx| {
        let mut found = events::get_many(tx, caller.workspace, &[id])?;
        found.retain(|event| caller.scope().inbox().is_none_or(|own| event.event.inbox == Some(own)));
        let shown = render::load(tx, caller.workspace, found, &plans, now, detail)?;
        render_view(&EventView::of(shown.first().ok_or_else(|| Refusal::not_found("event"))?))
    };
    Ok(Outcome::rendered_json(200, service.read(caller.workspace, work).await?))
}

/// Returns the events of a page.
fn page(tx: &mut Tx, caller: &Caller, query: &EventsQuery) -> Result<Page<Event>, Refusal> {
    let inbox_ids = query.inbox_id.map(|id| vec![InboxId(id)]);
    let filter = EventFilter::of(tx, caller, query.types.0.clone(), inbox_ids)?;
    let seq = start(tx, caller, query)?;
    let limit = rows(query.limit) as usize;
    let bounds = EventReadLimits { events: limit + 1, scanned: SCANNED_MAX };
    let read = match query.order {
        None | Some(EventOrder::Ascending) => log::after(tx, caller.workspace, &filter, seq.unwrap_or(0), bounds)?,
        Some(EventOrder::Descending) => log::before(tx, caller.workspace, &filter, seq.unwrap_or(i64::MAX), bounds)?,
    };
    let EventBatch { mut events, last, is_end, .. } = read;
    let id = |event: &Event| event.event.id.0;
    let end = if events.len() > limit {
        events.truncate(limit);
        events.last().map(id)
    } else {
        last.filter(|_| !is_end).map(|last| last.0)
    };
    Ok(Page::by_id(events, id, end))
}

/// Returns the position at which the page starts; `None` at the beginning of the list.
fn start(tx: &mut Tx, caller: &Caller, query: &EventsQuery) -> Result<Option<i64>, Refusal> {
    let after = match (&query.after, &query.cursor) {
        (None, None) => return Ok(None),
        (Some(_), _) if query.order == Some(EventOrder::Descending) => {
            return Err(Refusal::invalid_field("after", "can't be combined with `order=desc`: use `cursor`"));
        }
        (Some(_), Some(_)) => {
            return Err(Refusal::invalid_field("cursor", "can't be combined with `after`: send one of them"));
        }
        (Some(after), None) | (None, Some(after)) => after,
    };
    let unknown = |what: String| {
        Refusal::new(ErrorCode::InvalidCursor, what)
            .with_fix("Events are kept for 30 days. Omit `after` to start with the oldest event.")
    };
    let id: EventId = after.0.parse().map_err(|_| unknown("`after` must be the id of an event.".to_owned()))?;
    let seq = events::seq_of(tx, caller.workspace, id)?;
    seq.map(Some).ok_or_else(|| unknown(format!("The log contains no event {id}.")))
}
