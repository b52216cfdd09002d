//! Stores that are opened for diagnostics change no file.

use crate::support::{Dir, SCHEMA, bump};
use posthouse_store::{DatabaseUrl, Error, Sql, Store, StoreConfig, Tx, migrate, p};
use std::path::{Path, PathBuf};

static COUNT: std::sync::LazyLock<Sql> =
    std::sync::LazyLock::new(|| Sql::from_fragments("COUNT", "SELECT COUNT(*) FROM schema_migrations".to_owned()));

/// A path with every character that has a meaning in a URI.
fn database(dir: &Dir) -> PathBuf {
    dir.path().join("a b?c#d%20.db")
}

fn config(path: &Path) -> StoreConfig {
    let mut config = StoreConfig::new(DatabaseUrl::Sqlite(path.to_owned()));
    config.migrations = SCHEMA;
    config
}

fn read_only(path: &Path) -> Result<Store, Error> {
    Store::open(StoreConfig { read_only: true, ..config(path) })
}

fn count(store: &Store) -> i64 {
    store.read_blocking(|tx: &mut Tx| tx.value::<i64>(&COUNT, p![])).unwrap().unwrap()
}

fn files(dir: &Dir) -> Vec<(PathBuf, Vec<u8>, std::time::SystemTime)> {
    let entries = std::fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = entries
        .map(|path| {
            let modified = path.metadata().unwrap().modified().unwrap();
            (path.clone(), std::fs::read(&path).unwrap(), modified)
        })
        .collect();
    files.sort();
    files
}

/// Reads in every way, and asserts that no file was changed.
fn assert_unchanged(dir: &Dir, path: &Path) {
    let before = files(dir);
    let store = read_only(path).unwrap();
    assert_eq!(count(&store), i64::try_from(SCHEMA.len()).unwrap());
    let refused = store.write_blocking(|tx: &mut Tx| tx.exec(&COUNT, p![]));
    assert!(matches!(refused, Err(Error::Unavailable(_))), "{refused:?}");
    store.close();
    let url = DatabaseUrl::Sqlite(path.to_owned());
    assert!(migrate::pending(&url, SCHEMA).unwrap().is_empty());
    assert_eq!(posthouse_store::integrity::check(&url, || ()).unwrap().problems, [""; 0]);
    assert!(before == files(dir));
}

#[test]
fn a_read_only_store_changes_no_file_with_and_without_a_log() {
    let (dir, crashed) = (Dir::new(), Dir::new());
    let path = database(&dir);
    let store = Store::open(config(&path)).unwrap();
    store.write_blocking(|tx: &mut Tx| bump(tx, "a")).unwrap();
    // A copy of the open files is what a crash leaves. Within one process SQLite shares the index of an open log.
    for (file, ..) in files(&dir) {
        std::fs::copy(&file, crashed.path().join(file.file_name().unwrap())).unwrap();
    }
    assert_eq!(files(&crashed).len(), 3, "the database, the log and its index");
    assert_unchanged(&crashed, &database(&crashed));
    store.close();
    drop(store);
    assert_eq!(files(&dir).len(), 1, "there is no log");
    assert_unchanged(&dir, &path);
}

#[test]
fn a_log_without_its_index_is_not_read() {
    let dir = Dir::new();
    let path = database(&dir);
    let store = Store::open(config(&path)).unwrap();
    store.write_blocking(|tx: &mut Tx| bump(tx, "a")).unwrap();
    let copy = dir.path().join("copy.db");
    let with_log = |path: &Path| PathBuf::from(format!("{}-wal", path.display()));
    std::fs::copy(&path, &copy).unwrap();
    std::fs::copy(with_log(&path), with_log(&copy)).unwrap();
    assert!(with_log(&copy).metadata().unwrap().len() > 0);
    let before = files(&dir);
    let refused = read_only(&copy).err().unwrap();
    assert!(refused.internal().contains("has no index (-shm)"), "{refused:?}");
    assert!(before == files(&dir));
    store.close();
}

#[test]
fn a_store_in_memory_has_the_schema_and_accepts_writes() {
    let store = Store::in_memory().unwrap();
    assert_eq!(count(&store), i64::try_from(migrate::MIGRATIONS.len()).unwrap());
    store.write_blocking(|tx: &mut Tx| posthouse_store::instance::set_value(tx, "a", "b")).unwrap();
    let noted = store.read_blocking(|tx: &mut Tx| posthouse_store::instance::get_value(tx, "a")).unwrap();
    assert_eq!(noted.as_deref(), Some("b"));
    store.close();
}
