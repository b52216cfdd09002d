//! DKIM for the domains of workspaces: an RSA key for each selector and, with `dkim.ed25519 = "all"`, an Ed25519 key beside
//! it, which signs once a check has seen its record.
//!
//! Which keys sign may be another answer than a moment ago, so it is read each time; opening them is not repeated.

use posthouse_domain::{
    id::{DomainId, WorkspaceId},
    mail_domain::Selector,
};
use posthouse_mail::dkim::DkimKey;
use posthouse_store::mail_domains::{self, SealedKey, SecondKey};

use super::{DomainKeys, SigningError};
use crate::{app::App, config::Ed25519};

/// The keys that sign for a domain of the workspace; none for any other domain.
pub(super) async fn keys(app: &App, workspace: WorkspaceId, domain: &str) -> Result<Option<DomainKeys>, SigningError> {
    let name = domain.to_owned();
    let found = app.store.read_one(move |tx| mail_domains::signing(tx, workspace, &name)).await?;
    let Some(stored) = found else { return Ok(None) };
    let instance = app.vault.key(app)?;
    let mut keys = DomainKeys::none(domain);
    let mut add = |sealed: &[u8], label: &str| {
        let context = own_context(stored.id, label);
        let open = || Ok(DkimKey::from_pkcs8_der(&instance.open(sealed, &context)?)?);
        app.signer.own(sealed, open).map(|key| keys.add(label, sealed, key))
    };
    add(&stored.rsa, stored.selector.text())?;
    if let Some(sealed) = stored.ed25519.as_deref().filter(|_| app.config.dkim.ed25519 == Ed25519::All) {
        add(sealed, stored.selector.ed25519_text())?;
    }
    Ok(Some(keys))
}

/// Makes the keys of a selector, sealed. An RSA key takes as long as many requests: this is work for a place apart.
///
/// # Errors
/// [`SigningError`].
pub fn new_key(app: &App, id: DomainId, selector: Selector) -> Result<SealedKey, SigningError> {
    let key = DkimKey::generate_rsa()?;
    let private_key = app.vault.key(app)?.seal(&key.to_pkcs8_der()?, &own_context(id, selector.text()))?;
    let ed25519 = match app.config.dkim.ed25519 {
        Ed25519::All => Some(second_key(app, id, selector)?),
        Ed25519::Off | Ed25519::DefaultDomain => None,
    };
    Ok(SealedKey { selector, private_key, record: key.dns_record()?, ed25519 })
}

/// Makes the Ed25519 key beside the key of a selector, sealed.
///
/// # Errors
/// [`SigningError`].
pub fn second_key(app: &App, id: DomainId, selector: Selector) -> Result<SecondKey, SigningError> {
    let key = DkimKey::generate_ed25519()?;
    let context = own_context(id, selector.ed25519_text());
    Ok(SecondKey { private_key: app.vault.key(app)?.seal(&key.to_pkcs8_der()?, &context)?, record: key.dns_record()? })
}

/// What a sealed key of a domain is bound to: one that was moved to another row does not open.
#[must_use]
pub fn own_context(id: DomainId, label: &str) -> String {
    format!("domain {id} {label}")
}
