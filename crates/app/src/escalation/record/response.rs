//! Recognizes responses to mail that the service sent to people on call: replies, automatic replies, reports, and the mail
//! itself if an address forwards it back. Escalating one would send another mail to the same people.
//!
//! Anybody can write a reference, so it counts only if authentication proves the author, and the mail that it names was
//! sent for the same workspace to that author. A report with the null sender counts only if it does for the delivery
//! (`inbound/report_source.rs`). The limit per hour bounds the loops that remain.

use posthouse_domain::{Message, MessageId, Party, WorkspaceId};
use posthouse_mail::address::Mailbox;
use posthouse_store::{Result, Tx, message_list, messages, on_call};

use super::effective;

/// Maximum number of references looked up, newest first.
const REFERENCES_LOOKED_UP_MAX: usize = 20;
/// Maximum number of messages of a thread whose references are looked up, newest first.
const EARLIER_LOOKED_UP_MAX: u32 = 20;

/// Returns whether a message is a response to mail to people on call of its workspace.
pub(super) fn is_response(tx: &mut Tx, message: &Message) -> Result<bool> {
    // A report about such mail, which was recorded when it arrived.
    if on_call::kind_of(tx, message.workspace, message.id)?.is_some() {
        return Ok(true);
    }
    let Some(author) = proven_author(message) else { return Ok(false) };
    if names_mail_of(tx, message, &author)? || is_automatic_reply_of_contact(tx, message, &author)? {
        return Ok(true);
    }
    for earlier in message_list::of_thread(tx, message.workspace, message.thread, None, EARLIER_LOOKED_UP_MAX)? {
        if proven_author(&earlier).as_ref() == Some(&author) && names_mail_of(tx, &earlier, &author)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns the mailbox of the author, if authentication proves the author.
fn proven_author(message: &Message) -> Option<Party> {
    if message.author_proven { mailbox(&message.from) } else { None }
}

fn mailbox(header: &str) -> Option<Party> {
    Some(Party::mailbox(&Mailbox::parse(header).ok()?.address().canonical()))
}

/// Returns whether a message names a mail about people on call of its workspace that this person got. The sender of the
/// mail is the service: then the message is the mail itself.
fn names_mail_of(tx: &mut Tx, message: &Message, person: &Party) -> Result<bool> {
    let named = std::iter::once(&message.rfc_message_id).chain(&message.in_reply_to);
    let named = named.chain(message.references.iter().rev()).take(REFERENCES_LOOKED_UP_MAX);
    for named in named {
        let Some(id) = own_message(named) else { continue };
        if on_call::kind_of(tx, message.workspace, id)?.is_none() {
            continue;
        }
        let Some(mail) = messages::get(tx, WorkspaceId::SERVICE, id)? else { continue };
        let mut people = mail.to.iter().chain([&mail.from]).filter_map(|header| mailbox(header));
        if mail.rfc_message_id == *named && people.any(|one| one == *person) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns the message that a Message-ID would name, if the service created it.
fn own_message(rfc_message_id: &str) -> Option<MessageId> {
    rfc_message_id.trim_start_matches('<').split('@').next()?.parse().ok()
}

/// Returns whether a message is automatic and its author is on call. Not every automatic reply names what it answers.
fn is_automatic_reply_of_contact(tx: &mut Tx, message: &Message, author: &Party) -> Result<bool> {
    if !message.auto_reply {
        return Ok(false);
    }
    let effective = effective::load(tx, message.workspace, Some(message.inbox))?;
    Ok(effective.contacts.iter().any(|contact| Party::mailbox(&contact.address) == *author))
}
