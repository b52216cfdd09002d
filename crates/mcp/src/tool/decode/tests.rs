//! Tests of the way from the arguments of tools to those of operations.

use serde_json::json;

use super::*;
use crate::catalogue;
use crate::invoke::OperationTable;

fn operations() -> OperationTable {
    posthouse_operations::operations().into_iter().map(|operation| (operation.name, operation)).collect()
}

/// Decodes the arguments of a tool.
fn decoded(name: &str, given: Value) -> (DecodedCall, &'static str) {
    let tools = catalogue::tools(&operations());
    let tool = tools.iter().find(|tool| tool.name == name).expect("a tool of the catalogue");
    let given = given.as_object().expect("arguments are an object").clone();
    let call = tool.call_for(&given);
    (decode(tool, call, GivenArguments { client: &given, added: &Map::new() }), call.operation)
}

fn body(call: &DecodedCall) -> Value {
    if call.arguments.body.is_empty() { Value::Null } else { serde_json::from_slice(&call.arguments.body).unwrap() }
}

#[test]
fn arguments_go_where_the_operation_reads_them() {
    let (call, operation) =
        decoded("list_messages", json!({ "inbox_id": "1", "labels": ["a b", "c"], "is_read": false }));
    assert_eq!(operation, "listMessages");
    assert_eq!(call.arguments.path.text("id"), "1");
    assert_eq!(call.arguments.query.as_deref(), Some("labels=a%20b%2Cc&is_read=false"));
    let (call, _) = decoded("update_agent_card", json!({ "inbox_id": "1", "languages": ["de"], "handle": null }));
    assert_eq!(body(&call), json!({ "capabilities": { "languages": ["de"] }, "handle": null }));
    let (call, _) = decoded("send_email", json!({ "inbox_id": "1", "to": "a@b.example", "idempotency_key": "k" }));
    assert_eq!(call.arguments.idempotency_key.as_deref(), Some("k"));
    assert_eq!(body(&call), json!({ "to": "a@b.example" }));
    let (call, _) = decoded("claim_messages", json!({ "inbox_id": "1" }));
    assert_eq!(body(&call), json!({ "limit": 1, "consumer": "mcp" }));
    let (_, operation) = decoded("get_contact", json!({ "address": "a@b.example" }));
    assert_eq!(operation, "getContactByAddress");
}

#[test]
fn every_problem_is_reported_with_the_argument() {
    let table = [
        (
            "list_messages",
            json!({ "inbox": "1" }),
            vec![("inbox", "did you mean inbox_id?"), ("inbox_id", "is required")],
        ),
        ("list_messages", json!({ "inbox_id": "a@b.example" }), vec![("inbox_id", "not its address")]),
        ("get_message", json!({ "message_id": 7 }), vec![("message_id", "must be a string, not a number")]),
        (
            "get_message",
            json!({ "message_id": "1", "max_chars": 0, "include_html": "yes" }),
            vec![("include_html", "must be `true` or `false`"), ("max_chars", "must be")],
        ),
        ("claim_messages", json!({ "inbox_id": "1", "consumer": "me" }), vec![("consumer", "is unknown")]),
        ("get_contact", json!({}), vec![("address", "is required, unless `contact_id` is given")]),
        ("get_thread", json!({}), vec![("thread_id", "is required")]),
        (
            "update_escalation",
            json!({ "inbox_id": "1", "max_per_hour": 3 }),
            vec![("max_per_hour", "can't be combined with `inbox_id`")],
        ),
        ("update_escalation", json!({ "override": true }), vec![("override", "can only be used with `inbox_id`")]),
        (
            "send_email",
            json!({ "inbox_id": "1", "idempotency_key": "" }),
            vec![("idempotency_key", "must be a string")],
        ),
        ("list_messages", json!({ "inbox_id": "1", "labels": [{}] }), vec![("labels", "must be a string")]),
    ];
    for (name, given, wanted) in table {
        let (call, _) = decoded(name, given.clone());
        let refusal = call.problems.finish(Some(())).expect_err("the arguments are wrong");
        let found: Vec<(&str, &str)> =
            refusal.fields().iter().map(|field| (field.path.as_str(), field.problem.as_str())).collect();
        assert_eq!(found.len(), wanted.len(), "{name} {given}: {found:?}");
        for ((path, problem), (wanted_path, part)) in found.into_iter().zip(wanted) {
            assert!(path == wanted_path && problem.contains(part), "{name} {given}: {path} {problem}");
        }
    }
}

#[test]
fn problems_of_the_operation_name_the_argument() {
    let tools = catalogue::tools(&operations());
    let call = |name: &str| &tools.iter().find(|tool| tool.name == name).expect("a tool").calls[0];
    let refusal = renamed(call("wait_for_email"), Refusal::invalid_field("timeout", "must be between 1 and 60"));
    assert_eq!(refusal.message, "timeout_seconds: must be between 1 and 60.");
    let refusal =
        renamed(call("update_agent_card"), Refusal::invalid_field("capabilities.skills[0].id", "is required"));
    assert_eq!(refusal.fields()[0].path, "skills[0].id");
    let refusal = renamed(call("send_email"), Refusal::invalid_field("to[0]", "is not an address"));
    assert_eq!(refusal.fields()[0].path, "to[0]");
}

/// Every argument of every tool: null reaches a change whose operation clears the member, and the list of tools says so.
#[test]
fn null_reaches_the_operation_that_accepts_it() {
    let (operations, mut nullable, mut others) = (operations(), Vec::new(), 0);
    let tools = catalogue::tools(&operations);
    for tool in &tools {
        let entry = crate::server::listing::entry(tool, &operations);
        for call in &tool.calls {
            let operation = &operations[call.operation];
            for argument in call.arguments.iter().filter(|argument| !argument.is_hidden) {
                let Place::Body(member) = argument.place else { continue };
                let mut given = Map::new();
                given.insert(argument.name.to_owned(), Value::Null);
                let body = body(&decode(tool, call, GivenArguments { client: &given, added: &Map::new() }));
                let schema = &(operation.body_schema)()["properties"][member];
                let accepts_null = schema["type"].to_string().contains("\"null\"")
                    || schema["anyOf"].as_array().is_some_and(|all| all.iter().any(|one| one["type"] == "null"));
                let is_change = matches!(operation.method, posthouse_call::Method::Patch | posthouse_call::Method::Put);
                let reaches = body.get(member).is_some_and(Value::is_null);
                assert_eq!(reaches, accepts_null && is_change, "{} {member}: {body}", tool.name);
                let listed = entry["inputSchema"]["properties"][argument.name].to_string();
                if reaches {
                    assert!(listed.contains("\"null\""), "{} {member}: {listed}", tool.name);
                    nullable.push(format!("{}.{}", tool.name, argument.name));
                } else {
                    others += 1;
                }
            }
        }
    }
    for wanted in ["description", "documentation_url", "handle"].map(|name| format!("update_agent_card.{name}")) {
        assert!(nullable.contains(&wanted), "{nullable:?}");
    }
    assert!(nullable.contains(&"update_contact.notes".to_owned()) && others >= 20, "{others} {nullable:?}");
}
