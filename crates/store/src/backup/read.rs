//! Restores an archive into an empty data directory and the configured database and blob store. Never writes anywhere else.

use super::hash::ArchiveHash;
use super::{
    BLOBS_DIR, BackupProgress, BackupStep, BackupSummary, DATABASE_FILE, END_FILE, FORMAT, OnProgress, at,
    check_database,
};
use crate::{BlobDigest, BlobStore, Error, Result};
use bytes::Bytes;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Component, Path, PathBuf};

/// Largest blob accepted from an archive, in bytes: far above any message, far below memory.
const BLOB_BYTES_MAX: u64 = 256 * 1024 * 1024;
/// Largest closing member, in bytes.
const END_BYTES_MAX: u64 = 4096;
/// Read buffer for the archive, in bytes.
const BUFFER_BYTES: usize = 256 * 1024;

/// Where an archive is restored to.
#[derive(Clone, Copy)]
pub struct RestoreTarget<'a> {
    /// The data directory, which must be empty or missing.
    pub data_dir: &'a Path,
    /// The database, which must be missing.
    pub database: &'a Path,
    pub blobs: &'a BlobStore,
}

/// Restores an archive into `data_dir` with the database in it; see [`restore_with_progress`].
///
/// # Errors
/// See [`restore_with_progress`].
pub async fn restore(file: &Path, data_dir: &Path, blobs: &BlobStore) -> Result<BackupSummary> {
    let archive = File::open(file).map_err(|error| at(file, &error))?;
    let database = data_dir.join(DATABASE_FILE);
    restore_with_progress(archive, RestoreTarget { data_dir, database: &database, blobs }, &mut |_| ()).await
}

/// Restores an archive into an empty data directory, and its blobs into their store. Then checks the database, each blob
/// against its hash, all bytes against the archive's hash, and that nothing is missing. All files are flushed when it
/// returns; meant for the command line. After an error the directory is empty again, and there are no blobs and no database.
/// Calls `on_progress` periodically.
///
/// # Errors
/// Returns [`Error::Schema`] with a message for the operator if the directory isn't empty, there is a database or the file
/// isn't an archive, or there are blobs in a directory of their own, and [`Error::Inconsistent`] if the archive is damaged or
/// incomplete.
pub async fn restore_with_progress(
    archive: File,
    target: RestoreTarget<'_>,
    on_progress: OnProgress<'_>,
) -> Result<BackupSummary> {
    let total = archive.metadata()?.len();
    require_empty(target.data_dir)?;
    require_no_database(target.database)?;
    let blobs_elsewhere = blobs_elsewhere(target);
    if let Some(directory) = blobs_elsewhere {
        require_no_blobs(directory, target.blobs).await?;
    }
    std::fs::create_dir_all(target.data_dir).map_err(|error| at(target.data_dir, &error))?;
    let mut reader = ProgressReader { archive, done: 0, total, on_progress };
    let mut has_database = false;
    let mut restored = match target.blobs.prepare().await {
        Ok(()) => fill(&mut reader, target, &mut has_database).await,
        Err(error) => Err(error),
    };
    if restored.is_ok() {
        (reader.on_progress)(BackupProgress { step: BackupStep::Check, done: total, total });
        restored = finish(target).and(restored);
    }
    if restored.is_err() {
        if has_database {
            for path in with_companions(target.database) {
                let _ = std::fs::remove_file(path);
            }
        }
        clear(target.data_dir);
        blobs_elsewhere.into_iter().for_each(clear_shards);
    }
    restored
}

/// Returns the directory of the blobs if it isn't in the data directory.
fn blobs_elsewhere(target: RestoreTarget<'_>) -> Option<&Path> {
    target.blobs.directory().filter(|directory| !directory.starts_with(target.data_dir))
}

/// Checks that a restored database would replace nothing.
fn require_no_database(database: &Path) -> Result<()> {
    match with_companions(database).find(|path| path.symlink_metadata().is_ok()) {
        None => Ok(()),
        Some(path) => Err(Error::schema(format_args!(
            "{} exists, nothing was changed: restore into a new directory and point database_url at a new file, or leave \
             database_url out",
            path.display()
        ))),
    }
}

/// Returns the path of a database and those of the files that SQLite keeps next to it.
fn with_companions(database: &Path) -> impl Iterator<Item = PathBuf> {
    ["", "-wal", "-shm", "-journal"].into_iter().map(move |ending| {
        let mut name = database.as_os_str().to_owned();
        name.push(ending);
        name.into()
    })
}

/// Reader of the archive that reports how much was read.
struct ProgressReader<'a> {
    archive: File,
    done: u64,
    total: u64,
    on_progress: OnProgress<'a>,
}

impl Read for ProgressReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.archive.read(buffer)?;
        self.done += count as u64;
        (self.on_progress)(BackupProgress { step: BackupStep::Files, done: self.done, total: self.total });
        Ok(count)
    }
}

/// Checks the restored database, and flushes the directory.
fn finish(target: RestoreTarget<'_>) -> Result<()> {
    check_database(&rusqlite::Connection::open(target.database)?)?;
    Ok(File::open(target.data_dir)?.sync_all()?)
}

/// Writes the members of the archive. `has_database` tells whether the database was begun, also after an error.
async fn fill(
    archive: &mut ProgressReader<'_>,
    target: RestoreTarget<'_>,
    has_database: &mut bool,
) -> Result<BackupSummary> {
    let mut archive = tar::Archive::new(BufReader::with_capacity(BUFFER_BYTES, archive));
    let (mut count, mut files, mut hash) = (0, 0, ArchiveHash::default());
    let mut end = None;
    for entry in archive.entries()? {
        let mut entry = entry.map_err(|_| incomplete())?;
        if end.is_some() {
            return Err(corrupt("it has data after its end"));
        }
        let name = entry.path()?.into_owned();
        let name = name.to_str().filter(|name| is_plain(name)).ok_or_else(|| corrupt("a member has an unsafe path"))?;
        if name == END_FILE {
            let bytes = read_all(&mut entry, END_BYTES_MAX)?;
            end = Some(serde_json::from_slice::<BackupSummary>(&bytes).map_err(damaged)?);
        } else if name.starts_with(BLOBS_DIR) {
            put_blob(target.blobs, name, read_all(&mut hash.member(name, entry), BLOB_BYTES_MAX)?).await?;
            count += 1;
        } else if name == DATABASE_FILE {
            let file = create_file(target.database)?;
            *has_database = true;
            write_file(target.database, file, &mut hash.member(name, entry))?;
        } else {
            let path = target.data_dir.join(name);
            write_file(&path, create_file(&path)?, &mut hash.member(name, entry))?;
            files += 1;
        }
    }
    let found = BackupSummary { format: FORMAT, blobs: count, files, sha256: hash.close() };
    match end {
        Some(end) if end == found && *has_database => {}
        Some(end) if end.sha256 != found.sha256 => return Err(corrupt("its bytes don't match the recorded hash")),
        _ => return Err(incomplete()),
    }
    Ok(found)
}

/// Removes the leftovers of a failed restore from a directory that was empty before. Files that can't be removed stay,
/// and the next restore reports that the directory isn't empty.
fn clear(data_dir: &Path) {
    for entry in std::fs::read_dir(data_dir).into_iter().flatten().flatten() {
        let path = entry.path();
        let _ = if path.is_dir() { std::fs::remove_dir_all(&path) } else { std::fs::remove_file(&path) };
    }
}

fn incomplete() -> Error {
    corrupt("it is incomplete, or not a Posthouse backup")
}

fn corrupt(problem: &str) -> Error {
    Error::Inconsistent(format!("the archive is damaged: {problem}").into())
}

fn damaged(error: impl std::fmt::Display) -> Error {
    corrupt(&error.to_string())
}

/// Accepts relative paths of ordinary names only, so that no member is written outside the data directory.
fn is_plain(name: &str) -> bool {
    !name.is_empty() && Path::new(name).components().all(|part| matches!(part, Component::Normal(_)))
}

fn require_empty(data_dir: &Path) -> Result<()> {
    let mut entries = match std::fs::read_dir(data_dir) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        read => read.map_err(|error| at(data_dir, &error))?,
    };
    match entries.next() {
        None => Ok(()),
        Some(_) => Err(Error::schema(format_args!(
            "{} is not empty: restore into a new directory and point data_dir at it",
            data_dir.display()
        ))),
    }
}

/// Checks that a directory has no blobs: the restored store would delete those that it doesn't know.
async fn require_no_blobs(directory: &Path, blobs: &BlobStore) -> Result<()> {
    if !blobs.any().await? {
        return Ok(());
    }
    Err(Error::schema(format_args!(
        "{} has blobs of another store, nothing was changed: point blob_url at a new directory",
        directory.display()
    )))
}

/// Removes the blobs of a failed restore from a directory that had none. Other files in it belong to the operator.
fn clear_shards(directory: &Path) {
    for shard in 0..=u8::MAX {
        let _ = std::fs::remove_dir_all(directory.join(format!("{shard:02x}")));
    }
}

fn read_all(entry: &mut impl Read, bytes_max: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    entry.take(bytes_max + 1).read_to_end(&mut bytes).map_err(damaged)?;
    if bytes.len() as u64 > bytes_max { Err(corrupt("a member is too large")) } else { Ok(bytes) }
}

async fn put_blob(blobs: &BlobStore, name: &str, bytes: Vec<u8>) -> Result<()> {
    let named: BlobDigest =
        name.rsplit('/').next().unwrap_or_default().parse().map_err(|_| corrupt("a blob's name isn't a hash"))?;
    if BlobDigest::of(&bytes) != named {
        return Err(corrupt(&format!("blob {named} doesn't match its hash")));
    }
    blobs.put(Bytes::from(bytes)).await.map(|_| ())
}

fn folder_of(path: &Path) -> Result<&Path> {
    let folder = path.parent().ok_or_else(|| corrupt("a member has an unsafe path"))?;
    Ok(if folder.as_os_str().is_empty() { Path::new(".") } else { folder })
}

fn create_file(path: &Path) -> Result<File> {
    std::fs::create_dir_all(folder_of(path)?)?;
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map_err(|error| at(path, &error))
}

fn write_file(path: &Path, mut file: File, content: &mut impl Read) -> Result<()> {
    std::io::copy(content, &mut file).map_err(damaged)?;
    file.sync_all()?;
    File::open(folder_of(path)?)?.sync_all()?;
    Ok(())
}
