//! `GET /v1/events`: the log of the workspace, oldest first (decision 12).

use std::sync::Arc;

use axum::http::Method;
use posthouse_domain::{
    auth::{Caller, Permission},
    error::{Code, Refusal},
    event::{Event, EventKind},
    id::{EventId, InboxId},
    page::LIMIT_DEFAULT,
};
use posthouse_store::{Tx, events};
use uuid::Uuid;

use crate::{
    app::{
        App,
        read_events::{self, Bounds, Filter, Stretch},
    },
    http::{
        route::{Answer, Input, Route},
        wire::{CommaList, Cursor, Limit, query},
    },
    views::{
        PageView,
        event::{self as view, EventView},
    },
};

/// Most types of one request.
const TYPES_MAX: usize = 40;
/// Events that are looked through for one page; under types that are rare a page may be short and go on.
const LOOKED_THROUGH_MAX: usize = 5_000;

pub(crate) fn routes() -> Vec<Route> {
    vec![
        Route::new(Method::GET, "/v1/events", "listEvents", Permission::MessagesRead)
            .summary("The events of the last 30 days, oldest first.")
            .answers::<PageView<EventView<'_>>>(200)
            .errors(&[Code::InvalidCursor, Code::NotFound])
            .handle(list),
    ]
}

query! {
    /// Which events are wanted.
    struct EventsQuery {
        /// The id of the last event that was seen; left out, the list begins with the oldest event.
        after: Option<Cursor>,
        /// The next_cursor of the page before; the same as after.
        cursor: Option<Cursor>,
        /// Types joined by commas; left out, every type.
        types: CommaList<EventKind, TYPES_MAX>,
        /// Events of that inbox alone.
        inbox_id: Option<Uuid>,
        /// Most events of the page; 25 when left out.
        limit: Option<Limit>,
    }
}

async fn list(app: Arc<App>, input: Input<EventsQuery>) -> Result<Answer, Refusal> {
    let (caller, query, now, plans) = (input.caller, input.query, app.clock.now(), app.config.plans);
    let work = move |tx: &mut Tx| {
        let (found, next) = page(tx, &caller, &query)?;
        let shown = view::load(tx, caller.workspace, found, (&plans, now))?;
        Ok::<_, Refusal>((shown, next))
    };
    let (shown, next) = app.store.read(work).await?;
    let next_cursor = next.map(|id| id.to_string());
    Answer::json(200, &PageView { data: shown.iter().map(EventView::of).collect(), next_cursor })
}

/// The events of a page, and the event to go on behind.
fn page(tx: &mut Tx, caller: &Caller, query: &EventsQuery) -> Result<(Vec<Event>, Option<EventId>), Refusal> {
    let inbox_ids = query.inbox_id.map(|id| vec![InboxId(id)]);
    let filter = Filter::of(tx, caller, query.types.0.clone(), inbox_ids)?;
    let seq = start(tx, caller, query)?;
    let limit = query.limit.map_or(LIMIT_DEFAULT as usize, |limit| limit.0 as usize);
    let bounds = Bounds { events: limit + 1, looked_through: LOOKED_THROUGH_MAX };
    let Stretch { mut events, last, is_end, .. } = read_events::after(tx, caller.workspace, &filter, seq, bounds)?;
    if events.len() > limit {
        events.truncate(limit);
        let next = events.last().map(|event| event.event.id);
        return Ok((events, next));
    }
    Ok((events, last.filter(|_| !is_end)))
}

fn start(tx: &mut Tx, caller: &Caller, query: &EventsQuery) -> Result<i64, Refusal> {
    let after = match (&query.after, &query.cursor) {
        (None, None) => return Ok(0),
        (Some(_), Some(_)) => return Err(Refusal::invalid_field("cursor", "says the same as after: give one of them")),
        (Some(after), None) | (None, Some(after)) => after,
    };
    let unknown = |what: String| {
        Refusal::new(Code::InvalidCursor, what)
            .with_fix("Events are kept 30 days: begin without after to get the oldest ones.")
    };
    let id: EventId =
        after.0.parse().map_err(|_| unknown("What is given as after is no id of an event.".to_owned()))?;
    events::seq_of(tx, caller.workspace, id)?.ok_or_else(|| unknown(format!("There is no event {id} in the log.")))
}
