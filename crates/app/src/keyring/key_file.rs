//! The key file `instance.key` in `data_dir`, readable by its owner only.
//!
//! The file is created if nothing is sealed yet; then the store keeps a proof of the key. A process with another key,
//! or without one, fails before it seals anything, because two keys in one store could not be separated again.
//!
//! A rotation is safe against a crash at every step. It writes the new key to `instance.key.next`; one transaction
//! reseals the secrets and stores the new proof; then the new file replaces `instance.key`, which stays as
//! `instance.key.old-TIME`. The proof shows which of the two files is the store's key.

use std::{fs, io, path::Path, path::PathBuf};

use base64::{Engine, engine::general_purpose::STANDARD};

use crate::keyring::instance_key::{InstanceKey, InstanceKeyError};
use crate::{files, ports::Clock, settings::AppConfig};

/// The key file in `data_dir`.
const FILE: &str = "instance.key";
/// The file of the next key during a rotation.
const NEXT: &str = "instance.key.next";
/// Bytes of a new key.
const KEY_BYTES: usize = 32;
/// Maximum bytes read from a key file: the key in base64 and white space.
const FILE_BYTES_MAX: u64 = 256;

/// The key file of a data directory.
pub struct KeyFile {
    directory: PathBuf,
}

impl KeyFile {
    /// Returns the key file of a configuration.
    #[must_use]
    pub fn of(config: &AppConfig) -> Self {
        Self { directory: config.data_dir.clone() }
    }

    /// Returns the path of the key file.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        self.directory.join(FILE)
    }

    /// Returns the path of the next key during a rotation.
    #[must_use]
    pub fn next(&self) -> PathBuf {
        self.directory.join(NEXT)
    }

    /// Reads the key; `None` if there is no file.
    ///
    /// # Errors
    /// Returns [`InstanceKeyError`] if the key cannot be read.
    pub fn read(&self) -> Result<Option<InstanceKey>, InstanceKeyError> {
        match read_file(&self.path()) {
            Err(InstanceKeyError::File { cause, .. }) if cause.kind() == io::ErrorKind::NotFound => Ok(None),
            read => read.map(Some),
        }
    }

    /// Creates the file with a new key, and returns whether this process did, not another one.
    pub(super) fn make(&self, clock: &dyn Clock) -> Result<bool, InstanceKeyError> {
        let mut bytes = [0; KEY_BYTES];
        clock.random(&mut bytes);
        let path = self.path();
        files::make(&path, &format!("{}\n", STANDARD.encode(bytes))).map_err(failed(&path))
    }

    /// Replaces the key with the next one. Returns where the old key is kept, for backups that were made with it.
    ///
    /// # Errors
    /// Returns [`InstanceKeyError::File`] if a file operation fails.
    pub fn adopt_next(&self, clock: &dyn Clock) -> Result<PathBuf, InstanceKeyError> {
        let (path, next) = (self.path(), self.next());
        let old = self.directory.join(format!("{FILE}.old-{}", clock.now().to_string().replace(':', "-")));
        let moved = || {
            if path.exists() && !old.exists() {
                fs::hard_link(&path, &old)?;
            }
            fs::rename(&next, &path)?;
            fs::File::open(&self.directory)?.sync_all()
        };
        moved().map_err(failed(&path))?;
        Ok(old)
    }
}

/// Reads the key in a file.
///
/// # Errors
/// Returns [`InstanceKeyError`] if the key cannot be read.
pub fn read_file(path: &Path) -> Result<InstanceKey, InstanceKeyError> {
    let file = fs::File::open(path).map_err(failed(path))?;
    let text = io::read_to_string(io::Read::take(file, FILE_BYTES_MAX)).map_err(failed(path))?;
    InstanceKey::read(&text, &path.display().to_string())
}

/// Writes a key atomically and flushes it to disk before anything is sealed with it. Replaces an existing file.
///
/// # Errors
/// Returns [`InstanceKeyError::File`] if a file operation fails.
pub fn write_file(path: &Path, text: &str) -> Result<(), InstanceKeyError> {
    files::write(path, text).map_err(failed(path))
}

pub(super) fn failed(path: &Path) -> impl Fn(io::Error) -> InstanceKeyError {
    let path = path.to_owned();
    move |cause| InstanceKeyError::File { path: path.clone(), cause }
}
