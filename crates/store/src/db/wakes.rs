//! Wakes: who waits for a workspace hears that something was committed there. They carry nothing.
//!
//! A waiter registers before it looks, so no commit between looking and sleeping is lost. A waiter that sleeps costs a
//! few hundred bytes and no timer; 10,000 of them are ordinary.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;
use uuid::Uuid;

/// All waiters of this process. Cloning is cheap.
#[derive(Clone)]
pub struct Wakes {
    inner: Arc<Inner>,
}

struct Inner {
    /// One channel per workspace that has waiters; removed with its last waiter.
    channels: Mutex<HashMap<Uuid, watch::Sender<()>>>,
    /// For those who wait for any workspace, such as the job runner.
    any: watch::Sender<()>,
}

/// One who waits. Make it, look at the rows, then sleep on [`Waiter::changed`], look again.
pub struct Waiter {
    wakes: Wakes,
    /// `None`: waits for any workspace.
    workspace_id: Option<Uuid>,
    /// `None` only while being dropped.
    receiver: Option<watch::Receiver<()>>,
}

impl Wakes {
    pub(crate) fn new() -> Self {
        Wakes { inner: Arc::new(Inner { channels: Mutex::default(), any: watch::Sender::new(()) }) }
    }

    /// Registers for the wakes of one workspace, from now on.
    #[must_use]
    pub fn subscribe(&self, workspace_id: Uuid) -> Waiter {
        let receiver = self.channels().entry(workspace_id).or_insert_with(|| watch::Sender::new(())).subscribe();
        Waiter { wakes: self.clone(), workspace_id: Some(workspace_id), receiver: Some(receiver) }
    }

    /// Registers for the wakes of every workspace, from now on.
    #[must_use]
    pub fn subscribe_any(&self) -> Waiter {
        Waiter { wakes: self.clone(), workspace_id: None, receiver: Some(self.inner.any.subscribe()) }
    }

    /// Wakes the waiters of these workspaces.
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
        self.inner.any.send_replace(());
    }

    /// Wakes everybody: something may have changed that nobody named.
    pub(crate) fn publish_all(&self) {
        for channel in self.channels().values() {
            channel.send_replace(());
        }
        self.inner.any.send_replace(());
    }

    /// How many workspaces are waited for now.
    #[must_use]
    pub fn workspaces_waited_for(&self) -> usize {
        self.channels().len()
    }

    fn channels(&self) -> MutexGuard<'_, HashMap<Uuid, watch::Sender<()>>> {
        self.inner.channels.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiter {
    /// Returns at once if there was a wake since this waiter was made or last returned from here; otherwise sleeps until
    /// the next. Cancel-safe. May wake without cause.
    pub async fn changed(&mut self) {
        if let Some(receiver) = &mut self.receiver
            && receiver.changed().await.is_err()
        {
            // Cannot happen: the sender lives in the registry as long as it has receivers. Never spin.
            std::future::pending::<()>().await;
        }
    }
}

impl Drop for Waiter {
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

    fn ready(waiter: &mut Waiter) -> bool {
        pin!(waiter.changed()).poll(&mut Context::from_waker(Waker::noop())) == Poll::Ready(())
    }

    #[test]
    fn a_wake_between_registering_and_sleeping_is_not_lost() {
        let wakes = Wakes::new();
        let (mine, other) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let mut waiter = wakes.subscribe(mine);
        let mut any = wakes.subscribe_any();
        assert!(!ready(&mut waiter));
        wakes.publish(&[other]);
        assert!(!ready(&mut waiter), "another workspace's wake");
        assert!(ready(&mut any));
        wakes.publish(&[mine]);
        wakes.publish(&[mine]);
        assert!(ready(&mut waiter));
        assert!(!ready(&mut waiter), "wakes are not counted");
        wakes.publish_all();
        assert!(ready(&mut waiter) && ready(&mut any));
    }

    #[test]
    fn the_registry_forgets_with_the_last_waiter() {
        let wakes = Wakes::new();
        let id = Uuid::from_u128(7);
        let (a, b) = (wakes.subscribe(id), wakes.subscribe(id));
        drop(a);
        assert_eq!(wakes.workspaces_waited_for(), 1);
        drop(b);
        assert_eq!(wakes.workspaces_waited_for(), 0);
    }
}
