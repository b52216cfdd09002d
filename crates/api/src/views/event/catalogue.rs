//! The event catalog: every event type with an example in both payload forms, rendered by the code that renders real
//! events, and the `webhooks` section of the OpenAPI description.

use posthouse_domain::{
    event::{EventKind, EventPayload},
    text::pascal,
};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::{AttachmentEvent, EnvelopeData, EventView, GoneEvent, MessageEvent, data, draft, sample};

/// The event catalog.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "EventCatalog")]
pub struct EventCatalogView {
    /// Event types.
    data: Vec<EventTypeView>,
}

/// An event type.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "EventType")]
pub struct EventTypeView {
    /// Name of the type.
    r#type: &'static str,
    /// Condition under which the event occurs.
    description: &'static str,
    /// Example event with `payload: full`.
    example: Value,
    /// Same event with `payload: envelope`.
    envelope_example: Value,
}

/// Returns the schema of one form of an event's data.
type Describe = fn(&mut SchemaGenerator) -> Schema;

/// Returns the schemas of an event type's data. A message event has a second form, for a message that was deleted
/// since.
pub(super) fn data_schemas(kind: EventKind) -> Vec<Describe> {
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
        AttachmentExtracted | AttachmentExtractionFailed => vec![of::<AttachmentEvent<'_>>],
        InboxExpired => vec![of::<data::InboxExpired>],
        InboxPaused => vec![of::<data::InboxPaused>],
        InboxResumed => vec![of::<data::InboxResumed>],
        DomainVerified | DomainFailed | DomainDkimRotated | DomainDkimRotationDue => vec![of::<data::DomainData>],
        ConnectorAuthorized => vec![of::<data::ConnectorAuthorized>],
        ConnectorRevoked => vec![of::<data::ConnectorRevoked>],
        EscalationSent => vec![of::<data::EscalationSent>],
        AgentUpdated => vec![of::<data::AgentUpdated>],
        AgentRevoked => vec![of::<data::AgentRevoked>],
        AgentDeleted => vec![of::<data::AgentDeleted>],
        AgentReported => vec![of::<data::AgentReported>],
        KnowledgeCreated | KnowledgeUpdated | KnowledgeDeleted => vec![of::<data::KnowledgeData>],
        WebhookTest => vec![of::<data::WebhookTest>],
        DraftCreated | DraftUpdated | DraftSent | DraftCancelled | DraftFailed => vec![of::<draft::DraftEvent<'_>>],
        WorkspaceStopped => vec![of::<data::WorkspaceStopped>],
        SignupCreated => vec![of::<data::SignupCreated>],
        SignupClaimed => vec![of::<data::SignupClaimed>],
        IdentityTokenIssued | IdentitySignedIn => vec![of::<data::IdentityData>],
        WorkspaceResumed => vec![of::<data::WorkspaceResumed>],
    }
}

fn of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

/// Returns the event types whose data has a schema.
fn documented_kinds() -> impl Iterator<Item = EventKind> {
    EventKind::ALL.iter().copied().filter(|kind| !data_schemas(*kind).is_empty())
}

/// Returns the view of the event catalog.
#[must_use]
pub fn view() -> EventCatalogView {
    let entry = |kind: EventKind| {
        let shown = sample::shown(kind);
        let example = |form| serde_json::to_value(EventView::in_form(&shown, form)).unwrap_or_default();
        EventTypeView {
            r#type: kind.text(),
            description: kind.meaning(),
            example: example(EventPayload::Full),
            envelope_example: example(EventPayload::Envelope),
        }
    };
    EventCatalogView { data: documented_kinds().map(entry).collect() }
}

/// The `webhooks` section of the OpenAPI description.
pub struct WebhooksDocument {
    /// One request for each event type.
    pub requests: Map<String, Value>,
    /// The schemas that the requests refer to, by name: `MessageReceivedEvent`, and the forms of its data.
    pub schemas: Map<String, Value>,
}

/// Returns the `webhooks` section of the OpenAPI description.
#[must_use]
pub fn document(generator: &mut SchemaGenerator) -> WebhooksDocument {
    let (mut requests, mut schemas) = (Map::new(), Map::new());
    for (kind, entry) in documented_kinds().zip(view().data) {
        let mut forms: Vec<Schema> = data_schemas(kind).into_iter().map(|describe| describe(generator)).collect();
        let payload = payload_name(&forms);
        forms.push(of::<EnvelopeData<'_>>(generator));
        let event = format!("{}Event", pascal(kind.text()));
        let schema = json!({
            "type": "object",
            "allOf": [of::<EventView<'_>>(generator)],
            "properties": { "type": { "type": "string", "const": kind.text() }, "data": reference(&payload) },
            "required": ["type", "data"],
        });
        requests.insert(kind.text().to_owned(), json!({ "post": operation(kind, reference(&event), &entry) }));
        schemas.insert(event, schema);
        schemas.insert(payload, json!({ "description": "Data of an event, by payload form.", "anyOf": forms }));
    }
    WebhooksDocument { requests, schemas }
}

/// Returns the name of the payload that has these forms: `MessagePayload` for `MessageEvent`.
fn payload_name(forms: &[Schema]) -> String {
    let first = forms.first().and_then(|form| form.get("$ref")).and_then(Value::as_str).unwrap_or_default();
    let name = first.rsplit('/').next().unwrap_or_default();
    let name = ["EventData", "Data", "Event"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name);
    format!("{name}Payload")
}

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

/// Returns an example of the data of an event in envelope form.
#[must_use]
pub fn envelope_example() -> Value {
    let shown = sample::shown(EventKind::MessageReceived);
    serde_json::to_value(EventView::in_form(&shown, EventPayload::Envelope).data).unwrap_or_default()
}

fn operation(kind: EventKind, schema: Value, entry: &EventTypeView) -> Value {
    let field = |name: &str, description: &str| {
        json!({
            "name": name, "in": "header", "required": true, "description": description, "schema": { "type": "string" },
        })
    };
    json!({
        "operationId": format!("on{}", pascal(kind.text())),
        "tags": ["webhook-events"],
        "summary": kind.meaning(),
        "security": [],
        "parameters": [
            field(
                "X-Service-Timestamp",
                "Unix time of the attempt, in seconds. Reject requests that are more than 300 seconds off.",
            ),
            field(
                "X-Service-Signature",
                "Lower-case hex of HMAC-SHA256 over `<timestamp>.<raw body>`, keyed with the secret as returned.",
            ),
            field("webhook-id", "Event id. Process each id once."),
            field("webhook-timestamp", "Same as X-Service-Timestamp."),
            field(
                "webhook-signature",
                "Standard Webhooks signature: `v1,<base64>`. For 24 hours after a rotation, two signatures, \
                 separated by a space.",
            ),
        ],
        "requestBody": {
            "required": true,
            // The envelope of one type of event is like that of another: its schema has the example.
            "content": { "application/json": { "schema": schema, "examples": { "full": { "value": entry.example } } } },
        },
        "responses": {
            "2XX": {
                "description": "Acknowledged. Any other status, including redirects, or no complete response within 10 \
                    seconds is a failure, with up to 8 retries within 24 hours.",
            },
        },
    })
}
