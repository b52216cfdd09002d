//! Whether the files of an SQLite database are still where they were. SQLite writes on into files that were removed or replaced,
//! and what it acknowledges then is gone with the process.

use crate::Error;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// Endings of the files: the database itself, and its log.
const ENDINGS: [&str; 2] = ["", "-wal"];

/// The files of an open database, and which ones they were when they were first seen.
pub(crate) struct Place {
    files: [(PathBuf, Option<(u64, u64)>); ENDINGS.len()],
}

impl Place {
    pub(crate) fn of(database: &Path) -> Self {
        let files = ENDINGS.map(|ending| {
            let mut name = database.as_os_str().to_owned();
            name.push(ending);
            (PathBuf::from(name), None)
        });
        let mut place = Place { files };
        let _ = place.check();
        place
    }

    /// Looks whether all that were seen are there and the same.
    ///
    /// # Errors
    /// [`Error::Damaged`] where one is not.
    pub(crate) fn check(&mut self) -> Result<(), Error> {
        for (path, known) in &mut self.files {
            let now = match std::fs::metadata(&*path) {
                Ok(file) => Some((file.dev(), file.ino())),
                Err(error) if error.kind() == ErrorKind::NotFound => None,
                // It may be there all the same.
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
    fn a_file_that_was_seen_must_stay() {
        let dir = std::env::temp_dir().join(format!("posthouse-place-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        let (database, log) = (dir.join("a.db"), dir.join("a.db-wal"));
        std::fs::write(&database, "x").unwrap();
        let mut place = Place::of(&database);
        place.check().unwrap();
        std::fs::write(&log, "x").unwrap();
        place.check().unwrap();
        std::fs::write(&log, "longer").unwrap();
        place.check().unwrap();
        std::fs::remove_file(&log).unwrap();
        assert!(place.check().unwrap_err().internal().contains("a.db-wal was removed"));
        std::fs::write(dir.join("b"), "x").unwrap();
        std::fs::rename(dir.join("b"), &database).unwrap();
        assert!(place.check().unwrap_err().internal().contains("a.db was replaced"));
        let _ = std::fs::remove_dir_all(&dir);
    }
}
