//! Blobs as files, `ab/cd/abcd…` below a directory. A file appears whole or not at all, and is flushed with its
//! directories before it counts as stored.

use super::Digest;
use crate::{Error, Result};
use bytes::Bytes;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, UNIX_EPOCH};
use tokio::fs;
use tokio::io::AsyncWriteExt as _;

/// Ending of a file that is being written.
const PARTIAL: &str = "partial";

/// The directory, and how many files were begun, which gives each a name of its own while it is written.
pub(super) struct Folder {
    root: PathBuf,
    begun: AtomicU64,
}

impl Folder {
    pub(super) fn new(root: PathBuf) -> Self {
        Folder { root, begun: AtomicU64::new(0) }
    }

    fn path(&self, digest: &Digest) -> PathBuf {
        self.root.join(digest.path())
    }

    /// What the file system says, with the place.
    fn failed(&self, error: &io::Error) -> Error {
        let text = format!("{}: {error}", self.root.display());
        match error.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Error::Full(text.into()),
            _ => Error::Blob(text.into()),
        }
    }

    /// Makes the directory where it is missing, and a file in it that is gone at once.
    pub(super) async fn prepare(&self) -> Result<()> {
        let tried = async {
            fs::create_dir_all(&self.root).await?;
            let (partial, _) = self.begin(&self.root).await?;
            fs::remove_file(&partial).await
        };
        tried.await.map_err(|error| self.failed(&error))
    }

    pub(super) async fn put(&self, digest: &Digest, bytes: &[u8]) -> Result<()> {
        self.place(digest, bytes).await.map_err(|error| self.failed(&error))
    }

    async fn place(&self, digest: &Digest, bytes: &[u8]) -> io::Result<()> {
        let path = self.path(digest);
        let folder = path.parent().unwrap_or(&self.root);
        make_folders(&self.root, folder).await?;
        let (partial, file) = self.begin(folder).await?;
        let written = write(file, &partial, &path, bytes).await;
        if written.is_err() {
            let _ = fs::remove_file(&partial).await;
        }
        written?;
        flush_folder(folder).await
    }

    /// A new file beside the place it will have, which no other writer of the same blob uses.
    async fn begin(&self, folder: &Path) -> io::Result<(PathBuf, fs::File)> {
        loop {
            let n = self.begun.fetch_add(1, Ordering::Relaxed);
            let partial = folder.join(format!("{}-{n}.{PARTIAL}", std::process::id()));
            match fs::File::options().write(true).create_new(true).open(&partial).await {
                Ok(file) => return Ok((partial, file)),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }

    pub(super) async fn get(&self, digest: &Digest) -> Result<Option<Bytes>> {
        let read = found(fs::read(self.path(digest)).await).map_err(|error| self.failed(&error));
        Ok(read?.map(Bytes::from))
    }

    pub(super) async fn exists(&self, digest: &Digest) -> Result<bool> {
        fs::try_exists(self.path(digest)).await.map_err(|error| self.failed(&error))
    }

    pub(super) async fn any(&self) -> Result<bool> {
        for shard in 0..=u8::MAX {
            if !self.list(shard, i64::MAX).await?.is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    pub(super) async fn delete(&self, digest: &Digest) -> Result<()> {
        let removed = found(fs::remove_file(self.path(digest)).await);
        removed.map(|_| ()).map_err(|error| self.failed(&error))
    }

    pub(super) async fn list(&self, shard: u8, before_ms: i64) -> Result<Vec<Digest>> {
        let paths = self.older(shard, before_ms).await.map_err(|error| self.failed(&error))?;
        Ok(paths.iter().filter_map(|path| path.file_name()?.to_str()?.parse().ok()).collect())
    }

    pub(super) async fn remove_partial(&self, shard: u8, before_ms: i64) -> Result<()> {
        let removed = async {
            for path in self.older(shard, before_ms).await? {
                if path.extension().is_some_and(|ending| ending == PARTIAL) {
                    found(fs::remove_file(&path).await)?;
                }
            }
            Ok(())
        };
        removed.await.map_err(|error| self.failed(&error))
    }

    /// The files of a shard that were last written before a time.
    async fn older(&self, shard: u8, before_ms: i64) -> io::Result<Vec<PathBuf>> {
        let before = UNIX_EPOCH + Duration::from_millis(before_ms.max(0).unsigned_abs());
        let mut older = Vec::new();
        for folder in entries(&self.root.join(format!("{shard:02x}"))).await? {
            for path in entries(&folder).await? {
                if let Some(metadata) = found(fs::metadata(&path).await)?
                    && metadata.modified()? < before
                {
                    older.push(path);
                }
            }
        }
        Ok(older)
    }
}

async fn write(mut file: fs::File, partial: &Path, path: &Path, bytes: &[u8]) -> io::Result<()> {
    file.write_all(bytes).await?;
    file.flush().await?;
    file.sync_all().await?;
    drop(file);
    fs::rename(partial, path).await
}

/// Makes the folders that are missing and flushes each into the one above it.
async fn make_folders(root: &Path, folder: &Path) -> io::Result<()> {
    if fs::try_exists(folder).await? {
        return Ok(());
    }
    fs::create_dir_all(folder).await?;
    for parent in folder.ancestors().skip(1) {
        flush_folder(parent).await?;
        if parent == root {
            break;
        }
    }
    match root.parent() {
        Some(above) if !above.as_os_str().is_empty() => flush_folder(above).await,
        _ => Ok(()),
    }
}

async fn flush_folder(folder: &Path) -> io::Result<()> {
    fs::File::open(folder).await?.sync_all().await
}

/// That there is no such file is an answer, not an error.
fn found<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

async fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let Some(mut reading) = found(fs::read_dir(folder).await)? else { return Ok(Vec::new()) };
    let mut paths = Vec::new();
    while let Some(entry) = reading.next_entry().await? {
        paths.push(entry.path());
    }
    Ok(paths)
}
