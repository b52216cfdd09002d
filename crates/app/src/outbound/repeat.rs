//! Repeated requests whose preparation is refused: what they name may be gone since the first one.

use posthouse_domain::{Caller, InboxId, Refusal};
use posthouse_store::{Tx, idempotency};

use super::{accept, accept::SendResponse, send_context::SendContext};
use crate::{access::visible, service::Service};

/// A request with an idempotency key.
#[derive(Clone)]
pub(crate) struct RepeatableRequest {
    pub(crate) caller: Caller,
    pub(crate) inbox: InboxId,
    pub(crate) key: Option<idempotency::IdempotencyKey>,
}

impl RepeatableRequest {
    pub(crate) fn of(context: &SendContext) -> Self {
        Self { caller: context.caller, inbox: context.inbox, key: context.key.clone() }
    }

    /// Returns the result; in place of a refusal, the response of an earlier request with the same key.
    ///
    /// # Errors
    /// Returns the refusal if there is no such response.
    pub(crate) async fn or_recorded_response(
        self,
        service: &Service,
        result: Result<SendResponse, Refusal>,
    ) -> Result<SendResponse, Refusal> {
        let (refusal, key) = match (result, self.key) {
            (Err(refusal), Some(key)) => (refusal, key),
            (result, _) => return result,
        };
        let (caller, inbox, now) = (self.caller, self.inbox, service.clock.now());
        let read = move |tx: &mut Tx| {
            visible::inbox(tx, &caller, inbox)?;
            accept::recorded_response(idempotency::find(tx, &key, now)?)
        };
        let recorded = service.read(caller.workspace, read).await?;
        recorded.map_or(Err(refusal), |answer| Ok(SendResponse::replay(answer)))
    }
}
