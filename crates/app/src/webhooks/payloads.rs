//! Renders the request bodies. All webhooks that get an event in the same payload form share the same bytes.

use std::sync::Arc;

use bytes::Bytes;
use posthouse_api::views::event::{EventView, RenderableEvent};
use posthouse_domain::{Event, EventId, EventPayload, Plans, Time, WorkspaceId};
use posthouse_store::{Result, Tx, events, messages};

use crate::{events::render, events::render::EventDetail, service::ReadScope, service::Service};

/// Maximum bytes of mail to read in one batch; a larger mail is read alone.
const BYTES_MAX: u64 = 4 * 1024 * 1024;

/// A rendered event.
#[derive(Clone, Debug)]
pub struct RenderedEvent {
    /// The event.
    pub event: EventId,
    /// The payload form.
    pub form: EventPayload,
    /// The JSON; `None` if the event is no longer in the log.
    pub json: Option<Bytes>,
}

/// Renders the first of the wanted events and as many more as fit in one read, at most 100.
pub async fn render(
    service: &Arc<Service>,
    workspace: WorkspaceId,
    wanted: Vec<(EventId, EventPayload)>,
) -> Result<Vec<RenderedEvent>> {
    let (plans, now) = (service.config.plans, service.clock.now());
    service.read(ReadScope::Service, move |tx| load(tx, workspace, &wanted, &plans, now)).await
}

fn load(
    tx: &mut Tx,
    workspace: WorkspaceId,
    wanted: &[(EventId, EventPayload)],
    plans: &Plans,
    now: Time,
) -> Result<Vec<RenderedEvent>> {
    let mut ids: Vec<EventId> = wanted.iter().map(|(id, _)| *id).collect();
    ids.sort_unstable();
    ids.dedup();
    let mut found = events::get_many(tx, workspace, &ids)?;
    let place = |event: &Event| wanted.iter().position(|(id, _)| *id == event.event.id);
    found.sort_by_key(place);
    let unread = limit_bytes(tx, workspace, &mut found)?;
    let shown: Vec<RenderableEvent> = render::load(tx, workspace, found, plans, now, EventDetail::full(u64::MAX))?;
    let of = |id: EventId| shown.iter().find(|shown| shown.event().event.id == id);
    let read = wanted.iter().filter(|(id, _)| !unread.contains(id));
    Ok(read
        .map(|(id, form)| RenderedEvent { event: *id, form: *form, json: of(*id).map(|shown| json(shown, *form)) })
        .collect())
}

fn json(shown: &RenderableEvent, form: EventPayload) -> Bytes {
    serde_json::to_vec(&EventView::in_form(shown, form)).unwrap_or_default().into()
}

/// Keeps the first event and those that fit beside it, and returns the ids of the others.
fn limit_bytes(tx: &mut Tx, workspace: WorkspaceId, found: &mut Vec<Event>) -> Result<Vec<EventId>> {
    let ids: Vec<_> = found.iter().filter_map(|event| event.event.message).collect();
    let sizes = messages::sizes(tx, workspace, &ids)?;
    let size =
        |event: &Event| sizes.iter().find(|(id, _)| Some(*id) == event.event.message).map_or(0, |(_, size)| *size);
    let (mut sum, mut keep) = (0, 0);
    for event in found.iter() {
        sum += size(event);
        if keep > 0 && sum > BYTES_MAX {
            break;
        }
        keep += 1;
    }
    Ok(found.drain(keep..).map(|event| event.event.id).collect())
}
