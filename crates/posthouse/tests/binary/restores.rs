//! `posthouse restore` wrote the database into the data directory although `database_url` named another place, failed because
//! that one was missing, and said that nothing was changed.

use crate::harness::Sandbox;

#[test]
fn a_restore_writes_the_configured_database_or_nothing() {
    let sandbox = Sandbox::new("restore-elsewhere");
    let create = ["workspace", "create", "--name", "A", "--owner", "a@b.example", "--data-dir", "first"];
    assert_eq!(sandbox.run(&create).code, 0);
    assert_eq!(sandbox.run(&["backup", "b.tar", "--data-dir", "first"]).code, 0);
    let database = sandbox.path("elsewhere/db.sqlite");
    let config = sandbox.configure(&format!("database_url = 'sqlite:{}'\n", database.display()));
    let config = ["--config", config.to_str().unwrap()];
    let restored = sandbox.run(&[&["restore", "b.tar", "--json"][..], &config].concat()).json();
    assert_eq!(restored["workspaces"], 1);
    assert!(database.exists() && !sandbox.path("data/posthouse.db").exists());
    let listed = sandbox.run(&[&["workspace", "list"][..], &config].concat());
    assert!(listed.code == 0 && listed.stdout.contains("  A"), "{}{}", listed.stdout, listed.stderr);

    // A database that is there is never replaced, and then nothing is written.
    let before = std::fs::read(&database).unwrap();
    std::fs::remove_dir_all(sandbox.path("data")).unwrap();
    let refused = sandbox.run(&[&["restore", "b.tar"][..], &config].concat());
    assert_eq!(refused.code, 1, "{}", refused.stdout);
    assert!(refused.stderr.contains("db.sqlite exists, nothing was changed"), "{}", refused.stderr);
    assert!(!sandbox.path("data").exists());
    assert_eq!(std::fs::read(&database).unwrap(), before);

    // A damaged archive leaves no database behind.
    std::fs::remove_dir_all(sandbox.path("elsewhere")).unwrap();
    let archive = std::fs::read(sandbox.path("b.tar")).unwrap();
    std::fs::write(sandbox.path("half.tar"), &archive[..archive.len() / 2]).unwrap();
    assert_eq!(sandbox.run(&[&["restore", "half.tar"][..], &config].concat()).code, 1);
    assert!(!database.exists());
    assert_eq!(std::fs::read_dir(sandbox.path("data")).unwrap().count(), 0);
}

#[test]
fn a_restore_adds_to_no_blobs_of_another_store() {
    let sandbox = Sandbox::new("restore-blobs");
    let create = ["workspace", "create", "--name", "A", "--owner", "a@b.example", "--data-dir", "first"];
    assert_eq!(sandbox.run(&create).code, 0);
    assert_eq!(sandbox.run(&["backup", "b.tar", "--data-dir", "first"]).code, 0);
    let blobs = sandbox.path("blobs");
    let config = sandbox.configure(&format!("blob_url = 'file://{}'\n", blobs.display()));
    let config = ["--config", config.to_str().unwrap()];
    let restore = || sandbox.run(&[&["restore", "b.tar"][..], &config].concat());

    let digest = "ab".repeat(32);
    let blob = blobs.join("ab/ab").join(&digest);
    std::fs::create_dir_all(blob.parent().unwrap()).unwrap();
    std::fs::write(&blob, "another store's").unwrap();
    let refused = restore();
    assert_eq!(refused.code, 1, "{}", refused.stdout);
    let problem = format!("{} has blobs of another store, nothing was changed", blobs.display());
    assert!(refused.stderr.contains(&problem), "{}", refused.stderr);
    assert!(blob.exists() && !sandbox.path("data").exists());

    // A file of the operator stays, and a directory that can't be used is found before anything is written.
    std::fs::remove_dir_all(&blobs).unwrap();
    std::fs::write(&blobs, "a file").unwrap();
    let refused = restore();
    assert!(refused.code == 1 && refused.stderr.contains(&blobs.display().to_string()), "{}", refused.stderr);
    assert!(!sandbox.path("data/posthouse.db").exists());
    std::fs::remove_file(&blobs).unwrap();
    std::fs::create_dir(&blobs).unwrap();
    std::fs::write(blobs.join("README"), "the operator's").unwrap();
    let restored = restore();
    assert_eq!(restored.code, 0, "{}", restored.stderr);
    assert!(blobs.join("README").exists());
}
