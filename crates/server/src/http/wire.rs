//! What requests may contain: types that read themselves from JSON or from a query and describe themselves for the
//! OpenAPI document (decision 2).
//!
//! One type is both the check and its documentation, so they cannot disagree. Every problem of a request is collected
//! before it is refused. After decoding no further validation of form exists.

mod events;
mod json;
mod kinds;
mod mail;
mod names;
mod object;
mod query;
mod strict;

pub use json::{Json, JsonObject, Metadata};
pub use kinds::{Base64, CommaList, Int, Label, Line, List, OwnLabel, Patch, Text};
pub use mail::{AddressText, FileName, MimeType, OneOrMany, Recipient, Sender};
pub(crate) use object::{choice, object, query};
pub use query::{Cursor, Empty, Limit, MetadataFilters, Query, QueryValue, Seconds, decode_query, paging, rows};

use posthouse_domain::{
    error::{FieldProblem, Refusal},
    text::nearest,
    time::Time,
};
use serde_json::{Value, json};
use uuid::Uuid;

/// Most problems that one refusal lists.
const PROBLEMS_MAX: usize = 50;

/// A type that a request body or one of its fields can have.
pub trait Wire: Sized {
    /// The JSON Schema (2020-12) of the type.
    fn schema() -> Value;

    /// Reads the value, or records what is wrong with it at `path` and gives nothing.
    fn decode(value: &Value, path: &str, problems: &mut Problems) -> Option<Self>;

    /// The value of a field that was left out; nothing when the field is required.
    #[must_use]
    fn absent() -> Option<Self> {
        None
    }
}

/// Everything that is wrong with a request.
#[derive(Debug, Default)]
pub struct Problems(Vec<FieldProblem>);

impl Problems {
    /// Records a problem; always gives nothing, so that a decoder can end with it.
    pub fn add<T>(&mut self, path: &str, problem: impl Into<String>) -> Option<T> {
        if self.0.len() < PROBLEMS_MAX {
            let path = if path.is_empty() { "body" } else { path };
            self.0.push(FieldProblem { path: path.to_owned(), problem: problem.into() });
        }
        None
    }

    /// Whether nothing was wrong.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Gives the decoded value if there was one and nothing was wrong.
    ///
    /// # Errors
    /// `invalid_request` with every problem.
    pub fn finish<T>(self, value: Option<T>) -> Result<T, Refusal> {
        match value {
            Some(value) if self.0.is_empty() => Ok(value),
            _ => Err(Refusal::invalid(&self.0)),
        }
    }
}

/// Reads a whole request body. An empty body is taken as `{}`, because clients send POSTs without one (contract §1.1).
pub fn decode_json<T: Wire>(bytes: &[u8], problems: &mut Problems) -> Option<T> {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return T::decode(&json!({}), "", problems);
    }
    match serde_json::from_slice::<strict::Strict>(bytes) {
        Ok(strict::Strict(value)) => T::decode(&value, "", problems),
        Err(error) => problems.add("body", format!("is not valid JSON ({error})")),
    }
}

/// The path of a member: `to`, `attachments[0].filename`.
pub(crate) fn member(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

/// What a JSON value is, for problems.
pub(crate) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

pub(crate) fn expected<T>(wanted: &str, value: &Value, path: &str, problems: &mut Problems) -> Option<T> {
    problems.add(path, format!("must be {wanted}, not {}", kind(value)))
}

pub(crate) fn unknown<'a>(
    name: &str,
    path: &str,
    known: impl IntoIterator<Item = &'a str> + Clone,
    problems: &mut Problems,
) {
    let problem = match nearest(name, known.clone()) {
        Some(near) => format!("is not known here; did you mean {near}?"),
        None => {
            let names: Vec<&str> = known.into_iter().collect();
            if names.is_empty() {
                "is not known here; nothing is taken".to_owned()
            } else {
                format!("is not known here; known are {}", names.join(", "))
            }
        }
    };
    problems.add::<()>(path, problem);
}

impl Wire for bool {
    fn schema() -> Value {
        json!({ "type": "boolean" })
    }
    fn decode(value: &Value, path: &str, problems: &mut Problems) -> Option<Self> {
        value.as_bool().or_else(|| expected("true or false", value, path, problems))
    }
}

impl Wire for Uuid {
    fn schema() -> Value {
        json!({ "type": "string", "format": "uuid" })
    }
    fn decode(value: &Value, path: &str, problems: &mut Problems) -> Option<Self> {
        let Some(text) = value.as_str() else { return expected("a UUID", value, path, problems) };
        Uuid::try_parse(text).ok().or_else(|| problems.add(path, "must be a UUID"))
    }
}

impl Wire for Time {
    fn schema() -> Value {
        json!({ "type": "string", "format": "date-time" })
    }
    fn decode(value: &Value, path: &str, problems: &mut Problems) -> Option<Self> {
        let Some(text) = value.as_str() else { return expected("an ISO 8601 time", value, path, problems) };
        Time::parse(text).map_err(|problem| problems.add::<()>(path, problem)).ok()
    }
}

impl<T: Wire> Wire for Option<T> {
    fn schema() -> Value {
        nullable(T::schema())
    }
    fn decode(value: &Value, path: &str, problems: &mut Problems) -> Option<Self> {
        if value.is_null() { Some(None) } else { T::decode(value, path, problems).map(Some) }
    }
    fn absent() -> Option<Self> {
        Some(None)
    }
}

/// The schema that also allows null.
pub(crate) fn nullable(mut schema: Value) -> Value {
    if let Some(choices) = schema.get_mut("anyOf").and_then(Value::as_array_mut) {
        choices.push(json!({ "type": "null" }));
        return schema;
    }
    match schema.get("type") {
        Some(Value::String(one)) if schema.get("enum").is_none() => {
            schema["type"] = json!([one, "null"]);
            schema
        }
        _ => json!({ "anyOf": [schema, { "type": "null" }] }),
    }
}

#[cfg(test)]
mod tests;
