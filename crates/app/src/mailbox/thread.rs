//! The thread of a message: which one it belongs to (`docs/decisions/receiving.md#0047-threads-need-references`), and the
//! stages that start it and join it.

use posthouse_domain::{IdGenerator, Inbox, Message, Thread, ThreadId, Time, text, thread::SUBJECT_WINDOW_MS};
use posthouse_mail::{address::Address, thread};
use posthouse_store::{Result, Tx, forwarding, inboxes, messages, threads};

use super::{Filing, InboxCopy, Occasion, parse::ParsedMail};

/// Maximum number of references looked up, newest first.
const REFERENCES_LOOKED_UP_MAX: usize = 20;
/// Maximum number of participants of a mail that are compared with those of threads.
const OUTSIDERS_MAX: usize = 100;

/// The thread of a message that becomes part of an inbox.
#[derive(Clone, PartialEq, Debug)]
pub struct MessageThread<'a> {
    pub id: ThreadId,
    /// The thread without this message; `None` if the message starts it.
    pub before: Option<Thread>,
    /// The subject that a new thread gets.
    pub subject: Option<&'a str>,
    /// The addresses that take part in the message.
    pub participants: &'a [String],
    /// The IDs of messages that it names and the inbox doesn't have.
    pub unknown: Vec<&'a String>,
}

impl<'a> MessageThread<'a> {
    /// Returns the thread of a mail; a new one if it belongs to none.
    pub fn of(tx: &mut Tx, mail: &'a ParsedMail, inbox: &Inbox, ids: &IdGenerator, at: Time) -> Result<Self> {
        let (before, unknown) = found(tx, mail, inbox, at)?;
        let thread = match before {
            Some(before) => Self::existing(before, mail),
            None => Self::new(ids.next(), mail),
        };
        Ok(Self { unknown, ..thread })
    }

    /// Returns the thread that a mail joins if it becomes part of an inbox now.
    ///
    /// # Errors
    /// Returns an error if a store call fails.
    pub fn joined(tx: &mut Tx, mail: &ParsedMail, inbox: &Inbox, at: Time) -> Result<Option<Thread>> {
        Ok(found(tx, mail, inbox, at)?.0)
    }

    /// Returns a thread that a mail joins.
    #[must_use]
    pub fn existing(before: Thread, mail: &'a ParsedMail) -> Self {
        Self {
            id: before.id,
            before: Some(before),
            subject: None,
            participants: &mail.participants,
            unknown: Vec::new(),
        }
    }

    /// Returns a thread that a mail starts.
    #[must_use]
    pub fn new(id: ThreadId, mail: &'a ParsedMail) -> Self {
        let subject = mail.subject.as_deref();
        Self { id, before: None, subject, participants: &mail.participants, unknown: Vec::new() }
    }

    /// Returns whether an address took part before this message.
    pub(super) fn had_participant(&self, address: &String) -> bool {
        self.before.as_ref().is_some_and(|before| before.participants.contains(address))
    }
}

/// Starts the thread, or adds the message to it. A message that isn't shown doesn't change a thread; one that it starts
/// has a message count of 0 and stays unlisted until a message is shown in it.
pub(super) fn start_or_join(tx: &mut Tx, filing: &Filing<'_>) -> Result<()> {
    let (copy, is_shown) = (&filing.copy, filing.is_visible());
    let thread = copy.thread;
    match &thread.before {
        Some(before) if is_shown => threads::touch(tx, before, thread.participants, copy.message.created_at)?,
        Some(_) => {}
        None => start(tx, copy, u64::from(is_shown))?,
    }
    let Message { workspace, inbox, .. } = *copy.message;
    thread.unknown.iter().try_for_each(|id| threads::add_reference(tx, workspace, inbox, id, thread.id))
}

/// Adds a message to its thread, which exists since the message was stored. One that was shown before is in it, and only
/// moves.
pub(super) fn join(tx: &mut Tx, filing: &Filing<'_>) -> Result<()> {
    let InboxCopy { thread, message, .. } = filing.copy;
    let Some(before) = &thread.before else { return Ok(()) };
    let at = before.last_message_at.max(message.created_at);
    match filing.occasion {
        Occasion::ShownAgain => threads::set_last_message_at(tx, before, at),
        Occasion::Stored(_) | Occasion::Shown(_) => threads::touch(tx, before, thread.participants, at),
    }
}

fn start(tx: &mut Tx, copy: &InboxCopy<'_>, message_count: u64) -> Result<()> {
    let (thread, at) = (copy.thread, copy.message.created_at);
    let key = text::indexed(thread::normalised_subject(thread.subject.unwrap_or_default()));
    let new = Thread {
        workspace: copy.inbox.workspace,
        id: thread.id,
        inbox: copy.inbox.id,
        subject: thread.subject.map(str::to_owned),
        participants: thread.participants.to_vec(),
        message_count,
        unread_count: 0,
        labels: Vec::new(),
        metadata_json: "{}".to_owned(),
        last_message_at: at,
        created_at: at,
    };
    threads::begin(tx, &new, &key)
}

/// Returns the thread that a mail belongs to, and the IDs of the messages that the mail names and the inbox doesn't have.
fn found<'a>(tx: &mut Tx, mail: &'a ParsedMail, inbox: &Inbox, at: Time) -> Result<(Option<Thread>, Vec<&'a String>)> {
    let references = References::of(tx, mail, inbox)?;
    let found = match references.thread {
        Some(id) => threads::get(tx, inbox.workspace, id)?,
        None => None,
    };
    let found = match found {
        Some(thread) => Some(thread),
        None => by_subject(tx, mail, inbox, at)?,
    };
    Ok((found, references.unknown))
}

/// What the IDs in a mail lead to.
struct References<'a> {
    thread: Option<ThreadId>,
    /// The named messages that the inbox doesn't have, newest first.
    unknown: Vec<&'a String>,
}

impl<'a> References<'a> {
    /// Looks the IDs up, newest first. A thread that names the same unknown message, or this one, is of the same
    /// conversation: its messages came earlier, or the message that they answer never came.
    fn of(tx: &mut Tx, mail: &'a ParsedMail, inbox: &Inbox) -> Result<Self> {
        // Mail of the inbox that returns to it, by itself or by a mailing list, is already in the thread.
        let is_own = mail.rfc_message_id.as_ref().is_some_and(|id| thread::is_of_domain(id, &inbox.domain));
        let (own, foreign) = mail.rfc_message_id.iter().partition::<Vec<_>, _>(|_| is_own);
        let older = mail.references.iter().rev().filter(|id| Some(*id) != mail.in_reply_to.as_ref());
        let mut unknown = Vec::new();
        for id in own.into_iter().chain(&mail.in_reply_to).chain(older).take(REFERENCES_LOOKED_UP_MAX) {
            if let Some(referred) = messages::by_rfc_id(tx, inbox.workspace, inbox.id, id)? {
                return Ok(Self { thread: Some(referred.thread), unknown });
            }
            if !is_own || Some(id) != mail.rfc_message_id.as_ref() {
                unknown.push(id);
            }
        }
        let ids: Vec<&str> = foreign.into_iter().chain(unknown.iter().copied()).map(String::as_str).collect();
        let naming = threads::naming(tx, inbox.workspace, &ids, inbox.id)?;
        let thread = ids.iter().find_map(|id| naming.iter().find(|(named, _)| named == id));
        Ok(Self { thread: thread.map(|(_, thread)| *thread), unknown })
    }
}

/// Returns the thread with the subject of a reply that shares most people with it; of several, the most recent one.
fn by_subject(tx: &mut Tx, mail: &ParsedMail, inbox: &Inbox, at: Time) -> Result<Option<Thread>> {
    let subject = mail.subject.as_deref().unwrap_or_default();
    let key = text::indexed(thread::normalised_subject(subject));
    if key.is_empty() || !thread::is_reply_or_forward(subject) {
        return Ok(None);
    }
    let since = at.plus_ms(-SUBJECT_WINDOW_MS);
    let candidates = threads::with_subject(tx, inbox.workspace, inbox.id, &key, since)?;
    if candidates.is_empty() {
        return Ok(None);
    }
    let people = outsiders(tx, mail, inbox)?;
    let shared = |thread: &Thread| people.iter().filter(|address| thread.participants.contains(*address)).count();
    // The last maximum of the reversed list is the first one.
    Ok(candidates.into_iter().rev().max_by_key(shared).filter(|thread| shared(thread) > 0))
}

/// Returns the participants of a mail whose mail in two threads means that they are one conversation: not the inboxes of
/// the workspace, nor the addresses that forward to this inbox or that it forwards to, which mail of all customers
/// shares.
fn outsiders<'a>(tx: &mut Tx, mail: &'a ParsedMail, inbox: &Inbox) -> Result<Vec<&'a String>> {
    let untagged = |address: &String| Address::parse(address).map(|address| address.without_tag().canonical());
    let addresses: Vec<(&String, String)> =
        mail.participants.iter().take(OUTSIDERS_MAX).filter_map(|one| Some((one, untagged(one).ok()?))).collect();
    // Mail that doesn't name the inbox came over an address that forwards to it, perhaps one of its recipients.
    let is_forwarded = addresses.iter().all(|(_, untagged)| *untagged != inbox.address);
    let author = mail.author.as_ref().map(|author| author.address().canonical());
    let bare: Vec<&str> = addresses.iter().map(|(_, untagged)| untagged.as_str()).collect();
    let mut ours = inboxes::of_addresses(tx, inbox.workspace, &bare)?;
    let forwards = forwarding::of_inbox(tx, inbox.workspace, inbox.id)?.into_iter();
    ours.extend(forwards.filter(|to| to.confirmed_at.is_some()).map(|to| to.address));
    let is_outsider = |(address, untagged): &(&String, String)| {
        !ours.contains(untagged) && !ours.contains(address) && (!is_forwarded || Some(*address) == author.as_ref())
    };
    Ok(addresses.iter().filter(|one| is_outsider(one)).map(|(address, _)| *address).collect())
}
