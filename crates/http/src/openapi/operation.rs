//! Describes one route as an OpenAPI operation.

use std::collections::BTreeMap;

use axum::http::StatusCode;
use posthouse_call::{Access, ErrorForm, Method, Operation, RequiredScope, ResultDoc};
use posthouse_domain::text::pascal;
use posthouse_domain::{ErrorCode, Role};
use schemars::SchemaGenerator;
use serde_json::{Map, Value, json};

use super::once::NAME;
use super::schemas::{header_refs, idempotency_key};
use super::{SharedParts, bodies, tag};
use crate::connection::host;

/// The content type of forms.
const FORM: &str = "multipart/form-data";

/// Returns the operation object. Body schemas are added to the shared schemas.
pub(super) fn describe(route: &Operation, generator: &mut SchemaGenerator, shared: &mut SharedParts) -> Value {
    let mut operation = json!({
        "operationId": route.name,
        "tags": [tag(route)],
        "summary": route.summary,
    });
    match route.access {
        Access::Public => operation["security"] = route.security.iter().map(|name| security(name)).collect(),
        Access::Key(permission, reach) => {
            let (reach, scope) = match reach {
                RequiredScope::Any => (None, ""),
                RequiredScope::Workspace => (Some("workspace"), "; inbox-scoped keys are refused"),
                RequiredScope::Org => (Some("org"), "; only org-wide keys are allowed"),
            };
            let more: String = route.also.iter().map(|more| format!(" and `{}`", more.text())).collect();
            let noun = if more.is_empty() { "permission" } else { "permissions" };
            operation["description"] = format!("Needs the {noun} `{}`{more}{scope}.", permission.text()).into();
            operation["x-permission"] = permission.text().into();
            if let Some(reach) = reach {
                operation["x-reach"] = reach.into();
            }
        }
        Access::Session(role) => {
            operation["security"] = json!([{ "session": [] }]);
            let who = if role == Role::Owner { "an owner of the workspace" } else { "a member of the workspace" };
            operation["description"] = format!("Needs the session of {who}.").into();
        }
        Access::Person => {
            operation["security"] = json!([{ "session": [] }]);
            operation["description"] = "Needs the session of a person, who may be in no workspace yet.".into();
        }
    }
    let parameters = parameters(route, &mut shared.schemas);
    if !parameters.is_empty() {
        operation["parameters"] = parameters.into();
    }
    if let Some(body) = body(route, &mut shared.schemas) {
        operation["requestBody"] = body;
    }
    operation["responses"] = responses(route, generator);
    operation
}

fn parameters(route: &Operation, schemas: &mut Map<String, Value>) -> Vec<Value> {
    let mut all: Vec<Value> = path_parameters(route.path)
        .map(|name| {
            let is_id = name == "id" || name.ends_with("_id");
            let schema =
                if is_id { json!({ "type": "string", "format": "uuid" }) } else { json!({ "type": "string" }) };
            json!({ "name": name, "in": "path", "required": true, "schema": schema })
        })
        .collect();
    all.extend((route.parameters)());
    if route.idempotent {
        all.push(idempotency_key());
    }
    for parameter in &mut all {
        bodies::share_member(parameter, "schema", schemas);
    }
    all
}

/// Returns a security requirement; an empty name means no authentication.
fn security(scheme: &str) -> Value {
    if scheme.is_empty() { json!({}) } else { json!({ scheme: [] }) }
}

/// Returns the names of the parameters in a path: those in braces.
pub fn path_parameters(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter_map(|segment| segment.strip_prefix('{')?.strip_suffix('}'))
}

fn body(route: &Operation, schemas: &mut Map<String, Value>) -> Option<Value> {
    let rule = route.body?;
    let mut schema = (route.body_schema)();
    bodies::take_title(&mut schema);
    let form = rule.has_forms.then(|| form_schema(&schema));
    bodies::share_parts(&mut schema, schemas);
    let members = schema.get("properties").and_then(Value::as_object);
    if schema.is_null() || members.is_some_and(Map::is_empty) {
        return None;
    }
    let required = members.is_none() || refuses_empty(&schema);
    let name = pascal(route.name);
    let shown = if members.is_some() { reference(&body_name(schemas, format!("{name}Body"), schema)) } else { schema };
    let mut content = json!({ rule.content_type: { "schema": shown } });
    if let Some(mut form) = form {
        // Within the operation, because generators make parameters of its members instead of a type.
        form["title"] = format!("{name}Form").into();
        content[FORM] = json!({ "schema": form });
    }
    Some(json!({
        "required": required,
        "description": format!("At most {} bytes.", rule.bytes_max),
        "content": content,
    }))
}

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

/// Adds the schema of a body, and returns its name. A second path of an operation has the body of the first.
fn body_name(schemas: &mut Map<String, Value>, name: String, schema: Value) -> String {
    let known = schemas.iter().find(|(known, other)| known.ends_with("Body") && **other == schema);
    if let Some((known, _)) = known {
        return known.clone();
    }
    schemas.insert(name.clone(), schema);
    name
}

/// Returns the schema of a form with the members of a JSON body: texts are fields with the same limits, and an object is a file.
fn form_schema(body: &Value) -> Value {
    let mut members = Map::new();
    for (name, member) in body["properties"].as_object().into_iter().flatten() {
        let is_text =
            member["type"] == "string" || member["type"].as_array().is_some_and(|all| all.contains(&json!("string")));
        let mut field = json!({ "type": "string" });
        if !is_text {
            field["contentMediaType"] = json!("application/octet-stream");
        }
        for kept in ["description", "minLength", "maxLength", "pattern", "format"] {
            if let Some(value) = member.get(kept) {
                field[kept] = value.clone();
            }
        }
        members.insert(name.clone(), field);
    }
    let mut form = json!({ "type": "object", "properties": members, "additionalProperties": false });
    for kept in ["required", "allOf", "anyOf", "oneOf"] {
        if let Some(condition) = body.get(kept) {
            form[kept] = without_types(condition);
        }
    }
    form
}

/// Returns a condition across members without the types of members: a form has no null.
fn without_types(condition: &Value) -> Value {
    match condition {
        Value::Object(parts) => {
            let part = |(name, part): (&String, &Value)| match part.as_object().filter(|_| name == "properties") {
                Some(members) => (name.clone(), members.keys().map(|member| (member.clone(), json!({}))).collect()),
                None => (name.clone(), without_types(part)),
            };
            Value::Object(parts.iter().map(part).collect())
        }
        Value::Array(all) => all.iter().map(without_types).collect(),
        other => other.clone(),
    }
}

/// Returns whether a body schema refuses `{}`: it requires a member, or has a condition that does, by all of its alternatives.
fn refuses_empty(schema: &Value) -> bool {
    let parts = |name: &str| schema[name].as_array().map(Vec::as_slice).unwrap_or_default();
    let no_choice = |choices: &[Value]| !choices.is_empty() && choices.iter().all(refuses_empty);
    !parts("required").is_empty()
        || parts("allOf").iter().any(refuses_empty)
        || no_choice(parts("anyOf"))
        || no_choice(parts("oneOf"))
        || (schema["else"].is_object() && refuses_empty(&schema["if"]))
}

fn responses(route: &Operation, generator: &mut SchemaGenerator) -> Value {
    let mut all = Map::new();
    for answer in &route.answers {
        let mut described = success(route, answer, generator);
        match (all.get_mut(&answer.status.to_string()).and_then(content), content(&mut described)) {
            // Another content type of the same status.
            (Some(known), Some(more)) => known.append(more),
            _ => drop(all.insert(answer.status.to_string(), described)),
        }
    }
    for (status, codes) in refusals(route) {
        let refused = refusal(route, status, &codes);
        match all.get_mut(&status.to_string()) {
            // The route's own response in JSON is more specific than the list of codes. A page is for browsers only.
            Some(own) if own["content"]["application/json"].is_null() => {
                own["content"]["application/json"] = refused["content"]["application/json"].clone();
                own[NAME] = format!("{}Page", refusal_name(route, status, &codes)).into();
            }
            Some(_) => {}
            None => {
                let mut refused = refused;
                refused[NAME] = refusal_name(route, status, &codes).into();
                all.insert(status.to_string(), refused);
            }
        }
    }
    Value::Object(all)
}

/// Returns the contents of a response by type; `None` if it has no body.
fn content(response: &mut Value) -> Option<&mut Map<String, Value>> {
    response.get_mut("content")?.as_object_mut()
}

fn success(route: &Operation, answer: &ResultDoc, generator: &mut SchemaGenerator) -> Value {
    let mut fields = Vec::new();
    match answer.status {
        300..=399 if answer.status != 304 => fields.push("Location"),
        401 => fields.push("WWW-Authenticate"),
        429 | 503 => fields.push("Retry-After"),
        _ => {}
    }
    if is_limited(route) {
        fields.extend(["RateLimit-Policy", "RateLimit"]);
    }
    if route.idempotent {
        fields.push("Idempotent-Replayed");
    }
    let mut response = json!({ "description": reason(answer.status) });
    if !fields.is_empty() {
        response["headers"] = header_refs(&fields);
    }
    if let Some(content_type) = answer.content_type {
        let schema = answer.schema.map_or_else(|| untyped(content_type), |schema| json!(schema(generator)));
        response["content"] = json!({ content_type: { "schema": schema } });
    }
    response
}

/// Returns the schema of an answer whose members aren't described: an object, a text, or bytes.
fn untyped(content_type: &str) -> Value {
    match content_type.split(';').next().unwrap_or_default() {
        "application/json" => json!({ "type": "object" }),
        "application/xml" => json!({ "type": "string" }),
        text if text.starts_with("text/") => json!({ "type": "string" }),
        _ => json!({ "type": "string", "format": "binary" }),
    }
}

/// The most codes in the name of a refusal, if these are all of them.
const NAMED_CODES_MAX: usize = 3;
/// The most codes in the name of a refusal with more codes.
const FIRST_CODES_MAX: usize = 2;
/// Codes that many operations have: the names of refusals with many codes leave them out.
const EVERYDAY_CODES: &[ErrorCode] = &[
    ErrorCode::InsufficientPermissions,
    ErrorCode::Forbidden,
    ErrorCode::Csrf,
    ErrorCode::RateLimited,
    ErrorCode::IdempotencyInFlight,
    ErrorCode::IdempotencyKeyReused,
];

/// Returns the name of a refusal: its codes if they are few, otherwise the first that not many operations have and the number of
/// the others. A damaged store is a case of an unavailable one.
fn refusal_name(route: &Operation, status: u16, codes: &[ErrorCode]) -> String {
    let is_uncounted = status == 429 && !is_limited(route);
    let kind = match route.error_form {
        ErrorForm::OAuth => "OAuth",
        ErrorForm::JsonRpc => "JsonRpc",
        ErrorForm::Api if is_uncounted => "Public",
        ErrorForm::Api => "",
    };
    let named: Vec<&ErrorCode> =
        codes.iter().filter(|code| codes.len() == 1 || **code != ErrorCode::StoreDamaged).collect();
    let is_short = named.len() <= NAMED_CODES_MAX;
    let first = named.iter().filter(|code| is_short || !EVERYDAY_CODES.contains(code));
    let shown: Vec<String> =
        first.take(if is_short { NAMED_CODES_MAX } else { FIRST_CODES_MAX }).map(|code| pascal(code.text())).collect();
    let rest = named.len() - shown.len();
    let others = if rest > 0 { format!("Or{rest}More") } else { String::new() };
    format!("{kind}{}{others}", shown.join("Or"))
}

fn refusal(route: &Operation, status: u16, codes: &[ErrorCode]) -> Value {
    // The headers that any response has are in the description of the API.
    let mut fields = Vec::new();
    if matches!(status, 429 | 503) || codes.contains(&ErrorCode::IdempotencyInFlight) {
        fields.push("Retry-After");
    }
    match status {
        401 => fields.push("WWW-Authenticate"),
        429 if is_limited(route) => fields.extend(["RateLimit-Policy", "RateLimit"]),
        _ => {}
    }
    let names: Vec<&str> = codes.iter().map(|code| code.text()).collect();
    let named: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    let schema = match route.error_form {
        ErrorForm::OAuth => json!({ "$ref": "#/components/schemas/OAuthError" }),
        // An error of the protocol itself has no such code.
        ErrorForm::JsonRpc => json!({
            "$ref": "#/components/schemas/JsonRpcError",
            "patternProperties": {
                "^error$": { "properties": { "data": { "properties": { "code": { "enum": names } } } } },
            },
        }),
        // A pattern beside the reference, so that a client has one type of error: generators take members there for a type of its
        // own.
        ErrorForm::Api => json!({
            "$ref": "#/components/schemas/Error",
            "patternProperties": { "^error$": { "properties": { "code": { "enum": names } } } },
        }),
    };
    let mut refusal = json!({
        "description": format!("{}.", named.join(", ")),
        "content": { "application/json": { "schema": schema } },
    });
    if !fields.is_empty() {
        refusal["headers"] = header_refs(&fields);
    }
    refusal
}

/// Returns whether requests count for a limit that responses state.
fn is_limited(route: &Operation) -> bool {
    route.access.needs_caller() || route.limit.is_some() || !route.security.is_empty()
}

/// Returns the codes that the route can refuse with, by status: its own, and those of the router.
fn refusals(route: &Operation) -> BTreeMap<u16, Vec<ErrorCode>> {
    let mut codes: Vec<ErrorCode> =
        vec![ErrorCode::InvalidRequest, ErrorCode::Internal, ErrorCode::Unavailable, ErrorCode::StoreDamaged];
    if !host::ANY_HOST_PATHS.contains(&route.path) {
        codes.push(ErrorCode::MisdirectedRequest);
    }
    if route.development {
        codes.push(ErrorCode::Forbidden);
    }
    if route.access.needs_caller() {
        codes.extend([ErrorCode::Unauthorized, ErrorCode::InsufficientPermissions, ErrorCode::RateLimited]);
    }
    if matches!(route.access, Access::Key(_, RequiredScope::Workspace | RequiredScope::Org)) {
        codes.push(ErrorCode::Forbidden);
    }
    if route.access.needs_caller() && route.method != Method::Get {
        codes.push(ErrorCode::Csrf);
    }
    if matches!(route.access, Access::Session(_)) {
        codes.push(ErrorCode::Forbidden);
    }
    if path_parameters(route.path).next().is_some() {
        codes.push(ErrorCode::NotFound);
    }
    if route.body.is_some() {
        codes.extend([ErrorCode::BodyTooLarge, ErrorCode::UnsupportedMediaType]);
    }
    if route.idempotent {
        codes.extend([ErrorCode::IdempotencyInFlight, ErrorCode::IdempotencyKeyReused]);
    }
    if (route.parameters)().iter().any(|parameter| parameter["name"] == "cursor") {
        codes.push(ErrorCode::InvalidCursor);
    }
    codes.extend(&route.errors);
    let mut by_status: BTreeMap<u16, Vec<ErrorCode>> = BTreeMap::new();
    for code in ErrorCode::ALL.iter().filter(|code| codes.contains(code)) {
        by_status.entry(code.status()).or_default().push(*code);
    }
    by_status
}

fn reason(status: u16) -> &'static str {
    StatusCode::from_u16(status).ok().and_then(|status| status.canonical_reason()).unwrap_or("Done")
}
