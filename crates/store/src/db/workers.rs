//! The writer and reader threads of a store.

use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;

use crossbeam_channel::Receiver;

use crate::db::damage::DamageState;
use crate::db::incident::{StoreIncident, StorePart};
use crate::db::queue::StoreCommand;
use crate::db::read_shares::SharedQueue;
use crate::db::{StoreConfig, notify, sqlite, wakes::Wakes};
use crate::{Error, Result};

/// The queues of the writer and reader threads.
pub(crate) struct Queues {
    pub(crate) write: Receiver<StoreCommand>,
    pub(crate) read: SharedQueue,
}

pub(crate) fn start_sqlite(
    path: &Path,
    config: &StoreConfig,
    writer: sqlite::SqliteWriter,
    read_queue: &SharedQueue,
    damage: &DamageState,
) -> Result<Vec<JoinHandle<()>>> {
    let mut threads = vec![spawn("db-write".into(), move || writer.run())?];
    threads.extend(start_sqlite_readers(path, config, read_queue, damage)?);
    Ok(threads)
}

pub(crate) fn start_sqlite_readers(
    path: &Path,
    config: &StoreConfig,
    read_queue: &SharedQueue,
    damage: &DamageState,
) -> Result<Vec<JoinHandle<()>>> {
    let mut threads = Vec::new();
    let incident = Arc::new(StoreIncident::new(StorePart::Reads, config.watch.clone()));
    for n in 0..config.reader_threads.max(1) {
        let (tx, queue) = (sqlite::open_reader(path, config)?.with_damage(damage.clone()), read_queue.clone());
        let incident = incident.clone();
        threads.push(spawn(format!("db-read-{n}"), move || sqlite::read_loop(tx, &queue, &incident))?);
    }
    Ok(threads)
}

/// The threads, and a receiver that disconnects once the other processes are notified of all commits.
pub(crate) type PostgresThreads = (Vec<JoinHandle<()>>, Receiver<()>);

pub(crate) fn start_postgres(
    url: &str,
    config: &StoreConfig,
    queues: Queues,
    wakes: &Wakes,
    damage: &DamageState,
) -> Result<PostgresThreads> {
    use crate::db::postgres::{PgMode, PgShared, PgWorker};
    let (notifier, notified) = notify::WakeNotifier::start(url, wakes, config.serving)?;
    let shared = Arc::new(PgShared::new(url, config, wakes.clone(), damage.clone(), notifier));
    let mut threads = Vec::new();
    let kinds = [
        (PgMode::Write, "write", config.writer_threads, queues.read.of(queues.write)),
        (PgMode::Read, "read", config.reader_threads, queues.read),
    ];
    for (mode, name, count, queue) in kinds {
        if mode == PgMode::Write && config.read_only {
            continue;
        }
        for n in 0..count.max(1) {
            let (worker, queue) = (PgWorker::new(shared.clone(), mode), queue.clone());
            threads.push(spawn(format!("db-{name}-{n}"), move || worker.run(&queue))?);
        }
    }
    Ok((threads, notified))
}

fn spawn(name: String, body: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>> {
    std::thread::Builder::new().name(name).spawn(body).map_err(Error::unavailable)
}
