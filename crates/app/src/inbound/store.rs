//! Stores a mail in an inbox: its thread, message, labels, attachments and event, in one transaction.

use posthouse_domain::{
    escalation::{EscalationTrigger, OnCallMailKind},
    event::{EventKind, NewEvent},
    id::{AttachmentId, ContentId, IdGenerator, MessageId, ThreadId},
    inbox::Inbox,
    label::{BLOCKED, UNVERIFIED_REPORT},
    message::{Attachment, Direction, HoldReason, Message, MessageStatus},
    metrics::Counters,
    send::BOUNCE_LABEL,
    text,
    thread::{SUBJECT_WINDOW_MS, Thread},
    time::Time,
};
use posthouse_mail::thread;
use posthouse_store::{
    Error, Result, Tx, attachments, events, inboxes, messages, metrics,
    on_call::{self, OnCallMail},
    threads,
};

use super::screen_sender;
use crate::{
    escalation::raise::{self, EscalationSubject},
    inbound::{
        apply_report::{self, ReportContext, ReportedMessage},
        conversation::JoinedThread,
        forwards,
        parse::ParsedMail,
        upsert_contacts::{self, ContactContext},
    },
    keyring::instance_key::AddressKey,
    signing::agent_copy::AgentCopy,
};

/// Maximum number of references looked up, newest first.
const REFERENCES_LOOKED_UP_MAX: usize = 20;

/// A received mail to store in one inbox.
#[derive(Clone, Copy)]
pub struct InboundCopy<'a> {
    /// The parsed mail.
    pub mail: &'a ParsedMail,
    /// Its content, already stored.
    pub content: ContentId,
    /// The trace lines in front of the raw bytes of this copy.
    pub trace: &'a str,
    /// The facts that decide whether it counts as a report about sent mail.
    pub at: ReportContext<'a>,
    /// Hashes the addresses of forgotten contacts.
    pub key: &'a AddressKey,
    /// Why agents don't get it until a person releases it.
    pub held: Option<HoldReason>,
    /// Signs the copy, if another inbox of this service sent it as an agent message.
    pub agent: Option<AgentCopy<'a>>,
}

/// Stores a received copy in an inbox. Its event is held while the inbox is paused.
///
/// # Errors
/// Returns [`Error::Conflict`] if the inbox was deleted.
pub fn file(tx: &mut Tx, copy: InboundCopy<'_>, inbox: &Inbox, ids: &IdGenerator, now: Time) -> Result<MessageId> {
    let mail = copy.mail;
    // The inbox may have been deleted or resumed since it was resolved.
    let gone = || Error::Conflict("the inbox was deleted since it was resolved".into());
    let inbox =
        &inboxes::lock(tx, inbox.workspace, inbox.id)?.filter(|inbox| inbox.deleted_at.is_none()).ok_or_else(gone)?;
    let created_at = messages::next_created_at(tx, inbox.workspace, inbox.id, mail.size_bytes, now)?;
    let message: MessageId = ids.next();
    let subjects = apply_report::subjects(tx, mail, copy.at, inbox)?;
    let stopped = screen_sender::is_blocked(tx, mail, copy.agent, inbox)?;
    let held = if stopped { Some(HoldReason::Blocked) } else { copy.held };
    let is_shown = held.is_none();
    let conversation = if !is_shown {
        blocked_thread(tx, mail, inbox, ids, created_at)?
    } else {
        thread_of(tx, mail, inbox, ids, created_at)?
    };
    let mut stored = row(copy, inbox, message, conversation.id, created_at, now);
    stored.agent = copy.agent.map(|agent| agent.delivery(inbox, ids, now)).transpose()?;
    let is_report = !subjects.is_empty();
    // A report that doesn't count is an ordinary message with its own event.
    let label = if is_report { Some(BOUNCE_LABEL) } else { mail.is_report_like.then_some(UNVERIFIED_REPORT) };
    stored.labels.extend(label.map(str::to_owned));
    stored.labels.extend(stopped.then(|| BLOCKED.to_owned()));
    stored.held = held;
    messages::insert(tx, &stored)?;
    metrics::count(tx, inbox.workspace, inbox.id, now, &Counters::received(&stored.labels))?;
    file_attachments(tx, mail, &stored, ids)?;
    if is_shown {
        let subject = mail.subject.as_deref();
        let context = ContactContext { inbox, conversation: &conversation, subject, at: created_at, key: copy.key };
        upsert_contacts::received(tx, context, mail, ids)?;
    }
    if let Some(report) = &mail.report {
        subjects.iter().try_for_each(|subject| apply_report::apply_to_message(tx, report, subject, ids, now))?;
    }
    escalate(tx, &stored, &subjects, ids, now)?;
    if is_report {
        // Clients learn about a report from the events of the sent message; the report itself has no event.
        tx.wake(inbox.workspace.0);
        return Ok(message);
    }
    if is_shown {
        forwards::enqueue(tx, &stored, ids)?;
    }
    let kind = if stopped { EventKind::MessageReceivedBlocked } else { EventKind::MessageReceived };
    announce(tx, &stored, kind, inbox, ids)?;
    Ok(message)
}

/// Escalates a received copy if its labels are a reason to. A report about mail to people on call is remembered, so
/// that it doesn't escalate later, either.
fn escalate(tx: &mut Tx, stored: &Message, subjects: &[ReportedMessage], ids: &IdGenerator, now: Time) -> Result<()> {
    for subject in subjects {
        if on_call::kind_of(tx, stored.workspace, subject.original.id)?.is_some() {
            let Message { workspace, id: message, .. } = *stored;
            let kind = OnCallMailKind::Response;
            return on_call::record_mail(tx, &OnCallMail { workspace, message, kind, created_at: now });
        }
    }
    if stored.held.is_some_and(|reason| reason != HoldReason::Blocked) {
        raise::raise(tx, EscalationTrigger::Held, EscalationSubject::Message(stored), ids, now)?;
    }
    raise::raise_labels(tx, stored, stored.labels.iter().map(String::as_str), ids, now)
}

/// Returns the row of a received copy.
fn row(
    copy: InboundCopy<'_>,
    inbox: &Inbox,
    message: MessageId,
    thread: ThreadId,
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
        status: MessageStatus::Received,
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
        reply_to_unproven: mail.reply_to_unproven,
        author_proven: mail.proven_author.is_some(),
        subject: mail.subject.clone(),
        labels: mail.labels.clone(),
        is_read: false,
        auto_reply: mail.auto_reply,
        size_bytes: mail.size_bytes,
        trace: copy.trace.to_owned(),
        verification: mail.verification.clone(),
        data: mail.data.clone(),
        agent: None,
        author: copy.agent.and_then(|agent| agent.author()),
        disclosure: mail.disclosure.clone(),
        answers: None,
        contact_address: mail.author.as_ref().filter(|_| !mail.null_sender).map(|author| author.address().canonical()),
        contact: None,
        has_attachments: !mail.files.is_empty(),
        masked_links: mail.masked_links,
        held: None,
        released_at: None,
        status_at: now,
        sent_at: None,
        received_at: Some(now),
        created_at,
    }
}

/// Appends the event of a message, or holds it while the inbox is paused.
fn announce(tx: &mut Tx, message: &Message, kind: EventKind, inbox: &Inbox, ids: &IdGenerator) -> Result<()> {
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

/// Stores the metadata of the mail's attachments, and returns it.
pub fn file_attachments(
    tx: &mut Tx,
    mail: &ParsedMail,
    message: &Message,
    ids: &IdGenerator,
) -> Result<Vec<Attachment>> {
    let attachments = (0u32..).zip(&mail.files).map(|(position, facts)| {
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
        Ok(attachment)
    });
    attachments.collect()
}

/// Adds a mail to its thread, or to a new thread (`docs/decisions/0047-threads-need-more-than-a-subject.md`).
pub fn thread_of(tx: &mut Tx, mail: &ParsedMail, inbox: &Inbox, ids: &IdGenerator, at: Time) -> Result<JoinedThread> {
    match found(tx, mail, inbox, at)? {
        Some(found) => joined(tx, found, &mail.participants, at),
        None => begin(tx, mail, inbox, ids.next(), at),
    }
}

/// Returns the thread of a held mail. The mail doesn't change an existing thread; a new thread
/// has a message count of 0 and stays unlisted until other mail joins it.
fn blocked_thread(tx: &mut Tx, mail: &ParsedMail, inbox: &Inbox, ids: &IdGenerator, at: Time) -> Result<JoinedThread> {
    match found(tx, mail, inbox, at)? {
        Some(found) => Ok(JoinedThread { id: found.id, participants_before: found.participants }),
        None => begin_with(tx, mail, inbox, ids.next(), 0, at),
    }
}

/// Adds a message with these participants to a thread.
pub fn joined(tx: &mut Tx, found: Thread, participants: &[String], at: Time) -> Result<JoinedThread> {
    threads::touch(tx, &found, participants, at)?;
    Ok(JoinedThread { id: found.id, participants_before: found.participants })
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

/// Starts a thread with a mail.
pub fn begin(tx: &mut Tx, mail: &ParsedMail, inbox: &Inbox, id: ThreadId, at: Time) -> Result<JoinedThread> {
    begin_with(tx, mail, inbox, id, 1, at)
}

fn begin_with(
    tx: &mut Tx,
    mail: &ParsedMail,
    inbox: &Inbox,
    id: ThreadId,
    message_count: u64,
    at: Time,
) -> Result<JoinedThread> {
    let key = text::indexed(thread::normalised_subject(mail.subject.as_deref().unwrap_or_default()));
    let new = Thread {
        workspace: inbox.workspace,
        id,
        inbox: inbox.id,
        subject: mail.subject.clone(),
        participants: mail.participants.clone(),
        message_count,
        unread_count: 0,
        labels: Vec::new(),
        metadata_json: "{}".to_owned(),
        last_message_at: at,
        created_at: at,
    };
    threads::begin(tx, &new, &key)?;
    Ok(JoinedThread { id, participants_before: Vec::new() })
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
