//! Rotates and revokes the signing keys.

use posthouse_domain::signing_key::{PRIVATE_PART_MS, PUBLISHED_BEFORE_MS, ROTATION_MS};
use posthouse_domain::{SigningPurpose, Time};
use posthouse_store::{Tx, signing_keys, signing_keys::StoredSigningKey};

use super::new_key::{self, KeySlot};
use crate::{keyring::signer::SigningError, service::ReadScope, service::Service};

/// Creates the first key of each purpose that has none. Startup calls this, so that a wrong instance key is found early.
///
/// # Errors
/// Returns [`SigningError`] if a key cannot be generated, stored or opened.
pub async fn prepare(service: &Service) -> Result<(), SigningError> {
    for purpose in SigningPurpose::ALL {
        super::sign::signer(service, *purpose).await?;
    }
    Ok(())
}

/// The result of a rotation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SigningKeyRotation {
    /// The newest key.
    pub kid: String,
    /// When it begins to sign.
    pub signs_from: Time,
}

/// Creates the next key of a purpose. It signs ten minutes later, so that programs that cache the published keys know
/// it. A key that doesn't sign yet is not replaced again.
///
/// # Errors
/// Returns [`SigningError`] if a key cannot be generated or stored.
pub async fn rotate(service: &Service, purpose: SigningPurpose) -> Result<SigningKeyRotation, SigningError> {
    super::sign::signer(service, purpose).await?;
    let now = service.clock.now();
    let newest = newest(service, purpose).await?;
    if let Some(pending) = newest.as_ref().filter(|key| key.times.signs_from > now && key.times.revoked_at.is_none()) {
        return Ok(rotation(pending));
    }
    add(service, purpose, newest, now.plus_ms(PUBLISHED_BEFORE_MS)).await
}

/// Revokes a key: its signatures from now on are invalid. If it signs now or next, a new key signs at once. Returns
/// `None` if no key has this id.
///
/// # Errors
/// Returns [`SigningError`] if a key cannot be generated or stored.
pub async fn revoke(service: &Service, kid: &str) -> Result<Option<SigningKeyRotation>, SigningError> {
    let (id, now) = (kid.to_owned(), service.clock.now());
    let write = move |tx: &mut Tx| -> posthouse_store::Result<_> {
        signing_keys::revoke(tx, &id, now)?;
        signing_keys::get(tx, &id)
    };
    let Some(revoked) = service.write(write).await? else { return Ok(None) };
    let newest = newest(service, revoked.purpose).await?;
    let is_needed = newest.as_ref().is_none_or(|key| key.times.revoked_at.is_some() || key.times.signs_from > now);
    match newest {
        Some(newest) if !is_needed => Ok(Some(rotation(&newest))),
        newest => add(service, revoked.purpose, newest, now).await.map(Some),
    }
}

/// Rotates keys that are a year old, and deletes the private parts of keys that stopped signing a day ago.
///
/// # Errors
/// Returns [`SigningError`] if a key cannot be generated or stored.
pub async fn maintain(service: &Service) -> Result<(), SigningError> {
    let now = service.clock.now();
    for purpose in SigningPurpose::ALL {
        let is_due =
            newest(service, *purpose).await?.is_some_and(|key| now >= key.times.signs_from.plus_ms(ROTATION_MS));
        if is_due {
            let rotated = rotate(service, *purpose).await?;
            tracing::info!(purpose = purpose.text(), kid = rotated.kid, "signing_key.rotated");
        }
    }
    let before = now.plus_ms(-PRIVATE_PART_MS);
    service.write(move |tx| signing_keys::forget_private_parts(tx, before)).await?;
    Ok(())
}

async fn newest(service: &Service, purpose: SigningPurpose) -> Result<Option<StoredSigningKey>, SigningError> {
    Ok(service.read(ReadScope::Statement, move |tx| signing_keys::all(tx, purpose)).await?.into_iter().next())
}

/// Adds the generation after a key. If another process added it first, that key is the result.
async fn add(
    service: &Service,
    purpose: SigningPurpose,
    newest: Option<StoredSigningKey>,
    signs_from: Time,
) -> Result<SigningKeyRotation, SigningError> {
    let generation = newest.map_or(1, |key| key.generation + 1);
    let key = new_key::generate(service, KeySlot { purpose, generation }, service.clock.now(), signs_from)?;
    let write = move |tx: &mut Tx| -> posthouse_store::Result<_> {
        if signing_keys::insert(tx, &key)? {
            return Ok(rotation(&key));
        }
        Ok(signing_keys::all(tx, purpose)?.first().map_or_else(|| rotation(&key), rotation))
    };
    Ok(service.write(write).await?)
}

fn rotation(key: &StoredSigningKey) -> SigningKeyRotation {
    SigningKeyRotation { kid: key.kid.clone(), signs_from: key.times.signs_from }
}
