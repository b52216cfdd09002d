//! Sends a new message, a reply or a forward, or returns the decision about it (`dry_run`).

use std::sync::Arc;

use posthouse_domain::{ForwardCommand, Inbox, MessageId, Refusal, ReplyCommand, SendCommand};

use super::{compose::OutgoingMessage, forward, recipients, repeat::RepeatableRequest, reply};
use crate::access::visible;
use crate::outbound::accept::{self, RenderResponse, SendDecision, SendResponse};
use crate::outbound::send_context::SendContext;
use crate::service::{ReadScope, Service};

/// What a request sends from an inbox.
pub enum SendRequest {
    /// A new message.
    New(SendCommand),
    /// A reply to a message of the inbox, in its thread.
    Reply { original: MessageId, command: ReplyCommand },
    /// A message of the inbox, to others, in a new thread.
    Forward { original: MessageId, command: ForwardCommand },
}

/// Queues a message.
///
/// # Errors
/// Returns `not_found` if the inbox or the original message is not there, `not_answerable` if the original has no address to
/// reply to or too many, `invalid_request`, `message_too_large`, or a refusal of the gate.
pub async fn send(
    service: &Arc<Service>,
    context: SendContext,
    request: SendRequest,
    render: RenderResponse,
) -> Result<SendResponse, Refusal> {
    let repeatable = RepeatableRequest::of(&context);
    repeatable.or_recorded_response(service, send_new(service, context, request, render).await).await
}

async fn send_new(
    service: &Arc<Service>,
    context: SendContext,
    request: SendRequest,
    render: RenderResponse,
) -> Result<SendResponse, Refusal> {
    let (outgoing, inbox) = outgoing_message(service, &context, request).await?;
    accept::accept(service, context, outgoing, inbox, render).await
}

/// Returns the decision about a message without sending or storing it.
///
/// # Errors
/// Returns the errors of [`send`], except refusals of the gate and the size limit, which are part of the decision.
pub async fn dry_run(
    service: &Arc<Service>,
    context: SendContext,
    request: SendRequest,
) -> Result<SendDecision, Refusal> {
    let (outgoing, inbox) = outgoing_message(service, &context, request).await?;
    accept::decide(service, context, outgoing, inbox).await
}

async fn outgoing_message(
    service: &Arc<Service>,
    context: &SendContext,
    request: SendRequest,
) -> Result<(OutgoingMessage, Inbox), Refusal> {
    match request {
        SendRequest::New(command) => new_message(service, context, command).await,
        SendRequest::Reply { original, command } => reply::outgoing(service, context, original, command).await,
        SendRequest::Forward { original, command } => forward::outgoing(service, context, original, command).await,
    }
}

async fn new_message(
    service: &Service,
    context: &SendContext,
    command: SendCommand,
) -> Result<(OutgoingMessage, Inbox), Refusal> {
    let (caller, id) = (context.caller, context.inbox);
    let inbox = service.read(ReadScope::Statement, move |tx| visible::inbox(tx, &caller, id)).await?;
    let has_handles = command.people.has_handles();
    let people = recipients::resolve(service, &caller, command.people).await?;
    let outgoing = OutgoingMessage::new(service.clock.ids().next(), people, command.subject)
        .with_content(command.content)
        .with_author(command.author.map(|author| author.for_handles(has_handles)));
    Ok((outgoing, inbox))
}
