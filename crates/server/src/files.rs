//! Private files that are seen whole or not at all, whoever else reads or makes them at the same time.

use std::{
    fs::{self, OpenOptions, Permissions},
    io::{self, Write},
    os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt},
    path::{Path, PathBuf},
};

/// What nobody but the owner may do with a file.
const OTHERS: u32 = 0o077;

/// Makes every file and directory of this process its owner's alone, those of libraries too: they hold mail and keys.
pub fn make_all_private() {
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(OTHERS));
}

/// Takes from others what they may do with a file or directory of ours. One that is not there or is somebody else's stays,
/// and so does what a link leads to.
///
/// # Errors
/// The file system's own.
pub fn narrow(path: &Path) -> io::Result<()> {
    let Ok(metadata) = fs::symlink_metadata(path) else { return Ok(()) };
    let mode = metadata.permissions().mode() & 0o7777;
    let is_ours = metadata.uid() == rustix::process::geteuid().as_raw();
    if mode & OTHERS == 0 || metadata.is_symlink() || !is_ours {
        return Ok(());
    }
    fs::set_permissions(path, Permissions::from_mode(mode & !OTHERS))
}

/// Writes a file that its owner alone can read, instead of what was there; it is on the disk afterwards.
///
/// # Errors
/// The file system's own.
pub fn write(path: &Path, text: &str) -> io::Result<()> {
    let draft = draft(path, text)?;
    fs::rename(&draft, path)?;
    sync_directory(path)
}

/// The same where there is no such file yet; says whether this made it. What another process made in the meantime stays:
/// whoever needs to know what stands there reads it afterwards.
///
/// # Errors
/// The file system's own.
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

/// Tries whether [`write()`] can put a file there. Nothing is left.
///
/// # Errors
/// The file system's own.
pub fn try_place(path: &Path) -> io::Result<()> {
    fs::remove_file(draft(path, "")?)
}

/// The text in a file beside its place, on the disk. It is this process's own, so one that was cut off is taken over.
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
    fn what_is_made_stays_what_is_written_is_replaced_and_nothing_is_left_beside() {
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
