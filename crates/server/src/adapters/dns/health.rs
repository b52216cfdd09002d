//! Whether the configured nameservers answer at all.
//!
//! A query without an answer proves nothing about them: strangers choose the names that mail contains, and the
//! authoritative servers of such a name may be down. It only triggers a probe with queries that every nameserver can
//! answer. Any answer, about whatever name, comes from a configured nameserver and shows that it works.

use posthouse_domain::time::Time;

/// How long no queries are sent after a probe without an answer, in milliseconds.
pub(super) const OUTAGE_MS: i64 = 10_000;
/// How long the next probe may take before another query starts a new one, in milliseconds.
pub(super) const PROBE_MS: i64 = 3_000;

/// What to do with a query.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Admission {
    /// Send the query.
    Query,
    /// The nameservers didn't answer: probe them before the query.
    Probe,
    /// The nameservers don't answer: fail the query.
    Refuse,
}

/// The state of the nameservers as a whole.
#[derive(Debug, Default)]
pub(super) struct Health {
    answered_at: Option<Time>,
    resolved_at: Option<Time>,
    silent_until: Option<Time>,
}

impl Health {
    /// Decides about a query. After an outage one query probes, and others are refused until the probe has a result.
    pub(super) fn admit(&mut self, now: Time) -> Admission {
        match self.silent_until {
            None => Admission::Query,
            Some(until) if now < until => Admission::Refuse,
            Some(_) => {
                self.silent_until = Some(now.plus_ms(PROBE_MS));
                Admission::Probe
            }
        }
    }

    /// Records an answer; `resolved` if it was usable. Any answer ends an outage.
    pub(super) fn answered(&mut self, now: Time, resolved: bool) {
        self.answered_at = Some(now);
        self.resolved_at = if resolved { Some(now) } else { self.resolved_at };
        self.silent_until = None;
    }

    /// Records a probe, begun at `began`, without an answer. Returns whether that is an outage, which it isn't if any
    /// other query was answered since.
    pub(super) fn record_unanswered(&mut self, began: Time, now: Time) -> bool {
        if self.answered_at.is_some_and(|at| at >= began) {
            return false;
        }
        self.silent_until = Some(now.plus_ms(OUTAGE_MS));
        true
    }

    /// Returns whether there was a usable answer since `began`.
    pub(super) fn resolved_since(&self, began: Time) -> bool {
        self.resolved_at.is_some_and(|at| at >= began)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: i64) -> Time {
        Time::from_millis(ms)
    }

    #[test]
    fn an_outage_begins_with_a_failed_probe_and_ends_with_any_answer() {
        let mut health = Health::default();
        assert_eq!(health.admit(at(1_000)), Admission::Query);
        assert!(health.record_unanswered(at(1_000), at(2_000)));
        assert_eq!(health.admit(at(2_000)), Admission::Refuse);
        assert_eq!(health.admit(at(2_000 + OUTAGE_MS - 1)), Admission::Refuse);
        assert_eq!(health.admit(at(20_000)), Admission::Probe, "one probes after the pause");
        assert_eq!(health.admit(at(20_001)), Admission::Refuse, "and only one");
        assert_eq!(health.admit(at(20_000 + PROBE_MS)), Admission::Probe, "a lost probe doesn't block queries forever");
        assert!(health.record_unanswered(at(23_000), at(24_000)));
        assert_eq!(health.admit(at(24_000)), Admission::Refuse);
        health.answered(at(25_000), false);
        assert_eq!(health.admit(at(25_000)), Admission::Query);
    }

    #[test]
    fn any_answer_prevents_an_outage() {
        let mut health = Health::default();
        health.answered(at(1_500), false);
        assert!(!health.record_unanswered(at(1_000), at(2_000)));
        assert_eq!(health.admit(at(2_000)), Admission::Query);
        assert!(!health.resolved_since(at(0)), "a failure is an answer, and of no use");
        health.answered(at(2_500), true);
        assert!(health.resolved_since(at(2_500)) && !health.resolved_since(at(2_501)));
    }
}
