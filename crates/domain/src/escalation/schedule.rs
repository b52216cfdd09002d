//! Decides which escalations are sent when: quiet hours, the limit per hour, and digests. Pure, and computed again from
//! the stored rows at every step, so that it holds over restarts and processes.

use super::{EscalationDelivery, EscalationSettings, RATE_WINDOW_MS};
use crate::{
    id::{EscalationId, InboxId},
    time::{HOUR_MS, Time},
};

/// An escalation that waits to be sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PendingEscalation {
    pub id: EscalationId,
    /// The inbox it is about. A mail is about one inbox, because it is shown among the sent mail of that inbox.
    pub inbox: Option<InboxId>,
    /// The digest that it waits for, if it could not be sent at once.
    pub digest_at: Option<Time>,
    /// When it happened.
    pub created_at: Time,
}

/// The mails that count toward `max_per_hour`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MailWindow {
    /// When the mails of the last hour were sent, oldest first.
    pub sent_at: Vec<Time>,
    /// The maximum number of mails in an hour.
    pub max: u32,
}

impl MailWindow {
    /// Returns when one more mail may be sent; not after `now` if it may be sent now.
    #[must_use]
    pub fn free_at(&self, now: Time) -> Time {
        let max = usize::try_from(self.max).unwrap_or(usize::MAX).max(1);
        let counted: Vec<Time> = self.sent_at.iter().copied().filter(|at| at.plus_ms(RATE_WINDOW_MS) > now).collect();
        match counted.len().checked_sub(max) {
            None => now,
            // Once this mail leaves the window, fewer than `max` remain.
            Some(over) => counted[over].plus_ms(RATE_WINDOW_MS),
        }
    }
}

/// What waits in a workspace, and what was sent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EscalationQueue<'a> {
    /// The settings of the workspace.
    pub settings: &'a EscalationSettings,
    /// The escalations that wait, oldest first.
    pub pending: &'a [PendingEscalation],
    /// The mails of the last hour.
    pub sent: MailWindow,
}

/// The next step of a workspace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EscalationStep {
    /// Nothing waits.
    Done,
    /// Nothing can be sent before that time.
    Wait(Time),
    /// Send these as one mail.
    Send {
        /// The escalations, all about one inbox.
        ids: Vec<EscalationId>,
        /// Whether the mail is a digest.
        mode: EscalationDelivery,
    },
    /// No more single mails may be sent: everything that doesn't wait for a digest waits for this one.
    Defer {
        /// When the digest is due.
        until: Time,
    },
}

/// Returns the next step.
#[must_use]
pub fn next_step(queue: &EscalationQueue<'_>, now: Time) -> EscalationStep {
    if queue.pending.is_empty() {
        return EscalationStep::Done;
    }
    if let Some(end) = queue.settings.quiet_hours.as_ref().and_then(|quiet| quiet.end_after(now)) {
        return EscalationStep::Wait(end);
    }
    let free_at = queue.sent.free_at(now);
    let is_digest = queue.settings.delivery == EscalationDelivery::Digest;
    let due = |one: &PendingEscalation| match one.digest_at {
        None if is_digest => Some(next_digest(one.created_at)),
        waiting => waiting,
    };
    // A digest goes first, because its escalations have waited longer.
    let digests = queue.pending.iter().filter_map(|one| Some((due(one)?, one.inbox)));
    let next_due = digests.min_by_key(|(at, _)| *at);
    if let Some((_, inbox)) = next_due.filter(|(at, _)| *at <= now) {
        if free_at > now {
            return defer_or_wait(queue, is_digest, free_at, now);
        }
        let ids = queue.pending.iter().filter(|one| one.inbox == inbox).map(|one| one.id).collect();
        return EscalationStep::Send { ids, mode: EscalationDelivery::Digest };
    }
    match queue.pending.iter().find(|one| due(one).is_none()) {
        Some(one) if free_at <= now => EscalationStep::Send { ids: vec![one.id], mode: EscalationDelivery::Immediate },
        Some(_) => EscalationStep::Defer { until: next_digest(now) },
        None => EscalationStep::Wait(next_due.map_or(now, |(at, _)| at)),
    }
}

/// Returns what to do while no mail may be sent and a digest is due.
fn defer_or_wait(queue: &EscalationQueue<'_>, is_digest: bool, free_at: Time, now: Time) -> EscalationStep {
    let is_single = |one: &PendingEscalation| !is_digest && one.digest_at.is_none();
    if queue.pending.iter().any(is_single) {
        return EscalationStep::Defer { until: next_digest(now) };
    }
    EscalationStep::Wait(free_at)
}

/// Returns when the next digest after a time is due: at the next full hour (UTC).
fn next_digest(after: Time) -> Time {
    Time::from_millis((after.millis().div_euclid(HOUR_MS) + 1) * HOUR_MS)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use uuid::Uuid;

    use super::*;
    use crate::{
        escalation::{ClockTime, QuietHours},
        time::{MINUTE_MS, SECOND_MS},
        time_zone::NamedTimeZone,
    };

    const NOW: Time = Time::from_millis(1_800_000_000_000 - 1_800_000_000_000 % HOUR_MS + 20 * MINUTE_MS);

    fn id(number: u128) -> EscalationId {
        EscalationId(Uuid::from_u128(number))
    }

    fn waiting(number: u128, at: Time) -> PendingEscalation {
        PendingEscalation { id: id(number), inbox: None, digest_at: None, created_at: at }
    }

    fn settings(delivery: EscalationDelivery) -> EscalationSettings {
        EscalationSettings { delivery, ..EscalationSettings::default() }
    }

    fn step(delivery: EscalationDelivery, pending: &[PendingEscalation], sent: &[Time], max: u32) -> EscalationStep {
        let sent = MailWindow { sent_at: sent.to_vec(), max };
        next_step(&EscalationQueue { settings: &settings(delivery), pending, sent }, NOW)
    }

    #[test]
    fn immediate_escalations_are_sent_one_by_one_and_then_wait_for_a_digest() {
        use EscalationDelivery::{Digest, Immediate};
        let hour = NOW.plus_ms(40 * MINUTE_MS);
        let (first, second) = (waiting(1, NOW), waiting(2, NOW));
        assert_eq!(step(Immediate, &[], &[], 1), EscalationStep::Done);
        let send = |ids: &[u128], mode| EscalationStep::Send { ids: ids.iter().copied().map(id).collect(), mode };
        assert_eq!(step(Immediate, &[first, second], &[], 1), send(&[1], Immediate));
        assert_eq!(step(Immediate, &[second], &[NOW], 1), EscalationStep::Defer { until: hour });
        let deferred = PendingEscalation { digest_at: Some(hour), ..second };
        assert_eq!(step(Immediate, &[deferred], &[NOW], 1), EscalationStep::Wait(hour));
        // A full hour has come, but the limit holds until an hour after the last mail.
        let due = PendingEscalation { digest_at: Some(NOW), ..second };
        let sent = NOW.plus_ms(-30 * MINUTE_MS);
        assert_eq!(step(Immediate, &[due], &[sent], 1), EscalationStep::Wait(sent.plus_ms(HOUR_MS)));
        assert_eq!(step(Immediate, &[due, first], &[sent], 1), EscalationStep::Defer { until: hour });
        assert_eq!(step(Immediate, &[due, first], &[sent], 2), send(&[2, 1], Digest));
    }

    #[test]
    fn digests_go_out_at_the_full_hour_for_each_inbox() {
        use EscalationDelivery::Digest;
        let hour = NOW.plus_ms(40 * MINUTE_MS);
        let old = waiting(1, NOW.plus_ms(-30 * MINUTE_MS));
        let inbox = Some(InboxId(Uuid::from_u128(9)));
        let elsewhere = PendingEscalation { inbox, ..waiting(2, old.created_at.plus_ms(1)) };
        let new = waiting(3, NOW);
        assert_eq!(step(Digest, &[new], &[], 1), EscalationStep::Wait(hour));
        let sent = EscalationStep::Send { ids: vec![id(1), id(3)], mode: Digest };
        assert_eq!(step(Digest, &[old, elsewhere, new], &[], 1), sent);
        let sent = EscalationStep::Send { ids: vec![id(2)], mode: Digest };
        assert_eq!(step(Digest, &[elsewhere, new], &[], 1), sent);
    }

    #[test]
    fn nothing_is_sent_in_quiet_hours() {
        let clock = |minutes: i64| ClockTime::from_minutes(u16::try_from(minutes).expect("minutes of a day"));
        let minute = NOW.millis().div_euclid(MINUTE_MS).rem_euclid(1_440);
        let timezone = NamedTimeZone::parse("UTC").expect("a zone");
        let quiet_hours = Some(QuietHours { start: clock(minute), end: clock((minute + 90) % 1_440), timezone });
        let settings = EscalationSettings { quiet_hours, ..EscalationSettings::default() };
        let sent = MailWindow { sent_at: Vec::new(), max: 10 };
        let queue = EscalationQueue { settings: &settings, pending: &[waiting(1, NOW)], sent };
        assert_eq!(next_step(&queue, NOW), EscalationStep::Wait(NOW.plus_ms(90 * MINUTE_MS)));
        let after = next_step(&queue, NOW.plus_ms(90 * MINUTE_MS));
        assert_eq!(after, EscalationStep::Send { ids: vec![id(1)], mode: EscalationDelivery::Immediate });
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]
        #[test]
        fn everything_is_sent_once_and_never_more_than_the_limit(
            gaps in prop::collection::vec((0i64..900, 0u128..3), 1..60), max in 1u32..8, is_digest: bool,
        ) {
            let delivery = if is_digest { EscalationDelivery::Digest } else { EscalationDelivery::Immediate };
            let settings = EscalationSettings { max_per_hour: max, ..settings(delivery) };
            let mut at = NOW;
            let mut arrivals: Vec<PendingEscalation> = Vec::new();
            for (number, (gap, inbox)) in (1u128..).zip(&gaps) {
                at = at.plus_ms(gap * SECOND_MS);
                let inbox = (*inbox > 0).then(|| InboxId(Uuid::from_u128(*inbox)));
                arrivals.push(PendingEscalation { inbox, ..waiting(number, at) });
            }
            let (mut now, mut pending) = (NOW, Vec::<PendingEscalation>::new());
            let (mut sent_at, mut sent) = (Vec::<Time>::new(), Vec::<EscalationId>::new());
            for _ in 0..2_000 {
                while arrivals.first().is_some_and(|one| one.created_at <= now) {
                    pending.push(arrivals.remove(0));
                }
                let window = MailWindow { sent_at: sent_at.clone(), max };
                let queue = EscalationQueue { settings: &settings, pending: &pending, sent: window };
                match next_step(&queue, now) {
                    EscalationStep::Done => match arrivals.first() {
                        Some(next) => now = next.created_at,
                        None => break,
                    },
                    EscalationStep::Wait(until) => {
                        prop_assert!(until > now);
                        now = arrivals.first().map_or(until, |next| until.min(next.created_at));
                    }
                    EscalationStep::Defer { until } => {
                        prop_assert!(until > now && pending.iter().any(|one| one.digest_at.is_none()));
                        for one in pending.iter_mut().filter(|one| one.digest_at.is_none()) {
                            one.digest_at = Some(until);
                        }
                    }
                    EscalationStep::Send { ids, mode } => {
                        prop_assert!(mode == EscalationDelivery::Digest || ids.len() == 1);
                        pending.retain(|one| !ids.contains(&one.id));
                        sent.extend(ids);
                        sent_at.push(now);
                    }
                }
            }
            prop_assert_eq!(sent.len(), gaps.len());
            for (first, last) in sent_at.iter().zip(sent_at.iter().skip(max as usize)) {
                prop_assert!(last.since_ms(*first) >= HOUR_MS);
            }
        }
    }
}
