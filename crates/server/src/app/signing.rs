//! DKIM for the default domain: an RSA and an Ed25519 key, made when first needed, sealed at rest, opened once (RFC 6376,
//! RFC 8463).
//!
//! Never makes a second pair: whoever stores first wins, and everybody signs with what is stored. A private key is never
//! logged and never leaves this file unsealed.

mod sealed;

use posthouse_domain::{
    id::{DomainId, WorkspaceId},
    mail_domain::Selector,
    time::Time,
};
use posthouse_mail::dkim::{DkimKey, DkimKeyError, sign_all};
use posthouse_store::{
    dkim_keys::{self, StoredDkimKey},
    mail_domains,
};
use tokio::sync::OnceCell;

use super::App;
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

/// The keys of the default domain, once they were needed.
#[derive(Default)]
pub struct Signer {
    keys: OnceCell<Keys>,
}

/// Opened keys of one domain.
struct Keys {
    domain: String,
    pairs: Vec<(DkimKey, String)>,
    records: Vec<DkimRecord>,
}

/// Makes the keys of the default domain if there are none, and opens them. Boot does this early, so that a wrong instance
/// key is found at the start; [`sign`] does it otherwise.
///
/// # Errors
/// [`SigningError`].
pub async fn prepare(app: &App) -> Result<Vec<DkimRecord>, SigningError> {
    Ok(keys(app).await?.records.clone())
}

/// The `DKIM-Signature` fields for a message of that domain, each with its CRLF, to be put in front of it; empty for a
/// domain that is not signed for.
///
/// # Errors
/// [`SigningError`].
pub async fn sign(
    app: &App,
    workspace: WorkspaceId,
    domain: &str,
    raw: &[u8],
    now: Time,
) -> Result<String, SigningError> {
    let keys = keys(app).await?;
    if keys.domain != domain {
        return sign_own(app, workspace, domain, raw, now).await;
    }
    let pairs: Vec<(&DkimKey, &str)> = keys.pairs.iter().map(|(key, selector)| (key, selector.as_str())).collect();
    Ok(sign_all(raw, domain, now.seconds(), &pairs)?)
}

/// Signs for a domain of a workspace's own with the key that signs now: it may be another than a moment ago, so it is read
/// each time.
async fn sign_own(
    app: &App,
    workspace: WorkspaceId,
    domain: &str,
    raw: &[u8],
    now: Time,
) -> Result<String, SigningError> {
    let name = domain.to_owned();
    let found = app.store.read(move |tx| mail_domains::signing(tx, workspace, &name)).await?;
    let Some((id, selector, sealed)) = found else { return Ok(String::new()) };
    let der = InstanceKey::of(app)?.open(&sealed, &own_context(id, selector))?;
    let key = DkimKey::from_pkcs8_der(&der)?;
    Ok(sign_all(raw, domain, now.seconds(), &[(&key, selector.text())])?)
}

/// Seals a key of a workspace's own domain.
///
/// # Errors
/// [`SigningError`].
pub fn seal(app: &App, key: &DkimKey, id: DomainId, selector: Selector) -> Result<Vec<u8>, SigningError> {
    Ok(InstanceKey::of(app)?.seal(&key.to_pkcs8_der()?, &own_context(id, selector))?)
}

fn own_context(id: DomainId, selector: Selector) -> String {
    format!("domain {id} {}", selector.text())
}

async fn keys(app: &App) -> Result<&Keys, SigningError> {
    app.signer.keys.get_or_try_init(|| open(app)).await
}

async fn open(app: &App) -> Result<Keys, SigningError> {
    let instance = app.vault.key(app)?;
    let domain = app.config.mail.default_domain.clone();
    let name = domain.clone();
    let mut stored = app.store.read_one(move |tx| dkim_keys::active(tx, &name)).await?;
    if stored.is_empty() {
        let made = make(instance, &domain, app.clock.now())?;
        let name = domain.clone();
        let work = move |tx: &mut posthouse_store::Tx| {
            made.iter().try_for_each(|key| dkim_keys::insert(tx, key))?;
            dkim_keys::active(tx, &name)
        };
        stored = app.store.write(work).await?;
    }
    let mut keys = Keys { domain, pairs: Vec::new(), records: Vec::new() };
    for key in stored {
        let der = instance.open(&key.private_key, &context(&key))?;
        keys.pairs.push((DkimKey::from_pkcs8_der(&der)?, key.selector.clone()));
        let name = format!("{}._domainkey.{}", key.selector, key.domain);
        keys.records.push(DkimRecord { name, text: key.record });
    }
    Ok(keys)
}

fn make(instance: &InstanceKey, domain: &str, now: Time) -> Result<[StoredDkimKey; 2], SigningError> {
    let store = |key: DkimKey, selector: &str| -> Result<StoredDkimKey, SigningError> {
        let mut stored = StoredDkimKey {
            domain: domain.to_owned(),
            selector: selector.to_owned(),
            algorithm: key.algorithm_name().to_owned(),
            private_key: Vec::new(),
            record: key.dns_record()?,
            created_at: now,
        };
        stored.private_key = instance.seal(&key.to_pkcs8_der()?, &context(&stored))?;
        Ok(stored)
    };
    Ok([store(DkimKey::generate_rsa()?, RSA_SELECTOR)?, store(DkimKey::generate_ed25519()?, ED25519_SELECTOR)?])
}

/// What a sealed key is bound to: one that was moved to another row does not open.
fn context(key: &StoredDkimKey) -> String {
    format!("dkim {} {} {}", key.domain, key.selector, key.algorithm)
}
