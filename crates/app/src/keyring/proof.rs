//! Verifies that the instance key is the store's key.

use std::fs;

use base64::{Engine, engine::general_purpose::STANDARD};
use posthouse_store::{Tx, instance, sealed, sealed::SealedLocation};

use crate::keyring::instance_key::{InstanceKey, InstanceKeyError};
use crate::keyring::key_file::{KeyFile, failed, read_file};
use crate::keyring::{context, key_cache, signer::SigningError};
use crate::service::{ReadScope, Service};

/// The note in the store that holds a proof of its key.
const NOTE: &str = "instance_key_proof";
/// The plaintext of the proof.
const PROOF: &[u8] = b"posthouse";

/// How the available key relates to the store. A key that doesn't match the store is an error instead.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KeyStatus {
    /// The key matches the store's proof.
    Proven,
    /// The key opens a secret in the store, which has no proof yet.
    Unproven,
    /// There is a key, and nothing is sealed yet.
    Unused,
    /// There is no key, and nothing is sealed yet.
    Absent,
    /// The store uses the next key: a rotation was interrupted after its commit.
    RotationInterrupted,
}

/// What the store holds to verify a key with.
enum StoredEvidence {
    /// The proof.
    Proof(Vec<u8>),
    /// A sealed secret, in a store without a proof.
    Sealed(SealedLocation, Vec<u8>),
    /// Nothing is sealed.
    Nothing,
}

impl StoredEvidence {
    fn of(tx: &mut Tx) -> posthouse_store::Result<Self> {
        if let Some(proof) = read_proof(tx)? {
            return Ok(Self::Proof(proof));
        }
        Ok(sealed::any(tx)?.map_or(Self::Nothing, |(location, bytes)| Self::Sealed(location, bytes)))
    }

    /// Compares a key with the store.
    fn status(&self, key: &InstanceKey) -> Result<KeyStatus, InstanceKeyError> {
        match self {
            Self::Proof(proof) if is_proof_of(proof, key) => Ok(KeyStatus::Proven),
            Self::Proof(_) => Err(InstanceKeyError::WrongKey),
            Self::Sealed(location, bytes) => key.open(bytes, &context::of(location)).map(|_| KeyStatus::Unproven),
            Self::Nothing => Ok(KeyStatus::Unused),
        }
    }
}

/// Returns how the available key relates to the store. Changes nothing.
///
/// # Errors
/// Returns [`InstanceKeyError`] if the key is not the store's, or is missing though the store holds sealed secrets.
pub async fn status(service: &Service) -> Result<KeyStatus, SigningError> {
    let known = service.read(ReadScope::Service, StoredEvidence::of).await?;
    let found = match (key_cache::find(&service.config)?, &known) {
        (Some(key), known) => known.status(&key),
        (None, StoredEvidence::Nothing) => Ok(KeyStatus::Absent),
        (None, _) => Err(InstanceKeyError::Missing { path: KeyFile::of(&service.config).path() }),
    };
    if found.is_err() && service.config.instance_key.is_none() {
        let next = read_file(&KeyFile::of(&service.config).next());
        if next.is_ok_and(|next| matches!(known.status(&next), Ok(KeyStatus::Proven))) {
            return Ok(KeyStatus::RotationInterrupted);
        }
    }
    Ok(found?)
}

/// Ensures that the available key is the store's and that the store has a proof of it, before any secret is sealed or
/// opened. Generates the first key; completes a rotation that was interrupted after its commit.
///
/// # Errors
/// Returns the errors of [`status`]; no file is created then.
pub async fn settle(service: &Service) -> Result<(), SigningError> {
    let file = KeyFile::of(&service.config);
    match status(service).await? {
        KeyStatus::Proven => {}
        KeyStatus::Unproven | KeyStatus::Unused => store_if_absent(service).await?,
        KeyStatus::Absent => {
            let is_ours = file.make(service.clock.as_ref())?;
            let noted = store_if_absent(service).await;
            // Another process started on the same store at the same time, and its key was stored first.
            if is_ours && matches!(noted, Err(SigningError::InstanceKey(InstanceKeyError::WrongKey))) {
                fs::remove_file(file.path()).map_err(failed(&file.path()))?;
            }
            noted?;
        }
        KeyStatus::RotationInterrupted => {
            let old = file.adopt_next(service.clock.as_ref())?;
            tracing::info!(old = %old.display(), "instance_key.rotation_ended");
        }
    }
    Ok(())
}

/// Stores a proof of the available key, unless the store has one.
async fn store_if_absent(service: &Service) -> Result<(), SigningError> {
    let key = key_cache::read(&service.config)?;
    let text = STANDARD.encode(prove(&key)?);
    let noted = service.write(move |tx: &mut Tx| instance::set_value_if_absent(tx, NOTE, &text)).await?;
    let is_it = noted.and_then(|text| STANDARD.decode(text).ok()).is_some_and(|noted| is_proof_of(&noted, &key));
    if is_it { Ok(()) } else { Err(InstanceKeyError::WrongKey.into()) }
}

/// Returns the store's proof; `None` before its first key.
pub fn read_proof(tx: &mut Tx) -> posthouse_store::Result<Option<Vec<u8>>> {
    Ok(instance::get_value(tx, NOTE)?.and_then(|text| STANDARD.decode(text).ok()))
}

/// Stores the proof of a key.
pub fn store_proof(tx: &mut Tx, sealed: &[u8]) -> posthouse_store::Result<()> {
    instance::set_value(tx, NOTE, &STANDARD.encode(sealed))
}

/// Returns a proof of a key, to be stored.
///
/// # Errors
/// Returns [`InstanceKeyError::Crypto`] if the cryptographic library fails.
pub fn prove(key: &InstanceKey) -> Result<Vec<u8>, InstanceKeyError> {
    key.seal(PROOF, NOTE)
}

/// Returns whether a proof was made with a key.
#[must_use]
pub fn is_proof_of(noted: &[u8], key: &InstanceKey) -> bool {
    key.open(noted, NOTE).is_ok_and(|opened| opened == PROOF)
}
