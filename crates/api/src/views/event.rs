//! The event object, the same on every transport, in full or in envelope form. Events are rendered when they are read,
//! from the current records (`docs/decisions/events.md#0032-events-are-rendered-when-read`).

pub mod catalogue;
pub mod data;
pub mod draft;
pub mod occurrence;
mod sample;

use posthouse_domain::{
    event::{Event, EventKind, EventPayload},
    record::Record,
};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use uuid::Uuid;

use super::{
    TimestampView, inbox::InboxView, json_text, message::AttachmentView, message::MessageView, message::people,
};

/// An event of the log with the records that its view needs.
#[derive(Clone)]
pub struct RenderableEvent {
    event: Event,
    inbox: Option<InboxView>,
    record: Option<Record>,
    draft: Option<draft::DraftSnapshot>,
}

/// An event.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Event")]
pub struct EventView<'a> {
    /// Event id, the same on every attempt and every transport.
    id: Uuid,
    /// Event type, such as `message.received`.
    r#type: &'static str,
    created_at: TimestampView,
    /// Data, by event type and payload form.
    data: EventData<'a>,
}

/// The data of an event, by its type.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub enum EventData<'a> {
    /// Data of an event about a message that exists.
    Message(Box<MessageEvent<'a>>),
    /// Data of an event about a message that was deleted since.
    Gone(GoneEvent<'a>),
    /// Data of an event about the text of an attachment.
    Attachment(Box<AttachmentEvent<'a>>),
    /// Data of an event about a draft.
    Draft(Box<draft::DraftEvent<'a>>),
    /// Data of any other event, as stored in the log.
    Other(#[schemars(with = "JsonObject")] &'a RawValue),
    /// Data of any event in envelope form.
    Envelope(EnvelopeData<'a>),
}

/// Any JSON object.
#[derive(JsonSchema)]
#[allow(dead_code)] // Describes stored JSON; never constructed.
struct JsonObject(#[schemars(schema_with = "any_object")] serde_json::Map<String, serde_json::Value>);

fn any_object(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "object" })
}

/// The data of an event in envelope form, without bodies. If the event has no message, or the message was deleted,
/// inapplicable members are null or empty.
#[derive(Serialize, JsonSchema)]
pub struct EnvelopeData<'a> {
    /// Inbox of the event.
    inbox_id: Option<Uuid>,
    /// Thread of the message.
    thread_id: Option<Uuid>,
    /// Message of the event.
    message_id: Option<Uuid>,
    /// Author of the message; without the name if its content is withheld.
    from: Option<&'a str>,
    /// To recipients of the message; without the names if its content is withheld.
    to: Vec<&'a str>,
    /// Subject of the message; null if its content is withheld.
    subject: Option<&'a str>,
    /// Labels of the message.
    labels: &'a [String],
    /// Time of receipt; null for sent mail.
    received_at: Option<TimestampView>,
    /// `email`, `agent` or `mixed`.
    channel: Option<&'static str>,
    /// Sender's hint: `message`, `task` or `event`.
    r#type: Option<&'static str>,
}

/// The data of an event about a message.
#[derive(Serialize, JsonSchema)]
pub struct MessageEvent<'a> {
    /// Inbox of the message.
    inbox: Option<&'a InboxView>,
    /// Thread of the message.
    thread_id: Option<Uuid>,
    /// Message in its current state.
    message: MessageView<'a>,
    /// Bounced recipients and reasons; only in `message.bounced`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<data::Bounce>")]
    bounce: Option<&'a RawValue>,
    /// Complaint; only in `message.complained`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<data::Complaint>")]
    complaint: Option<&'a RawValue>,
    /// Recipients of this event; only in `message.sent` and `message.delivered`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Vec<String>>")]
    recipients: Option<&'a RawValue>,
}

/// The data of an event about a message that was deleted since.
#[derive(Serialize, JsonSchema)]
pub struct GoneEvent<'a> {
    /// Inbox of the message.
    inbox: Option<&'a InboxView>,
    /// Thread of the message.
    thread_id: Option<Uuid>,
    /// Always null.
    #[schemars(with = "Option<serde_json::Map<String, serde_json::Value>>")]
    message: Option<()>,
    /// Deleted message.
    message_id: Uuid,
    /// Always true.
    gone: bool,
}

/// The data of an event about the text of an attachment; never the text.
#[derive(Serialize, JsonSchema)]
pub struct AttachmentEvent<'a> {
    /// Inbox of the message.
    inbox: Option<&'a InboxView>,
    /// Thread of the message.
    thread_id: Option<Uuid>,
    /// Message that has the attachment.
    message_id: Option<Uuid>,
    /// Attachment in its current state; null if it was deleted since, or the content of the message is withheld.
    attachment: Option<AttachmentView<'a>>,
}

/// The stored detail of an event about an attachment.
#[derive(Deserialize, Default)]
struct AttachmentDetail {
    attachment_id: Option<Uuid>,
}

/// The stored detail of a message event.
#[derive(Deserialize, Default)]
struct EventDetail<'a> {
    #[serde(borrow)]
    bounce: Option<&'a RawValue>,
    #[serde(borrow)]
    complaint: Option<&'a RawValue>,
    #[serde(borrow)]
    recipients: Option<&'a RawValue>,
}

impl RenderableEvent {
    /// Creates an event with the records that its view needs.
    #[must_use]
    pub fn new(
        event: Event,
        inbox: Option<InboxView>,
        record: Option<Record>,
        draft: Option<draft::DraftSnapshot>,
    ) -> Self {
        Self { event, inbox, record, draft }
    }

    /// Returns the event as stored in the log.
    #[must_use]
    pub fn event(&self) -> &Event {
        &self.event
    }
}

impl<'a> EventView<'a> {
    /// Returns the event as JSON text.
    #[must_use]
    pub fn to_json(&self) -> String {
        // Serializing an event view doesn't fail.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Returns the view of an event in full form.
    #[must_use]
    pub fn of(shown: &'a RenderableEvent) -> Self {
        Self::in_form(shown, EventPayload::Full)
    }

    /// Returns the view of an event in the given form.
    #[must_use]
    pub fn in_form(shown: &'a RenderableEvent, form: EventPayload) -> Self {
        let event = &shown.event.event;
        let data = match form {
            EventPayload::Full => full(shown),
            EventPayload::Envelope => EventData::Envelope(envelope(shown)),
        };
        Self { id: event.id.into(), r#type: event.kind.text(), created_at: event.at.into(), data }
    }
}

fn full(shown: &RenderableEvent) -> EventData<'_> {
    let event = &shown.event.event;
    let inbox = shown.inbox.as_ref();
    let thread_id = event.thread.map(Into::into);
    let detail: EventDetail<'_> = serde_json::from_str(&event.detail_json).unwrap_or_default();
    if draft::is_of_draft(event.kind) {
        let message = shown.record.as_ref().map(MessageView::of);
        return EventData::Draft(Box::new(draft::DraftEvent::of(inbox, shown.draft.as_ref(), message)));
    }
    if matches!(event.kind, EventKind::AttachmentExtracted | EventKind::AttachmentExtractionFailed) {
        let detail: AttachmentDetail = serde_json::from_str(&event.detail_json).unwrap_or_default();
        let files = shown.record.iter().filter(|record| !record.withheld).flat_map(|record| &record.attachments);
        let attachment = files.into_iter().find(|file| Some(file.id.into()) == detail.attachment_id);
        let (attachment, message_id) = (attachment.map(AttachmentView::of), event.message.map(Into::into));
        return EventData::Attachment(Box::new(AttachmentEvent { inbox, thread_id, message_id, attachment }));
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

fn envelope(shown: &RenderableEvent) -> EnvelopeData<'_> {
    let event = &shown.event.event;
    let message = shown.record.as_ref().map(|record| &record.message);
    let open = shown.record.as_ref().is_some_and(|record| !record.withheld);
    EnvelopeData {
        inbox_id: event.inbox.map(Into::into),
        thread_id: event.thread.map(Into::into),
        message_id: event.message.map(Into::into),
        from: message.map(|message| message.shown_from(!open)),
        to: message.map_or(Vec::new(), |message| people(&message.to, open)),
        subject: message.and_then(|message| message.subject.as_deref()).filter(|_| open),
        labels: message.map_or(&[], |message| &message.labels),
        received_at: message.and_then(|message| message.received_at).map(Into::into),
        channel: message.map(|message| message.channel.text()),
        r#type: message.map(|message| message.kind.text()),
    }
}
