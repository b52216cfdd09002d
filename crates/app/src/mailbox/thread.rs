//! The thread of a message: which one it belongs to (`docs/decisions/receiving.md#0047-threads-need-references`), and the
//! stages that start it and join it.

use posthouse_domain::{IdGenerator, Inbox, Thread, ThreadId, Time, text, thread::SUBJECT_WINDOW_MS};
use posthouse_mail::thread;
use posthouse_store::{Result, Tx, messages, threads};

use super::{Filing, InboxCopy, parse::ParsedMail};

/// Maximum number of references looked up, newest first.
const REFERENCES_LOOKED_UP_MAX: usize = 20;

/// The thread of a message that becomes part of an inbox.
#[derive(Clone, PartialEq, Debug)]
pub struct MessageThread<'a> {
    /// Its id.
    pub id: ThreadId,
    /// The thread without this message; `None` if the message starts it.
    pub before: Option<Thread>,
    /// The subject that a new thread gets.
    pub subject: Option<&'a str>,
    /// The addresses that take part in the message.
    pub participants: &'a [String],
}

impl<'a> MessageThread<'a> {
    /// Returns the thread of a mail; a new one if it belongs to none.
    pub fn of(tx: &mut Tx, mail: &'a ParsedMail, inbox: &Inbox, ids: &IdGenerator, at: Time) -> Result<Self> {
        Ok(match found(tx, mail, inbox, at)? {
            Some(before) => Self::existing(before, mail),
            None => Self::new(ids.next(), mail),
        })
    }

    /// Returns a thread that a mail joins.
    #[must_use]
    pub fn existing(before: Thread, mail: &'a ParsedMail) -> Self {
        Self { id: before.id, before: Some(before), subject: None, participants: &mail.participants }
    }

    /// Returns a thread that a mail starts.
    #[must_use]
    pub fn new(id: ThreadId, mail: &'a ParsedMail) -> Self {
        Self { id, before: None, subject: mail.subject.as_deref(), participants: &mail.participants }
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
        Some(before) if is_shown => threads::touch(tx, before, thread.participants, copy.message.created_at),
        Some(_) => Ok(()),
        None => start(tx, copy, u64::from(is_shown)),
    }
}

/// Adds a message to its thread, which exists since the message was stored.
pub(super) fn join(tx: &mut Tx, filing: &Filing<'_>) -> Result<()> {
    let InboxCopy { thread, message, .. } = filing.copy;
    let Some(before) = &thread.before else { return Ok(()) };
    threads::touch(tx, before, thread.participants, before.last_message_at.max(message.created_at))
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

fn found(tx: &mut Tx, mail: &ParsedMail, inbox: &Inbox, at: Time) -> Result<Option<Thread>> {
    if let Some(found) = by_references(tx, mail, inbox)? {
        return Ok(Some(found));
    }
    let subject = mail.subject.as_deref().unwrap_or_default();
    let key = text::indexed(thread::normalised_subject(subject));
    if thread::is_reply_or_forward(subject) && !key.is_empty() {
        let since = at.plus_ms(-SUBJECT_WINDOW_MS);
        return threads::by_subject(tx, inbox.workspace, inbox.id, &key, &mail.participants, &inbox.address, since);
    }
    Ok(None)
}

fn by_references(tx: &mut Tx, mail: &ParsedMail, inbox: &Inbox) -> Result<Option<Thread>> {
    // Mail of the inbox that returns to it, by itself or by a mailing list, is already in the thread.
    let is_own = |id: &&String| thread::is_of_domain(id, &inbox.domain);
    let own = mail.rfc_message_id.iter().filter(is_own);
    let newest_first = own.chain(&mail.in_reply_to).chain(mail.references.iter().rev());
    for id in newest_first.take(REFERENCES_LOOKED_UP_MAX) {
        if let Some(referred) = messages::by_rfc_id(tx, inbox.workspace, inbox.id, id)? {
            return threads::get(tx, inbox.workspace, referred.thread);
        }
    }
    Ok(None)
}
