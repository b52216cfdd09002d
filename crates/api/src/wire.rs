//! Request types: each decodes itself from JSON or from query parameters, and returns its schema for the OpenAPI
//! document.
//!
//! Validation and documentation come from one type, so they can't disagree. Decoding collects all problems of a request
//! (`docs/decisions/api.md#0001-own-request-decoding`). `docs/ARCHITECTURE.md` lists the values that are
//! parsed where they are used.

mod agents;
mod events;
mod json;
mod jwk;
mod kinds;
mod labels;
mod mail;
mod names;
mod object;
mod query;
mod strict;
mod values;

pub use crate::{choice, object, query};
pub use agents::{
    AddressQuery, AgentRevocationReason, CapabilityText, CardLine, CardProse, CardQueryText, DocumentationUrl,
    FullHandleText, HandlePartText, HandleText, LanguageTag, MediaRange, OasfClassValue, SignatureText, SkillId,
    revocation_reason,
};
pub use json::{BoundedJson, JsonObject, Metadata};
pub use jwk::PublicJwkBody;
pub use kinds::{Base64, BoundedInt, BoundedLine, BoundedList, BoundedText, CommaList, Patch, Replacement, ShownName};
pub use labels::{AddableLabel, Label, UserLabel, label_change, no_label_both_ways};
pub use mail::{AddressText, AuthorFilter, FileName, MimeType, OneOrMany, Recipient};
pub use names::ScreeningChoice;
pub use query::{
    Cursor, EmptyInput, FormField, Limit, MetadataFilters, PageLimit, QueryParameters, QueryValue, Seconds,
    decode_query, paging,
};
pub use strict::{JsonLimits, JsonProblem, parse};
pub use values::{DomainName, FUTURE_EXAMPLE, FutureTime, ListPatternText, SearchText, Sha256Hex, WebhookUrl};

use posthouse_domain::{
    error::{Detail, FieldProblem, LimitName, Refusal},
    text::closest,
    time::Time,
};
use serde_json::{Value, json};
use uuid::Uuid;

/// The maximum number of problems in one error.
const PROBLEMS_MAX: usize = 50;

/// The type of a request body or of one of its fields.
pub trait BodyValue: Sized {
    /// Returns the JSON Schema (2020-12) of the type.
    fn schema() -> Value;

    /// Decodes a value, or records its problems at `path` and returns `None`.
    fn decode(value: &Value, path: &str, problems: &mut Problems) -> Option<Self>;

    /// Returns the value of an absent field, or `None` if the field is required.
    #[must_use]
    fn absent() -> Option<Self> {
        None
    }
}

/// The problems of a request.
#[derive(Debug, Default)]
pub struct Problems {
    fields: Vec<FieldProblem>,
    /// Problems that have an error code of their own where they are the only ones.
    coded: Vec<Refusal>,
    /// The limit of JSON documents that the body exceeds, with its value.
    limit: Option<(LimitName, u64)>,
}

impl Problems {
    /// Records a problem. Always returns `None`, so that a decoder can return the result.
    pub fn add<T>(&mut self, path: &str, problem: impl Into<String>) -> Option<T> {
        if self.fields.len() < PROBLEMS_MAX {
            let path = if path.is_empty() { "body" } else { path };
            self.fields.push(FieldProblem { path: path.to_owned(), problem: problem.into() });
        }
        None
    }

    /// Records a problem that has an error code of its own. Beside other problems it is one of them, so that one response
    /// names them all.
    pub fn also(&mut self, path: &str, refusal: Refusal) {
        if self.coded.len() < PROBLEMS_MAX {
            self.coded.push(refusal.of_field(path));
        }
    }

    /// Returns whether there are no problems.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    /// Returns the decoded value if there are no problems.
    ///
    /// # Errors
    /// Returns `invalid_request` with all problems otherwise, or the error code of its own that they all have.
    pub fn finish<T>(self, value: Option<T>) -> Result<T, Refusal> {
        let Self { mut fields, coded, limit } = self;
        let is_all_coded = fields.is_empty();
        fields.extend(coded.iter().flat_map(|refusal| refusal.fields().iter().cloned()));
        match (value, is_all_coded, coded.into_iter().next()) {
            (Some(value), true, None) => Ok(value),
            (_, true, Some(refusal)) => Err(refusal.detail(Detail::Fields(fields))),
            _ => {
                let refusal = Refusal::invalid(&fields);
                Err(match limit {
                    Some((limit, max)) => refusal.detail(Detail::Limit(limit)).detail(Detail::Max(max)),
                    None => refusal,
                })
            }
        }
    }
}

/// Decodes a request body. An empty body counts as `{}`, because clients send POST requests without a body.
pub fn decode_json<T: BodyValue>(bytes: &[u8], limits: JsonLimits, problems: &mut Problems) -> Option<T> {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return T::decode(&json!({}), "", problems);
    }
    match parse(bytes, limits) {
        Ok(value) => T::decode(&value, "", problems),
        Err(JsonProblem::Invalid(error)) => problems.add("body", format!("is not valid JSON ({error})")),
        Err(JsonProblem::Limit(limit, max)) => {
            problems.limit = Some((limit, max as u64));
            problems.add("body", limit_problem(limit, max))
        }
    }
}

/// States that a JSON document exceeds a limit.
#[must_use]
pub fn limit_problem(limit: LimitName, max: usize) -> String {
    match limit {
        LimitName::JsonDepth => format!("must not be nested deeper than {max}"),
        _ => format!("must have at most {max} values"),
    }
}

/// Returns the path of an object's member, such as `to` or `attachments[0].filename`.
pub fn member(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

/// Returns the JSON type of a value with its article, for problems.
pub fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// Records that a value has the wrong type.
pub fn expected<T>(wanted: &str, value: &Value, path: &str, problems: &mut Problems) -> Option<T> {
    problems.add(path, format!("must be {wanted}, not {}", kind(value)))
}

/// Records an unknown name, and suggests the nearest known one.
pub fn unknown<'a>(name: &str, path: &str, known: impl IntoIterator<Item = &'a str> + Clone, problems: &mut Problems) {
    let problem = match closest(name, known.clone()) {
        Some(near) => format!("is unknown; did you mean {near}?"),
        None => {
            let names: Vec<&str> = known.into_iter().collect();
            if names.is_empty() {
                "is unknown; nothing is accepted here".to_owned()
            } else {
                format!("is unknown; use one of {}", names.join(", "))
            }
        }
    };
    problems.add::<()>(path, problem);
}

impl BodyValue for bool {
    fn schema() -> Value {
        json!({ "type": "boolean" })
    }
    fn decode(value: &Value, path: &str, problems: &mut Problems) -> Option<Self> {
        value.as_bool().or_else(|| expected("`true` or `false`", value, path, problems))
    }
}

impl BodyValue for Uuid {
    fn schema() -> Value {
        json!({ "type": "string", "format": "uuid" })
    }
    fn decode(value: &Value, path: &str, problems: &mut Problems) -> Option<Self> {
        let Some(text) = value.as_str() else { return expected("a UUID", value, path, problems) };
        Uuid::try_parse(text).ok().or_else(|| problems.add(path, "must be a UUID"))
    }
}

impl BodyValue for Time {
    fn schema() -> Value {
        json!({ "type": "string", "format": "date-time" })
    }
    fn decode(value: &Value, path: &str, problems: &mut Problems) -> Option<Self> {
        let Some(text) = value.as_str() else { return expected("an ISO 8601 time", value, path, problems) };
        Time::parse(text).map_err(|problem| problems.add::<()>(path, problem)).ok()
    }
}

impl<T: BodyValue> BodyValue for Option<T> {
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

/// Returns the schema extended to allow null. A choice with a title stays as it is, because its name stands for it.
pub fn nullable(mut schema: Value) -> Value {
    if schema.get("title").is_some() && schema.get("anyOf").is_some() {
        return json!({ "anyOf": [schema, { "type": "null" }] });
    }
    if let Some(choices) = schema.get_mut("anyOf").and_then(Value::as_array_mut) {
        choices.push(json!({ "type": "null" }));
        return schema;
    }
    match schema.get("type") {
        // `not` would apply to null, too.
        Some(Value::String(one)) if schema.get("enum").is_none() && schema.get("not").is_none() => {
            schema["type"] = json!([one, "null"]);
            schema
        }
        _ => json!({ "anyOf": [schema, { "type": "null" }] }),
    }
}

/// Returns the condition that an object has a member of this JSON type. A member that is null counts as omitted.
#[must_use]
pub fn has_member(name: &str, json_type: &str) -> Value {
    json!({ "required": [name], "properties": { name: { "type": json_type } } })
}

/// Adds a condition across members to the schema of an object. It is written as `if`, with `else` nothing is valid, because
/// generators of clients take what a bare alternative requires for members that every request needs.
pub fn also(schema: &mut Value, condition: Value) {
    let condition = json!({ "if": condition, "else": { "not": {} } });
    match schema.get_mut("allOf").and_then(Value::as_array_mut) {
        Some(conditions) => conditions.push(condition),
        None => schema["allOf"] = json!([condition]),
    }
}

#[cfg(test)]
mod tests;
