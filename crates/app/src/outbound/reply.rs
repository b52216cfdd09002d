//! Composes the reply to a message of the same inbox: computes recipients, subject and threading fields.

use posthouse_domain::send::{RECIPIENTS_MAX, reply_people};
use posthouse_domain::{Detail, ErrorCode, Inbox, Message, MessageId, NamedRecipients, Refusal, ReplyCommand};
use posthouse_mail::thread;

use super::compose::{self, OutgoingKind, OutgoingMessage};
use super::{recipients, send_context::SendContext};
use crate::{access::visible, service::Service};

/// Composes a reply.
///
/// # Errors
/// Returns `not_found` if the message is not in this inbox, and `not_answerable` if it has no address to reply to or too many.
pub(super) async fn outgoing(
    service: &Service,
    context: &SendContext,
    original: MessageId,
    command: ReplyCommand,
) -> Result<(OutgoingMessage, Inbox), Refusal> {
    let (caller, id) = (context.caller, context.inbox);
    let (inbox, original) = service
        .read(caller.workspace, move |tx| {
            let inbox = visible::inbox(tx, &caller, id)?;
            let message = visible::message(tx, &caller, original)?;
            if message.inbox != inbox.id {
                return Err(Refusal::not_found("message"));
            }
            visible::content(tx, &caller, &message)?;
            Ok((inbox, message))
        })
        .await?;
    let own = compose::author(&inbox)?;
    let mut people = reply_people(&original, own.address(), command.all);
    let has_handles = command.to.as_ref().is_some_and(NamedRecipients::has_handles);
    if let Some(to) = command.to {
        let to = recipients::resolve(service, &caller, to).await?.to;
        people.cc.retain(|other| !to.iter().any(|named| named.address() == other.address()));
        people.to = to;
    }
    check_people(&original, people.count())?;
    let subject = thread::reply_subject(original.subject.as_deref().unwrap_or_default());
    let outgoing = OutgoingMessage::new(service.clock.ids().next(), people, compose::bounded_subject(&subject))
        .with_content(command.content)
        .with_origin(OutgoingKind::Reply(Box::new(original)))
        .with_author(command.author.map(|author| author.for_handles(has_handles)));
    Ok((outgoing, inbox))
}

/// Checks the number of recipients of a reply that are taken from the message which it answers.
///
/// # Errors
/// Returns `not_answerable` if there are none, or more than a message can have.
fn check_people(original: &Message, count: usize) -> Result<(), Refusal> {
    if count == 0 {
        Err(not_answerable(original, "The message has no address to reply to."))
    } else {
        check_most(original, count)
    }
}

/// Checks that a reply doesn't have more recipients than a message can have.
///
/// # Errors
/// Returns `not_answerable` if it has.
pub(crate) fn check_most(original: &Message, count: usize) -> Result<(), Refusal> {
    if count <= RECIPIENTS_MAX {
        return Ok(());
    }
    let problem = format!("The reply would have {count} recipients; a message can have at most {RECIPIENTS_MAX}.");
    Err(not_answerable(original, problem).with_fix("Leave out `reply_all`, or send a new message to fewer recipients."))
}

/// Refuses the answer to a message because of what the message contains: no form of the request would be accepted.
pub(super) fn not_answerable(original: &Message, problem: impl Into<String>) -> Refusal {
    Refusal::new(ErrorCode::NotAnswerable, problem).detail(Detail::From(original.from.clone()))
}
