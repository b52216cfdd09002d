//! Events as they are shown on every transport (API document, Events; contract §11.4, §11.5): rendered when they are read,
//! from the records as they are then. Full, or as an envelope that never has a body.

pub mod catalogue;
pub mod data;
pub mod draft;
mod sample;

use posthouse_domain::{
    event::{Event, Payload},
    id::{InboxId, MessageId, WorkspaceId},
    inbox::Inbox,
    plan::Plans,
    time::Time,
};
use posthouse_store::{
    Result, Tx, inboxes,
    messages::{self, Record},
    workspaces,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use uuid::Uuid;

use super::{
    Moment,
    inbox::{self, InboxView},
    json_text,
    message::MessageView,
};

/// An event with what is shown of it.
#[derive(Clone)]
pub struct Shown {
    event: Event,
    inbox: Option<InboxView>,
    record: Option<Record>,
    draft: Option<draft::Restored>,
}

/// An event.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Event")]
pub struct EventView<'a> {
    id: Uuid,
    r#type: &'static str,
    created_at: Moment,
    data: EventData<'a>,
}

/// What an event says, by its type.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub enum EventData<'a> {
    /// Of a message that is there.
    Message(Box<MessageEvent<'a>>),
    /// Of a message that was deleted since.
    Gone(GoneEvent<'a>),
    /// Of a draft.
    Draft(Box<draft::DraftEvent<'a>>),
    /// Of something else: `{ inbox, … }`.
    Other(#[schemars(with = "serde_json::Map<String, serde_json::Value>")] &'a RawValue),
    /// Of anything, without its content.
    Envelope(EnvelopeData<'a>),
}

/// What an event says in the envelope form: never a body. Of events that are not about a message that is there, what is
/// not known is null, and the lists are empty.
#[derive(Serialize, JsonSchema)]
pub struct EnvelopeData<'a> {
    inbox_id: Option<Uuid>,
    thread_id: Option<Uuid>,
    message_id: Option<Uuid>,
    from: Option<&'a str>,
    to: &'a [String],
    subject: Option<&'a str>,
    labels: &'a [String],
    /// Null for sent mail.
    received_at: Option<Moment>,
    /// email, agent or mixed.
    channel: Option<&'static str>,
    /// message, task or event: the sender's advice.
    r#type: Option<&'static str>,
}

/// What a message event says.
#[derive(Serialize, JsonSchema)]
pub struct MessageEvent<'a> {
    inbox: Option<&'a InboxView>,
    thread_id: Option<Uuid>,
    message: MessageView<'a>,
    /// Why it bounced; only on message.bounced.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<data::Bounce>")]
    bounce: Option<&'a RawValue>,
    /// Who complained; only on message.complained.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<data::Complaint>")]
    complaint: Option<&'a RawValue>,
    /// The recipients that this event is about; only on message.sent and message.delivered.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Vec<String>>")]
    recipients: Option<&'a RawValue>,
}

/// What a message event says when the message was deleted since.
#[derive(Serialize, JsonSchema)]
pub struct GoneEvent<'a> {
    inbox: Option<&'a InboxView>,
    thread_id: Option<Uuid>,
    /// Always null.
    message: Option<()>,
    message_id: Uuid,
    /// Always true.
    gone: bool,
}

/// What the log keeps of a message event.
#[derive(Deserialize, Default)]
struct Detail<'a> {
    #[serde(borrow)]
    bounce: Option<&'a RawValue>,
    #[serde(borrow)]
    complaint: Option<&'a RawValue>,
    #[serde(borrow)]
    recipients: Option<&'a RawValue>,
}

/// Adds to up to 100 events of one workspace what is shown of them. A message in a deleted inbox is gone.
///
/// # Errors
/// The store's own.
pub fn load(
    tx: &mut Tx,
    workspace: WorkspaceId,
    events: Vec<Event>,
    (plans, now): (&Plans, Time),
) -> Result<Vec<Shown>> {
    let Some(tenant) = workspaces::get(tx, workspace)? else { return Ok(Vec::new()) };
    let of_messages = || events.iter().filter(|event| event.event.message.is_some());
    let mut rows: Vec<Inbox> = Vec::new();
    let of_drafts = || events.iter().filter(|event| draft::is_of_draft(event.event.kind));
    for id in of_messages().chain(of_drafts()).filter_map(|event| event.event.inbox) {
        if !rows.iter().any(|inbox| inbox.id == id) {
            rows.extend(inboxes::get(tx, workspace, id)?);
        }
    }
    let views: Vec<(InboxId, InboxView)> =
        rows.iter().map(|row| row.id).zip(inbox::load_all(tx, &rows, plans.of(tenant.plan), now)?).collect();
    let mut ids: Vec<MessageId> = of_messages().filter_map(|event| event.event.message).collect();
    ids.sort_unstable();
    ids.dedup();
    let mut found = messages::get_many(tx, workspace, &ids)?;
    found.retain(|message| rows.iter().any(|inbox| inbox.id == message.inbox && inbox.deleted_at.is_none()));
    let records = messages::records(tx, workspace, found)?;
    let drafts = draft::load(tx, workspace, &events)?;
    let shown = events.into_iter().map(|event| {
        let inbox = views.iter().find(|(id, _)| Some(*id) == event.event.inbox).map(|(_, view)| view.clone());
        let record = records.iter().find(|record| Some(record.message.id) == event.event.message).cloned();
        let draft = drafts.iter().find(|(id, _)| *id == event.event.id).map(|(_, draft)| draft.clone());
        Shown { event, inbox, record, draft }
    });
    Ok(shown.collect())
}

impl Shown {
    /// The event in the log.
    #[must_use]
    pub fn event(&self) -> &Event {
        &self.event
    }
}

impl<'a> EventView<'a> {
    /// Shows the whole event.
    #[must_use]
    pub fn of(shown: &'a Shown) -> Self {
        Self::in_form(shown, Payload::Full)
    }

    /// Shows the event in that form.
    #[must_use]
    pub fn in_form(shown: &'a Shown, form: Payload) -> Self {
        let event = &shown.event.event;
        let data = match form {
            Payload::Full => full(shown),
            Payload::Envelope => EventData::Envelope(envelope(shown)),
        };
        Self { id: event.id.into(), r#type: event.kind.text(), created_at: event.at.into(), data }
    }
}

fn full(shown: &Shown) -> EventData<'_> {
    let event = &shown.event.event;
    let inbox = shown.inbox.as_ref();
    let thread_id = event.thread.map(Into::into);
    let detail: Detail<'_> = serde_json::from_str(&event.detail_json).unwrap_or_default();
    if draft::is_of_draft(event.kind) {
        let message = shown.record.as_ref().map(MessageView::of);
        return EventData::Draft(Box::new(draft::DraftEvent::of(inbox, shown.draft.as_ref(), message)));
    }
    match (&shown.record, event.message) {
        (Some(record), _) => EventData::Message(Box::new(MessageEvent {
            inbox,
            thread_id,
            message: MessageView::of(record),
            bounce: detail.bounce,
            complaint: detail.complaint,
            recipients: detail.recipients,
        })),
        (None, Some(id)) => {
            EventData::Gone(GoneEvent { inbox, thread_id, message: None, message_id: id.into(), gone: true })
        }
        (None, None) => EventData::Other(json_text(&event.detail_json)),
    }
}

fn envelope(shown: &Shown) -> EnvelopeData<'_> {
    let event = &shown.event.event;
    let message = shown.record.as_ref().map(|record| &record.message);
    let open = shown.record.as_ref().is_some_and(|record| !record.withheld);
    EnvelopeData {
        inbox_id: event.inbox.map(Into::into),
        thread_id: event.thread.map(Into::into),
        message_id: event.message.map(Into::into),
        from: message.map(|message| message.from.as_str()),
        to: message.map_or(&[], |message| &message.to),
        subject: message.and_then(|message| message.subject.as_deref()).filter(|_| open),
        labels: message.map_or(&[], |message| &message.labels),
        received_at: message.and_then(|message| message.received_at).map(Into::into),
        channel: message.map(|message| message.channel.text()),
        r#type: message.map(|message| message.kind.text()),
    }
}
