//! Creates and updates contacts in the transaction that stores a message
//! (`docs/decisions/0054-contacts-come-from-mail.md`). Runs late in the transaction, because many messages share the
//! row of a busy correspondent.
//!
//! Mail from the null sender and mail that a receive list stopped create no contacts, so that names and subjects chosen
//! by strangers don't reach agents through contacts.

use posthouse_domain::{
    contact::{CONTACTS_PER_MESSAGE_MAX, MessageParticipant, ParticipantRole},
    id::{IdGenerator, WorkspaceId},
    inbox::Inbox,
    label,
    time::Time,
};
use posthouse_mail::{address::Mailbox, thread};
use posthouse_store::{
    Result, Tx,
    contacts::{self, ContactActivity},
};

use super::{conversation::JoinedThread, parse::ParsedMail};
use crate::keyring::instance_key::AddressKey;

/// A message that is being stored.
#[derive(Clone, Copy)]
pub struct ContactContext<'a> {
    /// The inbox it is in.
    pub inbox: &'a Inbox,
    /// Its thread.
    pub conversation: &'a JoinedThread,
    /// Its subject.
    pub subject: Option<&'a str>,
    /// Its `created_at`.
    pub at: Time,
    /// Hashes the addresses of forgotten contacts.
    pub key: &'a AddressKey,
}

/// Upserts the contacts of a received mail.
pub fn received(tx: &mut Tx, context: ContactContext<'_>, mail: &ParsedMail, ids: &IdGenerator) -> Result<()> {
    if mail.null_sender {
        return Ok(());
    }
    // A forged author must not rename the contact with that address.
    let is_forged = label::has_failed_authentication(&mail.labels);
    let context = ContactContext { subject: context.subject.filter(|_| !is_forged), ..context };
    let part = if mail.auto_reply { ParticipantRole::AutomatedAuthor } else { ParticipantRole::Author };
    let author = mail.author.iter().map(|mailbox| MessageParticipant::of(mailbox, part));
    let co_recipients =
        mail.co_recipients.iter().map(|mailbox| MessageParticipant::of(mailbox, ParticipantRole::CoRecipient));
    // Mail within the workspace updated its contacts when it was sent.
    let counted = mail.sender_workspace != Some(context.inbox.workspace);
    for person in &mut distinct(context.inbox, author.chain(co_recipients)) {
        person.name = person.name.take().filter(|_| !is_forged);
        if counted {
            upsert(tx, context, person, ids)?;
        }
        join(tx, context, person)?;
    }
    Ok(())
}

/// Upserts the recipients of a sent message as contacts, including forgotten ones.
pub fn sent<'m>(
    tx: &mut Tx,
    context: ContactContext<'_>,
    recipients: impl Iterator<Item = &'m Mailbox>,
    ids: &IdGenerator,
) -> Result<()> {
    let people = recipients.map(|mailbox| MessageParticipant::of(mailbox, ParticipantRole::Recipient));
    for person in &distinct(context.inbox, people) {
        let workspace = context.inbox.workspace;
        contacts::allow_creation(tx, workspace, &context.key.digest(workspace, &person.address))?;
        upsert(tx, context, person, ids)?;
        join(tx, context, person)?;
    }
    Ok(())
}

fn upsert(tx: &mut Tx, context: ContactContext<'_>, person: &MessageParticipant, ids: &IdGenerator) -> Result<()> {
    let workspace: WorkspaceId = context.inbox.workspace;
    let subject = context.subject.map(thread::bare_subject).filter(|subject| !subject.is_empty());
    let occasion = ContactActivity { workspace, inbox: context.inbox.id, subject, at: context.at };
    contacts::upsert(tx, occasion, ids.next(), person, &context.key.digest(workspace, &person.address))
}

fn join(tx: &mut Tx, context: ContactContext<'_>, person: &MessageParticipant) -> Result<()> {
    if !context.conversation.participants_before.contains(&person.address) {
        contacts::join_thread(tx, context.inbox.workspace, &person.address, context.conversation.id)?;
    }
    Ok(())
}

/// Returns the people without duplicates and without the inbox itself, sorted by address so that transactions with the
/// same people lock rows in the same order.
fn distinct(inbox: &Inbox, people: impl Iterator<Item = MessageParticipant>) -> Vec<MessageParticipant> {
    let mut distinct: Vec<MessageParticipant> = Vec::new();
    for person in people.filter(|person| person.untagged != inbox.address && person.address != inbox.address) {
        if distinct.len() < CONTACTS_PER_MESSAGE_MAX && !distinct.iter().any(|other| other.address == person.address) {
            distinct.push(person);
        }
    }
    distinct.sort_by(|a, b| a.address.cmp(&b.address));
    distinct
}
