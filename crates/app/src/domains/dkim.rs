//! DKIM for the default domain: an RSA and an Ed25519 key, generated when first needed, sealed at rest, opened once
//! (RFC 6376, RFC 8463). With `dkim.ed25519 = "off"` only the RSA key signs.
//!
//! Mail is signed once, when it is accepted, for all destinations and attempts. If the domain's keys have changed
//! since, the delivery signs it again.
//!
//! Concurrent processes agree on the keys: the first one stored is kept, and all sign with it. A private key is never
//! logged and never leaves this module unsealed.

mod own;

use std::sync::Arc;

use posthouse_domain::{Time, WorkspaceId};
use posthouse_mail::dkim::DkimKey;
use posthouse_store::dkim_keys::{self, StoredDkimKey};

use crate::keyring::signer::{DefaultDomain, DkimRecord, DomainKeys, SigningError};
use crate::keyring::{context, instance_key::InstanceKey, proof};
use crate::service::{ReadScope, Service};
use crate::settings::Ed25519;

pub use own::{generate_ed25519_key, new_key};

/// The selector of the RSA key.
const RSA_SELECTOR: &str = "ph1r";
/// The selector of the Ed25519 key. It differs from the RSA key's because verifiers that don't know the algorithm may
/// fail on two records at one name.
const ED25519_SELECTOR: &str = "ph1e";

/// Generates the default domain's keys if there are none, and opens them. Startup calls this, so that a wrong instance
/// key is found early; otherwise [`keys_of`] does it.
///
/// # Errors
/// Returns [`SigningError`] if a key cannot be generated, stored or opened.
pub async fn prepare(service: &Service) -> Result<Vec<DkimRecord>, SigningError> {
    Ok(default_domain(service).await?.records.clone())
}

/// Returns the keys that sign mail of a domain now; `None` if its mail is not signed.
///
/// # Errors
/// Returns [`SigningError`] if a key cannot be read or opened.
pub async fn keys_of(
    service: &Service,
    workspace: WorkspaceId,
    domain: &str,
) -> Result<Option<Arc<DomainKeys>>, SigningError> {
    if !service.config.delivery.sign {
        return Ok(None);
    }
    let default = default_domain(service).await?;
    if default.keys.domain == domain {
        return Ok(Some(default.keys.clone()));
    }
    Ok(own::keys(service, workspace, domain).await?.map(Arc::new))
}

async fn default_domain(service: &Service) -> Result<&DefaultDomain, SigningError> {
    service.signer.default.get_or_try_init(|| open(service)).await
}

async fn open(service: &Service) -> Result<DefaultDomain, SigningError> {
    proof::settle(service).await?;
    let mut stored = stored(service).await?;
    let missing: Vec<DefaultKeyKind> =
        signing_kinds(service).filter(|kind| !stored.iter().any(|key| kind.is_of(key))).collect();
    if !missing.is_empty() {
        let (instance, domain, now) =
            (service.keys.key(&service.config)?, service.config.mail.default_domain.clone(), service.clock.now());
        let made = missing.into_iter().map(|kind| kind.make(instance, &domain, now));
        let made: Vec<StoredDkimKey> = made.collect::<Result<_, _>>()?;
        let work = move |tx: &mut posthouse_store::Tx| {
            made.iter().try_for_each(|key| dkim_keys::insert(tx, key))?;
            dkim_keys::active(tx, &domain)
        };
        stored = service.write(work).await?;
    }
    open_keys(service, stored)
}

/// Opens the default domain's existing keys and returns their records; generates none. For diagnostic commands.
///
/// # Errors
/// Returns [`SigningError`] if a key cannot be read or opened.
pub async fn existing_records(service: &Service) -> Result<Vec<DkimRecord>, SigningError> {
    open_keys(service, stored(service).await?).map(|domain| domain.records)
}

async fn stored(service: &Service) -> Result<Vec<StoredDkimKey>, SigningError> {
    let name = service.config.mail.default_domain.clone();
    Ok(service.read(ReadScope::Statement, move |tx| dkim_keys::active(tx, &name)).await?)
}

fn open_keys(service: &Service, stored: Vec<StoredDkimKey>) -> Result<DefaultDomain, SigningError> {
    let (mut keys, mut records) = (DomainKeys::none(&service.config.mail.default_domain), Vec::new());
    for key in stored.into_iter().filter(|key| signing_kinds(service).any(|kind| kind.is_of(key))) {
        let instance = service.keys.key(&service.config)?;
        let der = instance
            .open(&key.private_key, &context::default_domain_dkim(&key.domain, &key.selector, &key.algorithm))?;
        keys.add(&key.selector, &key.private_key, Arc::new(DkimKey::from_pkcs8_der(&der)?));
        let name = format!("{}._domainkey.{}", key.selector, key.domain);
        records.push(DkimRecord { name, text: key.record });
    }
    Ok(DefaultDomain { keys: Arc::new(keys), records })
}

/// The kinds of keys of the default domain.
#[derive(Clone, Copy, PartialEq, Eq)]
enum DefaultKeyKind {
    Rsa,
    Ed25519,
}

/// Returns the kinds of keys that sign.
fn signing_kinds(service: &Service) -> impl Iterator<Item = DefaultKeyKind> {
    let second = (service.config.dkim.ed25519 != Ed25519::Off).then_some(DefaultKeyKind::Ed25519);
    [DefaultKeyKind::Rsa].into_iter().chain(second)
}

impl DefaultKeyKind {
    fn is_of(self, key: &StoredDkimKey) -> bool {
        (key.algorithm == "ed25519-sha256") == (self == DefaultKeyKind::Ed25519)
    }

    fn make(self, instance: &InstanceKey, domain: &str, now: Time) -> Result<StoredDkimKey, SigningError> {
        let (key, selector) = match self {
            DefaultKeyKind::Rsa => (DkimKey::generate_rsa()?, RSA_SELECTOR),
            DefaultKeyKind::Ed25519 => (DkimKey::generate_ed25519()?, ED25519_SELECTOR),
        };
        let algorithm = key.algorithm_name();
        Ok(StoredDkimKey {
            domain: domain.to_owned(),
            selector: selector.to_owned(),
            algorithm: algorithm.to_owned(),
            private_key: instance
                .seal(&key.to_pkcs8_der()?, &context::default_domain_dkim(domain, selector, algorithm))?,
            record: key.dns_record()?,
            created_at: now,
        })
    }
}
