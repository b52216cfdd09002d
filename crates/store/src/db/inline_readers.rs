//! Idle connections for short reads on the calling thread. A hop to a reader thread takes longer than such a read.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::db::damage::DamageState;
use crate::db::queue::TransactionScope;
use crate::db::{StoreConfig, sqlite};
use crate::{Error, Result, Tx};

/// Most inline reads at once: about as many as the runtime has threads. More run on reader threads.
const INLINE_READERS_MAX: usize = 4;

/// The idle connections; none on PostgreSQL.
#[derive(Default)]
pub(crate) struct InlineReaders(Mutex<Vec<Tx>>);

impl InlineReaders {
    /// Opens the connections to an embedded database.
    ///
    /// # Errors
    /// Returns an error if the database can't be opened.
    pub(crate) fn open(path: &Path, config: &StoreConfig, damage: &DamageState) -> Result<Self> {
        let open = |_| Ok(sqlite::open_reader(path, config)?.with_damage(damage.clone()));
        Ok(Self(Mutex::new((0..INLINE_READERS_MAX).map(open).collect::<Result<_>>()?)))
    }

    /// Runs a unit on an idle connection; `None` if all are busy. Not async, because a future would keep space for
    /// the connection while it waits.
    pub(crate) fn read<T, E: From<Error>>(
        &self,
        scope: TransactionScope,
        work: &impl Fn(&mut Tx) -> Result<T, E>,
    ) -> Option<Result<T, E>> {
        let mut tx = self.idle().pop()?;
        let result = sqlite::read_here(&mut tx, scope, work);
        self.idle().push(tx);
        Some(result)
    }

    /// Closes the connections.
    pub(crate) fn close(&self) {
        self.idle().clear();
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Tx>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
