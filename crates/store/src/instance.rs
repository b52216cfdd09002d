//! Facts about this instance as a whole, one row a name; and the question whether the store takes writes.

use crate::{Error, Result, Store, Tx, p, statements};

statements! {
    GET = "SELECT value FROM instance WHERE name = $1";
    NOTE = "INSERT INTO instance (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value";
    NOTE_FIRST = "INSERT INTO instance (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING";
    COUNT_COMMIT = "INSERT INTO instance (name, value) VALUES ('commits', '1')
        ON CONFLICT (name) DO UPDATE SET value = CAST(CAST(instance.value AS BIGINT) + 1 AS TEXT)
        RETURNING CAST(value AS BIGINT)";
    COMMITS = "SELECT CAST(value AS BIGINT) FROM instance WHERE name = 'commits'";
    IS_USED = "SELECT CAST(1 AS BIGINT) FROM instance WHERE name <> 'probe'
        UNION ALL SELECT CAST(1 AS BIGINT) FROM workspaces LIMIT 1";
}

/// Under which name the store's own id is noted.
const STORE_ID: &str = "store_id";

/// Counts a commit, as a part of it; gives how many there were with this one.
///
/// # Errors
/// The store's own.
pub fn count_commit(tx: &mut Tx) -> Result<u64> {
    let count = tx.value::<i64>(&COUNT_COMMIT, p![])?.unwrap_or(0);
    Ok(u64::try_from(count).unwrap_or(0))
}

/// How many commits were counted.
///
/// # Errors
/// The store's own.
pub fn commits(tx: &mut Tx) -> Result<u64> {
    let count = tx.value::<i64>(&COMMITS, p![])?.unwrap_or(0);
    Ok(u64::try_from(count).unwrap_or(0))
}

/// The id of the store: what its data directory knows it by. None before [`name_store`].
///
/// # Errors
/// The store's own.
pub fn store_id(tx: &mut Tx) -> Result<Option<String>> {
    noted(tx, STORE_ID)
}

/// Gives the store an id unless it has one; gives the one that it has then.
///
/// # Errors
/// The store's own.
pub fn name_store(tx: &mut Tx, id: &str) -> Result<String> {
    Ok(note_first(tx, STORE_ID, id)?.unwrap_or_default())
}

/// Whether there is anything in the store that somebody could miss.
///
/// # Errors
/// The store's own.
pub fn is_used(tx: &mut Tx) -> Result<bool> {
    Ok(tx.value::<i64>(&IS_USED, p![])?.is_some())
}

/// What was noted under a name.
///
/// # Errors
/// The store's own.
pub fn noted(tx: &mut Tx, name: &str) -> Result<Option<String>> {
    tx.value(&GET, p![name])
}

/// Notes something under a name, instead of what was there.
///
/// # Errors
/// The store's own.
pub fn note(tx: &mut Tx, name: &str, value: &str) -> Result<()> {
    tx.exec(&NOTE, p![name, value])?;
    Ok(())
}

/// Notes something under a name unless something was noted there before; gives what stands there then.
///
/// # Errors
/// The store's own.
pub fn note_first(tx: &mut Tx, name: &str, value: &str) -> Result<Option<String>> {
    tx.exec(&NOTE_FIRST, p![name, value])?;
    noted(tx, name)
}

/// Bytes that [`probe_room`] writes: more than what is left over in the files of a database whose disk is full.
pub const PROBE_BYTES: usize = 512 * 1024;

/// Writes to the disk and says whether that went well: the readiness of the store.
///
/// # Errors
/// The store's own: full, overloaded, unavailable.
pub async fn probe(store: &Store) -> Result<()> {
    store
        .write(|tx| {
            tx.exec(&NOTE, p!["probe", ""])?;
            Ok(())
        })
        .await
}

/// Writes as much as a mail may need and gives it back: whether a store that was full has room again.
///
/// # Errors
/// The store's own: full, overloaded, unavailable.
pub async fn probe_room(store: &Store) -> Result<()> {
    store
        .write(|tx| {
            tx.exec(&NOTE, p!["probe", " ".repeat(PROBE_BYTES).as_str()])?;
            Ok::<(), Error>(())
        })
        .await?;
    probe(store).await
}
