//! Releases held mail to agents.

use posthouse_domain::{Caller, ErrorCode, Feedback, HoldReason, MessageId, MessageRelease, Record, Refusal};
use posthouse_store::{Tx, inboxes, messages, screening};

use super::show::{Showing, show};
use crate::{access::actor, access::visible, service::Service};

/// Releases a held message and returns it. A message that was released before is returned as it is.
///
/// # Errors
/// Returns `not_found` if the message is missing, `message_blocked` if a receive list stopped it, or `not_held`.
pub async fn release(
    service: &Service,
    caller: Caller,
    id: MessageId,
    feedback: Option<Feedback>,
) -> Result<Record, Refusal> {
    let (ids, now, key) = (service.clock.ids(), service.clock.now(), service.address_key()?);
    let work = move |tx: &mut Tx| {
        let found = visible::message(tx, &caller, id)?;
        // The inbox before the message, as storing a message does.
        let inbox = visible::inbox(tx, &caller, found.inbox)?;
        let inbox = inboxes::lock(tx, inbox.workspace, inbox.id)?.ok_or_else(|| Refusal::not_found("message"))?;
        messages::lock(tx, caller.workspace, &[id])?;
        let mut message = visible::message(tx, &caller, id)?;
        if message.is_held() {
            message.release = Some(MessageRelease { by: actor::of(tx, &caller)?, feedback });
        }
        let showing = Showing { inbox: &inbox, key: &key, ids: &ids.clone(), now };
        match message.held {
            None => return Err(Refusal::new(ErrorCode::NotHeld, "This message is not held.")),
            Some(HoldReason::Blocked) => {
                return Err(Refusal::new(ErrorCode::MessageBlocked, "A receive list blocked this message."));
            }
            Some(HoldReason::Pending) if message.is_held() => {
                let refusal = Refusal::new(ErrorCode::NotHeld, "This message is not held: its check hasn't ended yet.");
                return Err(refusal.with_fix(
                    "Read it with `include_unscreened=true`, or wait for `message.enriched`, which tells whether it is held.",
                ));
            }
            Some(_) => show(tx, &message, showing)?,
        }
        if let Some(feedback) = feedback {
            screening::keep_feedback(tx, &message, feedback, now)?;
        }
        let record = messages::record(tx, caller.workspace, id)?.ok_or_else(|| Refusal::not_found("message"))?;
        Ok((record, message.held))
    };
    let (record, reason) = service.write(work).await?;
    if let (Some(reason), Some(feedback)) = (reason, feedback) {
        service.metrics.checks.feedback(reason, feedback);
    }
    Ok(record)
}
