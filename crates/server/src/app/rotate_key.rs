//! Another key of the instance: everything that is sealed is put under it in one transaction.
//!
//! Must be alone with the store: a running service would go on sealing with the key before. What a crash leaves behind is
//! written down at [`key_file`].

use std::path::{Path, PathBuf};

use posthouse_store::{
    Tx,
    sealed::{self, Place},
};

use super::{
    App,
    signing::{
        InstanceKey, InstanceKeyError, SigningError,
        key_file::{self, KeyFile},
    },
};

/// Why nothing was rotated.
#[derive(Debug, thiserror::Error)]
pub enum RotationError {
    /// A key cannot be had or used.
    #[error(transparent)]
    Key(#[from] InstanceKeyError),
    /// The key of now, or the store.
    #[error(transparent)]
    Signing(#[from] SigningError),
    /// The store.
    #[error("{0}")]
    Store(#[from] posthouse_store::Error),
    /// With the setting `instance_key` nobody can put the new key in its place but the operator.
    #[error("the key is the setting instance_key: name a file for the new one with --to FILE")]
    NoFile,
    /// With a key file of its own the program needs none to be named.
    #[error("--to is for the setting instance_key; without it the new key takes the place of instance.key")]
    NeedlessFile,
    /// The file is there and holds something else.
    #[error("{0} exists already: name another file for the new key")]
    Exists(PathBuf),
}

/// What was done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rotated {
    /// Secrets that are under the new key; none where an earlier run had already put them there.
    pub secrets: Option<u64>,
    /// Where the new key is.
    pub key: PathBuf,
    /// Where the key before is kept; nowhere where it is a setting.
    pub old: Option<PathBuf>,
}

/// Puts the store under another key. With the setting `instance_key` the new one is written to the file `to`.
///
/// # Errors
/// [`RotationError`]; the store is under the key before then.
pub async fn rotate(app: &App, to: Option<&Path>) -> Result<Rotated, RotationError> {
    let file = KeyFile::of(app);
    let (is_setting, place) = match (&app.config.instance_key, to) {
        (Some(_), Some(to)) => (true, to.to_owned()),
        (Some(_), None) => return Err(RotationError::NoFile),
        (None, Some(_)) => return Err(RotationError::NeedlessFile),
        (None, None) => (false, file.next()),
    };
    if is_setting && place.exists() {
        return already(app, place).await;
    }
    key_file::settle(app).await?;
    let old = InstanceKey::of(app)?;
    let mut fresh = [0; 32];
    app.clock.random(&mut fresh);
    key_file::write_file(&place, &old.successor(fresh))?;
    let new = key_file::read_file(&place)?;
    let noted = key_file::prove(&new)?;
    let work = move |tx: &mut Tx| {
        let count = sealed::replace(tx, &|place: &Place, bytes: &[u8]| reseal(place, bytes, &old, &new))?;
        key_file::note(tx, &noted)?;
        Ok::<_, RotationError>(count)
    };
    let secrets = Some(app.store.write(work).await?);
    if is_setting {
        return Ok(Rotated { secrets, key: place, old: None });
    }
    let old = file.adopt_next(app.clock.as_ref())?;
    Ok(Rotated { secrets, key: file.path(), old: Some(old) })
}

/// A run before this one may have been cut off behind its commit: then the store is under the key in the file.
async fn already(app: &App, place: PathBuf) -> Result<Rotated, RotationError> {
    let noted = app.store.read(key_file::proof).await?;
    let is_done =
        noted.is_some_and(|noted| key_file::read_file(&place).is_ok_and(|key| key_file::proves(&noted, &key)));
    if is_done { Ok(Rotated { secrets: None, key: place, old: None }) } else { Err(RotationError::Exists(place)) }
}

fn reseal(place: &Place, bytes: &[u8], old: &InstanceKey, new: &InstanceKey) -> Result<Vec<u8>, RotationError> {
    let context = key_file::bound_to(place);
    Ok(new.seal(&old.open(bytes, &context)?, &context)?)
}
