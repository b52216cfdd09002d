//! Archives (ZIP) with bounds on what they unpack to.

use std::io::{Cursor, Read};

use zip::{ZipArchive, result::ZipError};

use crate::{
    FileError, FileErrorCode,
    limits::{ARCHIVE_BYTES_MAX, ARCHIVE_ENTRIES_MAX, ENTRY_BYTES_MAX},
};

/// An archive in memory.
pub(crate) struct Archive<'a> {
    zip: ZipArchive<Cursor<&'a [u8]>>,
    left: u64,
}

impl<'a> Archive<'a> {
    pub(crate) fn open(bytes: &'a [u8]) -> Result<Self, FileError> {
        let zip = ZipArchive::new(Cursor::new(bytes)).map_err(|error| failure(&error))?;
        if zip.len() > ARCHIVE_ENTRIES_MAX {
            return Err(FileError::too_large("The file has too many parts."));
        }
        Ok(Self { zip, left: ARCHIVE_BYTES_MAX })
    }

    /// Returns the names of all entries.
    pub(crate) fn names(&self) -> Vec<String> {
        self.zip.file_names().map(str::to_owned).collect()
    }

    /// Returns the bytes of an entry; `None` if the archive lacks it.
    pub(crate) fn read(&mut self, name: &str) -> Result<Option<Vec<u8>>, FileError> {
        self.read_at_most(name, self.left)
    }

    /// Returns the bytes of a file inside. All of them get a half of what the archive may unpack to.
    pub(crate) fn read_embedded(&mut self, name: &str) -> Result<Option<Vec<u8>>, FileError> {
        self.read_at_most(name, self.left.saturating_sub(ARCHIVE_BYTES_MAX / 2))
    }

    fn read_at_most(&mut self, name: &str, left: u64) -> Result<Option<Vec<u8>>, FileError> {
        let entry = match self.zip.by_name(name) {
            Ok(entry) => entry,
            Err(ZipError::FileNotFound) => return Ok(None),
            Err(error) => return Err(failure(&error)),
        };
        if entry.encrypted() {
            return Err(FileError::new(FileErrorCode::Encrypted, "The file is encrypted."));
        }
        let max = ENTRY_BYTES_MAX.min(left);
        let mut bytes = Vec::new();
        entry.take(max + 1).read_to_end(&mut bytes).map_err(|_| FileError::parse("A part of the file is damaged."))?;
        if bytes.len() as u64 > max {
            return Err(FileError::too_large("The file unpacks to too many bytes."));
        }
        self.left -= bytes.len() as u64;
        Ok(Some(bytes))
    }

    /// Returns the bytes of an entry that the file must have, and that is XML.
    pub(crate) fn require(&mut self, name: &str) -> Result<Vec<u8>, FileError> {
        let part = self.read(name)?.filter(|part| part.contains(&b'<'));
        part.ok_or_else(|| FileError::parse(format!("The file has no part `{name}`, or the part is not XML.")))
    }
}

fn failure(error: &ZipError) -> FileError {
    match error {
        ZipError::UnsupportedArchive(what) if what.contains("assword") => {
            FileError::new(FileErrorCode::Encrypted, "The file is encrypted.")
        }
        _ => FileError::parse("The file is not a valid archive."),
    }
}
