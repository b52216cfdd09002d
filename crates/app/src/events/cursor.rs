//! Cursors of MCP clients: the id of the last event that the client got or skipped (`docs/reference/mcp-events.md#cursors`).
//!
//! A position without an event, such as the end of an empty log, is a UUID that contains its number. Such a UUID is never
//! the id of an event, because those begin with their time.

use posthouse_domain::{EventId, Refusal, Time, WorkspaceId};
use posthouse_store::{Result as StoreResult, Tx, events};
use uuid::Uuid;

/// Where a client wants to continue.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ResumeRequest {
    /// The last event of the client; `None` starts with the next event.
    pub cursor: Option<EventCursor>,
    /// Older events are left out.
    pub not_before: Option<Time>,
}

/// A cursor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EventCursor(Uuid);

/// A position in the log of a workspace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ResumePoint {
    /// The sequence number after which the client continues.
    pub seq: i64,
    /// Whether the log has no longer all events after the cursor, or some are left out.
    pub is_truncated: bool,
}

impl EventCursor {
    /// Parses a cursor.
    ///
    /// # Errors
    /// Returns `invalid_request` if it isn't a UUID.
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        let refused = || {
            Refusal::invalid_field("cursor", "must be the `cursor` of an earlier answer, or null")
                .with_fix("Send the last `cursor` that you got, or null to start with the next event.")
        };
        Uuid::try_parse(text).map(Self).map_err(|_| refused())
    }

    /// Returns the cursor of an event.
    #[must_use]
    pub fn of(event: EventId) -> Self {
        Self(event.into())
    }

    /// Returns the cursor of a position.
    pub fn at(tx: &mut Tx, workspace: WorkspaceId, seq: i64) -> StoreResult<Self> {
        let event = events::id_at(tx, workspace, seq)?;
        Ok(event.map_or_else(|| Self(Uuid::from_u64_pair(0, seq.unsigned_abs())), Self::of))
    }

    /// Returns the position that the cursor contains, if it isn't an event's.
    fn number(self) -> Option<i64> {
        let (high, low) = self.0.as_u64_pair();
        i64::try_from(low).ok().filter(|_| high == 0)
    }
}

impl From<EventCursor> for Uuid {
    fn from(cursor: EventCursor) -> Self {
        cursor.0
    }
}

impl std::fmt::Display for EventCursor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// Returns where a client continues. A cursor that the log doesn't have continues with the oldest event.
pub fn resume(tx: &mut Tx, workspace: WorkspaceId, request: ResumeRequest) -> StoreResult<ResumePoint> {
    let head = events::head(tx, workspace)?;
    let Some(cursor) = request.cursor else { return Ok(ResumePoint { seq: head, is_truncated: false }) };
    let point = match cursor.number() {
        Some(seq) => {
            let first = events::after(tx, workspace, None, 0, 1)?.first().map_or(head + 1, |first| first.seq);
            ResumePoint { seq: seq.min(head), is_truncated: seq > head || seq + 1 < first }
        }
        None => match events::seq_of(tx, workspace, EventId(cursor.0))? {
            Some(seq) => ResumePoint { seq, is_truncated: false },
            None => ResumePoint { seq: 0, is_truncated: true },
        },
    };
    let Some(not_before) = request.not_before else { return Ok(point) };
    let seq = skip_older(tx, workspace, point.seq..head, not_before)?;
    Ok(ResumePoint { seq, is_truncated: point.is_truncated || seq > point.seq })
}

/// Returns the last position of the range before which all events are older than a time, or its start. The times of the
/// log rise, except for neighbors.
fn skip_older(tx: &mut Tx, workspace: WorkspaceId, range: std::ops::Range<i64>, not_before: Time) -> StoreResult<i64> {
    let (mut low, mut high) = (range.start, range.end);
    while low < high {
        let middle = low + (high - low) / 2;
        match events::after(tx, workspace, None, middle, 1)?.first() {
            // A gap before the oldest kept event: continue at that event.
            Some(next) if next.event.at < not_before => low = next.seq,
            _ => high = middle,
        }
    }
    Ok(low)
}
