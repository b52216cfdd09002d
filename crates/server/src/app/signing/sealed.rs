//! Secrets at rest: AES-256-GCM (NIST SP 800-38D) under a key of the instance that is not in the database.
//!
//! The key is the setting `instance_key`, or the file `instance.key` in `data_dir`. Another one takes its place by a
//! rotation alone: what was sealed with the one before would be lost. That it is the key of the store is made sure of before
//! anything is sealed or opened ([`super::key_file::settle`]); nothing here makes one.

use std::{io, path::PathBuf, sync::OnceLock};

use aws_lc_rs::{
    aead::{AES_256_GCM, Aad, NONCE_LEN, Nonce, RandomizedNonceKey},
    hmac,
};
use base64::{Engine, engine::general_purpose::STANDARD};
use posthouse_domain::id::WorkspaceId;

use super::key_file::KeyFile;
use crate::app::App;

/// Bytes of a key.
const KEY_BYTES: usize = 32;
/// Bytes of a key that took the place of another: it brings along the keys that were derived from the first one.
const SUCCESSOR_BYTES: usize = KEY_BYTES + DERIVED_BYTES;
/// The first byte of what is sealed: this format.
const FORMAT: u8 = 1;

/// Why something cannot be sealed or opened.
#[derive(Debug, thiserror::Error)]
pub enum InstanceKeyError {
    /// The file.
    #[error("the key file {path} cannot be used: {cause}")]
    File {
        /// Which.
        path: PathBuf,
        /// What the operating system says.
        cause: io::Error,
    },
    /// There is none, while there was one.
    #[error(
        "{path} is missing, and the store holds secrets that were sealed with it: bring it back from the backup, or copy it \
         from a machine that serves this store (where the key is the setting instance_key, set that)"
    )]
    Missing {
        /// Where it has to be.
        path: PathBuf,
    },
    /// The text is no key.
    #[error(
        "{place} must hold 32 bytes in base64, as `openssl rand -base64 32` makes them, or what `posthouse secret rotate` wrote"
    )]
    Malformed {
        /// The setting or file.
        place: String,
    },
    /// Something was sealed with another key, or changed.
    #[error(
        "stored secrets were sealed with another instance key: bring back the instance.key (or the setting instance_key) of \
         this store, from the backup or from a machine that serves it"
    )]
    WrongKey,
    /// The cryptographic library failed.
    #[error("the cryptographic library failed")]
    Crypto,
}

/// What keys are derived for: tags of return paths, hashes of addresses, tokens of links.
const PURPOSES: [&[u8]; 3] =
    [b"posthouse: tags of return paths", b"posthouse forgotten addresses 1", b"posthouse: tokens of links"];
/// Bytes of what is derived.
const DERIVED_BYTES: usize = PURPOSES.len() * KEY_BYTES;
/// Bytes of such a token.
const LINK_BYTES: usize = 16;

/// The key of the instance.
pub struct InstanceKey {
    secrets: RandomizedNonceKey,
    tags: hmac::Key,
    links: hmac::Key,
    addresses: AddressKey,
    /// What the other three are made of. They stay when the key is rotated: mail under way has such tags and links, and
    /// hashes cannot be made again.
    derived: [u8; DERIVED_BYTES],
}

/// A key for hashes of addresses, derived from the key of the instance: who has the database alone cannot try addresses.
#[derive(Clone)]
pub struct AddressKey(hmac::Key);

impl AddressKey {
    /// The keyed hash of an address in a workspace.
    #[must_use]
    pub fn digest(&self, workspace: WorkspaceId, address: &str) -> Vec<u8> {
        let mut context = hmac::Context::with_key(&self.0);
        context.update(workspace.as_uuid().as_bytes());
        context.update(address.as_bytes());
        context.sign().as_ref().to_vec()
    }
}

/// The key of the instance, read at the first need.
#[derive(Default)]
pub struct Vault {
    key: OnceLock<InstanceKey>,
}

impl Vault {
    /// The key.
    ///
    /// # Errors
    /// [`InstanceKeyError`].
    pub fn key(&self, app: &App) -> Result<&InstanceKey, InstanceKeyError> {
        match self.key.get() {
            Some(key) => Ok(key),
            None => InstanceKey::of(app).map(|key| self.key.get_or_init(|| key)),
        }
    }
}

impl InstanceKey {
    /// The configured key, or the one in the data directory.
    ///
    /// # Errors
    /// [`InstanceKeyError`].
    pub fn of(app: &App) -> Result<Self, InstanceKeyError> {
        Self::find(app)?.ok_or_else(|| InstanceKeyError::Missing { path: KeyFile::of(app).path() })
    }

    /// The same; none where there is neither.
    ///
    /// # Errors
    /// [`InstanceKeyError`], without [`InstanceKeyError::Missing`].
    pub fn find(app: &App) -> Result<Option<Self>, InstanceKeyError> {
        match &app.config.instance_key {
            Some(text) => Self::read(&text.0, "instance_key").map(Some),
            None => KeyFile::of(app).read(),
        }
    }

    /// Reads a key, `place` being what the error names.
    ///
    /// # Errors
    /// [`InstanceKeyError::Malformed`].
    pub(super) fn read(text: &str, place: &str) -> Result<Self, InstanceKeyError> {
        let malformed = || InstanceKeyError::Malformed { place: place.to_owned() };
        let bytes = STANDARD.decode(text.trim()).map_err(|_| malformed())?;
        let derived = match bytes.len() {
            KEY_BYTES => derive(&bytes),
            SUCCESSOR_BYTES => bytes[KEY_BYTES..].try_into().map_err(|_| malformed())?,
            _ => return Err(malformed()),
        };
        let secrets =
            RandomizedNonceKey::new(&AES_256_GCM, &bytes[..KEY_BYTES]).map_err(|_| InstanceKeyError::Crypto)?;
        let key = |purpose: usize| hmac::Key::new(hmac::HMAC_SHA256, &derived[purpose * KEY_BYTES..][..KEY_BYTES]);
        Ok(Self { secrets, tags: key(0), addresses: AddressKey(key(1)), links: key(2), derived })
    }

    /// The text of a key to take this one's place: fresh for secrets, the same for everything else.
    #[must_use]
    pub fn successor(&self, fresh: [u8; KEY_BYTES]) -> String {
        let mut bytes = fresh.to_vec();
        bytes.extend_from_slice(&self.derived);
        format!("{}\n", STANDARD.encode(bytes))
    }

    /// The key for hashes of addresses.
    #[must_use]
    pub fn addresses(&self) -> AddressKey {
        self.addresses.clone()
    }

    /// A tag that nobody can make without the key.
    #[must_use]
    pub fn tag(&self, subject: &[u8]) -> u64 {
        let tag = hmac::sign(&self.tags, subject);
        tag.as_ref().iter().take(8).fold(0, |sum, byte| (sum << 8) | u64::from(*byte))
    }

    /// The token of the link in a message, in hexadecimal digits: nobody can make one without the key.
    #[must_use]
    pub fn link(&self, subject: &[u8]) -> String {
        let tag = hmac::sign(&self.links, subject);
        tag.as_ref().iter().take(LINK_BYTES).map(|byte| format!("{byte:02x}")).collect()
    }

    /// Seals a secret, bound to a context that must be named again to open it.
    ///
    /// # Errors
    /// [`InstanceKeyError::Crypto`].
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

    /// Opens what was sealed with the same key and context.
    ///
    /// # Errors
    /// [`InstanceKeyError::WrongKey`].
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

/// A key of its own for each purpose, one after the other.
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
    fn what_was_sealed_opens_with_the_same_key_and_context_only() {
        let sealed = key(1).seal(b"secret", "dkim a").unwrap();
        assert!(!sealed.windows(6).any(|window| window == b"secret"));
        assert_eq!(key(1).open(&sealed, "dkim a").unwrap(), b"secret");
        assert_ne!(sealed, key(1).seal(b"secret", "dkim a").unwrap(), "the nonce is fresh each time");
        assert!(matches!(key(2).open(&sealed, "dkim a"), Err(InstanceKeyError::WrongKey)));
        assert!(matches!(key(1).open(&sealed, "dkim b"), Err(InstanceKeyError::WrongKey)));
        for cut in 0..sealed.len() {
            assert!(key(1).open(&sealed[..cut], "dkim a").is_err());
        }
    }

    #[test]
    fn a_successor_opens_nothing_old_and_keeps_tags_and_hashes() {
        let (old, workspace) = (key(1), WorkspaceId(uuid::Uuid::nil()));
        let next = InstanceKey::read(&old.successor([2; KEY_BYTES]), "test").unwrap();
        let third = InstanceKey::read(&next.successor([3; KEY_BYTES]), "test").unwrap();
        assert!(next.open(&old.seal(b"secret", "a").unwrap(), "a").is_err());
        assert_eq!(third.tag(b"message"), old.tag(b"message"));
        let digest = |key: &InstanceKey| key.addresses().digest(workspace, "a@b.example");
        assert_eq!(digest(&third), digest(&old));
        assert_ne!(key(2).tag(b"message"), old.tag(b"message"), "of another first key they are others");
    }

    #[test]
    fn texts_that_are_no_key_are_refused() {
        for text in ["", "short", "AAAA", &STANDARD.encode([0; 33]), &STANDARD.encode([0; 64])] {
            assert!(matches!(InstanceKey::read(text, "instance_key"), Err(InstanceKeyError::Malformed { .. })));
        }
    }
}
