//! Whether the service is ready, as the last check found it. One check serves everybody who asks meanwhile and within the next
//! second: those who ask often must cost the store nothing.

use posthouse_domain::{error::Refusal, time::Time};
use tokio::sync::Mutex;

use crate::app::App;

/// How long a check holds, in milliseconds.
pub const CHECK_MS: i64 = 1_000;

/// The last check. Locked while one is under way.
#[derive(Default)]
pub struct Readiness {
    last: Mutex<Option<Checked>>,
}

/// A check and what was known when it ended.
struct Checked {
    at: Time,
    known: (bool, bool),
    verdict: Result<(), Refusal>,
}

impl Readiness {
    /// The verdict of the last check, or of `check` where that is too old or where mail and requests have found out more since.
    ///
    /// # Errors
    /// What `check` refuses with.
    pub async fn of(&self, app: &App, check: impl AsyncFnOnce(&App) -> Result<(), Refusal>) -> Result<(), Refusal> {
        let mut last = self.last.lock().await;
        let (now, known) = (app.clock.now(), known(app));
        if let Some(checked) = last.as_ref().filter(|last| now < last.at.plus_ms(CHECK_MS) && known == last.known) {
            return checked.verdict.clone();
        }
        let verdict = check(app).await;
        if let Err(refusal) = &verdict {
            app.shortage.note(refusal);
        }
        *last = Some(Checked { at: app.clock.now(), known: self::known(app), verdict: verdict.clone() });
        verdict
    }
}

/// What mail and requests found out.
fn known(app: &App) -> (bool, bool) {
    (app.shortage.is_full(), app.shortage.are_blobs_in_doubt())
}
