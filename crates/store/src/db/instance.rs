//! Facts about this instance, one row per name, and the write probes.

use crate::{Error, Result, Store, Tx, p, statements};

statements! {
    /// Returns the value stored under a name.
    pub fn get_value(name: &str) -> Option<String> = "SELECT value FROM instance WHERE name = :name";
    NOTE = "INSERT INTO instance (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value";
    NOTE_FIRST = "INSERT INTO instance (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING";
    COUNT_COMMIT = "INSERT INTO instance (name, value) VALUES ('commits', '1')
        ON CONFLICT (name) DO UPDATE SET value = CAST(CAST(instance.value AS BIGINT) + 1 AS TEXT)
        RETURNING CAST(value AS BIGINT)";
    COMMITS = "SELECT CAST(value AS BIGINT) FROM instance WHERE name = 'commits'";
    /// Returns whether the store holds any data.
    pub fn is_used() -> bool = "SELECT CAST(1 AS BIGINT) FROM instance WHERE name <> 'probe'
        UNION ALL SELECT CAST(1 AS BIGINT) FROM workspaces LIMIT 1";
}

/// Returns a row if the server is no standby, its transactions aren't read-only by default, and the user may write.
static ACCEPTS_WRITES: crate::Sql = crate::Sql::constant(
    "ACCEPTS_WRITES",
    "SELECT 1",
    Some(
        "SELECT CAST(1 AS BIGINT) FROM pg_settings
          WHERE name = 'default_transaction_read_only' AND reset_val = 'off'
            AND NOT pg_is_in_recovery() AND has_table_privilege('instance', 'INSERT, UPDATE')",
    ),
);

/// Name of the row that holds the store ID.
const STORE_ID: &str = "store_id";

/// Increments the commit counter within the transaction and returns the new count.
pub fn count_commit(tx: &mut Tx) -> Result<u64> {
    let count = tx.value::<i64>(&COUNT_COMMIT, p![])?.unwrap_or(0);
    Ok(u64::try_from(count).unwrap_or(0))
}

/// Returns the number of commits counted.
pub fn commits(tx: &mut Tx) -> Result<u64> {
    let count = tx.value::<i64>(&COMMITS, p![])?.unwrap_or(0);
    Ok(u64::try_from(count).unwrap_or(0))
}

/// Returns the ID that ties the store to its data directory, or `None` before [`name_store`].
pub fn store_id(tx: &mut Tx) -> Result<Option<String>> {
    get_value(tx, STORE_ID)
}

/// Assigns the store an ID unless it already has one, and returns the store's ID.
pub fn name_store(tx: &mut Tx, id: &str) -> Result<String> {
    Ok(set_value_if_absent(tx, STORE_ID, id)?.unwrap_or_default())
}

/// Stores a value under a name and replaces any existing value.
pub fn set_value(tx: &mut Tx, name: &str, value: &str) -> Result<()> {
    tx.exec(&NOTE, p![name, value])?;
    Ok(())
}

/// Stores a value under a name unless one exists, and returns the stored value.
pub fn set_value_if_absent(tx: &mut Tx, name: &str, value: &str) -> Result<Option<String>> {
    tx.exec(&NOTE_FIRST, p![name, value])?;
    get_value(tx, name)
}

/// Bytes that [`probe_space`] writes: more than the free space left inside the database files when the disk is full.
pub const PROBE_BYTES: usize = 512 * 1024;

/// Returns whether the database accepts writes of this user, without writing. On SQLite this depends on the files alone.
pub fn accepts_writes(tx: &mut Tx) -> Result<bool> {
    Ok(tx.value::<i64>(&ACCEPTS_WRITES, p![])?.is_some())
}

/// Writes a small row to check that the store accepts writes; used for readiness.
///
/// # Errors
/// Returns an error if the write fails: full, overloaded or unavailable.
pub async fn probe(store: &Store) -> Result<()> {
    store
        .write(|tx| {
            tx.exec(&NOTE, p!["probe", ""])?;
            Ok(())
        })
        .await
}

/// Writes and removes as many bytes as a message may need, to check whether a full store has space again.
///
/// # Errors
/// Returns an error if the write fails: full, overloaded or unavailable.
pub async fn probe_space(store: &Store) -> Result<()> {
    store
        .write(|tx| {
            tx.exec(&NOTE, p!["probe", " ".repeat(PROBE_BYTES).as_str()])?;
            Ok::<(), Error>(())
        })
        .await?;
    probe(store).await
}
