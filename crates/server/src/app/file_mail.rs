//! Putting a mail into an inbox: its conversation, its row, its labels, its files, its event. Inside a transaction.

use posthouse_domain::{
    event::{EventKind, NewEvent},
    id::{AttachmentId, ContentId, Ids, MessageId, ThreadId},
    inbox::Inbox,
    message::{Attachment, Direction, Message, Status},
    metrics::Counters,
    send::BOUNCE_LABEL,
    thread::{SUBJECT_WINDOW_MS, Thread},
    time::Time,
};
use posthouse_mail::thread;
use posthouse_store::{Error, Result, Tx, attachments, events, inboxes, messages, metrics, threads};

use super::{take_report, understand::Mail};

/// References that are looked up, newest first.
const REFERENCES_LOOKED_UP_MAX: usize = 20;

/// A received copy to be put into an inbox.
#[derive(Clone, Copy, Debug)]
pub struct Copy<'a> {
    /// What is known of the mail.
    pub mail: &'a Mail,
    /// Its bytes and bodies, stored already.
    pub content: ContentId,
    /// Our own lines in front of this copy's raw bytes.
    pub trace: &'a str,
    /// The sent message whose return path it came to.
    pub about: Option<MessageId>,
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
    let thread = thread_of(tx, mail, inbox, ids, created_at)?;
    let about = take_report::about(tx, mail.report.as_ref(), copy.about, inbox)?;
    let mut stored = row(copy, inbox, (message, thread), created_at, now);
    if about.is_some() && !stored.labels.iter().any(|label| label == BOUNCE_LABEL) {
        stored.labels.push(BOUNCE_LABEL.to_owned());
    }
    messages::insert(tx, &stored)?;
    metrics::count(tx, (inbox.workspace, inbox.id), now, &Counters::received(&stored.labels))?;
    file_attachments(tx, mail, &stored, ids)?;
    if let (Some(report), Some(about)) = (&mail.report, &about) {
        take_report::take(tx, report, about, ids, now)?;
    }
    if stored.labels.iter().any(|label| label == BOUNCE_LABEL) {
        // A report is told as what became of the mail it is about, not as mail of its own.
        tx.wake(inbox.workspace.0);
        return Ok(message);
    }
    announce(tx, &stored, inbox, ids)?;
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
        has_attachments: !mail.files.is_empty(),
        status_at: now,
        sent_at: None,
        received_at: Some(now),
        created_at,
    }
}

/// Appends `message.received`, or keeps it back while the inbox is paused.
fn announce(tx: &mut Tx, message: &Message, inbox: &Inbox, ids: &Ids) -> Result<()> {
    let event = NewEvent {
        workspace: inbox.workspace,
        id: ids.next(),
        kind: EventKind::MessageReceived,
        inbox: Some(inbox.id),
        thread: Some(message.thread),
        message: Some(message.id),
        detail_json: "{}".to_owned(),
        at: message.status_at,
    };
    if inbox.is_paused() {
        events::hold(tx, inbox.id, &event)?;
        tx.wake(inbox.workspace.0);
    } else {
        events::append(tx, &event)?;
    }
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
pub fn thread_of(tx: &mut Tx, mail: &Mail, inbox: &Inbox, ids: &Ids, at: Time) -> Result<ThreadId> {
    if let Some(found) = by_references(tx, mail, inbox)? {
        threads::touch(tx, &found, &mail.people, at)?;
        return Ok(found.id);
    }
    let subject = mail.subject.as_deref().unwrap_or_default();
    let key = thread::normalised_subject(subject);
    if thread::is_reply_or_forward(subject) && !key.is_empty() {
        let since = at.plus_ms(-SUBJECT_WINDOW_MS);
        if let Some(found) =
            threads::by_subject(tx, (inbox.workspace, inbox.id), &key, &mail.people, &inbox.address, since)?
        {
            threads::touch(tx, &found, &mail.people, at)?;
            return Ok(found.id);
        }
    }
    begin(tx, mail, inbox, (ids.next(), &key), at)
}

/// Begins a conversation with this mail.
///
/// # Errors
/// The store's own.
pub fn begin(tx: &mut Tx, mail: &Mail, inbox: &Inbox, (id, key): (ThreadId, &str), at: Time) -> Result<ThreadId> {
    let new = Thread {
        workspace: inbox.workspace,
        id,
        inbox: inbox.id,
        subject: mail.subject.clone(),
        participants: mail.people.clone(),
        message_count: 1,
        labels: Vec::new(),
        metadata_json: "{}".to_owned(),
        last_message_at: at,
        created_at: at,
    };
    threads::begin(tx, &new, key)?;
    Ok(id)
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
