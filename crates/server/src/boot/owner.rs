//! Keeps the owner of the data directory: files that root writes there belong to the user of the service, who couldn't open
//! them otherwise.

use std::{
    fs, io,
    os::unix::fs::{MetadataExt, lchown},
    path::Path,
};

/// Gives the files of a data directory that belong to root to the owner of the directory. Does nothing for other users, and
/// in a directory of root.
///
/// # Errors
/// Returns an error if a file can't be read or changed.
pub fn give_files_to_owner(data_dir: &Path) -> io::Result<()> {
    let Ok(directory) = fs::metadata(data_dir) else { return Ok(()) };
    if !rustix::process::geteuid().is_root() || directory.uid() == 0 {
        return Ok(());
    }
    give(data_dir, &directory)
}

fn give(path: &Path, owner: &fs::Metadata) -> io::Result<()> {
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        let found = entry.metadata()?;
        if found.uid() == 0 {
            lchown(entry.path(), Some(owner.uid()), Some(owner.gid()))?;
        }
        if found.is_dir() {
            give(&entry.path(), owner)?;
        }
    }
    Ok(())
}
