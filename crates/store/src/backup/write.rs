//! Writes an archive.

use super::hash::ArchiveHash;
use super::{
    BLOBS_DIR, BackupProgress, BackupSource, BackupStep, BackupSummary, DATABASE_FILE, END_FILE, FORMAT, OnProgress,
    at, check_database, sqlite_path,
};
use crate::{BlobDigest, BlobStore, Error, Result};
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufWriter, Read, Take, Write as _};
use std::path::{Path, PathBuf};

/// Write buffer for the archive, in bytes.
const BUFFER_BYTES: usize = 256 * 1024;
/// File mode of the members: they contain mail and keys.
const MODE: u32 = 0o600;

/// Writes an archive of `source` and `blobs` to `file`, which appears complete or not at all. Blocks the current thread
/// while the database is copied; meant for the command line.
///
/// # Errors
/// Returns [`Error::Schema`] for PostgreSQL, [`Error::Inconsistent`] if the database copy is damaged, and other errors if
/// the blob store or the file system fails.
pub async fn save(source: &BackupSource, blobs: &BlobStore, file: &Path) -> Result<BackupSummary> {
    let archive = ArchiveFile::create(file)?;
    let copy = archive.database_copy(None);
    match save_with_progress(source, blobs, &archive, &copy, None).await {
        Ok(contents) => archive.keep().map(|()| contents),
        Err(error) => {
            archive.discard();
            Err(error)
        }
    }
}

/// The file of an archive, which appears complete or not at all.
#[derive(Debug)]
pub struct ArchiveFile {
    file: File,
    partial: PathBuf,
    target: PathBuf,
}

impl ArchiveFile {
    /// Creates the file under a temporary name.
    ///
    /// # Errors
    /// Returns an error if it can't be created.
    pub fn create(target: &Path) -> Result<Self> {
        let partial = sibling(target, "partial");
        // A leftover, or the link of another user.
        let _ = std::fs::remove_file(&partial);
        let mut options = File::options();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, MODE);
        let file = options.open(&partial).map_err(|error| at(&partial, &error))?;
        Ok(Self { file, partial, target: target.to_owned() })
    }

    /// Gives the file its name, and flushes the directory.
    ///
    /// # Errors
    /// Returns an error if the file system fails; then there is no file.
    pub fn keep(self) -> Result<()> {
        if let Err(error) = std::fs::rename(&self.partial, &self.target) {
            let failed = at(&self.target, &error);
            self.discard();
            return Err(failed);
        }
        flush_folder_of(&self.target)
    }

    /// Removes the file.
    pub fn discard(self) {
        let _ = std::fs::remove_file(&self.partial);
    }

    /// Returns where the database can be copied to: a file next to the archive, or in a directory.
    #[must_use]
    pub fn database_copy(&self, directory: Option<&Path>) -> PathBuf {
        let copy = sibling(&self.target, "database.partial");
        match directory {
            Some(directory) => directory.join(copy.file_name().unwrap_or_default()),
            None => copy,
        }
    }
}

/// Writes an archive of `source` and `blobs`, with a temporary copy of the database at `copy`, and calls `on_progress` after
/// each file. To know the total it lists the blobs once more.
///
/// # Errors
/// See [`save`].
pub async fn save_with_progress(
    source: &BackupSource,
    blobs: &BlobStore,
    archive: &ArchiveFile,
    copy: &Path,
    on_progress: Option<OnProgress<'_>>,
) -> Result<BackupSummary> {
    let database = sqlite_path(&source.database)?;
    let archive = BackupArchive::to(archive.file.try_clone()?).reporting(blobs, on_progress).await;
    let saved = save_to(source, database, blobs, archive, copy).await;
    let _ = std::fs::remove_file(copy);
    saved
}

async fn save_to(
    source: &BackupSource,
    database: &Path,
    blobs: &BlobStore,
    archive: Result<BackupArchive<'_>>,
    copy: &Path,
) -> Result<BackupSummary> {
    let mut archive = archive?;
    let mut stored = BTreeSet::new();
    archive.add_blobs(blobs, &mut stored).await?;
    archive.report(BackupStep::Database);
    copy_database(database, copy)?;
    archive.add_file(DATABASE_FILE, copy)?;
    archive.add_blobs(blobs, &mut stored).await?;
    let mut files = 0;
    for folder in &source.folders {
        files += archive.add_folder(&source.data_dir, Path::new(folder))?;
    }
    let sha256 = std::mem::take(&mut archive.hash).close();
    let contents = BackupSummary { format: FORMAT, blobs: stored.len() as u64, files, sha256 };
    let end = serde_json::to_vec(&contents).map_err(Error::db)?;
    archive.add(END_FILE, end.len() as u64, end.as_slice())?;
    archive.finish()?;
    Ok(contents)
}

fn sibling(file: &Path, ending: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".");
    name.push(ending);
    name.into()
}

fn flush_folder_of(file: &Path) -> Result<()> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    Ok(File::open(folder.unwrap_or(Path::new(".")))?.sync_all()?)
}

/// Copies the database as of one moment. Writers continue in the meantime.
fn copy_database(database: &Path, copy: &Path) -> Result<()> {
    let _ = std::fs::remove_file(copy);
    // Without CREATE: a missing database must be an error, not an empty backup.
    let flags = rusqlite::OpenFlags::SQLITE_OPEN_READ_WRITE | rusqlite::OpenFlags::SQLITE_OPEN_NO_MUTEX;
    // The error of SQLite doesn't say why a file can't be opened.
    File::open(database).map_err(|error| at(database, &error))?;
    let from = rusqlite::Connection::open_with_flags(database, flags)?;
    let mut to = rusqlite::Connection::open(copy)?;
    // Copies all pages in one step: with smaller steps, each commit of the service would restart the copy.
    match rusqlite::backup::Backup::new(&from, &mut to)?.step(-1)? {
        rusqlite::backup::StepResult::Done => {}
        other => return Err(Error::unavailable(format_args!("the database can't be copied right now: {other:?}"))),
    }
    check_database(&to)?;
    // Leaves a single file, without a WAL next to it.
    to.pragma_update(None, "journal_mode", "DELETE")?;
    to.close().map_err(|(_, error)| Error::from(error))
}

/// Reader of a file whose errors name it.
struct NamedReader<'a> {
    file: Take<File>,
    path: &'a Path,
}

impl Read for NamedReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let named =
            |error: std::io::Error| std::io::Error::new(error.kind(), format!("{}: {error}", self.path.display()));
        self.file.read(buffer).map_err(named)
    }
}

struct BackupArchive<'a> {
    tar: tar::Builder<BufWriter<File>>,
    hash: ArchiveHash,
    done: u64,
    total: u64,
    on_progress: Option<OnProgress<'a>>,
}

impl<'a> BackupArchive<'a> {
    fn to(file: File) -> Self {
        let tar = tar::Builder::new(BufWriter::with_capacity(BUFFER_BYTES, file));
        BackupArchive { tar, hash: ArchiveHash::default(), done: 0, total: 0, on_progress: None }
    }

    /// Reports progress from now on.
    async fn reporting(mut self, blobs: &BlobStore, on_progress: Option<OnProgress<'a>>) -> Result<Self> {
        if on_progress.is_some() {
            // The database, and the key and the certificate, which are few.
            self.total = 1;
            for shard in 0..=u8::MAX {
                self.total += blobs.list(shard, i64::MAX).await?.len() as u64;
            }
            self.on_progress = on_progress;
            self.report(BackupStep::Files);
        }
        Ok(self)
    }

    fn report(&mut self, step: BackupStep) {
        let (done, total) = (self.done, self.total.max(self.done));
        if let Some(on_progress) = &mut self.on_progress {
            on_progress(BackupProgress { step, done, total });
        }
    }

    fn add(&mut self, name: &str, size: u64, content: impl Read) -> Result<()> {
        let mut header = tar::Header::new_gnu();
        header.set_size(size);
        header.set_mode(MODE);
        header.set_entry_type(tar::EntryType::Regular);
        self.tar.append_data(&mut header, name, self.hash.member(name, content))?;
        self.done += 1;
        self.report(BackupStep::Files);
        Ok(())
    }

    fn add_file(&mut self, name: &str, path: &Path) -> Result<()> {
        let file = File::open(path).map_err(|error| at(path, &error))?;
        let size = file.metadata().map_err(|error| at(path, &error))?.len();
        self.add(name, size, NamedReader { file: file.take(size), path }) // if the file grows meanwhile, copies its initial size
    }

    /// Adds the blobs that aren't in `stored` yet.
    async fn add_blobs(&mut self, blobs: &BlobStore, stored: &mut BTreeSet<BlobDigest>) -> Result<()> {
        for shard in 0..=u8::MAX {
            for digest in blobs.list(shard, i64::MAX).await? {
                if stored.contains(&digest) {
                    continue;
                }
                // Deleted after it was listed: the database, copied later, doesn't reference it either.
                let Some(bytes) = blobs.get(&digest).await? else { continue };
                self.add(&format!("{BLOBS_DIR}/{}", digest.path()), bytes.len() as u64, bytes.as_ref())?;
                stored.insert(digest);
            }
        }
        Ok(())
    }

    /// Adds the files below a directory of the data directory. Symbolic links are skipped.
    fn add_folder(&mut self, data_dir: &Path, folder: &Path) -> Result<u64> {
        let path = data_dir.join(folder);
        if !path.exists() {
            return Ok(0);
        }
        if path.is_file() {
            self.add_file(folder.to_str().ok_or_else(|| Error::file("a file name is not UTF-8"))?, &path)?;
            return Ok(1);
        }
        let entries = std::fs::read_dir(&path).and_then(Iterator::collect::<std::io::Result<Vec<_>>>);
        let mut entries = entries.map_err(|error| at(&path, &error))?;
        entries.sort_by_key(std::fs::DirEntry::file_name);
        let mut files = 0;
        for entry in entries {
            let (kind, inner) = (entry.file_type()?, folder.join(entry.file_name()));
            if kind.is_dir() {
                files += self.add_folder(data_dir, &inner)?;
            } else if kind.is_file() {
                let name = inner.to_str().ok_or_else(|| Error::file("a file name is not UTF-8"))?;
                self.add_file(name, &entry.path())?;
                files += 1;
            }
        }
        Ok(files)
    }

    fn finish(self) -> Result<()> {
        let mut writer = self.tar.into_inner()?;
        writer.flush()?;
        writer.into_inner().map_err(std::io::IntoInnerError::into_error)?.sync_all()?;
        Ok(())
    }
}
