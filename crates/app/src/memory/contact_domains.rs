//! The domains that workspaces exchange mail with, which others may imitate. A domain becomes known with a delay of a few
//! minutes, so that receiving mail doesn't read all contacts.

use std::{collections::HashMap, sync::Arc, sync::Mutex, sync::MutexGuard, sync::PoisonError};

use posthouse_domain::{MINUTE_MS, Time, WorkspaceId};
use posthouse_screen::KnownDomains;

/// How long the domains of a workspace are kept, in milliseconds.
const KEPT_MS: i64 = 5 * MINUTE_MS;
/// How long others use domains that are read again, in milliseconds.
const READ_AGAIN_MS: i64 = MINUTE_MS / 6;
/// Workspaces whose domains are kept, with at most 500 domains each.
const WORKSPACES_MAX: usize = 500;

/// The domains of some workspaces, and until when they are kept.
#[derive(Debug, Default)]
pub struct ContactDomains(Mutex<HashMap<WorkspaceId, (Arc<KnownDomains>, Time)>>);

impl ContactDomains {
    /// Returns the domains of a workspace; `None` if the caller should read them.
    pub(crate) fn get(&self, workspace: WorkspaceId, now: Time) -> Option<Arc<KnownDomains>> {
        let mut all = self.all();
        let (known, until) = all.get_mut(&workspace)?;
        if now < *until {
            return Some(known.clone());
        }
        // One caller reads them again.
        *until = now.plus_ms(READ_AGAIN_MS);
        None
    }

    /// Keeps the domains of a workspace.
    pub(crate) fn keep(&self, workspace: WorkspaceId, known: Arc<KnownDomains>, now: Time) {
        let mut all = self.all();
        if all.len() >= WORKSPACES_MAX && !all.contains_key(&workspace) {
            let oldest = all.iter().min_by_key(|(_, (_, until))| *until).map(|(workspace, _)| *workspace);
            oldest.map(|workspace| all.remove(&workspace));
        }
        all.insert(workspace, (known, now.plus_ms(KEPT_MS)));
    }

    fn all(&self) -> MutexGuard<'_, HashMap<WorkspaceId, (Arc<KnownDomains>, Time)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn domains_are_kept_for_some_workspaces_and_some_time() {
        let cache = ContactDomains::default();
        let id = |number: usize| WorkspaceId(uuid::Uuid::from_u128(number as u128));
        let at = Time::from_millis;
        for number in 0..=WORKSPACES_MAX {
            cache.keep(id(number), Arc::default(), at(i64::try_from(number).unwrap()));
        }
        assert_eq!(cache.all().len(), WORKSPACES_MAX);
        assert!(cache.get(id(0), at(0)).is_none() && cache.get(id(1), at(0)).is_some());
        assert!(cache.get(id(1), at(KEPT_MS + 1)).is_none(), "one caller reads them again");
        assert!(cache.get(id(1), at(KEPT_MS + 1)).is_some(), "and others use the old ones meanwhile");
        assert!(cache.get(id(1), at(KEPT_MS + 1 + READ_AGAIN_MS)).is_none());
    }
}
