//! The manual clock: time stands still until a test moves it, and randomness comes from a seed.
//!
//! It never reads real time. Whoever waits registers a deadline here, so a test can wait for the waiter and then move
//! the clock past it: no test needs to pause.

use std::{
    collections::BTreeMap,
    future::Future,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
};

use posthouse_domain::time::Time;
use posthouse_server::ports::{Clock, Pending};
use sha2::{Digest, Sha256};
use tokio::sync::watch;

/// Where every test starts: a Tuesday noon in the middle of a month, far from every boundary of a day.
pub const START: &str = "2026-09-15T12:00:00.000Z";

/// A clock that a test moves. Clones show the same time.
#[derive(Clone)]
pub struct ManualClock {
    state: Arc<Mutex<State>>,
    /// Who waits, for those who wait for that.
    crowd: watch::Sender<Crowd>,
}

/// How many wait, and until when the first of them.
#[derive(Clone, Copy, Default)]
struct Crowd {
    count: usize,
    first: Option<Time>,
}

struct State {
    now: Time,
    /// Who waits, by deadline and then in the order of registration.
    sleepers: BTreeMap<(Time, u64), Option<Waker>>,
    registered: u64,
    seed: u64,
    drawn: u64,
}

impl ManualClock {
    /// A clock at [`START`] whose random bytes are a function of the seed and of how much was drawn.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        let now = Time::parse(START).expect("START is an ISO 8601 time");
        let state = State { now, sleepers: BTreeMap::new(), registered: 0, seed, drawn: 0 };
        Self { state: Arc::new(Mutex::new(state)), crowd: watch::Sender::new(Crowd::default()) }
    }

    /// Moves time on by `millis` and wakes everybody whose deadline is reached, the earliest first.
    pub fn advance(&self, millis: i64) {
        assert!(millis >= 0, "time does not run backwards");
        let to = self.now().plus_ms(millis);
        self.set(to);
    }

    /// Moves time on to `time`, as [`ManualClock::advance`].
    pub fn set(&self, time: Time) {
        let mut state = self.state();
        assert!(time >= state.now, "time does not run backwards");
        state.now = time;
        let mut due = Vec::new();
        while let Some(entry) = state.sleepers.first_entry().filter(|entry| entry.key().0 <= time) {
            due.push(entry.remove());
        }
        self.crowd.send_replace(state.crowd());
        drop(state);
        for waker in due.into_iter().flatten() {
            waker.wake();
        }
    }

    /// How many wait for a later time now.
    #[must_use]
    pub fn waiters(&self) -> usize {
        self.state().sleepers.len()
    }

    /// The earliest time that somebody waits for.
    #[must_use]
    pub fn next_deadline(&self) -> Option<Time> {
        self.state().sleepers.keys().next().map(|(time, _)| *time)
    }

    /// Comes back when at least `count` wait: then a long-poll, say, has looked and gone to sleep.
    pub async fn waiting(&self, count: usize) {
        let mut crowd = self.crowd.subscribe();
        // The sender lives in `self`, so waiting cannot fail.
        let _ = crowd.wait_for(|crowd| crowd.count >= count).await;
    }

    /// Comes back when somebody waits for a time that is not after `last`, with that time.
    pub async fn waiting_until(&self, last: Time) -> Time {
        let mut crowd = self.crowd.subscribe();
        let found = crowd.wait_for(|crowd| crowd.first.is_some_and(|first| first <= last)).await;
        // The sender lives in `self`, so waiting cannot fail.
        found.ok().and_then(|crowd| crowd.first).unwrap_or(last)
    }

    /// Lets time go on from one deadline to the next, by at most `millis` in all, until the future is done. For what ends
    /// by the clock, when no one moment can be named at which everybody who matters has gone to sleep.
    pub async fn go_on<T>(&self, millis: i64, until: impl Future<Output = T>) -> T {
        let last = self.now().plus_ms(millis);
        let mut until = std::pin::pin!(until);
        loop {
            tokio::select! {
                biased;
                done = &mut until => return done,
                next = self.waiting_until(last) => self.set(next.max(self.now())),
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn forget(&self, key: (Time, u64)) {
        let mut state = self.state();
        state.sleepers.remove(&key);
        self.crowd.send_replace(state.crowd());
    }
}

impl State {
    fn crowd(&self) -> Crowd {
        Crowd { count: self.sleepers.len(), first: self.sleepers.keys().next().map(|(time, _)| *time) }
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Time {
        self.state().now
    }

    fn sleep_until(&self, time: Time) -> Pending<'static, ()> {
        let mut state = self.state();
        if time <= state.now {
            return Box::pin(std::future::ready(()));
        }
        state.registered += 1;
        let key = (time, state.registered);
        state.sleepers.insert(key, None);
        self.crowd.send_replace(state.crowd());
        Box::pin(Sleep { clock: self.clone(), key })
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

/// One registered wait; dropping it takes the registration back.
struct Sleep {
    clock: ManualClock,
    key: (Time, u64),
}

impl Future for Sleep {
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

impl Drop for Sleep {
    fn drop(&mut self) {
        self.clock.forget(self.key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn waits_end_in_the_order_of_their_deadlines_and_not_before() {
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
        clock.waiting(3).await;
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
    async fn a_wait_that_is_given_up_is_forgotten_and_a_past_one_is_over() {
        let clock = ManualClock::new(1);
        let sleep = clock.sleep_until(clock.now().plus_ms(1));
        assert_eq!(clock.waiters(), 1);
        drop(sleep);
        assert_eq!(clock.waiters(), 0);
        clock.sleep_until(clock.now()).await;
    }

    #[test]
    fn randomness_is_a_function_of_the_seed() {
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
