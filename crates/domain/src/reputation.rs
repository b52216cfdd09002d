//! What DNS blocklists say of our own address (RFC 5782; contract §13.3). Pure: the answers are passed in.

use std::net::{IpAddr, Ipv4Addr};

use serde::{Deserialize, Serialize};

use crate::time::{DAY_MS, HOUR_MS, Time};

/// How long an answer is shown before the lists are asked again, in milliseconds.
pub const FRESH_MS: i64 = HOUR_MS;
/// Age from which an old answer is called stale, in milliseconds.
pub const STALE_MS: i64 = DAY_MS;

/// What a list, or all of them, says.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Listing {
    /// Not on it.
    Clean,
    /// On it.
    Listed,
    /// It gave no answer.
    Unknown,
    /// It does not answer questions of our name servers.
    Skipped,
}

/// One list's answer, as it is kept.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ListAnswer {
    /// The zone of the list.
    pub name: String,
    /// What it says.
    pub status: Listing,
    /// Why it lists us, in its own codes.
    pub codes: Vec<Ipv4Addr>,
}

/// What was found, as it is kept.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Finding {
    /// When the lists were asked, in milliseconds since 1970.
    pub checked_at_ms: i64,
    /// What each said.
    pub lists: Vec<ListAnswer>,
}

/// What all lists together say (contract §13.3).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Standing {
    /// On none of those that answered, and all answered.
    Clean,
    /// On at least one.
    Listed,
    /// On none of those that answered; some did not.
    Partial,
    /// None answered.
    Unknown,
    /// The last answer is old, and none can be had now.
    Stale,
    /// There is no public address to ask about, or no list to ask.
    NotChecked,
}

impl Listing {
    /// The name on the wire.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Listing::Clean => "clean",
            Listing::Listed => "listed",
            Listing::Unknown => "unknown",
            Listing::Skipped => "skipped",
        }
    }
}

impl Standing {
    /// The name on the wire.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Standing::Clean => "clean",
            Standing::Listed => "listed",
            Standing::Partial => "partial",
            Standing::Unknown => "unknown",
            Standing::Stale => "stale",
            Standing::NotChecked => "not_checked",
        }
    }
}

impl Finding {
    /// When the lists were asked.
    #[must_use]
    pub const fn checked_at(&self) -> Time {
        Time::from_millis(self.checked_at_ms)
    }

    /// Whether it can be shown without asking again.
    #[must_use]
    pub const fn is_fresh(&self, now: Time) -> bool {
        now.since_ms(self.checked_at()) < FRESH_MS
    }

    /// Whether no list said anything.
    #[must_use]
    pub fn is_silent(&self) -> bool {
        self.lists.iter().all(|list| matches!(list.status, Listing::Unknown | Listing::Skipped))
    }

    /// What all lists together say.
    #[must_use]
    pub fn standing(&self, now: Time) -> Standing {
        let any = |status| self.lists.iter().any(|list| list.status == status);
        if self.lists.is_empty() {
            Standing::NotChecked
        } else if now.since_ms(self.checked_at()) >= STALE_MS {
            Standing::Stale
        } else if any(Listing::Listed) {
            Standing::Listed
        } else if self.is_silent() {
            Standing::Unknown
        } else if any(Listing::Unknown) || any(Listing::Skipped) {
            Standing::Partial
        } else {
            Standing::Clean
        }
    }
}

/// The name that is looked up at a list about an address (RFC 5782 §2.1, §2.4).
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

/// What the addresses of a list's answer mean: 127.255.255.0/24 says that the list refuses our name servers, another
/// address of 127.0.0.0/8 that it lists us, and anything else that somebody answers in the list's place.
#[must_use]
pub fn judge(addresses: &[Ipv4Addr]) -> Listing {
    let refuses = |address: &Ipv4Addr| address.octets()[..3] == [127, 255, 255];
    if addresses.iter().any(refuses) {
        Listing::Skipped
    } else if addresses.iter().any(|address| address.octets()[0] == 127) {
        Listing::Listed
    } else {
        Listing::Unknown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(statuses: &[Listing]) -> Finding {
        let list = |status: &Listing| ListAnswer { name: "bl.example".to_owned(), status: *status, codes: vec![] };
        Finding { checked_at_ms: 0, lists: statuses.iter().map(list).collect() }
    }

    #[test]
    fn the_standing_is_the_worst_that_is_known() {
        use Listing::{Clean, Listed, Skipped, Unknown};
        let table: [(&[Listing], Standing); 7] = [
            (&[], Standing::NotChecked),
            (&[Clean, Clean], Standing::Clean),
            (&[Clean, Listed, Unknown], Standing::Listed),
            (&[Clean, Unknown], Standing::Partial),
            (&[Clean, Skipped], Standing::Partial),
            (&[Unknown, Skipped], Standing::Unknown),
            (&[Listed], Standing::Listed),
        ];
        for (statuses, expected) in table {
            assert_eq!(finding(statuses).standing(Time::from_millis(1)), expected, "{statuses:?}");
        }
        assert_eq!(finding(&[Clean]).standing(Time::from_millis(STALE_MS)), Standing::Stale);
        assert!(finding(&[Clean]).is_fresh(Time::from_millis(FRESH_MS - 1)));
        assert!(!finding(&[Clean]).is_fresh(Time::from_millis(FRESH_MS)));
    }

    #[test]
    fn questions_are_reversed_addresses() {
        let v4: IpAddr = "192.0.2.99".parse().expect("an address");
        assert_eq!(question(v4, "bl.example"), "99.2.0.192.bl.example");
        let v6: IpAddr = "2001:db8:1:2:3:4:567:89ab".parse().expect("an address");
        let reversed = "b.a.9.8.7.6.5.0.4.0.0.0.3.0.0.0.2.0.0.0.1.0.0.0.8.b.d.0.1.0.0.2.bl.example";
        assert_eq!(question(v6, "bl.example"), reversed);
    }

    #[test]
    fn codes_are_judged() {
        assert_eq!(judge(&[Ipv4Addr::new(127, 0, 0, 2)]), Listing::Listed);
        assert_eq!(judge(&[Ipv4Addr::new(127, 255, 255, 254)]), Listing::Skipped);
        assert_eq!(judge(&[Ipv4Addr::new(198, 51, 100, 1)]), Listing::Unknown);
        assert_eq!(judge(&[]), Listing::Unknown);
    }
}
