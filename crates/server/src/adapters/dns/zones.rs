//! Skips zones whose nameservers don't answer. Each query about them takes seconds, and concurrent queries are limited,
//! so mail that names such a zone must not use up the queries that other mail needs.

use std::collections::HashMap;

use posthouse_domain::time::Time;

/// Slow queries about a zone, concurrent or in a row, after which it is skipped.
const SLOW_MAX: u32 = 8;
/// How long a zone is skipped, in milliseconds.
const REST_MS: i64 = 15_000;
/// Maximum zones that are tracked. At the limit, zones that aren't skipped are removed.
const ZONES_MAX: usize = 4_096;
/// Maximum length of a second label that counts as a registry below a country (`co.uk`), in bytes.
const REGISTRY_BYTES_MAX: usize = 3;
/// Labels of the zone of an IPv4 network of 16 bits, and of an IPv6 network of 32.
const REVERSE_LABELS: [(&str, usize); 2] = [("in-addr", 4), ("ip6", 10)];

/// The state of a zone.
#[derive(Debug, Default)]
struct Zone {
    /// Slow queries that aren't answered.
    slow: u32,
    paused_until: Option<Time>,
}

/// The zones with slow queries.
#[derive(Debug, Default)]
pub(super) struct Zones {
    zones: HashMap<String, Zone>,
}

impl Zones {
    /// Returns whether a name may be queried now.
    pub(super) fn may_query(&self, name: &str, now: Time) -> bool {
        let rests_until = || self.zones.get(&zone_of(name))?.paused_until;
        self.zones.is_empty() || rests_until().is_none_or(|until| now >= until)
    }

    /// Records a slow query.
    pub(super) fn slow(&mut self, name: &str, now: Time) {
        if self.zones.len() >= ZONES_MAX {
            self.zones.retain(|_, zone| zone.paused_until.is_some_and(|until| now < until));
        }
        if self.zones.len() >= ZONES_MAX {
            return;
        }
        let zone = self.zones.entry(zone_of(name)).or_default();
        zone.slow += 1;
        if zone.slow >= SLOW_MAX {
            zone.paused_until = Some(now.plus_ms(REST_MS));
            // After the pause, one more slow query is enough.
            zone.slow = SLOW_MAX - 1;
        }
    }

    /// Records an answered query.
    pub(super) fn answered(&mut self, name: &str) {
        if !self.zones.is_empty() {
            self.zones.remove(&zone_of(name));
        }
    }
}

/// Estimates the registered domain of a name without a list: two labels, or three below a country.
fn zone_of(name: &str) -> String {
    let name = name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase();
    let labels: Vec<&str> = name.rsplit('.').collect();
    let reverse = REVERSE_LABELS.iter().find(|(network, _)| labels.starts_with(&["arpa", network]));
    let is_registry = labels.len() > 2 && labels[0].len() == 2 && labels[1].len() <= REGISTRY_BYTES_MAX;
    let count = reverse.map_or(if is_registry { 3 } else { 2 }, |(_, labels)| *labels);
    let mut kept: Vec<&str> = labels.into_iter().take(count).collect();
    kept.reverse();
    kept.join(".")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: i64) -> Time {
        Time::from_millis(ms)
    }

    #[test]
    fn names_are_grouped_by_registered_domain() {
        let table = [
            ("example.com", "example.com"),
            ("a.b.Example.COM.", "example.com"),
            ("s1._domainkey.dead.co.uk", "dead.co.uk"),
            ("x.dead.de", "dead.de"),
            ("1.2.0.192.in-addr.arpa", "0.192.in-addr.arpa"),
            ("1.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa", "8.b.d.0.1.0.0.2.ip6.arpa"),
            ("com", "com"),
            ("", ""),
        ];
        for (name, zone) in table {
            assert_eq!(zone_of(name), zone, "{name}");
        }
    }

    #[test]
    fn only_a_silent_zone_is_skipped() {
        let mut zones = Zones::default();
        for n in 0..SLOW_MAX {
            assert!(zones.may_query("x.dead.example", at(0)), "after {n}");
            zones.slow(&format!("x{n}.dead.example"), at(0));
        }
        assert!(!zones.may_query("y.dead.example", at(REST_MS - 1)));
        assert!(zones.may_query("alive.example", at(0)));
        assert!(zones.may_query("y.dead.example", at(REST_MS)));
        zones.slow("y.dead.example", at(REST_MS));
        assert!(!zones.may_query("y.dead.example", at(REST_MS)), "one more is enough");
        zones.answered("z.dead.example");
        assert!(zones.may_query("y.dead.example", at(REST_MS)));
    }

    #[test]
    fn tracked_zones_are_limited() {
        let mut zones = Zones::default();
        (0..3 * ZONES_MAX).for_each(|n| zones.slow(&format!("x.n{n}.example"), at(0)));
        assert!(zones.zones.len() <= ZONES_MAX);
    }
}
