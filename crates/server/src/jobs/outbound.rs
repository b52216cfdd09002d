//! The job of an envelope: one attempt to carry a message out, settled with the lease as fence (architecture, «Jobs»).
//!
//! Holds no rule of its own: what is tried and what follows is `app::deliver`.

use std::sync::Arc;

use posthouse_domain::{id::EnvelopeId, time::MINUTE_MS};
use posthouse_store::{
    Result,
    jobs::{self, Leased, Outcome},
};

use crate::app::{
    App,
    deliver::{self, Errand, Next},
};

/// How long an attempt may take before another worker takes it over, in milliseconds. Longer than [`ATTEMPT_MS_MAX`].
pub const LEASE_MS: i64 = 15 * MINUTE_MS;
/// How long an attempt may take before it is given up, in milliseconds: what a server may be waited for at the end of the
/// text (RFC 5321 §4.5.3.2.6), and some.
pub const ATTEMPT_MS_MAX: u64 = 12 * 60_000;
/// How long held mail waits before it is looked at again, in milliseconds, if nobody resumes before.
const HELD_MS: i64 = 10 * MINUTE_MS;

/// Runs the job and settles it.
///
/// # Errors
/// The store's own; the job comes again when its lease has ended.
pub async fn run(app: Arc<App>, job: Leased) -> Result<()> {
    let errand = Errand { workspace: job.workspace, envelope: EnvelopeId(job.subject) };
    let look_again_at = app.clock.now().plus_ms(HELD_MS);
    let fence: deliver::Fence = Arc::new(move |tx, next| {
        let outcome = match next {
            Next::Done => Outcome::Done,
            Next::Retry { at, why } => Outcome::Retry { at, why },
            Next::Hold { why } => Outcome::Hold { at: look_again_at, why },
        };
        jobs::settle(tx, &job, &outcome)
    });
    deliver::deliver(&app, errand, fence).await.map(|_| ())
}
