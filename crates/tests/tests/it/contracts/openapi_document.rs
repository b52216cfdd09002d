//! The OpenAPI description is complete: it contains every route, references resolve, names are unique, and schemas are valid.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use posthouse_domain::error::ErrorCode;
use serde_json::{Value, json};

use posthouse::all_routes;
use posthouse_call::{Access, ErrorForm};
use posthouse_http::{
    openapi::{document, path_parameters},
    pages::docs,
};

fn whole() -> Value {
    document(&posthouse::all_operations(), "http://127.0.0.1:8080")
}

/// Resolves a reference within the document.
fn resolved<'a>(document: &'a Value, value: &'a Value) -> &'a Value {
    let pointer = value["$ref"].as_str().and_then(|reference| reference.strip_prefix('#'));
    pointer.map_or(value, |pointer| document.pointer(pointer).expect("the reference resolves"))
}

/// Returns a schema with what it refers to, also for the items of a list. Their title is their name.
fn written_out(document: &Value, schema: &Value) -> Value {
    let mut whole = resolved(document, schema).clone();
    whole["description"] = schema["description"].clone();
    if let Some(name) = whole["items"]["$ref"].as_str().and_then(|reference| reference.rsplit('/').next()) {
        let mut items = resolved(document, &whole["items"]).clone();
        items["title"] = name.into();
        whole["items"] = items;
    }
    whole
}

/// Returns a schema without its title, which is the name of what the document refers to.
fn untitled(mut schema: Value) -> Value {
    schema.as_object_mut().map(|parts| parts.remove("title"));
    schema
}

/// Visits every value with its JSON pointer.
fn visit<'a>(value: &'a Value, at: &str, seen: &mut impl FnMut(&str, &'a Value)) {
    seen(at, value);
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                visit(member, &format!("{at}/{}", name.replace('~', "~0").replace('/', "~1")), seen);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                visit(item, &format!("{at}/{index}"), seen);
            }
        }
        _ => {}
    }
}

#[test]
fn errors_of_protocols_have_their_own_form() {
    let document = whole();
    for (path, security) in [("/oidc/token", "appSecret"), ("/oidc/userinfo", "accessToken")] {
        let operations = document["paths"][path].as_object().expect("the path");
        for (method, operation) in operations {
            let responses = operation["responses"].as_object().expect("responses");
            for (status, response) in responses.iter().filter(|(status, _)| status.as_str() >= "400") {
                let schema = &resolved(&document, response)["content"]["application/json"]["schema"]["$ref"];
                assert_eq!(schema, "#/components/schemas/OAuthError", "{method} {path} {status}");
            }
            if method == "options" {
                continue;
            }
            assert!(operation["security"][0].get(security).is_some(), "{method} {path}");
            assert!(document["components"]["securitySchemes"].get(security).is_some(), "{security}");
            let has =
                |status: &str, field: &str| resolved(&document, &responses[status])["headers"].get(field).is_some();
            assert!(has("401", "WWW-Authenticate") && has("429", "Retry-After") && has("200", "RateLimit"), "{path}");
        }
    }
    let responses = document["paths"]["/mcp"]["post"]["responses"].as_object().expect("responses");
    for (status, response) in responses.iter().filter(|(status, _)| status.as_str() >= "400") {
        let schema = &resolved(&document, response)["content"]["application/json"]["schema"]["$ref"];
        assert_eq!(schema, "#/components/schemas/JsonRpcError", "{status}");
    }
    let data = &document["components"]["schemas"]["JsonRpcErrorData"];
    assert_eq!(data["required"], json!(["fix"]));
    for method in ["get", "post"] {
        let answers = &document["paths"]["/oidc/authorize"][method]["responses"];
        assert!(resolved(&document, &answers["303"])["headers"].get("Location").is_some(), "{method}");
    }
}

#[test]
fn every_route_is_in_the_document() {
    let document = whole();
    let mut names = HashSet::new();
    for route in all_routes() {
        let method = route.method().as_str().to_ascii_lowercase();
        let operation = &document["paths"][route.operation.path][&method];
        assert_eq!(operation["operationId"], route.operation.name, "{method} {}", route.operation.path);
        assert!(names.insert(route.operation.name), "{} is used twice", route.operation.name);
        assert!(!route.operation.summary.is_empty(), "{} has no summary", route.operation.name);
        assert_ne!(operation["tags"][0], "other", "{} has no chapter", route.operation.name);
        assert!(!route.operation.answers.is_empty(), "{} has no answer", route.operation.name);
        for answer in &route.operation.answers {
            // A WebSocket begins with 101 (RFC 6455 §4.2.2).
            // Another page, or a copy that the client has, is a success too (RFC 9110 §15.4).
            let is_success = (200..300).contains(&answer.status) || [101, 303, 304].contains(&answer.status);
            // A page explains a link that doesn't work, because people read it. OAuth has errors of its own.
            let has_own_errors =
                ["/claim/", "/confirm/", "/oidc/", "/oauth/"].iter().any(|page| route.operation.path.starts_with(page));
            let is_page = has_own_errors && [400, 401].contains(&answer.status);
            let is_of_oauth = route.operation.error_form == ErrorForm::OAuth && [429, 503].contains(&answer.status);
            assert!(is_success || is_page || is_of_oauth, "{} succeeds with {}", route.operation.name, answer.status);
        }
        if let Access::Key(permission, _) = route.operation.access {
            assert_eq!(operation["x-permission"], permission.text());
            for status in ["400", "401", "403", "429", "500", "503"] {
                assert!(operation["responses"].get(status).is_some(), "{} has no {status}", route.operation.name);
            }
        }
        for name in path_parameters(route.operation.path) {
            let parameters = operation["parameters"].as_array().expect("parameters");
            assert!(
                parameters
                    .iter()
                    .map(|one| resolved(&document, one))
                    .any(|one| one["in"] == "path" && one["name"] == name),
                "{} {name}",
                route.operation.name
            );
        }
    }
}

#[test]
fn every_chapter_is_described_and_has_an_operation() {
    let document = whole();
    let operations = ["paths", "webhooks"].into_iter().flat_map(|part| document[part].as_object().expect("operations"));
    let used: BTreeSet<&str> = operations
        .flat_map(|(_, methods)| methods.as_object().expect("methods"))
        .flat_map(|(_, operation)| operation["tags"].as_array().expect("tags"))
        .filter_map(Value::as_str)
        .collect();
    let chapters = document["tags"].as_array().expect("chapters");
    let described: BTreeSet<&str> = chapters.iter().filter_map(|chapter| chapter["name"].as_str()).collect();
    assert_eq!(used, described);
    assert!(chapters.iter().all(|chapter| chapter["description"].as_str().is_some_and(|text| text.ends_with('.'))));
}

#[test]
fn every_body_and_answer_with_a_schema_has_an_example() {
    let document = whole();
    for route in all_routes() {
        let operation = &document["paths"][route.operation.path][route.method().as_str().to_ascii_lowercase()];
        let answers = operation["responses"].as_object().expect("responses");
        let answers = answers.iter().filter(|(status, _)| status.starts_with('2'));
        let answers = answers.map(|(_, answer)| resolved(&document, answer));
        for described in answers.chain([&operation["requestBody"]]) {
            let media = &described["content"]["application/json"];
            if media.get("schema").is_none() {
                continue;
            }
            let example = media.get("example").unwrap_or(&resolved(&document, &media["examples"]["one"])["value"]);
            assert!(!example.is_null(), "{} has no example", route.operation.name);
        }
    }
}

/// Generators of clients fail on schemas that are only `true` or only null (`scripts/clients.sh`).
#[test]
fn every_item_and_member_has_a_type_that_generators_can_read() {
    let document = whole();
    visit(&document, "", &mut |at, value| {
        if at.ends_with("/items") && !at.contains("/example") && !at.ends_with("/properties/items") {
            assert!(value.is_object(), "{at} is {value}");
        }
        if at.contains("/properties/") && !at.contains("/allOf/") && !at.contains("/anyOf/") {
            assert_ne!(value["type"], "null", "{at}");
        }
    });
}

/// Returns the parts of a schema that values have: members, items and alternatives, but not conditions across members.
fn parts<'a>(schema: &'a Value, at: &str) -> Vec<(String, &'a Value)> {
    let members = ["properties", "patternProperties"].into_iter().flat_map(|name| {
        let all = schema[name].as_object().into_iter().flatten();
        all.map(move |(member, part)| (format!("{at}/{member}"), part))
    });
    let inner = ["items", "additionalProperties"].into_iter().filter_map(|name| Some((name, schema.get(name)?)));
    let inner = inner.map(|(name, part)| (format!("{at}/{name}"), part));
    let choices = ["anyOf", "oneOf", "allOf"].into_iter().flat_map(|name| {
        let all = schema[name].as_array().into_iter().flatten().enumerate();
        all.map(move |(index, part)| (format!("{at}/{name}/{index}"), part))
    });
    members.chain(inner).chain(choices).collect()
}

/// Adds the objects that have members and no name: generators make one up, such as `create_body_card_type_0_item`. A condition
/// across members has no type, and a part of an object that another object is built on is no object of its own.
fn add_nameless(schema: &Value, at: &str, found: &mut Vec<String>) {
    for (at, part) in parts(schema, at) {
        let is_own = at.rsplit('/').nth(1) != Some("allOf");
        if is_own && part["type"] == "object" && part["properties"].is_object() && part.get("title").is_none() {
            found.push(at.clone());
        }
        add_nameless(part, &at, found);
    }
}

#[test]
fn every_object_with_members_has_a_name() {
    let document = whole();
    let mut found = Vec::new();
    for (name, schema) in document["components"]["schemas"].as_object().expect("schemas") {
        add_nameless(schema, name, &mut found);
    }
    for part in ["paths", "webhooks", "components"] {
        visit(&document[part], part, &mut |at, value| {
            if at.ends_with("/schema") && !at.contains("/example") {
                add_nameless(&json!({ "items": value }), at, &mut found);
            }
        });
    }
    assert_eq!(found, Vec::<String>::new());
    let sample = json!({ "properties": { "a": { "type": "array", "items": { "type": "object", "properties": {} } } } });
    add_nameless(&sample, "Sample", &mut found);
    assert_eq!(found, ["Sample/a/items"]);
}

/// Generated code has these names: they are what the API calls a thing, without numbers that depend on the other names.
#[test]
fn names_of_schemas_are_words_of_the_api() {
    let document = whole();
    for name in document["components"]["schemas"].as_object().expect("schemas").keys() {
        assert!(!name.contains("View"), "{name}");
        assert!(name == "Base64" || !name.ends_with(|letter: char| letter.is_ascii_digit()), "{name}");
    }
}

#[test]
fn every_reference_resolves() {
    let document = whole();
    visit(&document, "", &mut |at, value| {
        if let Some(reference) = value.get("$ref").and_then(Value::as_str) {
            let pointer = reference.strip_prefix('#').unwrap_or_else(|| panic!("{at} refers elsewhere: {reference}"));
            assert!(document.pointer(pointer).is_some(), "{at} refers to nothing: {reference}");
        }
        assert!(value.get("$defs").is_none() && value.get("definitions").is_none(), "{at} has private definitions");
    });
}

/// Types of JSON Schema 2020-12.
const TYPES: &[&str] = &["null", "boolean", "object", "array", "number", "string", "integer"];

#[test]
fn schemas_have_known_types_and_required_members_exist() {
    let document = whole();
    visit(&document, "", &mut |at, value| {
        if !at.contains("/schema") || at.ends_with("/properties") || at.contains("/examples/") {
            return;
        }
        let kinds: Vec<&str> = match value.get("type") {
            Some(Value::String(kind)) => vec![kind],
            Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
            _ => return,
        };
        assert!(kinds.iter().all(|kind| TYPES.contains(kind)), "{at}: {kinds:?}");
        for name in value["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            assert!(value["properties"].get(name).is_some(), "{at} requires {name}, which it does not describe");
        }
    });
}

#[test]
fn every_property_of_a_schema_is_a_schema() {
    let document = whole();
    visit(&document, "", &mut |at, value| {
        if at.ends_with("/properties") && !at.contains("/example") {
            for (name, member) in value.as_object().into_iter().flatten() {
                assert!(member.is_object() || member.is_boolean(), "{at}/{name} is {member}");
            }
        }
    });
}

#[test]
fn every_code_is_listed_with_its_status() {
    let document = whole();
    let listed = document["x-errors"].as_array().expect("a list");
    assert_eq!(listed.len(), ErrorCode::ALL.len());
    for route in all_routes() {
        let operation = &document["paths"][route.operation.path][route.method().as_str().to_ascii_lowercase()];
        for code in &route.operation.errors {
            let status = code.status().to_string();
            let response = resolved(&document, &operation["responses"][&status]);
            let error =
                &response["content"]["application/json"]["schema"]["patternProperties"]["^error$"]["properties"];
            let of_form = match route.operation.error_form {
                ErrorForm::JsonRpc => &error["data"]["properties"],
                ErrorForm::Api | ErrorForm::OAuth => error,
            };
            let codes = &of_form["code"]["enum"];
            let named = codes.as_array().is_some_and(|codes| codes.iter().any(|one| one == code.text()));
            assert!(named, "{} does not name {}", route.operation.name, code.text());
        }
    }
}

#[test]
fn the_error_schema_describes_the_details_of_every_code() {
    let document = whole();
    let schemas = &document["components"]["schemas"];
    let conditions = schemas["ErrorObject"]["allOf"].as_array().expect("conditions");
    for code in ErrorCode::ALL {
        let condition = conditions.iter().find(|one| one["if"]["properties"]["code"]["const"] == code.text());
        let schema = &schemas[format!("ErrorDetails.{}", code.text())];
        if code.details().is_empty() {
            assert!(condition.is_none() && schema.is_null(), "{} has no details", code.text());
            continue;
        }
        let reference = &condition.unwrap_or_else(|| panic!("{code:?}"))["then"]["properties"]["details"]["$ref"];
        assert_eq!(reference, &format!("#/components/schemas/ErrorDetails.{}", code.text()));
        for rule in code.details() {
            let name = rule.kind.text();
            assert_eq!(written_out(&document, &schema["properties"][name]), untitled(rule.kind.schema()), "{name}");
            let required = schema["required"].as_array().is_some_and(|all| all.iter().any(|one| one == name));
            assert_eq!(required, rule.is_required, "{} {name}", code.text());
        }
    }
}

/// The document is compact: what operations and schemas have in common is a component.
#[test]
fn nothing_long_is_said_twice() {
    let document = whole();
    let size = document.to_string().len();
    assert!(size < 800_000, "{size} bytes");
    let mut seen = HashSet::new();
    for part in ["paths", "webhooks"] {
        visit(&document[part], "", &mut |at, value| {
            let is_part = ["/parameters/", "/responses/"]
                .iter()
                .any(|kind| at.rsplit_once(kind).is_some_and(|(_, rest)| !rest.contains('/')));
            if is_part && value.get("$ref").is_none() {
                assert!(seen.insert(value.to_string()), "{part} has {at} twice: {value}");
            }
        });
    }
    let schemas = document["components"]["schemas"].as_object().expect("schemas");
    let bodies = schemas.iter().filter(|(name, _)| name.ends_with("Body"));
    let mut known = HashSet::new();
    for (name, body) in bodies {
        assert!(known.insert(body.to_string()), "{name} is the body of another operation");
    }
}

/// Names that count would change with the order of the operations, and so would the types of generated clients.
#[test]
fn names_of_shared_answers_do_not_depend_on_the_order_of_the_operations() {
    let responses = |operations: &[posthouse_call::Operation]| {
        let document = document(operations, "http://127.0.0.1:8080");
        let responses = document["components"]["responses"].as_object().expect("responses");
        responses.iter().map(|(name, answer)| (answer.to_string(), name.clone())).collect::<BTreeMap<_, _>>()
    };
    let mut operations = posthouse::all_operations();
    let named = responses(&operations);
    operations.reverse();
    let reversed = responses(&operations);
    for (name, other) in named.values().zip(reversed.values()) {
        assert_eq!(name, other);
    }
    for name in named.values().filter(|name| !name.contains("Rfc822")) {
        assert!(!name.ends_with(|letter: char| letter.is_ascii_digit()), "{name}");
        assert!(name.len() < 90, "{name}");
    }
    assert!(named.len() > 50, "{}", named.len());
}

/// An answer that several operations share says what it is, not who has it.
#[test]
fn no_shared_answer_is_named_after_an_operation() {
    let document = whole();
    let names: Vec<String> =
        posthouse::all_operations().iter().map(|operation| operation.name.to_ascii_lowercase()).collect();
    for name in document["components"]["responses"].as_object().expect("responses").keys() {
        let shown = name.to_ascii_lowercase();
        // The only operation with the name of a whole answer is one whose answer nobody else has.
        let reason = ["forbidden", "conflict", "toomanyrequests", "unprocessableentity", "notfound", "badrequest"];
        let is_of_operation = |operation: &String| {
            shown.strip_prefix(operation.as_str()).is_some_and(|rest| reason.iter().any(|one| rest.starts_with(one)))
        };
        assert!(!names.iter().any(is_of_operation), "{name}");
    }
}

/// The order of the document is that of its paths, wherever their operations are declared.
#[test]
fn paths_and_methods_are_sorted() {
    let document = whole();
    let paths: Vec<&String> = document["paths"].as_object().expect("paths").keys().collect();
    assert!(paths.is_sorted(), "{paths:?}");
    for (path, methods) in document["paths"].as_object().expect("paths") {
        assert!(methods.as_object().expect("methods").keys().is_sorted(), "{path}");
    }
}

/// Every limit of a list is known before the first request.
#[test]
fn every_limit_has_a_default() {
    let document = whole();
    let mut seen = 0;
    visit(&document, "", &mut |at, value| {
        if value["name"] == "limit" && value["in"] == "query" {
            let schema = resolved(&document, &value["schema"]);
            let default = schema["default"].as_u64().unwrap_or_else(|| panic!("{at} has no default"));
            assert!((1..=schema["maximum"].as_u64().unwrap_or_default()).contains(&default), "{at}: {schema}");
            seen += 1;
        }
    });
    assert!(seen > 3, "{seen}");
}

/// Only contents that aren't text have no example.
#[test]
fn every_content_has_a_schema_and_a_text_an_example() {
    let document = whole();
    for route in all_routes() {
        let operation = &document["paths"][route.operation.path][route.method().as_str().to_ascii_lowercase()];
        let answers = operation["responses"].as_object().expect("responses").iter();
        let answers =
            answers.filter(|(status, _)| status.starts_with('2')).map(|(_, answer)| resolved(&document, answer));
        for described in answers.chain([&operation["requestBody"]]) {
            for (kind, media) in described["content"].as_object().into_iter().flatten() {
                let schema = media.get("schema").unwrap_or_else(|| panic!("{} {kind}", route.operation.name));
                let is_shown = media.get("example").or(media.get("examples")).is_some();
                let is_bytes = schema["format"] == "binary" && kind != "message/rfc822";
                assert!(is_shown != is_bytes, "{} {kind}: {media}", route.operation.name);
            }
        }
    }
}

/// Two operations share a parameter only if it means the same for both.
#[test]
fn every_operation_keeps_the_description_of_its_parameters() {
    let document = whole();
    for route in all_routes() {
        let operation = &document["paths"][route.operation.path][route.method().as_str().to_ascii_lowercase()];
        let listed = operation["parameters"].as_array().map(Vec::as_slice).unwrap_or_default();
        for declared in (route.operation.parameters)() {
            let is_there = listed
                .iter()
                .map(|one| resolved(&document, one))
                .any(|one| ["name", "in", "description", "required"].iter().all(|part| one[*part] == declared[*part]));
            assert!(is_there, "{} lost {declared}", route.operation.name);
        }
    }
}

#[test]
fn every_operation_is_rendered_without_external_resources() {
    let document = whole();
    let page = docs::page(&document);
    let llms = docs::llms::page(&document);
    for route in all_routes() {
        assert!(page.contains(&format!("<article id=\"{}\">", route.operation.name)), "{}", route.operation.name);
        assert!(llms.contains(&format!("`{} {}`", route.method(), route.operation.path)), "{}", route.operation.path);
    }
    for foreign in ["<script", "<link", "<img", "src=", "@import", "url(", "style=\"", "onclick"] {
        assert!(!page.contains(foreign), "{foreign}");
    }
    assert_eq!(page.matches("<style>").count(), 1);
}
