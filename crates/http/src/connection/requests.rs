//! Counts the requests in progress on a connection.

use tokio::sync::watch;

/// The requests in progress on a connection, each from the end of its head to the end of its response.
#[derive(Clone)]
pub(crate) struct OpenRequests(watch::Sender<u32>);

impl Default for OpenRequests {
    fn default() -> Self {
        Self(watch::Sender::new(0))
    }
}

impl OpenRequests {
    pub(crate) fn enter(&self) -> OpenRequest {
        self.0.send_modify(|count| *count += 1);
        OpenRequest(self.0.clone())
    }

    /// Returns whether no request is in progress.
    pub(crate) fn is_none(&self) -> bool {
        *self.0.borrow() == 0
    }

    /// Waits until no request is in progress.
    pub(crate) async fn idle(&self) {
        // The sender lives in `self`, so waiting cannot fail.
        let _ = self.0.subscribe().wait_for(|count| *count == 0).await;
    }
}

/// A request in progress. Dropping it ends the request.
pub(crate) struct OpenRequest(watch::Sender<u32>);

impl Drop for OpenRequest {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count -= 1);
    }
}
