//! `GET /v1/events`: the event log of the workspace.

use posthouse_api::{views::event::EventView, views::event::RenderableEvent, wire::CommaList};
use posthouse_app::events::read::{self, EventListRequest};
use posthouse_call::prelude::*;
use posthouse_call::{render_page, render_view};
use posthouse_domain::{EventId, EventKind, Page, RecordView};
use uuid::Uuid;

/// Largest number of types in one request.
const TYPES_MAX: usize = 40;

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
        limit: Limit,
    }
}

impl EventsQuery {
    fn parse(self) -> Result<EventListRequest, Refusal> {
        let newest_first = self.order == Some(EventOrder::Descending);
        let cursor = match (self.after, self.cursor) {
            (Some(_), _) if newest_first => {
                return Err(Refusal::invalid_field("after", "can't be combined with `order=desc`: use `cursor`"));
            }
            (Some(_), Some(_)) => {
                return Err(Refusal::invalid_field("cursor", "can't be combined with `after`: send one of them"));
            }
            (after, cursor) => after.or(cursor),
        };
        Ok(EventListRequest {
            kinds: self.types.0,
            inbox: self.inbox_id.map(InboxId),
            newest_first,
            view: self.view.unwrap_or(RecordView::Full),
            page: paging(cursor, self.limit),
        })
    }
}

async fn list(service: Arc<Service>, input: Input<EventsQuery>) -> Result<Outcome, Refusal> {
    let bytes_max = service.config.limits.page_bytes;
    let render = move |page: &Page<RenderableEvent>| render_page(page, bytes_max, EventView::of);
    let rendered = read::page(&service, input.caller, input.query.parse()?, render).await?;
    Ok(Outcome::rendered_json(200, rendered.into_json()))
}

async fn get(service: Arc<Service>, input: Input) -> Result<Outcome, Refusal> {
    let id: EventId = input.path.id("id", "event")?;
    let render = |event: &RenderableEvent| render_view(&EventView::of(event));
    Ok(Outcome::rendered_json(200, read::get(&service, input.caller, id, render).await?))
}
