//! Resources that all deliveries of the process share: destination limits, and memory for messages in transit.

use tokio::sync::{Semaphore, SemaphorePermit};

use crate::{settings::DeliveryConfig, throttle::DestinationLimiter};

/// The memory limit for messages in transit: many small ones at a time, or a few large ones.
#[derive(Debug)]
pub struct TransitMemory(Semaphore);

/// The maximum number of bytes in transit. A larger message waits until it is the only one.
const IN_TRANSIT_BYTES_MAX: u64 = 256 * 1024 * 1024;
/// The number of bytes per semaphore permit.
const PERMIT_BYTES: u64 = 4 * 1024;

impl Default for TransitMemory {
    fn default() -> Self {
        Self(Semaphore::new(usize::try_from(IN_TRANSIT_BYTES_MAX / PERMIT_BYTES).unwrap_or(1)))
    }
}

impl TransitMemory {
    /// Reserves memory for a message of `bytes` bytes and its signed copy; waits until enough is free.
    pub(crate) async fn acquire(&self, bytes: u64) -> SemaphorePermit<'_> {
        let permits = (bytes.saturating_mul(2).min(IN_TRANSIT_BYTES_MAX) / PERMIT_BYTES).max(1);
        let permits = u32::try_from(permits).unwrap_or(u32::MAX);
        self.0.acquire_many(permits).await.expect("the semaphore is never closed")
    }
}

/// Resources that all deliveries of this process share.
pub struct DeliveryCapacity {
    /// Limits concurrency and rate per destination.
    pub limiter: DestinationLimiter,
    pub(crate) memory: TransitMemory,
}

impl DeliveryCapacity {
    /// Creates the shared resources, without history of any destination.
    #[must_use]
    pub fn new(delivery: &DeliveryConfig) -> Self {
        Self { limiter: DestinationLimiter::new(delivery), memory: TransitMemory::default() }
    }
}
