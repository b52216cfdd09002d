//! Types of events and forms of their payload, as webhooks, the stream and the log's list name them.

use posthouse_domain::event::{EventKind, Payload};
use serde_json::{Value, json};

use super::{Problems, QueryValue, Wire, kinds::string};

fn kinds() -> Value {
    json!({ "type": "string", "enum": EventKind::ALL.iter().map(|kind| kind.text()).collect::<Vec<_>>() })
}

impl Wire for EventKind {
    fn schema() -> Value {
        kinds()
    }
    fn decode(value: &Value, path: &str, problems: &mut Problems) -> Option<Self> {
        string(value, path, problems, EventKind::read)
    }
}

impl QueryValue for EventKind {
    fn schema() -> Value {
        kinds()
    }
    fn read(text: &str) -> Result<Self, String> {
        EventKind::read(text)
    }
}

impl Wire for Payload {
    fn schema() -> Value {
        json!({ "type": "string", "enum": ["full", "envelope"] })
    }
    fn decode(value: &Value, path: &str, problems: &mut Problems) -> Option<Self> {
        let read = |text: &str| Payload::parse(text).ok_or_else(|| "must be one of full, envelope".to_owned());
        string(value, path, problems, read)
    }
}
