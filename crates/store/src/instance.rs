//! Facts about this instance as a whole, one row a name; and the question whether the store takes writes.

use crate::{Result, Store, p, statements};

statements! {
    NOTE = "INSERT INTO instance (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value";
}

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
