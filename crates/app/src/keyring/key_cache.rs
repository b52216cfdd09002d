//! Finds the instance key: the setting `instance_key`, or the file in the data directory.

use std::sync::OnceLock;

use crate::keyring::{instance_key::InstanceKey, instance_key::InstanceKeyError, key_file::KeyFile};
use crate::settings::AppConfig;

/// The instance key, read when first needed.
#[derive(Default)]
pub struct KeyCache {
    key: OnceLock<InstanceKey>,
}

impl KeyCache {
    /// Returns the key.
    ///
    /// # Errors
    /// Returns [`InstanceKeyError`] if the key cannot be read.
    pub fn key(&self, config: &AppConfig) -> Result<&InstanceKey, InstanceKeyError> {
        match self.key.get() {
            Some(key) => Ok(key),
            None => read(config).map(|key| self.key.get_or_init(|| key)),
        }
    }
}

/// Reads the configured key, or the one in the data directory.
///
/// # Errors
/// Returns [`InstanceKeyError`] if the key cannot be read.
pub fn read(config: &AppConfig) -> Result<InstanceKey, InstanceKeyError> {
    find(config)?.ok_or_else(|| InstanceKeyError::Missing { path: KeyFile::of(config).path() })
}

/// Reads the key; `None` if there is neither a setting nor a file.
///
/// # Errors
/// Returns [`InstanceKeyError`] if the key cannot be read, but never [`InstanceKeyError::Missing`].
pub fn find(config: &AppConfig) -> Result<Option<InstanceKey>, InstanceKeyError> {
    match &config.instance_key {
        Some(text) => InstanceKey::read(&text.0, "instance_key").map(Some),
        None => KeyFile::of(config).read(),
    }
}
