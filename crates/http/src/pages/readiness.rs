//! The result of the last readiness check. Requests that arrive during a check or within the next second share its
//! result, so that frequent probes cost the store nothing.

use posthouse_domain::{error::Refusal, time::Time};
use tokio::sync::Mutex;

use posthouse_app::service::Service;

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
    pub async fn of(
        &self,
        service: &Service,
        check: impl AsyncFnOnce(&Service) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        let mut last = self.last.lock().await;
        let (now, known) = (service.clock.now(), known(service));
        if let Some(checked) =
            last.as_ref().filter(|last| now < last.at.plus_ms(RESULT_VALID_MS) && known == last.known)
        {
            return checked.result.clone();
        }
        let result = check(service).await;
        if let Err(refusal) = &result {
            service.storage_health.record(refusal);
        }
        *last = Some(CheckResult { at: service.clock.now(), known: self::known(service), result: result.clone() });
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
fn known(service: &Service) -> KnownHealth {
    KnownHealth {
        is_full: service.storage_health.is_full(),
        are_blobs_unknown: service.storage_health.are_blobs_unknown(),
    }
}
