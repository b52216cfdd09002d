//! Connections that wait for their next message.
//!
//! Never holds one that is in use, and never waits: who takes a connection out owns it.

use std::{
    collections::HashMap,
    net::{IpAddr, SocketAddr},
};

use posthouse_domain::time::Time;
use posthouse_mail::smtp::client::Tls;

use super::connection::Connection;
use crate::ports::Peer;

/// What two messages must have in common to share a connection.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Key {
    address: SocketAddr,
    host: String,
    tls: &'static str,
    verify: bool,
    user: Option<String>,
    source: Option<IpAddr>,
}

impl Key {
    pub(super) fn of(peer: &Peer) -> Self {
        let tls = match peer.session.tls {
            Tls::Opportunistic => "opportunistic",
            Tls::Required => "required",
            Tls::Off => "off",
            Tls::Implicit => "implicit",
        };
        let user = peer.session.auth.as_ref().map(|login| login.username.clone());
        let Peer { address, verify, source, .. } = *peer;
        Self { address, host: peer.host.clone(), tls, verify, user, source }
    }
}

struct Unused {
    connection: Connection,
    since: Time,
}

/// The connections.
#[derive(Default)]
pub(super) struct Pool {
    unused: HashMap<Key, Vec<Unused>>,
    count: usize,
}

impl Pool {
    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// The one that was used last, unless that was before `since`: then the server may have closed it by now.
    pub(super) fn take(&mut self, key: &Key, since: Time) -> Option<Connection> {
        let list = self.unused.get_mut(key)?;
        let last = list.pop_if(|unused| unused.since >= since)?;
        self.count -= 1;
        Some(last.connection)
    }

    pub(super) fn put(&mut self, key: Key, connection: Connection, now: Time) {
        self.unused.entry(key).or_default().push(Unused { connection, since: now });
        self.count += 1;
    }

    /// Takes out those that are unused since `until` or longer.
    pub(super) fn take_unused_since(&mut self, until: Time) -> Vec<Connection> {
        let mut old = Vec::new();
        for list in self.unused.values_mut() {
            old.extend(list.extract_if(.., |unused| unused.since <= until).map(|unused| unused.connection));
        }
        self.unused.retain(|_, list| !list.is_empty());
        self.count -= old.len();
        old
    }

    pub(super) fn take_oldest(&mut self) -> Option<Connection> {
        let list = self.unused.values_mut().filter(|list| !list.is_empty()).min_by_key(|list| list[0].since)?;
        let oldest = list.remove(0);
        self.count -= 1;
        Some(oldest.connection)
    }
}
