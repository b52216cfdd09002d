//! An answer to a message of the same inbox: recipients, subject and threading fields are computed here (contract §4.5).

use std::sync::Arc;

use posthouse_domain::{
    error::Refusal,
    id::MessageId,
    message::Message,
    send::{RECIPIENTS_MAX, Reply, reply_people},
};
use posthouse_mail::thread;

use super::{
    App,
    compose::{self, Letter, Origin},
    post::{self, Posted, Render},
    send::Order,
    visible,
};

/// Queues an answer.
///
/// # Errors
/// `not_found` for a message that is not in this inbox; `invalid_request` when it has nobody to answer to; otherwise as
/// [`super::send::send`].
pub async fn reply(
    app: &Arc<App>,
    order: Order,
    (original, command): (MessageId, Reply),
    render: Render,
) -> Result<Posted, Refusal> {
    let (caller, id) = (order.caller, order.inbox);
    let (inbox, original) = app
        .store
        .read(move |tx| {
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
    let people = reply_people(&original, own.address(), command.all);
    check_people(&original, people.count())?;
    let letter = Letter {
        message: app.clock.ids().next(),
        people,
        subject: compose::bounded_subject(&thread::reply_subject(original.subject.as_deref().unwrap_or_default())),
        content: command.content,
        origin: Origin::Answers(Box::new(original)),
    };
    post::post(app, order, (letter, inbox), render).await
}

fn check_people(original: &Message, count: usize) -> Result<(), Refusal> {
    let problem = match count {
        0 => "has no address to answer to; send a new message instead".to_owned(),
        count if count > RECIPIENTS_MAX => {
            format!("has {count} people to answer to; a message has at most {RECIPIENTS_MAX} recipients")
        }
        _ => return Ok(()),
    };
    Err(Refusal::invalid_field("message_id", problem).detail("from", original.from.clone()))
}
