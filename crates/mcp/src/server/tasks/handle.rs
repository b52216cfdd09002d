//! The id of a task, which holds all of its state.

use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use posthouse_domain::Time;
use serde_json::{Map, Value, json};

/// Longest id in characters. A wait holds the filters of its call, which are short.
const CHARS_MAX: usize = 4096;

/// What a task waits for.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Handle {
    /// The tool that was called.
    pub(super) tool: String,
    /// The arguments with which to look whether it has happened.
    pub(super) arguments: Map<String, Value>,
    /// When it was called.
    pub(super) created_at: Time,
    /// When it ends without a result.
    pub(super) ends_at: Time,
}

impl Handle {
    /// Reads the id of a task; `None` if it isn't one.
    pub(super) fn parse(text: &str) -> Option<Self> {
        if text.len() > CHARS_MAX {
            return None;
        }
        let bytes = BASE64_URL_SAFE_NO_PAD.decode(text).ok()?;
        let parts: Value = serde_json::from_slice(&bytes).ok()?;
        let [Value::String(tool), Value::Object(arguments), created_at, ends_at] = parts.as_array()?.as_slice() else {
            return None;
        };
        let (created_at, ends_at) = (created_at.as_i64()?, ends_at.as_i64()?);
        let (created_at, ends_at) = (Time::from_millis(created_at), Time::from_millis(ends_at));
        Some(Self { tool: tool.clone(), arguments: arguments.clone(), created_at, ends_at })
    }

    /// Returns the id.
    pub(super) fn text(&self) -> String {
        let parts = json!([self.tool, self.arguments, self.created_at.millis(), self.ends_at.millis()]);
        BASE64_URL_SAFE_NO_PAD.encode(parts.to_string())
    }

    /// Returns whether the id is short enough to be one.
    pub(super) fn fits(&self) -> bool {
        self.text().len() <= CHARS_MAX
    }

    /// Returns for how long it lasts, in milliseconds.
    pub(super) fn lifetime_ms(&self) -> i64 {
        self.ends_at.since_ms(self.created_at)
    }
}
