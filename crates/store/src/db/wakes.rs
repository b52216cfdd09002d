//! Wakes: notifications that something was committed in a workspace. They carry no data.
//!
//! A waiter subscribes before it reads, so that no commit between reading and sleeping is missed. A sleeping waiter
//! costs a few hundred bytes and no timer; 10,000 of them are normal.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;
use uuid::Uuid;

/// Woken in place of a workspace when a job may be due: most commits enqueue none, and a look for due jobs reads the
/// queue of every kind.
pub(crate) const JOBS: Uuid = Uuid::max();

/// The registry of all waiters of this process. Cloning is cheap.
#[derive(Clone)]
pub struct Wakes {
    inner: Arc<WakesInner>,
}

struct WakesInner {
    /// One channel per workspace that has waiters; removed with its last waiter.
    channels: Mutex<HashMap<Uuid, watch::Sender<()>>>,
    /// For waiters on any workspace, such as the search index.
    any: watch::Sender<()>,
    /// For the job runner.
    jobs: watch::Sender<()>,
}

/// A wake subscription. Create it, read the rows, wait on [`WakeWaiter::changed`], read again.
pub struct WakeWaiter {
    wakes: Wakes,
    /// `None` waits for any workspace, or for jobs.
    workspace_id: Option<Uuid>,
    /// `None` only while being dropped.
    receiver: Option<watch::Receiver<()>>,
}

impl Wakes {
    pub(crate) fn new() -> Self {
        let (any, jobs) = (watch::Sender::new(()), watch::Sender::new(()));
        Wakes { inner: Arc::new(WakesInner { channels: Mutex::default(), any, jobs }) }
    }

    /// Subscribes to the wakes of one workspace, from now on.
    #[must_use]
    pub fn subscribe(&self, workspace_id: Uuid) -> WakeWaiter {
        let receiver = self.channels().entry(workspace_id).or_insert_with(|| watch::Sender::new(())).subscribe();
        WakeWaiter { wakes: self.clone(), workspace_id: Some(workspace_id), receiver: Some(receiver) }
    }

    /// Subscribes to the wakes of all workspaces, from now on.
    #[must_use]
    pub fn subscribe_any(&self) -> WakeWaiter {
        WakeWaiter { wakes: self.clone(), workspace_id: None, receiver: Some(self.inner.any.subscribe()) }
    }

    /// Subscribes to the wakes of the job runner, from now on.
    #[must_use]
    pub fn subscribe_jobs(&self) -> WakeWaiter {
        WakeWaiter { wakes: self.clone(), workspace_id: None, receiver: Some(self.inner.jobs.subscribe()) }
    }

    /// Wakes the waiters of these workspaces, and the job runner if [`JOBS`] is among them.
    pub(crate) fn publish(&self, workspace_ids: &[Uuid]) {
        if workspace_ids.is_empty() {
            return;
        }
        {
            let channels = self.channels();
            for channel in workspace_ids.iter().filter_map(|id| channels.get(id)) {
                channel.send_replace(());
            }
        }
        if workspace_ids.contains(&JOBS) {
            self.inner.jobs.send_replace(());
        }
        self.inner.any.send_replace(());
    }

    /// Wakes all waiters: any workspace may have changed.
    pub(crate) fn publish_all(&self) {
        for channel in self.channels().values() {
            channel.send_replace(());
        }
        self.inner.jobs.send_replace(());
        self.inner.any.send_replace(());
    }

    /// Returns the number of workspaces that have waiters.
    #[must_use]
    pub fn workspaces_waited_for(&self) -> usize {
        self.channels().len()
    }

    fn channels(&self) -> MutexGuard<'_, HashMap<Uuid, watch::Sender<()>>> {
        self.inner.channels.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl WakeWaiter {
    /// Waits for the next wake. Returns immediately if there was one since this waiter was created or last returned
    /// from here. Cancel-safe. May return spuriously.
    pub async fn changed(&mut self) {
        if let Some(receiver) = &mut self.receiver
            && receiver.changed().await.is_err()
        {
            // Can't happen: the sender stays in the registry as long as it has receivers. Don't spin.
            std::future::pending::<()>().await;
        }
    }
}

impl Drop for WakeWaiter {
    fn drop(&mut self) {
        let Some(id) = self.workspace_id else { return };
        let mut channels = self.wakes.channels();
        self.receiver = None;
        if channels.get(&id).is_some_and(watch::Sender::is_closed) {
            channels.remove(&id);
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    fn ready(waiter: &mut WakeWaiter) -> bool {
        pin!(waiter.changed()).poll(&mut Context::from_waker(Waker::noop())) == Poll::Ready(())
    }

    #[test]
    fn a_wake_between_subscribing_and_waiting_is_not_lost() {
        let wakes = Wakes::new();
        let (mine, other) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let mut waiter = wakes.subscribe(mine);
        let mut any = wakes.subscribe_any();
        let mut jobs = wakes.subscribe_jobs();
        assert!(!ready(&mut waiter));
        wakes.publish(&[other]);
        assert!(!ready(&mut waiter), "another workspace's wake");
        assert!(ready(&mut any));
        assert!(!ready(&mut jobs), "no job");
        wakes.publish(&[other, JOBS]);
        assert!(ready(&mut jobs) && !ready(&mut waiter));
        wakes.publish(&[mine]);
        wakes.publish(&[mine]);
        assert!(ready(&mut waiter));
        assert!(!ready(&mut waiter), "wakes are not counted");
        wakes.publish_all();
        assert!(ready(&mut waiter) && ready(&mut any) && ready(&mut jobs));
    }

    #[test]
    fn the_registry_removes_a_workspace_with_its_last_waiter() {
        let wakes = Wakes::new();
        let id = Uuid::from_u128(7);
        let (a, b) = (wakes.subscribe(id), wakes.subscribe(id));
        drop(a);
        assert_eq!(wakes.workspaces_waited_for(), 1);
        drop(b);
        assert_eq!(wakes.workspaces_waited_for(), 0);
    }
}
