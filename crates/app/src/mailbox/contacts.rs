//! Creates and updates contacts in the transaction that shows a message
//! (`docs/decisions/receiving.md#0054-contacts-come-from-mail`). Runs late in the transaction, because many messages share the
//! row of a busy correspondent.
//!
//! Mail from the null sender and mail that a receive list stopped create no contacts, so that names and subjects chosen
//! by strangers don't reach agents through contacts.

use posthouse_domain::{Inbox, Message, MessageParticipant, ParticipantRole, contact::CONTACTS_PER_MESSAGE_MAX, label};
use posthouse_mail::{address::Mailbox, thread};
use posthouse_store::{Result, Tx, contacts, contacts::ContactActivity, inboxes};

use super::{Filing, InboxCopy, parse::ParsedMail};

/// The people that a message is exchanged with, and what it tells about them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Correspondents {
    /// The people, each once.
    people: Vec<MessageParticipant>,
    /// The subject that their contacts get.
    subject: Option<String>,
    /// Whether the message updates their contacts. Mail within the workspace updated them when it was sent.
    counts: bool,
    /// Whether forgotten contacts come back.
    recalls: bool,
}

impl Correspondents {
    /// Returns the people of a received mail.
    #[must_use]
    pub fn of_received(mail: &ParsedMail, inbox: &Inbox) -> Self {
        if mail.null_sender {
            return Self::default();
        }
        let people = ReceivedPeople {
            author: mail.author.as_ref(),
            co_recipients: &mail.co_recipients,
            is_automatic: mail.auto_reply,
            is_forged: label::has_failed_authentication(&mail.labels),
            is_proven: mail.proven_author.is_some(),
        };
        people.correspondents(inbox, mail.subject.as_deref(), mail.sender_workspace != Some(inbox.workspace))
    }

    /// Returns the people of a received message that was stored before.
    pub fn of_stored(tx: &mut Tx, message: &Message, inbox: &Inbox) -> Result<Self> {
        // Mail from the null sender has no contact.
        let author = message.contact_address.as_ref().and_then(|_| Mailbox::parse(&message.from).ok());
        let Some(author) = author else { return Ok(Self::default()) };
        let co_recipients: Vec<Mailbox> =
            message.to.iter().chain(&message.cc).filter_map(|to| Mailbox::parse(to).ok()).collect();
        let is_forged = label::has_failed_authentication(&message.labels);
        let home = inboxes::by_address(tx, author.address().without_tag().canonical_str())?;
        let is_within = !is_forged && home.is_some_and(|home| home.workspace == inbox.workspace);
        let people = ReceivedPeople {
            author: Some(&author),
            co_recipients: &co_recipients,
            is_automatic: message.auto_reply,
            is_forged,
            is_proven: message.author_proven,
        };
        Ok(people.correspondents(inbox, message.subject.as_deref(), !is_within))
    }

    /// Returns the recipients of a sent message. Forgotten contacts come back.
    #[must_use]
    pub fn of_sent<'m>(recipients: impl Iterator<Item = &'m Mailbox>, subject: &str, inbox: &Inbox) -> Self {
        let people = recipients.map(|mailbox| MessageParticipant {
            corresponds: true,
            ..MessageParticipant::of(mailbox, ParticipantRole::Recipient)
        });
        Self { people: distinct(inbox, people), subject: Some(subject.to_owned()), counts: true, recalls: true }
    }
}

impl Correspondents {
    /// Returns them, with these addresses as people that the workspace doesn't know by this message.
    #[must_use]
    pub fn without_correspondence(mut self, unknown: &[String]) -> Self {
        for person in self.people.iter_mut().filter(|person| unknown.contains(&person.address)) {
            person.corresponds = false;
        }
        self
    }
}

/// The author and the other recipients of a received message.
struct ReceivedPeople<'a> {
    author: Option<&'a Mailbox>,
    co_recipients: &'a [Mailbox],
    is_automatic: bool,
    /// Whether authentication failed. A forged author must not rename the contact with that address.
    is_forged: bool,
    /// Whether authentication proves the author, so that the mail is correspondence with it.
    is_proven: bool,
}

impl ReceivedPeople<'_> {
    fn correspondents(&self, inbox: &Inbox, subject: Option<&str>, counts: bool) -> Correspondents {
        let part = if self.is_automatic { ParticipantRole::AutomatedAuthor } else { ParticipantRole::Author };
        let author = self
            .author
            .map(|mailbox| MessageParticipant { corresponds: self.is_proven, ..MessageParticipant::of(mailbox, part) });
        let others =
            self.co_recipients.iter().map(|mailbox| MessageParticipant::of(mailbox, ParticipantRole::CoRecipient));
        let mut people = distinct(inbox, author.into_iter().chain(others));
        if self.is_forged {
            people.iter_mut().for_each(|person| person.name = None);
        }
        let subject = subject.filter(|_| !self.is_forged).map(str::to_owned);
        Correspondents { people, subject, counts, recalls: false }
    }
}

/// Updates the contacts of the people of a message, and adds them to its thread.
pub(super) fn upsert(tx: &mut Tx, filing: &Filing<'_>) -> Result<()> {
    let copy = &filing.copy;
    for person in &copy.people.people {
        if copy.people.recalls {
            let workspace = copy.inbox.workspace;
            contacts::allow_creation(tx, workspace, &copy.key.digest(workspace, &person.address))?;
        }
        if copy.people.counts {
            update(tx, copy, person)?;
        }
        if !copy.thread.had_participant(&person.address) {
            contacts::join_thread(tx, copy.inbox.workspace, &person.address, copy.thread.id)?;
        }
    }
    Ok(())
}

fn update(tx: &mut Tx, copy: &InboxCopy<'_>, person: &MessageParticipant) -> Result<()> {
    let workspace = copy.inbox.workspace;
    let subject = copy.people.subject.as_deref().map(thread::bare_subject).filter(|subject| !subject.is_empty());
    let occasion = ContactActivity { workspace, inbox: copy.inbox.id, subject, at: copy.message.created_at };
    contacts::upsert(tx, occasion, copy.ids.next(), person, &copy.key.digest(workspace, &person.address))
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
