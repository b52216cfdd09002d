//! How the verdicts about held mail agree with what people said about it.

use posthouse_domain::{Caller, Feedback, HoldReason, Refusal};
use posthouse_store::{Tx, screening};

use crate::service::Service;

/// How often people said something about mail that was held for a reason.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FeedbackCount {
    /// Why the mail was held.
    pub reason: HoldReason,
    /// What people said.
    pub feedback: Feedback,
    /// How often.
    pub messages: u64,
}

/// Returns what people of the caller's workspace said about held mail.
///
/// # Errors
/// Returns an error if a store call fails.
pub async fn feedback(service: &Service, caller: Caller) -> Result<Vec<FeedbackCount>, Refusal> {
    let read = move |tx: &mut Tx| Ok::<_, Refusal>(screening::agreement(tx, caller.workspace)?);
    let found = service.read(caller.workspace, read).await?;
    let counts = found.into_iter();
    Ok(counts.map(|(reason, feedback, messages)| FeedbackCount { reason, feedback, messages }).collect())
}
