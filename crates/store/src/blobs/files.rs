//! Blobs as files, `ab/cd/abcd…` below a directory. A file appears complete or not at all. A blob counts as stored
//! after the file and its directories are flushed.

use super::BlobDigest;
use crate::{Error, Result};
use bytes::Bytes;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, UNIX_EPOCH};
use tokio::fs;
use tokio::io::{AsyncReadExt as _, AsyncSeekExt as _, AsyncWriteExt as _};

/// Extension of a file that is being written.
const PARTIAL: &str = "partial";
/// Most bytes that are read from a file at once.
const CHUNK_BYTES: usize = 64 * 1024;

/// The directory, and a counter that gives each partial file a unique name.
pub(super) struct BlobFolder {
    root: PathBuf,
    begun: AtomicU64,
}

impl BlobFolder {
    pub(super) fn new(root: PathBuf) -> Self {
        BlobFolder { root, begun: AtomicU64::new(0) }
    }

    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    fn path(&self, digest: &BlobDigest) -> PathBuf {
        self.root.join(digest.path())
    }

    fn failed(&self, error: &io::Error) -> Error {
        failed(&self.root, error)
    }

    /// Creates the directory if missing, and creates and removes a test file in it.
    pub(super) async fn prepare(&self) -> Result<()> {
        let probe = async {
            fs::create_dir_all(&self.root).await?;
            let (partial, _) = self.begin(&self.root).await?;
            fs::remove_file(&partial).await
        };
        probe.await.map_err(|error| self.failed(&error))
    }

    pub(super) async fn put(&self, digest: &BlobDigest, bytes: &[u8]) -> Result<()> {
        self.write_durably(digest, bytes).await.map_err(|error| self.failed(&error))
    }

    async fn write_durably(&self, digest: &BlobDigest, bytes: &[u8]) -> io::Result<()> {
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

    /// Creates a partial file next to the final path, with a name that no other writer of the same blob uses.
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

    pub(super) async fn get(&self, digest: &BlobDigest) -> Result<Option<Bytes>> {
        let path = self.path(digest);
        let read = optional(fs::read(&path).await).map_err(|error| failed(&path, &error));
        Ok(read?.map(Bytes::from))
    }

    /// Opens a blob for reading, and returns its size in bytes; `None` if it doesn't exist.
    pub(super) async fn reader(&self, digest: &BlobDigest) -> Result<Option<(FileReader, u64)>> {
        let path = self.path(digest);
        let opened = async {
            let Some(file) = optional(fs::File::open(&path).await)? else { return Ok(None) };
            let bytes = file.metadata().await?.len();
            Ok(Some((FileReader { file, path: path.clone() }, bytes)))
        };
        opened.await.map_err(|error| failed(&path, &error))
    }

    pub(super) async fn exists(&self, digest: &BlobDigest) -> Result<bool> {
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

    pub(super) async fn delete(&self, digest: &BlobDigest) -> Result<()> {
        let removed = optional(fs::remove_file(self.path(digest)).await);
        removed.map(|_| ()).map_err(|error| self.failed(&error))
    }

    pub(super) async fn list(&self, shard: u8, before_ms: i64) -> Result<Vec<BlobDigest>> {
        let paths = self.older(shard, before_ms).await?;
        Ok(paths.iter().filter_map(|path| path.file_name()?.to_str()?.parse().ok()).collect())
    }

    pub(super) async fn remove_partial(&self, shard: u8, before_ms: i64) -> Result<()> {
        for path in self.older(shard, before_ms).await? {
            if path.extension().is_some_and(|ending| ending == PARTIAL) {
                optional(fs::remove_file(&path).await).map_err(|error| failed(&path, &error))?;
            }
        }
        Ok(())
    }

    /// Returns the files of a shard that were last written before a time.
    async fn older(&self, shard: u8, before_ms: i64) -> Result<Vec<PathBuf>> {
        let before = UNIX_EPOCH + Duration::from_millis(before_ms.max(0).unsigned_abs());
        let mut older = Vec::new();
        for folder in entries(&self.root.join(format!("{shard:02x}"))).await? {
            for path in entries(&folder).await? {
                let modified = async {
                    Ok(match optional(fs::metadata(&path).await)? {
                        Some(metadata) => Some(metadata.modified()?),
                        None => None,
                    })
                };
                let modified = modified.await.map_err(|error| failed(&path, &error))?;
                if modified.is_some_and(|modified| modified < before) {
                    older.push(path);
                }
            }
        }
        Ok(older)
    }
}

/// An open blob. It can be read to its end even if the blob is deleted meanwhile.
pub(super) struct FileReader {
    file: fs::File,
    path: PathBuf,
}

impl FileReader {
    /// Returns the next bytes, at most [`CHUNK_BYTES`]; empty at the end.
    pub(super) async fn next_chunk(&mut self) -> Result<Bytes> {
        let mut chunk = vec![0; CHUNK_BYTES];
        let bytes = self.file.read(&mut chunk).await.map_err(|error| failed(&self.path, &error))?;
        chunk.truncate(bytes);
        Ok(chunk.into())
    }

    /// Continues at the first byte.
    pub(super) async fn rewind(&mut self) -> Result<()> {
        self.file.rewind().await.map(|_| ()).map_err(|error| failed(&self.path, &error))
    }
}

/// Converts an I/O error to one that names the file or directory.
fn failed(path: &Path, error: &io::Error) -> Error {
    let text = format!("{}: {error}", path.display());
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Error::StorageFull(text.into()),
        _ => Error::BlobStore(text.into()),
    }
}

async fn write(mut file: fs::File, partial: &Path, path: &Path, bytes: &[u8]) -> io::Result<()> {
    file.write_all(bytes).await?;
    file.flush().await?;
    file.sync_all().await?;
    drop(file);
    fs::rename(partial, path).await
}

/// Creates the missing directories and flushes the parent of each.
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

/// Converts "not found" to `None`.
fn optional<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

async fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let read = async {
        let Some(mut reading) = optional(fs::read_dir(folder).await)? else { return Ok(Vec::new()) };
        let mut paths = Vec::new();
        while let Some(entry) = reading.next_entry().await? {
            paths.push(entry.path());
        }
        Ok(paths)
    };
    read.await.map_err(|error| failed(folder, &error))
}
