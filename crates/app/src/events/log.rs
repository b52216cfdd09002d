//! Reads the event log after a position, filtered by event type and inbox (`docs/reference/events.md#reading-the-log`).
//!
//! The list of events, webhooks and the stream all read through this module, so they show the same events in the same
//! order. It reads rows only; [`views::event`](posthouse_api::views::event) builds their views.

use posthouse_domain::{Caller, Detail, Event, EventId, EventKind, InboxId, Refusal, WorkspaceId};
use posthouse_store::{Result as StoreResult, Tx, events, events::EventRange, inboxes};

/// Events read per query.
const STEP: u32 = 200;

/// The events that a reader requests.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct EventFilter {
    /// The event types; empty for all types.
    pub kinds: Vec<EventKind>,
    /// The inboxes; `None` for every event of the workspace, including events without an inbox.
    pub inboxes: Option<Vec<InboxId>>,
}

impl EventFilter {
    /// Builds a filter from a request. A key of one inbox is limited to the events of that inbox. Deleted inboxes are
    /// accepted, because their events stay in the log.
    ///
    /// # Errors
    /// Returns `not_found` for an inbox that the caller cannot see.
    pub fn of(
        tx: &mut Tx,
        caller: &Caller,
        kinds: Vec<EventKind>,
        wanted: Option<Vec<InboxId>>,
    ) -> Result<Self, Refusal> {
        let Some(wanted) = wanted else {
            return Ok(Self { kinds, inboxes: caller.scope().inboxes().map(<[InboxId]>::to_vec) });
        };
        for id in &wanted {
            if !caller.scope().allows_inbox(*id) || inboxes::get(tx, caller.workspace, *id)?.is_none() {
                return Err(Refusal::not_found("inbox").detail(Detail::InboxId(*id)));
            }
        }
        Ok(Self { kinds, inboxes: Some(wanted) })
    }

    /// Returns the inbox if exactly one is requested, because the log of one inbox has its own index.
    #[must_use]
    pub fn only_inbox(&self) -> Option<InboxId> {
        if let Some([one]) = self.inboxes.as_deref() { Some(*one) } else { None }
    }

    /// Returns true if the event passes the filter.
    #[must_use]
    pub fn matches(&self, event: &Event) -> bool {
        let event = &event.event;
        let is_in = |inboxes: &Vec<InboxId>| event.inbox.is_some_and(|inbox| inboxes.contains(&inbox));
        (self.kinds.is_empty() || self.kinds.contains(&event.kind)) && self.inboxes.as_ref().is_none_or(is_in)
    }
}

/// The limits of one read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EventReadLimits {
    /// Maximum number of events returned.
    pub events: usize,
    /// Approximate number of events scanned, so that a filter for rare types doesn't make a read long.
    pub scanned: usize,
}

/// Consecutive events of the log, read together.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct EventBatch {
    /// The events that passed the filter, in reading order.
    pub events: Vec<Event>,
    /// The position of the last event scanned; the next read continues after it.
    pub seen: i64,
    /// The event at `seen`; `None` if nothing was scanned.
    pub last: Option<EventId>,
    /// Whether the read reached the end of the log.
    pub is_end: bool,
}

/// Returns the events after position `seq` that pass the filter, oldest first.
pub fn after(
    tx: &mut Tx,
    workspace: WorkspaceId,
    filter: &EventFilter,
    seq: i64,
    bounds: EventReadLimits,
) -> StoreResult<EventBatch> {
    let inbox = filter.only_inbox();
    collect(filter, seq, bounds, |seen| events::after(tx, workspace, inbox, seen, STEP))
}

/// Returns the events before position `seq` that pass the filter, newest first.
pub fn before(
    tx: &mut Tx,
    workspace: WorkspaceId,
    filter: &EventFilter,
    seq: i64,
    bounds: EventReadLimits,
) -> StoreResult<EventBatch> {
    let inbox = filter.only_inbox();
    let step = |seen| events::between(tx, workspace, inbox, EventRange { after: 0, before: seen }, STEP);
    collect(filter, seq, bounds, step)
}

/// Collects the events that pass the filter. `step` returns the next events after a position, in reading order.
fn collect(
    filter: &EventFilter,
    seq: i64,
    bounds: EventReadLimits,
    mut step: impl FnMut(i64) -> StoreResult<Vec<Event>>,
) -> StoreResult<EventBatch> {
    let mut batch = EventBatch { seen: seq, ..EventBatch::default() };
    let mut scanned = 0;
    while batch.events.len() < bounds.events && scanned < bounds.scanned {
        let found = step(batch.seen)?;
        let count = found.len();
        scanned += count;
        for event in found {
            if batch.events.len() == bounds.events {
                return Ok(batch);
            }
            (batch.seen, batch.last) = (event.seq, Some(event.event.id));
            if filter.matches(&event) {
                batch.events.push(event);
            }
        }
        if count < STEP as usize {
            batch.is_end = true;
            break;
        }
    }
    Ok(batch)
}
