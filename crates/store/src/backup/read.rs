//! Reading an archive back into an empty data directory. Nothing outside that directory is ever written.

use super::seal::Seal;
use super::{BLOBS_DIR, Contents, DATABASE_FILE, END_FILE, FORMAT, at, check_database};
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
/// database, each blob's bytes against its name, all bytes against the hash of the archive, and that nothing is missing.
/// Flushed when it returns; meant for the command line. After an error the directory is empty again.
///
/// # Errors
/// [`Error::Schema`] with a text for the operator where the directory is not empty or the file is no archive;
/// [`Error::Corrupt`] where the archive is damaged or cut off.
pub async fn restore(file: &Path, data_dir: &Path, blobs: &Blobs) -> Result<Contents> {
    let archive = File::open(file).map_err(|error| at(file, &error))?;
    make_empty(data_dir)?;
    let restored = fill(archive, data_dir, blobs).await;
    if restored.is_err() {
        clear(data_dir);
    }
    restored
}

async fn fill(archive: File, data_dir: &Path, blobs: &Blobs) -> Result<Contents> {
    let mut archive = tar::Archive::new(BufReader::with_capacity(BUFFER_BYTES, archive));
    let (mut count, mut files, mut seal) = (0, 0, Seal::default());
    let (mut end, mut has_database) = (None, false);
    for entry in archive.entries()? {
        let mut entry = entry.map_err(|_| cut_off())?;
        if end.is_some() {
            return Err(corrupt("something follows its end"));
        }
        let name = entry.path()?.into_owned();
        let name = name.to_str().filter(|name| is_plain(name)).ok_or_else(|| corrupt("a member has a wild name"))?;
        if name == END_FILE {
            let bytes = read_all(&mut entry, END_BYTES_MAX)?;
            end = Some(serde_json::from_slice::<Contents>(&bytes).map_err(damaged)?);
        } else if name.starts_with(BLOBS_DIR) {
            put_blob(blobs, name, read_all(&mut seal.member(name, entry), BLOB_BYTES_MAX)?).await?;
            count += 1;
        } else {
            write_file(&data_dir.join(name), &mut seal.member(name, entry))?;
            if name == DATABASE_FILE { has_database = true } else { files += 1 }
        }
    }
    let found = Contents { format: FORMAT, blobs: count, files, sha256: seal.close() };
    match end {
        Some(end) if end == found && has_database => {}
        Some(end) if end.sha256 != found.sha256 => return Err(corrupt("its bytes are not the ones that were saved")),
        _ => return Err(cut_off()),
    }
    check_database(&rusqlite::Connection::open(data_dir.join(DATABASE_FILE))?)?;
    File::open(data_dir)?.sync_all()?;
    Ok(found)
}

/// Takes away what a restore that failed has left in a directory that was empty before. What cannot be taken away stays,
/// and the next restore says that the directory is not empty.
fn clear(data_dir: &Path) {
    for entry in std::fs::read_dir(data_dir).into_iter().flatten().flatten() {
        let path = entry.path();
        let _ = if path.is_dir() { std::fs::remove_dir_all(&path) } else { std::fs::remove_file(&path) };
    }
}

fn cut_off() -> Error {
    corrupt("it is cut off, or no backup of posthouse")
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
    std::fs::create_dir_all(data_dir).map_err(|error| at(data_dir, &error))?;
    if std::fs::read_dir(data_dir).map_err(|error| at(data_dir, &error))?.next().is_some() {
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
    std::io::copy(content, &mut file).map_err(damaged)?;
    file.sync_all()?;
    File::open(folder)?.sync_all()?;
    Ok(())
}
