//! The response to a request that sends, which an idempotency key repeats.

use std::sync::Arc;

use posthouse_domain::{DraftId, ErrorCode, Record, Refusal, Time};
use posthouse_store::{
    Tx,
    idempotency::{self, IdempotencyClaim, RecordedResponse},
};

/// Renders the response body from the stored message. Runs inside the transaction if the request has an idempotency
/// key, because the transaction then stores the body.
pub type RenderResponse = Arc<dyn Fn(&Record) -> Result<String, Refusal> + Send + Sync>;

/// The response to a request that sends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SendResponse {
    /// Status and body.
    pub answer: RecordedResponse,
    /// Whether the response repeats that of an earlier request with the same idempotency key.
    pub replayed: bool,
    /// The draft, if the message waits for an approval.
    pub held: Option<DraftId>,
}

impl SendResponse {
    /// Returns the response to a new request.
    #[must_use]
    pub const fn new(answer: RecordedResponse) -> Self {
        Self { answer, replayed: false, held: None }
    }

    /// Returns the response of an earlier request.
    #[must_use]
    pub const fn replay(answer: RecordedResponse) -> Self {
        Self { answer, replayed: true, held: None }
    }
}

/// Claims the idempotency key of a request, or returns the response of an earlier request with the same key. The
/// caller must check access to the records in the response first.
///
/// # Errors
/// Returns `idempotency_key_reused` if another request used the key.
pub(crate) fn claimed(
    tx: &mut Tx,
    key: Option<&idempotency::IdempotencyKey>,
    now: Time,
) -> Result<Option<RecordedResponse>, Refusal> {
    let Some(key) = key else { return Ok(None) };
    recorded_response(idempotency::claim(tx, key, now)?)
}

/// Returns the response of an earlier request with the same key, if any.
///
/// # Errors
/// Returns `idempotency_key_reused` if another request used the key.
pub(crate) fn recorded_response(claim: IdempotencyClaim) -> Result<Option<RecordedResponse>, Refusal> {
    match claim {
        IdempotencyClaim::New => Ok(None),
        IdempotencyClaim::Replay(answer) => Ok(Some(answer)),
        IdempotencyClaim::Conflict => Err(Refusal::new(
            ErrorCode::IdempotencyKeyReused,
            "This `Idempotency-Key` was used for another request within the last 24 hours.",
        )),
    }
}
