//! Facts about this instance as a whole, one row a name; and the question whether the store takes writes.

use crate::{Error, Result, Store, Tx, p, statements};

statements! {
    GET = "SELECT value FROM instance WHERE name = $1";
    NOTE = "INSERT INTO instance (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value";
    NOTE_FIRST = "INSERT INTO instance (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING";
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
