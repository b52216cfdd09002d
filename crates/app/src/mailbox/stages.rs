//! The stages of filing that write the rows of one message: the message itself, counters, attachments, escalation, the work
//! queue and the event.

use posthouse_domain::{
    Attachment, AttachmentId, Counters, Direction, EscalationTrigger, EventKind, Extraction, HoldReason, IdGenerator,
    JobKind, JobReason, Message, MessageId, NewEvent, OnCallMail, OnCallMailKind,
};
use posthouse_mail::address::Address;
use posthouse_store::{
    Result, Tx, attachment_texts, attachments as attachment_rows, events, jobs, jobs::NewJob, message_list::InboxRef,
    messages, metrics, on_call, queue as work_queue, search as search_index, seen_addresses as seen_rows,
};

use super::{Filing, InboxCopy, Occasion, Visibility, parse::ParsedMail};
use crate::escalation::record::raise::{self, EscalationSubject};

/// Stores the message with its labels, and queues it for indexing.
pub(super) fn message(tx: &mut Tx, filing: &Filing<'_>) -> Result<()> {
    messages::insert(tx, filing.copy.message)
}

/// Counts the message.
pub(super) fn counters(tx: &mut Tx, filing: &Filing<'_>) -> Result<()> {
    let Message { workspace, inbox, direction, .. } = *filing.copy.message;
    let counters = match direction {
        Direction::Inbound => Counters::received(&filing.copy.message.labels),
        Direction::Outbound => Counters { sent: 1, ..Counters::default() },
    };
    metrics::count(tx, workspace, inbox, filing.copy.now, &counters)
}

/// Stores the metadata of the attachments.
pub(super) fn files(tx: &mut Tx, filing: &Filing<'_>) -> Result<()> {
    let InboxCopy { message, attachments, .. } = filing.copy;
    attachments.iter().try_for_each(|attachment| attachment_rows::insert(tx, message.workspace, attachment))
}

/// Records the addresses that the mail names, for the origin of recipients.
pub(super) fn seen_addresses(tx: &mut Tx, filing: &Filing<'_>) -> Result<()> {
    let InboxCopy { message, inbox, seen, .. } = filing.copy;
    let others = seen.without(Address::parse(&inbox.address).ok().as_ref());
    seen_rows::insert_all(tx, message.workspace, message.id, None, &others)
}

/// Returns the metadata of a mail's attachments.
#[must_use]
pub fn attachments(mail: &ParsedMail, message: MessageId, ids: &IdGenerator) -> Vec<Attachment> {
    let attachments = (0u32..).zip(&mail.files).map(|(position, facts)| Attachment {
        id: ids.next::<AttachmentId>(),
        message,
        position,
        filename: facts.filename.clone(),
        content_type: facts.content_type.clone(),
        size_bytes: facts.size_bytes,
        sha256: facts.sha256,
        content_id: facts.content_id.clone(),
        inline: facts.inline,
        extraction: None,
    });
    attachments.collect()
}

/// Returns the group of the jobs that read a file: copies of it have the same.
fn group_of(sha256: &[u8; 32]) -> String {
    let (half, _) = sha256.split_at(16);
    uuid::Uuid::from_slice(half).unwrap_or_default().simple().to_string()
}

/// Queues the reading of the text of each attachment that has one to read.
pub(super) fn extractions(tx: &mut Tx, filing: &Filing<'_>) -> Result<()> {
    let InboxCopy { message, attachments, ids, now, .. } = filing.copy;
    let is_pending = |file: &&Attachment| file.extraction.as_ref().is_some_and(Extraction::is_pending);
    for file in attachments.iter().filter(is_pending) {
        attachment_texts::wait(tx, message.workspace, file.id, message.id)?;
        let job = NewJob::new(JobKind::Extraction, JobReason::Received, message.workspace, file.id.0, ids.next(), now)
            .in_group(group_of(&file.sha256));
        jobs::enqueue(tx, &job)?;
    }
    Ok(())
}

/// Remembers a report about mail to people on call, so that neither it nor an answer to it escalates.
pub(super) fn response(tx: &mut Tx, filing: &Filing<'_>) -> Result<()> {
    let InboxCopy { message, reports_on, now, .. } = filing.copy;
    for sent in reports_on {
        if on_call::kind_of(tx, filing.copy.message.workspace, *sent)?.is_some() {
            let Message { workspace, id, .. } = *message;
            let kind = OnCallMailKind::Response;
            return on_call::record_mail(tx, &OnCallMail { workspace, message: id, kind, created_at: now });
        }
    }
    Ok(())
}

/// Escalates a message to people on call if it is held or if its labels are a reason to. They learned of a held message
/// when it was stored, so its release escalates nothing.
pub(super) fn escalation(tx: &mut Tx, filing: &Filing<'_>) -> Result<()> {
    let InboxCopy { message, ids, now, .. } = filing.copy;
    match filing.occasion {
        Occasion::Shown(HoldReason::Pending) | Occasion::Stored(Visibility::Shown | Visibility::Pending(_)) => {}
        Occasion::Stored(Visibility::Held(HoldReason::Blocked)) => {}
        Occasion::Stored(Visibility::Held(_)) => {
            raise::raise(tx, EscalationTrigger::Held, EscalationSubject::Message(message), ids, now)?;
        }
        Occasion::Shown(_) | Occasion::ShownAgain => return Ok(()),
    }
    raise::raise_labels(tx, message, message.labels.iter().map(String::as_str), ids, now)
}

/// Adds a message to the work queue of its inbox, if the queue has passed it.
pub(super) fn queue(tx: &mut Tx, filing: &Filing<'_>) -> Result<()> {
    let Message { workspace, inbox, id, .. } = *filing.copy.message;
    work_queue::add_released(tx, InboxRef { workspace, inbox }, id)
}

/// Queues a message for indexing, because the index has no words of a message that isn't shown.
pub(super) fn search(tx: &mut Tx, filing: &Filing<'_>) -> Result<()> {
    search_index::wait(tx, filing.copy.message.workspace, filing.copy.message.id)
}

/// Appends the event of the message, or holds it while the inbox is paused. A report about sent mail has none: clients learn
/// about it from the events of the sent message.
pub(super) fn event(tx: &mut Tx, filing: &Filing<'_>) -> Result<()> {
    let InboxCopy { inbox, message, ids, now, .. } = filing.copy;
    let kind = match filing.occasion {
        // The event of its arrival came without its content; `message.enriched` follows with it.
        Occasion::Shown(HoldReason::Pending) => {
            tx.wake(inbox.workspace.0);
            return Ok(());
        }
        Occasion::Shown(_) | Occasion::ShownAgain => EventKind::MessageReleased,
        _ if filing.is_report() => {
            tx.wake(inbox.workspace.0);
            return Ok(());
        }
        Occasion::Stored(visibility) if visibility.is_blocked() => EventKind::MessageReceivedBlocked,
        _ => EventKind::MessageReceived,
    };
    let event = NewEvent::new(kind, inbox.workspace, ids.next(), now)
        .in_inbox(inbox.id)
        .in_thread(message.thread)
        .about_message(message.id);
    events::append_or_hold(tx, inbox.is_paused(), &event)?;
    tx.wake(inbox.workspace.0);
    Ok(())
}
