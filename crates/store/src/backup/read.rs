//! Reading an archive back into an empty data directory. Nothing outside that directory is ever written.

use super::{BLOBS_DIR, Contents, DATABASE_FILE, END_FILE, FORMAT, check_database};
use crate::{Blobs, Digest, Error, Result};
use bytes::Bytes;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Component, Path};

/// Bound on one blob of an archive, in bytes: far above any mail, far below memory.
const BLOB_BYTES_MAX: u64 = 256 * 1024 * 1024;
/// Bound on the closing member, in bytes.
const END_BYTES_MAX: u64 = 4096;
/// Buffer of the archive being read, in bytes.
const BUFFER_BYTES: usize = 256 * 1024;

/// Restores an archive into `data_dir`, which must be empty or missing, and its blobs into `blobs`; then checks the
/// database, each blob's bytes against its name, and that nothing is missing. Flushed when it returns; meant for the
/// command line. What is there after an error is not complete and must not be used.
///
/// # Errors
/// [`Error::Schema`] with a text for the operator where the directory is not empty or the file is no archive;
/// [`Error::Corrupt`] where the archive is damaged or cut off.
pub async fn restore(file: &Path, data_dir: &Path, blobs: &Blobs) -> Result<Contents> {
    let archive = File::open(file).map_err(|e| Error::schema(format_args!("{}: {e}", file.display())))?;
    make_empty(data_dir)?;
    let mut archive = tar::Archive::new(BufReader::with_capacity(BUFFER_BYTES, archive));
    let mut found = Contents { format: FORMAT, blobs: 0, files: 0 };
    let (mut end, mut has_database) = (None, false);
    for entry in archive.entries()? {
        let mut entry = entry.map_err(damaged)?;
        if end.is_some() {
            return Err(corrupt("something follows its end"));
        }
        let name = entry.path()?.into_owned();
        let name = name.to_str().filter(|name| is_plain(name)).ok_or_else(|| corrupt("a member has a wild name"))?;
        if name == END_FILE {
            let bytes = read_all(&mut entry, END_BYTES_MAX)?;
            end = Some(serde_json::from_slice::<Contents>(&bytes).map_err(damaged)?);
        } else if name.starts_with(BLOBS_DIR) {
            put_blob(blobs, name, read_all(&mut entry, BLOB_BYTES_MAX)?).await?;
            found.blobs += 1;
        } else {
            write_file(&data_dir.join(name), &mut entry)?;
            if name == DATABASE_FILE { has_database = true } else { found.files += 1 }
        }
    }
    if !has_database || end != Some(found) {
        return Err(corrupt("it is cut off, or no backup of posthouse"));
    }
    check_database(&rusqlite::Connection::open(data_dir.join(DATABASE_FILE))?)?;
    File::open(data_dir)?.sync_all()?;
    Ok(found)
}

fn corrupt(why: &str) -> Error {
    Error::Corrupt(format!("the archive is damaged: {why}").into())
}

fn damaged(error: impl std::fmt::Display) -> Error {
    corrupt(&error.to_string())
}

/// A relative path of ordinary names, so that no member is written outside the data directory.
fn is_plain(name: &str) -> bool {
    !name.is_empty() && Path::new(name).components().all(|part| matches!(part, Component::Normal(_)))
}

fn make_empty(data_dir: &Path) -> Result<()> {
    std::fs::create_dir_all(data_dir)?;
    if std::fs::read_dir(data_dir)?.next().is_some() {
        return Err(Error::schema(format_args!(
            "{} is not empty: restore into a new directory and point data_dir at it",
            data_dir.display()
        )));
    }
    Ok(())
}

fn read_all(entry: &mut impl Read, bytes_max: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    entry.take(bytes_max + 1).read_to_end(&mut bytes).map_err(damaged)?;
    if bytes.len() as u64 > bytes_max { Err(corrupt("a member is too large")) } else { Ok(bytes) }
}

async fn put_blob(blobs: &Blobs, name: &str, bytes: Vec<u8>) -> Result<()> {
    let named: Digest =
        name.rsplit('/').next().unwrap_or_default().parse().map_err(|_| corrupt("a blob has no name"))?;
    if Digest::of(&bytes) != named {
        return Err(corrupt(&format!("blob {named} has other bytes than its name says")));
    }
    blobs.put(Bytes::from(bytes)).await.map(|_| ())
}

fn write_file(path: &Path, content: &mut impl Read) -> Result<()> {
    let folder = path.parent().ok_or_else(|| corrupt("a member has a wild name"))?;
    std::fs::create_dir_all(folder)?;
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    std::io::copy(content, &mut file)?;
    file.sync_all()?;
    File::open(folder)?.sync_all()?;
    Ok(())
}
