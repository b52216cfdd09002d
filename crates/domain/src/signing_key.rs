//! Signing keys of the service: what they sign, when they sign, and how long they are published.
//!
//! A key is published before it signs, and published after it has stopped: programs that verify cache keys for five
//! minutes, so they always know the key of a new signature and of an old one.

use crate::time::{DAY_MS, MINUTE_MS, Time};

named! {
    /// What a key signs. Each purpose has keys of its own.
    SigningPurpose {
        /// Messages between agents, and public records of agents.
        AgentMessages = "agent_messages",
        /// Identity tokens.
        Identity = "identity",
    }

    /// The status of a published key.
    SigningKeyStatus {
        /// It signs, or will sign soon.
        Active = "active",
        /// It doesn't sign any more; its signatures stay valid.
        Retired = "retired",
        /// Its signatures are no longer valid.
        Revoked = "revoked",
    }
}

/// How long a key is published before it signs, in milliseconds: twice the time for which programs cache keys.
pub const PUBLISHED_BEFORE_MS: i64 = 10 * MINUTE_MS;
/// The age at which a key is replaced, in milliseconds.
pub const ROTATION_MS: i64 = 365 * DAY_MS;
/// How long the private part of a key is kept after it stopped signing, in milliseconds.
pub const PRIVATE_PART_MS: i64 = DAY_MS;

/// The times of a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SigningKeyTimes {
    /// When it was created and published.
    pub created_at: Time,
    /// When it begins to sign.
    pub signs_from: Time,
    /// When its successor begins to sign; `None` without a successor.
    pub retired_at: Option<Time>,
    pub revoked_at: Option<Time>,
}

impl SigningKeyTimes {
    /// Returns the status at a time.
    #[must_use]
    pub fn status(&self, now: Time) -> SigningKeyStatus {
        if self.revoked_at.is_some() {
            SigningKeyStatus::Revoked
        } else if self.retired_at.is_some_and(|at| at <= now) {
            SigningKeyStatus::Retired
        } else {
            SigningKeyStatus::Active
        }
    }

    /// Returns whether the key signs at a time.
    #[must_use]
    pub fn signs(&self, now: Time) -> bool {
        self.signs_from <= now && self.status(now) == SigningKeyStatus::Active
    }

    /// Returns whether a signature with this date is valid: the key was not revoked then.
    #[must_use]
    pub fn verifies(&self, signed_at: Time) -> bool {
        self.revoked_at.is_none_or(|at| at > signed_at)
    }
}

/// A stored signing key.
#[derive(Clone, PartialEq, Eq)]
pub struct StoredSigningKey {
    pub purpose: SigningPurpose,
    /// Its number among the keys of the purpose, from 1.
    pub generation: i64,
    /// Its id.
    pub kid: String,
    /// The public key as JSON.
    pub public_key: String,
    /// The sealed private key; `None` for a key that stopped signing long ago.
    pub private_key: Option<Vec<u8>>,
    pub times: SigningKeyTimes,
}

impl std::fmt::Debug for StoredSigningKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "StoredSigningKey({} {} {})", self.purpose.text(), self.generation, self.kid)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_signs_between_its_predecessor_and_its_successor() {
        let at = Time::from_millis;
        let key = SigningKeyTimes {
            created_at: at(0),
            signs_from: at(PUBLISHED_BEFORE_MS),
            retired_at: Some(at(ROTATION_MS)),
            revoked_at: None,
        };
        let cases = [
            (0, SigningKeyStatus::Active, false),
            (PUBLISHED_BEFORE_MS, SigningKeyStatus::Active, true),
            (ROTATION_MS - 1, SigningKeyStatus::Active, true),
            (ROTATION_MS, SigningKeyStatus::Retired, false),
        ];
        for (now, status, signs) in cases {
            assert_eq!((key.status(at(now)), key.signs(at(now))), (status, signs), "{now}");
            assert!(key.verifies(at(now)));
        }
        let revoked = SigningKeyTimes { revoked_at: Some(at(50)), ..key };
        assert_eq!(revoked.status(at(0)), SigningKeyStatus::Revoked);
        assert!(!revoked.signs(at(PUBLISHED_BEFORE_MS)));
        assert!(revoked.verifies(at(49)) && !revoked.verifies(at(50)));
    }
}
