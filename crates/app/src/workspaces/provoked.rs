//! Which recipients of a sent message a stranger's mail made the workspace write to. Only people whom that mail proves count,
//! because the workspace could name others in mail to itself (`docs/decisions/sending.md#0094-one-party`):
//!
//! * the proven author, and the author's party;
//! * a person whom the mail names, who wrote to the workspace before with proof, and whom the workspace didn't write to first.
//!
//! Everyone else whom mail without a proven author made the workspace write to counts as one party, however many names and
//! networks such mail came from: otherwise one stranger could suspend a workspace with forged mail, and a workspace could
//! name its targets in such mail.
//!
//! Mail from an address of the workspace provokes nothing.

use posthouse_domain::{Direction, Message, Party, party};
use posthouse_mail::address::{Address, Mailbox};
use posthouse_store::{Result, Tx, answers, inboxes, mail_domains, messages};

/// Messages that are looked at from a sent message up, each answered by the one before.
const EXCHANGE_MAX: usize = 50;
/// Addresses of `Reply-To` that are read.
const REPLY_TO_MAX: usize = 100;

/// The mail of others that led to a sent message: what it answers, what that answers, and so on. The workspace may have
/// answered its own answer.
pub(super) struct Exchange {
    received: Vec<ReceivedMail>,
}

struct ReceivedMail {
    mail: Message,
    /// Whether the sent message answers it without another message between.
    is_parent: bool,
}

impl Exchange {
    /// Returns the exchange that a sent message is part of.
    pub(super) fn of(tx: &mut Tx, sent: &Message) -> Result<Self> {
        let mut received = Vec::new();
        let mut last = answered(tx, sent)?;
        for step in 0..EXCHANGE_MAX {
            let Some(mail) = last.take() else { break };
            last = answered(tx, &mail)?;
            if mail.direction == Direction::Inbound && !is_from_workspace(tx, &mail)? {
                received.push(ReceivedMail { mail, is_parent: step == 0 });
            }
        }
        Ok(Self { received })
    }

    /// Returns the party that counts for a recipient; `None` if mail of the exchange made the workspace write to it.
    pub(super) fn counted_party(&self, tx: &mut Tx, recipient: &str) -> Result<Option<Party>> {
        let Ok(address) = Address::parse(recipient) else { return Ok(Some(Party::of_text(recipient))) };
        let mut is_of_unproven = false;
        for received in &self.received {
            if received.is_of_author(tx, &address)? || received.names_writer(tx, &address)? {
                return Ok(None);
            }
            is_of_unproven |= received.is_unproven_to(tx, &address)?;
        }
        Ok(Some(if is_of_unproven { Party::of_unproven_mail() } else { Party::of(&address) }))
    }
}

impl ReceivedMail {
    /// Returns whether a recipient is of the party that wrote the mail, in answer to which the message was sent. Only a
    /// proven author speaks for a party.
    fn is_of_author(&self, tx: &mut Tx, recipient: &Address) -> Result<bool> {
        if !self.mail.author_proven {
            return Ok(false);
        }
        let Ok(author) = Mailbox::parse(&self.mail.from) else { return Ok(false) };
        let is_same = party::speaks_for(author.address(), recipient);
        Ok(is_same && (self.is_parent || !self.was_written_to(tx, author.address())?))
    }

    /// Returns whether the workspace wrote to a recipient because of the mail, whose author isn't proven.
    fn is_unproven_to(&self, tx: &mut Tx, recipient: &Address) -> Result<bool> {
        Ok(!self.mail.author_proven && (self.is_parent || !self.was_written_to(tx, recipient)?))
    }

    /// Returns whether the mail names a recipient who had written to the workspace before, and whom the workspace hadn't
    /// written to first. The author needs no proof, because the recipient gave it.
    fn names_writer(&self, tx: &mut Tx, recipient: &Address) -> Result<bool> {
        let is_named = self.named().any(|named| named.address().canonical_str() == recipient.canonical_str());
        Ok(is_named && self.had_written(tx, recipient)? && !self.was_written_to(tx, recipient)?)
    }

    /// Returns whether an address had written to the workspace, with proof.
    fn had_written(&self, tx: &mut Tx, address: &Address) -> Result<bool> {
        answers::has_written(tx, self.mail.workspace, address.canonical_str(), self.mail.created_at)
    }

    /// Returns everyone that the header fields of the mail name.
    fn named(&self) -> impl Iterator<Item = Mailbox> {
        let Message { from, to, cc, reply_to, .. } = &self.mail;
        let listed = std::iter::once(from).chain(to).chain(cc).filter_map(|text| Mailbox::parse(text).ok());
        let reply_to = reply_to.as_deref().and_then(|list| Mailbox::parse_list(list, REPLY_TO_MAX).ok());
        listed.chain(reply_to.into_iter().flatten())
    }

    /// Returns whether the workspace had written to an address before, other than in an answer.
    fn was_written_to(&self, tx: &mut Tx, address: &Address) -> Result<bool> {
        answers::wrote_first_to(tx, self.mail.workspace, address.canonical_str(), self.mail.created_at)
    }
}

/// Returns whether a mail is from an inbox or agent of its workspace, or from a domain of it.
fn is_from_workspace(tx: &mut Tx, mail: &Message) -> Result<bool> {
    let Ok(author) = Mailbox::parse(&mail.from) else { return Ok(false) };
    let inbox = inboxes::by_address(tx, author.address().without_tag().canonical_str())?;
    Ok(inbox.is_some_and(|inbox| inbox.workspace == mail.workspace)
        || mail_domains::by_name(tx, mail.workspace, author.address().domain())?.is_some())
}

/// Returns the message that a message answers, if the workspace has it.
fn answered(tx: &mut Tx, message: &Message) -> Result<Option<Message>> {
    let id = match (message.answers, &message.in_reply_to) {
        (Some(id), _) => Some(id),
        (None, Some(id)) => messages::by_rfc_id(tx, message.workspace, message.inbox, id)?.map(|found| found.id),
        (None, None) => None,
    };
    id.map_or(Ok(None), |id| messages::get(tx, message.workspace, id))
}
