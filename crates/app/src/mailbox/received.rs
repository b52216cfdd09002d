//! Files received mail: from outside, and copies of messages that other inboxes of this service sent.

use posthouse_domain::{
    Analysis, ContentId, Direction, HoldReason, IdGenerator, Inbox, JobKind, JobReason, Judged, LocalCheck, Message,
    MessageId, MessageIds, NewJob, Plans, ThreadId, Time, extraction, label::BLOCKED, label::UNVERIFIED_REPORT,
    link_token, send::BOUNCE_LABEL,
};
use posthouse_mail::thread;
use posthouse_store::{Error, Result, Tx, inboxes, jobs, messages};
use uuid::Uuid;

use super::judge::{self, CopyPlan, Imitation, PlannedCopy};
use super::thread::MessageThread;
use super::{InboxCopy, Visibility, contacts::Correspondents, enriched, parse::ParsedMail, rules, screen_sender};
use crate::{keyring::instance_key::AddressKey, signing::agent_copy::AgentCopy};

/// A received mail to store in one inbox.
#[derive(Clone, Copy)]
pub struct ReceivedCopy<'a> {
    pub mail: &'a ParsedMail,
    /// Its content, already stored.
    pub content: ContentId,
    /// The trace lines in front of the raw bytes of this copy.
    pub trace: &'a str,
    /// The sent messages that it counts as a report about.
    pub reports_on: &'a [MessageId],
    /// Hashes the addresses of forgotten contacts.
    pub key: &'a AddressKey,
    /// Whether agents get it at once, unless a receive list or its analysis stops it.
    pub visibility: Visibility,
    /// The limits of plans.
    pub plans: &'a Plans,
    /// What the checks say to its workspace, if the author imitates a contact of it.
    pub imitation: Option<&'a Imitation>,
    /// Signs the copy, if another inbox of this service sent it as an agent message.
    pub agent: Option<AgentCopy<'a>>,
}

impl<'a> ReceivedCopy<'a> {
    fn local_check(&self) -> Option<&'a LocalCheck> {
        self.imitation.map(|imitation| &imitation.check).or(self.mail.local_check.as_ref())
    }

    fn judged(&self) -> &'a Judged {
        self.imitation.map_or(&self.mail.judged, |imitation| &imitation.judged)
    }
}

/// Files a received copy in an inbox. Its event is held while the inbox is paused.
///
/// # Errors
/// Returns [`Error::Conflict`] if the inbox was deleted.
pub fn receive(tx: &mut Tx, copy: ReceivedCopy<'_>, inbox: &Inbox, ids: &IdGenerator, now: Time) -> Result<MessageId> {
    let mail = copy.mail;
    let unfiled = || {
        let mut message = row(copy, inbox, MessageId(Uuid::nil()), ThreadId(Uuid::nil()), now, now);
        message.labels.extend(labels_of_receipt(copy));
        message
    };
    let files = || mail.files.iter().map(|file| file.filename.clone().unwrap_or_default()).collect();
    let outcome = rules::at_receipt(tx, inbox, unfiled, &files)?;
    let target = rules::target(tx, inbox, &outcome)?;
    let inbox = target.as_ref().unwrap_or(inbox);
    // The inbox may have been deleted or resumed since it was resolved.
    let gone = || Error::Conflict("the inbox was deleted since it was resolved".into());
    let inbox =
        &inboxes::lock(tx, inbox.workspace, inbox.id)?.filter(|inbox| inbox.deleted_at.is_none()).ok_or_else(gone)?;
    let created_at = messages::next_created_at(tx, inbox.workspace, inbox.id, mail.size_bytes, now)?;
    let is_stopped = outcome.is_blocked || screen_sender::is_blocked(tx, mail, copy.agent, inbox)?;
    let thread = MessageThread::of(tx, mail, inbox, ids, created_at)?;
    let mut message = row(copy, inbox, ids.next(), thread.id, created_at, now);
    message.agent = copy.agent.map(|agent| agent.delivery(inbox, ids, now)).transpose()?;
    // Here rather than where mail is parsed, because a copy from another inbox of this service has no labels of parsing.
    message.labels.extend(labels_of_receipt(copy));
    message.labels.extend(is_stopped.then(|| BLOCKED.to_owned()));
    let visibility = analyze(tx, copy, &mut message, is_stopped, inbox, now)?;
    let late = rules::after_analysis(tx, &message, &files)?;
    let is_held = outcome.is_held || late.is_held || late.is_blocked;
    for outcome in [&outcome, &late] {
        rules::add_labels(&mut message, outcome);
    }
    let visibility = if is_held && !visibility.is_blocked() { Visibility::Held(HoldReason::Rule) } else { visibility };
    message.held = visibility.hold_reason();
    let mut attachments = super::attachments(mail, message.id, ids);
    let mut read = 0;
    for file in &mut attachments {
        let first = extraction::initial_after(read, &file.content_type, file.inline, is_stopped, now);
        read += usize::from(first.is_pending());
        file.extraction = Some(first);
    }
    let filed = InboxCopy {
        inbox,
        message: &message,
        thread: &thread,
        attachments: &attachments,
        people: &Correspondents::of_received(mail, inbox),
        seen: &mail.seen,
        reports_on: copy.reports_on,
        key: copy.key,
        ids,
        now,
    };
    super::file(tx, filed, visibility)?;
    match message.analysis {
        Some(Analysis::Completed(_)) => enriched::announce(tx, &message, inbox, ids, now)?,
        Some(Analysis::Pending) => {
            let kind = JobKind::Analysis;
            let job = NewJob::new(kind, JobReason::Received, inbox.workspace, message.id.0, ids.next(), now);
            jobs::enqueue(tx, &job)?;
        }
        _ => {}
    }
    Ok(message.id)
}

/// Plans the analysis of a copy, writes what is known to its row, and returns whether agents get it.
fn analyze(
    tx: &mut Tx,
    copy: ReceivedCopy<'_>,
    message: &mut Message,
    is_stopped: bool,
    inbox: &Inbox,
    now: Time,
) -> Result<Visibility> {
    let planned = PlannedCopy { judged: copy.judged(), is_stopped, labels: &message.labels, plans: copy.plans };
    let CopyPlan { plan, visibility, due } = judge::plan(tx, planned, inbox, now)?;
    enriched::apply(message, plan.analysis, now);
    message.analysis_due = due;
    let visibility = if visibility == Visibility::Shown { copy.visibility } else { visibility };
    message.held = visibility.hold_reason();
    Ok(visibility)
}

/// Returns the labels of the local screen and of reports, which the rules of the owner see, too.
fn labels_of_receipt(copy: ReceivedCopy<'_>) -> impl Iterator<Item = String> {
    let local = copy.local_check().into_iter().flat_map(LocalCheck::labels);
    local.chain(label_of_report(copy)).map(str::to_owned)
}

/// Returns the label of a report about sent mail. A report that doesn't count is an ordinary message.
fn label_of_report(copy: ReceivedCopy<'_>) -> Option<&'static str> {
    if copy.reports_on.is_empty() {
        return copy.mail.is_report_like.then_some(UNVERIFIED_REPORT);
    }
    Some(BOUNCE_LABEL)
}

/// Returns the row of a received copy.
fn row(
    copy: ReceivedCopy<'_>,
    inbox: &Inbox,
    message: MessageId,
    thread: ThreadId,
    created_at: Time,
    now: Time,
) -> Message {
    let mail = copy.mail;
    let own_id = || thread::new_message_id(&message.to_string(), &inbox.domain);
    let ids = MessageIds { workspace: inbox.workspace, inbox: inbox.id, thread, message, content: copy.content };
    Message {
        channel: mail.channel,
        rfc_message_id: mail.rfc_message_id.clone().unwrap_or_else(own_id),
        reply_to_unproven: mail.reply_to_unproven,
        author_proven: mail.proven_author.is_some(),
        subject: mail.subject.clone(),
        auto_reply: mail.auto_reply,
        trace: copy.trace.to_owned(),
        verification: mail.verification.clone(),
        local_check: copy.local_check().cloned(),
        author: copy.agent.and_then(|agent| agent.author()),
        contact_address: mail.author.as_ref().filter(|_| !mail.null_sender).map(|author| author.address().canonical()),
        // An address of the envelope may have a token, and the trace lines show it.
        masked_links: mail.masked_links || link_token::is_in(copy.trace),
        created_at,
        ..mail.message(ids, Direction::Inbound, now)
    }
}
