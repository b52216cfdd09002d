//! Event types and payload forms as request values, for webhooks, the stream and `GET /v1/events`.

use posthouse_domain::event::{EventKind, EventPayload};
use serde_json::{Value, json};

use super::{BodyValue, Problems, QueryValue, kinds::string};

fn event_type_schema() -> Value {
    let names: Vec<&str> = EventKind::ALL.iter().map(|kind| kind.text()).collect();
    json!({ "type": "string", "title": "EventTypeName", "enum": names })
}

impl BodyValue for EventKind {
    fn schema() -> Value {
        event_type_schema()
    }
    fn decode(value: &Value, path: &str, problems: &mut Problems) -> Option<Self> {
        string(value, path, problems, EventKind::read)
    }
}

impl QueryValue for EventKind {
    fn schema() -> Value {
        event_type_schema()
    }
    fn read(text: &str) -> Result<Self, String> {
        EventKind::read(text)
    }
}

impl BodyValue for EventPayload {
    fn schema() -> Value {
        json!({ "type": "string", "enum": ["full", "envelope"] })
    }
    fn decode(value: &Value, path: &str, problems: &mut Problems) -> Option<Self> {
        let read = |text: &str| EventPayload::parse(text).ok_or_else(|| "must be `full` or `envelope`".to_owned());
        string(value, path, problems, read)
    }
}
