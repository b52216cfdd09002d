//! DKIM for custom domains: an RSA key per selector and, with `dkim.ed25519 = "all"`, an Ed25519 key beside it, which
//! signs once a check has found its record.
//!
//! Which keys sign can change at any time, so they are read for each mail; opened keys are cached.

use posthouse_domain::{DkimSelector, DomainId, WorkspaceId};
use posthouse_mail::dkim::DkimKey;
use posthouse_store::mail_domains::{self, SealedDkimKey, SealedEd25519Key};

use crate::keyring::{context, signer::DomainKeys, signer::SigningError};
use crate::service::{ReadScope, Service};
use crate::settings::Ed25519;

/// Returns the keys that sign for a domain of the workspace; `None` for any other domain.
pub(super) async fn keys(
    service: &Service,
    workspace: WorkspaceId,
    domain: &str,
) -> Result<Option<DomainKeys>, SigningError> {
    let name = domain.to_owned();
    let found = service.read(ReadScope::Statement, move |tx| mail_domains::signing(tx, workspace, &name)).await?;
    let Some(stored) = found else { return Ok(None) };
    let instance = service.keys.key(&service.config)?;
    let mut keys = DomainKeys::none(domain);
    let mut add = |sealed: &[u8], label: &str| {
        let context = context::domain_dkim(stored.id, label);
        let open = || Ok(DkimKey::from_pkcs8_der(&instance.open(sealed, &context)?)?);
        service.signer.custom_key(sealed, open).map(|key| keys.add(label, sealed, key))
    };
    add(&stored.rsa, stored.selector.text())?;
    if let Some(sealed) = stored.ed25519.as_deref().filter(|_| service.config.dkim.ed25519 == Ed25519::All) {
        add(sealed, stored.selector.ed25519_text())?;
    }
    Ok(Some(keys))
}

/// Generates the keys of a selector, sealed. Run it on the blocking pool: an RSA key takes as long as many requests.
///
/// # Errors
/// Returns [`SigningError`] if a key cannot be generated or sealed.
pub fn new_key(service: &Service, id: DomainId, selector: DkimSelector) -> Result<SealedDkimKey, SigningError> {
    let key = DkimKey::generate_rsa()?;
    let private_key =
        service.keys.key(&service.config)?.seal(&key.to_pkcs8_der()?, &context::domain_dkim(id, selector.text()))?;
    let ed25519 = match service.config.dkim.ed25519 {
        Ed25519::All => Some(generate_ed25519_key(service, id, selector)?),
        Ed25519::Off | Ed25519::DefaultDomain => None,
    };
    Ok(SealedDkimKey { selector, private_key, record: key.dns_record()?, ed25519 })
}

/// Generates an Ed25519 key beside the key of a selector, sealed.
///
/// # Errors
/// Returns [`SigningError`] if the key cannot be generated or sealed.
pub fn generate_ed25519_key(
    service: &Service,
    id: DomainId,
    selector: DkimSelector,
) -> Result<SealedEd25519Key, SigningError> {
    let key = DkimKey::generate_ed25519()?;
    let context = context::domain_dkim(id, selector.ed25519_text());
    Ok(SealedEd25519Key {
        private_key: service.keys.key(&service.config)?.seal(&key.to_pkcs8_der()?, &context)?,
        record: key.dns_record()?,
    })
}
