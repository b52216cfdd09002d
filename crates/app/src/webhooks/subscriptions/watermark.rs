//! The cursor of a subscription: a position before which every event was acknowledged or given up.

use posthouse_domain::{EventId, Webhook, WebhookId, WorkspaceId};
use posthouse_store::{Result, Tx, events, webhook_deliveries as deliveries};

use crate::events::cursor::EventCursor;
use crate::events::log::{self, EventFilter, EventReadLimits};

/// Unsettled attempts that are looked at. With more, the cursor of a delivery isn't known.
const UNSETTLED_MAX: u32 = 64;
/// Events looked at to move the cursor past those that the subscription doesn't want.
const SCANNED_MAX: usize = 1_000;

/// Returns the cursor for the delivery of an event: the event, if all before it are settled, or the one before the first that
/// isn't; `None` if it isn't known.
pub(super) fn watermark(
    tx: &mut Tx,
    workspace: WorkspaceId,
    id: WebhookId,
    event: EventId,
) -> Result<Option<EventCursor>> {
    let Some(first) = first_unsettled(tx, workspace, id, Some(event))? else { return Ok(None) };
    let own = events::seq_of(tx, workspace, event)?;
    match (own, first) {
        (Some(own), Some(first)) if first < own => EventCursor::at(tx, workspace, first - 1).map(Some),
        (Some(_), _) => Ok(Some(EventCursor::of(event))),
        (None, _) => Ok(None),
    }
}

/// Returns the cursor for the answer to a renewal; `None` if it isn't known.
pub(super) fn settled_up_to(tx: &mut Tx, webhook: &Webhook) -> Result<Option<EventCursor>> {
    let workspace = webhook.workspace;
    let Some(first) = first_unsettled(tx, workspace, webhook.id, None)? else { return Ok(None) };
    if let Some(first) = first {
        return EventCursor::at(tx, workspace, first - 1).map(Some);
    }
    let filter = EventFilter { kinds: webhook.kinds.clone(), inboxes: webhook.inboxes.clone() };
    let bounds = EventReadLimits { events: 1, scanned: SCANNED_MAX };
    let next = log::after(tx, workspace, &filter, webhook.cursor, bounds)?;
    let seq = next.events.first().map_or(next.seen, |event| event.seq - 1);
    EventCursor::at(tx, workspace, seq).map(Some)
}

/// Returns the position of the first event with an unsettled attempt, except `own`. `None` means that there are too many.
fn first_unsettled(
    tx: &mut Tx,
    workspace: WorkspaceId,
    id: WebhookId,
    own: Option<EventId>,
) -> Result<Option<Option<i64>>> {
    let unsettled = deliveries::pending(tx, workspace, id, UNSETTLED_MAX)?;
    if unsettled.len() >= UNSETTLED_MAX as usize {
        return Ok(None);
    }
    let ids: Vec<EventId> = unsettled.iter().map(|one| one.event).filter(|event| Some(*event) != own).collect();
    let found = if ids.is_empty() { Vec::new() } else { events::get_many(tx, workspace, &ids)? };
    Ok(Some(found.iter().map(|event| event.seq).min()))
}
