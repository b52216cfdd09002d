//! A small schema, stores on both engines, and temporary directories.

use posthouse_store::{DatabaseUrl, Error, Migration, Store, StoreConfig, Tx, p, statements};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

pub(crate) const SCHEMA: &[Migration] = &[
    Migration {
        name: "0001_counters",
        text: "CREATE TABLE counters (name {TEXT} NOT NULL PRIMARY KEY, n {I64} NOT NULL) {STRICT};",
    },
    Migration {
        name: "0002_things",
        text: "CREATE TABLE things (
                 id {ID} NOT NULL PRIMARY KEY, name {TEXT}, size {REAL}, body {BLOB}, flag {BOOL} NOT NULL, n {I64}) {STRICT};
               CREATE INDEX things_by_name ON things (name);
               -- @sqlite
               CREATE VIRTUAL TABLE words USING fts5(body, content='', contentless_delete=1);
               -- @postgres
               CREATE TABLE words (id BIGINT PRIMARY KEY, body TSVECTOR);
               -- @both
               CREATE TABLE last (id {I64} NOT NULL PRIMARY KEY) {STRICT};",
    },
];

statements! {
    BUMP = "INSERT INTO counters (name, n) VALUES ($1, 1) ON CONFLICT (name) DO UPDATE SET n = counters.n + 1 RETURNING n";
    SET = "INSERT INTO counters (name, n) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET n = excluded.n";
    GET = "SELECT n FROM counters WHERE name = $1";
    /// `$2` occurs before `$1`: binding by order of occurrence would swap them.
    SWAP = "UPDATE counters SET n = $2 WHERE name = $1 AND n < $2";
    NAMES = "SELECT name FROM counters ORDER BY name";
    PUT_THING = "INSERT INTO things (id, name, size, body, flag, n) VALUES ($1, $2, $3, $4, $5, $6)";
    GET_THING = "SELECT id, name, size, body, flag, n FROM things WHERE id = $1";
    THING_ID = "SELECT id FROM things WHERE id = $1";
    CLAIM = "UPDATE counters SET n = n + 1 WHERE name IN (SELECT name FROM counters WHERE n < $1 ORDER BY name LIMIT $2 {SKIP_LOCKED})
             RETURNING name";
    FIND = "SELECT rowid FROM words WHERE words MATCH $1" / "SELECT id FROM words WHERE body @@ plainto_tsquery('simple', $1)";
}

pub(crate) fn bump(tx: &mut Tx, name: &str) -> Result<i64, Error> {
    let (n,) = tx.one(&BUMP, p![name])?.ok_or_else(|| Error::Statement("no row".into()))?;
    Ok(n)
}

pub(crate) fn get(tx: &mut Tx, name: &str) -> Result<Option<i64>, Error> {
    Ok(tx.one(&GET, p![name])?.map(|(n,)| n))
}

/// A temporary directory, removed when dropped.
pub(crate) struct Dir(PathBuf);

impl Dir {
    pub(crate) fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("seam-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Dir(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Dir {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub(crate) fn sqlite_config(dir: &Dir) -> StoreConfig {
    config(DatabaseUrl::Sqlite(dir.path().join("test.db")))
}

pub(crate) fn config(url: DatabaseUrl) -> StoreConfig {
    let mut config = StoreConfig::new(url);
    config.migrations = SCHEMA;
    config
}

/// Runs a test on both engines, each with an empty database.
pub(crate) async fn on_both<F: AsyncFn(Store, StoreConfig)>(test: F) {
    let dir = Dir::new();
    let postgres = config(crate::postgres::Cluster::shared().create_database().parse().unwrap());
    for config in [sqlite_config(&dir), postgres] {
        let store = Store::open(config.clone()).unwrap();
        test(store.clone(), config).await;
        store.close();
    }
}
