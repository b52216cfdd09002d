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

/// Digits of a number in the file.
const DIGITS: usize = 20;

/// The file of a store that is served.
pub(crate) struct Mark {
    file: File,
}

impl Mark {
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let failed = |error: std::io::Error| Error::file(format_args!("{}: {error}", path.display()));
        let mut options = OpenOptions::new();
        Ok(Mark { file: options.write(true).create(true).truncate(false).open(path).map_err(failed)? })
    }

    /// Notes that the database has so many commits on the disk. Two processes may do so in either order: the mark is then one
    /// commit behind. One that cannot be written is only less exact.
    pub(crate) fn record(&self, commits: u64) {
        let _ = self.file.write_all_at(text(commits).as_bytes(), 0);
    }

    /// Flushes the file.
    pub(crate) fn flush(&self) {
        let _ = self.file.sync_data();
    }
}

/// The commits that the database had when the file was last written; 0 where there is nothing that can be read.
pub(crate) fn read(path: &Path) -> u64 {
    let mut text = String::new();
    let read = File::open(path).and_then(|file| file.take(4 * DIGITS as u64).read_to_string(&mut text));
    read.ok().and_then(|_| parse(&text)).unwrap_or(0)
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
    fn a_mark_says_what_was_last_recorded() {
        let dir = std::env::temp_dir().join(format!("posthouse-mark-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        let path = dir.join("store.mark");
        assert_eq!(read(&path), 0);
        let mark = Mark::open(&path).unwrap();
        assert_eq!(read(&path), 0);
        mark.record(41);
        mark.record(42);
        mark.flush();
        assert_eq!(read(&path), 42);
        let again = Mark::open(&path).unwrap();
        assert_eq!(read(&path), 42, "opening it changes nothing");
        again.record(7);
        assert_eq!(read(&path), 7);
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
