//! Loads the records that a caller may see; every other record is `not_found`, whether it exists or not
//! (`docs/decisions/api.md#0003-invisible-is-not-found`).
//!
//! Records of other workspaces are invisible, records of other inboxes to a key of one inbox, and everything in a
//! deleted inbox. Handlers load a record that the caller named through this module only.

use posthouse_domain::{
    Attachment, AttachmentId, Caller, Detail, ErrorCode, HoldReason, Inbox, InboxId, InboxKind, Message, MessageId,
    OptIns, Permission, Principal, Refusal, Thread, ThreadId,
};
use posthouse_store::{Result as StoreResult, Tx, attachments, inboxes, messages, threads};

/// Returns the inbox if it is not deleted. An identity has no mail, so only the service, which writes from it, gets one.
///
/// # Errors
/// Returns `not_found` if the inbox is missing or invisible.
pub fn inbox(tx: &mut Tx, caller: &Caller, id: InboxId) -> Result<Inbox, Refusal> {
    let is_shown = |inbox: &Inbox| match caller.principal {
        Principal::Service { .. } => true,
        Principal::Key(_) | Principal::User(_) | Principal::Connector(_) | Principal::Operator => {
            inbox.kind == InboxKind::Mailbox
        }
    };
    inbox_or_identity(tx, caller, id)
        .and_then(|inbox| Some(inbox).filter(is_shown).ok_or_else(|| Refusal::not_found("inbox")))
}

/// Returns the inbox or identity if it is not deleted.
///
/// # Errors
/// Returns `not_found` if it is missing or invisible.
pub fn inbox_or_identity(tx: &mut Tx, caller: &Caller, id: InboxId) -> Result<Inbox, Refusal> {
    let found = if caller.scope().allows_inbox(id) { inboxes::get(tx, caller.workspace, id)? } else { None };
    found.filter(|inbox| inbox.deleted_at.is_none()).ok_or_else(|| Refusal::not_found("inbox"))
}

/// Returns the identity if it is not deleted.
///
/// # Errors
/// Returns `not_found` if the identity is missing or invisible.
pub fn identity(tx: &mut Tx, caller: &Caller, id: InboxId) -> Result<Inbox, Refusal> {
    let found = if caller.scope().allows_inbox(id) { inboxes::get(tx, caller.workspace, id)? } else { None };
    let is_identity = |inbox: &Inbox| inbox.kind == InboxKind::Identity && inbox.deleted_at.is_none();
    found.filter(is_identity).ok_or_else(|| Refusal::not_found("identity"))
}

/// Returns the message.
///
/// # Errors
/// Returns `not_found` if the message is missing or invisible.
pub fn message(tx: &mut Tx, caller: &Caller, id: MessageId) -> Result<Message, Refusal> {
    let found = messages::get(tx, caller.workspace, id)?;
    match found {
        Some(message) if can_access(tx, caller, message.inbox)? => Ok(message),
        _ => Err(Refusal::not_found("message")),
    }
}

/// Checks that the caller may see the content of a message, because a reply quotes its subject and text.
///
/// # Errors
/// Returns `message_withheld` if the content is withheld from the caller.
pub fn content(tx: &mut Tx, caller: &Caller, message: &Message) -> Result<(), Refusal> {
    let may_release = caller.permissions().has(Permission::MessagesRelease);
    opened(tx, message, if may_release { OptIns::ALL } else { OptIns::default() })
}

/// Checks that the content of a message is not withheld, or that the caller asked for it and may.
///
/// # Errors
/// Returns `message_withheld` if it is withheld.
pub fn opened(tx: &mut Tx, message: &Message, opt_ins: OptIns) -> Result<(), Refusal> {
    if opt_ins.opens(message.held) || !messages::is_withheld(tx, message)? {
        return Ok(());
    }
    Err(withheld(message.held))
}

/// Returns the refusal of withheld content.
#[must_use]
pub fn withheld(held: Option<HoldReason>) -> Refusal {
    let refusal = Refusal::new(ErrorCode::MessageWithheld, "The content of this message is withheld.");
    match held {
        Some(HoldReason::Pending) | None => refusal.detail(Detail::ScreeningState("pending".to_owned())),
        Some(reason) => refusal
            .detail(Detail::ScreeningState("held".to_owned()))
            .detail(Detail::HoldReason(reason.text().to_owned())),
    }
}

/// Returns the messages among up to 100 that the caller may see, each once, in the order of `ids`.
pub fn messages(tx: &mut Tx, caller: &Caller, ids: &[MessageId]) -> Result<Vec<Message>, Refusal> {
    let mut found = messages::get_many(tx, caller.workspace, ids)?;
    let mut inboxes: Vec<(InboxId, bool)> = Vec::new();
    for message in &found {
        if !inboxes.iter().any(|(inbox, _)| *inbox == message.inbox) {
            inboxes.push((message.inbox, can_access(tx, caller, message.inbox)?));
        }
    }
    found.retain(|message| inboxes.contains(&(message.inbox, true)));
    found.sort_by_key(|message| ids.iter().position(|id| *id == message.id));
    Ok(found)
}

/// Returns the thread.
///
/// # Errors
/// Returns `not_found` if the thread is missing or invisible.
pub fn thread(tx: &mut Tx, caller: &Caller, id: ThreadId) -> Result<Thread, Refusal> {
    let found = threads::get(tx, caller.workspace, id)?;
    match found {
        Some(thread) if can_access(tx, caller, thread.inbox)? => Ok(thread),
        _ => Err(Refusal::not_found("thread")),
    }
}

/// Returns an attachment and its message.
///
/// # Errors
/// Returns `not_found` if the attachment is missing or invisible.
pub fn attachment(tx: &mut Tx, caller: &Caller, id: AttachmentId) -> Result<(Attachment, Message), Refusal> {
    let Some(found) = attachments::get(tx, caller.workspace, id)? else {
        return Err(Refusal::not_found("attachment"));
    };
    match messages::get(tx, caller.workspace, found.message)? {
        Some(message) if can_access(tx, caller, message.inbox)? => Ok((found, message)),
        _ => Err(Refusal::not_found("attachment")),
    }
}

/// Returns true if the inbox exists and the caller may see its records.
fn can_access(tx: &mut Tx, caller: &Caller, id: InboxId) -> StoreResult<bool> {
    Ok(caller.scope().allows_inbox(id)
        && inboxes::get(tx, caller.workspace, id)?.is_some_and(|inbox| inbox.deleted_at.is_none()))
}
