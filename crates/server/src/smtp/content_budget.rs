//! The budget of message content in memory: a total for all sessions of a kind of listener, and a share for each client,
//! so that one client can't keep the mail of others out. Content is counted as it arrives and released when the session
//! has stored it, dropped it or ended.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Mutex, MutexGuard, PoisonError},
};

use posthouse_app::settings::LimitsConfig;
use posthouse_mail::smtp::reply::ServerReply;

use super::{client::network_of, replies};

/// Content that a session may buffer even if a limit is reached, in bytes, so that small mail always arrives.
const SESSION_BYTES_FREE: u64 = 256 * 1024;

/// The content of all sessions.
#[derive(Debug)]
pub(super) struct ContentBudget {
    all_bytes_max: u64,
    client_bytes_max: u64,
    held: Mutex<HeldContent>,
}

#[derive(Debug, Default)]
struct HeldContent {
    all_bytes: u64,
    clients: HashMap<IpAddr, u64>,
}

/// The content of one session; dropping it releases it.
#[derive(Debug)]
pub(super) struct ContentReservation<'b> {
    budget: &'b ContentBudget,
    client: IpAddr,
    bytes: u64,
}

/// A limit that content has reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ContentLimit {
    /// `limits.smtp_content_bytes`
    All(u64),
    /// `limits.smtp_content_bytes_per_client`
    Client(u64),
}

impl ContentLimit {
    /// Returns the setting.
    pub(super) fn name(self) -> &'static str {
        match self {
            ContentLimit::All(_) => "limits.smtp_content_bytes",
            ContentLimit::Client(_) => "limits.smtp_content_bytes_per_client",
        }
    }

    /// Returns the reply to a session over the limit.
    pub(super) fn reply(self) -> ServerReply {
        match self {
            ContentLimit::All(max) => replies::too_much_content(max),
            ContentLimit::Client(max) => replies::too_much_content_of_client(max),
        }
    }
}

impl ContentBudget {
    /// Creates an empty budget.
    pub(super) fn new(limits: &LimitsConfig) -> Self {
        Self {
            all_bytes_max: limits.smtp_content_bytes,
            client_bytes_max: limits.smtp_content_bytes_per_client,
            held: Mutex::default(),
        }
    }

    /// Creates the reservation of a session, without any content.
    pub(super) fn reservation(&self, client: IpAddr) -> ContentReservation<'_> {
        ContentReservation { budget: self, client: network_of(client), bytes: 0 }
    }

    fn held(&self) -> MutexGuard<'_, HeldContent> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ContentReservation<'_> {
    /// Changes the reservation to the bytes that the session buffers now.
    ///
    /// # Errors
    /// Returns the limit that more bytes would exceed. The reservation doesn't change then, and the session must drop
    /// its content.
    pub(super) fn resize(&mut self, bytes: u64) -> Result<(), ContentLimit> {
        if bytes == self.bytes {
            return Ok(());
        }
        let mut held = self.budget.held();
        let all_bytes = held.all_bytes - self.bytes + bytes;
        let client_bytes = held.clients.get(&self.client).copied().unwrap_or_default() - self.bytes + bytes;
        if bytes > self.bytes.max(SESSION_BYTES_FREE) {
            if client_bytes > self.budget.client_bytes_max {
                return Err(ContentLimit::Client(self.budget.client_bytes_max));
            }
            if all_bytes > self.budget.all_bytes_max {
                return Err(ContentLimit::All(self.budget.all_bytes_max));
            }
        }
        held.all_bytes = all_bytes;
        if client_bytes == 0 {
            held.clients.remove(&self.client);
        } else {
            held.clients.insert(self.client, client_bytes);
        }
        self.bytes = bytes;
        Ok(())
    }

    /// Releases all content of the session.
    pub(super) fn release(&mut self) {
        let released = self.resize(0);
        debug_assert!(released.is_ok(), "fewer bytes exceed no limit");
    }
}

impl Drop for ContentReservation<'_> {
    fn drop(&mut self) {
        self.release();
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// A tenth of the total.
    const SHARE: u64 = 10 * SESSION_BYTES_FREE;

    fn budget() -> ContentBudget {
        ContentBudget { all_bytes_max: 10 * SHARE, client_bytes_max: SHARE, held: Mutex::default() }
    }

    #[test]
    fn one_client_fills_its_share_and_no_more() {
        let budget = budget();
        let clients: [IpAddr; 3] =
            ["2001:db8::1", "2001:db8::2:1", "192.0.2.1"].map(|address| address.parse().unwrap());
        let mut first = budget.reservation(clients[0]);
        first.resize(SHARE - 1).unwrap();
        // The same /64 network.
        let mut second = budget.reservation(clients[1]);
        second.resize(SESSION_BYTES_FREE).unwrap();
        assert_eq!(second.resize(SESSION_BYTES_FREE + 1), Err(ContentLimit::Client(SHARE)));
        let mut other = budget.reservation(clients[2]);
        other.resize(SHARE).unwrap();
        assert_eq!(other.resize(SHARE + 1), Err(ContentLimit::Client(SHARE)));
        drop(first);
        second.resize(SHARE).unwrap();
    }

    #[test]
    fn all_clients_together_stay_within_the_total() {
        let budget = budget();
        let client = |last: u8| IpAddr::from([192, 0, 2, last]);
        let mut sessions: Vec<_> = (0..10).map(|last| budget.reservation(client(last))).collect();
        sessions.iter_mut().for_each(|session| session.resize(SHARE).unwrap());
        let mut late = budget.reservation(client(200));
        late.resize(SESSION_BYTES_FREE).unwrap();
        assert_eq!(late.resize(SESSION_BYTES_FREE + 1), Err(ContentLimit::All(10 * SHARE)));
        sessions[0].resize(SESSION_BYTES_FREE).unwrap();
        late.resize(SESSION_BYTES_FREE + 1).unwrap();
    }

    #[test]
    fn nothing_is_counted_after_the_sessions_end() {
        let budget = budget();
        for steps in [vec![7], vec![SHARE, 5, 0, 9], vec![SHARE + 1], vec![9 * SESSION_BYTES_FREE, SHARE + 1]] {
            let mut session = budget.reservation([192, 0, 2, 1].into());
            for bytes in steps {
                let _ = session.resize(bytes);
            }
        }
        let held = budget.held();
        assert!(held.all_bytes == 0 && held.clients.is_empty(), "{held:?}");
    }
}
