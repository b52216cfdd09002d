//! The store that a command begins: none is left if the command fails, because later commands would take it for the store
//! that was meant.

use std::{fs, path::PathBuf};

use posthouse_store::DatabaseUrl;

use super::{BootError, configured_database, inspect, store_identity};
use crate::config::Configuration;

/// A store that doesn't exist yet.
pub struct NewStore<'c> {
    config: &'c Configuration,
    /// The files that the command will create.
    files: Vec<PathBuf>,
    /// The directories that it will create.
    directories: Vec<PathBuf>,
}

impl<'c> NewStore<'c> {
    /// Notes what there is before a store is begun. Returns `None` for PostgreSQL, whose database exists.
    ///
    /// # Errors
    /// Returns an error if the URL of the database is invalid.
    pub fn begin(config: &'c Configuration) -> Result<Option<Self>, BootError> {
        let DatabaseUrl::Sqlite(database) = configured_database(config)? else { return Ok(None) };
        let is_missing = |path: &PathBuf| path.symlink_metadata().is_err();
        let directories = [Some(config.data_dir.as_path()), database.parent()].into_iter().flatten();
        Ok(Some(Self {
            config,
            files: store_identity::files_of_new_store(config, &database).into_iter().filter(is_missing).collect(),
            directories: directories.map(PathBuf::from).filter(is_missing).collect(),
        }))
    }

    /// Removes what was begun, unless a service already uses it.
    pub fn discard(self) {
        if inspect::is_served(self.config).unwrap_or(true) {
            return;
        }
        for path in self.files {
            let _ = fs::remove_file(path);
        }
        for path in self.directories {
            // Stays if it has other files.
            let _ = fs::remove_dir(path);
        }
    }
}
