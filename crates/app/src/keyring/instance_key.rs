//! Seals secrets with AES-256-GCM (NIST SP 800-38D) under the instance key, which is not in the database.
//!
//! The key is the setting `instance_key`, or the file `instance.key` in `data_dir`. Only a rotation may replace it:
//! secrets sealed with the old key would be lost otherwise. [`super::proof::settle`] verifies that it is the store's
//! key before anything is sealed or opened; this module never generates one.

use std::{io, path::PathBuf};

use aws_lc_rs::aead::{AES_256_GCM, Aad, NONCE_LEN, Nonce, RandomizedNonceKey};
use aws_lc_rs::hmac;
use base64::{Engine, engine::general_purpose::STANDARD};
use posthouse_domain::WorkspaceId;

/// Bytes of the AES key.
const KEY_BYTES: usize = 32;
/// Bytes of a rotated key: it includes the keys derived from the first one.
const SUCCESSOR_BYTES: usize = KEY_BYTES + DERIVED_BYTES;
/// The first byte of a sealed secret: the format version.
const FORMAT: u8 = 1;

/// Why a secret cannot be sealed or opened.
#[derive(Debug, thiserror::Error)]
pub enum InstanceKeyError {
    /// The key file cannot be read or written.
    #[error("the key file {path} cannot be used: {cause}")]
    File {
        /// The key file.
        path: PathBuf,
        /// The error of the operating system.
        cause: io::Error,
    },
    /// The key is missing, but the store holds secrets sealed with it.
    #[error(
        "{path} is missing, and the store holds secrets that were sealed with it: restore it from the backup, or \
         copy it from a machine that serves this store (if the key is the setting instance_key, set that)"
    )]
    Missing {
        /// The expected file.
        path: PathBuf,
    },
    /// The text is not a key.
    #[error(
        "{origin} must hold 32 bytes in base64, as printed by `openssl rand -base64 32`, or a key written by `posthouse \
         secret rotate`"
    )]
    Malformed {
        /// The setting or file.
        origin: String,
    },
    /// The secret was sealed with another key, or was changed.
    #[error(
        "stored secrets were sealed with another instance key: restore the instance.key (or the setting instance_key) \
         of this store, from the backup or from a machine that serves it"
    )]
    WrongKey,
    /// The cryptographic library failed.
    #[error("the cryptographic library failed")]
    Crypto,
}

/// The purposes of the derived keys: tags of return paths, hashes of addresses, tokens of links.
const PURPOSES: [&[u8]; 3] =
    [b"posthouse: tags of return paths", b"posthouse forgotten addresses 1", b"posthouse: tokens of links"];
/// The purpose of the key that authenticates signup challenges.
const CHALLENGES: &[u8] = b"posthouse: signup challenges";
/// The subject of the instance's name.
const NAME: &[u8] = b"posthouse: name of the instance";
/// Bytes of the instance's name.
const NAME_BYTES: usize = 8;
/// The purpose of the key that authenticates ids of tasks.
const TASKS: &[u8] = b"posthouse: ids of tasks";
/// Bytes of all derived keys.
const DERIVED_BYTES: usize = PURPOSES.len() * KEY_BYTES;
/// Bytes of a link token.
const LINK_BYTES: usize = 16;

/// The instance key, with the keys derived from it.
pub struct InstanceKey {
    secrets: RandomizedNonceKey,
    tags: hmac::Key,
    links: hmac::Key,
    /// Derived from `links`, as the next one is, so that they need no bytes of their own in a rotated key.
    challenges: hmac::Key,
    tasks: hmac::Key,
    addresses: AddressKey,
    /// The bytes of the three derived keys. A rotation keeps them: mail in transit has such tags and links, and hashes
    /// cannot be recomputed.
    derived: [u8; DERIVED_BYTES],
}

/// A key for address hashes, derived from the instance key: with the database alone, addresses cannot be guessed.
#[derive(Clone)]
pub struct AddressKey(hmac::Key);

impl AddressKey {
    /// Returns the keyed hash of an address in a workspace.
    #[must_use]
    pub fn digest(&self, workspace: WorkspaceId, address: &str) -> Vec<u8> {
        let mut context = hmac::Context::with_key(&self.0);
        context.update(workspace.as_uuid().as_bytes());
        context.update(address.as_bytes());
        context.sign().as_ref().to_vec()
    }
}

impl InstanceKey {
    /// Parses a key; `place` is named in the error.
    ///
    /// # Errors
    /// Returns [`InstanceKeyError::Malformed`] if the text is not a key.
    pub(super) fn read(text: &str, origin: &str) -> Result<Self, InstanceKeyError> {
        let malformed = || InstanceKeyError::Malformed { origin: origin.to_owned() };
        let bytes = STANDARD.decode(text.trim()).map_err(|_| malformed())?;
        let derived = match bytes.len() {
            KEY_BYTES => derive(&bytes),
            SUCCESSOR_BYTES => bytes[KEY_BYTES..].try_into().map_err(|_| malformed())?,
            _ => return Err(malformed()),
        };
        let secrets =
            RandomizedNonceKey::new(&AES_256_GCM, &bytes[..KEY_BYTES]).map_err(|_| InstanceKeyError::Crypto)?;
        let key = |purpose: usize| hmac::Key::new(hmac::HMAC_SHA256, &derived[purpose * KEY_BYTES..][..KEY_BYTES]);
        let links = key(2);
        let below = |purpose: &[u8]| hmac::Key::new(hmac::HMAC_SHA256, hmac::sign(&links, purpose).as_ref());
        let (challenges, tasks) = (below(CHALLENGES), below(TASKS));
        Ok(Self { secrets, tags: key(0), addresses: AddressKey(key(1)), links, challenges, tasks, derived })
    }

    /// Returns the text of the key's successor: a fresh AES key and the same derived keys.
    #[must_use]
    pub fn successor(&self, fresh: [u8; KEY_BYTES]) -> String {
        let mut bytes = fresh.to_vec();
        bytes.extend_from_slice(&self.derived);
        format!("{}\n", STANDARD.encode(bytes))
    }

    /// Returns the key for address hashes.
    #[must_use]
    pub fn addresses(&self) -> AddressKey {
        self.addresses.clone()
    }

    /// Returns a tag that cannot be forged without the key.
    #[must_use]
    pub fn tag(&self, subject: &[u8]) -> u64 {
        let tag = hmac::sign(&self.tags, subject);
        tag.as_ref().iter().take(8).fold(0, |sum, byte| (sum << 8) | u64::from(*byte))
    }

    /// Returns a link token in hexadecimal, which cannot be forged without the key.
    #[must_use]
    pub fn link(&self, subject: &[u8]) -> String {
        let tag = hmac::sign(&self.links, subject);
        tag.as_ref().iter().take(LINK_BYTES).map(|byte| format!("{byte:02x}")).collect()
    }

    /// Returns the public name of the instance in hexadecimal, by which a command recognizes the service of its store. It
    /// stays when the key is rotated.
    #[must_use]
    pub fn name(&self) -> String {
        let tag = hmac::sign(&self.challenges, NAME);
        tag.as_ref().iter().take(NAME_BYTES).map(|byte| format!("{byte:02x}")).collect()
    }

    /// Returns the message authentication code of a signup challenge.
    #[must_use]
    pub fn challenge_code(&self, challenge: &[u8]) -> Vec<u8> {
        hmac::sign(&self.challenges, challenge).as_ref().to_vec()
    }

    /// Returns whether the code of a signup challenge was computed with this key.
    #[must_use]
    pub fn has_challenge_code(&self, challenge: &[u8], code: &[u8]) -> bool {
        hmac::verify(&self.challenges, challenge, code).is_ok()
    }

    /// Returns the message authentication code of the id of a task.
    #[must_use]
    pub fn task_code(&self, content: &[u8]) -> Vec<u8> {
        hmac::sign(&self.tasks, content).as_ref().to_vec()
    }

    /// Returns whether the code of the id of a task was computed with this key.
    #[must_use]
    pub fn has_task_code(&self, content: &[u8], code: &[u8]) -> bool {
        hmac::verify(&self.tasks, content, code).is_ok()
    }

    /// Seals a secret, bound to a context that is required to open it.
    ///
    /// # Errors
    /// Returns [`InstanceKeyError::Crypto`] if the cryptographic library fails.
    pub fn seal(&self, secret: &[u8], context: &str) -> Result<Vec<u8>, InstanceKeyError> {
        let mut text = secret.to_vec();
        let nonce = self
            .secrets
            .seal_in_place_append_tag(Aad::from(context.as_bytes()), &mut text)
            .map_err(|_| InstanceKeyError::Crypto)?;
        let mut sealed = vec![FORMAT];
        sealed.extend_from_slice(nonce.as_ref());
        sealed.extend_from_slice(&text);
        Ok(sealed)
    }

    /// Opens a secret sealed with the same key and context.
    ///
    /// # Errors
    /// Returns [`InstanceKeyError::WrongKey`] if key, context or bytes don't match.
    pub fn open(&self, sealed: &[u8], context: &str) -> Result<Vec<u8>, InstanceKeyError> {
        let wrong = |_| InstanceKeyError::WrongKey;
        let (format, rest) = sealed.split_first().ok_or(InstanceKeyError::WrongKey)?;
        if *format != FORMAT || rest.len() < NONCE_LEN {
            return Err(InstanceKeyError::WrongKey);
        }
        let (nonce, text) = rest.split_at(NONCE_LEN);
        let nonce = Nonce::try_assume_unique_for_key(nonce).map_err(wrong)?;
        let mut text = text.to_vec();
        let opened = self.secrets.open_in_place(nonce, Aad::from(context.as_bytes()), &mut text).map_err(wrong)?;
        Ok(opened.to_vec())
    }
}

/// Derives one key per purpose, concatenated.
fn derive(bytes: &[u8]) -> [u8; DERIVED_BYTES] {
    let key = hmac::Key::new(hmac::HMAC_SHA256, bytes);
    let mut derived = [0; DERIVED_BYTES];
    for (part, purpose) in derived.chunks_exact_mut(KEY_BYTES).zip(PURPOSES) {
        part.copy_from_slice(hmac::sign(&key, purpose).as_ref());
    }
    derived
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn key(byte: u8) -> InstanceKey {
        InstanceKey::read(&STANDARD.encode([byte; KEY_BYTES]), "test").unwrap()
    }

    #[test]
    fn sealed_secret_opens_only_with_same_key_and_context() {
        let sealed = key(1).seal(b"secret", "dkim a").unwrap();
        assert!(!sealed.windows(6).any(|window| window == b"secret"));
        assert_eq!(key(1).open(&sealed, "dkim a").unwrap(), b"secret");
        assert_ne!(sealed, key(1).seal(b"secret", "dkim a").unwrap(), "each nonce is fresh");
        assert!(matches!(key(2).open(&sealed, "dkim a"), Err(InstanceKeyError::WrongKey)));
        assert!(matches!(key(1).open(&sealed, "dkim b"), Err(InstanceKeyError::WrongKey)));
        for cut in 0..sealed.len() {
            assert!(key(1).open(&sealed[..cut], "dkim a").is_err());
        }
    }

    #[test]
    fn successor_keeps_tags_and_hashes_but_opens_no_old_secrets() {
        let (old, workspace) = (key(1), WorkspaceId(uuid::Uuid::nil()));
        let next = InstanceKey::read(&old.successor([2; KEY_BYTES]), "test").unwrap();
        let third = InstanceKey::read(&next.successor([3; KEY_BYTES]), "test").unwrap();
        assert!(next.open(&old.seal(b"secret", "a").unwrap(), "a").is_err());
        assert_eq!(third.tag(b"message"), old.tag(b"message"));
        let digest = |key: &InstanceKey| key.addresses().digest(workspace, "a@b.example");
        assert_eq!(digest(&third), digest(&old));
        assert_ne!(key(2).tag(b"message"), old.tag(b"message"), "another first key has other tags");
        assert!(third.has_challenge_code(b"challenge", &old.challenge_code(b"challenge")));
        assert!(!key(2).has_challenge_code(b"challenge", &old.challenge_code(b"challenge")));
        assert!(third.has_task_code(b"task", &old.task_code(b"task")));
        assert!(!key(2).has_task_code(b"task", &old.task_code(b"task")));
        assert!(!old.has_task_code(b"challenge", &old.challenge_code(b"challenge")), "each purpose has its key");
    }

    #[test]
    fn invalid_keys_are_rejected() {
        for text in ["", "short", "AAAA", &STANDARD.encode([0; 33]), &STANDARD.encode([0; 64])] {
            assert!(matches!(InstanceKey::read(text, "instance_key"), Err(InstanceKeyError::Malformed { .. })));
        }
    }
}
