//! Atomic writes of private files: concurrent readers and writers see a whole file or none.

use std::fs::{self, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// The permission bits of everyone but the owner.
const OTHERS: u32 = 0o077;

/// Sets the umask, so that all files of the process, including those of libraries, are private: they hold mail and
/// keys.
pub fn make_all_private() {
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(OTHERS));
}

/// Removes the permissions of other users from a file or directory of this user. Ignores missing files, files of other
/// users and symbolic links.
///
/// # Errors
/// Returns an error if a file operation fails.
pub fn make_private(path: &Path) -> io::Result<()> {
    let Ok(metadata) = fs::symlink_metadata(path) else { return Ok(()) };
    let mode = metadata.permissions().mode() & 0o7777;
    let is_ours = metadata.uid() == rustix::process::geteuid().as_raw();
    if mode & OTHERS == 0 || metadata.is_symlink() || !is_ours {
        return Ok(());
    }
    fs::set_permissions(path, Permissions::from_mode(mode & !OTHERS))
}

/// Writes a private file atomically and flushes it to disk. Replaces an existing file.
///
/// # Errors
/// Returns an error if a file operation fails.
pub fn write(path: &Path, text: &str) -> io::Result<()> {
    let draft = draft(path, text)?;
    fs::rename(&draft, path)?;
    sync_directory(path)
}

/// Writes a private file unless it exists, and returns whether it was created. A file that another process created
/// meanwhile stays, so read the file afterwards if you need its content.
///
/// # Errors
/// Returns an error if a file operation fails.
pub fn make(path: &Path, text: &str) -> io::Result<bool> {
    let draft = draft(path, text)?;
    let made = match fs::hard_link(&draft, path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        linked => linked.map(|()| true),
    };
    let _ = fs::remove_file(&draft);
    let made = made?;
    sync_directory(path)?;
    Ok(made)
}

/// Checks that [`write()`] can create a file there. Leaves no file behind.
///
/// # Errors
/// Returns an error if a file operation fails.
pub fn check_writable(path: &Path) -> io::Result<()> {
    fs::remove_file(draft(path, "")?)
}

/// Writes the text to a temporary file next to the target. Its name has the process id, so a leftover can be replaced.
fn draft(path: &Path, text: &str) -> io::Result<PathBuf> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    let draft = path.with_file_name(name);
    let _ = fs::remove_file(&draft);
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    Ok(draft)
}

fn sync_directory(path: &Path) -> io::Result<()> {
    let directory = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    fs::File::open(directory)?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn make_keeps_and_write_replaces_an_existing_file_without_leftovers() {
        let directory = std::env::temp_dir().join(format!("posthouse-files-{}", std::process::id()));
        fs::create_dir_all(&directory).expect("a directory");
        let path = directory.join("secret");
        assert!(make(&path, "first").expect("made"));
        assert!(!make(&path, "second").expect("left"));
        assert_eq!(fs::read_to_string(&path).expect("there"), "first");
        write(&path, "third").expect("written");
        assert_eq!(fs::read_to_string(&path).expect("there"), "third");
        let mode = std::os::unix::fs::PermissionsExt::mode(&fs::metadata(&path).expect("there").permissions());
        assert_eq!(mode & 0o777, 0o600);
        assert_eq!(fs::read_dir(&directory).expect("there").count(), 1);
        let _ = fs::remove_dir_all(&directory);
    }
}
