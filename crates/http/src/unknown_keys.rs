//! Limits the unknown API keys and stream tokens of each client address, because each costs a read of the database.
//!
//! A key that this process has accepted before is always checked, so that a client keeps its access while another
//! client behind the same address guesses keys. Only the database decides whether a key is valid.

use std::{
    collections::HashSet,
    mem,
    net::IpAddr,
    sync::{Mutex, MutexGuard, PoisonError},
};

use posthouse_app::limits::fixed_window::FixedWindow;
use posthouse_domain::{
    error::{ErrorCode, LimitName, Refusal},
    plan::Limit,
    time::{MINUTE_MS, Time},
};

use super::client;

/// Most addresses with a window at once; see [`FixedWindow`].
const ADDRESSES_MAX: usize = 100_000;
/// Most accepted keys in one generation; twice as many are remembered.
const ACCEPTED_MAX: usize = 100_000;

/// The SHA-256 of a credential.
type CredentialDigest = [u8; 32];

/// The unknown credentials of each address in its current minute, and the keys that were accepted.
#[derive(Debug)]
pub(crate) struct UnknownKeys {
    window: FixedWindow<IpAddr>,
    accepted: Mutex<AcceptedKeys>,
}

/// Keys that were accepted recently. If the newer generation is full, it becomes the older one, and the older one is
/// dropped.
#[derive(Debug, Default)]
struct AcceptedKeys {
    newer: HashSet<CredentialDigest>,
    older: HashSet<CredentialDigest>,
}

/// A credential that may be looked up. It counts as unknown until [`CredentialCheck::accept`] or
/// [`CredentialCheck::cancel`].
pub(crate) struct CredentialCheck<'a> {
    keys: &'a UnknownKeys,
    digest: CredentialDigest,
    /// The network whose window counts it; `None` if it was accepted before.
    counted: Option<IpAddr>,
}

impl Default for UnknownKeys {
    fn default() -> Self {
        Self { window: FixedWindow::new(MINUTE_MS, ADDRESSES_MAX), accepted: Mutex::default() }
    }
}

impl UnknownKeys {
    /// Counts a credential as unknown, unless it was accepted before.
    ///
    /// # Errors
    /// Returns `rate_limited` if its address has used up its limit.
    pub(crate) fn admit(
        &self,
        digest: CredentialDigest,
        client: IpAddr,
        limit: Limit,
        now: Time,
    ) -> Result<CredentialCheck<'_>, Refusal> {
        let Some(max) = limit.filter(|_| !self.accepted().contains(&digest)) else {
            return Ok(CredentialCheck { keys: self, digest, counted: None });
        };
        let network = client::network(client);
        let count = self.window.count(network, max, now);
        if count.is_allowed {
            return Ok(CredentialCheck { keys: self, digest, counted: Some(network) });
        }
        let wait_s = u64::try_from((count.ends_in_ms + 999) / 1_000).unwrap_or(60).max(1);
        let message =
            format!("This address has sent {max} unknown API keys in this minute, and this key isn't known yet.");
        let refusal = Refusal::new(ErrorCode::RateLimited, message);
        let refusal = refusal.with_fix("Check the API key. If it is valid, wait for the time in `Retry-After`.");
        Err(refusal.at_limit(LimitName::UnknownKeysPerMinute, max, wait_s))
    }

    fn accepted(&self) -> MutexGuard<'_, AcceptedKeys> {
        self.accepted.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CredentialCheck<'_> {
    /// Records that the key is valid.
    pub(crate) fn accept(self) {
        if self.counted.is_some() {
            self.keys.accepted().insert(self.digest);
        }
        self.cancel();
    }

    /// Records that the key is unknown or revoked.
    pub(crate) fn reject(self) {
        if self.counted.is_none() {
            self.keys.accepted().remove(&self.digest);
        }
    }

    /// Takes the count back: the credential was valid, or its check failed.
    pub(crate) fn cancel(self) {
        if let Some(network) = self.counted {
            self.keys.window.take_back(network);
        }
    }
}

impl AcceptedKeys {
    fn contains(&self, digest: &CredentialDigest) -> bool {
        self.newer.contains(digest) || self.older.contains(digest)
    }

    fn insert(&mut self, digest: CredentialDigest) {
        if self.newer.len() >= ACCEPTED_MAX {
            self.older = mem::take(&mut self.newer);
        }
        self.newer.insert(digest);
    }

    fn remove(&mut self, digest: &CredentialDigest) {
        self.newer.remove(digest);
        self.older.remove(digest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Time = Time::from_millis(1_000_000);

    fn address(text: &str) -> IpAddr {
        text.parse().expect("an address")
    }

    #[test]
    fn an_address_sends_so_many_unknown_keys_and_accepted_ones_still_work() {
        let keys = UnknownKeys::default();
        let admit =
            |digest: u8, client: &str, at: i64| keys.admit([digest; 32], address(client), Some(2), START.plus_ms(at));
        admit(9, "2001:db8::1", 0).expect("the first").accept();
        admit(1, "2001:db8::1", 0).expect("unknown").reject();
        admit(2, "2001:db8:0:ff::2", 0).expect("unknown").reject();
        let refusal = admit(3, "2001:db8::3", 1_000).err().expect("used up");
        assert_eq!((refusal.limit(), refusal.retry_after_s), (Some(LimitName::UnknownKeysPerMinute), Some(59)));
        admit(9, "2001:db8::1", 1_000).expect("accepted before").accept();
        admit(3, "2001:db8:0:100::1", 1_000).expect("another network").reject();
        admit(3, "2001:db8::3", MINUTE_MS).expect("a new minute").reject();
        // A revoked key counts from its next use.
        admit(9, "192.0.2.1", MINUTE_MS).expect("accepted before").reject();
        admit(8, "192.0.2.1", MINUTE_MS).expect("unknown").reject();
        admit(8, "192.0.2.1", MINUTE_MS).expect("unknown").cancel();
        admit(9, "192.0.2.1", MINUTE_MS).expect("unknown").reject();
        assert!(admit(9, "192.0.2.1", MINUTE_MS).is_err());
    }

    #[test]
    fn checks_at_the_same_time_are_counted() {
        let keys = UnknownKeys::default();
        let open: Vec<_> =
            (0..9).filter_map(|at| keys.admit([at; 32], address("192.0.2.1"), Some(5), START).ok()).collect();
        assert_eq!(open.len(), 5);
    }

    #[test]
    fn accepted_keys_are_bounded() {
        let mut accepted = AcceptedKeys::default();
        for at in 0..=2 * ACCEPTED_MAX {
            let mut digest = [0; 32];
            digest[..8].copy_from_slice(&at.to_be_bytes());
            accepted.insert(digest);
        }
        assert_eq!((accepted.newer.len(), accepted.older.len()), (1, ACCEPTED_MAX));
    }
}
