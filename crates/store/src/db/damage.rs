//! Whether the database was found damaged. Once it was, nothing more is written until the process starts again: a mail that
//! went into a damaged database would be acknowledged and perhaps lost.

use crate::{Error, Result};
use std::sync::Arc;
use tokio::sync::watch;

/// Shared by the store and all its connections.
#[derive(Clone, Default)]
pub(crate) struct Damage(Arc<watch::Sender<Option<Arc<str>>>>);

impl Damage {
    /// Looks at a failure. The first that is damage is logged and remembered; later ones are the same incident.
    pub(crate) fn note(&self, error: &Error) {
        let Error::Damaged(cause) = error else { return };
        let is_first = self.0.send_if_modified(|known| {
            let is_first = known.is_none();
            known.get_or_insert_with(|| cause.clone());
            is_first
        });
        if is_first {
            tracing::error!(cause = &**cause, "store.damaged");
        }
    }

    /// [`Damage::note`] for a result on its way.
    pub(crate) fn watch<T>(&self, result: Result<T>) -> Result<T> {
        result.inspect_err(|error| self.note(error))
    }

    /// The engine's words, once there is damage.
    pub(crate) fn cause(&self) -> Option<Arc<str>> {
        self.0.borrow().clone()
    }

    /// The failure of whatever would be written now.
    pub(crate) fn error(&self) -> Option<Error> {
        self.cause().map(Error::Damaged)
    }

    /// Comes back once there is damage.
    pub(crate) async fn met(&self) {
        // The sender is here, so waiting cannot fail.
        let _ = self.0.subscribe().wait_for(Option::is_some).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_damage_stays_and_nothing_else_is_damage() {
        let damage = Damage::default();
        damage.note(&Error::Full("x".into()));
        damage.note(&Error::corrupt("a row"));
        assert!(damage.cause().is_none() && damage.error().is_none());
        let shared = damage.clone();
        assert!(shared.watch(Err::<(), _>(Error::damaged("page 7"))).is_err());
        damage.note(&Error::damaged("page 9"));
        assert_eq!(damage.cause().as_deref(), Some("page 7"));
        assert!(matches!(damage.error(), Some(Error::Damaged(_))));
    }
}
