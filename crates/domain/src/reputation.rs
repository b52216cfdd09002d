//! The listing of this server's address in DNS blocklists (RFC 5782). Pure: the DNS answers are passed in.

use std::net::{IpAddr, Ipv4Addr};

use serde::{Deserialize, Serialize};

use crate::time::{DAY_MS, HOUR_MS, Time};

/// How long a result is used before the lists are queried again, in milliseconds.
pub const FRESH_MS: i64 = HOUR_MS;
/// The age from which a result is stale, in milliseconds.
pub const STALE_MS: i64 = DAY_MS;

/// The result of one blocklist.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BlocklistStatus {
    /// Not listed.
    Clean,
    /// Listed.
    Listed,
    /// The list didn't answer.
    Unknown,
    /// The list rejects queries from this server's resolver.
    Skipped,
}

/// One list's result, as stored.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct BlocklistResult {
    /// The zone of the list.
    pub name: String,
    /// Its result.
    pub status: BlocklistStatus,
    /// The list's return codes, which say why the address is listed.
    pub codes: Vec<Ipv4Addr>,
}

/// The result of a check, as stored.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct BlocklistCheck {
    /// When the lists were queried, in milliseconds since 1970.
    pub checked_at_ms: i64,
    /// The result of each list.
    pub lists: Vec<BlocklistResult>,
}

/// The combined result of all lists.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReputationStatus {
    /// All lists answered, and none lists the address.
    Clean,
    /// At least one list lists the address.
    Listed,
    /// No list that answered lists the address, but some didn't answer.
    Partial,
    /// No list answered.
    Unknown,
    /// The last result is old, and there is no newer one.
    Stale,
    /// There is no public address to check, or no list to query.
    NotChecked,
}

impl BlocklistStatus {
    /// Returns the name on the wire.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            BlocklistStatus::Clean => "clean",
            BlocklistStatus::Listed => "listed",
            BlocklistStatus::Unknown => "unknown",
            BlocklistStatus::Skipped => "skipped",
        }
    }
}

impl ReputationStatus {
    /// Returns the name on the wire.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            ReputationStatus::Clean => "clean",
            ReputationStatus::Listed => "listed",
            ReputationStatus::Partial => "partial",
            ReputationStatus::Unknown => "unknown",
            ReputationStatus::Stale => "stale",
            ReputationStatus::NotChecked => "not_checked",
        }
    }
}

impl BlocklistCheck {
    /// Returns when the lists were queried.
    #[must_use]
    pub const fn checked_at(&self) -> Time {
        Time::from_millis(self.checked_at_ms)
    }

    /// Returns whether the result can be used without querying the lists again.
    #[must_use]
    pub const fn is_fresh(&self, now: Time) -> bool {
        now.since_ms(self.checked_at()) < FRESH_MS
    }

    /// Returns whether no list gave a result.
    #[must_use]
    pub fn has_no_results(&self) -> bool {
        self.lists.iter().all(|list| matches!(list.status, BlocklistStatus::Unknown | BlocklistStatus::Skipped))
    }

    /// Returns the combined result of all lists.
    #[must_use]
    pub fn overall_status(&self, now: Time) -> ReputationStatus {
        let any = |status| self.lists.iter().any(|list| list.status == status);
        if self.lists.is_empty() {
            ReputationStatus::NotChecked
        } else if now.since_ms(self.checked_at()) >= STALE_MS {
            ReputationStatus::Stale
        } else if any(BlocklistStatus::Listed) {
            ReputationStatus::Listed
        } else if self.has_no_results() {
            ReputationStatus::Unknown
        } else if any(BlocklistStatus::Unknown) || any(BlocklistStatus::Skipped) {
            ReputationStatus::Partial
        } else {
            ReputationStatus::Clean
        }
    }
}

/// Returns the name to look up for an address in a list (RFC 5782 §2.1, §2.4).
#[must_use]
pub fn question(address: IpAddr, list: &str) -> String {
    let reversed: Vec<String> = match address {
        IpAddr::V4(v4) => v4.octets().iter().rev().map(u8::to_string).collect(),
        IpAddr::V6(v6) => {
            let nibbles = v6.octets().into_iter().rev().flat_map(|octet| [octet & 0xf, octet >> 4]);
            nibbles.map(|nibble| format!("{nibble:x}")).collect()
        }
    };
    format!("{}.{list}", reversed.join("."))
}

/// Interprets the addresses in a list's answer. 127.255.255.0/24 means that the list rejects this server's resolver,
/// any other address in 127.0.0.0/8 that the address is listed. Other addresses don't come from the list, but from a
/// parked domain or a redirecting resolver.
#[must_use]
pub fn interpret(addresses: &[Ipv4Addr]) -> BlocklistStatus {
    let refuses = |address: &Ipv4Addr| address.octets()[..3] == [127, 255, 255];
    if addresses.iter().any(refuses) {
        BlocklistStatus::Skipped
    } else if addresses.iter().any(|address| address.octets()[0] == 127) {
        BlocklistStatus::Listed
    } else {
        BlocklistStatus::Unknown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(statuses: &[BlocklistStatus]) -> BlocklistCheck {
        let list = |status: &BlocklistStatus| BlocklistResult {
            name: "bl.example".to_owned(),
            status: *status,
            codes: vec![],
        };
        BlocklistCheck { checked_at_ms: 0, lists: statuses.iter().map(list).collect() }
    }

    #[test]
    fn combined_result_is_the_worst_known() {
        use BlocklistStatus::{Clean, Listed, Skipped, Unknown};
        let table: [(&[BlocklistStatus], ReputationStatus); 7] = [
            (&[], ReputationStatus::NotChecked),
            (&[Clean, Clean], ReputationStatus::Clean),
            (&[Clean, Listed, Unknown], ReputationStatus::Listed),
            (&[Clean, Unknown], ReputationStatus::Partial),
            (&[Clean, Skipped], ReputationStatus::Partial),
            (&[Unknown, Skipped], ReputationStatus::Unknown),
            (&[Listed], ReputationStatus::Listed),
        ];
        for (statuses, expected) in table {
            assert_eq!(finding(statuses).overall_status(Time::from_millis(1)), expected, "{statuses:?}");
        }
        assert_eq!(finding(&[Clean]).overall_status(Time::from_millis(STALE_MS)), ReputationStatus::Stale);
        assert!(finding(&[Clean]).is_fresh(Time::from_millis(FRESH_MS - 1)));
        assert!(!finding(&[Clean]).is_fresh(Time::from_millis(FRESH_MS)));
    }

    #[test]
    fn queries_use_reversed_addresses() {
        let v4: IpAddr = "192.0.2.99".parse().expect("an address");
        assert_eq!(question(v4, "bl.example"), "99.2.0.192.bl.example");
        let v6: IpAddr = "2001:db8:1:2:3:4:567:89ab".parse().expect("an address");
        let reversed = "b.a.9.8.7.6.5.0.4.0.0.0.3.0.0.0.2.0.0.0.1.0.0.0.8.b.d.0.1.0.0.2.bl.example";
        assert_eq!(question(v6, "bl.example"), reversed);
    }

    #[test]
    fn return_codes_are_interpreted() {
        assert_eq!(interpret(&[Ipv4Addr::new(127, 0, 0, 2)]), BlocklistStatus::Listed);
        assert_eq!(interpret(&[Ipv4Addr::new(127, 255, 255, 254)]), BlocklistStatus::Skipped);
        assert_eq!(interpret(&[Ipv4Addr::new(198, 51, 100, 1)]), BlocklistStatus::Unknown);
        assert_eq!(interpret(&[]), BlocklistStatus::Unknown);
    }
}
