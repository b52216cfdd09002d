//! Other users of the machine can't access files of the service, whatever the umask, because they have mail and keys.

use std::{
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use sha2::{Digest, Sha256};

use crate::harness::Sandbox;

/// The usual umask, with which other users may read.
const USUAL_UMASK: u32 = 0o022;

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).unwrap().permissions().mode() & 0o777
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

/// Returns all files and directories below a directory.
fn below(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    entries
        .flat_map(|path| if path.is_dir() { [vec![path.clone()], below(&path)].concat() } else { vec![path] })
        .collect()
}

/// Returns the paths below a directory that other users can access, with their modes.
fn open_below(directory: &Path) -> Vec<(PathBuf, String)> {
    let found = below(directory).into_iter().filter(|path| mode(path) & 0o077 != 0);
    found.map(|path| (path.clone(), format!("{:o}", mode(&path)))).collect()
}

/// Writes a blob with the permissions of an older version, and returns its path.
fn old_blob(blobs: &Path) -> PathBuf {
    let content = b"a large mail";
    let name: String = Sha256::digest(content).iter().map(|byte| format!("{byte:02x}")).collect();
    let folder = blobs.join(&name[..2]).join(&name[2..4]);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join(&name), content).unwrap();
    folder.join(name)
}

#[test]
fn files_that_others_could_read_are_private_after_serve_backup_and_restore() {
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(USUAL_UMASK));
    let sandbox = Sandbox::new("rights");
    let config = sandbox.configure("delivery.mode = 'capture'\n");
    let data = sandbox.path("data");
    fs::create_dir(&data).unwrap();
    assert_eq!(mode(&data), 0o755, "the umask isn't in effect");
    let service = sandbox.serve(&config, &[]);
    assert!(data.join("posthouse.db-wal").exists() && data.join("posthouse.db-shm").exists());
    assert_eq!(open_below(&data), [], "created by serve");
    assert_eq!(mode(&data), 0o755, "the operator's directory keeps its mode");
    assert_eq!(service.stop().code, 0);

    // Files of an older version.
    let blob = old_blob(&data.join("blobs"));
    set_mode(&data.join("posthouse.db"), 0o644);
    set_mode(&data.join("tls"), 0o755);
    let service = sandbox.serve(&config, &[]);
    for name in ["posthouse.db", "posthouse.db-wal", "posthouse.db-shm", "posthouse.db-serving", "tls", "blobs"] {
        assert_eq!(mode(&data.join(name)) & 0o077, 0, "{name} is still open");
    }
    assert!(blob.exists());
    assert_eq!(service.stop().code, 0);

    let (config, archive, other) = (config.to_str().unwrap(), sandbox.path("copy.tar"), sandbox.path("other"));
    let (archive, other) = (archive.to_str().unwrap(), other.to_str().unwrap());
    sandbox.run(&["backup", archive, "--config", config, "--json"]).json();
    assert_eq!(mode(archive.as_ref()), 0o600);
    let restored = sandbox.run(&["restore", archive, "--config", config, "--data-dir", other, "--json"]).json();
    assert_eq!(restored["blobs"], 1);
    assert_eq!(mode(other.as_ref()), 0o700);
    assert_eq!(open_below(other.as_ref()), [], "created by restore");
}

#[test]
fn blobs_of_an_older_version_in_blob_url_are_made_private_and_other_files_keep_their_mode() {
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(USUAL_UMASK));
    let sandbox = Sandbox::new("rights-elsewhere");
    let elsewhere = sandbox.path("elsewhere");
    let config =
        sandbox.configure(&format!("delivery.mode = 'capture'\nblob_url = 'file://{}'\n", elsewhere.display()));
    // Blobs without a database would be remains of a lost store.
    sandbox.make_store();
    sandbox.run(&["migrate", "--config", config.to_str().unwrap(), "--json"]).json();
    let blob = old_blob(&elsewhere);
    fs::create_dir(elsewhere.join("of-others")).unwrap();
    sandbox.run(&["migrate", "--config", config.to_str().unwrap(), "--json"]).json();
    assert_eq!(mode(blob.ancestors().nth(2).unwrap()), 0o700);
    assert_eq!((mode(&elsewhere), mode(&elsewhere.join("of-others"))), (0o755, 0o755));
}
