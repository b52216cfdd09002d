//! Sends a new message, or returns the decision about it (`dry_run`).

use std::sync::Arc;

use posthouse_domain::{Refusal, SendCommand};

use super::{compose::OutgoingMessage, recipients, repeat::RepeatableRequest};
use crate::access::visible;
use crate::outbound::accept::{self, RenderResponse, SendDecision, SendResponse};
use crate::outbound::send_context::SendContext;
use crate::service::{ReadScope, Service};

/// Queues a message.
///
/// # Errors
/// Returns `not_found`, `invalid_request`, or `message_too_large`, a refusal of the gate.
pub async fn send(
    service: &Arc<Service>,
    context: SendContext,
    command: SendCommand,
    render: RenderResponse,
) -> Result<SendResponse, Refusal> {
    let request = RepeatableRequest::of(&context);
    request.or_recorded_response(service, send_new(service, context, command, render).await).await
}

async fn send_new(
    service: &Arc<Service>,
    context: SendContext,
    command: SendCommand,
    render: RenderResponse,
) -> Result<SendResponse, Refusal> {
    let (caller, id) = (context.caller, context.inbox);
    let inbox = service.read(ReadScope::Statement, move |tx| visible::inbox(tx, &caller, id)).await?;
    let outgoing = outgoing_message(service, &context, command).await?;
    accept::accept(service, context, outgoing, inbox, render).await
}

/// Returns the decision about a message without sending or storing it.
///
/// # Errors
/// Returns the errors of [`send`], except refusals of the gate and the size limit, which are part of the decision.
pub async fn dry_run(
    service: &Arc<Service>,
    context: SendContext,
    command: SendCommand,
) -> Result<SendDecision, Refusal> {
    let (caller, id) = (context.caller, context.inbox);
    let inbox = service.read(ReadScope::Statement, move |tx| visible::inbox(tx, &caller, id)).await?;
    let outgoing = outgoing_message(service, &context, command).await?;
    accept::decide(service, context, outgoing, inbox).await
}

async fn outgoing_message(
    service: &Service,
    context: &SendContext,
    command: SendCommand,
) -> Result<OutgoingMessage, Refusal> {
    let has_handles = command.people.has_handles();
    let people = recipients::resolve(service, &context.caller, command.people).await?;
    Ok(OutgoingMessage::new(service.clock.ids().next(), people, command.subject)
        .with_content(command.content)
        .with_author(command.author.map(|author| author.for_handles(has_handles))))
}
