//! A fixed-window rate limiter with bounded memory. A window begins with the first count of its key, so that the rest
//! of a limit and the time of its reset are exact.

use std::{collections::BTreeMap, collections::HashMap, hash::Hash, sync::Mutex, sync::MutexGuard, sync::PoisonError};

use posthouse_domain::Time;

/// Counts per key in windows of one length.
///
/// It tracks at most a fixed number of keys. Beyond it, the window that began first is dropped for each new key, so that
/// every key stays limited, new ones included; only the dropped key begins a new window early.
#[derive(Debug)]
pub struct FixedWindow<K> {
    window_ms: i64,
    keys_max: usize,
    state: Mutex<FixedWindowState<K>>,
}

#[derive(Debug)]
struct FixedWindowState<K> {
    windows: HashMap<K, KeyWindow>,
    /// The tracked keys by the number of their window, which is the order in which the windows began.
    by_number: BTreeMap<u64, K>,
    next_number: u64,
    /// The latest time that was passed in.
    latest: Time,
}

#[derive(Clone, Copy, Debug)]
struct KeyWindow {
    number: u64,
    began: Time,
    used: u64,
}

/// The result of a count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WindowCount {
    /// Whether the action is within the limit; otherwise it was not counted.
    pub is_allowed: bool,
    /// How many more actions the window allows.
    pub remaining: u64,
    /// Milliseconds until the window ends.
    pub ends_in_ms: i64,
}

impl<K: Copy + Eq + Hash> FixedWindow<K> {
    /// Creates a limiter with a window length in milliseconds and the largest number of tracked keys, at least 1.
    #[must_use]
    pub fn new(window_ms: i64, keys_max: usize) -> Self {
        let state = FixedWindowState {
            windows: HashMap::new(),
            by_number: BTreeMap::new(),
            next_number: 0,
            latest: Time::default(),
        };
        Self { window_ms, keys_max: keys_max.max(1), state: Mutex::new(state) }
    }

    /// Counts one action of a key if its window has less than `max`.
    pub fn count(&self, key: K, max: u64, now: Time) -> WindowCount {
        let mut state = self.state();
        let now = state.advance(now, self.window_ms);
        let window = state.window(key, now, self.keys_max);
        let is_allowed = window.used < max;
        window.used += u64::from(is_allowed);
        WindowCount {
            is_allowed,
            remaining: max.saturating_sub(window.used),
            ends_in_ms: self.window_ms - now.since_ms(window.began),
        }
    }

    /// Returns what [`FixedWindow::count`] would return about one more action, without counting it.
    pub fn peek(&self, key: K, max: u64, now: Time) -> WindowCount {
        let mut state = self.state();
        let now = state.advance(now, self.window_ms);
        let (used, began) = state.windows.get(&key).map_or((0, now), |window| (window.used, window.began));
        WindowCount {
            is_allowed: used < max,
            remaining: max.saturating_sub(used),
            ends_in_ms: self.window_ms - now.since_ms(began),
        }
    }

    /// Returns whether another action of a key would be within the limit, without counting it.
    pub fn is_allowed(&self, key: K, max: u64, now: Time) -> bool {
        self.peek(key, max, now).is_allowed
    }

    /// Takes back `actions` that were counted for a key.
    pub fn give_back(&self, key: K, actions: u64) {
        if let Some(window) = self.state().windows.get_mut(&key) {
            window.used = window.used.saturating_sub(actions);
        }
    }

    /// Forgets what was counted for a key.
    pub fn reset(&self, key: K) {
        let mut state = self.state();
        if let Some(window) = state.windows.remove(&key) {
            state.by_number.remove(&window.number);
        }
    }

    /// Returns the number of tracked keys.
    pub fn tracked(&self) -> usize {
        self.state().windows.len()
    }

    fn state(&self) -> MutexGuard<'_, FixedWindowState<K>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Copy + Eq + Hash> FixedWindowState<K> {
    /// Drops the windows that have ended, and returns the time to count at. Concurrent callers may pass times slightly
    /// out of order: an earlier time counts as the latest one. If the clock was set back by more than a window, all
    /// windows are dropped, because they would last too long.
    fn advance(&mut self, now: Time, window_ms: i64) -> Time {
        if self.latest.since_ms(now) > window_ms {
            self.windows.clear();
            self.by_number.clear();
            self.latest = now;
        }
        self.latest = self.latest.max(now);
        while let Some(entry) = self.by_number.first_entry() {
            let has_ended =
                self.windows.get(entry.get()).is_none_or(|window| self.latest.since_ms(window.began) >= window_ms);
            if !has_ended {
                break;
            }
            self.windows.remove(&entry.remove());
        }
        self.latest
    }

    /// Returns the window of a key, a new one if it has none.
    fn window(&mut self, key: K, now: Time, keys_max: usize) -> &mut KeyWindow {
        if !self.windows.contains_key(&key)
            && self.windows.len() >= keys_max
            && let Some((_, oldest)) = self.by_number.pop_first()
        {
            self.windows.remove(&oldest);
        }
        let (by_number, next_number) = (&mut self.by_number, &mut self.next_number);
        self.windows.entry(key).or_insert_with(|| {
            let number = *next_number;
            *next_number += 1;
            by_number.insert(number, key);
            KeyWindow { number, began: now, used: 0 }
        })
    }
}

#[cfg(test)]
mod tests;
