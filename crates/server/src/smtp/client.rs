//! Limits of SMTP connections, in total and per client. A permit is granted at once or not at all.

use std::{
    collections::HashMap,
    net::{IpAddr, Ipv6Addr},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// Prefix length that identifies an IPv6 client, because one host has all addresses of its /64.
const V6_CLIENT_BITS: u32 = 64;

/// The connection permits of all listeners together.
#[derive(Clone)]
pub(super) struct ConnectionPermits(Arc<Shared>);

struct Shared {
    all_max: usize,
    client_max: usize,
    taken: Mutex<Taken>,
}

#[derive(Default)]
struct Taken {
    all: usize,
    clients: HashMap<IpAddr, usize>,
}

/// The permit of a connection; dropping it releases it.
pub(super) struct ConnectionPermit {
    places: ConnectionPermits,
    client: Option<IpAddr>,
}

impl ConnectionPermits {
    /// Creates the permits with a total limit and a limit per client.
    pub(super) fn new(all_max: usize, client_max: usize) -> Self {
        Self(Arc::new(Shared { all_max, client_max, taken: Mutex::default() }))
    }

    /// Takes a permit before the client is known. Returns `None` at the total limit.
    pub(super) fn acquire(&self) -> Option<ConnectionPermit> {
        let mut taken = self.permits();
        if taken.all >= self.0.all_max {
            return None;
        }
        taken.all += 1;
        Some(ConnectionPermit { places: self.clone(), client: None })
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
    /// Counts the connection for a client. Returns false at the client's limit.
    pub(super) fn assign(&mut self, client: IpAddr) -> bool {
        let key = network_of(client);
        let mut taken = self.places.permits();
        let count = taken.clients.entry(key).or_insert(0);
        if *count >= self.places.0.client_max {
            return false;
        }
        *count += 1;
        self.client = Some(key);
        true
    }
}

impl Drop for ConnectionPermit {
    fn drop(&mut self) {
        let mut taken = self.places.permits();
        taken.all -= 1;
        if let Some(client) = self.client
            && let Some(count) = taken.clients.get_mut(&client)
        {
            *count -= 1;
            if *count == 0 {
                taken.clients.remove(&client);
            }
        }
    }
}

/// Returns what identifies a client: an IPv4 address or an IPv6 /64 network.
pub(super) fn network_of(client: IpAddr) -> IpAddr {
    match client.to_canonical() {
        IpAddr::V6(v6) => {
            let host_bits = 128 - V6_CLIENT_BITS;
            IpAddr::V6(Ipv6Addr::from_bits(v6.to_bits() >> host_bits << host_bits))
        }
        v4 => v4,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn permits_are_limited_in_total_and_per_client_and_released() {
        let places = ConnectionPermits::new(3, 2);
        let (a, b) = ("192.0.2.1".parse().unwrap(), "192.0.2.2".parse().unwrap());
        let mut first = places.acquire().unwrap();
        let mut second = places.acquire().unwrap();
        let mut third = places.acquire().unwrap();
        assert!(places.acquire().is_none());
        assert!(first.assign(a) && second.assign(a) && !third.assign(a));
        assert!(third.assign(b));
        drop(first);
        assert!(places.acquire().unwrap().assign(a));
        drop((second, third));
        assert!(places.permits().clients.is_empty());
        assert_eq!(places.permits().all, 0);
    }

    #[test]
    fn one_ipv6_network_is_one_client() {
        let places = ConnectionPermits::new(9, 1);
        let mut first = places.acquire().unwrap();
        let mut second = places.acquire().unwrap();
        assert!(first.assign("2001:db8::1".parse().unwrap()));
        assert!(!second.assign("2001:db8::2:1".parse().unwrap()));
        assert!(second.assign("2001:db8:0:1::1".parse().unwrap()));
    }
}
