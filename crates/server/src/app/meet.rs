//! The people of a mail become contacts (contract §8; decision 22): inside the transaction that stores it, late, because a
//! busy correspondent's row is shared by many mails.
//!
//! Nobody is met in mail from the null sender, nor in mail that a receive list stopped: what strangers write there must not
//! come back to agents under another name.

use posthouse_domain::{
    contact::{PEOPLE_MAX, Part, Person},
    id::{Ids, WorkspaceId},
    inbox::Inbox,
    label,
    time::Time,
};
use posthouse_mail::{address::Mailbox, thread};
use posthouse_store::{
    Result, Tx,
    contacts::{self, Occasion},
};

use super::{file_mail::Conversation, signing::AddressKey, understand::Mail};

/// A message that was just stored.
#[derive(Clone, Copy)]
pub struct Meeting<'a> {
    /// The inbox it is in.
    pub inbox: &'a Inbox,
    /// Its conversation.
    pub conversation: &'a Conversation,
    /// Its subject.
    pub subject: Option<&'a str>,
    /// Its `created_at`.
    pub at: Time,
    /// Hashes the addresses of forgotten contacts.
    pub key: &'a AddressKey,
}

/// The people of a received mail.
///
/// # Errors
/// The store's own.
pub fn received(tx: &mut Tx, meeting: Meeting<'_>, mail: &Mail, ids: &Ids) -> Result<()> {
    if mail.null_sender {
        return Ok(());
    }
    // Whoever forges an author must not rename the contact that the author is.
    let is_forged = label::tells_of_failed_authentication(&mail.labels);
    let meeting = Meeting { subject: meeting.subject.filter(|_| !is_forged), ..meeting };
    let part = if mail.auto_reply { Part::Program } else { Part::Author };
    let author = mail.author.iter().map(|mailbox| Person::of(mailbox, part));
    let readers = mail.readers.iter().map(|mailbox| Person::of(mailbox, Part::Reader));
    // Mail of a colleague's made its contacts when it was sent.
    let counted = mail.agent_of != Some(meeting.inbox.workspace);
    for person in &mut met(meeting.inbox, author.chain(readers)) {
        person.name = person.name.take().filter(|_| !is_forged);
        if counted {
            meet(tx, meeting, person, ids)?;
        }
        join(tx, meeting, person)?;
    }
    Ok(())
}

/// The recipients of a sent mail. Who was forgotten is a contact again.
///
/// # Errors
/// The store's own.
pub fn sent<'m>(
    tx: &mut Tx,
    meeting: Meeting<'_>,
    recipients: impl Iterator<Item = &'m Mailbox>,
    ids: &Ids,
) -> Result<()> {
    let people = recipients.map(|mailbox| Person::of(mailbox, Part::Correspondent));
    for person in &met(meeting.inbox, people) {
        let workspace = meeting.inbox.workspace;
        contacts::remember(tx, workspace, &meeting.key.digest(workspace, &person.address))?;
        meet(tx, meeting, person, ids)?;
        join(tx, meeting, person)?;
    }
    Ok(())
}

fn meet(tx: &mut Tx, meeting: Meeting<'_>, person: &Person, ids: &Ids) -> Result<()> {
    let workspace: WorkspaceId = meeting.inbox.workspace;
    let subject = meeting.subject.map(thread::bare_subject).filter(|subject| !subject.is_empty());
    let occasion = Occasion { workspace, inbox: meeting.inbox.id, subject, at: meeting.at };
    contacts::meet(tx, occasion, ids.next(), person, &meeting.key.digest(workspace, &person.address))
}

fn join(tx: &mut Tx, meeting: Meeting<'_>, person: &Person) -> Result<()> {
    if !meeting.conversation.known.contains(&person.address) {
        contacts::join_thread(tx, meeting.inbox.workspace, &person.address, meeting.conversation.id)?;
    }
    Ok(())
}

/// The people, each once, without the inbox itself, in the order of their addresses: two mails with the same people must not
/// wait for each other's rows.
fn met(inbox: &Inbox, people: impl Iterator<Item = Person>) -> Vec<Person> {
    let mut met: Vec<Person> = Vec::new();
    for person in people.filter(|person| person.untagged != inbox.address && person.address != inbox.address) {
        if met.len() < PEOPLE_MAX && !met.iter().any(|other| other.address == person.address) {
            met.push(person);
        }
    }
    met.sort_by(|a, b| a.address.cmp(&b.address));
    met
}
