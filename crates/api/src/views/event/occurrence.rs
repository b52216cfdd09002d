//! Events as MCP clients get them: the occurrence, and the catalog of event types with their schemas (SEP-3415).

use posthouse_domain::{
    event::{Event, EventKind, EventPayload},
    webhook::subscription::OCCURRENCE_BYTES_MAX,
};
use schemars::{Schema, SchemaGenerator, generate::SchemaSettings, transform::RecursiveTransform};
use serde::Serialize;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::{EnvelopeData, EventData, EventView, RenderableEvent, catalogue::data_schemas};
use crate::views::TimestampView;

/// Room for the members that are added to an occurrence for one receiver, in bytes.
const ADDED_BYTES_MAX: usize = 512;

/// An event as MCP clients get it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct EventOccurrence<'a> {
    event_id: Uuid,
    name: &'static str,
    timestamp: TimestampView,
    data: EventData<'a>,
}

/// Returns an event as the JSON of an occurrence, or `None` if it is larger than a delivery may be.
#[must_use]
pub fn occurrence(shown: &RenderableEvent, form: EventPayload) -> Option<String> {
    let EventView { id, r#type, created_at, data } = EventView::in_form(shown, form);
    let occurrence = EventOccurrence { event_id: id, name: r#type, timestamp: created_at, data };
    // Serializing an event view doesn't fail.
    let text = serde_json::to_string(&occurrence).unwrap_or_default();
    (text.len() + ADDED_BYTES_MAX <= OCCURRENCE_BYTES_MAX).then_some(text)
}

/// Returns the occurrence of an event that is too large in every form: with the ids of its records.
#[must_use]
pub fn smallest_occurrence(event: &Event) -> String {
    let event = &event.event;
    let ids = EnvelopeData {
        inbox_id: event.inbox.map(Into::into),
        thread_id: event.thread.map(Into::into),
        message_id: event.message.map(Into::into),
        from: None,
        to: Vec::new(),
        subject: None,
        labels: &[],
        received_at: None,
        channel: None,
        r#type: None,
    };
    let (event_id, name, timestamp) = (event.id.into(), event.kind.text(), event.at.into());
    let occurrence = EventOccurrence { event_id, name, timestamp, data: EventData::Envelope(ids) };
    serde_json::to_string(&occurrence).unwrap_or_default()
}

/// Adds the cursor to the JSON of an occurrence.
#[must_use]
pub fn with_cursor(occurrence: &str, cursor: Uuid) -> String {
    format!("{},\"cursor\":\"{cursor}\"}}", without_end(occurrence))
}

/// Adds `_meta` to the JSON of an occurrence.
#[must_use]
pub fn with_meta(occurrence: &str, meta: &Value) -> String {
    format!("{},\"_meta\":{meta}}}", without_end(occurrence))
}

/// Returns the error that ends a stream or a subscription whose access was revoked.
#[must_use]
pub fn revoked() -> Value {
    json!({
        "code": -32012,
        "message": "Forbidden",
        "data": {
            "reason": "The access was revoked.",
            "fix": "Use a key with the permission `messages:read`, or connect the program again; start from the last cursor.",
        },
    })
}

/// Returns the JSON of an object without its last brace.
fn without_end(object: &str) -> &str {
    object.strip_suffix('}').unwrap_or(object)
}

/// Returns the event types that MCP clients can subscribe to. Test events are for the webhook that is tested.
pub fn subscribable() -> impl Iterator<Item = EventKind> {
    EventKind::ALL.iter().copied().filter(|kind| *kind != EventKind::WebhookTest)
}

/// Returns the catalog entry of an event type. Its schema of the payload says nothing in words: the list of all entries would
/// be twice as long, and clients read the whole list.
#[must_use]
pub fn definition(kind: EventKind) -> Value {
    let without_words = RecursiveTransform(|schema: &mut Schema| drop(schema.remove("description")));
    let mut generator = SchemaSettings::draft2020_12().with_transform(without_words).into_generator();
    json!({
        "name": kind.text(),
        "description": kind.meaning(),
        "delivery": ["webhook", "push", "poll"],
        "inputSchema": input_schema(),
        "payloadSchema": payload_schema(kind, &mut generator),
    })
}

fn input_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "inbox_id": {
                "type": "string", "format": "uuid",
                "description": "Only events of this inbox. If omitted, all events that the key can see.",
            },
            "payload": {
                "type": "string", "enum": [EventPayload::Full.text(), EventPayload::Envelope.text()],
                "default": EventPayload::default().text(),
                "description": "`envelope` leaves out all content of the mail.",
            },
        },
        "additionalProperties": false,
    })
}

fn payload_schema(kind: EventKind, generator: &mut SchemaGenerator) -> Value {
    let mut forms: Vec<Value> = data_schemas(kind).into_iter().map(|describe| describe(generator).to_value()).collect();
    forms.push(generator.subschema_for::<EnvelopeData<'_>>().to_value());
    let definitions: Map<String, Value> = generator.take_definitions(true).into_iter().collect();
    json!({ "type": "object", "anyOf": forms, "$defs": definitions })
}

#[cfg(test)]
mod tests {
    use posthouse_domain::{event::NewEvent, id::EventId, id::WorkspaceId, time::Time};

    use super::*;

    #[test]
    fn every_type_has_closed_schemas_that_stand_alone() {
        let mut bytes = 0;
        for kind in subscribable() {
            let entry = definition(kind);
            let text = entry.to_string();
            bytes += text.len();
            assert!(!text.contains("#/components/"), "{}", kind.text());
            for reference in text.split("\"#/$defs/").skip(1) {
                let name = reference.split('"').next().unwrap_or_default();
                assert!(entry["payloadSchema"]["$defs"].get(name).is_some(), "{name} of {}", kind.text());
            }
        }
        assert!(bytes < 300_000, "{bytes}");
    }

    #[test]
    fn the_smallest_occurrence_names_the_event() {
        let id = EventId(Uuid::from_u128(9));
        let event = NewEvent::new(EventKind::MessageReceived, WorkspaceId(Uuid::nil()), id, Time::from_millis(0));
        let text = smallest_occurrence(&Event { seq: 1, released: false, event });
        let text = with_meta(&with_cursor(&text, id.into()), &json!({ "m": 1 }));
        let value: Value = serde_json::from_str(&text).unwrap();
        assert_eq!((&value["eventId"], &value["cursor"]), (&json!(id.to_string()), &json!(id.to_string())));
        assert_eq!(value["_meta"], json!({ "m": 1 }));
        assert_eq!(value["name"], "message.received");
    }
}
