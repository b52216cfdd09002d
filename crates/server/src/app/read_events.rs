//! The one reader of the event log: behind a place, for who may see it, of the wanted kinds and inboxes (decision 12).
//!
//! The list of events, webhooks and the stream all read through it, so they show the same events in the same order. It only
//! reads rows; [`views::event`](crate::views::event) adds what is shown of them.

use posthouse_domain::{
    auth::Caller,
    error::Refusal,
    event::{Event, EventKind},
    id::{EventId, InboxId, WorkspaceId},
};
use posthouse_store::{Result as Stored, Tx, events, inboxes};

/// Events that are read at once.
const STEP: u32 = 200;

/// Which events somebody wants.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Filter {
    /// The kinds; none named: every kind.
    pub kinds: Vec<EventKind>,
    /// The inboxes; none: every event of the workspace, those of no inbox included.
    pub inboxes: Option<Vec<InboxId>>,
}

impl Filter {
    /// What a caller wants, as far as the key reaches: a key of one inbox has the events of that one. Deleted inboxes have
    /// events too.
    ///
    /// # Errors
    /// `not_found` for an inbox that the caller cannot see, or the store's own.
    pub fn of(
        tx: &mut Tx,
        caller: &Caller,
        kinds: Vec<EventKind>,
        wanted: Option<Vec<InboxId>>,
    ) -> Result<Self, Refusal> {
        let Some(wanted) = wanted else {
            return Ok(Self { kinds, inboxes: caller.scope.inbox().map(|own| vec![own]) });
        };
        for id in &wanted {
            if !caller.scope.sees(*id) || inboxes::get(tx, caller.workspace, *id)?.is_none() {
                return Err(Refusal::not_found("inbox").detail("inbox_id", id.to_string()));
            }
        }
        Ok(Self { kinds, inboxes: Some(wanted) })
    }

    /// The one inbox whose events are wanted: the log of one inbox has an index of its own.
    #[must_use]
    pub fn only_inbox(&self) -> Option<InboxId> {
        if let Some([one]) = self.inboxes.as_deref() { Some(*one) } else { None }
    }

    /// Whether the event is wanted.
    #[must_use]
    pub fn takes(&self, event: &Event) -> bool {
        let event = &event.event;
        let of_inbox = |wanted: &Vec<InboxId>| event.inbox.is_some_and(|inbox| wanted.contains(&inbox));
        (self.kinds.is_empty() || self.kinds.contains(&event.kind)) && self.inboxes.as_ref().is_none_or(of_inbox)
    }
}

/// How far one read goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// Most events that are given.
    pub events: usize,
    /// About how many are looked through for them, so that rare kinds do not make a read long.
    pub looked_through: usize,
}

/// A stretch of the log.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Stretch {
    /// The wanted events, oldest first.
    pub events: Vec<Event>,
    /// Everything up to here was looked at: where the next read goes on.
    pub seen: i64,
    /// The event at `seen`; none when nothing was looked at.
    pub last: Option<EventId>,
    /// Whether the log had no more when it was read.
    pub is_end: bool,
}

/// The wanted events behind a place.
///
/// # Errors
/// The store's own.
pub fn after(tx: &mut Tx, workspace: WorkspaceId, filter: &Filter, seq: i64, bounds: Bounds) -> Stored<Stretch> {
    let inbox = filter.only_inbox();
    let mut stretch = Stretch { seen: seq, ..Stretch::default() };
    let mut looked_through = 0;
    while stretch.events.len() < bounds.events && looked_through < bounds.looked_through {
        let step = events::after(tx, workspace, inbox, stretch.seen, STEP)?;
        let found = step.len();
        looked_through += found;
        for event in step {
            if stretch.events.len() == bounds.events {
                return Ok(stretch);
            }
            (stretch.seen, stretch.last) = (event.seq, Some(event.event.id));
            if filter.takes(&event) {
                stretch.events.push(event);
            }
        }
        if found < STEP as usize {
            stretch.is_end = true;
            break;
        }
    }
    Ok(stretch)
}
