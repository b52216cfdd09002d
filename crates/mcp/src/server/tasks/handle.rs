//! The id of a task, which holds all of its state and a code that proves that the service made it.

use posthouse_app::access::task_ids;
use posthouse_domain::{Refusal, Time};
use serde_json::{Map, Value, json};

use crate::invoke::Invoker;

/// Longest id in characters. A wait holds the filters of its call, which are short.
const CHARS_MAX: usize = 4096;

/// What a task waits for.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Handle {
    /// The id.
    pub(super) id: String,
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
    /// Creates a task of the caller's workspace, which begins with the request and ends after that time.
    ///
    /// # Errors
    /// Returns `internal_error` if the instance key can't be read.
    pub(super) fn new(
        invoker: &Invoker<'_>,
        tool: &str,
        arguments: Map<String, Value>,
        lifetime_ms: i64,
    ) -> Result<Self, Refusal> {
        let created_at = invoker.source.arrived_at;
        let ends_at = created_at.plus_ms(lifetime_ms);
        let content = json!([tool, arguments, created_at.millis(), ends_at.millis()]).to_string();
        let id = task_ids::issue(invoker.service, invoker.caller.caller.workspace, &content)?;
        Ok(Self { id, tool: tool.to_owned(), arguments, created_at, ends_at })
    }

    /// Reads the id of a task of the caller's workspace; `None` if it isn't one.
    ///
    /// # Errors
    /// Returns `internal_error` if the instance key can't be read.
    pub(super) fn parse(invoker: &Invoker<'_>, id: &str) -> Result<Option<Self>, Refusal> {
        if id.len() > CHARS_MAX {
            return Ok(None);
        }
        let content = task_ids::read(invoker.service, invoker.caller.caller.workspace, id)?;
        Ok(content.and_then(|content| Self::of(id, &content)))
    }

    fn of(id: &str, content: &[u8]) -> Option<Self> {
        let parts: Value = serde_json::from_slice(content).ok()?;
        let [Value::String(tool), Value::Object(arguments), created_at, ends_at] = parts.as_array()?.as_slice() else {
            return None;
        };
        let (created_at, ends_at) = (created_at.as_i64()?, ends_at.as_i64()?);
        let (created_at, ends_at) = (Time::from_millis(created_at), Time::from_millis(ends_at));
        Some(Self { id: id.to_owned(), tool: tool.clone(), arguments: arguments.clone(), created_at, ends_at })
    }

    /// Returns whether the id is short enough to be one.
    pub(super) fn fits(&self) -> bool {
        self.id.len() <= CHARS_MAX
    }

    /// Returns for how long it lasts, in milliseconds.
    pub(super) fn lifetime_ms(&self) -> i64 {
        self.ends_at.since_ms(self.created_at)
    }
}
