//! Shows a stored message that agents didn't get: it joins its thread, its contacts, its queue, search and forwarding, as if
//! it arrived now.

use posthouse_domain::{HoldReason, IdGenerator, Inbox, Message, Time, outbound_policy::seen::SeenKeys};
use posthouse_mail::address::Mailbox;
use posthouse_store::{Result, Tx, messages, threads};

use super::{Filing, InboxCopy, Occasion, contacts::Correspondents, thread::MessageThread};
use crate::keyring::instance_key::AddressKey;

/// What showing a message needs besides its row.
#[derive(Clone, Copy)]
pub struct Showing<'a> {
    /// Its inbox; its row is locked.
    pub inbox: &'a Inbox,
    /// Hashes the addresses of forgotten contacts.
    pub key: &'a AddressKey,
    /// Creates ids.
    pub ids: &'a IdGenerator,
    /// The time of the transaction.
    pub now: Time,
}

/// Runs the stages that a held or pending message has skipped. It gets the position of a message that arrives now, so that
/// callers who page through the inbox miss nothing. A message that is shown is unchanged. Lock the message before.
///
/// # Errors
/// Returns an error if a store call fails.
pub fn show(tx: &mut Tx, message: &Message, showing: Showing<'_>) -> Result<()> {
    let Some(reason) = message.held.filter(|_| message.is_held()) else { return Ok(()) };
    let shown = if reason == HoldReason::Pending {
        messages::end_pending(tx, message, None, showing.now)?
    } else {
        messages::release(tx, message, showing.now)?
    };
    let was_shown = message.local_check.as_ref().is_some_and(|check| check.was_shown);
    run_stages(tx, shown, if was_shown { Occasion::ShownAgain } else { Occasion::Shown(reason) }, showing)
}

/// Shows a pending message before its check has ended, for this reason. The message is released, and gets the position of a
/// message that arrives now.
///
/// # Errors
/// Returns an error if a store call fails.
pub fn release_pending(tx: &mut Tx, message: &Message, reason: HoldReason, showing: Showing<'_>) -> Result<()> {
    let shown = messages::end_pending(tx, message, Some(reason), showing.now)?;
    let shown = Message { released_at: Some(showing.now), ..shown };
    messages::set_release(tx, &shown)?;
    run_stages(tx, shown, Occasion::Shown(HoldReason::CheckTimedOut), showing)
}

/// Runs the stages for a message that was not shown.
fn run_stages(tx: &mut Tx, shown: Message, occasion: Occasion, showing: Showing<'_>) -> Result<()> {
    let Showing { inbox, key, ids, now } = showing;
    let participants = participants(&shown);
    let before = threads::get(tx, shown.workspace, shown.thread)?;
    let thread =
        MessageThread { id: shown.thread, before, subject: None, participants: &participants, unknown: Vec::new() };
    let people = Correspondents::of_stored(tx, &shown, inbox)?;
    let copy = InboxCopy {
        inbox,
        message: &shown,
        thread: &thread,
        attachments: &[],
        people: &people,
        seen: SeenKeys::NONE,
        reports_on: &[],
        key,
        ids,
        now,
    };
    super::run(tx, &Filing { copy, occasion })
}

/// Returns the canonical addresses of the author and of the recipients in `To` and `Cc`.
fn participants(message: &Message) -> Vec<String> {
    let all = std::iter::once(&message.from).chain(&message.to).chain(&message.cc);
    let all = all.filter_map(|shown| Mailbox::parse(shown).ok()).map(|mailbox| mailbox.address().canonical());
    posthouse_domain::thread::joined(Vec::new(), &all.collect::<Vec<String>>())
}
