//! The idempotent requests in progress in this process.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex, PoisonError},
};

use posthouse_domain::error::{ErrorCode, Refusal};

pub use posthouse_store::idempotency::{IdempotencyKey, IdempotencyScope};

/// Seconds after which a caller should retry.
const IN_FLIGHT_RETRY_S: u64 = 1;

type InFlightKey = (IdempotencyScope, &'static str, String);

/// The requests with an idempotency key that are in progress in this process.
#[derive(Clone, Debug, Default)]
pub struct InFlightRequests(Arc<Mutex<HashSet<InFlightKey>>>);

/// Reserves the key of one request until its response is known.
#[derive(Debug)]
pub struct InFlightGuard {
    all: InFlightRequests,
    slot: InFlightKey,
}

impl InFlightRequests {
    /// Reserves a key.
    ///
    /// # Errors
    /// Returns `idempotency_in_flight` if another request holds the key.
    pub fn take(&self, scope: IdempotencyScope, route: &'static str, key: &str) -> Result<InFlightGuard, Refusal> {
        let slot = (scope, route, key.to_owned());
        if self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(slot.clone()) {
            return Ok(InFlightGuard { all: self.clone(), slot });
        }
        let refusal = Refusal::new(
            ErrorCode::IdempotencyInFlight,
            "The first request with this `Idempotency-Key` is still in progress.",
        );
        Err(refusal.retry_after(IN_FLIGHT_RETRY_S))
    }
}

impl Drop for InFlightGuard {
    fn drop(&mut self) {
        self.all.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.slot);
    }
}
