//! Recognizes responses to mail that the service sent to people on call: replies, bounces, automatic replies, and the
//! mail itself if an address forwards it back. Escalating one would send another mail to the same people.

use posthouse_domain::{id::MessageId, message::Message};
use posthouse_mail::address::Mailbox;
use posthouse_store::{Result, Tx, message_list, on_call};

use super::effective;

/// Maximum number of references looked up, newest first.
const REFERENCES_LOOKED_UP_MAX: usize = 20;
/// Maximum number of messages of a thread whose references are looked up, newest first.
const EARLIER_LOOKED_UP_MAX: u32 = 20;

/// Returns whether a message is a response to mail to people on call, of any workspace.
pub(super) fn is_response(tx: &mut Tx, message: &Message) -> Result<bool> {
    if on_call::kind_of(tx, message.workspace, message.id)?.is_some() || names_mail(tx, message)? {
        return Ok(true);
    }
    for earlier in message_list::of_thread(tx, message.workspace, message.thread, None, EARLIER_LOOKED_UP_MAX)? {
        if names_mail(tx, &earlier)? {
            return Ok(true);
        }
    }
    is_automatic_reply_of_contact(tx, message)
}

/// Returns whether a message names a mail to people on call, of any workspace.
fn names_mail(tx: &mut Tx, message: &Message) -> Result<bool> {
    let named = std::iter::once(&message.rfc_message_id).chain(&message.in_reply_to);
    let named = named.chain(message.references.iter().rev()).take(REFERENCES_LOOKED_UP_MAX);
    for id in named.filter_map(|id| own_message(id)) {
        if on_call::kind_of(tx, message.workspace, id)?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns the message that a Message-ID names, if the service created it.
fn own_message(rfc_message_id: &str) -> Option<MessageId> {
    rfc_message_id.trim_start_matches('<').split('@').next()?.parse().ok()
}

/// Returns whether a message is automatic and its author is on call. Not every automatic reply names what it answers.
fn is_automatic_reply_of_contact(tx: &mut Tx, message: &Message) -> Result<bool> {
    // Anybody can name a person on call as the author of mail that isn't proven.
    if !message.auto_reply || !message.author_proven {
        return Ok(false);
    }
    let Ok(author) = Mailbox::parse(&message.from) else { return Ok(false) };
    let address = author.address().canonical();
    let effective = effective::load(tx, message.workspace, Some(message.inbox))?;
    Ok(effective.contacts.iter().any(|contact| contact.address == address))
}
