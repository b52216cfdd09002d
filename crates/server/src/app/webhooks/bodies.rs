//! What is POSTed: the same bytes for every webhook that gets an event in the same form, rendered once for all of them.

use std::sync::Arc;

use bytes::Bytes;
use posthouse_domain::{
    event::{Event, Payload},
    id::{EventId, WorkspaceId},
    plan::Plans,
    time::Time,
};
use posthouse_store::{Result, Tx, events, messages};

use crate::{
    app::App,
    views::event::{self, EventView, Shown},
};

/// Bytes of mail that are read at once; one that is larger is read alone.
const BYTES_MAX: u64 = 4 * 1024 * 1024;

/// A rendered event.
#[derive(Clone, Debug)]
pub struct Body {
    /// The event.
    pub event: EventId,
    /// Its form.
    pub form: Payload,
    /// The JSON; nothing when the event is no longer in the log.
    pub json: Option<Bytes>,
}

/// Renders events in their forms: the first of them, and as many more as are small enough to be read with it. At most 100.
///
/// # Errors
/// The store's own.
pub async fn render(app: &Arc<App>, workspace: WorkspaceId, wanted: Vec<(EventId, Payload)>) -> Result<Vec<Body>> {
    let (plans, now) = (app.config.plans, app.clock.now());
    app.store.read(move |tx| load(tx, workspace, &wanted, (&plans, now))).await
}

fn load(
    tx: &mut Tx,
    workspace: WorkspaceId,
    wanted: &[(EventId, Payload)],
    (plans, now): (&Plans, Time),
) -> Result<Vec<Body>> {
    let mut ids: Vec<EventId> = wanted.iter().map(|(id, _)| *id).collect();
    ids.sort_unstable();
    ids.dedup();
    let mut found = events::get_many(tx, workspace, &ids)?;
    let place = |event: &Event| wanted.iter().position(|(id, _)| *id == event.event.id);
    found.sort_by_key(place);
    let unread = small_enough(tx, workspace, &mut found)?;
    let shown: Vec<Shown> = event::load(tx, workspace, found, (plans, now))?;
    let of = |id: EventId| shown.iter().find(|shown| shown.event().event.id == id);
    let read = wanted.iter().filter(|(id, _)| !unread.contains(id));
    Ok(read.map(|(id, form)| Body { event: *id, form: *form, json: of(*id).map(|shown| json(shown, *form)) }).collect())
}

fn json(shown: &Shown, form: Payload) -> Bytes {
    serde_json::to_vec(&EventView::in_form(shown, form)).unwrap_or_default().into()
}

/// Keeps the first event and those that are small enough beside it; gives the others.
fn small_enough(tx: &mut Tx, workspace: WorkspaceId, found: &mut Vec<Event>) -> Result<Vec<EventId>> {
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
