//! Recent answers of DNS blocklists about SMTP clients.

use std::{collections::HashMap, net::IpAddr, sync::Mutex, sync::MutexGuard, sync::PoisonError};

use posthouse_domain::{MINUTE_MS, Time};

/// How long the combined result of all lists is cached, in milliseconds.
const KEPT_MS: i64 = 5 * MINUTE_MS;
/// Maximum number of clients with cached results.
const CLIENTS_MAX: usize = 10_000;

/// Blocklist results of recent clients.
#[derive(Debug, Default)]
pub struct BlocklistCache(Mutex<HashMap<IpAddr, (Option<String>, Time)>>);

impl BlocklistCache {
    /// Returns the cached result: the list that contains the client, or `Some(None)` if no list does.
    pub(crate) fn get(&self, client: IpAddr, now: Time) -> Option<Option<String>> {
        self.clients().get(&client).filter(|(_, until)| now < *until).map(|(list, _)| list.clone())
    }

    pub(crate) fn cache(&self, client: IpAddr, list: Option<String>, now: Time) {
        let mut clients = self.clients();
        if clients.len() >= CLIENTS_MAX {
            clients.retain(|_, (_, until)| now < *until);
        }
        if clients.len() < CLIENTS_MAX {
            clients.insert(client, (list, now.plus_ms(KEPT_MS)));
        }
    }

    fn clients(&self) -> MutexGuard<'_, HashMap<IpAddr, (Option<String>, Time)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
