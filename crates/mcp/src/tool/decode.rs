//! From the arguments of a tool to those of an operation, and back for the names in errors.

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use posthouse_api::wire::{Problems, kind, unknown};
use posthouse_call::{Arguments, PathParams};
use posthouse_domain::{
    Refusal,
    error::{Detail, FieldProblem},
};
use serde_json::{Map, Value, json};

use super::{Argument, Place, Tool, ToolCall};

/// The argument that people fill with an address.
const INBOX_ID: &str = "inbox_id";

/// A call that is ready but for the problems of its arguments.
pub(crate) struct DecodedCall {
    /// The arguments of the operation.
    pub(crate) arguments: Arguments,
    /// What is wrong with those of the tool. The operation adds its own, so that one answer has all.
    pub(crate) problems: Problems,
}

/// The arguments of a tool.
#[derive(Clone, Copy)]
pub(crate) struct GivenArguments<'a> {
    /// Those of the client.
    pub(crate) client: &'a Map<String, Value>,
    /// Those that the tool adds where the client gave none.
    pub(crate) added: &'a Map<String, Value>,
}

impl<'a> GivenArguments<'a> {
    fn value(self, argument: &Argument) -> Option<&'a Value> {
        let of_client = self.client.get(argument.name).filter(|_| !argument.is_hidden);
        let of_client = of_client.filter(|value| argument.is_nullable || !value.is_null());
        of_client.or_else(|| self.added.get(argument.name))
    }
}

/// Distributes the arguments of a tool to path, query and body.
pub(crate) fn decode(tool: &Tool, call: &ToolCall, given: GivenArguments<'_>) -> DecodedCall {
    let mut problems = Problems::default();
    report_unknown(tool, call, given.client, &mut problems);
    let (mut path, mut query, mut body) = (Vec::new(), String::new(), Map::new());
    let mut idempotency_key = None;
    for argument in call.arguments.iter().chain(&tool.own) {
        let value = given.value(argument);
        if let (Some(value), Some(own)) = (value, &argument.own) {
            (own.check)(value, argument.name, &mut problems);
        }
        let value = value.or(argument.default.as_ref());
        if value.and_then(Value::as_str).is_some_and(|text| argument.name == INBOX_ID && text.contains('@')) {
            problems.add::<()>(INBOX_ID, "must be the id of the inbox, not its address; list_inboxes has it");
            continue;
        }
        match argument.place {
            Place::Path(name) if value.is_none() => {
                problems.add::<()>(argument.name, missing(tool, argument.name));
                path.push((name.to_owned(), String::new()));
            }
            Place::Path(name) => path.push((name.to_owned(), path_text(argument.name, value, &mut problems))),
            Place::Query(name) => push_query(&mut query, name, argument.name, value, &mut problems),
            Place::Body(name) => {
                if let Some(value) = value {
                    put(&mut body, name, value.clone());
                }
            }
            Place::IdempotencyKey => {
                idempotency_key = value.and_then(Value::as_str).and_then(posthouse_call::idempotency::key);
            }
            Place::Tool => {}
        }
    }
    let path = PathParams::of(path.iter().map(|(name, value)| (name.as_str(), value.as_str())));
    let query = Some(query).filter(|query| !query.is_empty());
    let body = if body.is_empty() { Vec::new() } else { Value::Object(body).to_string().into_bytes() };
    DecodedCall { arguments: Arguments { path, query, body: body.into(), idempotency_key }, problems }
}

/// Reports arguments that the chosen call doesn't have.
fn report_unknown(tool: &Tool, call: &ToolCall, given: &Map<String, Value>, problems: &mut Problems) {
    let known: Vec<&str> = visible(call.arguments.iter().chain(&tool.own)).collect();
    for name in given.keys().filter(|name| !known.contains(&name.as_str())) {
        let of_other_call = tool.calls.iter().any(|other| visible(&other.arguments).any(|one| one == name));
        match call.when {
            Some(chosen) if of_other_call => {
                problems.add::<()>(name, format!("can't be combined with `{chosen}`"));
            }
            None if of_other_call && tool.calls.len() > 1 => {
                let wanted: Vec<&str> = tool.calls.iter().filter_map(|call| call.when).collect();
                problems.add::<()>(name, format!("can only be used with `{}`", wanted.join("` or `")));
            }
            _ => unknown(name, name, known.iter().copied(), problems),
        }
    }
}

fn visible<'a>(arguments: impl IntoIterator<Item = &'a Argument>) -> impl Iterator<Item = &'static str> {
    arguments.into_iter().filter(|argument| !argument.is_hidden).map(|argument| argument.name)
}

/// Explains that an argument is missing, and which one may take its place.
fn missing(tool: &Tool, name: &str) -> String {
    let without = tool.calls.iter().filter(|call| call.arguments.iter().all(|argument| argument.name != name));
    let others: Vec<&str> = without.filter_map(|call| call.when).collect();
    match others.as_slice() {
        [] => "is required".to_owned(),
        others => format!("is required, unless `{}` is given", others.join("` or `")),
    }
}

fn path_text(name: &str, value: Option<&Value>, problems: &mut Problems) -> String {
    match value {
        Some(Value::String(text)) if !text.is_empty() => return text.clone(),
        Some(Value::String(_)) | None => problems.add::<()>(name, "must not be empty"),
        Some(other) => problems.add(name, format!("must be a string, not {}", kind(other))),
    };
    String::new()
}

/// Writes a parameter of the query. Lists are joined with commas, as the API reads them.
fn push_query(query: &mut String, parameter: &str, name: &str, value: Option<&Value>, problems: &mut Problems) {
    let scalar = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    };
    let text = match value {
        None => return,
        Some(Value::Array(items)) => items.iter().map(scalar).collect::<Option<Vec<_>>>().map(|all| all.join(",")),
        Some(one) => scalar(one),
    };
    let Some(text) = text else {
        let found = value.map_or("null", kind);
        problems.add::<()>(name, format!("must be a string, a number, a boolean or a list of strings, not {found}"));
        return;
    };
    if !query.is_empty() {
        query.push('&');
    }
    query.push_str(parameter);
    query.push('=');
    query.extend(utf8_percent_encode(&text, NON_ALPHANUMERIC));
}

/// Puts a value at a place in the body, with dots between nested names.
fn put(body: &mut Map<String, Value>, place: &str, value: Value) {
    match place.split_once('.') {
        None => drop(body.insert(place.to_owned(), value)),
        Some((outer, inner)) => {
            let nested = body.entry(outer).or_insert_with(|| json!({}));
            if let Some(members) = nested.as_object_mut() {
                put(members, inner, value);
            }
        }
    }
}

/// Returns a refusal that names the arguments of the tool instead of the places of the operation.
pub(crate) fn renamed(call: &ToolCall, refusal: Refusal) -> Refusal {
    let problems: Vec<FieldProblem> = refusal.fields().to_vec();
    if problems.is_empty() {
        return refusal;
    }
    let renamed: Vec<FieldProblem> = problems
        .iter()
        .map(|problem| FieldProblem { path: argument_path(call, &problem.path), problem: problem.problem.clone() })
        .collect();
    if renamed == problems {
        return refusal;
    }
    let is_about_fields = refusal.code == posthouse_domain::ErrorCode::InvalidRequest;
    let message = if is_about_fields { Refusal::invalid(&renamed).message } else { refusal.message.clone() };
    Refusal { message, ..refusal }.detail(Detail::Fields(renamed))
}

/// Returns the path of an argument for a path in the operation's request.
fn argument_path(call: &ToolCall, path: &str) -> String {
    for argument in &call.arguments {
        let (Place::Path(place) | Place::Query(place) | Place::Body(place)) = argument.place else { continue };
        if let Some(rest) = path.strip_prefix(place)
            && (rest.is_empty() || rest.starts_with(['.', '[']))
        {
            return format!("{}{rest}", argument.name);
        }
    }
    path.to_owned()
}

#[cfg(test)]
mod tests;
