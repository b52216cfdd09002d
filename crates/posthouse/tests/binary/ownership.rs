//! Root gave files of the service's user away after each command, by path, so that the user could have root give it any
//! file. Root works as the owner of the store instead. Users other than root have nothing to test here.

use std::{
    os::unix::fs::{MetadataExt, PermissionsExt, chown, lchown},
    path::{Path, PathBuf},
};

use crate::harness::Sandbox;

/// `nobody` and `daemon` of Debian.
const NOBODY: u32 = 65_534;
const DAEMON: u32 = 1;
const CREATE: &[&str] = &["workspace", "create", "--name", "A", "--owner", "a@b.example"];

/// Makes a directory of a user. Returns `None` unless this is root.
fn directory_of(sandbox: &Sandbox, name: &str, user: u32) -> Option<PathBuf> {
    let path = sandbox.path(name);
    std::fs::create_dir_all(&path).unwrap();
    chown(&path, Some(user), Some(user)).ok().map(|()| path)
}

/// Returns the entries of a directory, and those below, that don't belong to a user.
fn not_of(user: u32, directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory).unwrap().map(Result::unwrap) {
        if entry.metadata().unwrap().uid() != user {
            found.push(entry.path());
        }
        if entry.file_type().unwrap().is_dir() {
            found.extend(not_of(user, &entry.path()));
        }
    }
    found
}

#[test]
fn files_that_root_writes_belong_to_the_owner_of_the_directory() {
    let sandbox = Sandbox::new("owner");
    let Some(data) = directory_of(&sandbox, "data", NOBODY) else { return };
    let made = sandbox.run(&[CREATE, &["--data-dir", "data"]].concat());
    assert_eq!(made.code, 0, "{}", made.stderr);
    assert_eq!(not_of(NOBODY, &data), [] as [PathBuf; 0]);
    // Only the last directory exists later: its nearest parent counts.
    let Some(home) = directory_of(&sandbox, "home", NOBODY) else { return };
    assert_eq!(sandbox.run(&[CREATE, &["--data-dir", "home/deep/data"]].concat()).code, 0);
    assert!(home.join("deep/data/posthouse.db").exists());
    assert_eq!(not_of(NOBODY, &home), [] as [PathBuf; 0]);
}

#[test]
fn a_command_of_root_gives_no_other_file_away() {
    let sandbox = Sandbox::new("not-given");
    let Some(data) = directory_of(&sandbox, "data", NOBODY) else { return };
    let kept = data.join("kept");
    std::fs::write(&kept, "root's").unwrap();
    // Where a user of the service who wants files of root leads a command.
    let private = sandbox.path("private");
    std::fs::create_dir(&private).unwrap();
    std::fs::set_permissions(&private, std::fs::Permissions::from_mode(0o755)).unwrap();
    for link in ["blobs", "tls", "posthouse.db", "store.id"] {
        let name = format!("data-{link}");
        let data = directory_of(&sandbox, &name, NOBODY).unwrap();
        std::os::unix::fs::symlink(private.join(link), data.join(link)).unwrap();
        lchown(data.join(link), Some(NOBODY), Some(NOBODY)).unwrap();
        let output = sandbox.run(&[CREATE, &["--data-dir", &name]].concat());
        let _ = sandbox.run(&["workspace", "list", "--data-dir", &name]);
        assert_eq!(std::fs::read_dir(&private).unwrap().count(), 0, "{link}: {}", output.stderr);
    }
    assert_eq!(sandbox.run(&[CREATE, &["--data-dir", "data"]].concat()).code, 0);
    assert_eq!(std::fs::metadata(&kept).unwrap().uid(), 0);
    let link = sandbox.path("link");
    std::os::unix::fs::symlink(&private, &link).unwrap();
    lchown(&link, Some(NOBODY), Some(NOBODY)).unwrap();
    assert_eq!(sandbox.run(&[CREATE, &["--data-dir", "link"]].concat()).code, 1);
    assert_eq!(std::fs::read_dir(&private).unwrap().count(), 0);
}

#[test]
fn a_database_elsewhere_belongs_to_the_owner_of_its_directory() {
    let sandbox = Sandbox::new("owner-elsewhere");
    let Some(_) = directory_of(&sandbox, "data", NOBODY) else { return };
    let other = directory_of(&sandbox, "other", NOBODY).unwrap();
    let config = sandbox.configure(&format!("database_url = 'sqlite:{}'\n", other.join("db.sqlite").display()));
    let config = ["--config", config.to_str().unwrap()];
    let made = sandbox.run(&[CREATE, &config].concat());
    assert_eq!(made.code, 0, "{}", made.stderr);
    assert!(other.join("db.sqlite").exists());
    assert_eq!(not_of(NOBODY, &other), [] as [PathBuf; 0]);
    // With two owners there is no right one.
    directory_of(&sandbox, "data", DAEMON).unwrap();
    for command in [CREATE, &["serve"], &["migrate"], &["workspace", "list"]] {
        let output = sandbox.run(&[command, &config].concat());
        assert_eq!(output.code, 1, "{command:?}: {}", output.stderr);
        assert!(output.stderr.contains("belongs to daemon, but"), "{command:?}: {}", output.stderr);
        assert!(output.stderr.contains("to nobody: nothing was changed"), "{command:?}: {}", output.stderr);
    }
}

#[test]
fn the_service_that_root_starts_runs_as_the_owner() {
    let sandbox = Sandbox::new("owner-serves");
    let Some(data) = directory_of(&sandbox, "data", NOBODY) else { return };
    // The ready file is written by the service.
    directory_of(&sandbox, "", NOBODY).unwrap();
    let config = sandbox.configure("delivery.mode = 'capture'\n");
    let service = sandbox.serve(&config, &[]);
    let ids = |id: u32| [id; 4].map(|id| id.to_string()).join("\t");
    assert_eq!((service.status("Uid"), service.status("Gid")), (ids(NOBODY), ids(NOBODY)));
    assert!(!service.status("Groups").split_whitespace().any(|group| group == "0"));
    // Nothing of root is left except the right to listen on low ports.
    let low_ports = 1 << 10;
    for set in ["CapPrm", "CapEff", "CapInh", "CapAmb"] {
        let held = u64::from_str_radix(&service.status(set), 16).unwrap();
        assert_eq!(held & !low_ports, 0, "{set}: {held:x}");
    }
    assert_eq!(service.stop().code, 0);
    assert_eq!(not_of(NOBODY, &data), [] as [PathBuf; 0]);
}

#[test]
fn root_keeps_the_archive_and_the_owner_gets_what_is_restored() {
    let sandbox = Sandbox::new("owner-archive");
    let Some(data) = directory_of(&sandbox, "data", NOBODY) else { return };
    let restored = directory_of(&sandbox, "restored", NOBODY).unwrap();
    let private = sandbox.path("backups");
    std::fs::create_dir(&private).unwrap();
    std::fs::set_permissions(&private, std::fs::Permissions::from_mode(0o700)).unwrap();
    assert_eq!(sandbox.run(&[CREATE, &["--data-dir", "data"]].concat()).code, 0);
    let saved = sandbox.run(&["backup", "backups/b.tar", "--data-dir", "data"]);
    assert_eq!(saved.code, 0, "{}", saved.stderr);
    let archive = std::fs::metadata(private.join("b.tar")).unwrap();
    assert_eq!((archive.uid(), archive.mode() & 0o777), (0, 0o600));
    assert_eq!(std::fs::read_dir(&private).unwrap().count(), 1);
    assert!(std::fs::read_dir(&data).unwrap().all(|entry| !entry.unwrap().path().ends_with("b.tar.database.partial")));
    let output = sandbox.run(&["restore", "backups/b.tar", "--data-dir", "restored"]);
    assert_eq!(output.code, 0, "{}", output.stderr);
    for directory in [data, restored] {
        assert_eq!(not_of(NOBODY, &directory), [] as [PathBuf; 0]);
    }
    // A failed backup leaves nothing behind, also where only root can remove it.
    std::fs::write(sandbox.path("data/posthouse.db"), [b'x'; 8192]).unwrap();
    assert_eq!(sandbox.run(&["backup", "backups/c.tar", "--data-dir", "data"]).code, 1);
    assert_eq!(std::fs::read_dir(&private).unwrap().count(), 1);
}

#[test]
fn another_user_could_choose_where_root_writes() {
    let sandbox = Sandbox::new("steered");
    let Some(home) = directory_of(&sandbox, "home", NOBODY) else { return };
    std::fs::create_dir(home.join("data")).unwrap();
    let grouped = sandbox.path("grouped");
    std::fs::create_dir(&grouped).unwrap();
    chown(&grouped, Some(0), Some(DAEMON)).unwrap();
    let open = sandbox.path("open");
    std::fs::create_dir(&open).unwrap();
    let mode = |path: &Path, mode| std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    mode(&grouped, 0o770);
    mode(&open, 0o1777);
    std::os::unix::fs::symlink(home.join("data"), sandbox.path("link")).unwrap();
    let owned = format!("data belongs to root, but nobody owns {}", home.display());
    let linked = format!("link belongs to root, but nobody owns {}", home.display());
    let shared = |path: &Path| format!("other users can write to {}, and", path.display());
    for (directory, problem) in [
        ("home/data", owned),
        ("link", linked),
        ("grouped", shared(&grouped)),
        ("grouped/data", shared(&grouped)),
        ("open", shared(&open)),
    ] {
        for command in [CREATE, &["serve"], &["restore", "b.tar"]] {
            let output = sandbox.run(&[command, &["--data-dir", directory]].concat());
            assert_eq!(output.code, 1, "{command:?}: {}", output.stderr);
            assert!(output.stderr.contains(&problem), "{command:?}: {}", output.stderr);
            assert!(output.stderr.contains("nothing was changed") && output.stderr.contains("ch"), "{}", output.stderr);
        }
    }
    for directory in [&home.join("data"), &grouped, &open] {
        assert_eq!(std::fs::read_dir(directory).unwrap().count(), 0, "{}", directory.display());
    }
    // What the errors suggest, and what others can't replace.
    mode(&grouped, 0o750);
    chown(home.join("data"), Some(NOBODY), Some(NOBODY)).unwrap();
    for directory in ["home/data", "grouped", "open/data"] {
        let made = sandbox.run(&[CREATE, &["--data-dir", directory]].concat());
        assert_eq!(made.code, 0, "{directory}: {}", made.stderr);
    }
    mode(&grouped, 0o770);
    chown(&grouped, Some(0), Some(0)).unwrap();
    let listed = sandbox.run(&["workspace", "list", "--data-dir", "grouped"]);
    assert_eq!(listed.code, 0, "the group of root is root's: {}", listed.stderr);
}

#[test]
fn a_backup_names_the_file_that_it_cannot_read() {
    let sandbox = Sandbox::new("unreadable");
    let Some(data) = directory_of(&sandbox, "data", NOBODY) else { return };
    assert_eq!(sandbox.run(&[CREATE, &["--data-dir", "data"]].concat()).code, 0);
    for path in ["tls/left.pem", "blobs/ab/cd/abcd"] {
        let file = data.join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, "root's").unwrap();
        std::fs::set_permissions(file.parent().unwrap(), std::fs::Permissions::from_mode(0o700)).unwrap();
        let output = sandbox.run(&["backup", "b.tar", "--data-dir", "data"]);
        assert_eq!(output.code, 1, "{path}");
        let named = file.parent().unwrap().display().to_string();
        assert!(output.stderr.contains(&named) && named.starts_with('/'), "{path}: {}", output.stderr);
        assert!(!sandbox.path("b.tar").exists());
        std::fs::remove_file(file).unwrap();
        std::fs::remove_dir_all(data.join(path.split('/').next().unwrap())).unwrap();
    }
    let key = data.join("tls/key.pem");
    std::fs::create_dir_all(key.parent().unwrap()).unwrap();
    std::fs::write(&key, "root's").unwrap();
    chown(key.parent().unwrap(), Some(NOBODY), Some(NOBODY)).unwrap();
    std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o600)).unwrap();
    let output = sandbox.run(&["backup", "b.tar", "--data-dir", "data"]);
    assert!(output.code == 1 && output.stderr.contains(&key.display().to_string()), "{}", output.stderr);
}

#[test]
fn a_failed_creation_leaves_no_store() {
    let sandbox = Sandbox::new("create-fails");
    let Some(data) = directory_of(&sandbox, "data", NOBODY) else { return };
    let other = directory_of(&sandbox, "other", NOBODY).unwrap();
    std::fs::write(other.join("kept"), "the operator's").unwrap();
    let config = sandbox.configure(&format!("database_url = 'sqlite:{}'\n", other.join("db.sqlite").display()));
    let config = ["--config", config.to_str().unwrap()];
    // The database can be created, and the id of the store can't be written.
    std::fs::set_permissions(&data, std::fs::Permissions::from_mode(0o500)).unwrap();
    let failed = sandbox.run(&[CREATE, &config].concat());
    assert_eq!(failed.code, 1, "{}", failed.stdout);
    assert!(failed.stderr.contains(&data.display().to_string()), "{}", failed.stderr);
    let left: Vec<_> = std::fs::read_dir(&other).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["kept"]);
    std::fs::set_permissions(&data, std::fs::Permissions::from_mode(0o700)).unwrap();
    assert_eq!(sandbox.run(&[CREATE, &config].concat()).code, 0);
}
