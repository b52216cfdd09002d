//! Writing an archive.

use super::seal::Seal;
use super::{BLOBS_DIR, Contents, DATABASE_FILE, END_FILE, FORMAT, Source, at, check_database, sqlite_path};
use crate::{Blobs, Digest, Error, Result};
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufWriter, Read, Write as _};
use std::path::{Path, PathBuf};

/// Buffer of the archive being written, in bytes.
const BUFFER_BYTES: usize = 256 * 1024;
/// Rights of the members: they hold mail and keys.
const MODE: u32 = 0o600;

/// Writes an archive of `source` and `blobs` to `file`, which appears whole or not at all. Blocks the thread it runs on
/// while the database is copied; meant for the command line.
///
/// # Errors
/// [`Error::Schema`] for PostgreSQL, [`Error::Corrupt`] where the copy of the database is damaged, otherwise as the
/// blobs and the file system say.
pub async fn save(source: &Source, blobs: &Blobs, file: &Path) -> Result<Contents> {
    let database = sqlite_path(&source.database)?;
    let partial = beside(file, "partial");
    let copy = beside(file, "database.partial");
    let saved = save_to(source, database, blobs, &partial, &copy).await;
    let _ = std::fs::remove_file(&copy);
    match saved {
        Ok(contents) => {
            let moved = std::fs::rename(&partial, file).map_err(|error| at(file, &error));
            if moved.is_err() {
                let _ = std::fs::remove_file(&partial);
            }
            moved?;
            flush_folder_of(file)?;
            Ok(contents)
        }
        Err(error) => {
            let _ = std::fs::remove_file(&partial);
            Err(error)
        }
    }
}

async fn save_to(source: &Source, database: &Path, blobs: &Blobs, partial: &Path, copy: &Path) -> Result<Contents> {
    let mut archive = Archive::create(partial)?;
    let mut stored = BTreeSet::new();
    archive.add_blobs(blobs, &mut stored).await?;
    copy_database(database, copy)?;
    archive.add_file(DATABASE_FILE, copy)?;
    archive.add_blobs(blobs, &mut stored).await?;
    let mut files = 0;
    for folder in &source.folders {
        files += archive.add_folder(&source.data_dir, Path::new(folder))?;
    }
    let sha256 = std::mem::take(&mut archive.seal).close();
    let contents = Contents { format: FORMAT, blobs: stored.len() as u64, files, sha256 };
    let end = serde_json::to_vec(&contents).map_err(Error::db)?;
    archive.add(END_FILE, end.len() as u64, end.as_slice())?;
    archive.finish()?;
    Ok(contents)
}

fn beside(file: &Path, ending: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".");
    name.push(ending);
    name.into()
}

fn flush_folder_of(file: &Path) -> Result<()> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    Ok(File::open(folder.unwrap_or(Path::new(".")))?.sync_all()?)
}

/// Copies the database as of one moment; writers go on meanwhile.
fn copy_database(database: &Path, copy: &Path) -> Result<()> {
    let _ = std::fs::remove_file(copy);
    // Without CREATE: a missing database is an error, not an empty backup.
    let flags = rusqlite::OpenFlags::SQLITE_OPEN_READ_WRITE | rusqlite::OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let from = rusqlite::Connection::open_with_flags(database, flags)?;
    let mut to = rusqlite::Connection::open(copy)?;
    // All pages in one step: in smaller ones each commit of the service would begin the copy anew.
    match rusqlite::backup::Backup::new(&from, &mut to)?.step(-1)? {
        rusqlite::backup::StepResult::Done => {}
        other => return Err(Error::unavailable(format_args!("the database could not be copied now: {other:?}"))),
    }
    check_database(&to)?;
    // One file, without a log beside it.
    to.pragma_update(None, "journal_mode", "DELETE")?;
    to.close().map_err(|(_, error)| Error::from(error))
}

struct Archive {
    tar: tar::Builder<BufWriter<File>>,
    seal: Seal,
}

impl Archive {
    fn create(path: &Path) -> Result<Self> {
        let mut options = File::options();
        options.write(true).create(true).truncate(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, MODE);
        let file = options.open(path).map_err(|error| at(path, &error))?;
        let tar = tar::Builder::new(BufWriter::with_capacity(BUFFER_BYTES, file));
        Ok(Archive { tar, seal: Seal::default() })
    }

    fn add(&mut self, name: &str, size: u64, content: impl Read) -> Result<()> {
        let mut header = tar::Header::new_gnu();
        header.set_size(size);
        header.set_mode(MODE);
        header.set_entry_type(tar::EntryType::Regular);
        Ok(self.tar.append_data(&mut header, name, self.seal.member(name, content))?)
    }

    fn add_file(&mut self, name: &str, path: &Path) -> Result<()> {
        let file = File::open(path)?;
        let size = file.metadata()?.len();
        self.add(name, size, file.take(size)) // a file that grows meanwhile is taken as it began
    }

    /// Adds the blobs that are not in `stored` yet.
    async fn add_blobs(&mut self, blobs: &Blobs, stored: &mut BTreeSet<Digest>) -> Result<()> {
        for shard in 0..=u8::MAX {
            for digest in blobs.list(shard, i64::MAX).await? {
                if stored.contains(&digest) {
                    continue;
                }
                // Gone since it was listed: then the database, read later, does not name it either.
                let Some(bytes) = blobs.get(&digest).await? else { continue };
                self.add(&format!("{BLOBS_DIR}/{}", digest.path()), bytes.len() as u64, bytes.as_ref())?;
                stored.insert(digest);
            }
        }
        Ok(())
    }

    /// Adds the files below a folder of the data directory; links are passed over.
    fn add_folder(&mut self, data_dir: &Path, folder: &Path) -> Result<u64> {
        let path = data_dir.join(folder);
        if !path.exists() {
            return Ok(0);
        }
        if path.is_file() {
            self.add_file(folder.to_str().ok_or_else(|| Error::file("a file name is not UTF-8"))?, &path)?;
            return Ok(1);
        }
        let mut entries = std::fs::read_dir(path)?.collect::<std::io::Result<Vec<_>>>()?;
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
