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

use crate::{
    inbound::{conversation::JoinedThread, parse::ParsedMail},
    keyring::instance_key::AddressKey,
};

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
///
/// # Errors
/// Returns an error if the database call fails.
pub fn received(tx: &mut Tx, meeting: ContactContext<'_>, mail: &ParsedMail, ids: &IdGenerator) -> Result<()> {
    if mail.null_sender {
        return Ok(());
    }
    // A forged author must not rename the contact with that address.
    let is_forged = label::has_failed_authentication(&mail.labels);
    let meeting = ContactContext { subject: meeting.subject.filter(|_| !is_forged), ..meeting };
    let part = if mail.auto_reply { ParticipantRole::AutomatedAuthor } else { ParticipantRole::Author };
    let author = mail.author.iter().map(|mailbox| MessageParticipant::of(mailbox, part));
    let readers = mail.readers.iter().map(|mailbox| MessageParticipant::of(mailbox, ParticipantRole::CoRecipient));
    // Mail within the workspace updated its contacts when it was sent.
    let counted = mail.agent_of != Some(meeting.inbox.workspace);
    for person in &mut distinct(meeting.inbox, author.chain(readers)) {
        person.name = person.name.take().filter(|_| !is_forged);
        if counted {
            upsert(tx, meeting, person, ids)?;
        }
        join(tx, meeting, person)?;
    }
    Ok(())
}

/// Upserts the recipients of a sent message as contacts, including forgotten ones.
///
/// # Errors
/// Returns an error if the database call fails.
pub fn sent<'m>(
    tx: &mut Tx,
    meeting: ContactContext<'_>,
    recipients: impl Iterator<Item = &'m Mailbox>,
    ids: &IdGenerator,
) -> Result<()> {
    let people = recipients.map(|mailbox| MessageParticipant::of(mailbox, ParticipantRole::Recipient));
    for person in &distinct(meeting.inbox, people) {
        let workspace = meeting.inbox.workspace;
        contacts::allow_creation(tx, workspace, &meeting.key.digest(workspace, &person.address))?;
        upsert(tx, meeting, person, ids)?;
        join(tx, meeting, person)?;
    }
    Ok(())
}

fn upsert(tx: &mut Tx, meeting: ContactContext<'_>, person: &MessageParticipant, ids: &IdGenerator) -> Result<()> {
    let workspace: WorkspaceId = meeting.inbox.workspace;
    let subject = meeting.subject.map(thread::bare_subject).filter(|subject| !subject.is_empty());
    let occasion = ContactActivity { workspace, inbox: meeting.inbox.id, subject, at: meeting.at };
    contacts::upsert(tx, occasion, ids.next(), person, &meeting.key.digest(workspace, &person.address))
}

fn join(tx: &mut Tx, meeting: ContactContext<'_>, person: &MessageParticipant) -> Result<()> {
    if !meeting.conversation.known.contains(&person.address) {
        contacts::join_thread(tx, meeting.inbox.workspace, &person.address, meeting.conversation.id)?;
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
