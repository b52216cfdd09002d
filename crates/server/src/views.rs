//! What records look like on the wire: one type a record, the same in answers, events and stored first responses.
//!
//! A view borrows the record it shows and decides nothing: whether somebody may see it is decided before it is made.

pub mod contact;
pub mod deliverability;
pub mod domain;
pub mod draft;
pub mod event;
pub mod forwarding;
pub mod inbox;
pub mod list_entry;
pub mod message;
pub mod metrics;
pub mod queue;
pub mod search;
pub mod suppression;
pub mod thread;
pub mod webhook;
pub mod workspace;

use std::borrow::Cow;

use posthouse_domain::{named::Named, time::Time};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

/// A moment as it is shown: `2026-01-01T00:00:00.000Z` (decision 7).
#[derive(Clone, Copy, Debug)]
pub struct Moment(Time);

impl From<Time> for Moment {
    fn from(time: Time) -> Self {
        Self(time)
    }
}

impl Serialize for Moment {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl JsonSchema for Moment {
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

/// The schema of a name of a closed set.
pub(crate) fn name_of<E: Named>(_generator: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "enum": E::names() })
}

/// A page of a list (contract §1.2).
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "{T}Page")]
pub struct PageView<T> {
    /// The records.
    pub data: Vec<T>,
    /// What to pass as `cursor` for the next page; null at the end.
    pub next_cursor: Option<String>,
}

/// One record or none (contract §1.2: wait and verification).
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "{T}OrNone")]
pub struct MaybeView<T> {
    /// The record, or null.
    pub data: Option<T>,
}

/// What a batch found (contract §4.6).
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "{T}Batch")]
pub struct BatchView<T> {
    /// The records, in the order of the ids.
    pub data: Vec<T>,
    /// The ids that are unknown or invisible.
    pub missing: Vec<String>,
}

/// JSON that is stored as text goes out as it is. Text that is no JSON, which this program never stores, goes out as null.
pub(crate) fn json_text(text: &str) -> &RawValue {
    serde_json::from_str(text).unwrap_or(RawValue::NULL)
}
