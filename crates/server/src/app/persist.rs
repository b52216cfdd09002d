//! Writes of what has happened outside already: a mail that a server took, an attempt that is over. Given up, it would happen
//! again; so it is written until it is committed.

use posthouse_domain::time::{SECOND_MS, Time};
use posthouse_store::{Result as Stored, Tx};

use super::App;

/// The gap before the second try, in milliseconds; it doubles with each further one.
const GAP_MS: i64 = 100;
/// The longest gap, in milliseconds: far below a lease, so that an outage is over for a job soon after it is for the store.
const GAP_MS_MAX: i64 = 5 * SECOND_MS;
/// Tries of what fails by no outage: another one is not likely to go better.
const TRIES_MAX: u32 = 5;

/// Runs `work` until it is committed. A write whose outcome is unknown is run again too: `work` looks by itself whether it is
/// still to be done, as a lease's token tells.
///
/// # Errors
/// What is no outage and stays.
pub async fn persist<T: Send + 'static>(
    app: &App,
    work: impl Fn(&mut Tx) -> Stored<T> + Clone + Send + 'static,
) -> Stored<T> {
    let mut failures = 0;
    loop {
        match app.store.write(work.clone()).await {
            Err(error) if error.is_transient() || failures < TRIES_MAX => {
                app.clock.sleep_until(again_at(app.clock.now(), failures)).await;
                failures = failures.saturating_add(1);
            }
            done => return done,
        }
    }
}

fn again_at(now: Time, failures: u32) -> Time {
    now.plus_ms((GAP_MS << failures.min(16)).min(GAP_MS_MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tries_come_less_often_and_never_rarely() {
        let now = Time::from_millis(0);
        let gaps: Vec<i64> = [0, 1, 2, 5, 6, 40, u32::MAX].map(|n| again_at(now, n).millis()).into();
        assert_eq!(gaps, [100, 200, 400, 3_200, 5_000, 5_000, 5_000]);
    }
}
