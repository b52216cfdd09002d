//! Which party counts for a recipient of a sent message. People whom mail of others made the workspace write to don't count
//! for themselves: a stranger names any number of dead addresses and of angry people
//! (`docs/decisions/sending.md#0094-one-party`).
//!
//! * The proven author and the author's party don't count. Nor does a person whom the mail names, who wrote to the workspace
//!   before with proof, and whom the workspace didn't write to first. Their complaint is about a reply to their own mail.
//! * Everyone else whom the mail names counts as the party that named them: the author's, and one party for all mail without a
//!   proven author, however many names and networks it came from. So does an address that the inbox forwards its mail to.
//! * So does an address that only received mail named, also in its text, wherever it is written to: its origin when the message
//!   was sent names that mail.
//! * People whom the workspace wrote to first, and whom no mail names, count for themselves.
//!
//! Only people whom the mail proves are exempt, because the workspace could name others in mail to itself. Mail from an address
//! of the workspace provokes nothing.

use std::collections::{HashMap, HashSet};

use posthouse_domain::{
    Direction, Message, OriginKind, Party, RecipientDelivery, RecipientOrigin, Time, WorkspaceId, party,
};
use posthouse_mail::address::{Address, Mailbox};
use posthouse_store::{Result, Tx, answers, forwarding, inboxes, mail_domains, message_list, messages};

/// Maximum number of messages followed through replies, and of earlier messages of the thread.
const EXCHANGE_MAX: u32 = 50;
/// Addresses of `Reply-To` that are read.
const REPLY_TO_MAX: usize = 100;

/// The mail of others that led to a sent message, newest first: what it answers, what that answers, and so on, and earlier mail
/// of its thread. The workspace may have answered its own answer.
pub(super) struct Exchange {
    received: Vec<ReceivedMail>,
    /// Addresses that the inbox forwards all its mail to.
    forwarded_to: Vec<String>,
    met: FirstMails,
}

/// When a workspace first got mail from addresses and wrote to them, read once for each address.
struct FirstMails {
    workspace: WorkspaceId,
    by: HashMap<String, Option<Time>>,
    to: HashMap<String, Option<Time>>,
}

struct ReceivedMail {
    mail: Message,
    /// Whether the sent message answers or forwards it without another message between.
    is_parent: bool,
    /// Canonical addresses of everyone that its header fields name.
    named: HashSet<String>,
}

impl Exchange {
    /// Returns the exchange that a sent message is part of.
    pub(super) fn of(tx: &mut Tx, sent: &Message) -> Result<Self> {
        let parent = answered(tx, sent)?;
        let parent_id = parent.as_ref().map(|mail| mail.id);
        let (mut all, mut next) = (Vec::<Message>::new(), parent);
        while let Some(mail) = next.take().filter(|mail| all.len() < EXCHANGE_MAX as usize && !has(&all, mail)) {
            next = answered(tx, &mail)?;
            all.push(mail);
        }
        let thread = message_list::of_thread(tx, sent.workspace, sent.thread, Some(sent.created_at), EXCHANGE_MAX)?;
        for mail in thread {
            if !has(&all, &mail) {
                all.push(mail);
            }
        }
        all.sort_unstable_by_key(|mail| std::cmp::Reverse(mail.created_at));
        let (mut received, mut own) = (Vec::new(), HashMap::<String, bool>::new());
        for mail in all.into_iter().filter(|mail| mail.direction == Direction::Inbound) {
            let is_own = match own.get(&mail.from) {
                Some(known) => *known,
                None => *own.entry(mail.from.clone()).or_insert(is_from_workspace(tx, &mail)?),
            };
            if !is_own {
                received.push(ReceivedMail { is_parent: Some(mail.id) == parent_id, named: named(&mail), mail });
            }
        }
        let addresses = forwarding::of_inbox(tx, sent.workspace, sent.inbox)?;
        let forwarded_to = addresses.into_iter().map(|forwarding| forwarding.address).collect();
        let met = FirstMails { workspace: sent.workspace, by: HashMap::new(), to: HashMap::new() };
        Ok(Self { received, forwarded_to, met })
    }

    /// Returns the party that counts for a recipient; `None` if the message replies to that recipient's own mail.
    pub(super) fn counted_party(&mut self, tx: &mut Tx, recipient: &RecipientDelivery) -> Result<Option<Party>> {
        let Ok(address) = Address::parse(&recipient.address) else {
            return Ok(Some(Party::of_text(&recipient.address)));
        };
        let is_forwarded = self.forwarded_to.iter().any(|to| to == address.canonical_str());
        let mut first_namer = None;
        for received in &self.received {
            let met = &mut self.met;
            if received.is_of_author(tx, met, &address)? || received.names_writer(tx, met, &address)? {
                return Ok(None);
            }
            if received.is_parent && is_forwarded || received.led_to(tx, met, &address)? {
                first_namer = Some(author_party(&received.mail));
            }
        }
        if first_namer.is_none() {
            first_namer = self.source(tx, recipient.origin)?;
        }
        Ok(Some(first_namer.unwrap_or_else(|| Party::of(&address))))
    }

    /// Returns the party whose mail is the only source of an address; `None` if the address has another source.
    fn source(&self, tx: &mut Tx, origin: Option<RecipientOrigin>) -> Result<Option<Party>> {
        let seen = origin.filter(|origin| origin.kind == OriginKind::SeenOnly).and_then(|origin| origin.message);
        let Some(id) = seen else { return Ok(None) };
        let Some(mail) = messages::get(tx, self.met.workspace, id)? else { return Ok(None) };
        Ok(if is_from_workspace(tx, &mail)? { None } else { Some(author_party(&mail)) })
    }
}

/// Returns the party that answers for what a mail led to.
fn author_party(mail: &Message) -> Party {
    let author = Mailbox::parse(&mail.from).ok().filter(|_| mail.author_proven);
    author.map_or_else(Party::of_unproven_mail, |author| Party::of(author.address()))
}

impl ReceivedMail {
    /// Returns whether a recipient is of the party that wrote the mail, in answer to which the message was sent. Only a
    /// proven author speaks for a party.
    fn is_of_author(&self, tx: &mut Tx, met: &mut FirstMails, recipient: &Address) -> Result<bool> {
        if !self.mail.author_proven {
            return Ok(false);
        }
        let Ok(author) = Mailbox::parse(&self.mail.from) else { return Ok(false) };
        let is_same = party::speaks_for(author.address(), recipient);
        Ok(is_same && (self.is_parent || !met.wrote_to(tx, author.address(), self.mail.created_at)?))
    }

    /// Returns whether the workspace wrote to a recipient because the mail names it. Without proof, the answer is what the
    /// mail led to even if the workspace had written to that address before: someone else may have used its name.
    fn led_to(&self, tx: &mut Tx, met: &mut FirstMails, recipient: &Address) -> Result<bool> {
        let is_forgeable = self.is_parent && !self.mail.author_proven;
        Ok(self.names(recipient) && (is_forgeable || !met.wrote_to(tx, recipient, self.mail.created_at)?))
    }

    /// Returns whether the mail names a recipient who had written to the workspace before, and whom the workspace hadn't
    /// written to first. The author needs no proof, because the recipient gave it.
    fn names_writer(&self, tx: &mut Tx, met: &mut FirstMails, recipient: &Address) -> Result<bool> {
        Ok(self.names(recipient)
            && met.heard_from(tx, recipient, self.mail.created_at)?
            && !met.wrote_to(tx, recipient, self.mail.created_at)?)
    }

    fn names(&self, recipient: &Address) -> bool {
        self.named.contains(recipient.canonical_str())
    }
}

impl FirstMails {
    /// Returns whether an address had written to the workspace before a time, with proof.
    fn heard_from(&mut self, tx: &mut Tx, address: &Address, before: Time) -> Result<bool> {
        let text = address.canonical_str();
        if !self.by.contains_key(text) {
            self.by.insert(text.to_owned(), answers::first_by(tx, self.workspace, text)?);
        }
        Ok(self.by[text].is_some_and(|first| first < before))
    }

    /// Returns whether the workspace had written to an address before a time, other than in an answer.
    fn wrote_to(&mut self, tx: &mut Tx, address: &Address, before: Time) -> Result<bool> {
        let text = address.canonical_str();
        if !self.to.contains_key(text) {
            self.to.insert(text.to_owned(), answers::first_to(tx, self.workspace, text)?);
        }
        Ok(self.to[text].is_some_and(|first| first < before))
    }
}

fn has(all: &[Message], mail: &Message) -> bool {
    all.iter().any(|other| other.id == mail.id)
}

/// Returns the canonical addresses of everyone that the header fields of a mail name.
pub(crate) fn named(mail: &Message) -> HashSet<String> {
    let Message { from, to, cc, reply_to, .. } = mail;
    let listed = std::iter::once(from).chain(to).chain(cc).filter_map(|text| Mailbox::parse(text).ok());
    let reply_to = reply_to.as_deref().and_then(|list| Mailbox::parse_list(list, REPLY_TO_MAX).ok());
    listed.chain(reply_to.into_iter().flatten()).map(|mailbox| mailbox.address().canonical()).collect()
}

/// Returns whether a mail is from an inbox or agent of its workspace, or from a domain of it.
fn is_from_workspace(tx: &mut Tx, mail: &Message) -> Result<bool> {
    let Ok(author) = Mailbox::parse(&mail.from) else { return Ok(false) };
    let inbox = inboxes::by_address(tx, author.address().without_tag().canonical_str())?;
    Ok(inbox.is_some_and(|inbox| inbox.workspace == mail.workspace)
        || mail_domains::by_name(tx, mail.workspace, author.address().domain())?.is_some())
}

/// Returns the message that a message answers, if its inbox has it. The last of `References` of an automatic forward is the mail
/// that it forwards; its `In-Reply-To` is that of its author.
fn answered(tx: &mut Tx, message: &Message) -> Result<Option<Message>> {
    if let Some(id) = message.answers {
        return messages::get(tx, message.workspace, id);
    }
    for id in message.references.last().into_iter().chain(&message.in_reply_to) {
        if let Some(found) = messages::by_rfc_id(tx, message.workspace, message.inbox, id)? {
            return messages::get(tx, message.workspace, found.id);
        }
    }
    Ok(None)
}
