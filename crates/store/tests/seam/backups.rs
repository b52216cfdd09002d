//! Backup and restore of an embedded store.

use crate::support::*;
use bytes::Bytes;
use posthouse_store::{Blobs, DatabaseUrl, Digest, Error, Store, backup};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

struct House {
    dir: Dir,
    store: Store,
    blobs: Blobs,
    source: backup::Source,
}

fn house() -> House {
    let dir = Dir::new();
    let data_dir = dir.path().join("data");
    std::fs::create_dir_all(data_dir.join("keys/dkim")).unwrap();
    std::fs::write(data_dir.join("keys/dkim/a.pem"), "a key").unwrap();
    let database = DatabaseUrl::Sqlite(data_dir.join(backup::DATABASE_FILE));
    let store = Store::open(config(database.clone())).unwrap();
    let blobs = Blobs::files(data_dir.join(backup::BLOBS_DIR));
    let source = backup::Source { database, data_dir, folders: vec!["keys".into(), "missing".into()] };
    House { dir, store, blobs, source }
}

impl House {
    fn file(&self) -> PathBuf {
        self.dir.path().join("backup.tar")
    }

    async fn restore(&self, to: &str) -> (PathBuf, Blobs, Result<backup::Contents, Error>) {
        let to = self.dir.path().join(to);
        let blobs = Blobs::files(to.join(backup::BLOBS_DIR));
        let restored = backup::restore(&self.file(), &to, &blobs).await;
        (to, blobs, restored)
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_copy_made_under_load_is_whole() {
    let house = house();
    let stop = Arc::new(AtomicBool::new(false));
    let (store, blobs, flag) = (house.store.clone(), house.blobs.clone(), stop.clone());
    // A blob, then the row that names it, over and over.
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
    while house.store.read(|tx| tx.rows::<(String,)>(&NAMES, &[])).await.unwrap().len() < 20 {}
    let contents = backup::save(&house.source, &house.blobs, &house.file()).await.unwrap();
    stop.store(true, Ordering::SeqCst);
    load.await.unwrap();
    assert_eq!(contents.files, 1);
    let (to, blobs, restored) = house.restore("restored").await;
    assert_eq!(restored.unwrap(), contents);
    assert_eq!(std::fs::read_to_string(to.join("keys/dkim/a.pem")).unwrap(), "a key");
    let copy = Store::open(config(DatabaseUrl::Sqlite(to.join(backup::DATABASE_FILE)))).unwrap();
    let named = copy.read(|tx| tx.rows::<(String,)>(&NAMES, &[])).await.unwrap();
    assert!(named.len() >= 20);
    for (name,) in named {
        let digest: Digest = name.parse().unwrap();
        assert!(blobs.get(&digest).await.unwrap().is_some(), "a row of the copy names a blob that is not in it");
    }
    let left: Vec<_> = std::fs::read_dir(house.dir.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert!(!left.iter().any(|name| name.to_string_lossy().contains("partial")), "{left:?}");
}

#[tokio::test]
async fn a_directory_in_use_is_refused() {
    let house = house();
    backup::save(&house.source, &house.blobs, &house.file()).await.unwrap();
    let error = house.restore("data").await.2.unwrap_err();
    assert!(error.to_string().contains("is not empty"), "{error}");
}

#[tokio::test]
async fn damaged_archives_are_refused() {
    let house = house();
    house.blobs.put(Bytes::from(vec![b'b'; 5000])).await.unwrap();
    backup::save(&house.source, &house.blobs, &house.file()).await.unwrap();
    let whole = std::fs::read(house.file()).unwrap();
    let place = |bytes: &[u8]| whole.windows(bytes.len()).position(|w| w == bytes).unwrap();
    let flipped = |at: usize| {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        bytes
    };
    let outside = {
        let mut text = whole.clone();
        let name = place(b"keys/d");
        text[name..name + 6].copy_from_slice(b"../../");
        text
    };
    // A flipped bit of a blob, of a key and of an unused page of the database, an archive cut in its middle, one cut
    // before its last member, a name that leads outside, no archive at all.
    let page_bytes = 4096;
    let archives = [
        flipped(place(&[b'b'; 20])),
        flipped(place(b"a key")),
        flipped(place(b"SQLite format 3") + page_bytes - 200),
        whole[..whole.len() / 2].to_vec(),
        whole[..whole.len() - 2048].to_vec(),
        outside,
        vec![0xA5; 5000],
    ];
    for (n, bytes) in archives.iter().enumerate() {
        std::fs::write(house.file(), bytes).unwrap();
        let (to, _, restored) = house.restore(&format!("to{n}")).await;
        assert!(restored.is_err(), "archive {n}");
        assert_eq!(std::fs::read_dir(&to).unwrap().count(), 0, "archive {n} left something behind");
    }
    std::fs::write(house.file(), &whole).unwrap();
    assert!(house.restore("to0").await.2.is_ok(), "after a failure the directory can be used");
    assert!(!house.dir.path().join("kim").exists());
}

#[tokio::test]
async fn postgres_and_missing_databases_are_refused() {
    let mut house = house();
    house.source.database = DatabaseUrl::Postgres("postgres:///x".into());
    let error = backup::save(&house.source, &house.blobs, &house.file()).await.unwrap_err();
    assert!(error.to_string().contains("pg_dump"), "{error}");
    house.source.database = DatabaseUrl::Sqlite(house.dir.path().join("none.db"));
    assert!(backup::save(&house.source, &house.blobs, &house.file()).await.is_err());
    assert!(!house.file().exists());
}
