//! Detects that the files of a SQLite database were removed or replaced while open. SQLite keeps writing to the old
//! files, and everything it acknowledges then is lost when the process ends.

use crate::Error;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// Suffixes of the files: the database itself and its write-ahead log.
const SUFFIXES: [&str; 2] = ["", "-wal"];

/// The paths of an open database's files, with the device and inode of each when first seen.
pub(crate) struct DatabaseFiles {
    files: [(PathBuf, Option<(u64, u64)>); SUFFIXES.len()],
}

impl DatabaseFiles {
    pub(crate) fn of(database: &Path) -> Self {
        let files = SUFFIXES.map(|suffix| {
            let mut name = database.as_os_str().to_owned();
            name.push(suffix);
            (PathBuf::from(name), None)
        });
        let mut watched = DatabaseFiles { files };
        let _ = watched.check();
        watched
    }

    /// Checks that all files seen so far exist and are the same.
    ///
    /// # Errors
    /// Returns [`Error::DatabaseDamaged`] if a file was removed or replaced.
    pub(crate) fn check(&mut self) -> Result<(), Error> {
        for (path, known) in &mut self.files {
            let now = match std::fs::metadata(&*path) {
                Ok(file) => Some((file.dev(), file.ino())),
                Err(error) if error.kind() == ErrorKind::NotFound => None,
                // Unknown: the file may still be there.
                Err(_) => continue,
            };
            match (*known, now) {
                (Some(known), now) if now != Some(known) => {
                    let what = if now.is_some() { "replaced" } else { "removed" };
                    return Err(Error::damaged(format_args!("{} was {what} while it was in use", path.display())));
                }
                (_, now) => *known = now,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_file_must_not_be_removed_or_replaced() {
        let dir = std::env::temp_dir().join(format!("posthouse-place-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        let (database, log) = (dir.join("a.db"), dir.join("a.db-wal"));
        std::fs::write(&database, "x").unwrap();
        let mut watched = DatabaseFiles::of(&database);
        watched.check().unwrap();
        std::fs::write(&log, "x").unwrap();
        watched.check().unwrap();
        std::fs::write(&log, "longer").unwrap();
        watched.check().unwrap();
        std::fs::remove_file(&log).unwrap();
        assert!(watched.check().unwrap_err().internal().contains("a.db-wal was removed"));
        std::fs::write(dir.join("b"), "x").unwrap();
        std::fs::rename(dir.join("b"), &database).unwrap();
        assert!(watched.check().unwrap_err().internal().contains("a.db was replaced"));
        let _ = std::fs::remove_dir_all(&dir);
    }
}
