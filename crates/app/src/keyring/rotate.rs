//! Rotates the instance key: reseals every secret under a new key in one transaction.
//!
//! No service may run on the store meanwhile, because it would keep sealing with the old key. [`key_file`] describes
//! what a crash leaves behind.

use std::path::{Path, PathBuf};

use posthouse_store::{Tx, sealed, sealed::SealedLocation};

use crate::keyring::instance_key::{InstanceKey, InstanceKeyError};
use crate::keyring::key_file::{self, KeyFile};
use crate::keyring::{context, key_cache, proof, signer::SigningError};
use crate::service::{ReadScope, Service};

/// Why the key was not rotated.
#[derive(Debug, thiserror::Error)]
pub enum RotationError {
    /// A key cannot be read or used.
    #[error(transparent)]
    Key(#[from] InstanceKeyError),
    /// The current key or the store cannot be used.
    #[error(transparent)]
    Signing(#[from] SigningError),
    /// The database call failed.
    #[error("{0}")]
    Store(#[from] posthouse_store::Error),
    /// `--to` is missing. With the setting `instance_key`, only the operator can install the new key.
    #[error("the key is the setting instance_key: name a file for the new one with --to FILE")]
    NoFile,
    /// `--to` is given, but the key is in the key file.
    #[error("--to is for the setting instance_key; without that setting the new key replaces instance.key")]
    NeedlessFile,
    /// The file exists and holds something else.
    #[error("{0} already exists: name another file for the new key")]
    Exists(PathBuf),
}

/// The result of a rotation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KeyRotation {
    /// Secrets under the new key; `None` if an earlier run resealed them.
    pub secrets: Option<u64>,
    /// The file of the new key.
    pub key: PathBuf,
    /// The file of the old key; `None` if it is a setting.
    pub old: Option<PathBuf>,
}

/// Rotates the store's key. With the setting `instance_key`, the new key is written to the file `to`.
///
/// # Errors
/// Returns [`RotationError`]; the store keeps its old key then.
pub async fn rotate(service: &Service, to: Option<&Path>) -> Result<KeyRotation, RotationError> {
    let file = KeyFile::of(&service.config);
    let (is_setting, path) = match (&service.config.instance_key, to) {
        (Some(_), Some(to)) => (true, to.to_owned()),
        (Some(_), None) => return Err(RotationError::NoFile),
        (None, Some(_)) => return Err(RotationError::NeedlessFile),
        (None, None) => (false, file.next()),
    };
    if is_setting && path.exists() {
        return already(service, path).await;
    }
    proof::settle(service).await?;
    let old = key_cache::read(&service.config)?;
    let mut fresh = [0; 32];
    service.clock.random(&mut fresh);
    key_file::write_file(&path, &old.successor(fresh))?;
    let new = key_file::read_file(&path)?;
    let noted = proof::prove(&new)?;
    let work = move |tx: &mut Tx| {
        let count =
            sealed::replace(tx, &|location: &SealedLocation, bytes: &[u8]| reseal(location, bytes, &old, &new))?;
        proof::store_proof(tx, &noted)?;
        Ok::<_, RotationError>(count)
    };
    let secrets = Some(service.write(work).await?);
    if is_setting {
        return Ok(KeyRotation { secrets, key: path, old: None });
    }
    let old = file.adopt_next(service.clock.as_ref())?;
    Ok(KeyRotation { secrets, key: file.path(), old: Some(old) })
}

/// Handles a target file that exists: if an earlier run was interrupted after its commit, the store uses the key in the
/// file.
async fn already(service: &Service, path: PathBuf) -> Result<KeyRotation, RotationError> {
    let noted = service.read(ReadScope::Service, proof::read_proof).await?;
    let is_done =
        noted.is_some_and(|noted| key_file::read_file(&path).is_ok_and(|key| proof::is_proof_of(&noted, &key)));
    if is_done { Ok(KeyRotation { secrets: None, key: path, old: None }) } else { Err(RotationError::Exists(path)) }
}

fn reseal(
    location: &SealedLocation,
    bytes: &[u8],
    old: &InstanceKey,
    new: &InstanceKey,
) -> Result<Vec<u8>, RotationError> {
    let context = context::of(location);
    Ok(new.seal(&old.open(bytes, &context)?, &context)?)
}
