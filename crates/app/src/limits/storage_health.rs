//! Storage health: whether the disk was full or the blob store failed. A full disk still accepts the few bytes of a
//! readiness probe, and no regular probe uses the blob store, so `/readyz` relies on the failures recorded here. This
//! module never refuses work by itself.

use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

use posthouse_domain::{Refusal, RefusalReason, Time};

/// Shortest time between two probes of the blob store, in milliseconds: each is a few requests to a service that may be
/// failing.
const BLOB_PROBE_PAUSE_MS: i64 = 3_000;

/// The storage failures seen by refused requests, until a probe succeeds: for a full disk, a probe of the size of a
/// mail.
#[derive(Debug)]
pub struct StorageHealth {
    full: AtomicBool,
    blobs: AtomicBool,
    blobs_probed_ms: AtomicI64,
}

impl Default for StorageHealth {
    fn default() -> Self {
        Self { full: AtomicBool::new(false), blobs: AtomicBool::new(false), blobs_probed_ms: AtomicI64::new(i64::MIN) }
    }
}

impl StorageHealth {
    /// Records a refusal because of a full disk or a failing blob store.
    pub fn record(&self, refusal: &Refusal) {
        match refusal.reason() {
            Some(RefusalReason::StorageFull) => self.full.store(true, Ordering::Relaxed),
            Some(RefusalReason::BlobStore) => self.mark_blobs_unknown(),
            _ => {}
        }
    }

    /// Returns whether the disk was full and no probe has succeeded since.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.full.load(Ordering::Relaxed)
    }

    /// Records that a probe found enough space.
    pub fn record_space(&self) {
        self.full.store(false, Ordering::Relaxed);
    }

    /// Marks the blob store as unknown until a probe succeeds.
    pub fn mark_blobs_unknown(&self) {
        self.blobs.store(true, Ordering::Relaxed);
    }

    /// Returns whether the blob store failed and no probe has succeeded since, or was never probed.
    #[must_use]
    pub fn are_blobs_unknown(&self) -> bool {
        self.blobs.load(Ordering::Relaxed)
    }

    /// Returns whether the caller must probe the blob store now; true for one caller per interval.
    pub fn claim_blob_probe(&self, now: Time) -> bool {
        let last = self.blobs_probed_ms.load(Ordering::Relaxed);
        let is_time = last.saturating_add(BLOB_PROBE_PAUSE_MS) <= now.millis();
        is_time
            && self.blobs_probed_ms.compare_exchange(last, now.millis(), Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    /// Records that a probe of the blob store succeeded.
    pub fn record_blobs_work(&self) {
        self.blobs.store(false, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use posthouse_domain::error::{Detail, ErrorCode};

    use super::*;

    #[test]
    fn only_storage_and_blob_failures_are_recorded() {
        let health = StorageHealth::default();
        let refusal = |reason| Refusal::new(ErrorCode::Unavailable, "Unavailable.").detail(Detail::Reason(reason));
        health.record(&Refusal::new(ErrorCode::Unavailable, "The database is unavailable."));
        health.record(&refusal(RefusalReason::Store));
        assert!(!health.is_full() && !health.are_blobs_unknown());
        health.record(&refusal(RefusalReason::StorageFull));
        assert!(health.is_full() && !health.are_blobs_unknown());
        health.record_space();
        health.record(&refusal(RefusalReason::BlobStore));
        assert!(!health.is_full() && health.are_blobs_unknown());
        health.record_blobs_work();
        assert!(!health.are_blobs_unknown());
    }

    #[test]
    fn blob_probes_have_a_minimum_interval() {
        let (health, now) = (StorageHealth::default(), Time::from_millis(1_000_000));
        assert!(health.claim_blob_probe(now), "the first one is due at once");
        assert!(!health.claim_blob_probe(now.plus_ms(BLOB_PROBE_PAUSE_MS - 1)));
        assert!(health.claim_blob_probe(now.plus_ms(BLOB_PROBE_PAUSE_MS)));
        assert!(!health.claim_blob_probe(now.plus_ms(BLOB_PROBE_PAUSE_MS)));
    }
}
