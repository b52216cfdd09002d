//! Reads events with the objects that they show, at a caller's request.

use posthouse_api::views::event::RenderableEvent;
use posthouse_domain::{
    Caller, ErrorCode, Event, EventId, EventKind, InboxId, Page, PageParameters, RecordView, Refusal,
};
use posthouse_store::{Tx, events};

use super::log::{self, EventBatch, EventFilter, EventReadLimits};
use super::render::{self, EventDetail};
use crate::service::Service;

/// Events scanned for one page. A filter for rare types can return a short page with a cursor.
const SCANNED_MAX: usize = 5_000;

/// A list of events that a caller requests.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EventListRequest {
    /// The event types; empty for all types.
    pub kinds: Vec<EventKind>,
    /// Only events of this inbox.
    pub inbox: Option<InboxId>,
    /// Whether the newest events come first.
    pub newest_first: bool,
    /// How much of each message and draft.
    pub view: RecordView,
    /// The page. Its cursor is the id of an event.
    pub page: PageParameters,
}

/// Renders a page of events.
///
/// # Errors
/// Returns `not_found` if the caller can't access the inbox, `invalid_cursor` if the log has no event with the id of the
/// cursor, or the error of `render`.
pub async fn page<T: Send + 'static>(
    service: &Service,
    caller: Caller,
    request: EventListRequest,
    render: impl Fn(&Page<RenderableEvent>) -> Result<T, Refusal> + Send + 'static,
) -> Result<T, Refusal> {
    let (now, plans) = (service.clock.now(), service.config.plans);
    let detail = EventDetail { view: request.view, bytes_max: service.config.limits.page_bytes };
    let work = move |tx: &mut Tx| {
        let page = load_page(tx, &caller, &request)?.try_map(|found| {
            let shown = render::load(tx, caller.workspace, found, &plans, now, detail)?;
            Ok::<_, Refusal>(shown.into_iter().map(Some).collect())
        })?;
        render(&page)
    };
    service.read(caller.workspace, work).await
}

fn load_page(tx: &mut Tx, caller: &Caller, request: &EventListRequest) -> Result<Page<Event>, Refusal> {
    let filter = EventFilter::of(tx, caller, request.kinds.clone(), request.inbox.map(|inbox| vec![inbox]))?;
    let start = request.page.cursor.as_deref().map(|after| position(tx, caller, after)).transpose()?;
    let limit = request.page.limit as usize;
    let bounds = EventReadLimits { events: limit + 1, scanned: SCANNED_MAX };
    let read = if request.newest_first {
        log::before(tx, caller.workspace, &filter, start.unwrap_or(i64::MAX), bounds)?
    } else {
        log::after(tx, caller.workspace, &filter, start.unwrap_or(0), bounds)?
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

/// Returns the position of an event in the log.
fn position(tx: &mut Tx, caller: &Caller, after: &str) -> Result<i64, Refusal> {
    let unknown = |what: String| {
        Refusal::new(ErrorCode::InvalidCursor, what)
            .with_fix("Events are kept for 30 days. Omit `after` to start with the oldest event.")
    };
    let id: EventId = after.parse().map_err(|_| unknown("`after` must be the id of an event.".to_owned()))?;
    let seq = events::seq_of(tx, caller.workspace, id)?;
    seq.ok_or_else(|| unknown(format!("The log contains no event {id}.")))
}

/// Renders an event.
///
/// # Errors
/// Returns `not_found` if the log doesn't have it or the caller can't access it, or the error of `render`.
pub async fn get<T: Send + 'static>(
    service: &Service,
    caller: Caller,
    id: EventId,
    render: impl Fn(&RenderableEvent) -> Result<T, Refusal> + Send + 'static,
) -> Result<T, Refusal> {
    let (now, plans) = (service.clock.now(), service.config.plans);
    let detail = EventDetail::full(service.config.limits.page_bytes);
    let work = move |tx: &mut Tx| {
        let mut found = events::get_many(tx, caller.workspace, &[id])?;
        let scope = caller.scope();
        found.retain(|event| !scope.is_limited() || event.event.inbox.is_some_and(|inbox| scope.allows_inbox(inbox)));
        let shown = render::load(tx, caller.workspace, found, &plans, now, detail)?;
        render(shown.first().ok_or_else(|| Refusal::not_found("event"))?)
    };
    service.read(caller.workspace, work).await
}
