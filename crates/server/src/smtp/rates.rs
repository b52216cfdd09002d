//! How often one client may come, hand in mail and name recipients within a minute. Bounds are settings, none by default; who is
//! over one is told to come back, and nothing is held open for it.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Mutex, PoisonError},
};

use posthouse_domain::{
    plan::Limit,
    time::{MINUTE_MS, Time},
};

use super::client::network_of;

/// Clients that are remembered at once; beyond them new ones are not counted.
const CLIENTS_MAX: usize = 100_000;

/// What is counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Counted {
    /// A connection.
    Connection,
    /// A message begun with MAIL.
    Message,
    /// A recipient.
    Recipient,
}

/// What every client did within its minute.
#[derive(Debug, Default)]
pub(super) struct Rates(Mutex<HashMap<IpAddr, Minute>>);

#[derive(Clone, Copy, Debug)]
struct Minute {
    began: Time,
    used: [u64; 3],
}

impl Rates {
    /// Counts one more, or says that there were as many as may be.
    pub(super) fn take(&self, client: IpAddr, what: Counted, limit: Limit, now: Time) -> bool {
        let Some(max) = limit else { return true };
        let mut minutes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let key = network_of(client);
        if minutes.len() >= CLIENTS_MAX && !minutes.contains_key(&key) {
            minutes.retain(|_, minute| now.since_ms(minute.began) < MINUTE_MS);
            if minutes.len() >= CLIENTS_MAX {
                return true;
            }
        }
        let fresh = Minute { began: now, used: [0; 3] };
        let minute = minutes.entry(key).or_insert(fresh);
        if now.since_ms(minute.began) >= MINUTE_MS {
            *minute = fresh;
        }
        let used = &mut minute.used[what as usize];
        let may = *used < max;
        *used += u64::from(may);
        may
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_each_client_has_its_own_count_for_a_minute() {
        let rates = Rates::default();
        let (a, b) = ("192.0.2.1".parse().unwrap(), "192.0.2.2".parse().unwrap());
        let start = Time::from_millis(1_000_000);
        for n in 0..3 {
            assert_eq!(rates.take(a, Counted::Message, Some(2), start), n < 2);
        }
        assert!(rates.take(a, Counted::Recipient, Some(1), start));
        assert!(rates.take(b, Counted::Message, Some(2), start));
        assert!(!rates.take(a, Counted::Message, Some(2), start.plus_ms(MINUTE_MS - 1)));
        assert!(rates.take(a, Counted::Message, Some(2), start.plus_ms(MINUTE_MS)));
        assert!(rates.take(a, Counted::Connection, None, start));
    }
}
