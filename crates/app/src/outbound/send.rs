//! Sends a new message, or returns the decision about it (`dry_run`).

use std::sync::Arc;

use posthouse_domain::{Refusal, SendCommand};

use super::{compose::OutgoingMessage, recipients, repeat::RepeatableRequest};
use crate::outbound::accept::{self, RenderResponse, SendDecision, SendResponse};
use crate::outbound::send_context::SendContext;
use crate::{access::visible, app::App};

/// Queues a message.
///
/// # Errors
/// Returns `not_found`, `invalid_request`, or `message_too_large`, a refusal of the gate.
pub async fn send(
    app: &Arc<App>,
    context: SendContext,
    command: SendCommand,
    render: RenderResponse,
) -> Result<SendResponse, Refusal> {
    let request = RepeatableRequest::of(&context);
    request.or_recorded_response(app, send_new(app, context, command, render).await).await
}

async fn send_new(
    app: &Arc<App>,
    context: SendContext,
    command: SendCommand,
    render: RenderResponse,
) -> Result<SendResponse, Refusal> {
    let (caller, id) = (context.caller, context.inbox);
    let inbox = app.store.read_one(move |tx| visible::inbox(tx, &caller, id)).await?;
    let outgoing = outgoing_message(app, &context, command).await?;
    accept::accept(app, context, outgoing, inbox, render).await
}

/// Returns the decision about a message without sending or storing it.
///
/// # Errors
/// Returns the errors of [`send`], except refusals of the gate and the size limit, which are part of the decision.
pub async fn dry_run(app: &Arc<App>, context: SendContext, command: SendCommand) -> Result<SendDecision, Refusal> {
    let (caller, id) = (context.caller, context.inbox);
    let inbox = app.store.read_one(move |tx| visible::inbox(tx, &caller, id)).await?;
    let outgoing = outgoing_message(app, &context, command).await?;
    accept::decide(app, context, outgoing, inbox).await
}

async fn outgoing_message(app: &App, context: &SendContext, command: SendCommand) -> Result<OutgoingMessage, Refusal> {
    let has_handles = command.people.has_handles();
    let people = recipients::resolve(app, &context.caller, command.people).await?;
    Ok(OutgoingMessage::new(app.clock.ids().next(), people, command.subject)
        .with_content(command.content)
        .with_author(command.author.map(|author| author.for_handles(has_handles))))
}
