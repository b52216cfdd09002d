//! Releases held mail to agents: it joins its thread, its queue, search and forwarding, as if it arrived now.

use posthouse_domain::{
    auth::Caller,
    error::{ErrorCode, Refusal},
    event::{EventKind, NewEvent},
    id::{IdGenerator, MessageId},
    inbox::Inbox,
    message::{HoldReason, Message},
    record::Record,
    time::Time,
};
use posthouse_store::{Result as StoreResult, Tx, events, message_list::InboxRef, messages, queue, threads};

use super::forwards;
use crate::{access::visible, app::App};

/// Releases a held message and returns it. A message that was released before is returned as it is.
///
/// # Errors
/// Returns `not_found` if the message is missing, `message_blocked` if a receive list stopped it, or `not_held`.
pub async fn release(app: &App, caller: Caller, id: MessageId) -> Result<Record, Refusal> {
    let (ids, now) = (app.clock.ids(), app.clock.now());
    let work = move |tx: &mut Tx| {
        let found = visible::message(tx, &caller, id)?;
        // The inbox before the message, as storing a message does.
        let inbox = visible::inbox(tx, &caller, found.inbox)?;
        messages::lock(tx, caller.workspace, &[id])?;
        let message = visible::message(tx, &caller, id)?;
        match message.held {
            None => return Err(Refusal::new(ErrorCode::NotHeld, "This message is not held.")),
            Some(HoldReason::Blocked) => {
                return Err(Refusal::new(ErrorCode::MessageBlocked, "A receive list blocked this message."));
            }
            Some(_) if message.is_held() => let_through(tx, &inbox, &message, &ids.clone(), now)?,
            Some(_) => {}
        }
        messages::record(tx, caller.workspace, id)?.ok_or_else(|| Refusal::not_found("message"))
    };
    app.store.write(work).await
}

fn let_through(tx: &mut Tx, inbox: &Inbox, message: &Message, ids: &IdGenerator, now: Time) -> StoreResult<()> {
    messages::release(tx, message.workspace, message.id, now)?;
    if let Some(thread) = threads::get(tx, message.workspace, message.thread)? {
        threads::touch(tx, &thread, &[], thread.last_message_at.max(message.created_at))?;
    }
    queue::add_released(tx, InboxRef { workspace: message.workspace, inbox: message.inbox }, message.id)?;
    forwards::enqueue(tx, message, ids)?;
    let event = NewEvent::new(EventKind::MessageReleased, message.workspace, ids.next(), now)
        .in_inbox(message.inbox)
        .in_thread(message.thread)
        .about_message(message.id);
    events::append_or_hold(tx, inbox.is_paused(), &event)
}
