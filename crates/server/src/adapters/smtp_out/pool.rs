//! The pool of idle SMTP connections. A connection in use isn't in the pool.

use std::{
    collections::HashMap,
    net::{IpAddr, SocketAddr},
};

use posthouse_domain::time::Time;
use posthouse_mail::smtp::client::TlsPolicy;

use super::connection::Connection;
use posthouse_app::ports::Peer;

/// The properties that messages on one connection share.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct SmtpConnectionKey {
    address: SocketAddr,
    host: String,
    tls: &'static str,
    verify: bool,
    user: Option<String>,
    source: Option<IpAddr>,
}

impl SmtpConnectionKey {
    pub(super) fn of(peer: &Peer) -> Self {
        let tls = match peer.session.tls {
            TlsPolicy::Opportunistic => "opportunistic",
            TlsPolicy::Required => "required",
            TlsPolicy::Off => "off",
            TlsPolicy::Implicit => "implicit",
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

/// The idle connections.
#[derive(Default)]
pub(super) struct SmtpConnectionPool {
    unused: HashMap<SmtpConnectionKey, Vec<Unused>>,
    count: usize,
}

impl SmtpConnectionPool {
    /// Returns the number of idle connections.
    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// Takes the most recently used connection, unless it is idle since before `since`: the server may have closed it.
    pub(super) fn checkout(&mut self, key: &SmtpConnectionKey, since: Time) -> Option<Connection> {
        let list = self.unused.get_mut(key)?;
        let last = list.pop_if(|unused| unused.since >= since)?;
        self.count -= 1;
        Some(last.connection)
    }

    pub(super) fn checkin(&mut self, key: SmtpConnectionKey, connection: Connection, now: Time) {
        self.unused.entry(key).or_default().push(Unused { connection, since: now });
        self.count += 1;
    }

    /// Removes the connections that are idle since `until` or longer.
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
