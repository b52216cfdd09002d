//! Counts the requests in progress on a connection.

use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};

use tokio::sync::Notify;

/// The requests in progress on a connection, each from the end of its head to the end of its response. Every connection
/// has one, so it is small.
#[derive(Clone, Default)]
pub(crate) struct OpenRequests(Arc<RequestCount>);

#[derive(Default)]
struct RequestCount {
    count: AtomicU32,
    ended: Notify,
}

impl OpenRequests {
    pub(crate) fn enter(&self) -> OpenRequest {
        self.0.count.fetch_add(1, Ordering::SeqCst);
        OpenRequest(Arc::clone(&self.0))
    }

    /// Returns whether no request is in progress.
    pub(crate) fn is_none(&self) -> bool {
        self.0.count.load(Ordering::SeqCst) == 0
    }

    /// Waits until no request is in progress.
    pub(crate) async fn idle(&self) {
        loop {
            // Before the count is read, so that no end falls between the two.
            let mut ended = std::pin::pin!(self.0.ended.notified());
            ended.as_mut().enable();
            if self.is_none() {
                return;
            }
            ended.await;
        }
    }
}

/// A request in progress. Dropping it ends the request.
pub(crate) struct OpenRequest(Arc<RequestCount>);

impl Drop for OpenRequest {
    fn drop(&mut self) {
        self.0.count.fetch_sub(1, Ordering::SeqCst);
        self.0.ended.notify_waiters();
    }
}
