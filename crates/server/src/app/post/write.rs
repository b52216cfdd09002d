//! The rows of a sent message: content, conversation, message, files, recipients, envelopes with their jobs, events.

use posthouse_domain::{
    delivery::BounceKind,
    event::{EventKind, NewEvent},
    id::{ContentId, Ids, JobId, MessageId, ThreadId},
    inbox::Inbox,
    message::{Channel, Delivery, DeliveryStatus, Direction, Message, Status, rolled_up},
    metrics::Counters,
    suspension::Incident,
    time::Time,
};
use posthouse_mail::{address::Address, bounce::Class};
use posthouse_store::{
    Result, Tx,
    contents::{self, Raw},
    events, inboxes,
    jobs::{self, NewJob},
    messages, metrics,
    recipients::{self, Envelope},
    suppressions::{self, Reason, Suppression},
    threads,
};

use super::Ready;
use crate::{
    app::{
        compose::Origin,
        deliver_here::{self, Way},
        file_mail::{self, Conversation},
        judge_sending,
        meet::{self, Meeting},
    },
    views::event::data,
};

/// Stores the message with everything that belongs to it.
pub(super) fn message(
    tx: &mut Tx,
    ready: &Ready,
    raw: &Raw,
    (inbox, ways): (&Inbox, &[(Address, Way)]),
    ids: &Ids,
) -> Result<MessageId> {
    let here: Vec<&Inbox> = ways.iter().filter_map(|(_, way)| inbox_of(way)).collect();
    if !here.is_empty() {
        let all = here.iter().copied().chain([inbox]);
        inboxes::lock_all(tx, all.map(|inbox| (inbox.workspace, inbox.id)).collect())?;
    }
    let entries = entries(ready, ways, ids);
    let content: ContentId = ids.next();
    contents::insert(tx, inbox.workspace, content, raw, &ready.sent.bodies)?;
    let created_at = messages::next_created_at(tx, (inbox.workspace, inbox.id), ready.sent.size_bytes, ready.now)?;
    let conversation = conversation(tx, ready, inbox, ids, created_at)?;
    let stored = row(ready, (inbox, ways), &entries, (conversation.id, content), created_at);
    messages::insert(tx, &stored)?;
    count(tx, &stored, &entries)?;
    file_mail::file_attachments(tx, &ready.sent, &stored, ids)?;
    envelopes(tx, ready, inbox, (ways, &entries), ids)?;
    for entry in &entries {
        recipients::insert(tx, inbox.workspace, stored.id, entry)?;
    }
    for (entry, (address, _)) in entries.iter().zip(ways).filter(|(entry, _)| entry.status == DeliveryStatus::Bounced) {
        suppress(tx, &stored, entry, address)?;
    }
    if let Some(mail) = &ready.received {
        let raw = ready.opened.as_ref().unwrap_or(raw);
        deliver_here::deliver(tx, (mail, raw), (&ready.from, &here, &ready.house.key), ids, ready.now)?;
    }
    let (people, key) = (&ready.letter.people, &ready.house.key);
    let subject = Some(ready.letter.subject.as_str());
    let meeting = Meeting { inbox, conversation: &conversation, subject, at: created_at, key };
    meet::sent(tx, meeting, people.to.iter().chain(&people.cc).chain(&people.bcc), ids)?;
    if stored.status == Status::Bounced {
        // An address of this service that does not exist is refused for good.
        let bounced = entries.iter().filter(|entry| entry.status == DeliveryStatus::Bounced);
        let incidents = bounced.map(|entry| (Incident::HardBounce, entry.address.as_str()));
        judge_sending::judge(tx, stored.workspace, incidents, ready.now)?;
    }
    announce(tx, &stored, &entries, ids, ready.now)?;
    Ok(stored.id)
}

/// Counts the message, and what is settled of it at once.
fn count(tx: &mut Tx, message: &Message, entries: &[Delivery]) -> Result<()> {
    let (place, now) = ((message.workspace, message.inbox), message.status_at);
    metrics::count(tx, place, now, &Counters { sent: 1, ..Counters::default() })?;
    metrics::moved(tx, place, (Status::Queued, message.status), now)?;
    for entry in entries.iter().filter(|entry| entry.status == DeliveryStatus::Bounced) {
        metrics::bounce(tx, place, entry, now)?;
    }
    Ok(())
}

/// An address of this server that does not exist bounces for good, as one elsewhere would.
fn suppress(tx: &mut Tx, message: &Message, entry: &Delivery, address: &Address) -> Result<()> {
    let suppression = Suppression {
        workspace: message.workspace,
        address: address.canonical(),
        reason: Reason::Bounce,
        detail: entry.detail.clone(),
        message: Some(message.id),
        created_at: entry.updated_at,
    };
    suppressions::insert(tx, &suppression)?;
    Ok(())
}

fn inbox_of(way: &Way) -> Option<&Inbox> {
    match way {
        Way::Here(inbox) => Some(inbox),
        Way::Nowhere | Way::Away => None,
    }
}

/// The delivery entries. Each one elsewhere has an envelope of its own, because it has a return path of its own.
fn entries(ready: &Ready, ways: &[(Address, Way)], ids: &Ids) -> Vec<Delivery> {
    let each = (0u32..).zip(ways).map(|(position, (address, way))| {
        let mut entry = Delivery {
            position,
            envelope: None,
            address: address.to_string(),
            channel: Channel::Agent,
            status: DeliveryStatus::Delivered,
            smtp_code: None,
            enhanced_code: None,
            remote: None,
            detail: None,
            class: None,
            tls: None,
            attempts: 1,
            updated_at: ready.now,
        };
        match way {
            Way::Here(_) => {}
            Way::Nowhere => {
                entry.status = DeliveryStatus::Bounced;
                entry.smtp_code = Some(550);
                entry.enhanced_code = Some("5.1.1".to_owned());
                entry.detail = Some("There is no such inbox on this server.".to_owned());
                entry.class = Some(Class::UnknownUser);
            }
            Way::Away => {
                entry.envelope = Some(ids.next());
                (entry.channel, entry.status, entry.attempts) = (Channel::Email, DeliveryStatus::Queued, 0);
            }
        }
        entry
    });
    each.collect()
}

/// The conversation that the message belongs to, found or begun; an answer stays where its original is.
fn conversation(tx: &mut Tx, ready: &Ready, inbox: &Inbox, ids: &Ids, at: Time) -> Result<Conversation> {
    match &ready.letter.origin {
        Origin::New | Origin::Submitted(_) => file_mail::thread_of(tx, &ready.sent, inbox, ids, at),
        Origin::Answers(original) => match threads::get(tx, inbox.workspace, original.thread)? {
            Some(found) => file_mail::joined(tx, found, &ready.sent.people, at),
            None => file_mail::thread_of(tx, &ready.sent, inbox, ids, at),
        },
        Origin::Forwards | Origin::PassedOn(_) => file_mail::begin(tx, &ready.sent, inbox, ids.next(), at),
    }
}

fn row(
    ready: &Ready,
    (inbox, ways): (&Inbox, &[(Address, Way)]),
    entries: &[Delivery],
    (thread, content): (ThreadId, ContentId),
    created_at: Time,
) -> Message {
    let (mail, letter) = (&ready.sent, &ready.letter);
    let all = |channel| entries.iter().all(|entry| entry.channel == channel);
    let has_left = entries.iter().any(|entry| entry.status == DeliveryStatus::Delivered);
    Message {
        workspace: inbox.workspace,
        id: letter.message,
        inbox: inbox.id,
        thread,
        content,
        direction: Direction::Outbound,
        status: rolled_up(entries.iter().map(|entry| entry.status)),
        channel: match (all(Channel::Agent), all(Channel::Email)) {
            (true, _) => Channel::Agent,
            (_, true) => Channel::Email,
            _ => Channel::Mixed,
        },
        kind: mail.kind,
        rfc_message_id: mail.rfc_message_id.clone().unwrap_or_default(),
        in_reply_to: mail.in_reply_to.clone(),
        references: mail.references.clone(),
        from: mail.from.clone(),
        to: mail.to.clone(),
        cc: mail.cc.clone(),
        bcc: letter.people.bcc.iter().map(ToString::to_string).collect(),
        reply_to: mail.reply_to.clone(),
        subject: Some(letter.subject.clone()),
        labels: mail.labels.clone(),
        is_read: true,
        auto_reply: false,
        size_bytes: mail.size_bytes,
        trace: String::new(),
        verification: None,
        data: mail.data.clone(),
        answers: letter.answers().map(|original| original.id),
        contact_address: contact_address(inbox, ways),
        contact: None,
        has_attachments: !mail.files.is_empty(),
        status_at: ready.now,
        sent_at: has_left.then_some(ready.now),
        received_at: None,
        created_at,
    }
}

/// The first recipient who can be a contact: one of our own inboxes cannot.
fn contact_address(inbox: &Inbox, ways: &[(Address, Way)]) -> Option<String> {
    let is_own = |way: &Way| inbox_of(way).is_some_and(|other| other.workspace == inbox.workspace);
    ways.iter().find(|(_, way)| !is_own(way)).map(|(address, _)| address.canonical())
}

/// An envelope and its job for each recipient elsewhere.
fn envelopes(
    tx: &mut Tx,
    ready: &Ready,
    inbox: &Inbox,
    (ways, entries): (&[(Address, Way)], &[Delivery]),
    ids: &Ids,
) -> Result<()> {
    for ((address, _), entry) in ways.iter().zip(entries) {
        let Some(id) = entry.envelope else { continue };
        let envelope = Envelope {
            workspace: inbox.workspace,
            id,
            message: ready.letter.message,
            destination: address.domain().to_owned(),
            expires_at: ready.now.plus_ms(ready.house.expiry_ms),
            signed: ready.signed.clone(),
        };
        recipients::insert_envelope(tx, &envelope)?;
        let job = NewJob {
            id: ids.next::<JobId>(),
            kind: jobs::OUTBOUND,
            workspace: inbox.workspace,
            subject: *id.as_uuid(),
            lane: envelope.destination,
            run_at: ready.now,
            attempt_max: ready.house.attempts_max,
            why: "queued",
            created_at: ready.now,
        };
        jobs::enqueue(tx, &job)?;
    }
    Ok(())
}

/// The events of what is settled at once: the recipients on this service.
fn announce(tx: &mut Tx, message: &Message, entries: &[Delivery], ids: &Ids, now: Time) -> Result<()> {
    let with = |status| entries.iter().filter(|entry| entry.status == status).collect::<Vec<_>>();
    let (delivered, bounced) = (with(DeliveryStatus::Delivered), with(DeliveryStatus::Bounced));
    let event = |kind, detail_json| NewEvent {
        workspace: message.workspace,
        id: ids.next(),
        kind,
        inbox: Some(message.inbox),
        thread: Some(message.thread),
        message: Some(message.id),
        detail_json,
        at: now,
    };
    if !delivered.is_empty() {
        let recipients = delivered.iter().map(|entry| entry.address.clone()).collect();
        let left = data::text(&data::Left { recipients, captured: false });
        events::append(tx, &event(EventKind::MessageSent, left.clone()))?;
        events::append(tx, &event(EventKind::MessageDelivered, left))?;
    }
    if !bounced.is_empty() {
        let recipients = bounced.into_iter().map(data::BouncedRecipient::of).collect();
        let bounce = data::Bounce { r#type: BounceKind::Hard.text(), recipients };
        events::append(tx, &event(EventKind::MessageBounced, data::text(&data::Bounced { bounce })))?;
    }
    Ok(())
}
