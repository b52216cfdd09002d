//! A new message (API document, Messages; contract §4.5), and what would become of it (`dry_run`, decision 14).

use std::sync::Arc;

use posthouse_domain::{
    auth::Caller,
    error::Refusal,
    id::InboxId,
    send::{People, RECIPIENTS_MAX, Send},
};
use posthouse_store::idempotency;

use super::{
    App,
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
}

/// Queues a message.
///
/// # Errors
/// `not_found`, `invalid_request`, `message_too_large`, what the gate refuses, the store's own.
pub async fn send(app: &Arc<App>, order: Order, command: Send, render: Render) -> Result<Posted, Refusal> {
    let (caller, id) = (order.caller, order.inbox);
    let inbox = app.store.read(move |tx| visible::inbox(tx, &caller, id)).await?;
    let letter = letter(app, command)?;
    post::post(app, order, (letter, inbox), render).await
}

/// What would become of a message; nothing is stored.
///
/// # Errors
/// As [`send`], but what the gate and the size limit refuse is the decision.
pub async fn dry_run(app: &Arc<App>, order: Order, command: Send) -> Result<Decision, Refusal> {
    let (caller, id) = (order.caller, order.inbox);
    let inbox = app.store.read(move |tx| visible::inbox(tx, &caller, id)).await?;
    let letter = letter(app, command)?;
    post::decide(app, order, (letter, inbox)).await
}

fn letter(app: &App, command: Send) -> Result<Letter, Refusal> {
    check_people(&command.people)?;
    Ok(Letter {
        message: app.clock.ids().next(),
        people: command.people,
        subject: command.subject,
        content: command.content,
        origin: Origin::New,
    })
}

/// One to [`RECIPIENTS_MAX`] recipients in all.
///
/// # Errors
/// `invalid_request`.
pub fn check_people(people: &People) -> Result<(), Refusal> {
    match people.count() {
        0 => Err(Refusal::invalid_field("to", "must name at least one recipient")),
        count if count > RECIPIENTS_MAX => {
            let problem = format!("to, cc and bcc may name {RECIPIENTS_MAX} recipients together, not {count}");
            Err(Refusal::invalid_field("to", problem))
        }
        _ => Ok(()),
    }
}
