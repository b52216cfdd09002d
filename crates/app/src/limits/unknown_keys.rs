//! Limits the unknown API keys and stream tokens of each client address, because each costs a read of the database.
//!
//! A key that this process has accepted before is always checked, so that a client keeps its access while another
//! client behind the same address guesses keys. Only the database decides whether a key is valid.

use std::{collections::HashSet, mem, net::IpAddr, sync::Mutex, sync::MutexGuard, sync::PoisonError};

use posthouse_domain::{ErrorCode, Limit, LimitName, MINUTE_MS, Refusal, Time};

use super::{client_network, fixed_window::FixedWindow, shared_budget::BudgetShare, shared_budget::SharedBudget};

/// Most addresses with a window at once; see [`FixedWindow`].
const ADDRESSES_MAX: usize = 100_000;
/// Most accepted keys in one generation; twice as many are remembered.
const ACCEPTED_MAX: usize = 100_000;
/// Credentials of one address that are looked up at once, as a multiple of the limit: after a restart, many clients
/// behind one address may reconnect together.
const AT_ONCE_PER_LIMIT: u64 = 4;
/// When a client should try again if too many credentials are looked up, in seconds.
const AT_ONCE_RETRY_S: u64 = 1;

/// The SHA-256 of a credential.
type CredentialDigest = [u8; 32];

/// The unknown credentials of each address in its current minute, and the keys that were accepted.
#[derive(Debug)]
pub struct UnknownKeys {
    window: FixedWindow<IpAddr>,
    /// The credentials that are being looked up.
    lookups: SharedBudget<IpAddr>,
    accepted: Mutex<AcceptedKeys>,
}

/// Keys that were accepted recently. If the newer generation is full, it becomes the older one, and the older one is
/// dropped.
#[derive(Debug, Default)]
struct AcceptedKeys {
    newer: HashSet<CredentialDigest>,
    older: HashSet<CredentialDigest>,
}

/// A credential that may be looked up.
pub struct CredentialCheck<'a> {
    keys: &'a UnknownKeys,
    digest: CredentialDigest,
    /// What counts it if it is unknown; `None` if it was accepted before.
    unknown: Option<UnknownCredential>,
}

/// A credential that was not accepted before.
struct UnknownCredential {
    lookup: BudgetShare<IpAddr>,
    max: u64,
    now: Time,
}

impl Default for UnknownKeys {
    fn default() -> Self {
        Self {
            window: FixedWindow::new(MINUTE_MS, ADDRESSES_MAX),
            lookups: SharedBudget::new(None),
            accepted: Mutex::default(),
        }
    }
}

impl UnknownKeys {
    /// Admits a credential to its lookup, unless it may be one unknown credential too many.
    ///
    /// # Errors
    /// Returns `rate_limited` if its address has used up its limit.
    pub fn admit(
        &self,
        digest: CredentialDigest,
        client: IpAddr,
        limit: Limit,
        now: Time,
    ) -> Result<CredentialCheck<'_>, Refusal> {
        let Some(max) = limit.filter(|_| !self.accepted().contains(&digest)) else {
            return Ok(CredentialCheck { keys: self, digest, unknown: None });
        };
        let network = client_network(client);
        if !self.window.is_allowed(network, max, now) {
            let ends_in_ms = self.window.count(network, max, now).ends_in_ms;
            return Err(refusal(max, u64::try_from((ends_in_ms + 999) / 1_000).unwrap_or(60).max(1)));
        }
        let lookup = self.lookups.take_one(network, Some(max.saturating_mul(AT_ONCE_PER_LIMIT)));
        let lookup = lookup.map_err(|_| refusal(max, AT_ONCE_RETRY_S))?;
        Ok(CredentialCheck { keys: self, digest, unknown: Some(UnknownCredential { lookup, max, now }) })
    }

    fn accepted(&self) -> MutexGuard<'_, AcceptedKeys> {
        self.accepted.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn refusal(max: u64, wait_s: u64) -> Refusal {
    let message = format!(
        "Your client address sent {max} unknown credentials in this minute, and this one is new to the server."
    );
    let refusal = Refusal::new(ErrorCode::RateLimited, message);
    let refusal = refusal.with_fix("Check the credential. If it is valid, wait for the time in `Retry-After`.");
    refusal.at_limit(LimitName::UnknownKeysPerMinute, max, wait_s)
}

impl CredentialCheck<'_> {
    /// Records that the credential is valid.
    pub fn accept(self) {
        if self.unknown.is_some() {
            self.keys.accepted().insert(self.digest);
        }
    }

    /// Records that the credential is unknown or revoked.
    pub fn reject(self) {
        match self.unknown {
            Some(UnknownCredential { lookup, max, now }) => {
                self.keys.window.count(lookup.key(), max, now);
            }
            None => self.keys.accepted().remove(&self.digest),
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
        drop(admit(8, "192.0.2.1", MINUTE_MS).expect("a failed lookup counts nothing"));
        admit(9, "192.0.2.1", MINUTE_MS).expect("unknown").reject();
        assert!(admit(9, "192.0.2.1", MINUTE_MS).is_err());
    }

    #[test]
    fn lookups_at_the_same_time_are_limited() {
        let keys = UnknownKeys::default();
        let admit = |at: u8| keys.admit([at; 32], address("192.0.2.1"), Some(5), START);
        let open: Vec<_> = (0..20).map(|at| admit(at).expect("a lookup")).collect();
        let refusal = admit(20).err().expect("too many lookups");
        assert_eq!((refusal.limit(), refusal.retry_after_s), (Some(LimitName::UnknownKeysPerMinute), Some(1)));
        open.into_iter().for_each(CredentialCheck::accept);
        // None of them was unknown.
        (20..25).for_each(|at| admit(at).expect("a lookup").reject());
        assert!(admit(25).is_err());
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
