//! Zones whose own nameservers are silent. Each question about them is under way for seconds, and there is room for so many:
//! a stranger who has mail sent with names of a silent zone must not use up the room that the mail of others needs.

use std::collections::HashMap;

use posthouse_domain::time::Time;

/// Slow questions about one zone, at the same time or in a row, after which it is left alone.
const SLOW_MAX: u32 = 8;
/// How long it is left alone, in milliseconds.
const REST_MS: i64 = 15_000;
/// Zones that are known at once. Beyond that those that do not rest are forgotten.
const ZONES_MAX: usize = 4_096;
/// Longest second label that is taken for one of a registry below a country (`co.uk`), in bytes.
const REGISTRY_BYTES_MAX: usize = 3;
/// Labels of the zone of an IPv4 network of 16 bits, and of an IPv6 network of 32.
const REVERSE_LABELS: [(&str, usize); 2] = [("in-addr", 4), ("ip6", 10)];

/// What is known of one zone.
#[derive(Debug, Default)]
struct Zone {
    /// Questions that take long, and those before that came to nothing.
    slow: u32,
    rests_until: Option<Time>,
}

/// The zones that were slow lately.
#[derive(Debug, Default)]
pub(super) struct Zones {
    zones: HashMap<String, Zone>,
}

impl Zones {
    /// Whether to ask about a name now.
    pub(super) fn may_ask(&self, name: &str, now: Time) -> bool {
        let rests_until = || self.zones.get(&zone_of(name))?.rests_until;
        self.zones.is_empty() || rests_until().is_none_or(|until| now >= until)
    }

    /// A question about the name takes long.
    pub(super) fn slow(&mut self, name: &str, now: Time) {
        if self.zones.len() >= ZONES_MAX {
            self.zones.retain(|_, zone| zone.rests_until.is_some_and(|until| now < until));
        }
        if self.zones.len() >= ZONES_MAX {
            return;
        }
        let zone = self.zones.entry(zone_of(name)).or_default();
        zone.slow += 1;
        if zone.slow >= SLOW_MAX {
            zone.rests_until = Some(now.plus_ms(REST_MS));
            // After the rest one more is enough.
            zone.slow = SLOW_MAX - 1;
        }
    }

    /// A question about the name was answered.
    pub(super) fn answered(&mut self, name: &str) {
        if !self.zones.is_empty() {
            self.zones.remove(&zone_of(name));
        }
    }
}

/// The part of a name that one owner answers for, as far as that can be told without a list: two labels, or three below a
/// country.
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
    fn a_zone_is_what_one_owner_answers_for() {
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
    fn a_silent_zone_rests_and_no_other_does() {
        let mut zones = Zones::default();
        for n in 0..SLOW_MAX {
            assert!(zones.may_ask("x.dead.example", at(0)), "after {n}");
            zones.slow(&format!("x{n}.dead.example"), at(0));
        }
        assert!(!zones.may_ask("y.dead.example", at(REST_MS - 1)));
        assert!(zones.may_ask("alive.example", at(0)));
        assert!(zones.may_ask("y.dead.example", at(REST_MS)));
        zones.slow("y.dead.example", at(REST_MS));
        assert!(!zones.may_ask("y.dead.example", at(REST_MS)), "one more is enough");
        zones.answered("z.dead.example");
        assert!(zones.may_ask("y.dead.example", at(REST_MS)));
    }

    #[test]
    fn many_zones_are_not_kept() {
        let mut zones = Zones::default();
        (0..3 * ZONES_MAX).for_each(|n| zones.slow(&format!("x.n{n}.example"), at(0)));
        assert!(zones.zones.len() <= ZONES_MAX);
    }
}
