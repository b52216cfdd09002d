//! `null` in the body of a `PATCH` or of settings either clears the member, and the schema says so, or is refused. It was
//! ignored where nothing can be cleared, so that a client could take it for done.

use posthouse_call::{Method, Operation};
use posthouse_domain::plan::Plan;
use posthouse_tests::TestServer;
use serde_json::{Map, Value, json};

const NO_ID: &str = "00000000-0000-4000-8000-000000000000";
/// Members of these bodies keep their value if they are absent.
const SETTINGS: [&str; 2] = ["updateEscalation", "updateInboxEscalation"];

fn changes() -> Vec<Operation> {
    let all = posthouse::all_operations().into_iter();
    all.filter(|one| one.method == Method::Patch || SETTINGS.contains(&one.name)).collect()
}

fn members(schema: &Value) -> Map<String, Value> {
    schema["properties"].as_object().cloned().unwrap_or_default()
}

fn is_nullable(schema: &Value) -> bool {
    let types = schema["type"].as_array().or_else(|| schema["anyOf"].as_array());
    types.into_iter().flatten().any(|one| one == "null" || one["type"] == "null")
}

#[test]
fn members_of_changes_that_take_null_say_what_it_does() {
    let mut count = 0;
    for operation in changes() {
        for (name, schema) in members(&(operation.body_schema)()) {
            let text = schema["description"].as_str().unwrap_or_default().to_lowercase();
            let is_told = text.contains("null") && name != "metadata";
            assert_eq!(is_nullable(&schema), is_told, "{} {name}: {schema}", operation.name);
            count += 1;
        }
    }
    assert!(count >= 60, "{count} members");
}

#[tokio::test]
async fn null_clears_a_member_or_is_refused() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let owner = server.owner_session(&key).await;
    for operation in changes() {
        let path = operation.path.replace("{id}", NO_ID).replace("{draft_id}", NO_ID);
        assert!(!path.contains('{'), "{path}");
        for (name, schema) in members(&(operation.body_schema)()) {
            let mut body = Map::new();
            body.insert(name.clone(), Value::Null);
            let method = if operation.method == Method::Patch { reqwest::Method::PATCH } else { reqwest::Method::PUT };
            let answer = owner.send(method, &path, Some(Value::Object(body))).await;
            let what = format!("{} {name}: {}", operation.name, answer.json);
            if is_nullable(&schema) {
                assert!([200, 404].contains(&answer.status), "{what}");
            } else {
                assert_eq!(answer.json["error"]["details"]["fields"][0]["path"], json!(name), "{what}");
                assert_eq!(answer.status, 400, "{what}");
            }
        }
    }
    server.finish().await;
}
