//! A cache of opened DKIM keys.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use posthouse_domain::{DkimSignatures, Time};
use posthouse_mail::{dkim::DkimKey, dkim::DkimKeyError, dkim::sign_all, jose::key::Es256KeyError};
use sha2::{Digest, Sha256};
use tokio::sync::OnceCell;

use crate::keyring::instance_key::InstanceKeyError;

/// Maximum cached keys of custom domains; when the cache is full, it is cleared.
const OWN_KEYS_MAX: usize = 2_000;

/// Why mail cannot be signed.
#[derive(Debug, thiserror::Error)]
pub enum SigningError {
    /// The instance key cannot be read.
    #[error(transparent)]
    InstanceKey(#[from] InstanceKeyError),
    /// A DKIM key cannot be generated or used.
    #[error("DKIM: {0}")]
    Key(#[from] DkimKeyError),
    /// A signing key of the service cannot be generated or used.
    #[error("signing key: {0}")]
    ServiceKey(#[from] Es256KeyError),
    /// No signing key of the service could be stored.
    #[error("there is no signing key for {0}")]
    NoKey(&'static str),
    /// The database call failed.
    #[error("the signing keys cannot be read: {0}")]
    Store(#[from] posthouse_store::Error),
}

/// The DNS record that publishes a DKIM key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DkimRecord {
    /// The name in DNS.
    pub name: String,
    pub text: String,
}

/// Opened DKIM keys: those of the default domain, and a cache for custom domains.
#[derive(Default)]
pub struct DkimKeyCache {
    pub(crate) default: OnceCell<DefaultDomain>,
    own: Mutex<HashMap<Vec<u8>, Arc<DkimKey>>>,
}

impl DkimKeyCache {
    /// Returns a custom domain's key, opened unless it is cached. The sealed bytes are the cache key, so a resealed key
    /// is opened again.
    pub(crate) fn custom_key(
        &self,
        sealed: &[u8],
        open: impl FnOnce() -> Result<DkimKey, SigningError>,
    ) -> Result<Arc<DkimKey>, SigningError> {
        if let Some(key) = self.own_keys().get(sealed) {
            return Ok(key.clone());
        }
        let key = Arc::new(open()?);
        let mut keys = self.own_keys();
        if keys.len() >= OWN_KEYS_MAX {
            keys.clear();
        }
        keys.insert(sealed.to_vec(), key.clone());
        Ok(key)
    }

    fn own_keys(&self) -> MutexGuard<'_, HashMap<Vec<u8>, Arc<DkimKey>>> {
        self.own.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The keys of the default domain.
pub(crate) struct DefaultDomain {
    pub(crate) keys: Arc<DomainKeys>,
    pub(crate) records: Vec<DkimRecord>,
}

/// The opened keys that currently sign for a domain.
pub struct DomainKeys {
    pub(crate) domain: String,
    /// The keys with their selectors.
    keys: Vec<(Arc<DkimKey>, String)>,
    /// Identifies this set of keys.
    digest: Sha256,
}

impl DomainKeys {
    pub(crate) fn none(domain: &str) -> Self {
        Self { domain: domain.to_owned(), keys: Vec::new(), digest: Sha256::new() }
    }

    /// Adds a key; its sealed bytes identify it.
    pub(crate) fn add(&mut self, selector: &str, sealed: &[u8], key: Arc<DkimKey>) {
        self.digest.update(selector);
        self.digest.update(sealed);
        self.keys.push((key, selector.to_owned()));
    }

    /// Signs a message of the domain.
    ///
    /// # Errors
    /// Returns [`SigningError::Key`] if a key cannot sign.
    pub fn sign(&self, raw: &[u8], now: Time) -> Result<DkimSignatures, SigningError> {
        let keys: Vec<(&DkimKey, &str)> = self.keys.iter().map(|(key, selector)| (&**key, selector.as_str())).collect();
        Ok(DkimSignatures { fields: sign_all(raw, &self.domain, now.seconds(), &keys)?, keys_digest: self.digest() })
    }

    /// Returns whether these keys made the signatures.
    #[must_use]
    pub fn made(&self, signed: &DkimSignatures) -> bool {
        signed.keys_digest == self.digest()
    }

    fn digest(&self) -> Vec<u8> {
        self.digest.clone().finalize().to_vec()
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn key_is_opened_once_and_cache_is_bounded() {
        let (signer, opened) = (DkimKeyCache::default(), Cell::new(0));
        let open = |n: usize| {
            let open = || {
                opened.set(opened.get() + 1);
                Ok(DkimKey::generate_ed25519()?)
            };
            signer.custom_key(&n.to_le_bytes(), open).unwrap()
        };
        let first = open(0);
        assert!(Arc::ptr_eq(&first, &open(0)));
        assert_eq!(opened.get(), 1);
        (1..=OWN_KEYS_MAX).for_each(|n| drop(open(n)));
        assert!(signer.own_keys().len() <= OWN_KEYS_MAX);
        assert!(!Arc::ptr_eq(&first, &open(0)));
    }

    #[test]
    fn key_that_fails_to_open_is_not_cached() {
        let signer = DkimKeyCache::default();
        let broken = || Err(SigningError::Key(DkimKeyError::UnsupportedKey));
        assert!(signer.custom_key(b"sealed", broken).is_err());
        assert!(signer.custom_key(b"sealed", || Ok(DkimKey::generate_ed25519()?)).is_ok());
    }
}
