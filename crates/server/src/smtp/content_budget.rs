//! The budget of message content in memory: a total for all sessions of a kind of listener, and a share for each client,
//! so that one client can't keep the mail of others out. Content is counted as it arrives and released when the session
//! has stored it, dropped it or ended.

use std::net::IpAddr;

use posthouse_app::limits::shared_budget::{BudgetExceeded, BudgetShare, SharedBudget};
use posthouse_mail::smtp::reply::ServerReply;

use super::{client::network_of, replies};

/// Content that a session may buffer even if a limit is reached, in bytes, so that small mail always arrives.
const SESSION_BYTES_FREE: u64 = 256 * 1024;

/// The content of one session; dropping it releases it.
#[derive(Debug)]
pub(super) struct SessionContent(BudgetShare<IpAddr>);

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

impl From<BudgetExceeded> for ContentLimit {
    fn from(exceeded: BudgetExceeded) -> Self {
        match exceeded {
            BudgetExceeded::Share(max) => ContentLimit::Client(max),
            BudgetExceeded::Total(max) => ContentLimit::All(max),
        }
    }
}

impl SessionContent {
    /// Creates the content of a session, without any bytes. All sessions of the client hold at most `client_bytes_max`.
    pub(super) fn new(budget: &SharedBudget<IpAddr>, client: IpAddr, client_bytes_max: u64) -> Self {
        Self(budget.share(network_of(client), Some(client_bytes_max)))
    }

    /// Changes the content to the bytes that the session buffers now.
    ///
    /// # Errors
    /// Returns the limit that more bytes would exceed. The content doesn't change then, and the session must drop it.
    pub(super) fn resize(&mut self, bytes: u64) -> Result<(), ContentLimit> {
        let held = self.0.held();
        if bytes > held.max(SESSION_BYTES_FREE) {
            return Ok(self.0.grow(bytes - held)?);
        }
        if bytes != held {
            self.0.set(bytes);
        }
        Ok(())
    }

    /// Releases all content of the session.
    pub(super) fn release(&mut self) {
        self.0.set(0);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// A tenth of the total.
    const SHARE: u64 = 10 * SESSION_BYTES_FREE;

    fn budget() -> SharedBudget<IpAddr> {
        SharedBudget::new(Some(10 * SHARE))
    }

    fn session(budget: &SharedBudget<IpAddr>, client: &str) -> SessionContent {
        SessionContent::new(budget, client.parse().unwrap(), SHARE)
    }

    #[test]
    fn one_client_fills_its_share_and_no_more() {
        let budget = budget();
        let mut first = session(&budget, "2001:db8::1");
        first.resize(SHARE - 1).unwrap();
        // The same /64 network.
        let mut second = session(&budget, "2001:db8::2:1");
        second.resize(SESSION_BYTES_FREE).unwrap();
        assert_eq!(second.resize(SESSION_BYTES_FREE + 1), Err(ContentLimit::Client(SHARE)));
        let mut other = session(&budget, "192.0.2.1");
        other.resize(SHARE).unwrap();
        assert_eq!(other.resize(SHARE + 1), Err(ContentLimit::Client(SHARE)));
        drop(first);
        second.resize(SHARE).unwrap();
    }

    #[test]
    fn all_clients_together_stay_within_the_total() {
        let budget = budget();
        let mut sessions: Vec<_> = (0..10).map(|last| session(&budget, &format!("192.0.2.{last}"))).collect();
        sessions.iter_mut().for_each(|session| session.resize(SHARE).unwrap());
        let mut late = session(&budget, "192.0.2.200");
        late.resize(SESSION_BYTES_FREE).unwrap();
        assert_eq!(late.resize(SESSION_BYTES_FREE + 1), Err(ContentLimit::All(10 * SHARE)));
        sessions[0].resize(SESSION_BYTES_FREE).unwrap();
        late.resize(SESSION_BYTES_FREE + 1).unwrap();
    }

    #[test]
    fn nothing_is_counted_after_the_sessions_end() {
        let budget = budget();
        for steps in [vec![7], vec![SHARE, 5, 0, 9], vec![SHARE + 1], vec![9 * SESSION_BYTES_FREE, SHARE + 1]] {
            let mut session = session(&budget, "192.0.2.1");
            for bytes in steps {
                let _ = session.resize(bytes);
            }
        }
        assert_eq!(budget.used(), 0);
    }
}
