//! How many commits the store has had, kept in a small file outside the database. A database that holds fewer at the start has
//! lost some: its log was cut off or removed, or an older copy was put in its place.
//!
//! The file is written after the COMMIT is on the disk, so it never runs ahead of the database. It is not flushed on that way:
//! after a power failure it may be behind, which only makes it less exact.

use crate::{Error, Result};
use std::fs::{File, OpenOptions};
use std::io::Read as _;
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// Digits of a number in the file.
const DIGITS: usize = 20;

/// The file of a store that is open.
pub(crate) struct Mark {
    file: File,
    /// What stood in it when it was opened; 0 where there was nothing that could be read.
    expected: u64,
    /// What is not recorded, because it would lower the mark.
    floor: AtomicU64,
}

impl Mark {
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let failed = |error: std::io::Error| Error::file(format_args!("{}: {error}", path.display()));
        let mut options = OpenOptions::new();
        let mut file = options.read(true).write(true).create(true).truncate(false).open(path).map_err(failed)?;
        let mut text = String::new();
        // What cannot be read tells nothing.
        let _ = (&mut file).take(4 * DIGITS as u64).read_to_string(&mut text);
        let expected = parse(&text).unwrap_or(0);
        Ok(Mark { file, expected, floor: AtomicU64::new(expected) })
    }

    /// The commits that the database had when the file was last written.
    pub(crate) fn expected(&self) -> u64 {
        self.expected
    }

    /// Begins again from a database that has fewer.
    pub(crate) fn reset(&self, commits: u64) {
        self.floor.store(0, Ordering::Relaxed);
        self.record(commits);
    }

    /// Notes that the database has so many commits on the disk. Two processes may do so in either order: the mark is then one
    /// commit behind.
    pub(crate) fn record(&self, commits: u64) {
        if commits >= self.floor.load(Ordering::Relaxed) {
            // A mark that cannot be written is only less exact.
            let _ = self.file.write_all_at(text(commits).as_bytes(), 0);
        }
    }

    /// Flushes the file.
    pub(crate) fn flush(&self) {
        let _ = self.file.sync_data();
    }
}

/// The number twice, so that half a write is seen.
fn text(commits: u64) -> String {
    format!("{commits:0DIGITS$} {commits:0DIGITS$}\n")
}

fn parse(text: &str) -> Option<u64> {
    let (first, second) = text.trim_end().split_once(' ')?;
    (first == second && first.len() == DIGITS).then(|| first.parse().ok()).flatten()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_rises_and_is_lowered_only_by_a_reset() {
        let dir = std::env::temp_dir().join(format!("posthouse-mark-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        let path = dir.join("store.mark");
        let mark = Mark::open(&path).unwrap();
        assert_eq!(mark.expected(), 0);
        mark.record(41);
        mark.record(42);
        mark.flush();
        let again = Mark::open(&path).unwrap();
        assert_eq!(again.expected(), 42);
        again.record(7);
        assert_eq!(Mark::open(&path).unwrap().expected(), 42);
        again.reset(7);
        again.record(8);
        assert_eq!(Mark::open(&path).unwrap().expected(), 8);
        let _ = std::fs::remove_dir_all(&dir);
    }

    #[test]
    fn half_a_write_says_nothing() {
        assert_eq!(parse(&text(u64::MAX)), Some(u64::MAX));
        for torn in ["", "00000000000000000012", "00000000000000000012 00000000000000000011\n", "12 12", "x x"] {
            assert_eq!(parse(torn), None, "{torn}");
        }
    }
}
