//! The file `instance.key` in `data_dir`, readable by its owner only, and whether the key is that of the store.
//!
//! It is made where nothing is sealed yet, and then the store notes something sealed with it. Whoever comes next with
//! another key, or with none, is refused before anything is sealed: two keys in one store could not be put right again.
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
use posthouse_store::{
    Tx, instance,
    sealed::{self, Place},
};

use super::{InstanceKey, InstanceKeyError, SigningError};
use crate::{
    app::{App, keep_certificate, obtain_certificate, webhooks},
    files,
    ports::Clock,
};

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

    /// The key in it, if there is one.
    ///
    /// # Errors
    /// [`InstanceKeyError`].
    pub fn read(&self) -> Result<Option<InstanceKey>, InstanceKeyError> {
        match read_file(&self.path()) {
            Err(InstanceKeyError::File { cause, .. }) if cause.kind() == io::ErrorKind::NotFound => Ok(None),
            read => read.map(Some),
        }
    }

    /// Makes a key, unless another process was first; says whether this one was.
    fn make(&self, clock: &dyn Clock) -> Result<bool, InstanceKeyError> {
        let mut bytes = [0; KEY_BYTES];
        clock.random(&mut bytes);
        let path = self.path();
        files::make(&path, &format!("{}\n", STANDARD.encode(bytes))).map_err(failed(&path))
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

/// How the key that is here stands to the store. Another key than that of the store is an error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Standing {
    /// It is the key of the store, which notes so.
    Noted,
    /// It opens what is sealed in the store, which notes nothing.
    Opens,
    /// There is one, and nothing is sealed yet.
    Unused,
    /// There is none, and nothing is sealed yet.
    Absent,
    /// That of a rotation that was cut off behind its commit is the key of the store.
    Next,
}

/// What the store can tell a key by.
enum Known {
    /// What it noted.
    Proof(Vec<u8>),
    /// Something sealed, where it noted nothing.
    Sealed(Place, Vec<u8>),
    /// Nothing is sealed.
    Nothing,
}

impl Known {
    fn of(tx: &mut Tx) -> posthouse_store::Result<Self> {
        if let Some(proof) = proof(tx)? {
            return Ok(Self::Proof(proof));
        }
        Ok(sealed::any(tx)?.map_or(Self::Nothing, |(place, bytes)| Self::Sealed(place, bytes)))
    }

    /// How that key stands to it.
    fn standing(&self, key: &InstanceKey) -> Result<Standing, InstanceKeyError> {
        match self {
            Self::Proof(proof) if proves(proof, key) => Ok(Standing::Noted),
            Self::Proof(_) => Err(InstanceKeyError::WrongKey),
            Self::Sealed(place, bytes) => key.open(bytes, &bound_to(place)).map(|_| Standing::Opens),
            Self::Nothing => Ok(Standing::Unused),
        }
    }
}

/// Looks whether the key that is here is the key of the store; changes nothing.
///
/// # Errors
/// [`InstanceKeyError`] where it is another, or is missing though something is sealed; the store's own.
pub async fn standing(app: &App) -> Result<Standing, SigningError> {
    let known = app.store.read(Known::of).await?;
    let found = match (InstanceKey::find(app)?, &known) {
        (Some(key), known) => known.standing(&key),
        (None, Known::Nothing) => Ok(Standing::Absent),
        (None, _) => Err(InstanceKeyError::Missing { path: KeyFile::of(app).path() }),
    };
    if found.is_err() && app.config.instance_key.is_none() {
        let next = read_file(&KeyFile::of(app).next());
        if next.is_ok_and(|next| matches!(known.standing(&next), Ok(Standing::Noted))) {
            return Ok(Standing::Next);
        }
    }
    Ok(found?)
}

/// Makes sure that the key that is here is the key of the store, and that the store notes it: before any secret is sealed
/// or opened. Makes the first key; ends a rotation that was cut off behind its commit.
///
/// # Errors
/// As [`standing`]; no file is made then.
pub async fn settle(app: &App) -> Result<(), SigningError> {
    let file = KeyFile::of(app);
    match standing(app).await? {
        Standing::Noted => {}
        Standing::Opens | Standing::Unused => note_first(app).await?,
        Standing::Absent => {
            let is_ours = file.make(app.clock.as_ref())?;
            let noted = note_first(app).await;
            // Somebody elsewhere began on the same store at the same time: the key made here is that of no store.
            if is_ours && matches!(noted, Err(SigningError::InstanceKey(InstanceKeyError::WrongKey))) {
                fs::remove_file(file.path()).map_err(failed(&file.path()))?;
            }
            noted?;
        }
        Standing::Next => {
            let old = file.adopt_next(app.clock.as_ref())?;
            tracing::info!(old = %old.display(), "instance_key.rotation_ended");
        }
    }
    Ok(())
}

/// Has the store note the key that is here, unless it notes one.
async fn note_first(app: &App) -> Result<(), SigningError> {
    let key = InstanceKey::of(app)?;
    let text = STANDARD.encode(prove(&key)?);
    let noted = app.store.write(move |tx: &mut Tx| instance::note_first(tx, NOTE, &text)).await?;
    let is_it = noted.and_then(|text| STANDARD.decode(text).ok()).is_some_and(|noted| proves(&noted, &key));
    if is_it { Ok(()) } else { Err(InstanceKeyError::WrongKey.into()) }
}

/// What something sealed is bound to.
#[must_use]
pub fn bound_to(place: &Place) -> String {
    match place {
        Place::Dkim { domain, selector, algorithm } => super::context(domain, selector, algorithm),
        Place::Domain { id, selector } => super::own_context(*id, selector),
        Place::AcmeAccount(directory) => obtain_certificate::account_context(directory),
        Place::Certificate(id) => keep_certificate::context(*id),
        Place::WebhookHeaders(id) => webhooks::sealed_as(*id, "headers"),
        Place::WebhookSecret(id) => webhooks::sealed_as(*id, "secret"),
    }
}

/// What the store noted; nothing before its first key.
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
