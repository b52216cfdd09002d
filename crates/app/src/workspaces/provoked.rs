//! Which recipients of a sent message a stranger's mail made the workspace write to: those that the mail named, and that
//! the workspace hadn't written to before of its own accord (`docs/decisions/sending.md#0094-one-party`).

use posthouse_domain::{Direction, Message, Party, label};
use posthouse_mail::address::{Address, Mailbox};
use posthouse_store::{Result, Tx, answers, messages};

/// Messages that are looked at from a sent message up, each answered by the one before.
const EXCHANGE_MAX: usize = 50;
/// Addresses of `Reply-To` that are read.
const REPLY_TO_MAX: usize = 100;

/// The received mail that led to a sent message: what it answers, what that answers, and so on. The workspace may have
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
            if mail.direction == Direction::Inbound {
                received.push(ReceivedMail { mail, is_parent: step == 0 });
            }
        }
        Ok(Self { received })
    }

    /// Returns whether mail of the exchange made the workspace write to a recipient.
    pub(super) fn has_provoked(&self, tx: &mut Tx, recipient: &str) -> Result<bool> {
        let Ok(recipient) = Address::parse(recipient) else { return Ok(false) };
        for received in &self.received {
            if received.is_of_author(tx, &recipient)? || received.has_introduced(tx, &recipient)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl ReceivedMail {
    /// Returns whether a recipient is of the party that wrote the mail, in answer to which the message was sent. Only a
    /// proven author speaks for a party.
    fn is_of_author(&self, tx: &mut Tx, recipient: &Address) -> Result<bool> {
        if label::has_failed_authentication(&self.mail.labels) {
            return Ok(false);
        }
        let Ok(author) = Mailbox::parse(&self.mail.from) else { return Ok(false) };
        let is_same = Party::of(author.address()) == Party::of(recipient);
        Ok(is_same && (self.is_parent || !self.was_written_to(tx, author.address())?))
    }

    /// Returns whether the mail names a recipient that the workspace hadn't written to before. The author needs no proof:
    /// the sender of the mail chose the names in it, as a forger does.
    fn has_introduced(&self, tx: &mut Tx, recipient: &Address) -> Result<bool> {
        let is_named = self.named().any(|named| named.address().canonical_str() == recipient.canonical_str());
        Ok(is_named && !self.was_written_to(tx, recipient)?)
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

/// Returns the message that a message answers, if the workspace has it.
fn answered(tx: &mut Tx, message: &Message) -> Result<Option<Message>> {
    let id = match (message.answers, &message.in_reply_to) {
        (Some(id), _) => Some(id),
        (None, Some(id)) => messages::by_rfc_id(tx, message.workspace, message.inbox, id)?.map(|found| found.id),
        (None, None) => None,
    };
    id.map_or(Ok(None), |id| messages::get(tx, message.workspace, id))
}
