//! Permits: the right to send one message to a destination.

use std::{sync::Arc, time::Duration};

use posthouse_domain::{DestinationLimits, ThrottleSignal, Time};
use tokio::sync::oneshot;

use super::{LimiterShared, WAIT_MS_MAX, state::PermitDecision, state::PermitRequest};

/// The result of acquiring a permit.
pub enum PermitResult {
    /// The permit.
    Granted(DeliveryPermit),
    /// No permit before this time: the destination is paused or at its rate limit, or the wait timed out.
    NotBefore(Time),
}

/// A permit to send one message to a destination. [`DeliveryPermit::end`] releases it with the result; dropping it releases it
/// without a result.
pub struct DeliveryPermit {
    shared: Arc<LimiterShared>,
    id: u64,
    began: Time,
    limits: DestinationLimits,
    has_ended: bool,
}

/// A position in the queue for a permit. Dropping it releases a permit that was granted too late.
struct QueuedPermit {
    shared: Arc<LimiterShared>,
    receiver: oneshot::Receiver<u64>,
}

/// Acquires a permit, waiting at most [`WAIT_MS_MAX`].
pub(super) async fn enter(shared: &Arc<LimiterShared>, entry: &PermitRequest<'_>, now: Time) -> PermitResult {
    let given = shared.lock().enter(&shared.rules, entry, now);
    let id = match given {
        PermitDecision::NotBefore(time) => return PermitResult::NotBefore(time),
        PermitDecision::Granted(id) => id,
        PermitDecision::Wait(receiver) => {
            let mut waiting = QueuedPermit { shared: shared.clone(), receiver };
            match tokio::time::timeout(Duration::from_millis(WAIT_MS_MAX), &mut waiting.receiver).await {
                Ok(Ok(id)) => id,
                // The destination was paused, or the wait timed out: the job is released until there is capacity.
                Ok(Err(_)) | Err(_) => return PermitResult::NotBefore(now),
            }
        }
    };
    let Some((began, limits)) = shared.lock().started_at(id) else { return PermitResult::NotBefore(now) };
    PermitResult::Granted(DeliveryPermit { shared: shared.clone(), id, began, limits, has_ended: false })
}

impl Drop for QueuedPermit {
    fn drop(&mut self) {
        self.receiver.close();
        if let Ok(id) = self.receiver.try_recv() {
            let mut state = self.shared.lock();
            let began = state.started_at(id).map_or(Time::from_millis(0), |(began, _)| began);
            state.end(&self.shared.rules, id, None, began);
        }
    }
}

impl DeliveryPermit {
    /// Returns the limits of the destination.
    #[must_use]
    pub const fn limits(&self) -> DestinationLimits {
        self.limits
    }

    /// Releases the permit and records the result of the attempt.
    pub fn end(mut self, signal: ThrottleSignal, now: Time) {
        self.has_ended = true;
        self.shared.lock().end(&self.shared.rules, self.id, Some(signal), now);
    }
}

impl Drop for DeliveryPermit {
    fn drop(&mut self) {
        if !self.has_ended {
            self.shared.lock().end(&self.shared.rules, self.id, None, self.began);
        }
    }
}
