//! Renders the request bodies. All webhooks that get an event in the same payload form share the same bytes.

use std::sync::Arc;

use bytes::Bytes;
use posthouse_api::views::event::{EventView, RenderableEvent};
use posthouse_domain::{Event, EventId, EventPayload, Plans, Time, Webhook, WorkspaceId};
use posthouse_store::{Result, Tx, events, messages};

use crate::events::{occurrences::OccurrenceReader, render, render::EventDetail};
use crate::{service::ReadScope, service::Service};

/// Maximum bytes of mail to read in one batch; a larger mail is read alone.
const BYTES_MAX: u64 = 4 * 1024 * 1024;

/// The form of a request body.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct BodyForm {
    /// How much of the event it contains.
    pub payload: EventPayload,
    /// Whether it is for the subscription of an MCP client.
    pub is_occurrence: bool,
}

impl BodyForm {
    /// Returns the form of the bodies that a webhook gets.
    #[must_use]
    pub fn of(webhook: &Webhook) -> Self {
        Self { payload: webhook.payload, is_occurrence: webhook.subscription.is_some() }
    }
}

/// A rendered event.
#[derive(Clone, Debug)]
pub struct RenderedEvent {
    pub event: EventId,
    pub form: BodyForm,
    /// The JSON; `None` if the event is no longer in the log.
    pub json: Option<Bytes>,
}

/// Renders the first of the wanted events and as many more as fit in one read, at most 100.
pub async fn render(
    service: &Arc<Service>,
    workspace: WorkspaceId,
    wanted: Vec<(EventId, BodyForm)>,
) -> Result<Vec<RenderedEvent>> {
    let (plans, now) = (service.config.plans, service.clock.now());
    let reader = OccurrenceReader::of(service);
    service
        .read(ReadScope::Service, move |tx| {
            let (shown, unread) = load(tx, workspace, &wanted, &plans, now)?;
            let of = |id: EventId| shown.iter().find(|shown| shown.event().event.id == id);
            let mut rendered = Vec::new();
            for (event, form) in wanted.iter().filter(|(id, _)| !unread.contains(id)) {
                let json = match of(*event) {
                    Some(shown) if form.is_occurrence => Some(reader.json(tx, shown, form.payload)?.into()),
                    Some(shown) => Some(json(shown, form.payload)),
                    None => None,
                };
                rendered.push(RenderedEvent { event: *event, form: *form, json });
            }
            Ok(rendered)
        })
        .await
}

/// Loads the first of the wanted events and those that fit beside it. Also returns the ids of those that don't.
fn load(
    tx: &mut Tx,
    workspace: WorkspaceId,
    wanted: &[(EventId, BodyForm)],
    plans: &Plans,
    now: Time,
) -> Result<(Vec<RenderableEvent>, Vec<EventId>)> {
    let mut ids: Vec<EventId> = wanted.iter().map(|(id, _)| *id).collect();
    ids.sort_unstable();
    ids.dedup();
    let mut found = events::get_many(tx, workspace, &ids)?;
    let place = |event: &Event| wanted.iter().position(|(id, _)| *id == event.event.id);
    found.sort_by_key(place);
    let unread = limit_bytes(tx, workspace, &mut found)?;
    Ok((render::load(tx, workspace, found, plans, now, EventDetail::full(u64::MAX))?, unread))
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
