//! The result of the last readiness check. Requests that arrive during a check or within the next second share its
//! result, so that frequent probes cost the store nothing.

use posthouse_domain::{error::Refusal, time::Time};
use tokio::sync::Mutex;

use posthouse_app::app::App;

/// How long a result is valid, in milliseconds.
pub const RESULT_VALID_MS: i64 = 1_000;

/// The last check. Locked while a check is running.
#[derive(Default)]
pub struct Readiness {
    last: Mutex<Option<CheckResult>>,
}

/// A result, and the storage health when the check ended.
struct CheckResult {
    at: Time,
    known: KnownHealth,
    result: Result<(), Refusal>,
}

impl Readiness {
    /// Returns the last result, or runs `check` if it is too old or the storage health has changed since.
    ///
    /// # Errors
    /// Returns the refusal of `check`.
    pub async fn of(&self, app: &App, check: impl AsyncFnOnce(&App) -> Result<(), Refusal>) -> Result<(), Refusal> {
        let mut last = self.last.lock().await;
        let (now, known) = (app.clock.now(), known(app));
        if let Some(checked) =
            last.as_ref().filter(|last| now < last.at.plus_ms(RESULT_VALID_MS) && known == last.known)
        {
            return checked.result.clone();
        }
        let result = check(app).await;
        if let Err(refusal) = &result {
            app.storage_health.record(refusal);
        }
        *last = Some(CheckResult { at: app.clock.now(), known: self::known(app), result: result.clone() });
        result
    }
}

/// The storage health that mail and requests have reported.
#[derive(Clone, Copy, PartialEq, Eq)]
struct KnownHealth {
    is_full: bool,
    are_blobs_unknown: bool,
}

/// Returns the storage health that mail and requests have reported.
fn known(app: &App) -> KnownHealth {
    KnownHealth { is_full: app.storage_health.is_full(), are_blobs_unknown: app.storage_health.are_blobs_unknown() }
}
