//! Whether the storage was found full or the blob store did not work. A disk that is full still takes the few bytes of a
//! readiness probe, and no probe touches the blobs, so `/readyz` must remember what mail and requests met (operations.md).
//! It never refuses anything by itself.

use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

use posthouse_domain::{error::Refusal, time::Time};

/// Value of `details.reason` in a refusal because the disk is full.
pub const REASON_STORAGE_FULL: &str = "storage_full";
/// Value of `details.reason` in a refusal because the blob store does not work.
pub const REASON_BLOBS: &str = "blobs";

/// Shortest time between two probes of the blobs, in milliseconds: each is a few requests to a service that may be in trouble.
const BLOB_PROBE_PAUSE_MS: i64 = 3_000;

/// Set by a refusal, until a probe finds that it is over: one of the size of a mail where room was missing.
#[derive(Debug)]
pub struct Shortage {
    full: AtomicBool,
    blobs: AtomicBool,
    blobs_probed_ms: AtomicI64,
}

impl Default for Shortage {
    fn default() -> Self {
        Self { full: AtomicBool::new(false), blobs: AtomicBool::new(false), blobs_probed_ms: AtomicI64::new(i64::MIN) }
    }
}

impl Shortage {
    /// Remembers a refusal if it was for want of room or of the blob store.
    pub fn note(&self, refusal: &Refusal) {
        match refusal.details.get("reason").and_then(|reason| reason.as_str()) {
            Some(REASON_STORAGE_FULL) => self.full.store(true, Ordering::Relaxed),
            Some(REASON_BLOBS) => self.doubt_blobs(),
            _ => {}
        }
    }

    /// Whether room was missing since the last probe that found some.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.full.load(Ordering::Relaxed)
    }

    /// Says that a probe found room.
    pub fn room_found(&self) {
        self.full.store(false, Ordering::Relaxed);
    }

    /// Has the blob store probed before it is believed again.
    pub fn doubt_blobs(&self) {
        self.blobs.store(true, Ordering::Relaxed);
    }

    /// Whether the blob store failed since the last probe that went well, or was never asked.
    #[must_use]
    pub fn are_blobs_in_doubt(&self) -> bool {
        self.blobs.load(Ordering::Relaxed)
    }

    /// Whether it is time to probe the blobs; who is told so does it.
    pub fn takes_blob_probe(&self, now: Time) -> bool {
        let last = self.blobs_probed_ms.load(Ordering::Relaxed);
        let is_time = last.saturating_add(BLOB_PROBE_PAUSE_MS) <= now.millis();
        is_time
            && self.blobs_probed_ms.compare_exchange(last, now.millis(), Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    /// Says that a probe of the blobs went well.
    pub fn blobs_work(&self) {
        self.blobs.store(false, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use posthouse_domain::error::Code;

    use super::*;

    #[test]
    fn only_a_want_of_room_or_of_blobs_is_remembered() {
        let shortage = Shortage::default();
        let refusal = |reason: &str| Refusal::new(Code::Unavailable, "It is away.").detail("reason", reason);
        shortage.note(&Refusal::new(Code::Unavailable, "The database is away."));
        shortage.note(&refusal("store"));
        assert!(!shortage.is_full() && !shortage.are_blobs_in_doubt());
        shortage.note(&refusal(REASON_STORAGE_FULL));
        assert!(shortage.is_full() && !shortage.are_blobs_in_doubt());
        shortage.room_found();
        shortage.note(&refusal(REASON_BLOBS));
        assert!(!shortage.is_full() && shortage.are_blobs_in_doubt());
        shortage.blobs_work();
        assert!(!shortage.are_blobs_in_doubt());
    }

    #[test]
    fn blobs_are_probed_at_most_once_in_a_while() {
        let (shortage, now) = (Shortage::default(), Time::from_millis(1_000_000));
        assert!(shortage.takes_blob_probe(now), "the first one at once");
        assert!(!shortage.takes_blob_probe(now.plus_ms(BLOB_PROBE_PAUSE_MS - 1)));
        assert!(shortage.takes_blob_probe(now.plus_ms(BLOB_PROBE_PAUSE_MS)));
        assert!(!shortage.takes_blob_probe(now.plus_ms(BLOB_PROBE_PAUSE_MS)));
    }
}
