//! The next step of a job that sends a message later: a scheduled draft or an automatic forward.

use posthouse_domain::{JobReason, Time};

/// The result of one attempt.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NextStep {
    /// Finished: the message was sent, failed, is no longer scheduled, or is gone.
    Done,
    /// Nothing was sent; try again at that time.
    Hold {
        /// The time.
        at: Time,
        /// The reason.
        why: JobReason,
    },
    /// A local failure; try again.
    Retry,
}
