//! How long a client is waited for: between commands, inside a message, and in all (RFC 5321 §4.5.3.2).
//!
//! A client that trickles bytes is not a client that makes progress: commands must be whole within the idle time, and
//! content must come at a least rate.

use std::sync::Arc;

use posthouse_domain::time::Time;

use crate::ports::{Clock, Pending};

/// Longest session in milliseconds, whatever it does.
const SESSION_MS_MAX: i64 = 2 * 60 * 60 * 1_000;
/// Least rate of a transaction beyond its grace, in bytes a second.
const BYTES_PER_S_MIN: i64 = 1_000;
/// Longest time for the rest of a message when the process stops, in milliseconds.
const DRAIN_MS_MAX: i64 = 5_000;
/// Longest time for a TLS handshake or a PROXY header, in milliseconds.
const OPENING_MS_MAX: i64 = 15_000;
/// Longest time a closed connection is kept for the client to read its last reply, in milliseconds.
const LINGER_MS_MAX: i64 = 1_000;

/// The clock of one session. Timers are armed anew only when they went off, not at every read.
pub(super) struct Patience {
    clock: Arc<dyn Clock>,
    timer: Option<(Time, Pending<'static, ()>)>,
    idle_ms: i64,
    ends_at: Time,
    spoke_at: Time,
    heard_at: Time,
    transaction: Option<Transaction>,
}

/// A transaction under way.
#[derive(Clone, Copy)]
struct Transaction {
    began_at: Time,
    bytes: i64,
}

impl Patience {
    pub(super) fn new(clock: Arc<dyn Clock>, idle_ms: i64) -> Self {
        let now = clock.now();
        Self {
            clock,
            timer: None,
            idle_ms,
            ends_at: now.plus_ms(SESSION_MS_MAX),
            spoke_at: now,
            heard_at: now,
            transaction: None,
        }
    }

    /// We wrote something: it is the client's turn.
    pub(super) fn spoke(&mut self) {
        self.spoke_at = self.clock.now();
    }

    /// The client sent that many bytes.
    pub(super) fn heard(&mut self, bytes: usize) {
        self.heard_at = self.clock.now();
        if let Some(transaction) = &mut self.transaction {
            transaction.bytes = transaction.bytes.saturating_add(i64::try_from(bytes).unwrap_or(i64::MAX));
        }
    }

    /// Whether a transaction is open now.
    pub(super) fn transaction(&mut self, open: bool) {
        match (open, self.transaction) {
            (true, None) => self.transaction = Some(Transaction { began_at: self.clock.now(), bytes: 0 }),
            (false, Some(_)) => self.transaction = None,
            _ => {}
        }
    }

    /// The process stops: what is left of the session is short.
    pub(super) fn draining(&mut self) {
        self.ends_at = self.ends_at.min(self.clock.now().plus_ms(DRAIN_MS_MAX));
    }

    /// Until when the next bytes must have come or gone.
    pub(super) fn deadline(&self) -> Time {
        let turn = match self.transaction {
            None => self.spoke_at.plus_ms(self.idle_ms),
            Some(transaction) => {
                let earned_ms = transaction.bytes.saturating_mul(1_000) / BYTES_PER_S_MIN;
                let progress = transaction.began_at.plus_ms(self.idle_ms.saturating_add(earned_ms));
                progress.min(self.heard_at.max(self.spoke_at).plus_ms(self.idle_ms))
            }
        };
        turn.min(self.ends_at)
    }

    /// Until when an opening must be done.
    pub(super) fn opening(&self) -> Time {
        self.clock.now().plus_ms(OPENING_MS_MAX.min(self.idle_ms)).min(self.ends_at)
    }

    /// Until when a closed connection is kept.
    pub(super) fn linger(&self) -> Time {
        self.clock.now().plus_ms(LINGER_MS_MAX)
    }

    /// Comes back at the deadline. Giving it up and asking again costs no timer.
    pub(super) async fn late(&mut self, deadline: Time) {
        while self.clock.now() < deadline {
            if self.timer.as_ref().is_none_or(|(at, _)| *at > deadline) {
                self.timer = Some((deadline, self.clock.sleep_until(deadline)));
            }
            if let Some((_, timer)) = &mut self.timer {
                timer.await;
            }
            self.timer = None;
        }
    }

    /// The future's result, or nothing when the deadline comes first.
    pub(super) async fn within<T>(&mut self, deadline: Time, future: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            biased;
            done = future => Some(done),
            () = self.late(deadline) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A clock that stands where it is put.
    struct Standing(std::sync::atomic::AtomicI64);

    impl Clock for Standing {
        fn now(&self) -> Time {
            Time::from_millis(self.0.load(std::sync::atomic::Ordering::Relaxed))
        }

        fn sleep_until(&self, _time: Time) -> Pending<'static, ()> {
            Box::pin(std::future::pending())
        }

        fn random(&self, _buffer: &mut [u8]) {}
    }

    fn setup() -> (Arc<Standing>, Patience) {
        let clock = Arc::new(Standing(0.into()));
        let patience = Patience::new(clock.clone(), 300_000);
        (clock, patience)
    }

    impl Standing {
        fn set(&self, ms: i64) {
            self.0.store(ms, std::sync::atomic::Ordering::Relaxed);
        }
    }

    #[test]
    fn a_trickled_command_does_not_move_the_deadline() {
        let (clock, mut patience) = setup();
        clock.set(200_000);
        patience.heard(1);
        assert_eq!(patience.deadline(), Time::from_millis(300_000));
        patience.spoke();
        assert_eq!(patience.deadline(), Time::from_millis(500_000));
    }

    #[test]
    fn content_must_come_at_a_least_rate() {
        let (clock, mut patience) = setup();
        patience.transaction(true);
        for second in 1..=600 {
            clock.set(second * 1_000);
            patience.heard(10);
        }
        assert_eq!(patience.deadline(), Time::from_millis(306_000), "10 bytes a second are too few");
        patience.heard(25_000_000);
        assert_eq!(patience.deadline(), Time::from_millis(900_000), "25 MB are progress, silence is still limited");
        patience.transaction(false);
        assert_eq!(patience.deadline(), Time::from_millis(300_000));
    }

    #[test]
    fn nothing_outlasts_the_session_or_the_end_of_the_process() {
        let (clock, mut patience) = setup();
        clock.set(SESSION_MS_MAX - 1_000);
        patience.spoke();
        assert_eq!(patience.deadline(), Time::from_millis(SESSION_MS_MAX));
        let (clock, mut patience) = setup();
        clock.set(1_000);
        patience.draining();
        assert_eq!(patience.deadline(), Time::from_millis(1_000 + DRAIN_MS_MAX));
    }
}
