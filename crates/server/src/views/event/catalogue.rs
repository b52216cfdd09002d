//! Every type of event with an example in both forms, made from the types that serve (contract §11.2, §11.5), and the
//! `webhooks` section of the OpenAPI document.

use posthouse_domain::event::{EventKind, Payload};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::{EnvelopeData, EventView, GoneEvent, MessageEvent, data, draft, sample};

/// The catalogue.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "EventCatalogue")]
pub struct CatalogueView {
    data: Vec<EntryView>,
}

/// A type of event.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "EventType")]
pub struct EntryView {
    r#type: &'static str,
    /// When it happens.
    description: &'static str,
    /// A whole event as `payload: full` has it.
    example: Value,
    /// The same event as `payload: envelope` has it.
    envelope_example: Value,
}

/// What a type of event says, for the document.
type Describe = fn(&mut SchemaGenerator) -> Schema;

/// What a type of event says; an event of a message that was deleted since says that alone.
pub(super) fn described(kind: EventKind) -> Vec<Describe> {
    use EventKind::*;
    match kind {
        MessageReceived
        | MessageSent
        | MessageDelivered
        | MessageBounced
        | MessageComplained
        | MessageEnriched
        | MessageReleased
        | MessageReceivedBlocked => vec![of::<MessageEvent<'_>>, of::<GoneEvent<'_>>],
        InboxExpired => vec![of::<data::InboxExpired>],
        InboxPaused => vec![of::<data::InboxPaused>],
        InboxResumed => vec![of::<data::InboxResumed>],
        DomainVerified | DomainFailed | DomainDkimRotated | DomainDkimRotationDue => vec![of::<data::DomainData>],
        WebhookTest => vec![of::<data::WebhookTest>],
        DraftCreated | DraftUpdated | DraftSent | DraftCancelled | DraftFailed => vec![of::<draft::DraftEvent<'_>>],
        WorkspaceStopped => vec![of::<data::WorkspaceStopped>],
        WorkspaceResumed => vec![of::<data::WorkspaceResumed>],
    }
}

fn of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

/// The types that there is something to say of.
fn known() -> impl Iterator<Item = EventKind> {
    EventKind::ALL.iter().copied().filter(|kind| !described(*kind).is_empty())
}

/// The catalogue as it is shown.
#[must_use]
pub fn view() -> CatalogueView {
    let entry = |kind: EventKind| {
        let shown = sample::shown(kind);
        let example = |form| serde_json::to_value(EventView::in_form(&shown, form)).unwrap_or_default();
        EntryView {
            r#type: kind.text(),
            description: kind.meaning(),
            example: example(Payload::Full),
            envelope_example: example(Payload::Envelope),
        }
    };
    CatalogueView { data: known().map(entry).collect() }
}

/// The `webhooks` of the OpenAPI document: the request that each type of event makes.
#[must_use]
pub fn document(generator: &mut SchemaGenerator) -> Value {
    let mut all = Map::new();
    for (kind, entry) in known().zip(view().data) {
        let mut forms: Vec<Schema> = described(kind).into_iter().map(|describe| describe(generator)).collect();
        forms.push(of::<EnvelopeData<'_>>(generator));
        let schema = json!({
            "type": "object",
            "properties": {
                "id": { "type": "string", "format": "uuid", "description": "The same on every attempt and every transport." },
                "type": { "type": "string", "const": kind.text() },
                "created_at": { "type": "string", "format": "date-time" },
                "data": { "anyOf": forms },
            },
            "required": ["id", "type", "created_at", "data"],
        });
        all.insert(kind.text().to_owned(), json!({ "post": operation(kind, schema, &entry) }));
    }
    Value::Object(all)
}

fn operation(kind: EventKind, schema: Value, entry: &EntryView) -> Value {
    let field = |name: &str, description: &str| json!({ "name": name, "in": "header", "required": true, "description": description, "schema": { "type": "string" } });
    json!({
        "operationId": format!("on.{}", kind.text()),
        "tags": ["webhooks"],
        "summary": kind.meaning(),
        "security": [],
        "parameters": [
            field("X-Service-Timestamp", "Unix seconds. Refuse what is more than 300 seconds off."),
            field("X-Service-Signature", "Lower-case hex of HMAC-SHA256 over `<timestamp>.<raw body>`, keyed with the secret as it is shown."),
            field("webhook-id", "The id of the event: take each once."),
            field("webhook-timestamp", "As X-Service-Timestamp."),
            field("webhook-signature", "Standard Webhooks: `v1,<base64>`, two of them with a space between for 24 hours after a rotation."),
        ],
        "requestBody": {
            "required": true,
            "content": { "application/json": { "schema": schema, "examples": {
                "full": { "value": entry.example }, "envelope": { "value": entry.envelope_example },
            } } },
        },
        "responses": {
            "2XX": { "description": "Taken. Anything else, a redirect too, or no whole answer in 10 seconds, is a failure and is tried again 8 times within 24 hours." },
        },
    })
}
