//! Waiters for new mail, by inbox. A commit wakes one waiter of its workspace, the leader. The leader reads from the
//! store which of the watched inboxes have newer mail, and only the waiters of those inboxes are woken.
//!
//! So 10,000 waiters cost one small read per wakeup; wakeups during the read are combined. This module decides nothing:
//! woken waiters query the store themselves. There is no task and no timer; when the leader stops waiting, the next
//! waiter becomes the leader.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use posthouse_domain::{InboxId, Refusal, Time, WorkspaceId};
use posthouse_store::{ReadScope, Store, WakeWaiter, arrivals, dialect::IDS_MAX, message_list::InboxRef};
use tokio::sync::watch;

type Registry = Arc<Mutex<HashMap<WorkspaceId, Arc<WorkspaceWaiters>>>>;

/// The waiters of this process.
#[derive(Clone, Default)]
pub struct InboxWaiters(Registry);

/// The waiters of one workspace.
struct WorkspaceWaiters {
    /// Locked by the leader; the other waiters queue for it.
    polling: tokio::sync::Mutex<Leader>,
    /// The last known state of each watched inbox. Removed with the last watch of the inbox.
    inboxes: Mutex<HashMap<InboxId, watch::Sender<InboxActivity>>>,
}

struct Leader {
    wakes: WakeWaiter,
    /// Whether a wakeup arrived after the last read.
    is_behind: bool,
}

/// The last known state of an inbox.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InboxActivity {
    /// `created_at` of its newest message.
    pub newest: Time,
    /// Counter of changes that made a queue item claimable other than by arrival.
    pub changes: i64,
}

/// A watch on an inbox. Create it, read the store, wait on [`InboxWatch::newer`], then read again.
pub struct InboxWatch {
    registry: Registry,
    waiters: Arc<WorkspaceWaiters>,
    store: Store,
    inbox_ref: InboxRef,
    /// `None` only while being dropped.
    activity: Option<watch::Receiver<InboxActivity>>,
}

/// The state of an inbox that was not read yet.
const UNKNOWN: InboxActivity = InboxActivity { newest: Time::from_millis(i64::MIN), changes: i64::MIN };
/// The newest message time that is reported for a deleted inbox.
const DELETED: Time = Time::from_millis(i64::MAX);

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl InboxWaiters {
    /// Registers a watch for the mail that arrives in an inbox from now on.
    #[must_use]
    pub fn watch(&self, store: &Store, inbox_ref: InboxRef) -> InboxWatch {
        let mut registry = locked(&self.0);
        let create = || Arc::new(WorkspaceWaiters::new(store, inbox_ref.workspace));
        let waiters = registry.entry(inbox_ref.workspace).or_insert_with(create).clone();
        let unknown = || watch::Sender::new(UNKNOWN);
        let activity = Some(locked(&waiters.inboxes).entry(inbox_ref.inbox).or_insert_with(unknown).subscribe());
        drop(registry);
        InboxWatch { registry: self.0.clone(), waiters, store: store.clone(), inbox_ref, activity }
    }

    /// Returns the number of workspaces that have waiters.
    #[must_use]
    pub fn workspaces(&self) -> usize {
        locked(&self.0).len()
    }
}

impl WorkspaceWaiters {
    fn new(store: &Store, workspace: WorkspaceId) -> Self {
        let wakes = store.subscribe(workspace.0);
        Self { polling: tokio::sync::Mutex::new(Leader { wakes, is_behind: false }), inboxes: Mutex::default() }
    }

    /// Reads the state of every watched inbox and wakes the waiters of those that changed.
    async fn catch_up(&self, store: &Store, workspace: WorkspaceId) -> Result<(), Refusal> {
        let watched: Vec<InboxId> = locked(&self.inboxes).keys().copied().collect();
        let mut newest: HashMap<InboxId, (Time, i64)> = HashMap::with_capacity(watched.len());
        for some in watched.chunks(IDS_MAX) {
            let some = some.to_vec();
            let found = store.read_in(ReadScope::Statement, move |tx| arrivals::newest(tx, workspace, &some)).await?;
            newest.extend(found.into_iter().map(|(inbox, newest, stirs)| (inbox, (newest, stirs))));
        }
        let inboxes = locked(&self.inboxes);
        for inbox in watched {
            let (newest, stirs) = newest.get(&inbox).copied().unwrap_or((DELETED, 0));
            if let Some(activity) = inboxes.get(&inbox) {
                activity.send_if_modified(|known| {
                    let now = InboxActivity { newest: newest.max(known.newest), changes: stirs.max(known.changes) };
                    std::mem::replace(known, now) != now
                });
            }
        }
        Ok(())
    }
}

impl InboxWatch {
    /// Waits until the inbox has a message after `than`; returns the time of its newest message. Cancel-safe.
    ///
    /// # Errors
    /// Returns `not_found` once the inbox is deleted.
    pub async fn newer(&mut self, than: Time) -> Result<Time, Refusal> {
        Ok(self.wait_until(|known| known.newest > than).await?.newest)
    }

    /// Waits until the state of the inbox is newer than `than`. Cancel-safe.
    ///
    /// # Errors
    /// Returns `not_found` once the inbox is deleted.
    pub async fn other_than(&mut self, than: InboxActivity) -> Result<InboxActivity, Refusal> {
        self.wait_until(|known| known.newest > than.newest || known.changes > than.changes).await
    }

    async fn wait_until(&mut self, is_reached: impl Fn(InboxActivity) -> bool) -> Result<InboxActivity, Refusal> {
        let activity = self.activity.as_mut().expect("the receiver exists until the drop");
        loop {
            let known = *activity.borrow_and_update();
            if known.newest == DELETED {
                return Err(Refusal::not_found("inbox"));
            }
            if is_reached(known) {
                return Ok(known);
            }
            let mut leader = tokio::select! {
                // The sender exists while the inbox is watched, so this cannot fail.
                _ = activity.changed() => continue,
                leader = self.waiters.polling.lock() => leader,
            };
            if leader.is_behind {
                // Boxed, so that the waiters don't keep space for the read.
                Box::pin(self.waiters.catch_up(&self.store, self.inbox_ref.workspace)).await?;
                leader.is_behind = false;
                continue;
            }
            tokio::select! {
                _ = activity.changed() => {}
                // No await between the wakeup and the assignment, so that a cancelled leader loses no wakeup.
                () = leader.wakes.changed() => leader.is_behind = true,
            }
        }
    }
}

impl Drop for InboxWatch {
    fn drop(&mut self) {
        let mut registry = locked(&self.registry);
        self.activity = None;
        let mut inboxes = locked(&self.waiters.inboxes);
        if inboxes.get(&self.inbox_ref.inbox).is_some_and(|activity| activity.receiver_count() == 0) {
            inboxes.remove(&self.inbox_ref.inbox);
        }
        let is_registered = registry.get(&self.inbox_ref.workspace).is_some_and(|own| Arc::ptr_eq(own, &self.waiters));
        if inboxes.is_empty() && is_registered {
            registry.remove(&self.inbox_ref.workspace);
        }
    }
}
