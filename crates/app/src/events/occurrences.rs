//! Reads events as MCP clients get them. Polls, streams and webhooks of these clients render events here, so that an event
//! is the same in each.

use posthouse_api::views::event::RenderableEvent;
use posthouse_api::views::event::occurrence::{occurrence, smallest_occurrence, with_cursor};
use posthouse_domain::{
    Caller, DAY_MS, Event, EventId, EventKind, EventPayload, InboxId, Plans, RecordView, Refusal, Time, WorkspaceId,
    webhook::subscription::SubscriptionArguments,
};
use posthouse_store::{Result as StoreResult, Tx, events};

use super::cursor::{EventCursor, ResumePoint, ResumeRequest, resume};
use super::log::{self, EventFilter, EventReadLimits};
use super::render::{self, EventDetail};
use crate::service::Service;

/// Most events of one answer.
pub const POLLED_EVENTS_MAX: usize = 100;
/// Events scanned for one answer, so that a filter for rare types doesn't make a poll long.
const SCANNED_MAX: usize = 5_000;

/// What a client wants to get.
#[derive(Clone, Copy, Debug)]
pub struct OccurrenceRequest {
    /// The event type.
    pub kind: EventKind,
    /// Which events, and in which form.
    pub arguments: SubscriptionArguments,
    /// Where to continue.
    pub from: ResumeRequest,
}

impl OccurrenceRequest {
    /// Returns the form of the events.
    #[must_use]
    pub fn form(&self) -> EventPayload {
        self.arguments.payload.unwrap_or_default()
    }

    /// Returns the filter for the events that the caller can see.
    ///
    /// # Errors
    /// Returns `not_found` for an inbox that the caller can't see.
    pub fn filter(&self, tx: &mut Tx, caller: &Caller) -> Result<EventFilter, Refusal> {
        EventFilter::of(tx, caller, vec![self.kind], self.arguments.inbox.map(|inbox: InboxId| vec![inbox]))
    }
}

/// Consecutive events for a client.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OccurrencePage {
    /// The events, oldest first.
    pub occurrences: Vec<Occurrence>,
    /// The position after them.
    pub seq: i64,
    /// The cursor of that position.
    pub cursor: EventCursor,
    /// Whether the log has more.
    pub has_more: bool,
}

/// An event for a client.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Occurrence {
    pub id: EventId,
    pub json: String,
}

impl Occurrence {
    /// Returns the JSON with the cursor after this event.
    #[must_use]
    pub fn with_cursor(&self) -> String {
        with_cursor(&self.json, self.id.into())
    }
}

/// Returns the events after a cursor, up to `max`.
///
/// # Errors
/// Returns `not_found` for an inbox that the caller can't see.
pub async fn poll(
    service: &Service,
    caller: Caller,
    request: OccurrenceRequest,
    max: usize,
) -> Result<(ResumePoint, OccurrencePage), Refusal> {
    let reader = OccurrenceReader::of(service);
    let max = max.clamp(1, POLLED_EVENTS_MAX);
    let work = move |tx: &mut Tx| {
        let filter = request.filter(tx, &caller)?;
        let point = resume(tx, caller.workspace, request.from)?;
        Ok::<_, Refusal>((point, reader.page(tx, &filter, request.form(), caller.workspace, point.seq, max)?))
    };
    service.read(caller.workspace, work).await
}

/// What rendering events needs beside the store.
#[derive(Clone, Copy, Debug)]
pub struct OccurrenceReader {
    plans: Plans,
    now: Time,
    bytes_max: u64,
}

impl OccurrenceReader {
    /// Creates a reader for one read.
    #[must_use]
    pub fn of(service: &Service) -> Self {
        Self { plans: service.config.plans, now: service.clock.now(), bytes_max: service.config.limits.page_bytes }
    }

    /// Returns the events after a position that pass the filter, up to `max` and as many as fit.
    pub fn page(
        &self,
        tx: &mut Tx,
        filter: &EventFilter,
        form: EventPayload,
        workspace: WorkspaceId,
        seq: i64,
        max: usize,
    ) -> StoreResult<OccurrencePage> {
        let bounds = EventReadLimits { events: max, scanned: SCANNED_MAX };
        // Read first: all events up to it are visible to the reads that follow.
        let head = events::head(tx, workspace)?;
        let read = log::after(tx, workspace, filter, seq, bounds)?;
        let wanted = read.events.len();
        let last_of = |events: &[Event]| events.last().map(|event| (event.seq, event.event.id));
        let (found, occurrences) = self.render(tx, workspace, read.events, form)?;
        let is_complete = found.len() == wanted;
        let (seq, cursor) = match last_of(&found) {
            last if !is_complete => last.map_or((seq, None), |(seq, id)| (seq, Some(EventCursor::of(id)))),
            // The log of one inbox ends before that of its workspace.
            _ if read.is_end && read.seen < head => (head, None),
            _ => (read.seen, read.last.map(EventCursor::of)),
        };
        let cursor = cursor.map_or_else(|| EventCursor::at(tx, workspace, seq), Ok)?;
        // Nothing is rendered if the workspace no longer exists.
        let is_gone = wanted > 0 && found.is_empty();
        Ok(OccurrencePage { occurrences, seq, cursor, has_more: !(is_gone || (read.is_end && is_complete)) })
    }

    /// Renders the first of up to 100 events: as many as fit, but at least one. Also returns these events.
    pub fn render(
        &self,
        tx: &mut Tx,
        workspace: WorkspaceId,
        events: Vec<Event>,
        form: EventPayload,
    ) -> StoreResult<(Vec<Event>, Vec<Occurrence>)> {
        let full = EventDetail::full(self.bytes_max);
        let shown = render::load(tx, workspace, events, &self.plans, self.now, full)?;
        let (mut found, mut occurrences, mut bytes) = (Vec::new(), Vec::new(), 0);
        for shown in shown {
            let event = shown.event().clone();
            let json = self.json(tx, &shown, form)?;
            bytes += json.len() as u64;
            if !found.is_empty() && bytes > self.bytes_max {
                break;
            }
            occurrences.push(Occurrence { id: event.event.id, json });
            found.push(event);
        }
        Ok((found, occurrences))
    }

    /// Renders an event in a form, or if that is too large, as a summary without bodies, or as an envelope.
    pub fn json(&self, tx: &mut Tx, shown: &RenderableEvent, form: EventPayload) -> StoreResult<String> {
        if let Some(json) = occurrence(shown, form) {
            return Ok(json);
        }
        let (event, workspace) = (shown.event(), shown.event().event.workspace);
        let summary = EventDetail { view: RecordView::Summary, bytes_max: self.bytes_max };
        let shown = render::load(tx, workspace, vec![event.clone()], &self.plans, self.now, summary)?;
        let forms = [EventPayload::Full, EventPayload::Envelope];
        let fitting = shown.first().and_then(|shown| forms.into_iter().find_map(|form| occurrence(shown, form)));
        Ok(fitting.unwrap_or_else(|| smallest_occurrence(event)))
    }
}

/// Returns the earliest time of the events for a client that wants none older than `max_age_ms`.
#[must_use]
pub fn not_before(now: Time, max_age_ms: Option<i64>) -> Option<Time> {
    max_age_ms.map(|age| now.plus_ms(-age.clamp(0, 36_500 * DAY_MS)))
}
