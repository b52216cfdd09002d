//! Limits of reads: the time of a statement, and the readers that one workspace uses. Both engines.

use crate::support::*;
use posthouse_domain::id::WorkspaceId;
use posthouse_store::ReadScope;
use posthouse_store::{Error, Store, StoreConfig, Tx, p, statements};
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Waker};
use uuid::Uuid;

statements! {
    /// Counts for hours.
    SLOW = "WITH RECURSIVE n (i) AS (SELECT CAST(1 AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i < 1000000000000)
        SELECT CAST(sum(i) AS BIGINT) FROM n";
}

const SLOW_WORKSPACE: WorkspaceId = WorkspaceId(Uuid::from_u128(1));
const OTHER_WORKSPACE: WorkspaceId = WorkspaceId(Uuid::from_u128(2));

fn slow(tx: &mut Tx) -> Result<Option<i64>, Error> {
    tx.value(&SLOW, p![])
}

/// Runs a test on stores with four readers, of which one workspace uses one.
async fn with_limits(statement_ms: u64, test: impl AsyncFn(Store)) {
    on_both(async |store, config| {
        store.close();
        let limited = StoreConfig { reader_threads: 4, queue_len: 8, statement_ms: Some(statement_ms), ..config };
        let store = Store::open(limited).unwrap();
        test(store.clone()).await;
        store.close();
    })
    .await;
}

#[tokio::test]
async fn a_slow_statement_ends_at_its_limit_and_the_reader_works_on() {
    with_limits(50, async |store| {
        for _ in 0..2 {
            for result in [
                store.read(slow).await,
                store.read_in(ReadScope::Lookup, slow).await,
                store.read_in(ReadScope::Statement, slow).await,
            ] {
                assert!(matches!(result, Err(Error::StatementTime(50))), "{result:?}");
            }
            assert_eq!(store.read(|tx| get(tx, "none")).await.unwrap(), None);
        }
        // Writes have no limit: they work in bounded steps.
        store.write(|tx| bump(tx, "n")).await.unwrap();
    })
    .await;
}

/// A read of the slow workspace that has begun: it runs, or waits in the queue.
type BegunRead = Pin<Box<dyn Future<Output = Result<Option<i64>, Error>> + Send>>;

fn begin(store: &Store) -> BegunRead {
    begin_with(store, slow)
}

fn begin_with(
    store: &Store,
    work: impl Fn(&mut Tx) -> Result<Option<i64>, Error> + Send + Sync + 'static,
) -> BegunRead {
    let store = store.clone();
    let mut read: BegunRead = Box::pin(async move { store.read_in(SLOW_WORKSPACE.into(), work).await });
    let polled = read.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    assert!(polled.is_pending());
    read
}

#[tokio::test]
async fn slow_reads_of_one_workspace_delay_no_other() {
    with_limits(2_000, async |store| {
        // The share is one reader, and two reads may wait.
        let mut reads: Vec<BegunRead> = (0..3).map(|_| begin(&store)).collect();
        let refused = store.read_in(SLOW_WORKSPACE.into(), |tx| get(tx, "n")).await;
        assert!(matches!(refused, Err(Error::TooManyReads(1))), "{refused:?}");
        for _ in 0..20 {
            store.read_in(OTHER_WORKSPACE.into(), |tx| get(tx, "n")).await.unwrap();
        }
        for read in &mut reads {
            let polled = read.as_mut().poll(&mut Context::from_waker(Waker::noop()));
            assert!(polled.is_pending(), "the other workspace waited for the slow reads");
        }
        let result = reads.swap_remove(0).await;
        assert!(matches!(result, Err(Error::StatementTime(2_000))), "{result:?}");
        drop(reads);
        store.read_in(SLOW_WORKSPACE.into(), |tx| get(tx, "n")).await.unwrap();
    })
    .await;
}

/// A client that disconnects must not get more than its share: its read runs on and keeps its place.
#[tokio::test]
async fn a_read_whose_caller_is_gone_keeps_its_place() {
    with_limits(500, async |store| {
        let (started, running) = std::sync::mpsc::channel();
        let running_read = begin_with(&store, move |tx| {
            let _ = started.send(());
            slow(tx)
        });
        tokio::task::spawn_blocking(move || running.recv()).await.unwrap().unwrap();
        drop(running_read);
        let waiting = [begin(&store), begin(&store)];
        let refused = store.read_in(SLOW_WORKSPACE.into(), |tx| get(tx, "n")).await;
        assert!(matches!(refused, Err(Error::TooManyReads(1))), "{refused:?}");
        drop(waiting);
        store.read_in(SLOW_WORKSPACE.into(), |tx| get(tx, "n")).await.unwrap();
    })
    .await;
}
