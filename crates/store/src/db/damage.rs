//! Damage state of the database. Once damage is found, nothing is written until the process restarts: a message written
//! to a damaged database would be acknowledged and perhaps lost.

use crate::{Error, Result};
use std::sync::Arc;
use tokio::sync::watch;

/// The damage state shared by the store and all its connections.
#[derive(Clone, Default)]
pub(crate) struct DamageState(Arc<watch::Sender<Option<Arc<str>>>>);

impl DamageState {
    /// Records an error. The first damage is logged and kept; later damage belongs to the same incident.
    pub(crate) fn record(&self, error: &Error) {
        let Error::DatabaseDamaged(cause) = error else { return };
        let is_first = self.0.send_if_modified(|known| {
            let is_first = known.is_none();
            known.get_or_insert_with(|| cause.clone());
            is_first
        });
        if is_first {
            tracing::error!(cause = &**cause, "store.damaged");
        }
    }

    /// Calls [`DamageState::record`] if the result is an error, and returns the result.
    pub(crate) fn record_result<T>(&self, result: Result<T>) -> Result<T> {
        result.inspect_err(|error| self.record(error))
    }

    /// Returns the engine's message if there is damage.
    pub(crate) fn cause(&self) -> Option<Arc<str>> {
        self.0.borrow().clone()
    }

    /// Returns the error for any write attempted now, if there is damage.
    pub(crate) fn error(&self) -> Option<Error> {
        self.cause().map(Error::DatabaseDamaged)
    }

    /// Waits until there is damage.
    pub(crate) async fn occurred(&self) {
        // The sender is part of `self`, so waiting can't fail.
        let _ = self.0.subscribe().wait_for(Option::is_some).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_first_damage_and_ignores_other_errors() {
        let damage = DamageState::default();
        damage.record(&Error::StorageFull("x".into()));
        damage.record(&Error::corrupt("a row"));
        assert!(damage.cause().is_none() && damage.error().is_none());
        let shared = damage.clone();
        assert!(shared.record_result(Err::<(), _>(Error::damaged("page 7"))).is_err());
        damage.record(&Error::damaged("page 9"));
        assert_eq!(damage.cause().as_deref(), Some("page 7"));
        assert!(matches!(damage.error(), Some(Error::DatabaseDamaged(_))));
    }
}
