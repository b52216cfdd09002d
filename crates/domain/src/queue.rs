//! The work queue of an inbox (contract §4.8, decision 24): what a lease is worth, and how often a message is handed out.
//!
//! A queue hands out the received mail of one inbox under leases. A lease that ran out stays good until the message is
//! handed out again; the last one does not, for it leaves a dead letter.

use crate::{
    error::{Code, Refusal},
    id::{InboxId, LeaseId, MessageId, ThreadId, WorkspaceId},
    time::Time,
};

/// How often a message is handed out at most.
pub const DELIVERIES_MAX: u32 = 10;
/// On mail that was handed out so often without being finished (contract §4.2).
pub const DEAD_LETTER: &str = "queue:dead-letter";
/// How long it is remembered that a message which was handed out is gone, in milliseconds.
pub const GONE_KEPT_MS: i64 = 30 * crate::time::DAY_MS;

named! {
    /// What has become of a message in its queue.
    State {
        /// It waits or is handed out.
        Open = "open",
        /// It was finished.
        Done = "done",
        /// It was handed out too often.
        Dead = "dead",
        /// The message itself was deleted.
        Gone = "gone",
    }
}

/// A message in the queue of its inbox.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Item {
    /// The workspace.
    pub workspace: WorkspaceId,
    /// The message.
    pub message: MessageId,
    /// The inbox whose queue it is in.
    pub inbox: InboxId,
    /// Its conversation, of which one message at a time is handed out.
    pub thread: ThreadId,
    /// What has become of it.
    pub state: State,
    /// When it can be handed out: the end of its lease or of its delay; 0 when nothing keeps it back.
    pub available_at: Time,
    /// The last lease, unless it was given back.
    pub lease: Option<LeaseId>,
    /// How often it was handed out.
    pub deliveries: u32,
    /// When it was finished.
    pub settled_at: Option<Time>,
}

/// What a lease is worth now.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Worth {
    /// It is the current one.
    Current,
    /// The message was finished under it, at that time.
    Done(Time),
}

impl Item {
    /// What the lease is worth. One that ran out stays current until the message is handed out again; only the last one
    /// ends with its time.
    ///
    /// # Errors
    /// `lease_expired`.
    pub fn worth(&self, lease: &str, now: Time) -> Result<Worth, Refusal> {
        let is_last_given = self.lease.is_some() && lease.parse().ok() == self.lease;
        match (self.state, self.settled_at) {
            (State::Open, _) if is_last_given && !self.is_spent(now) => Ok(Worth::Current),
            (State::Done, Some(at)) if is_last_given => Ok(Worth::Done(at)),
            _ => Err(lease_expired()),
        }
    }

    /// Whether its last delivery has run out: it is a dead letter, whoever notices it first.
    #[must_use]
    pub fn is_spent(&self, now: Time) -> bool {
        self.state == State::Open && self.deliveries >= DELIVERIES_MAX && self.available_at <= now
    }
}

/// The refusal for a lease that is not the current one of its message.
#[must_use]
pub fn lease_expired() -> Refusal {
    Refusal::new(
        Code::LeaseExpired,
        "The lease is not the current one of this message: somebody else may have it by now.",
    )
}

/// What a claim may hand out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Wanted {
    /// Mail of that channel alone.
    pub channel: Option<crate::message::Channel>,
    /// Mail of that type alone.
    pub kind: Option<crate::message::Kind>,
    /// Only mail whose check for injection and phishing was completed. Nothing checks mail as yet, so there is none.
    pub analysed: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    fn item(state: State, deliveries: u32) -> Item {
        let id = Uuid::from_u128(1);
        Item {
            workspace: WorkspaceId(id),
            message: MessageId(id),
            inbox: InboxId(id),
            thread: ThreadId(id),
            state,
            available_at: Time::from_millis(1_000),
            lease: Some(LeaseId(Uuid::from_u128(7))),
            deliveries,
            settled_at: (state == State::Done).then_some(Time::from_millis(500)),
        }
    }

    #[test]
    fn a_lease_is_good_until_it_is_no_longer_the_last_and_the_tenth_until_its_end() {
        let (mine, other) = (Uuid::from_u128(7).to_string(), Uuid::from_u128(8).to_string());
        let expired = Err(Code::LeaseExpired);
        let done = Ok(Worth::Done(Time::from_millis(500)));
        let rows = [
            (item(State::Open, 1), 999, Ok(Worth::Current)),
            (item(State::Open, 1), 5_000, Ok(Worth::Current)),
            (item(State::Open, DELIVERIES_MAX), 999, Ok(Worth::Current)),
            (item(State::Open, DELIVERIES_MAX), 1_000, expired),
            (Item { lease: None, ..item(State::Open, 1) }, 1, expired),
            (item(State::Done, 1), 5_000, done),
            (item(State::Dead, 10), 1, expired),
            (item(State::Gone, 1), 1, expired),
        ];
        for (item, now, wanted) in rows {
            let now = Time::from_millis(now);
            assert_eq!(item.worth(&mine, now).map_err(|refusal| refusal.code), wanted, "{item:?} at {now:?}");
            for stale in [other.as_str(), "", "no uuid"] {
                assert_eq!(item.worth(stale, now).map_err(|refusal| refusal.code), expired, "{item:?} with {stale}");
            }
        }
    }
}
