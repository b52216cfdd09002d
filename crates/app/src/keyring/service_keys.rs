//! A cache of opened signing keys of the service.

use std::{collections::HashMap, sync::Arc, sync::Mutex, sync::PoisonError};

use posthouse_mail::jose::key::Es256Key;

use crate::keyring::signer::SigningError;

/// Maximum cached keys; when the cache is full, it is cleared. Few keys sign at a time.
const KEYS_MAX: usize = 16;

/// Opened keys by their sealed bytes, so a resealed key is opened again.
#[derive(Default)]
pub struct ServiceKeyCache {
    keys: Mutex<HashMap<Vec<u8>, Arc<Es256Key>>>,
}

impl ServiceKeyCache {
    /// Returns a key, opened unless it is cached.
    pub(crate) fn key(
        &self,
        sealed: &[u8],
        open: impl FnOnce() -> Result<Es256Key, SigningError>,
    ) -> Result<Arc<Es256Key>, SigningError> {
        let mut keys = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(key) = keys.get(sealed) {
            return Ok(key.clone());
        }
        let key = Arc::new(open()?);
        if keys.len() >= KEYS_MAX {
            keys.clear();
        }
        keys.insert(sealed.to_vec(), key.clone());
        Ok(key)
    }
}
