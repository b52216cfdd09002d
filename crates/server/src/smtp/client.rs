//! Limits of SMTP connections, in total and per client. A permit is granted at once or not at all; at the total limit, the
//! client with the most connections loses an idle one.

use std::{
    collections::{BTreeSet, HashMap},
    net::{IpAddr, Ipv6Addr},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicI64, Ordering},
    },
};

use posthouse_domain::time::Time;
use tokio::sync::Notify;

/// Prefix length that identifies an IPv6 client, because one host has all addresses of its /64.
const V6_CLIENT_BITS: u32 = 64;

/// Prefix length that identifies who holds IPv6 connections, because many providers give one customer a /56.
const V6_HOLDER_BITS: u32 = 56;
/// Connections beyond the total limit: those whose client isn't known yet, and dropped ones that get their last reply.
const BEYOND_MAX: usize = 64;

/// The connection permits of all listeners together.
///
/// At the total limit a new connection takes the place of another one, so that a few clients can't hold all of them: the
/// client with the most connections loses the one that was silent the longest. This happens only if the new client has
/// at least two connections less, so that clients don't drop each other in turns.
#[derive(Clone)]
pub(super) struct ConnectionPermits(Arc<Shared>);

struct Shared {
    all_max: usize,
    client_max: usize,
    taken: Mutex<Taken>,
}

#[derive(Default)]
struct Taken {
    /// Connections within the total limit.
    all: usize,
    /// Connections beyond it, at most [`BEYOND_MAX`].
    beyond: usize,
    clients: HashMap<IpAddr, usize>,
    holders: HashMap<IpAddr, HashMap<u64, HeldConnection>>,
    /// The number of connections of each holder, and the holder.
    sizes: BTreeSet<(usize, IpAddr)>,
    last_id: u64,
}

/// A connection of a known client, within the total limit.
struct HeldConnection {
    /// What [`Taken::clients`] counts it for.
    client: IpAddr,
    activity: Arc<ConnectionActivity>,
}

/// How long a connection has been silent, and the signal that it lost its place.
#[derive(Default)]
pub(super) struct ConnectionActivity {
    /// When the client last sent something; `i64::MAX` while the server works for it.
    silent_since_ms: AtomicI64,
    dropped: Notify,
}

impl ConnectionActivity {
    /// Records that the client sent something.
    pub(super) fn heard(&self, now: Time) {
        self.silent_since_ms.store(now.millis(), Ordering::Relaxed);
    }

    /// Records that the server works for the client, so that the connection isn't idle until it sends something.
    pub(super) fn works(&self) {
        self.silent_since_ms.store(i64::MAX, Ordering::Relaxed);
    }

    /// Waits until the connection has lost its place.
    pub(super) async fn dropped(&self) {
        self.dropped.notified().await;
    }

    fn silent_since_ms(&self) -> Option<i64> {
        Some(self.silent_since_ms.load(Ordering::Relaxed)).filter(|since| *since != i64::MAX)
    }
}

/// The limit of connections that refuses a connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ConnectionLimit {
    /// Of all clients together.
    Total,
    /// Of this client.
    Client,
}

/// The permit of a connection; dropping it releases it.
pub(super) struct ConnectionPermit {
    connection_permits: ConnectionPermits,
    id: u64,
    client: Option<IpAddr>,
    /// Whether it is beyond the total limit. Only before the client is known.
    is_beyond: bool,
    activity: Arc<ConnectionActivity>,
}

impl ConnectionPermits {
    /// Creates the permits with a total limit and a limit per client.
    pub(super) fn new(all_max: usize, client_max: usize) -> Self {
        Self(Arc::new(Shared { all_max, client_max, taken: Mutex::default() }))
    }

    /// Takes a permit before the client is known; at the total limit one beyond it. Returns `None` if there are too many
    /// of those.
    pub(super) fn acquire(&self, now: Time) -> Option<ConnectionPermit> {
        let mut taken = self.permits();
        let is_beyond = taken.all >= self.0.all_max;
        match is_beyond {
            true if taken.beyond >= BEYOND_MAX => return None,
            true => taken.beyond += 1,
            false => taken.all += 1,
        }
        taken.last_id += 1;
        let activity = Arc::new(ConnectionActivity::default());
        activity.heard(now);
        Some(ConnectionPermit {
            connection_permits: self.clone(),
            id: taken.last_id,
            client: None,
            is_beyond,
            activity,
        })
    }

    /// Returns the total limit.
    pub(super) fn all_max(&self) -> usize {
        self.0.all_max
    }

    fn permits(&self) -> MutexGuard<'_, Taken> {
        self.0.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ConnectionPermit {
    /// Counts the connection for a client. At the total limit, another connection may lose its place to it.
    ///
    /// # Errors
    /// Returns the limit that refuses it.
    pub(super) fn assign(&mut self, client: IpAddr) -> Result<(), ConnectionLimit> {
        let limits = &self.connection_permits.0;
        let mut taken = self.connection_permits.permits();
        let network = network_of(client);
        if taken.clients.get(&network).is_some_and(|count| *count >= limits.client_max) {
            return Err(ConnectionLimit::Client);
        }
        if self.is_beyond {
            if taken.all >= limits.all_max && !taken.make_room(holder_of(client)) {
                return Err(ConnectionLimit::Total);
            }
            (taken.beyond, taken.all, self.is_beyond) = (taken.beyond - 1, taken.all + 1, false);
        }
        taken.add(self.id, client, Arc::clone(&self.activity));
        self.client = Some(client);
        Ok(())
    }

    /// Returns the activity of the connection.
    pub(super) fn activity(&self) -> &Arc<ConnectionActivity> {
        &self.activity
    }
}

impl Taken {
    /// Drops the connection that was silent the longest, of the holder with the most. Returns false if the new
    /// connection's holder has about as many, or if the server works for all connections.
    fn make_room(&mut self, new: IpAddr) -> bool {
        let own = self.holders.get(&new).map_or(0, HashMap::len);
        let larger = self.sizes.iter().rev().take_while(|(count, _)| own + 1 < *count);
        let idlest = |(_, holder): &(usize, IpAddr)| {
            let silent = |(id, held): (&u64, &HeldConnection)| Some((held.activity.silent_since_ms()?, *id));
            let idlest = self.holders.get(holder)?.iter().filter_map(silent).min();
            idlest.map(|(_, id)| (*holder, id))
        };
        let Some((holder, id)) = larger.into_iter().find_map(idlest) else { return false };
        if let Some(held) = self.remove(holder, id) {
            (self.all, self.beyond) = (self.all - 1, self.beyond + 1);
            held.activity.dropped.notify_one();
        }
        true
    }

    fn add(&mut self, id: u64, client: IpAddr, activity: Arc<ConnectionActivity>) {
        let (network, holder) = (network_of(client), holder_of(client));
        *self.clients.entry(network).or_insert(0) += 1;
        let held = self.holders.entry(holder).or_default();
        self.sizes.remove(&(held.len(), holder));
        held.insert(id, HeldConnection { client: network, activity });
        self.sizes.insert((held.len(), holder));
    }

    /// Removes a connection from the counts of its client; returns `None` if it was dropped before.
    fn remove(&mut self, holder: IpAddr, id: u64) -> Option<HeldConnection> {
        let held = self.holders.get_mut(&holder)?;
        let count = held.len();
        let removed = held.remove(&id)?;
        self.sizes.remove(&(count, holder));
        if held.is_empty() {
            self.holders.remove(&holder);
        } else {
            self.sizes.insert((count - 1, holder));
        }
        if let Some(count) = self.clients.get_mut(&removed.client) {
            *count -= 1;
            if *count == 0 {
                self.clients.remove(&removed.client);
            }
        }
        Some(removed)
    }
}

impl Drop for ConnectionPermit {
    fn drop(&mut self) {
        let mut taken = self.connection_permits.permits();
        let is_beyond = match self.client {
            None => self.is_beyond,
            Some(client) => taken.remove(holder_of(client), self.id).is_none(),
        };
        match is_beyond {
            true => taken.beyond -= 1,
            false => taken.all -= 1,
        }
    }
}

/// Returns what identifies a client: an IPv4 address or an IPv6 /64 network.
pub(super) fn network_of(client: IpAddr) -> IpAddr {
    masked(client, V6_CLIENT_BITS)
}

/// Returns who holds the connections of a client: an IPv4 address or an IPv6 /56 network.
fn holder_of(client: IpAddr) -> IpAddr {
    masked(client, V6_HOLDER_BITS)
}

fn masked(client: IpAddr, v6_bits: u32) -> IpAddr {
    match client.to_canonical() {
        IpAddr::V6(v6) => {
            let host_bits = 128 - v6_bits;
            IpAddr::V6(Ipv6Addr::from_bits(v6.to_bits() >> host_bits << host_bits))
        }
        v4 => v4,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const START: Time = Time::from_millis(1_000);

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    fn opened(connection_permits: &ConnectionPermits, client: &str) -> Result<ConnectionPermit, ConnectionLimit> {
        let mut permit = connection_permits.acquire(START).unwrap();
        permit.assign(ip(client)).map(|()| permit)
    }

    fn is_dropped(permit: &ConnectionPermit) -> bool {
        let taken = permit.connection_permits.permits();
        let held = permit.client.and_then(|client| taken.holders.get(&holder_of(client)));
        !held.is_some_and(|held| held.contains_key(&permit.id))
    }

    #[test]
    fn permits_are_limited_in_total_and_per_client_and_released() {
        let connection_permits = ConnectionPermits::new(3, 2);
        let (a, b) = ("192.0.2.1", "192.0.2.2");
        let first = opened(&connection_permits, a).unwrap();
        let second = opened(&connection_permits, a).unwrap();
        assert_eq!(opened(&connection_permits, a).map(drop), Err(ConnectionLimit::Client));
        let third = opened(&connection_permits, b).unwrap();
        assert_eq!(opened(&connection_permits, b).map(drop), Err(ConnectionLimit::Total));
        drop(first);
        let first = opened(&connection_permits, a).unwrap();
        assert!(![&first, &second, &third].into_iter().any(is_dropped));
        drop((first, second, third));
        let taken = connection_permits.permits();
        assert!(taken.clients.is_empty() && taken.holders.is_empty() && taken.sizes.is_empty());
        assert_eq!((taken.all, taken.beyond), (0, 0));
    }

    #[test]
    fn one_ipv6_network_is_one_client() {
        let connection_permits = ConnectionPermits::new(9, 1);
        let _first = opened(&connection_permits, "2001:db8::1").unwrap();
        assert!(opened(&connection_permits, "2001:db8::2:1").is_err());
        assert!(opened(&connection_permits, "2001:db8:0:1::1").is_ok());
    }

    #[test]
    fn the_largest_holder_loses_the_connection_that_was_silent_the_longest() {
        let connection_permits = ConnectionPermits::new(4, 4);
        let held: Vec<_> =
            (0..4).map(|last| opened(&connection_permits, &format!("2001:db8:0:{last:x}::1")).unwrap()).collect();
        held[0].activity().heard(START.plus_ms(9));
        held[1].activity().works();
        held[3].activity().heard(START.plus_ms(1));
        let first = opened(&connection_permits, "192.0.2.1").unwrap();
        let second = opened(&connection_permits, "192.0.2.2").unwrap();
        assert_eq!(held.iter().map(is_dropped).collect::<Vec<_>>(), [false, false, true, true]);
        assert_eq!(opened(&connection_permits, "192.0.2.1").map(drop), Err(ConnectionLimit::Total));
        held[0].activity().works();
        assert_eq!(opened(&connection_permits, "192.0.2.3").map(drop), Err(ConnectionLimit::Total), "both work");
        let counts = || {
            let taken = connection_permits.permits();
            (taken.all, taken.beyond)
        };
        assert_eq!(counts(), (4, 2));
        drop((first, second, held));
        assert_eq!(counts(), (0, 0));
    }

    #[test]
    fn connections_beyond_the_limit_are_few() {
        let connection_permits = ConnectionPermits::new(1, 1);
        let _only = opened(&connection_permits, "192.0.2.1").unwrap();
        let unknown: Vec<_> = (0..BEYOND_MAX).map(|_| connection_permits.acquire(START).unwrap()).collect();
        assert!(connection_permits.acquire(START).is_none());
        drop(unknown);
        assert!(connection_permits.acquire(START).is_some());
    }

    proptest! {
        /// Whatever clients open and close, the counts match, and no client with many connections keeps out one without.
        #[test]
        fn counts_match_and_a_client_without_connections_gets_one(
            steps in prop::collection::vec((0..6_u8, any::<bool>()), 1..80),
        ) {
            let connection_permits = ConnectionPermits::new(8, 6);
            let mut open: Vec<(u8, ConnectionPermit)> = Vec::new();
            for (client, opens) in steps {
                if opens {
                    let largest = connection_permits.permits().sizes.last().map_or(0, |(count, _)| *count);
                    let own = open.iter().filter(|(other, permit)| *other == client && !is_dropped(permit)).count();
                    let permit = opened(&connection_permits, &format!("192.0.2.{client}"));
                    let must_fit = own == 0 && largest > 1;
                    prop_assert!(permit.is_ok() || !must_fit);
                    open.extend(permit.ok().map(|permit| (client, permit)));
                } else if let Some(at) = open.iter().position(|(other, _)| *other == client) {
                    open.remove(at);
                }
                let dropped = open.iter().filter(|(_, permit)| is_dropped(permit)).count();
                let taken = connection_permits.permits();
                prop_assert_eq!((taken.all, taken.beyond), (open.len() - dropped, dropped));
                prop_assert_eq!(taken.holders.values().map(HashMap::len).sum::<usize>(), taken.all);
                prop_assert!(taken.all <= 8);
            }
        }
    }
}
