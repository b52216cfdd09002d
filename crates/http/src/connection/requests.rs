//! Counts the requests in progress on a connection.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use tokio::sync::Notify;

/// The requests in progress on a connection, each from the end of its head to the end of its response.
#[derive(Clone, Default)]
pub(crate) struct OpenRequests(Arc<OpenCount>);

/// Every open connection has one: a `watch` channel would take five times the memory.
#[derive(Default)]
struct OpenCount {
    count: AtomicU32,
    /// Notified when the last request ends.
    idle: Notify,
}

impl OpenRequests {
    pub(crate) fn enter(&self) -> OpenRequest {
        self.0.count.fetch_add(1, Ordering::AcqRel);
        OpenRequest(Arc::clone(&self.0))
    }

    /// Returns whether no request is in progress.
    pub(crate) fn is_none(&self) -> bool {
        self.0.count.load(Ordering::Acquire) == 0
    }

    /// Waits until no request is in progress.
    pub(crate) async fn idle(&self) {
        loop {
            // Registered before the count is read, so that no notification falls between the two.
            let idle = self.0.idle.notified();
            if self.is_none() {
                return;
            }
            idle.await;
        }
    }
}

/// A request in progress. Dropping it ends the request.
pub(crate) struct OpenRequest(Arc<OpenCount>);

impl Drop for OpenRequest {
    fn drop(&mut self) {
        if self.0.count.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.0.idle.notify_waiters();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn waiting_ends_with_the_last_request() {
        let requests = OpenRequests::default();
        assert!(requests.is_none());
        requests.idle().await;
        let (first, second) = (requests.enter(), requests.enter());
        let waiting = requests.clone();
        let idle = tokio::spawn(async move { waiting.idle().await });
        tokio::task::yield_now().await;
        drop(first);
        tokio::task::yield_now().await;
        assert!(!idle.is_finished() && !requests.is_none());
        drop(second);
        idle.await.expect("it ends");
        assert!(requests.is_none());
    }
}
