//! New signing keys.

use posthouse_domain::{SigningKeyTimes, SigningPurpose, Time};
use posthouse_mail::jose::key::Es256Key;
use posthouse_store::signing_keys::{self, StoredSigningKey};

use crate::{keyring::context, keyring::proof, keyring::signer::SigningError, service::Service};

/// The place of a new key among all keys.
#[derive(Clone, Copy)]
pub(super) struct KeySlot {
    pub(super) purpose: SigningPurpose,
    /// Its number among the keys of the purpose, from one.
    pub(super) generation: i64,
}

/// Generates a key. It isn't stored yet.
pub(super) fn generate(
    service: &Service,
    slot: KeySlot,
    created_at: Time,
    signs_from: Time,
) -> Result<StoredSigningKey, SigningError> {
    let key = Es256Key::generate()?;
    let kid = key.public().thumbprint();
    let sealed = service.keys.key(&service.config)?.seal(&key.to_pkcs8_der()?, &context::signing_key(&kid))?;
    Ok(StoredSigningKey {
        purpose: slot.purpose,
        generation: slot.generation,
        kid,
        public_key: key.public().to_json().to_string(),
        private_key: Some(sealed),
        times: SigningKeyTimes { created_at, signs_from, retired_at: None, revoked_at: None },
    })
}

/// Creates the first key of a purpose, unless another process did.
pub(super) async fn create_first(service: &Service, purpose: SigningPurpose) -> Result<(), SigningError> {
    proof::settle(service).await?;
    let now = service.clock.now();
    let key = generate(service, KeySlot { purpose, generation: 1 }, now, now)?;
    service.write(move |tx| signing_keys::insert(tx, &key)).await?;
    Ok(())
}
