//! Behavior specific to SQLite: one disk, one writer, group commit.

use crate::support::*;
use posthouse_store::{Error, Store, p};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use uuid::Uuid;

/// Size of one row: a few hundred of them fill the file.
const BODY_BYTES: usize = 3000;
const WRITES: u128 = 600;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn on_a_full_disk_exactly_the_acknowledged_units_are_stored() {
    let dir = Dir::new();
    let mut config = sqlite_config(&dir);
    config.sqlite_pages_max = Some(200);
    let store = Store::open(config).unwrap();
    let tasks: Vec<_> = (1..=WRITES)
        .map(|i| {
            let store = store.clone();
            tokio::spawn(async move {
                let id = Uuid::from_u128(i);
                let put = move |tx: &mut posthouse_store::Tx| {
                    tx.exec(&PUT_THING, p![id, "x", 0.0, vec![7u8; BODY_BYTES], true, 1i64])
                };
                (id, store.write(put).await)
            })
        })
        .collect();
    let (mut stored, mut failed) = (0, 0);
    for task in tasks {
        let (id, result) = task.await.unwrap();
        let row: Option<(Uuid,)> = store.read(move |tx| tx.one(&THING_ID, p![id])).await.unwrap();
        match result {
            Ok(1) => {
                assert!(row.is_some(), "acknowledged but missing");
                stored += 1;
            }
            Err(Error::StorageFull(_)) => {
                assert!(row.is_none(), "stored but failed");
                failed += 1;
            }
            other => panic!("{other:?}"),
        }
    }
    assert!(stored > 20 && failed > 20, "{stored} stored, {failed} failed: the disk must fill up midway");
    // The store keeps working: a write that fits succeeds.
    store.write(|tx| tx.exec(&SET, p!["small", 1i64])).await.unwrap();
}

/// Keeps the writer busy until the sender is dropped, so that units queued meanwhile form one group.
async fn block(store: &Store) -> (mpsc::Sender<()>, tokio::task::JoinHandle<Result<(), Error>>) {
    let (release, wait) = mpsc::channel::<()>();
    let (wait, started) = (std::sync::Mutex::new(wait), Arc::new(AtomicBool::new(false)));
    let (writer, flag) = (store.clone(), started.clone());
    let unit = tokio::spawn(async move {
        writer
            .write(move |_| {
                flag.store(true, Ordering::SeqCst);
                let _ = wait.lock().unwrap().recv();
                Ok(())
            })
            .await
    });
    while !started.load(Ordering::SeqCst) {
        tokio::task::yield_now().await;
    }
    (release, unit)
}

#[tokio::test]
async fn a_full_queue_is_reported_immediately() {
    let dir = Dir::new();
    let mut config = sqlite_config(&dir);
    config.queue_len = 3;
    let store = Store::open(config).unwrap();
    let (release, blocker) = block(&store).await;
    let results: Vec<_> = (0..5)
        .map(|i| {
            let store = store.clone();
            tokio::spawn(async move { store.write(move |tx| bump(tx, &format!("q{i}"))).await })
        })
        .collect();
    while store.queued().writes < 3 {
        tokio::task::yield_now().await;
    }
    tokio::task::yield_now().await;
    drop(release);
    blocker.await.unwrap().unwrap();
    let mut outcomes = (0, 0);
    for result in results {
        match result.await.unwrap() {
            Ok(_) => outcomes.0 += 1,
            Err(Error::Overloaded) => outcomes.1 += 1,
            Err(other) => panic!("{other:?}"),
        }
    }
    assert_eq!(outcomes, (3, 2));
}

#[tokio::test]
async fn a_group_keeps_successful_units_whatever_the_others_do() {
    let dir = Dir::new();
    let store = Store::open(sqlite_config(&dir)).unwrap();
    // All combinations of success, error and panic among five units of one group.
    for pattern in 0..3u32.pow(5) {
        let (release, blocker) = block(&store).await;
        let units: Vec<_> = (0..5)
            .map(|at| {
                let (store, kind) = (store.clone(), pattern / 3u32.pow(at) % 3);
                let unit = async move {
                    store
                        .write(move |tx| {
                            bump(tx, &format!("p{pattern}-{at}"))?;
                            match kind {
                                0 => Ok(()),
                                1 => Err(Error::Overloaded),
                                _ => std::panic::resume_unwind(Box::new("quietly")),
                            }
                        })
                        .await
                };
                (at, kind, tokio::spawn(unit))
            })
            .collect();
        while store.queued().writes < 5 {
            tokio::task::yield_now().await;
        }
        drop(release);
        blocker.await.unwrap().unwrap();
        for (at, kind, unit) in units {
            assert_eq!(unit.await.unwrap().is_ok(), kind == 0);
            let stored = store.read(move |tx| get(tx, &format!("p{pattern}-{at}"))).await.unwrap();
            assert_eq!(stored, (kind == 0).then_some(1), "pattern {pattern}, unit {at}");
        }
    }
}

#[tokio::test]
async fn a_commit_of_another_process_wakes_all_waiters() {
    let dir = Dir::new();
    let store = Store::open(sqlite_config(&dir)).unwrap();
    let other = Store::open(sqlite_config(&dir)).unwrap(); // simulates another process: only the file is shared
    let mut waiter = store.subscribe(Uuid::from_u128(9));
    other.write(|tx| bump(tx, "foreign")).await.unwrap();
    waiter.changed().await;
    assert_eq!(store.read(|tx| get(tx, "foreign")).await.unwrap(), Some(1));
}

#[tokio::test]
async fn durability_settings_are_correct() {
    let dir = Dir::new();
    let store = Store::open(sqlite_config(&dir)).unwrap();
    let pragma = |text: &str| posthouse_store::Sql::from_fragments("PRAGMA", text.to_owned());
    let (synchronous, foreign_keys) = (pragma("PRAGMA synchronous"), pragma("PRAGMA foreign_keys"));
    let read_settings = move |tx: &mut posthouse_store::Tx| {
        let (s,): (i64,) = tx.one(&synchronous, p![])?.unwrap();
        let (f,): (bool,) = tx.one(&foreign_keys, p![])?.unwrap();
        Ok::<_, Error>((s, f))
    };
    assert_eq!(store.write(read_settings).await.unwrap(), (2, true), "synchronous must be FULL, foreign keys on");
    let (mode,): (String,) = store.read(move |tx| tx.one(&pragma("PRAGMA journal_mode"), p![])).await.unwrap().unwrap();
    assert_eq!(mode, "wal");
}
