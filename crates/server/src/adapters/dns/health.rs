//! Whether the configured nameservers answer at all.
//!
//! A question that gets no answer says nothing about them: the nameservers of the name asked about may be silent, and strangers
//! choose those names. It only makes us ask something of our own choice, which every nameserver can answer. Any answer, whatever
//! it is about, came from a configured nameserver and shows that it is there.

use posthouse_domain::time::Time;

/// How long nobody is asked after the nameservers did not answer our own questions, in milliseconds.
pub(super) const OUTAGE_MS: i64 = 10_000;
/// How long the questions after that may take, in milliseconds, before they are asked again.
pub(super) const PROBE_MS: i64 = 3_000;

/// What to do with a question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Admission {
    /// Ask it.
    Ask,
    /// The nameservers did not answer: ask whether they do now, and then this.
    Probe,
    /// The nameservers do not answer.
    Refuse,
}

/// What is known about the nameservers as a whole.
#[derive(Debug, Default)]
pub(super) struct Health {
    answered_at: Option<Time>,
    resolved_at: Option<Time>,
    silent_until: Option<Time>,
}

impl Health {
    /// What to do now. After an outage one question probes for all: the others are refused until it has an answer.
    pub(super) fn admit(&mut self, now: Time) -> Admission {
        match self.silent_until {
            None => Admission::Ask,
            Some(until) if now < until => Admission::Refuse,
            Some(_) => {
                self.silent_until = Some(now.plus_ms(PROBE_MS));
                Admission::Probe
            }
        }
    }

    /// A nameserver answered; `resolved` where the answer was of use. Any answer ends an outage.
    pub(super) fn answered(&mut self, now: Time, resolved: bool) {
        self.answered_at = Some(now);
        self.resolved_at = if resolved { Some(now) } else { self.resolved_at };
        self.silent_until = None;
    }

    /// Our own questions, asked at `began`, got no answer; whether that is an outage. It is not one where anything else was
    /// answered since.
    pub(super) fn unanswered(&mut self, began: Time, now: Time) -> bool {
        if self.answered_at.is_some_and(|at| at >= began) {
            return false;
        }
        self.silent_until = Some(now.plus_ms(OUTAGE_MS));
        true
    }

    /// Whether a nameserver gave an answer of use since then.
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
    fn an_outage_begins_with_our_own_question_and_ends_with_any_answer() {
        let mut health = Health::default();
        assert_eq!(health.admit(at(1_000)), Admission::Ask);
        assert!(health.unanswered(at(1_000), at(2_000)));
        assert_eq!(health.admit(at(2_000)), Admission::Refuse);
        assert_eq!(health.admit(at(2_000 + OUTAGE_MS - 1)), Admission::Refuse);
        assert_eq!(health.admit(at(20_000)), Admission::Probe, "one probes after the pause");
        assert_eq!(health.admit(at(20_001)), Admission::Refuse, "and only one");
        assert_eq!(health.admit(at(20_000 + PROBE_MS)), Admission::Probe, "a lost probe holds nobody up for ever");
        assert!(health.unanswered(at(23_000), at(24_000)));
        assert_eq!(health.admit(at(24_000)), Admission::Refuse);
        health.answered(at(25_000), false);
        assert_eq!(health.admit(at(25_000)), Admission::Ask);
    }

    #[test]
    fn an_answer_about_anything_shows_that_they_are_there() {
        let mut health = Health::default();
        health.answered(at(1_500), false);
        assert!(!health.unanswered(at(1_000), at(2_000)));
        assert_eq!(health.admit(at(2_000)), Admission::Ask);
        assert!(!health.resolved_since(at(0)), "a failure is an answer, and of no use");
        health.answered(at(2_500), true);
        assert!(health.resolved_since(at(2_500)) && !health.resolved_since(at(2_501)));
    }
}
