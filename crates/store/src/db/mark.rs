//! The mark: a small file outside the database that records how many commits the store has had. If the database has
//! fewer at start, it lost some: its log was truncated or removed, or it was replaced by an older copy.
//!
//! The file is written after COMMIT is durable, so it never runs ahead of the database. It isn't flushed at that point:
//! after a power failure it may lag behind, which only makes it less exact.

use crate::{Error, Result};
use std::fs::{File, OpenOptions};
use std::io::Read as _;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

/// Digits of the number in the file.
const DIGITS: usize = 20;

/// The open mark file of a served store.
pub(crate) struct CommitMark {
    file: File,
}

impl CommitMark {
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let failed = |error: std::io::Error| Error::file(format_args!("{}: {error}", path.display()));
        let mut options = OpenOptions::new();
        Ok(CommitMark { file: options.write(true).create(true).truncate(false).open(path).map_err(failed)? })
    }

    /// Records the number of durable commits. Two processes may call this in either order; the mark may then be one
    /// commit behind. A failed write is ignored, because it only makes the mark less exact.
    pub(crate) fn record(&self, commits: u64) {
        let _ = self.file.write_all_at(text(commits).as_bytes(), 0);
    }

    /// Flushes the file.
    pub(crate) fn flush(&self) {
        let _ = self.file.sync_data();
    }
}

/// Returns the recorded commit count, or 0 if the file is missing or unreadable.
pub(crate) fn read(path: &Path) -> u64 {
    let mut text = String::new();
    let read = File::open(path).and_then(|file| file.take(4 * DIGITS as u64).read_to_string(&mut text));
    read.ok().and_then(|_| parse(&text)).unwrap_or(0)
}

/// Formats the number twice, so that a partial write is detected.
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
    fn a_mark_keeps_the_last_recorded_count() {
        let dir = std::env::temp_dir().join(format!("posthouse-mark-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        let path = dir.join("store.mark");
        assert_eq!(read(&path), 0);
        let mark = CommitMark::open(&path).unwrap();
        assert_eq!(read(&path), 0);
        mark.record(41);
        mark.record(42);
        mark.flush();
        assert_eq!(read(&path), 42);
        let again = CommitMark::open(&path).unwrap();
        assert_eq!(read(&path), 42, "opening it changes nothing");
        again.record(7);
        assert_eq!(read(&path), 7);
        let _ = std::fs::remove_dir_all(&dir);
    }

    #[test]
    fn a_partial_write_is_ignored() {
        assert_eq!(parse(&text(u64::MAX)), Some(u64::MAX));
        for torn in ["", "00000000000000000012", "00000000000000000012 00000000000000000011\n", "12 12", "x x"] {
            assert_eq!(parse(torn), None, "{torn}");
        }
    }
}
