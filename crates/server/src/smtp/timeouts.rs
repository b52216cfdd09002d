//! Session timeouts: between commands, within a message, and in total (RFC 5321 §4.5.3.2).
//!
//! Single bytes don't extend a deadline: a command must be complete within the idle timeout, and content must arrive at
//! a minimum rate.

use std::sync::Arc;

use posthouse_domain::time::Time;

use posthouse_app::ports::{BoxFuture, Clock};

/// Maximum length of a session, in milliseconds.
const SESSION_MS_MAX: i64 = 2 * 60 * 60 * 1_000;
/// Minimum rate of a transaction after the idle timeout, in bytes per second.
const BYTES_PER_S_MIN: i64 = 1_000;
/// Time limit for the rest of a message when the process drains, in milliseconds.
const DRAIN_MS_MAX: i64 = 5_000;
/// Time limit for a TLS handshake or a PROXY header, in milliseconds.
const OPENING_MS_MAX: i64 = 15_000;
/// Time limit for the client to read the last reply, in milliseconds.
const LINGER_MS_MAX: i64 = 1_000;

/// The timeouts of one session. A timer is reset only after it fired, not at every read.
pub(super) struct SessionTimeouts {
    clock: Arc<dyn Clock>,
    timer: Option<(Time, BoxFuture<'static, ()>)>,
    idle_ms: i64,
    ends_at: Time,
    last_write_at: Time,
    last_read_at: Time,
    transaction: Option<Transaction>,
}

/// An open transaction.
#[derive(Clone, Copy)]
struct Transaction {
    began_at: Time,
    bytes: i64,
}

impl SessionTimeouts {
    pub(super) fn new(clock: Arc<dyn Clock>, idle_ms: i64) -> Self {
        let now = clock.now();
        Self {
            clock,
            timer: None,
            idle_ms,
            ends_at: now.plus_ms(SESSION_MS_MAX),
            last_write_at: now,
            last_read_at: now,
            transaction: None,
        }
    }

    /// Records that the server wrote something.
    pub(super) fn record_write(&mut self) {
        self.last_write_at = self.clock.now();
    }

    /// Records that the client sent bytes.
    pub(super) fn record_read(&mut self, bytes: usize) {
        self.last_read_at = self.clock.now();
        if let Some(transaction) = &mut self.transaction {
            transaction.bytes = transaction.bytes.saturating_add(i64::try_from(bytes).unwrap_or(i64::MAX));
        }
    }

    /// Records whether a transaction is open.
    pub(super) fn transaction(&mut self, open: bool) {
        match (open, self.transaction) {
            (true, None) => self.transaction = Some(Transaction { began_at: self.clock.now(), bytes: 0 }),
            (false, Some(_)) => self.transaction = None,
            _ => {}
        }
    }

    /// Shortens the session because the process drains.
    pub(super) fn draining(&mut self) {
        self.ends_at = self.ends_at.min(self.clock.now().plus_ms(DRAIN_MS_MAX));
    }

    /// Returns the deadline of the next read.
    pub(super) fn deadline(&self) -> Time {
        let turn = match self.transaction {
            None => self.last_write_at.plus_ms(self.idle_ms),
            Some(transaction) => {
                let earned_ms = transaction.bytes.saturating_mul(1_000) / BYTES_PER_S_MIN;
                let progress = transaction.began_at.plus_ms(self.idle_ms.saturating_add(earned_ms));
                progress.min(self.last_read_at.max(self.last_write_at).plus_ms(self.idle_ms))
            }
        };
        turn.min(self.ends_at)
    }

    /// Returns the deadline of a handshake, header or write.
    pub(super) fn opening(&self) -> Time {
        self.clock.now().plus_ms(OPENING_MS_MAX.min(self.idle_ms)).min(self.ends_at)
    }

    /// Returns the deadline for the client to close.
    pub(super) fn linger(&self) -> Time {
        self.clock.now().plus_ms(LINGER_MS_MAX)
    }

    /// Waits until the deadline. Canceling it keeps the timer for the next call.
    pub(super) async fn deadline_passed(&mut self, deadline: Time) {
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

    /// Returns the result of a future, or `None` if the deadline passes first.
    pub(super) async fn within<T>(&mut self, deadline: Time, future: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            biased;
            done = future => Some(done),
            () = self.deadline_passed(deadline) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A clock with a fixed time that tests set.
    struct Standing(std::sync::atomic::AtomicI64);

    impl Clock for Standing {
        fn now(&self) -> Time {
            Time::from_millis(self.0.load(std::sync::atomic::Ordering::Relaxed))
        }

        fn sleep_until(&self, _time: Time) -> BoxFuture<'static, ()> {
            Box::pin(std::future::pending())
        }

        fn random(&self, _buffer: &mut [u8]) {}
    }

    fn setup() -> (Arc<Standing>, SessionTimeouts) {
        let clock = Arc::new(Standing(0.into()));
        let patience = SessionTimeouts::new(clock.clone(), 300_000);
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
        patience.record_read(1);
        assert_eq!(patience.deadline(), Time::from_millis(300_000));
        patience.record_write();
        assert_eq!(patience.deadline(), Time::from_millis(500_000));
    }

    #[test]
    fn content_must_arrive_at_a_minimum_rate() {
        let (clock, mut patience) = setup();
        patience.transaction(true);
        for second in 1..=600 {
            clock.set(second * 1_000);
            patience.record_read(10);
        }
        assert_eq!(patience.deadline(), Time::from_millis(306_000), "10 bytes a second are too few");
        patience.record_read(25_000_000);
        assert_eq!(patience.deadline(), Time::from_millis(900_000), "25 MB are progress, silence is still limited");
        patience.transaction(false);
        assert_eq!(patience.deadline(), Time::from_millis(300_000));
    }

    #[test]
    fn deadlines_never_exceed_the_session_or_drain_limit() {
        let (clock, mut patience) = setup();
        clock.set(SESSION_MS_MAX - 1_000);
        patience.record_write();
        assert_eq!(patience.deadline(), Time::from_millis(SESSION_MS_MAX));
        let (clock, mut patience) = setup();
        clock.set(1_000);
        patience.draining();
        assert_eq!(patience.deadline(), Time::from_millis(1_000 + DRAIN_MS_MAX));
    }
}
