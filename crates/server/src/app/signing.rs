//! DKIM for the default domain: an RSA and an Ed25519 key, made when first needed, sealed at rest, opened once (RFC 6376,
//! RFC 8463). With `dkim.ed25519 = "off"` it signs with the RSA key alone.
//!
//! Mail is signed once, when it is accepted, for all its destinations and attempts; what was signed with keys that are not
//! those of the domain any more is signed anew when it leaves.
//!
//! Never makes a key twice: whoever stores first wins, and everybody signs with what is stored. A private key is never
//! logged and never leaves this folder unsealed.

pub mod key_file;
mod own;
mod sealed;

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use posthouse_domain::{id::WorkspaceId, time::Time};
use posthouse_mail::dkim::{DkimKey, DkimKeyError, sign_all};
use posthouse_store::{
    dkim_keys::{self, StoredDkimKey},
    recipients::Signed,
};
use sha2::{Digest, Sha256};
use tokio::sync::OnceCell;

use super::App;
use crate::config::Ed25519;
pub use own::{new_key, own_context, second_key};
pub use sealed::{AddressKey, InstanceKey, InstanceKeyError, Vault};

/// The selector of the RSA key.
const RSA_SELECTOR: &str = "ph1r";
/// The selector of the Ed25519 key: one of its own, because servers that do not know the algorithm would stumble over a
/// second record under one name.
const ED25519_SELECTOR: &str = "ph1e";

/// Why mail cannot be signed.
#[derive(Debug, thiserror::Error)]
pub enum SigningError {
    /// The key of the instance cannot be had.
    #[error(transparent)]
    InstanceKey(#[from] InstanceKeyError),
    /// A DKIM key cannot be made or used.
    #[error("DKIM: {0}")]
    Key(#[from] DkimKeyError),
    /// The store.
    #[error("the DKIM keys cannot be read: {0}")]
    Store(#[from] posthouse_store::Error),
}

/// The record that a key is published by.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DkimRecord {
    /// The name in DNS.
    pub name: String,
    /// The text.
    pub text: String,
}

/// Keys that were needed, opened: those of the default domain, and the last ones of the domains of workspaces.
#[derive(Default)]
pub struct Signer {
    default: OnceCell<DefaultDomain>,
    own: Mutex<HashMap<Vec<u8>, Arc<DkimKey>>>,
}

/// Opened keys of the domains of workspaces that are kept; one more, and all of them are opened anew as they are needed.
const OWN_KEYS_MAX: usize = 2_000;

impl Signer {
    /// A key of a workspace's domain, opened if it is not among those that are kept. A sealed key is its own name: what is
    /// sealed anew is opened anew.
    fn own(
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
struct DefaultDomain {
    keys: Arc<DomainKeys>,
    records: Vec<DkimRecord>,
}

/// The keys that sign for a domain at a moment, opened.
pub struct DomainKeys {
    domain: String,
    /// Each with its selector.
    keys: Vec<(Arc<DkimKey>, String)>,
    /// What tells them from others.
    digest: Sha256,
}

impl DomainKeys {
    fn none(domain: &str) -> Self {
        Self { domain: domain.to_owned(), keys: Vec::new(), digest: Sha256::new() }
    }

    /// Adds a key; the bytes that it was sealed in are of no other.
    fn add(&mut self, selector: &str, sealed: &[u8], key: Arc<DkimKey>) {
        self.digest.update(selector);
        self.digest.update(sealed);
        self.keys.push((key, selector.to_owned()));
    }

    /// Signs a message of the domain.
    ///
    /// # Errors
    /// [`SigningError::Key`].
    pub fn sign(&self, raw: &[u8], now: Time) -> Result<Signed, SigningError> {
        let keys: Vec<(&DkimKey, &str)> = self.keys.iter().map(|(key, selector)| (&**key, selector.as_str())).collect();
        Ok(Signed { fields: sign_all(raw, &self.domain, now.seconds(), &keys)?, keys_digest: self.digest() })
    }

    /// Whether these keys made the signatures.
    #[must_use]
    pub fn have_made(&self, signed: &Signed) -> bool {
        signed.keys_digest == self.digest()
    }

    fn digest(&self) -> Vec<u8> {
        self.digest.clone().finalize().to_vec()
    }
}

/// Makes the keys of the default domain if there are none, and opens them. Boot does this early, so that a wrong instance
/// key is found at the start; [`keys_of`] does it otherwise.
///
/// # Errors
/// [`SigningError`].
pub async fn prepare(app: &App) -> Result<Vec<DkimRecord>, SigningError> {
    Ok(default_domain(app).await?.records.clone())
}

/// The keys that sign mail of that domain now; none where it is not signed for, or nothing is.
///
/// # Errors
/// [`SigningError`].
pub async fn keys_of(app: &App, workspace: WorkspaceId, domain: &str) -> Result<Option<Arc<DomainKeys>>, SigningError> {
    if !app.config.delivery.sign {
        return Ok(None);
    }
    let default = default_domain(app).await?;
    if default.keys.domain == domain {
        return Ok(Some(default.keys.clone()));
    }
    Ok(own::keys(app, workspace, domain).await?.map(Arc::new))
}

async fn default_domain(app: &App) -> Result<&DefaultDomain, SigningError> {
    app.signer.default.get_or_try_init(|| open(app)).await
}

async fn open(app: &App) -> Result<DefaultDomain, SigningError> {
    key_file::settle(app).await?;
    let mut stored = stored(app).await?;
    let missing: Vec<Kind> = wanted(app).filter(|kind| !stored.iter().any(|key| kind.is_of(key))).collect();
    if !missing.is_empty() {
        let (instance, domain, now) = (app.vault.key(app)?, app.config.mail.default_domain.clone(), app.clock.now());
        let made = missing.into_iter().map(|kind| kind.make(instance, &domain, now));
        let made: Vec<StoredDkimKey> = made.collect::<Result<_, _>>()?;
        let work = move |tx: &mut posthouse_store::Tx| {
            made.iter().try_for_each(|key| dkim_keys::insert(tx, key))?;
            dkim_keys::active(tx, &domain)
        };
        stored = app.store.write(work).await?;
    }
    opened(app, stored)
}

/// The records of the keys of the default domain that there are, which are opened; makes none. For who looks from outside.
///
/// # Errors
/// [`SigningError`].
pub async fn existing(app: &App) -> Result<Vec<DkimRecord>, SigningError> {
    opened(app, stored(app).await?).map(|domain| domain.records)
}

async fn stored(app: &App) -> Result<Vec<StoredDkimKey>, SigningError> {
    let name = app.config.mail.default_domain.clone();
    Ok(app.store.read_one(move |tx| dkim_keys::active(tx, &name)).await?)
}

fn opened(app: &App, stored: Vec<StoredDkimKey>) -> Result<DefaultDomain, SigningError> {
    let (mut keys, mut records) = (DomainKeys::none(&app.config.mail.default_domain), Vec::new());
    for key in stored.into_iter().filter(|key| wanted(app).any(|kind| kind.is_of(key))) {
        let instance = app.vault.key(app)?;
        let der = instance.open(&key.private_key, &context(&key.domain, &key.selector, &key.algorithm))?;
        keys.add(&key.selector, &key.private_key, Arc::new(DkimKey::from_pkcs8_der(&der)?));
        let name = format!("{}._domainkey.{}", key.selector, key.domain);
        records.push(DkimRecord { name, text: key.record });
    }
    Ok(DefaultDomain { keys: Arc::new(keys), records })
}

/// A key of the default domain.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Rsa,
    Ed25519,
}

/// The keys that are to sign.
fn wanted(app: &App) -> impl Iterator<Item = Kind> {
    let second = (app.config.dkim.ed25519 != Ed25519::Off).then_some(Kind::Ed25519);
    [Kind::Rsa].into_iter().chain(second)
}

impl Kind {
    fn is_of(self, key: &StoredDkimKey) -> bool {
        (key.algorithm == "ed25519-sha256") == (self == Kind::Ed25519)
    }

    fn make(self, instance: &InstanceKey, domain: &str, now: Time) -> Result<StoredDkimKey, SigningError> {
        let (key, selector) = match self {
            Kind::Rsa => (DkimKey::generate_rsa()?, RSA_SELECTOR),
            Kind::Ed25519 => (DkimKey::generate_ed25519()?, ED25519_SELECTOR),
        };
        let algorithm = key.algorithm_name();
        Ok(StoredDkimKey {
            domain: domain.to_owned(),
            selector: selector.to_owned(),
            algorithm: algorithm.to_owned(),
            private_key: instance.seal(&key.to_pkcs8_der()?, &context(domain, selector, algorithm))?,
            record: key.dns_record()?,
            created_at: now,
        })
    }
}

/// What a sealed key is bound to: one that was moved to another row does not open.
#[must_use]
pub fn context(domain: &str, selector: &str, algorithm: &str) -> String {
    format!("dkim {domain} {selector} {algorithm}")
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn a_key_is_opened_once_and_not_all_are_kept() {
        let (signer, opened) = (Signer::default(), Cell::new(0));
        let open = |n: usize| {
            let open = || {
                opened.set(opened.get() + 1);
                Ok(DkimKey::generate_ed25519()?)
            };
            signer.own(&n.to_le_bytes(), open).unwrap()
        };
        let first = open(0);
        assert!(Arc::ptr_eq(&first, &open(0)));
        assert_eq!(opened.get(), 1);
        (1..=OWN_KEYS_MAX).for_each(|n| drop(open(n)));
        assert!(signer.own_keys().len() <= OWN_KEYS_MAX);
        assert!(!Arc::ptr_eq(&first, &open(0)));
    }

    #[test]
    fn a_key_that_does_not_open_is_not_kept() {
        let signer = Signer::default();
        let broken = || Err(SigningError::Key(DkimKeyError::UnsupportedKey));
        assert!(signer.own(b"sealed", broken).is_err());
        assert!(signer.own(b"sealed", || Ok(DkimKey::generate_ed25519()?)).is_ok());
    }
}
