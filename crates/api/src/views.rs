//! Views: the JSON form of each record, the same in responses, events and stored idempotent responses.
//!
//! A view borrows its record and checks no permission; access is checked before a view is built.

#[macro_use]
mod view;

pub mod agent;
pub mod agent_key;
pub mod agent_message;
pub mod connector;
pub mod contact;
pub mod deliverability;
pub mod delivery;
pub mod digest;
pub mod domain;
pub mod draft;
pub mod escalation;
pub mod event;
pub mod extraction;
pub mod forwarding;
pub mod identity;
pub mod identity_client;
pub mod inbox;
pub mod knowledge;
pub mod list_entry;
pub mod local_check;
pub mod message;
pub mod metrics;
pub mod oauth;
mod page;
pub mod queue;
pub mod rule;
pub mod search;
pub mod signing_key;
pub mod signup;
pub mod suppression;
pub mod thread;
pub mod user;
pub mod webhook;
pub mod workspace;

pub use page::{PageView, RenderedPage};
use std::borrow::Cow;

use posthouse_domain::{named::NamedEnum, time::Time};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

/// A time in UTC with milliseconds, written as `2026-01-01T00:00:00.000Z`.
#[derive(Clone, Copy, Debug)]
pub struct TimestampView(Time);

impl From<Time> for TimestampView {
    fn from(time: Time) -> Self {
        Self(time)
    }
}

impl Serialize for TimestampView {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl JsonSchema for TimestampView {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "Moment".into()
    }
    fn json_schema(_generator: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "date-time" })
    }
}

/// Returns the schema of a named enum: a string with the list of its names.
pub fn name_of<E: NamedEnum>(_generator: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "enum": E::names() })
}

/// Returns the schema of a text that is the name of a named enum, or null.
#[must_use]
pub fn optional_name_of<E: NamedEnum>(_generator: &mut SchemaGenerator) -> Schema {
    let mut names: Vec<_> = E::names().into_iter().map(Some).collect();
    names.push(None);
    json_schema!({ "type": ["string", "null"], "enum": names })
}

/// One record, or null if there is nothing to return.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "{T}OrNone")]
pub struct NullableView<T> {
    /// Record, or null.
    pub data: Option<T>,
}

/// The records of a request for several ids.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "{T}Batch")]
pub struct BatchView<T> {
    /// Records in the order of the requested ids.
    pub data: Vec<T>,
    /// Requested ids that don't exist or are out of the key's scope.
    pub missing: Vec<String>,
}

/// Returns stored JSON text unchanged, or null if the text isn't valid JSON (which is never stored).
pub fn json_text(text: &str) -> &RawValue {
    serde_json::from_str(text).unwrap_or(RawValue::NULL)
}

/// Returns the bytes as lower-case hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
