//! Writes the rows of an outgoing message: content, thread, message, files, recipients, envelopes with jobs, and
//! events.

use posthouse_api::views::event::data;
use posthouse_domain::{
    Attachment, BounceKind, Channel, ContentId, DeliveryStatus, Direction, EventKind, IdGenerator, Inbox, Incident,
    JobKind, JobReason, Message, MessageIds, MessageStatus, NewEvent, OutboundEnvelope, OutboundFacts, OutboundPolicy,
    Party, RecipientDelivery, Suppression, SuppressionReason, ThreadId, Time, message::overall_status,
    outbound_policy::seen::SeenKeys,
};
use posthouse_mail::{address::Address, bounce::BounceClass};
use posthouse_store::contents::{self, StoredRaw};
use posthouse_store::jobs::{self, NewJob};
use posthouse_store::{Result, Tx, events, inboxes, messages, metrics, recipients, suppressions, threads};

use super::AcceptedMessage;
use crate::mailbox::{self, InboxCopy, Visibility, contacts::Correspondents, thread::MessageThread};
use crate::outbound::local_delivery::{self, LocalCopy, RecipientRoute, accept, accept::OtherWorkspace};
use crate::outbound::{compose::OutgoingKind, deliver::local};
use crate::workspaces::suspension;

/// The rows of a stored message that its response shows.
pub(super) struct WrittenMessage {
    pub(super) message: Message,
    pub(super) attachments: Vec<Attachment>,
    pub(super) deliveries: Vec<RecipientDelivery>,
}

/// Where a message comes from and goes to.
#[derive(Clone, Copy)]
pub(super) struct Destination<'a> {
    /// The inbox that sends it.
    pub(super) inbox: &'a Inbox,
    pub(super) routes: &'a [(Address, RecipientRoute)],
    /// What is known about them.
    pub(super) outbound: &'a OutboundFacts,
}

impl Destination<'_> {
    /// Adds what is known about the recipients to the entries.
    fn add_origins(&self, entries: &mut [RecipientDelivery]) {
        for (entry, (address, _)) in entries.iter_mut().zip(self.routes) {
            let known = self.outbound.recipients.iter().find(|one| one.address == address.canonical_str());
            entry.origin = known.map(|one| one.origin);
        }
    }

    /// Returns the recipients that stay unknown: the message is labeled because of them.
    fn unknown(&self) -> Vec<String> {
        if self.outbound.is_approved || self.outbound.policy == OutboundPolicy::Off {
            return Vec::new();
        }
        self.outbound.unproven().into_iter().map(|one| one.address).collect()
    }
}

/// Stores the message and all rows that belong to it.
pub(super) fn message(
    tx: &mut Tx,
    accepted: &AcceptedMessage,
    raw: &StoredRaw,
    to: Destination<'_>,
    ids: &IdGenerator,
) -> Result<WrittenMessage> {
    let Destination { inbox, routes, outbound } = to;
    let here: Vec<&Inbox> = routes
        .iter()
        .filter_map(|(_, route)| inbox_of(route))
        .filter(|other| other.workspace == inbox.workspace)
        .collect();
    if !here.is_empty() {
        let all = here.iter().copied().chain([inbox]);
        inboxes::lock_all(tx, all.map(|inbox| (inbox.workspace, inbox.id)).collect())?;
    }
    let others = accept::other_workspaces(inbox, routes, ids);
    let mut entries = entries(accepted, routes, &others, ids);
    to.add_origins(&mut entries);
    let content: ContentId = ids.next();
    contents::insert(tx, inbox.workspace, content, raw, &accepted.sent.bodies)?;
    let created_at = messages::next_created_at(tx, inbox.workspace, inbox.id, accepted.sent.size_bytes, accepted.now)?;
    let thread = thread_of(tx, accepted, inbox, ids, created_at)?;
    let mut stored = row(accepted, inbox, routes, &entries, thread.id, content, created_at);
    stored.labels.extend(outbound.labels().into_iter().map(str::to_owned));
    let attachments = mailbox::attachments(&accepted.sent, stored.id, ids);
    envelopes(tx, accepted, inbox, routes, &entries, ids)?;
    for entry in &entries {
        recipients::insert(tx, inbox.workspace, stored.id, entry)?;
    }
    for (entry, (address, _)) in entries.iter().zip(routes).filter(|(entry, _)| entry.status == DeliveryStatus::Bounced)
    {
        suppress(tx, &stored, entry, address)?;
    }
    let (people, subject) = (&accepted.message.people, &accepted.message.subject);
    let copy = InboxCopy {
        inbox,
        message: &stored,
        thread: &thread,
        attachments: &attachments,
        people: &Correspondents::of_sent(people.to.iter().chain(&people.cc).chain(&people.bcc), subject, inbox)
            .without_correspondence(&to.unknown()),
        seen: SeenKeys::NONE,
        reports_on: &[],
        key: &accepted.config.key,
        ids,
        now: accepted.now,
    };
    mailbox::file(tx, copy, Visibility::Shown)?;
    count(tx, &stored, &entries)?;
    if let Some(mail) = &accepted.received {
        let copy = LocalCopy {
            mail,
            raw: accepted.local_raw.as_ref().unwrap_or(raw),
            plans: &accepted.config.plans,
            from: &accepted.from,
            requested: accepted.requested.as_ref(),
            signer: accepted.copy_signer.as_ref(),
            disclosed: accepted.sent.disclosure.as_ref().is_some_and(|disclosure| disclosure.verified),
        };
        local_delivery::deliver(tx, copy, inbox, &here, &accepted.config.key, ids, accepted.now)?;
        accept::enqueue(tx, &stored, copy, others, ids, accepted.now)?;
    }
    record_bounces(tx, &stored, &entries, accepted.now)?;
    announce(tx, &stored, &entries, ids, accepted.now)?;
    Ok(WrittenMessage { message: stored, attachments, deliveries: entries })
}

/// Records local addresses without an inbox as hard bounces of the workspace.
fn record_bounces(tx: &mut Tx, stored: &Message, entries: &[RecipientDelivery], now: Time) -> Result<()> {
    // An owner may have deleted the inbox to have an answer bounce.
    let counts = |entry: &&RecipientDelivery| entry.status == DeliveryStatus::Bounced && stored.answers.is_none();
    let incidents: Vec<_> =
        entries.iter().filter(counts).map(|entry| (Incident::HardBounce, Party::mailbox(&entry.address))).collect();
    if entries.iter().any(|entry| entry.status == DeliveryStatus::Bounced) {
        suspension::record_incidents(tx, stored.workspace, incidents, now)?;
    }
    Ok(())
}

/// Counts the status of the message and its immediate bounces.
fn count(tx: &mut Tx, message: &Message, entries: &[RecipientDelivery]) -> Result<()> {
    let (workspace, inbox, now) = (message.workspace, message.inbox, message.status_at);
    let change = metrics::StatusChange { before: MessageStatus::Queued, after: message.status };
    metrics::count_status_change(tx, workspace, inbox, change, now)?;
    for entry in entries.iter().filter(|entry| entry.status == DeliveryStatus::Bounced) {
        metrics::bounce(tx, workspace, inbox, entry, now)?;
    }
    Ok(())
}

/// Suppresses a local address without an inbox, as a remote hard bounce would.
fn suppress(tx: &mut Tx, message: &Message, entry: &RecipientDelivery, address: &Address) -> Result<()> {
    let suppression = Suppression {
        workspace: message.workspace,
        address: address.canonical(),
        reason: SuppressionReason::Bounce,
        detail: entry.detail.clone(),
        message: Some(message.id),
        created_at: entry.updated_at,
    };
    suppressions::insert(tx, &suppression)?;
    Ok(())
}

fn inbox_of(route: &RecipientRoute) -> Option<&Inbox> {
    match route {
        RecipientRoute::Local(inbox) => Some(inbox),
        RecipientRoute::NoSuchInbox | RecipientRoute::Remote => None,
    }
}

/// Returns the delivery entries. Each remote recipient has its own envelope, because it has its own return path. The
/// recipients in another workspace share the id of the delivery to it.
fn entries(
    accepted: &AcceptedMessage,
    routes: &[(Address, RecipientRoute)],
    others: &[OtherWorkspace],
    ids: &IdGenerator,
) -> Vec<RecipientDelivery> {
    let each = (0u32..).zip(routes).map(|(position, (address, route))| {
        let mut entry = RecipientDelivery {
            position,
            envelope: None,
            address: address.to_string(),
            channel: accepted.local_channel(),
            status: DeliveryStatus::Delivered,
            smtp_code: None,
            enhanced_code: None,
            remote: None,
            detail: None,
            class: None,
            tls: None,
            origin: None,
            attempts: 1,
            updated_at: accepted.now,
        };
        match route {
            RecipientRoute::Local(inbox) => {
                if let Some(other) = others.iter().find(|other| other.workspace == inbox.workspace) {
                    entry.envelope = Some(other.delivery);
                    (entry.status, entry.attempts) = (DeliveryStatus::Queued, 0);
                }
            }
            RecipientRoute::NoSuchInbox => {
                entry.status = DeliveryStatus::Bounced;
                entry.smtp_code = Some(550);
                entry.enhanced_code = Some("5.1.1".to_owned());
                entry.detail = Some(local::NO_SUCH_INBOX.to_owned());
                entry.class = Some(BounceClass::UnknownUser);
            }
            RecipientRoute::Remote => {
                entry.envelope = Some(ids.next());
                (entry.channel, entry.status, entry.attempts) = (Channel::Email, DeliveryStatus::Queued, 0);
            }
        }
        entry
    });
    each.collect()
}

/// Returns the thread of the message.
fn thread_of<'a>(
    tx: &mut Tx,
    accepted: &'a AcceptedMessage,
    inbox: &Inbox,
    ids: &IdGenerator,
    at: Time,
) -> Result<MessageThread<'a>> {
    let mail = &accepted.sent;
    match &accepted.message.origin {
        OutgoingKind::Forward | OutgoingKind::AutomaticForward(_) => Ok(MessageThread::new(ids.next(), mail)),
        OutgoingKind::New | OutgoingKind::Submitted(_) => MessageThread::of(tx, mail, inbox, ids, at),
        OutgoingKind::Reply(original) => match threads::get(tx, inbox.workspace, original.thread)? {
            Some(before) => Ok(MessageThread::existing(before, mail)),
            None => MessageThread::of(tx, mail, inbox, ids, at),
        },
    }
}

/// Returns the thread that the message joins, if there is one: a reply that of its original, any other message the one that
/// its references or its subject lead to. A forward starts a thread.
pub(super) fn joined_thread(tx: &mut Tx, accepted: &AcceptedMessage, inbox: &Inbox) -> Result<Option<ThreadId>> {
    Ok(match &accepted.message.origin {
        OutgoingKind::Forward | OutgoingKind::AutomaticForward(_) => None,
        OutgoingKind::Reply(original) => Some(original.thread),
        OutgoingKind::New | OutgoingKind::Submitted(_) => {
            MessageThread::joined(tx, &accepted.sent, inbox, accepted.now)?.map(|thread| thread.id)
        }
    })
}

fn row(
    accepted: &AcceptedMessage,
    inbox: &Inbox,
    routes: &[(Address, RecipientRoute)],
    entries: &[RecipientDelivery],
    thread: ThreadId,
    content: ContentId,
    created_at: Time,
) -> Message {
    let (mail, outgoing) = (&accepted.sent, &accepted.message);
    let all = |channel| entries.iter().all(|entry| entry.channel == channel);
    let has_left = entries.iter().any(|entry| entry.status == DeliveryStatus::Delivered);
    let ids = MessageIds { workspace: inbox.workspace, inbox: inbox.id, thread, message: outgoing.message, content };
    Message {
        status: overall_status(entries.iter().map(|entry| entry.status)),
        channel: match (all(Channel::Agent), all(Channel::Email)) {
            (true, _) => Channel::Agent,
            (_, true) => Channel::Email,
            _ => Channel::Mixed,
        },
        rfc_message_id: mail.rfc_message_id.clone().unwrap_or_default(),
        bcc: outgoing.people.bcc.iter().map(ToString::to_string).collect(),
        subject: Some(outgoing.subject.clone()),
        is_read: true,
        author: accepted.author.as_ref().map(|(claims, _)| claims.signature()),
        answers: outgoing.answers().map(|original| original.id),
        contact_address: contact_address(inbox, routes),
        sent_at: has_left.then_some(accepted.now),
        created_at,
        ..mail.message(ids, Direction::Outbound, accepted.now)
    }
}

/// Returns the first recipient that is not an inbox of the same workspace, because those are not contacts.
fn contact_address(inbox: &Inbox, routes: &[(Address, RecipientRoute)]) -> Option<String> {
    let is_own = |route: &RecipientRoute| inbox_of(route).is_some_and(|other| other.workspace == inbox.workspace);
    routes.iter().find(|(_, route)| !is_own(route)).map(|(address, _)| address.canonical())
}

/// Stores an envelope and its job for each remote recipient.
fn envelopes(
    tx: &mut Tx,
    accepted: &AcceptedMessage,
    inbox: &Inbox,
    routes: &[(Address, RecipientRoute)],
    entries: &[RecipientDelivery],
    ids: &IdGenerator,
) -> Result<()> {
    for ((address, route), entry) in routes.iter().zip(entries) {
        let (RecipientRoute::Remote, Some(id)) = (route, entry.envelope) else { continue };
        let envelope = OutboundEnvelope {
            workspace: inbox.workspace,
            id,
            message: accepted.message.message,
            destination: address.domain().to_owned(),
            expires_at: accepted.now.plus_ms(accepted.config.expiry_ms),
            signed: accepted.signed.clone(),
        };
        recipients::insert_envelope(tx, &envelope)?;
        let job =
            NewJob::new(JobKind::Outbound, JobReason::Queued, inbox.workspace, *id.as_uuid(), ids.next(), accepted.now)
                .in_group(envelope.destination)
                .with_attempts(accepted.config.attempts_max);
        jobs::enqueue(tx, &job)?;
    }
    Ok(())
}

/// Appends the events for recipients in the sender's workspace, which are settled immediately.
fn announce(tx: &mut Tx, message: &Message, entries: &[RecipientDelivery], ids: &IdGenerator, now: Time) -> Result<()> {
    let with = |status| entries.iter().filter(|entry| entry.status == status).collect::<Vec<_>>();
    let (delivered, bounced) = (with(DeliveryStatus::Delivered), with(DeliveryStatus::Bounced));
    let event = |kind, detail_json| {
        NewEvent::new(kind, message.workspace, ids.next(), now)
            .in_inbox(message.inbox)
            .in_thread(message.thread)
            .about_message(message.id)
            .with_detail(detail_json)
    };
    if !delivered.is_empty() {
        let recipients = delivered.iter().map(|entry| entry.address.clone()).collect();
        let left = data::text(&data::RecipientsDetail { recipients, captured: false });
        events::append(tx, &event(EventKind::MessageSent, left.clone()))?;
        events::append(tx, &event(EventKind::MessageDelivered, left))?;
    }
    if !bounced.is_empty() {
        let recipients = bounced.into_iter().map(data::BouncedRecipient::of).collect();
        let bounce = data::Bounce { r#type: BounceKind::Hard.text(), recipients };
        events::append(tx, &event(EventKind::MessageBounced, data::text(&data::BounceDetail { bounce })))?;
    }
    Ok(())
}
