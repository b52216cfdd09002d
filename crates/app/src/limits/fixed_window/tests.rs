//! Limits, bounded memory and independence of keys, for chosen and random counts.

use std::collections::{HashMap, HashSet};

use proptest::prelude::*;

use super::*;

const WINDOW_MS: i64 = 1_000;
const START: Time = Time::from_millis(1_000_000);

#[test]
fn a_window_begins_with_the_first_count_and_ends_after_its_length() {
    let limiter = FixedWindow::new(WINDOW_MS, 10);
    let count = |key, at| limiter.count(key, 2, START.plus_ms(at));
    assert_eq!(count('a', 0), WindowCount { is_allowed: true, remaining: 1, ends_in_ms: 1_000 });
    assert_eq!(count('a', 400), WindowCount { is_allowed: true, remaining: 0, ends_in_ms: 600 });
    assert_eq!(count('a', 999), WindowCount { is_allowed: false, remaining: 0, ends_in_ms: 1 });
    assert!(count('b', 999).is_allowed);
    assert_eq!(count('a', 1_000), WindowCount { is_allowed: true, remaining: 1, ends_in_ms: 1_000 });
}

#[test]
fn a_check_counts_nothing_and_a_reset_forgets_the_key() {
    let limiter = FixedWindow::new(WINDOW_MS, 10);
    for _ in 0..5 {
        assert!(limiter.is_allowed('a', 1, START));
    }
    assert_eq!(limiter.tracked(), 0);
    assert!(limiter.count('a', 1, START).is_allowed && !limiter.is_allowed('a', 1, START));
    limiter.reset('a');
    assert_eq!(limiter.tracked(), 0);
    assert!(limiter.is_allowed('a', 1, START));
}

#[test]
fn beyond_the_tracked_keys_the_oldest_window_is_dropped() {
    let limiter = FixedWindow::new(WINDOW_MS, 2);
    for (key, at) in [('a', 0), ('b', 1), ('c', 2)] {
        assert!(limiter.count(key, 1, START.plus_ms(at)).is_allowed);
    }
    let now = START.plus_ms(3);
    assert_eq!(limiter.tracked(), 2);
    assert!(limiter.is_allowed('a', 1, now), "its window was the oldest");
    assert!(!limiter.is_allowed('b', 1, now) && !limiter.is_allowed('c', 1, now));
}

#[test]
fn ended_windows_are_dropped_before_live_ones() {
    let limiter = FixedWindow::new(WINDOW_MS, 2);
    limiter.count('a', 1, START);
    limiter.count('b', 1, START.plus_ms(900));
    limiter.count('c', 1, START.plus_ms(WINDOW_MS));
    assert!(!limiter.is_allowed('b', 1, START.plus_ms(WINDOW_MS)));
    limiter.is_allowed('a', 1, START.plus_ms(5 * WINDOW_MS));
    assert_eq!(limiter.tracked(), 0);
}

#[test]
fn a_clock_that_was_set_back_does_not_extend_windows() {
    let limiter = FixedWindow::new(WINDOW_MS, 10);
    assert!(limiter.count('a', 1, START).is_allowed);
    assert!(!limiter.count('a', 1, START.plus_ms(-1)).is_allowed, "times may be slightly out of order");
    let back = START.plus_ms(-3_600_000);
    assert_eq!(limiter.count('a', 1, back), WindowCount { is_allowed: true, remaining: 0, ends_in_ms: WINDOW_MS });
    assert!(limiter.count('a', 1, back.plus_ms(WINDOW_MS)).is_allowed);
}

/// Counts of a few keys, with the milliseconds since the previous count.
fn counts() -> impl Strategy<Value = Vec<(u8, i64)>> {
    proptest::collection::vec((0u8..12, 0i64..400), 1..200)
}

/// Returns the times at which each key was allowed to act.
fn allowed_times(limiter: &FixedWindow<u8>, counts: &[(u8, i64)], max: u64) -> HashMap<u8, Vec<Time>> {
    let (mut now, mut allowed) = (START, HashMap::<u8, Vec<Time>>::new());
    for (key, after_ms) in counts {
        now = now.plus_ms(*after_ms);
        if limiter.count(*key, max, now).is_allowed {
            allowed.entry(*key).or_default().push(now);
        }
    }
    allowed
}

proptest! {
    #[test]
    fn a_window_never_allows_more_than_the_limit(counts in counts(), max in 0u64..6) {
        let limiter = FixedWindow::new(WINDOW_MS, 100);
        for times in allowed_times(&limiter, &counts, max).values() {
            let mut times = times.as_slice();
            while let Some(began) = times.first() {
                let inside = times.iter().take_while(|at| at.since_ms(*began) < WINDOW_MS).count();
                prop_assert!(inside as u64 <= max);
                times = &times[inside..];
            }
        }
    }

    #[test]
    fn keys_do_not_affect_each_other(counts in counts(), max in 0u64..6) {
        let together = allowed_times(&FixedWindow::new(WINDOW_MS, 100), &counts, max);
        for key in 0..12 {
            // The same times, with the counts of the other keys left out.
            let (alone, mut now) = (FixedWindow::new(WINDOW_MS, 100), START);
            let mut times = Vec::new();
            for (other, after_ms) in &counts {
                now = now.plus_ms(*after_ms);
                if *other == key && alone.count(key, max, now).is_allowed {
                    times.push(now);
                }
            }
            prop_assert_eq!(together.get(&key).cloned().unwrap_or_default(), times);
        }
    }

    #[test]
    fn memory_is_bounded_and_the_latest_keys_stay_limited(counts in counts(), keys_max in 1usize..6) {
        let (limiter, mut now) = (FixedWindow::new(WINDOW_MS, keys_max), START);
        for (at, (key, after_ms)) in counts.iter().enumerate() {
            now = now.plus_ms(*after_ms);
            limiter.count(*key, 1, now);
            prop_assert!(!limiter.is_allowed(*key, 1, now), "the key that was just counted is tracked");
            prop_assert!(limiter.tracked() <= keys_max);
            let recent: HashSet<u8> = counts[..=at].iter().map(|(key, _)| *key).collect();
            prop_assert!(limiter.tracked() <= recent.len());
            let state = limiter.state();
            prop_assert_eq!(state.windows.len(), state.by_number.len());
        }
    }
}
