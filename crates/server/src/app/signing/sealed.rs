//! Secrets at rest: AES-256-GCM (NIST SP 800-38D) under a key of the instance that is not in the database.
//!
//! The key is the setting `instance_key`, or the file `instance.key` in `data_dir`, made at the first need and readable
//! by its owner only. It is never replaced: what was sealed with it would be lost.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    sync::{Mutex, OnceLock, PoisonError},
};

use aws_lc_rs::{
    aead::{AES_256_GCM, Aad, NONCE_LEN, Nonce, RandomizedNonceKey},
    hmac,
};
use base64::{Engine, engine::general_purpose::STANDARD};
use posthouse_domain::id::WorkspaceId;

use crate::{app::App, ports::Clock};

/// Bytes of the key.
const KEY_BYTES: usize = 32;
/// The first byte of what is sealed: this format.
const FORMAT: u8 = 1;
/// The file in `data_dir`.
const FILE: &str = "instance.key";
/// Most bytes read of the file: the key in base64 and white space.
const FILE_BYTES_MAX: u64 = 256;

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
    /// The text is no key.
    #[error("{place} must hold 32 bytes in base64, as `openssl rand -base64 32` makes them")]
    Malformed {
        /// The setting or file.
        place: String,
    },
    /// Something was sealed with another key, or changed.
    #[error(
        "stored secrets were sealed with another instance key: bring back the instance.key (or the setting instance_key) of this store"
    )]
    WrongKey,
    /// The cryptographic library failed.
    #[error("the cryptographic library failed")]
    Crypto,
}

/// What the key of tags is made for.
const TAGS: &[u8] = b"posthouse: tags of return paths";
/// What the key for hashes of addresses is derived for.
const ADDRESSES: &[u8] = b"posthouse forgotten addresses 1";

/// What the key of the tokens in links is made for.
const LINKS: &[u8] = b"posthouse: tokens of links";
/// Bytes of such a token.
const LINK_BYTES: usize = 16;

/// The key of the instance.
pub struct InstanceKey {
    secrets: RandomizedNonceKey,
    tags: hmac::Key,
    links: hmac::Key,
    addresses: AddressKey,
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
    /// Two that need it first must not make its file at once.
    reading: Mutex<()>,
}

impl Vault {
    /// The key.
    ///
    /// # Errors
    /// [`InstanceKeyError`].
    pub fn key(&self, app: &App) -> Result<&InstanceKey, InstanceKeyError> {
        if let Some(key) = self.key.get() {
            return Ok(key);
        }
        let _reading = self.reading.lock().unwrap_or_else(PoisonError::into_inner);
        match self.key.get() {
            Some(key) => Ok(key),
            None => InstanceKey::of(app).map(|key| self.key.get_or_init(|| key)),
        }
    }
}

impl InstanceKey {
    /// The configured key, or the one in the data directory, which is made if there is none.
    ///
    /// # Errors
    /// [`InstanceKeyError`].
    pub fn of(app: &App) -> Result<Self, InstanceKeyError> {
        match &app.config.instance_key {
            Some(text) => Self::read(&text.0, "instance_key"),
            None => Self::in_directory(&app.config.data_dir, app.clock.as_ref()),
        }
    }

    fn in_directory(directory: &Path, clock: &dyn Clock) -> Result<Self, InstanceKeyError> {
        let path = directory.join(FILE);
        let failed = |cause| InstanceKeyError::File { path: path.clone(), cause };
        if !path.exists() {
            let mut bytes = [0; KEY_BYTES];
            clock.random(&mut bytes);
            make_file(directory, &path, &format!("{}\n", STANDARD.encode(bytes))).map_err(failed)?;
        }
        let file = fs::File::open(&path).map_err(failed)?;
        let text = io::read_to_string(io::Read::take(file, FILE_BYTES_MAX)).map_err(failed)?;
        Self::read(&text, &path.display().to_string())
    }

    fn read(text: &str, place: &str) -> Result<Self, InstanceKeyError> {
        let malformed = || InstanceKeyError::Malformed { place: place.to_owned() };
        let bytes = STANDARD.decode(text.trim()).map_err(|_| malformed())?;
        if bytes.len() != KEY_BYTES {
            return Err(malformed());
        }
        let secrets = RandomizedNonceKey::new(&AES_256_GCM, &bytes).map_err(|_| InstanceKeyError::Crypto)?;
        // A key of its own for each purpose.
        let tags = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, &bytes), TAGS);
        let addresses = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, &bytes), ADDRESSES);
        let addresses = AddressKey(hmac::Key::new(hmac::HMAC_SHA256, addresses.as_ref()));
        let links = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, &bytes), LINKS);
        let [tags, links] = [tags, links].map(|tag| hmac::Key::new(hmac::HMAC_SHA256, tag.as_ref()));
        Ok(Self { secrets, tags, links, addresses })
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

/// Writes the file whole, or leaves the one that somebody else made in the meantime.
fn make_file(directory: &Path, path: &Path, text: &str) -> io::Result<()> {
    let draft = directory.join(format!("{FILE}.{}", std::process::id()));
    let _ = fs::remove_file(&draft);
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    let linked = match fs::hard_link(&draft, path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    };
    let _ = fs::remove_file(&draft);
    linked?;
    fs::File::open(directory)?.sync_all()
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
    fn texts_that_are_no_key_are_refused() {
        for text in ["", "short", "AAAA", &STANDARD.encode([0; 33])] {
            assert!(matches!(InstanceKey::read(text, "instance_key"), Err(InstanceKeyError::Malformed { .. })));
        }
    }
}
