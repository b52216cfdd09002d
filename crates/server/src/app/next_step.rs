//! What is next for a job that sends a message later: a scheduled draft, a forward.

use posthouse_domain::time::Time;

/// What came of one try.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NextStep {
    /// Nothing: it was sent, has failed, stays, or is gone.
    Done,
    /// Look again then; nothing was sent.
    Hold {
        /// When.
        at: Time,
        /// Why, for operators.
        why: &'static str,
    },
    /// Something of ours failed.
    Retry,
}
