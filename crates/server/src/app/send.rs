//! A new message (API document, Messages; contract §4.5), and what would become of it (`dry_run`, decision 14).

use std::sync::Arc;

use posthouse_domain::{auth::Caller, error::Refusal, id::InboxId, send::Send};
use posthouse_store::idempotency;

use super::{
    App,
    claim::Fence,
    compose::{Letter, Origin},
    post::{self, Decision, Posted, Render},
    visible,
};

/// Who asks to send from which inbox.
#[derive(Clone, Debug)]
pub struct Order {
    /// Who asks.
    pub caller: Caller,
    /// The inbox to send from.
    pub inbox: InboxId,
    /// The idempotency key of the request, if it has one.
    pub key: Option<idempotency::Key>,
    /// The lease of a worker who must hold the message that is answered or passed on.
    pub fence: Option<Fence>,
}

/// Queues a message.
///
/// # Errors
/// `not_found`, `invalid_request`, `message_too_large`, what the gate refuses, the store's own.
pub async fn send(app: &Arc<App>, order: Order, command: Send, render: Render) -> Result<Posted, Refusal> {
    let (caller, id) = (order.caller, order.inbox);
    let inbox = app.store.read_one(move |tx| visible::inbox(tx, &caller, id)).await?;
    let letter = letter(app, command);
    post::post(app, order, (letter, inbox), render).await
}

/// What would become of a message; nothing is stored.
///
/// # Errors
/// As [`send`], but what the gate and the size limit refuse is the decision.
pub async fn dry_run(app: &Arc<App>, order: Order, command: Send) -> Result<Decision, Refusal> {
    let (caller, id) = (order.caller, order.inbox);
    let inbox = app.store.read_one(move |tx| visible::inbox(tx, &caller, id)).await?;
    let letter = letter(app, command);
    post::decide(app, order, (letter, inbox)).await
}

fn letter(app: &App, command: Send) -> Letter {
    Letter {
        message: app.clock.ids().next(),
        people: command.people,
        subject: command.subject,
        content: command.content,
        origin: Origin::New,
    }
}
