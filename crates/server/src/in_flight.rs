//! Which idempotent requests this process is answering right now (decision 4).

use std::{
    collections::HashSet,
    sync::{Arc, Mutex, PoisonError},
};

use posthouse_domain::{
    error::{Code, Refusal},
    id::WorkspaceId,
};

/// Seconds that a caller is told to wait for the first answer.
const IN_FLIGHT_RETRY_S: u64 = 1;

type Slot = (WorkspaceId, &'static str, String);

/// The requests with an idempotency key that this process is answering.
#[derive(Clone, Debug, Default)]
pub struct InFlight(Arc<Mutex<HashSet<Slot>>>);

/// Holds the place of one request until its answer is known.
#[derive(Debug)]
pub struct Flight {
    all: InFlight,
    slot: Slot,
}

impl InFlight {
    /// Takes the place of this key, or refuses while another request has it.
    ///
    /// # Errors
    /// `idempotency_in_flight`.
    pub fn take(&self, workspace: WorkspaceId, route: &'static str, key: &str) -> Result<Flight, Refusal> {
        let slot = (workspace, route, key.to_owned());
        if self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(slot.clone()) {
            return Ok(Flight { all: self.clone(), slot });
        }
        let refusal = Refusal::new(
            Code::IdempotencyInFlight,
            "The first request with this Idempotency-Key is still being carried out.",
        );
        Err(refusal.retry_after(IN_FLIGHT_RETRY_S))
    }
}

impl Drop for Flight {
    fn drop(&mut self) {
        self.all.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.slot);
    }
}
