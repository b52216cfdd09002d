//! The manual clock: time advances only when a test moves it, and randomness comes from a seed.
//!
//! It never reads real time. Every sleeper registers a deadline, so a test can wait for the sleeper and then move the
//! clock past the deadline: no test needs a pause.

use std::{
    collections::BTreeMap,
    future::Future,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
};

use posthouse_app::ports::{BoxFuture, Clock};
use posthouse_domain::time::Time;
use sha2::{Digest, Sha256};
use tokio::sync::watch;

/// The time at which every test starts: a Tuesday noon in the middle of a month, far from midnight.
pub const START: &str = "2026-09-15T12:00:00.000Z";

/// A clock that a test moves. Clones share the time.
#[derive(Clone)]
pub struct ManualClock {
    state: Arc<Mutex<ClockState>>,
    /// A summary of the sleepers, to wait for changes of it.
    summary: watch::Sender<Sleepers>,
}

/// The number of sleepers and the earliest deadline.
#[derive(Clone, Copy, Default)]
struct Sleepers {
    count: usize,
    first: Option<Time>,
}

/// A sleeper, in the order of deadlines, then of registration.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct SleeperKey {
    time: Time,
    number: u64,
}

struct ClockState {
    now: Time,
    /// The sleepers by deadline, then in the order of registration.
    sleepers: BTreeMap<SleeperKey, Option<Waker>>,
    registered: u64,
    seed: u64,
    drawn: u64,
}

impl ManualClock {
    /// Creates a clock at [`START`] whose random bytes depend only on the seed and on the number of bytes drawn before.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        let now = Time::parse(START).expect("START is an ISO 8601 time");
        let state = ClockState { now, sleepers: BTreeMap::new(), registered: 0, seed, drawn: 0 };
        Self { state: Arc::new(Mutex::new(state)), summary: watch::Sender::new(Sleepers::default()) }
    }

    /// Moves time forward by `millis` and wakes every sleeper whose deadline is reached, the earliest first.
    pub fn advance(&self, millis: i64) {
        assert!(millis >= 0, "time does not run backwards");
        let to = self.now().plus_ms(millis);
        self.set(to);
    }

    /// Moves time forward to `time`, like [`ManualClock::advance`].
    pub fn set(&self, time: Time) {
        let mut state = self.state();
        assert!(time >= state.now, "time does not run backwards");
        state.now = time;
        let mut due = Vec::new();
        while let Some(entry) = state.sleepers.first_entry().filter(|entry| entry.key().time <= time) {
            due.push(entry.remove());
        }
        self.summary.send_replace(state.summary());
        drop(state);
        for waker in due.into_iter().flatten() {
            waker.wake();
        }
    }

    /// Returns the number of sleepers.
    #[must_use]
    pub fn waiters(&self) -> usize {
        self.state().sleepers.len()
    }

    /// Returns the earliest deadline.
    #[must_use]
    pub fn next_deadline(&self) -> Option<Time> {
        self.state().sleepers.keys().next().map(|key| key.time)
    }

    /// Waits for at least `count` sleepers, for example for a long-poll that has found nothing.
    pub async fn wait_for_sleepers(&self, count: usize) {
        let mut summary = self.summary.subscribe();
        // The sender lives in `self`, so waiting can't fail.
        let _ = summary.wait_for(|summary| summary.count >= count).await;
    }

    /// Waits until a sleeper has exactly this deadline, or until none has.
    pub async fn wait_for_sleeper_at(&self, time: Time, is_there: bool) {
        let mut summary = self.summary.subscribe();
        let (first, last) = (SleeperKey { time, number: 0 }, SleeperKey { time, number: u64::MAX });
        let found = || self.state().sleepers.range(first..=last).next().is_some();
        // The sender lives in `self`, so waiting can't fail.
        while found() != is_there && summary.changed().await.is_ok() {}
    }

    /// Waits for a deadline at or before `last` and returns it.
    pub async fn wait_for_deadline(&self, last: Time) -> Time {
        let mut summary = self.summary.subscribe();
        let found = summary.wait_for(|summary| summary.first.is_some_and(|first| first <= last)).await;
        // The sender lives in `self`, so waiting can't fail.
        found.ok().and_then(|summary| summary.first).unwrap_or(last)
    }

    /// Moves time from one deadline to the next, by at most `millis` in all, until the future is done. For work that
    /// ends by the clock when no single moment exists at which every relevant task sleeps.
    pub async fn advance_until<T>(&self, millis: i64, until: impl Future<Output = T>) -> T {
        let last = self.now().plus_ms(millis);
        let mut until = std::pin::pin!(until);
        loop {
            tokio::select! {
                biased;
                done = &mut until => return done,
                next = self.wait_for_deadline(last) => self.set(next.max(self.now())),
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, ClockState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn remove_sleeper(&self, key: SleeperKey) {
        let mut state = self.state();
        state.sleepers.remove(&key);
        self.summary.send_replace(state.summary());
    }
}

impl ClockState {
    fn summary(&self) -> Sleepers {
        Sleepers { count: self.sleepers.len(), first: self.sleepers.keys().next().map(|key| key.time) }
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Time {
        self.state().now
    }

    fn sleep_until(&self, time: Time) -> BoxFuture<'static, ()> {
        let mut state = self.state();
        if time <= state.now {
            return Box::pin(std::future::ready(()));
        }
        state.registered += 1;
        let key = SleeperKey { time, number: state.registered };
        state.sleepers.insert(key, None);
        self.summary.send_replace(state.summary());
        Box::pin(Sleeper { clock: self.clone(), key })
    }

    fn random(&self, buffer: &mut [u8]) {
        let mut state = self.state();
        for chunk in buffer.chunks_mut(32) {
            let block = Sha256::new().chain_update(state.seed.to_be_bytes()).chain_update(state.drawn.to_be_bytes());
            state.drawn += 1;
            chunk.copy_from_slice(&block.finalize()[..chunk.len()]);
        }
    }
}

/// One registered sleeper. Dropping it removes the registration.
struct Sleeper {
    clock: ManualClock,
    key: SleeperKey,
}

impl Future for Sleeper {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        match self.clock.state().sleepers.get_mut(&self.key) {
            Some(waker) => {
                *waker = Some(context.waker().clone());
                Poll::Pending
            }
            None => Poll::Ready(()),
        }
    }
}

impl Drop for Sleeper {
    fn drop(&mut self) {
        self.clock.remove_sleeper(self.key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn sleepers_wake_in_the_order_of_their_deadlines() {
        let clock = ManualClock::new(1);
        let order = Arc::new(Mutex::new(Vec::new()));
        let start = clock.now();
        let tasks: Vec<_> = [30, 10, 20]
            .map(|ms| {
                let (sleep, order) = (clock.sleep_until(start.plus_ms(ms)), order.clone());
                tokio::spawn(async move {
                    sleep.await;
                    order.lock().unwrap().push(ms);
                })
            })
            .into();
        clock.wait_for_sleepers(3).await;
        tokio::task::yield_now().await;
        assert_eq!(clock.next_deadline(), Some(start.plus_ms(10)));
        clock.advance(20);
        assert_eq!(clock.waiters(), 1);
        while order.lock().unwrap().len() < 2 {
            tokio::task::yield_now().await;
        }
        assert_eq!(*order.lock().unwrap(), [10, 20]);
        clock.advance(10);
        for task in tasks {
            task.await.unwrap();
        }
        assert_eq!(*order.lock().unwrap(), [10, 20, 30]);
    }

    #[tokio::test]
    async fn a_dropped_sleeper_is_removed_and_a_past_deadline_returns_at_once() {
        let clock = ManualClock::new(1);
        let sleep = clock.sleep_until(clock.now().plus_ms(1));
        assert_eq!(clock.waiters(), 1);
        drop(sleep);
        assert_eq!(clock.waiters(), 0);
        clock.sleep_until(clock.now()).await;
    }

    #[test]
    fn random_bytes_depend_only_on_the_seed() {
        let draw = |seed| {
            let clock = ManualClock::new(seed);
            let mut bytes = [0; 70];
            clock.random(&mut bytes);
            (bytes, clock.ids().next::<uuid::Uuid>(), clock.ids().next::<uuid::Uuid>())
        };
        assert_eq!(draw(1), draw(1));
        assert_ne!(draw(1).0, draw(2).0);
        assert_ne!(draw(1).1, draw(1).2);
    }
}
