//! The records that a caller may see: every other one is `not_found`, whether it exists or not (decision 3).
//!
//! Invisible are other workspaces, other inboxes for a key of one inbox (contract §28), and everything in a deleted
//! inbox. A use-case or handler never reads a record that the caller named in any other way.

use posthouse_domain::{
    auth::{Caller, Permission},
    error::{Code, Refusal},
    id::{AttachmentId, InboxId, MessageId, ThreadId},
    inbox::Inbox,
    message::{Attachment, Message},
    thread::Thread,
};
use posthouse_store::{Result as Stored, Tx, attachments, inboxes, messages, threads};

/// The inbox, which is not deleted.
///
/// # Errors
/// `not_found`, or the store's own.
pub fn inbox(tx: &mut Tx, caller: &Caller, id: InboxId) -> Result<Inbox, Refusal> {
    let found = if caller.scope.sees(id) { inboxes::get(tx, caller.workspace, id)? } else { None };
    found.filter(|inbox| inbox.deleted_at.is_none()).ok_or_else(|| Refusal::not_found("inbox"))
}

/// The message.
///
/// # Errors
/// `not_found`, or the store's own.
pub fn message(tx: &mut Tx, caller: &Caller, id: MessageId) -> Result<Message, Refusal> {
    let found = messages::get(tx, caller.workspace, id)?;
    match found {
        Some(message) if sees(tx, caller, message.inbox)? => Ok(message),
        _ => Err(Refusal::not_found("message")),
    }
}

/// Refuses who may not see the content of a message that is held back: an answer would quote its subject (contract §4.4).
///
/// # Errors
/// `not_found`, or the store's own.
pub fn content(tx: &mut Tx, caller: &Caller, message: &Message) -> Result<(), Refusal> {
    if caller.permissions.has(Permission::MessagesRelease) || !messages::is_withheld(tx, message)? {
        return Ok(());
    }
    let fix = "Answer it with a key that has the permission messages:release.";
    Err(Refusal::new(Code::NotFound, "The content of this message is held back.").with_fix(fix))
}

/// Those of up to 100 messages that the caller may see, in the order of the ids, each once.
///
/// # Errors
/// The store's own.
pub fn messages(tx: &mut Tx, caller: &Caller, ids: &[MessageId]) -> Result<Vec<Message>, Refusal> {
    let mut found = messages::get_many(tx, caller.workspace, ids)?;
    let mut looked_at: Vec<(InboxId, bool)> = Vec::new();
    for message in &found {
        if !looked_at.iter().any(|(inbox, _)| *inbox == message.inbox) {
            looked_at.push((message.inbox, sees(tx, caller, message.inbox)?));
        }
    }
    found.retain(|message| looked_at.contains(&(message.inbox, true)));
    found.sort_by_key(|message| ids.iter().position(|id| *id == message.id));
    Ok(found)
}

/// The thread.
///
/// # Errors
/// `not_found`, or the store's own.
pub fn thread(tx: &mut Tx, caller: &Caller, id: ThreadId) -> Result<Thread, Refusal> {
    let found = threads::get(tx, caller.workspace, id)?;
    match found {
        Some(thread) if sees(tx, caller, thread.inbox)? => Ok(thread),
        _ => Err(Refusal::not_found("thread")),
    }
}

/// The file with the message it belongs to.
///
/// # Errors
/// `not_found`, or the store's own.
pub fn attachment(tx: &mut Tx, caller: &Caller, id: AttachmentId) -> Result<(Attachment, Message), Refusal> {
    let Some(found) = attachments::get(tx, caller.workspace, id)? else {
        return Err(Refusal::not_found("attachment"));
    };
    match messages::get(tx, caller.workspace, found.message)? {
        Some(message) if sees(tx, caller, message.inbox)? => Ok((found, message)),
        _ => Err(Refusal::not_found("attachment")),
    }
}

/// Whether the caller may see what is in that inbox.
fn sees(tx: &mut Tx, caller: &Caller, id: InboxId) -> Stored<bool> {
    Ok(caller.scope.sees(id) && inboxes::get(tx, caller.workspace, id)?.is_some_and(|inbox| inbox.deleted_at.is_none()))
}
