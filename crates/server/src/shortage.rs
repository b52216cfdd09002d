//! Whether the storage was found full. A disk that is full still takes the few bytes of a readiness probe, so `/readyz`
//! must remember what mail and requests met (operations.md). It never refuses anything by itself.

use std::sync::atomic::{AtomicBool, Ordering};

use posthouse_domain::error::Refusal;

/// Value of `details.reason` in a refusal because the disk is full.
pub const REASON_STORAGE_FULL: &str = "storage_full";

/// Set by a refusal for want of room, until a probe of the size of a mail finds room again.
#[derive(Debug, Default)]
pub struct Shortage(AtomicBool);

impl Shortage {
    /// Remembers a refusal if it was for want of room.
    pub fn note(&self, refusal: &Refusal) {
        if refusal.details.get("reason").and_then(|reason| reason.as_str()) == Some(REASON_STORAGE_FULL) {
            self.0.store(true, Ordering::Relaxed);
        }
    }

    /// Whether room was missing since the last probe that found some.
    #[must_use]
    pub fn is_noted(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Says that a probe found room.
    pub fn ended(&self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use posthouse_domain::error::Code;

    use super::*;

    #[test]
    fn only_a_want_of_room_is_remembered() {
        let shortage = Shortage::default();
        shortage.note(&Refusal::new(Code::Unavailable, "The database is away."));
        assert!(!shortage.is_noted());
        shortage.note(&Refusal::new(Code::Unavailable, "Full.").detail("reason", REASON_STORAGE_FULL));
        assert!(shortage.is_noted());
        shortage.ended();
        assert!(!shortage.is_noted());
    }
}
