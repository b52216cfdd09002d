//! Putting a mail into an inbox: its conversation, its row, its labels, its files, its event. Inside a transaction.

use posthouse_domain::{
    event::{EventKind, NewEvent},
    id::{AttachmentId, ContentId, Ids, MessageId, ThreadId},
    inbox::Inbox,
    label::{BLOCKED, UNVERIFIED_REPORT},
    message::{Attachment, Direction, Message, Status},
    metrics::Counters,
    send::BOUNCE_LABEL,
    text,
    thread::{SUBJECT_WINDOW_MS, Thread},
    time::Time,
};
use posthouse_mail::thread;
use posthouse_store::{Error, Result, Tx, attachments, events, inboxes, messages, metrics, threads};

use super::{
    forwarding,
    meet::{self, Meeting},
    screen_sender,
    signing::AddressKey,
    take_report::{self, Circumstances},
    understand::Mail,
};

/// References that are looked up, newest first.
const REFERENCES_LOOKED_UP_MAX: usize = 20;

/// A received copy to be put into an inbox.
#[derive(Clone, Copy)]
pub struct Copy<'a> {
    /// What is known of the mail.
    pub mail: &'a Mail,
    /// Its bytes and bodies, stored already.
    pub content: ContentId,
    /// Our own lines in front of this copy's raw bytes.
    pub trace: &'a str,
    /// What tells whether it counts as a report about sent mail.
    pub at: Circumstances<'a>,
    /// Hashes the addresses of forgotten contacts.
    pub key: &'a AddressKey,
}

/// The conversation that a message joined or began.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Conversation {
    /// Its id.
    pub id: ThreadId,
    /// Who took part before.
    pub known: Vec<String>,
}

/// Puts a received copy into an inbox. While the inbox is paused its event is kept back.
///
/// # Errors
/// [`Error::Retry`] where the inbox is gone; the store's own.
pub fn file(tx: &mut Tx, copy: Copy<'_>, inbox: &Inbox, ids: &Ids, now: Time) -> Result<MessageId> {
    let mail = copy.mail;
    // It may have been deleted or resumed since it was found.
    let gone = || Error::Retry("the inbox was deleted meanwhile".into());
    let inbox =
        &inboxes::lock(tx, inbox.workspace, inbox.id)?.filter(|inbox| inbox.deleted_at.is_none()).ok_or_else(gone)?;
    let created_at = messages::next_created_at(tx, (inbox.workspace, inbox.id), mail.size_bytes, now)?;
    let message: MessageId = ids.next();
    let subjects = take_report::subjects(tx, mail, copy.at, inbox)?;
    let stopped = screen_sender::stops(tx, mail, inbox)?;
    let conversation =
        if stopped { beside(tx, mail, inbox, ids, created_at)? } else { thread_of(tx, mail, inbox, ids, created_at)? };
    let mut stored = row(copy, inbox, (message, conversation.id), created_at, now);
    let is_report = !subjects.is_empty();
    // One that does not count is mail like any other: it has an event of its own.
    let label = if is_report { Some(BOUNCE_LABEL) } else { mail.is_notice.then_some(UNVERIFIED_REPORT) };
    stored.labels.extend(label.map(str::to_owned));
    stored.labels.extend(stopped.then(|| BLOCKED.to_owned()));
    messages::insert(tx, &stored)?;
    metrics::count(tx, (inbox.workspace, inbox.id), now, &Counters::received(&stored.labels))?;
    file_attachments(tx, mail, &stored, ids)?;
    if !stopped {
        let subject = mail.subject.as_deref();
        let meeting = Meeting { inbox, conversation: &conversation, subject, at: created_at, key: copy.key };
        meet::received(tx, meeting, mail, ids)?;
    }
    if let Some(report) = &mail.report {
        subjects.iter().try_for_each(|subject| take_report::take(tx, report, subject, ids, now))?;
    }
    if is_report {
        // A report is told as what became of the mail it is about, not as mail of its own.
        tx.wake(inbox.workspace.0);
        return Ok(message);
    }
    if !stopped {
        forwarding::note(tx, &stored, ids)?;
    }
    let kind = if stopped { EventKind::MessageReceivedBlocked } else { EventKind::MessageReceived };
    announce(tx, &stored, kind, inbox, ids)?;
    Ok(message)
}

/// The row of a received copy.
fn row(
    copy: Copy<'_>,
    inbox: &Inbox,
    (message, thread): (MessageId, ThreadId),
    created_at: Time,
    now: Time,
) -> Message {
    let mail = copy.mail;
    let own_id = || thread::new_message_id(&message.to_string(), &inbox.domain);
    Message {
        workspace: inbox.workspace,
        id: message,
        inbox: inbox.id,
        thread,
        content: copy.content,
        direction: Direction::Inbound,
        status: Status::Received,
        channel: mail.channel,
        kind: mail.kind,
        rfc_message_id: mail.rfc_message_id.clone().unwrap_or_else(own_id),
        in_reply_to: mail.in_reply_to.clone(),
        references: mail.references.clone(),
        from: mail.from.clone(),
        to: mail.to.clone(),
        cc: mail.cc.clone(),
        bcc: Vec::new(),
        reply_to: mail.reply_to.clone(),
        subject: mail.subject.clone(),
        labels: mail.labels.clone(),
        is_read: false,
        auto_reply: mail.auto_reply,
        size_bytes: mail.size_bytes,
        trace: copy.trace.to_owned(),
        verification: mail.verification.clone(),
        data: mail.data.clone(),
        answers: None,
        contact_address: mail.author.as_ref().filter(|_| !mail.null_sender).map(|author| author.address().canonical()),
        contact: None,
        has_attachments: !mail.files.is_empty(),
        status_at: now,
        sent_at: None,
        received_at: Some(now),
        created_at,
    }
}

/// Appends the event, or keeps it back while the inbox is paused.
fn announce(tx: &mut Tx, message: &Message, kind: EventKind, inbox: &Inbox, ids: &Ids) -> Result<()> {
    let event = NewEvent {
        workspace: inbox.workspace,
        id: ids.next(),
        kind,
        inbox: Some(inbox.id),
        thread: Some(message.thread),
        message: Some(message.id),
        detail_json: "{}".to_owned(),
        at: message.status_at,
    };
    events::append_or_hold(tx, inbox.is_paused(), &event)?;
    tx.wake(inbox.workspace.0);
    Ok(())
}

/// Stores what is known of the mail's files.
///
/// # Errors
/// The store's own.
pub fn file_attachments(tx: &mut Tx, mail: &Mail, message: &Message, ids: &Ids) -> Result<()> {
    for (position, facts) in (0u32..).zip(&mail.files) {
        let attachment = Attachment {
            id: ids.next::<AttachmentId>(),
            message: message.id,
            position,
            filename: facts.filename.clone(),
            content_type: facts.content_type.clone(),
            size_bytes: facts.size_bytes,
            sha256: facts.sha256,
            content_id: facts.content_id.clone(),
            inline: facts.inline,
        };
        attachments::insert(tx, message.workspace, &attachment)?;
    }
    Ok(())
}

/// The conversation that a mail belongs to, found or begun (decision 20).
///
/// # Errors
/// The store's own.
pub fn thread_of(tx: &mut Tx, mail: &Mail, inbox: &Inbox, ids: &Ids, at: Time) -> Result<Conversation> {
    match found(tx, mail, inbox, at)? {
        Some(found) => joined(tx, found, &mail.people, at),
        None => begin(tx, mail, inbox, ids.next(), at),
    }
}

/// The conversation of a mail that a receive list stopped: it joins without a trace, and what it begins stays unseen until
/// other mail joins.
fn beside(tx: &mut Tx, mail: &Mail, inbox: &Inbox, ids: &Ids, at: Time) -> Result<Conversation> {
    match found(tx, mail, inbox, at)? {
        Some(found) => Ok(Conversation { id: found.id, known: found.participants }),
        None => begin_with(tx, mail, inbox, (ids.next(), 0), at),
    }
}

/// Adds a message of these people to a conversation.
///
/// # Errors
/// The store's own.
pub fn joined(tx: &mut Tx, found: Thread, people: &[String], at: Time) -> Result<Conversation> {
    threads::touch(tx, &found, people, at)?;
    Ok(Conversation { id: found.id, known: found.participants })
}

fn found(tx: &mut Tx, mail: &Mail, inbox: &Inbox, at: Time) -> Result<Option<Thread>> {
    if let Some(found) = by_references(tx, mail, inbox)? {
        return Ok(Some(found));
    }
    let subject = mail.subject.as_deref().unwrap_or_default();
    let key = text::indexed(thread::normalised_subject(subject));
    if thread::is_reply_or_forward(subject) && !key.is_empty() {
        let since = at.plus_ms(-SUBJECT_WINDOW_MS);
        return threads::by_subject(tx, (inbox.workspace, inbox.id), &key, &mail.people, &inbox.address, since);
    }
    Ok(None)
}

/// Begins a conversation with this mail.
///
/// # Errors
/// The store's own.
pub fn begin(tx: &mut Tx, mail: &Mail, inbox: &Inbox, id: ThreadId, at: Time) -> Result<Conversation> {
    begin_with(tx, mail, inbox, (id, 1), at)
}

fn begin_with(
    tx: &mut Tx,
    mail: &Mail,
    inbox: &Inbox,
    (id, message_count): (ThreadId, u64),
    at: Time,
) -> Result<Conversation> {
    let key = text::indexed(thread::normalised_subject(mail.subject.as_deref().unwrap_or_default()));
    let new = Thread {
        workspace: inbox.workspace,
        id,
        inbox: inbox.id,
        subject: mail.subject.clone(),
        participants: mail.people.clone(),
        message_count,
        labels: Vec::new(),
        metadata_json: "{}".to_owned(),
        last_message_at: at,
        created_at: at,
    };
    threads::begin(tx, &new, &key)?;
    Ok(Conversation { id, known: Vec::new() })
}

fn by_references(tx: &mut Tx, mail: &Mail, inbox: &Inbox) -> Result<Option<Thread>> {
    // Mail of the inbox that comes back to it, from itself or by a list, is in the conversation already.
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
