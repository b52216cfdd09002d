//! What an event must not overtake on its way to a webhook: those of its conversation, and behind a pause those of its inbox.
//!
//! Within a process the desk keeps the order, by the same rule. Here it is kept between processes, and behind one that died: first
//! attempts that somebody else holds, or that nobody holds yet, close their lanes for what comes behind them in the log.

use std::collections::HashSet;

use posthouse_domain::{
    event::Event,
    id::{EventId, InboxId, WebhookDeliveryId, WorkspaceId},
    webhook::DeliveryStatus,
};
use posthouse_store::{Result, Tx, events, webhook_deliveries::Waiting};

use super::{Lane, Turn};

/// A first attempt that is to be made, with the lane of its event.
#[derive(Clone, Debug)]
pub(super) struct First {
    pub(super) id: WebhookDeliveryId,
    pub(super) inbox: Option<InboxId>,
    pub(super) lane: Lane,
}

/// What an event must not overtake.
pub(super) fn of(event: &Event) -> Lane {
    match (event.event.inbox, event.event.thread) {
        (_, Some(thread)) if !event.released => Lane::Thread(thread),
        (Some(inbox), _) => Lane::Inbox(inbox),
        _ => Lane::None,
    }
}

/// The first attempts among those that wait, without the ones that this process has in memory.
pub(super) fn firsts(
    tx: &mut Tx,
    workspace: WorkspaceId,
    waiting: &[Waiting],
    own: &HashSet<WebhookDeliveryId>,
) -> Result<Vec<First>> {
    let is_first = |one: &&Waiting| one.status == DeliveryStatus::Pending && one.attempt == 1 && !own.contains(&one.id);
    let firsts: Vec<&Waiting> = waiting.iter().filter(is_first).collect();
    if firsts.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<EventId> = firsts.iter().map(|one| one.event).collect();
    let found = events::get_many(tx, workspace, &ids)?;
    let first = |one: &&Waiting| {
        let event = found.iter().find(|event| event.event.id == one.event)?;
        Some(First { id: one.id, inbox: event.event.inbox, lane: of(event) })
    };
    Ok(firsts.iter().filter_map(first).collect())
}

/// Whether an event would overtake one of these.
pub(super) fn is_closed(event: &Event, ahead: &[First]) -> bool {
    let turn = Turn { inbox: event.event.inbox, lane: of(event) };
    ahead.iter().any(|first| turn.is_behind(Turn { inbox: first.inbox, lane: first.lane }))
}

#[cfg(test)]
mod tests {
    use posthouse_domain::{
        event::{EventKind, NewEvent},
        id::ThreadId,
        time::Time,
    };
    use uuid::Uuid;

    use super::*;

    fn event(inbox: Option<u128>, thread: Option<u128>, released: bool) -> Event {
        let event = NewEvent {
            workspace: WorkspaceId(Uuid::nil()),
            id: EventId(Uuid::nil()),
            kind: EventKind::MessageReceived,
            inbox: inbox.map(|n| InboxId(Uuid::from_u128(n))),
            thread: thread.map(|n| ThreadId(Uuid::from_u128(n))),
            message: None,
            detail_json: String::new(),
            at: Time::from_millis(0),
        };
        Event { seq: 1, released, event }
    }

    fn first(of_event: &Event) -> First {
        First { id: WebhookDeliveryId(Uuid::nil()), inbox: of_event.event.inbox, lane: of(of_event) }
    }

    #[test]
    fn a_lane_is_a_conversation_and_behind_a_pause_the_inbox() {
        let talk = event(Some(1), Some(10), false);
        let held = event(Some(1), Some(11), true);
        let table = [
            (&talk, event(Some(1), Some(10), false), true),
            (&talk, event(Some(1), Some(12), false), false),
            (&talk, event(Some(1), Some(12), true), true),
            (&talk, event(Some(2), Some(20), true), false),
            (&held, event(Some(1), Some(12), false), true),
            (&held, event(Some(2), Some(20), false), false),
            (&held, event(None, None, false), false),
        ];
        for (ahead, behind, closed) in table {
            assert_eq!(is_closed(&behind, &[first(ahead)]), closed, "{behind:?} behind {ahead:?}");
        }
        assert!(!is_closed(&talk, &[first(&event(None, None, false))]));
    }
}
