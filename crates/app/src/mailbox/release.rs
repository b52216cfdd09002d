//! Releases held mail to agents.

use posthouse_domain::{Caller, ErrorCode, Feedback, HoldReason, Message, MessageId, MessageRelease, Record, Refusal};
use posthouse_store::{Tx, inboxes, messages, screening};

use super::show::{Showing, show};
use crate::{access::actor, access::visible, service::Service};

/// Releases a held message and returns it. Releasing it again only replaces the feedback.
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
        let before = visible::message(tx, &caller, id)?;
        check(&before)?;
        let after = Message { release: merged_release(tx, &caller, &before, feedback)?, ..before.clone() };
        if after.is_held() {
            show(tx, &after, Showing { inbox: &inbox, key: &key, ids: &ids.clone(), now })?;
        } else {
            messages::set_release(tx, &after)?;
        }
        if let Some(feedback) = feedback {
            screening::keep_feedback(tx, &after, feedback, now)?;
        }
        let record = messages::record(tx, caller.workspace, id)?.ok_or_else(|| Refusal::not_found("message"))?;
        let is_new = before.is_held() || before.release.is_none_or(|release| release.feedback != feedback);
        Ok::<_, Refusal>((Record { shows_release: true, ..record }, after.held.filter(|_| is_new)))
    };
    let (record, reason) = service.write(work).await?;
    if let (Some(reason), Some(feedback)) = (reason, feedback) {
        service.metrics.checks.feedback(reason, feedback);
    }
    Ok(record)
}

/// Checks that a message is or was held by something that a caller may overrule.
fn check(message: &Message) -> Result<(), Refusal> {
    match message.held {
        None => Err(Refusal::new(ErrorCode::NotHeld, "This message is not held.")),
        Some(HoldReason::Blocked) => {
            Err(Refusal::new(ErrorCode::MessageBlocked, "A receive list blocked this message."))
        }
        Some(HoldReason::Pending) if message.is_held() => {
            let refusal = Refusal::new(ErrorCode::NotHeld, "This message is not held: its check hasn't ended yet.");
            Err(refusal.with_fix(
                "Read it with `include_unscreened=true`, or wait for `message.enriched`, which tells whether it is held.",
            ))
        }
        Some(_) => Ok(()),
    }
}

/// Returns who released a message and what is said about it: of several releases, the first one, also that without an actor,
/// and the last feedback count.
fn merged_release(
    tx: &mut Tx,
    caller: &Caller,
    before: &Message,
    feedback: Option<Feedback>,
) -> Result<Option<MessageRelease>, Refusal> {
    if before.is_held() {
        return Ok(Some(MessageRelease { by: Some(actor::of(tx, caller)?), feedback }));
    }
    let known = before.release.clone();
    if feedback.is_none() {
        return Ok(known);
    }
    Ok(Some(MessageRelease { by: known.and_then(|known| known.by), feedback }))
}
