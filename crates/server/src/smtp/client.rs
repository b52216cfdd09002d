//! How many connections there are, in all and of each client. Places are taken and given back; nobody waits for one.

use std::{
    collections::HashMap,
    net::{IpAddr, Ipv6Addr},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// Bits of an IPv6 address that tell clients apart: one host commands all addresses of its /64.
const V6_CLIENT_BITS: u32 = 64;

/// The places of all listeners together.
#[derive(Clone)]
pub(super) struct Places(Arc<Shared>);

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

/// A place of a connection; given back when dropped.
pub(super) struct Place {
    places: Places,
    client: Option<IpAddr>,
}

impl Places {
    /// So many places in all, and for each client.
    pub(super) fn new(all_max: usize, client_max: usize) -> Self {
        Self(Arc::new(Shared { all_max, client_max, taken: Mutex::default() }))
    }

    /// A place for a connection of a client that is not known yet; none when all are taken.
    pub(super) fn take(&self) -> Option<Place> {
        let mut taken = self.taken();
        if taken.all >= self.0.all_max {
            return None;
        }
        taken.all += 1;
        Some(Place { places: self.clone(), client: None })
    }

    fn taken(&self) -> MutexGuard<'_, Taken> {
        self.0.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Place {
    /// Counts the connection as that client's; false when it has too many.
    pub(super) fn is_of(&mut self, client: IpAddr) -> bool {
        let key = network_of(client);
        let mut taken = self.places.taken();
        let count = taken.clients.entry(key).or_insert(0);
        if *count >= self.places.0.client_max {
            return false;
        }
        *count += 1;
        self.client = Some(key);
        true
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = self.places.taken();
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

/// What is one client: an address, or the network that one host commands.
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
    fn places_are_limited_in_all_and_for_each_client_and_come_back() {
        let places = Places::new(3, 2);
        let (a, b) = ("192.0.2.1".parse().unwrap(), "192.0.2.2".parse().unwrap());
        let mut first = places.take().unwrap();
        let mut second = places.take().unwrap();
        let mut third = places.take().unwrap();
        assert!(places.take().is_none());
        assert!(first.is_of(a) && second.is_of(a) && !third.is_of(a));
        assert!(third.is_of(b));
        drop(first);
        assert!(places.take().unwrap().is_of(a));
        drop((second, third));
        assert!(places.taken().clients.is_empty());
        assert_eq!(places.taken().all, 0);
    }

    #[test]
    fn one_ipv6_network_is_one_client() {
        let places = Places::new(9, 1);
        let mut first = places.take().unwrap();
        let mut second = places.take().unwrap();
        assert!(first.is_of("2001:db8::1".parse().unwrap()));
        assert!(!second.is_of("2001:db8::2:1".parse().unwrap()));
        assert!(second.is_of("2001:db8:0:1::1".parse().unwrap()));
    }
}
