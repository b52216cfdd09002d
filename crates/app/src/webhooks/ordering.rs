//! Keeps events in order: within a conversation, and within an inbox after a pause.
//!
//! The dispatcher applies the same rule within a process. This module applies it between processes and after a crash: a
//! first attempt that another process holds, or that is not leased yet, blocks later events with the same ordering key.

use std::collections::HashSet;

use posthouse_domain::{Event, EventId, InboxId, WebhookDeliveryId, WebhookDeliveryStatus, WorkspaceId};
use posthouse_store::{Result, Tx, events, webhook_deliveries::PendingAttempt};

use super::{AttemptOrder, OrderingKey};

/// A pending first attempt with the ordering key of its event.
#[derive(Clone, Debug)]
pub(super) struct FirstAttempt {
    pub(super) id: WebhookDeliveryId,
    pub(super) inbox: Option<InboxId>,
    pub(super) key: OrderingKey,
}

/// Returns the ordering key of an event.
pub(super) fn of(event: &Event) -> OrderingKey {
    match (event.event.inbox, event.event.thread) {
        (_, Some(thread)) if !event.released => OrderingKey::Thread(thread),
        (Some(inbox), _) => OrderingKey::Inbox(inbox),
        _ => OrderingKey::None,
    }
}

/// Returns the waiting first attempts that this process does not hold in memory.
pub(super) fn first_attempts(
    tx: &mut Tx,
    workspace: WorkspaceId,
    waiting: &[PendingAttempt],
    own: &HashSet<WebhookDeliveryId>,
) -> Result<Vec<FirstAttempt>> {
    let is_first = |one: &&PendingAttempt| {
        one.status == WebhookDeliveryStatus::Pending && one.attempt == 1 && !own.contains(&one.id)
    };
    let firsts: Vec<&PendingAttempt> = waiting.iter().filter(is_first).collect();
    if firsts.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<EventId> = firsts.iter().map(|one| one.event).collect();
    let found = events::get_many(tx, workspace, &ids)?;
    let first = |one: &&PendingAttempt| {
        let event = found.iter().find(|event| event.event.id == one.event)?;
        Some(FirstAttempt { id: one.id, inbox: event.event.inbox, key: of(event) })
    };
    Ok(firsts.iter().filter_map(first).collect())
}

/// Returns whether an event must wait for one of the attempts `ahead`.
pub(super) fn is_closed(event: &Event, ahead: &[FirstAttempt]) -> bool {
    let order = AttemptOrder { inbox: event.event.inbox, key: of(event) };
    ahead.iter().any(|first| order.waits_for(AttemptOrder { inbox: first.inbox, key: first.key }))
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
        let event = NewEvent::new(
            EventKind::MessageReceived,
            WorkspaceId(Uuid::nil()),
            EventId(Uuid::nil()),
            Time::from_millis(0),
        )
        .in_inbox(inbox.map(|n| InboxId(Uuid::from_u128(n))))
        .in_thread(thread.map(|n| ThreadId(Uuid::from_u128(n))))
        .with_detail(String::new());
        Event { seq: 1, released, event }
    }

    fn first(of_event: &Event) -> FirstAttempt {
        FirstAttempt { id: WebhookDeliveryId(Uuid::nil()), inbox: of_event.event.inbox, key: of(of_event) }
    }

    #[test]
    fn events_wait_for_their_thread_and_after_a_pause_for_their_inbox() {
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
