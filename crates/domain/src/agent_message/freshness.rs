//! How long signatures and proofs of agents can be used, and their nonces.

use serde_json::{Map, Value};

use crate::time::Time;

/// How long after `iat` a signature or proof can be used, in seconds.
pub const VALID_S: i64 = 300;
/// How far `iat` may be in the future, in seconds, because clocks differ.
pub const SKEW_S: i64 = 30;
/// Fewest characters of a nonce: 96 random bits in base64url.
pub const NONCE_CHARS_MIN: usize = 16;
/// Most characters of a nonce.
pub const NONCE_CHARS_MAX: usize = 128;

/// Returns a well-formed nonce.
#[must_use]
pub fn nonce(claims: &Map<String, Value>) -> Option<String> {
    let nonce = claims.get("nonce").and_then(Value::as_str)?;
    let is_valid =
        (NONCE_CHARS_MIN..=NONCE_CHARS_MAX).contains(&nonce.len()) && nonce.bytes().all(|byte| byte.is_ascii_graphic());
    is_valid.then(|| nonce.to_owned())
}

/// How old a signature or proof is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Freshness {
    /// It can be used.
    Fresh,
    /// Its date is in the future.
    Future,
    /// It is older than [`VALID_S`].
    Old,
}

/// Returns how old a signature with this `iat` is.
#[must_use]
pub fn freshness(iat: i64, now: Time) -> Freshness {
    let age = now.seconds().saturating_sub(iat);
    if age < -SKEW_S {
        Freshness::Future
    } else if age > VALID_S {
        Freshness::Old
    } else {
        Freshness::Fresh
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::SECOND_MS;

    #[test]
    fn signatures_are_fresh_for_five_minutes() {
        let at = |seconds: i64| Time::from_millis(seconds * SECOND_MS);
        for (now, expected) in [
            (1_000, Freshness::Fresh),
            (1_300, Freshness::Fresh),
            (1_301, Freshness::Old),
            (970, Freshness::Fresh),
            (969, Freshness::Future),
        ] {
            assert_eq!(freshness(1_000, at(now)), expected, "{now}");
        }
        assert_eq!(freshness(i64::MIN, at(1)), Freshness::Old);
        assert_eq!(freshness(i64::MAX, at(1)), Freshness::Future);
    }
}
