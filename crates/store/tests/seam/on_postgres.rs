//! Behavior specific to PostgreSQL: server outages, other processes, retries.

use crate::postgres::Cluster;
use crate::support::*;
use posthouse_store::{DatabaseUrl, Engine, Error, Store, Tx, p, statements};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use uuid::Uuid;

statements! {
    NARROW = "SELECT name FROM counters WHERE n <= $1 + 60000";
    SUM = "SELECT sum(n) FROM counters";
    CAST_SUM = "SELECT CAST(sum(n) AS BIGINT) FROM counters";
    LOCK_AND_ADD = "UPDATE counters SET n = n + $2 WHERE name = $1";
    NARROWER_COLUMN = "ALTER TABLE counters ALTER COLUMN n TYPE INTEGER";
}

fn database(cluster: &Cluster) -> DatabaseUrl {
    cluster.create_database().parse().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_store_recovers_from_a_database_outage() {
    let cluster = Cluster::start();
    let store = Store::open(config(database(&cluster))).unwrap();
    let id = Uuid::from_u128(3);
    let mut acknowledged = 0;
    for order in ["stop", "crash"] {
        store.write(|tx| bump(tx, "c")).await.unwrap();
        acknowledged += 1;
        cluster.command(order);
        for _ in 0..30 {
            let result = store.write(|tx| bump(tx, "c")).await;
            assert!(matches!(result, Err(Error::Unavailable(_))), "{result:?}");
            assert!(matches!(store.read(|tx| get(tx, "c")).await, Err(Error::Unavailable(_))));
        }
        cluster.command("start");
        let mut waiter = store.subscribe(id);
        // The pause after a failed attempt must end without intervention.
        while store.write(|tx| bump(tx, "c")).await.is_err() {
            tokio::task::yield_now().await;
        }
        acknowledged += 1;
        assert_eq!(store.read(|tx| get(tx, "c")).await.unwrap(), Some(acknowledged));
        waiter.changed().await; // the listener reconnects and wakes all waiters, because wakes may have been lost
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn terminated_idle_connections_cause_no_errors() {
    let store = Store::open(config(database(Cluster::shared()))).unwrap();
    let terminate = posthouse_store::Sql::from_fragments(
        "TERMINATE",
        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
          WHERE datname = current_database() AND pid <> pg_backend_pid()"
            .to_owned(),
    );
    for i in 0..100i64 {
        if i % 10 == 9 {
            let terminate = terminate.clone();
            let (n,): (i64,) = store.read(move |tx| tx.one(&terminate, p![])).await.unwrap().unwrap();
            assert!(n > 0);
        }
        assert_eq!(store.write(|tx| bump(tx, "c")).await.unwrap(), i + 1);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn deadlocked_units_are_retried() {
    let store = Store::open(config(database(Cluster::shared()))).unwrap();
    for name in ["a", "b"] {
        store.write(move |tx| tx.exec(&SET, p![name, 0i64])).await.unwrap();
    }
    let barrier = Arc::new(std::sync::Barrier::new(2));
    let runs = Arc::new(AtomicU32::new(0));
    let crossing = |first: &'static str, second: &'static str| {
        let (barrier, runs, mine) = (barrier.clone(), runs.clone(), AtomicU32::new(0));
        store.write(move |tx: &mut Tx| {
            tx.exec(&LOCK_AND_ADD, p![first, 1i64])?;
            runs.fetch_add(1, Ordering::SeqCst);
            if mine.fetch_add(1, Ordering::SeqCst) == 0 {
                barrier.wait(); // on the first run, each holds the row that the other needs
            }
            tx.exec(&LOCK_AND_ADD, p![second, 1i64])
        })
    };
    let (one, two) = tokio::join!(crossing("a", "b"), crossing("b", "a"));
    assert_eq!((one.unwrap(), two.unwrap()), (1, 1));
    assert!(runs.load(Ordering::SeqCst) >= 3, "one of the two was retried");
    assert_eq!(store.read(|tx| Ok::<_, Error>((get(tx, "a")?, get(tx, "b")?))).await.unwrap(), (Some(2), Some(2)));
}

#[tokio::test]
async fn parameters_of_a_narrower_type_are_rejected() {
    let store = Store::open(config(database(Cluster::shared()))).unwrap();
    let error = store.read(|tx| tx.rows::<(String,)>(&NARROW, p![1i64])).await.unwrap_err();
    assert!(error.internal().contains("NARROW"), "{error:?}");
    let error = store.write(|tx| {
        bump(tx, "x")?;
        tx.one::<(i64,)>(&SUM, p![])
    });
    assert!(error.await.unwrap_err().internal().contains("SUM"));
    store.write(|tx| bump(tx, "x")).await.unwrap();
    assert_eq!(store.read(|tx| tx.one::<(i64,)>(&CAST_SUM, p![])).await.unwrap(), Some((1,)));
}

#[tokio::test]
async fn a_statement_prepared_before_a_migration_is_prepared_again() {
    let mut config = config(database(Cluster::shared()));
    (config.reader_threads, config.writer_threads) = (1, 1);
    let store = Store::open(config).unwrap();
    store.write(|tx| bump(tx, "a")).await.unwrap();
    assert_eq!(store.read(|tx| get(tx, "a")).await.unwrap(), Some(1));
    store.write(|tx| tx.exec(&NARROWER_COLUMN, p![])).await.unwrap();
    // PostgreSQL rejects the old plan, because its result type changed.
    assert_eq!(store.read(|tx| get(tx, "a")).await.unwrap(), Some(1));
    assert_eq!(store.write(|tx| bump(tx, "a")).await.unwrap(), 2);
}

#[tokio::test]
async fn wakes_reach_other_processes() {
    let url = database(Cluster::shared());
    let (here, there) = (Store::open(config(url.clone())).unwrap(), Store::open(config(url)).unwrap());
    assert_eq!(there.engine(), Engine::Postgres);
    let id = Uuid::from_u128(11);
    for i in 1..=20i64 {
        let mut waiter = there.subscribe(id);
        here.write(move |tx| {
            tx.wake(id);
            bump(tx, "c")
        })
        .await
        .unwrap();
        waiter.changed().await;
        assert_eq!(there.read(|tx| get(tx, "c")).await.unwrap(), Some(i));
    }
}
