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
use posthouse_store::{Tx, events, inboxes, workspaces};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::{
    app::App,
    http::{
        route::{Answer, Input, Route},
        wire::{CommaList, Cursor, Limit, QueryValue, query},
    },
    views::{
        PageView,
        event::{self as view, EventView},
    },
};

/// Most types of one request.
const TYPES_MAX: usize = 40;
/// Events that are read at once.
const STEP: u32 = 200;
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

impl QueryValue for EventKind {
    fn schema() -> Value {
        json!({ "type": "string", "enum": EventKind::ALL.iter().map(|kind| kind.text()).collect::<Vec<_>>() })
    }
    fn read(text: &str) -> Result<Self, String> {
        let names = || EventKind::ALL.iter().map(|kind| kind.text()).collect::<Vec<_>>().join(", ");
        EventKind::parse(text).ok_or_else(|| format!("{text} is not a type of event; they are {}", names()))
    }
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
        let workspace = workspaces::get(tx, caller.workspace)?.ok_or_else(|| Refusal::not_found("workspace"))?;
        let shown = view::load(tx, caller.workspace, found, (plans.of(workspace.plan), now))?;
        Ok::<_, Refusal>((shown, next))
    };
    let (shown, next) = app.store.read(work).await?;
    let next_cursor = next.map(|id| id.to_string());
    Answer::json(200, &PageView { data: shown.iter().map(EventView::of).collect(), next_cursor })
}

/// The events of a page, and the event to go on behind.
fn page(tx: &mut Tx, caller: &Caller, query: &EventsQuery) -> Result<(Vec<Event>, Option<EventId>), Refusal> {
    let inbox = narrowed(tx, caller, query.inbox_id.map(InboxId))?;
    let mut seq = start(tx, caller, query)?;
    let limit = query.limit.map_or(LIMIT_DEFAULT as usize, |limit| limit.0 as usize);
    let (mut found, mut looked_through): (Vec<Event>, usize) = (Vec::new(), 0);
    loop {
        let step = events::after(tx, caller.workspace, inbox, seq, STEP)?;
        let is_end = step.len() < STEP as usize;
        looked_through += step.len();
        let last = step.last().map(|event| (event.seq, event.event.id));
        for event in step {
            if !query.types.0.is_empty() && !query.types.0.contains(&event.event.kind) {
                continue;
            }
            if found.len() == limit {
                let next = found.last().map(|event| event.event.id);
                return Ok((found, next));
            }
            found.push(event);
        }
        match last {
            Some((_, id)) if !is_end && looked_through >= LOOKED_THROUGH_MAX => return Ok((found, Some(id))),
            Some((last, _)) if !is_end => seq = last,
            _ => return Ok((found, None)),
        }
    }
}

/// The inbox that the list is narrowed to. Deleted inboxes have events too.
fn narrowed(tx: &mut Tx, caller: &Caller, wanted: Option<InboxId>) -> Result<Option<InboxId>, Refusal> {
    let Some(id) = wanted else { return Ok(caller.scope.inbox()) };
    if !caller.scope.sees(id) || inboxes::get(tx, caller.workspace, id)?.is_none() {
        return Err(Refusal::not_found("inbox"));
    }
    Ok(Some(id))
}

fn start(tx: &mut Tx, caller: &Caller, query: &EventsQuery) -> Result<i64, Refusal> {
    let after = match (&query.after, &query.cursor) {
        (None, None) => return Ok(0),
        (Some(_), Some(_)) => return Err(Refusal::invalid_field("cursor", "says the same as after: give one of them")),
        (Some(after), None) | (None, Some(after)) => after,
    };
    let unknown = || {
        Refusal::new(Code::InvalidCursor, format!("There is no event {} in the log.", after.0))
            .with_fix("Events are kept 30 days: begin without after to get the oldest ones.")
    };
    let id: EventId = after.0.parse().map_err(|_| unknown())?;
    events::seq_of(tx, caller.workspace, id)?.ok_or_else(unknown)
}
