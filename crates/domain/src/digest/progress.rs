//! What a reader was given of a thread.

use uuid::Uuid;

use super::DigestKind;
use crate::{id::MessageId, page::CursorKey, time::Time};

/// The messages of which a reader was given a part, or that were withheld. More are forgotten, oldest first.
pub const OPEN_MAX: usize = 60;
/// The files of a message whose text a digest has.
pub const FILES_MAX: usize = 250;
/// The bytes of an open unit in a key.
const OPEN_BYTES: usize = 21;
/// The bytes of the times in a key.
const TIMES_BYTES: usize = 24;

/// A part of a message that wasn't given, or not to its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OpenUnit {
    pub message: MessageId,
    /// Which of its text.
    pub kind: DigestKind,
    /// Which of its files, by position; 0 for other text.
    pub file: u8,
    /// Where to continue, in characters.
    pub offset: u32,
}

/// What a reader was given: of each kind, everything of the messages up to a time, except the open units.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DigestProgress {
    done: [Time; DigestKind::ALL.len()],
    /// The exceptions.
    pub open: Vec<OpenUnit>,
}

impl Default for DigestProgress {
    fn default() -> Self {
        Self { done: [Time::from_millis(i64::MIN); DigestKind::ALL.len()], open: Vec::new() }
    }
}

impl DigestProgress {
    /// Returns the time of the last message whose text of that kind was given.
    #[must_use]
    pub fn done(&self, kind: DigestKind) -> Time {
        self.done[kind as usize]
    }

    /// Notes that everything of that kind was given, up to this message.
    pub fn set_done(&mut self, kind: DigestKind, at: Time) {
        self.done[kind as usize] = at;
    }

    /// Notes that the text of a message wasn't given from this offset.
    pub fn leave_open(&mut self, unit: OpenUnit) {
        self.close(unit);
        self.open.push(unit);
        if self.open.len() > OPEN_MAX {
            self.open.remove(0);
        }
    }

    /// Notes that the text of a unit was given to its end, or is gone.
    pub fn close(&mut self, unit: OpenUnit) {
        self.open.retain(|open| (open.message, open.kind, open.file) != (unit.message, unit.kind, unit.file));
    }
}

impl CursorKey for DigestProgress {
    fn key(&self) -> Vec<u8> {
        let mut key = Vec::with_capacity(TIMES_BYTES + self.open.len() * OPEN_BYTES);
        for time in self.done {
            key.extend(time.millis().to_be_bytes());
        }
        for unit in &self.open {
            key.extend(unit.message.0.as_bytes());
            // The first file has the number of its kind, and the others those after it.
            key.push((unit.kind as u8).saturating_add(unit.file));
            key.extend(unit.offset.to_be_bytes());
        }
        key
    }

    fn of_key(key: &[u8]) -> Option<Self> {
        let (times, rest) = key.split_at_checked(TIMES_BYTES)?;
        let mut progress = Self::default();
        for (done, bytes) in progress.done.iter_mut().zip(times.chunks_exact(8)) {
            *done = Time::from_millis(i64::from_be_bytes(bytes.try_into().ok()?));
        }
        let units = rest.chunks_exact(OPEN_BYTES);
        if !units.remainder().is_empty() || units.len() > OPEN_MAX {
            return None;
        }
        for unit in units {
            let (message, unit) = unit.split_at(16);
            let (kind, offset) = unit.split_first()?;
            progress.open.push(OpenUnit {
                message: MessageId(Uuid::from_slice(message).ok()?),
                kind: DigestKind::ALL[usize::from(*kind).min(DigestKind::File as usize)],
                file: kind.saturating_sub(DigestKind::File as u8),
                offset: u32::from_be_bytes(offset.try_into().ok()?),
            });
        }
        Some(progress)
    }
}
