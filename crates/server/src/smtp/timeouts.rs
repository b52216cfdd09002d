//! Session timeouts: until the client greets, between commands, within a message, and in total (RFC 5321 §4.5.3.2).
//!
//! Single bytes don't extend a deadline: a command must be complete within the idle timeout, and content must arrive at
//! a minimum rate (`limits.smtp_content_bytes_per_second`).

use std::sync::Arc;

use posthouse_domain::time::Time;

use posthouse_app::ports::{BoxFuture, Clock};

/// Maximum length of a session, in milliseconds.
const SESSION_MS_MAX: i64 = 2 * 60 * 60 * 1_000;
/// Time within which content must reach the minimum rate, in seconds.
const RATE_WINDOW_S: u64 = 60;
/// The same time, in milliseconds.
const RATE_WINDOW_MS: i64 = 60_000;
/// Time limit for the rest of a message when the process drains, in milliseconds.
const DRAIN_MS_MAX: i64 = 5_000;
/// Time limit for a TLS handshake or a PROXY header, in milliseconds.
const OPENING_MS_MAX: i64 = 15_000;
/// Time limit for each answer of the client within AUTH, in milliseconds.
const LOGIN_MS_MAX: i64 = 60_000;
/// Time limit for the client to read the last reply, in milliseconds.
const LINGER_MS_MAX: i64 = 1_000;

/// The timeouts of the settings, in milliseconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct TimeoutSettings {
    /// Until the client's EHLO or HELO, from the greeting of the server or the end of the TLS handshake.
    pub(super) first_command_ms: i64,
    /// Until a complete command or the next content. RFC 5321 §4.5.3.2.7 wants at least five minutes.
    pub(super) idle_ms: i64,
    /// The minimum rate of content.
    pub(super) content_bytes_per_s_min: u64,
}

/// What the server waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum AwaitedInput {
    /// EHLO or HELO.
    Greeting,
    /// An answer within AUTH.
    Login,
    /// A command or content.
    Command,
}

/// The timeouts of one session. A timer is reset only after it fired, not at every read.
pub(super) struct SessionTimeouts {
    clock: Arc<dyn Clock>,
    timer: Option<(Time, BoxFuture<'static, ()>)>,
    settings: TimeoutSettings,
    awaited: AwaitedInput,
    ends_at: Time,
    last_write_at: Time,
    last_read_at: Time,
    content_bytes_per_window: u64,
    content: Option<RateWindow>,
}

/// The bytes of content since a time. The window ends when it has the bytes that its time requires, and the next one
/// begins, so that every such number of bytes takes at most [`RATE_WINDOW_MS`].
#[derive(Clone, Copy)]
struct RateWindow {
    began_at: Time,
    bytes: u64,
}

impl SessionTimeouts {
    /// Creates the timeouts of a session.
    pub(super) fn new(clock: Arc<dyn Clock>, settings: TimeoutSettings) -> Self {
        let now = clock.now();
        Self {
            clock,
            timer: None,
            settings,
            awaited: AwaitedInput::Greeting,
            ends_at: now.plus_ms(SESSION_MS_MAX),
            last_write_at: now,
            last_read_at: now,
            content_bytes_per_window: settings.content_bytes_per_s_min.saturating_mul(RATE_WINDOW_S),
            content: None,
        }
    }

    /// Records that the server wrote something.
    pub(super) fn record_write(&mut self) {
        self.last_write_at = self.clock.now();
    }

    /// Records that the client sent bytes.
    pub(super) fn record_read(&mut self, bytes: usize) {
        self.last_read_at = self.clock.now();
        let Some(window) = &mut self.content else { return };
        window.bytes = window.bytes.saturating_add(bytes as u64);
        if window.bytes >= self.content_bytes_per_window {
            self.content = Some(RateWindow { began_at: self.last_read_at, bytes: 0 });
        }
    }

    /// Records what the server waits for.
    pub(super) fn awaits(&mut self, awaited: AwaitedInput) {
        self.awaited = awaited;
    }

    /// Returns the time limit of a command, in milliseconds.
    fn command_ms(&self) -> i64 {
        let TimeoutSettings { first_command_ms, idle_ms, .. } = self.settings;
        match self.awaited {
            AwaitedInput::Greeting => first_command_ms.min(idle_ms),
            AwaitedInput::Login => LOGIN_MS_MAX.min(idle_ms),
            AwaitedInput::Command => idle_ms,
        }
    }

    /// Records whether content is expected.
    pub(super) fn content(&mut self, is_expected: bool) {
        match (is_expected, self.content) {
            (true, None) => self.content = Some(RateWindow { began_at: self.clock.now(), bytes: 0 }),
            (false, Some(_)) => self.content = None,
            _ => {}
        }
    }

    /// Returns whether content has arrived below the minimum rate.
    pub(super) fn is_content_slow(&self) -> bool {
        self.rate_deadline().is_some_and(|deadline| deadline <= self.clock.now())
    }

    fn rate_deadline(&self) -> Option<Time> {
        self.content.map(|window| window.began_at.plus_ms(RATE_WINDOW_MS))
    }

    /// Shortens the session because the process drains.
    pub(super) fn draining(&mut self) {
        self.ends_at = self.ends_at.min(self.clock.now().plus_ms(DRAIN_MS_MAX));
    }

    /// Returns the deadline of the next read.
    pub(super) fn deadline(&self) -> Time {
        let idle_deadline = match self.rate_deadline() {
            None => self.last_write_at.plus_ms(self.command_ms()),
            Some(rate) => rate.min(self.last_read_at.max(self.last_write_at).plus_ms(self.settings.idle_ms)),
        };
        idle_deadline.min(self.ends_at)
    }

    /// Returns the deadline of a handshake, header or write.
    pub(super) fn opening(&self) -> Time {
        self.clock.now().plus_ms(OPENING_MS_MAX.min(self.settings.idle_ms)).min(self.ends_at)
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
        let settings = TimeoutSettings { first_command_ms: 30_000, idle_ms: 300_000, content_bytes_per_s_min: 1_024 };
        let mut timeouts = SessionTimeouts::new(clock.clone(), settings);
        timeouts.awaits(AwaitedInput::Command);
        (clock, timeouts)
    }

    impl Standing {
        fn set(&self, ms: i64) {
            self.0.store(ms, std::sync::atomic::Ordering::Relaxed);
        }
    }

    #[test]
    fn the_time_for_a_command_depends_on_what_is_awaited() {
        let (_, mut timeouts) = setup();
        for (awaited, ms) in
            [(AwaitedInput::Greeting, 30_000), (AwaitedInput::Login, 60_000), (AwaitedInput::Command, 300_000)]
        {
            timeouts.awaits(awaited);
            timeouts.record_read(1);
            assert_eq!(timeouts.deadline(), Time::from_millis(ms), "{awaited:?}");
        }
    }

    #[test]
    fn a_trickled_command_does_not_move_the_deadline() {
        let (clock, mut timeouts) = setup();
        clock.set(200_000);
        timeouts.record_read(1);
        assert_eq!(timeouts.deadline(), Time::from_millis(300_000));
        timeouts.record_write();
        assert_eq!(timeouts.deadline(), Time::from_millis(500_000));
    }

    /// Sends `bytes` every `gap_ms` and returns when the session ends, or `None` if it goes on for two hours.
    fn ends_after_ms(bytes: usize, gap_ms: i64) -> Option<i64> {
        let (clock, mut timeouts) = setup();
        timeouts.content(true);
        for ms in (gap_ms..SESSION_MS_MAX).step_by(usize::try_from(gap_ms).unwrap_or(1)) {
            if timeouts.deadline() <= Time::from_millis(ms) {
                return Some(timeouts.deadline().millis());
            }
            clock.set(ms);
            timeouts.record_read(bytes);
        }
        None
    }

    #[test]
    fn content_must_arrive_at_a_minimum_rate() {
        for (bytes, gap_ms) in [(1_100, 1_000), (60 * 1_024, 60_000 - 1), (32 * 1_024, 20_000), (1 << 20, 59_000)] {
            assert_eq!(ends_after_ms(bytes, gap_ms), None, "{bytes} bytes every {gap_ms} ms");
        }
        for (bytes, gap_ms) in [(1, 1_000), (1_023, 1_000), (1 << 20, 60_001), (10 * 1_024, 11_000)] {
            let ended = ends_after_ms(bytes, gap_ms).is_some_and(|ms| ms <= 2 * RATE_WINDOW_MS + gap_ms);
            assert!(ended, "{bytes} bytes every {gap_ms} ms");
        }
        let (clock, mut timeouts) = setup();
        timeouts.content(true);
        clock.set(RATE_WINDOW_MS - 1);
        assert!(!timeouts.is_content_slow());
        clock.set(RATE_WINDOW_MS);
        assert!(timeouts.is_content_slow());
        timeouts.content(false);
        assert!(!timeouts.is_content_slow(), "the rate holds only while content is expected");
        assert_eq!(timeouts.deadline(), Time::from_millis(300_000));
    }

    #[test]
    fn deadlines_never_exceed_the_session_or_drain_limit() {
        let (clock, mut timeouts) = setup();
        clock.set(SESSION_MS_MAX - 1_000);
        timeouts.record_write();
        assert_eq!(timeouts.deadline(), Time::from_millis(SESSION_MS_MAX));
        let (clock, mut timeouts) = setup();
        clock.set(1_000);
        timeouts.draining();
        assert_eq!(timeouts.deadline(), Time::from_millis(1_000 + DRAIN_MS_MAX));
    }
}
