//! Writes of external effects that have already happened, such as an accepted mail or a finished attempt. They are
//! retried until they are committed, because the effect would be repeated otherwise.

use posthouse_domain::{SECOND_MS, Time};
use posthouse_store::{Result as StoreResult, Tx};

use crate::service::Service;

/// The delay before the first retry, in milliseconds; it doubles with each retry.
const GAP_MS: i64 = 100;
/// The longest delay, in milliseconds: far shorter than a lease, so that jobs continue soon after an outage.
const GAP_MS_MAX: i64 = 5 * SECOND_MS;
/// Maximum retries of errors other than outages, which are unlikely to go away.
const ATTEMPTS_MAX: u32 = 5;

/// Runs `work` until it is committed. Also repeats writes with an unknown outcome, so `work` must check whether it is
/// still needed, for example by a fencing token.
///
/// # Errors
/// Returns an error that is not an outage and persists.
pub async fn persist<T: Send + 'static>(
    service: &Service,
    work: impl Fn(&mut Tx) -> StoreResult<T> + Clone + Send + 'static,
) -> StoreResult<T> {
    let mut failures = 0;
    loop {
        match service.write(work.clone()).await {
            Err(error) if error.is_transient() || failures < ATTEMPTS_MAX => {
                service.clock.sleep_until(retry_at(service.clock.now(), failures)).await;
                failures = failures.saturating_add(1);
            }
            done => return done,
        }
    }
}

fn retry_at(now: Time, failures: u32) -> Time {
    now.plus_ms((GAP_MS << failures.min(16)).min(GAP_MS_MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_delays_grow_up_to_a_maximum() {
        let now = Time::from_millis(0);
        let gaps: Vec<i64> = [0, 1, 2, 5, 6, 40, u32::MAX].map(|n| retry_at(now, n).millis()).into();
        assert_eq!(gaps, [100, 200, 400, 3_200, 5_000, 5_000, 5_000]);
    }
}
