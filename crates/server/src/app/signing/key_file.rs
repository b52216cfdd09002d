//! The file `instance.key` in `data_dir`: made at the first need, readable by its owner only.
//!
//! A rotation replaces it in steps between which a crash does no harm. The new key is written to `instance.key.next`; the
//! store is put under it, in one transaction that also notes something sealed with it; then the file takes the place of
//! `instance.key`, which stays as `instance.key.old-TIME`. The note tells whoever comes next which of the two files is the
//! key of the store.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use base64::{Engine, engine::general_purpose::STANDARD};
use posthouse_store::{Tx, instance};

use super::{InstanceKey, InstanceKeyError, SigningError};
use crate::{app::App, files, ports::Clock};

/// The file in `data_dir`.
const FILE: &str = "instance.key";
/// The file of a key that is to take its place.
const NEXT: &str = "instance.key.next";
/// Bytes of a new key.
const KEY_BYTES: usize = 32;
/// Most bytes read of a file: the key in base64 and white space.
const FILE_BYTES_MAX: u64 = 256;
/// Where the store notes something sealed with its key.
const NOTE: &str = "instance_key_proof";
/// What is sealed there.
const PROOF: &[u8] = b"posthouse";

/// The key file of a data directory.
pub struct KeyFile {
    directory: PathBuf,
}

impl KeyFile {
    /// That of the program.
    #[must_use]
    pub fn of(app: &App) -> Self {
        Self { directory: app.config.data_dir.clone() }
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        self.directory.join(FILE)
    }

    /// Where the next key is while a rotation is under way.
    #[must_use]
    pub fn next(&self) -> PathBuf {
        self.directory.join(NEXT)
    }

    /// The key in it, which is made if there is none.
    ///
    /// # Errors
    /// [`InstanceKeyError`].
    pub fn read(&self, clock: &dyn Clock) -> Result<InstanceKey, InstanceKeyError> {
        let path = self.path();
        if !path.exists() {
            let mut bytes = [0; KEY_BYTES];
            clock.random(&mut bytes);
            files::make(&path, &format!("{}\n", STANDARD.encode(bytes))).map_err(failed(&path))?;
        }
        read_file(&path)
    }

    /// Lets the next key take its place; where the one before is kept, for backups that were made with it.
    ///
    /// # Errors
    /// [`InstanceKeyError::File`].
    pub fn adopt_next(&self, clock: &dyn Clock) -> Result<PathBuf, InstanceKeyError> {
        let (path, next) = (self.path(), self.next());
        let old = self.directory.join(format!("{FILE}.old-{}", clock.now().to_string().replace(':', "-")));
        let moved = || {
            if path.exists() && !old.exists() {
                fs::hard_link(&path, &old)?;
            }
            fs::rename(&next, &path)?;
            fs::File::open(&self.directory)?.sync_all()
        };
        moved().map_err(failed(&path))?;
        Ok(old)
    }
}

/// Makes sure that `instance.key` is the key of the store: ends a rotation that was cut off behind its commit. Before any
/// secret is sealed or opened.
///
/// # Errors
/// [`InstanceKeyError::WrongKey`] where the store was put under a key that is not here; the store's own.
pub async fn settle(app: &App) -> Result<(), SigningError> {
    let Some(proof) = app.store.read(proof).await? else { return Ok(()) };
    if proves(&proof, &InstanceKey::of(app)?) {
        return Ok(());
    }
    let file = KeyFile::of(app);
    let is_next = app.config.instance_key.is_none()
        && file.next().exists()
        && read_file(&file.next()).is_ok_and(|next| proves(&proof, &next));
    if !is_next {
        return Err(InstanceKeyError::WrongKey.into());
    }
    let old = file.adopt_next(app.clock.as_ref())?;
    tracing::info!(old = %old.display(), "instance_key.rotation_ended");
    Ok(())
}

/// What the store noted; nothing before the first rotation.
///
/// # Errors
/// The store's own.
pub fn proof(tx: &mut Tx) -> posthouse_store::Result<Option<Vec<u8>>> {
    Ok(instance::noted(tx, NOTE)?.and_then(|text| STANDARD.decode(text).ok()))
}

/// Notes which key the store is under.
///
/// # Errors
/// The store's own.
pub fn note(tx: &mut Tx, sealed: &[u8]) -> posthouse_store::Result<()> {
    instance::note(tx, NOTE, &STANDARD.encode(sealed))
}

/// Something sealed with a key, to be noted.
///
/// # Errors
/// [`InstanceKeyError::Crypto`].
pub fn prove(key: &InstanceKey) -> Result<Vec<u8>, InstanceKeyError> {
    key.seal(PROOF, NOTE)
}

/// Whether what was noted was sealed with that key.
#[must_use]
pub fn proves(noted: &[u8], key: &InstanceKey) -> bool {
    key.open(noted, NOTE).is_ok_and(|opened| opened == PROOF)
}

/// The key in a file.
///
/// # Errors
/// [`InstanceKeyError`].
pub fn read_file(path: &Path) -> Result<InstanceKey, InstanceKeyError> {
    let file = fs::File::open(path).map_err(failed(path))?;
    let text = io::read_to_string(io::Read::take(file, FILE_BYTES_MAX)).map_err(failed(path))?;
    InstanceKey::read(&text, &path.display().to_string())
}

/// Writes a key whole, so that it is on the disk before anything is sealed with it; instead of what was there.
///
/// # Errors
/// [`InstanceKeyError::File`].
pub fn write_file(path: &Path, text: &str) -> Result<(), InstanceKeyError> {
    files::write(path, text).map_err(failed(path))
}

fn failed(path: &Path) -> impl Fn(io::Error) -> InstanceKeyError {
    let path = path.to_owned();
    move |cause| InstanceKeyError::File { path: path.clone(), cause }
}
