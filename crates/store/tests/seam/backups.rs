//! Backup and restore of an embedded store.

use crate::support::*;
use bytes::Bytes;
use posthouse_store::{BlobDigest, BlobStore, DatabaseUrl, Error, Store, backup};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

struct TestStore {
    dir: Dir,
    store: Store,
    blobs: BlobStore,
    source: backup::BackupSource,
}

fn fixture() -> TestStore {
    let dir = Dir::new();
    let data_dir = dir.path().join("data");
    std::fs::create_dir_all(data_dir.join("keys/dkim")).unwrap();
    std::fs::write(data_dir.join("keys/dkim/a.pem"), "a key").unwrap();
    let database = DatabaseUrl::Sqlite(data_dir.join(backup::DATABASE_FILE));
    let store = Store::open(config(database.clone())).unwrap();
    let blobs = BlobStore::files(data_dir.join(backup::BLOBS_DIR));
    let source = backup::BackupSource { database, data_dir, folders: vec!["keys".into(), "missing".into()] };
    TestStore { dir, store, blobs, source }
}

impl TestStore {
    fn file(&self) -> PathBuf {
        self.dir.path().join("backup.tar")
    }

    async fn restore(&self, to: &str) -> (PathBuf, BlobStore, Result<backup::BackupSummary, Error>) {
        let to = self.dir.path().join(to);
        let blobs = BlobStore::files(to.join(backup::BLOBS_DIR));
        let restored = backup::restore(&self.file(), &to, &blobs).await;
        (to, blobs, restored)
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_made_under_load_is_consistent() {
    let fixture = fixture();
    let stop = Arc::new(AtomicBool::new(false));
    let (store, blobs, flag) = (fixture.store.clone(), fixture.blobs.clone(), stop.clone());
    // Stores a blob, then the row that references it, in a loop.
    let load = tokio::spawn(async move {
        for i in 0u64.. {
            if flag.load(Ordering::SeqCst) {
                return i;
            }
            let digest = blobs.put(Bytes::from(i.to_string().repeat(50))).await.unwrap();
            store.write(move |tx| bump(tx, &digest.to_string())).await.unwrap();
        }
        0
    });
    while fixture.store.read(|tx| tx.rows::<(String,)>(&NAMES, &[])).await.unwrap().len() < 20 {}
    let contents = backup::save(&fixture.source, &fixture.blobs, &fixture.file()).await.unwrap();
    stop.store(true, Ordering::SeqCst);
    load.await.unwrap();
    assert_eq!(contents.files, 1);
    let (to, blobs, restored) = fixture.restore("restored").await;
    assert_eq!(restored.unwrap(), contents);
    assert_eq!(std::fs::read_to_string(to.join("keys/dkim/a.pem")).unwrap(), "a key");
    let copy = Store::open(config(DatabaseUrl::Sqlite(to.join(backup::DATABASE_FILE)))).unwrap();
    let named = copy.read(|tx| tx.rows::<(String,)>(&NAMES, &[])).await.unwrap();
    assert!(named.len() >= 20);
    for (name,) in named {
        let digest: BlobDigest = name.parse().unwrap();
        assert!(blobs.get(&digest).await.unwrap().is_some(), "a row of the copy references a missing blob");
    }
    let left: Vec<_> = std::fs::read_dir(fixture.dir.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert!(!left.iter().any(|name| name.to_string_lossy().contains("partial")), "{left:?}");
}

#[tokio::test]
async fn restoring_into_a_directory_in_use_fails() {
    let fixture = fixture();
    backup::save(&fixture.source, &fixture.blobs, &fixture.file()).await.unwrap();
    let error = fixture.restore("data").await.2.unwrap_err();
    assert!(error.to_string().contains("is not empty"), "{error}");
}

#[tokio::test]
async fn damaged_archives_are_rejected() {
    let fixture = fixture();
    fixture.blobs.put(Bytes::from(vec![b'b'; 5000])).await.unwrap();
    backup::save(&fixture.source, &fixture.blobs, &fixture.file()).await.unwrap();
    let whole = std::fs::read(fixture.file()).unwrap();
    let position = |bytes: &[u8]| whole.windows(bytes.len()).position(|w| w == bytes).unwrap();
    let flipped = |at: usize| {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        bytes
    };
    let outside = {
        let mut text = whole.clone();
        let name = position(b"keys/d");
        text[name..name + 6].copy_from_slice(b"../../");
        text
    };
    // A flipped bit in a blob, in a key and in an unused page of the database; an archive truncated in the middle; one
    // truncated before its last member; a name outside the directory; a file that isn't an archive.
    let page_bytes = 4096;
    let archives = [
        flipped(position(&[b'b'; 20])),
        flipped(position(b"a key")),
        flipped(position(b"SQLite format 3") + page_bytes - 200),
        whole[..whole.len() / 2].to_vec(),
        whole[..whole.len() - 2048].to_vec(),
        outside,
        vec![0xA5; 5000],
    ];
    for (n, bytes) in archives.iter().enumerate() {
        std::fs::write(fixture.file(), bytes).unwrap();
        let (to, _, restored) = fixture.restore(&format!("to{n}")).await;
        assert!(restored.is_err(), "archive {n}");
        assert_eq!(std::fs::read_dir(&to).unwrap().count(), 0, "archive {n} left something behind");
    }
    std::fs::write(fixture.file(), &whole).unwrap();
    assert!(fixture.restore("to0").await.2.is_ok(), "the directory is usable after a failed restore");
    assert!(!fixture.dir.path().join("kim").exists());
}

#[tokio::test]
async fn postgres_and_missing_databases_are_rejected() {
    let mut fixture = fixture();
    fixture.source.database = DatabaseUrl::Postgres("postgres:///x".into());
    let error = backup::save(&fixture.source, &fixture.blobs, &fixture.file()).await.unwrap_err();
    assert!(error.to_string().contains("pg_dump"), "{error}");
    fixture.source.database = DatabaseUrl::Sqlite(fixture.dir.path().join("none.db"));
    assert!(backup::save(&fixture.source, &fixture.blobs, &fixture.file()).await.is_err());
    assert!(!fixture.file().exists());
}
