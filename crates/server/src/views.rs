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

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;

/// A page of a list (contract §1.2).
#[derive(Serialize, JsonSchema)]
pub struct PageView<T> {
    /// The records.
    pub data: Vec<T>,
    /// What to pass as `cursor` for the next page; null at the end.
    pub next_cursor: Option<String>,
}

/// One record or none (contract §1.2: wait and verification).
#[derive(Serialize, JsonSchema)]
pub struct MaybeView<T> {
    /// The record, or null.
    pub data: Option<T>,
}

/// What a batch found (contract §4.6).
#[derive(Serialize, JsonSchema)]
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
