//! Tasks: waits over a minute, and drafts that wait for a person.

use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use posthouse_domain::{Scope, plan::Plan};
use posthouse_tests::{
    TestServer,
    fixtures::{TestInbox, TestKey},
    http::ApiResponse,
    mail::TestMessage,
};
use reqwest::Method;
use serde_json::{Value, json};

use super::client::{McpClient, STATELESS};

async fn start() -> (TestServer, TestKey, TestInbox, McpClient) {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let inbox = server.inbox(&key).await;
    let extensions = json!({ "extensions": { "io.modelcontextprotocol/tasks": {} } });
    let client = McpClient::new(&server, &key, STATELESS).profile("all").with_capabilities(extensions);
    (server, key, inbox, client)
}

/// Sends a request that looks for a message, while a second passes.
async fn send(server: &TestServer, client: &McpClient, method: &str, params: Value) -> ApiResponse {
    let passing = async {
        server.clock.wait_for_sleepers(1).await;
        server.clock.advance(1_000);
    };
    let (response, ()) = tokio::join!(client.send(method, params), passing);
    response.expect(200)
}

fn wait(inbox: &TestInbox, seconds: u32) -> Value {
    let arguments = json!({ "inbox_id": inbox.id.to_string(), "timeout_seconds": seconds });
    json!({ "name": "wait_for_email", "arguments": arguments })
}

#[tokio::test]
async fn a_wait_over_a_minute_is_a_task() {
    let (server, _, inbox, client) = start().await;
    let task = send(&server, &client, "tools/call", wait(&inbox, 600)).await["result"].clone();
    assert_eq!((&task["resultType"], &task["status"]), (&json!("task"), &json!("working")), "{task}");
    assert_eq!((&task["ttlMs"], &task["pollIntervalMs"]), (&json!(600_000), &json!(5_000)));
    let of_task = json!({ "taskId": task["taskId"] });
    let working = send(&server, &client, "tasks/get", of_task.clone()).await["result"].clone();
    assert_eq!((&working["resultType"], &working["status"]), (&json!("complete"), &json!("working")), "{working}");
    server.deliver(&TestMessage::new("At last", "Here is the answer."), &inbox.address).await;
    let done = client.result("tasks/get", of_task.clone()).await;
    assert_eq!((&done["status"], &done["taskId"]), (&json!("completed"), &task["taskId"]), "{done}");
    let text = done["result"]["content"][0]["text"].as_str().expect("a text");
    assert!(text.starts_with("UNTRUSTED MESSAGE CONTENT") && text.contains("Here is the answer."), "{text}");
    server.finish().await;
}

#[tokio::test]
async fn a_cancelled_wait_ends_at_once() {
    let (server, key, inbox, client) = start().await;
    let task = send(&server, &client, "tools/call", wait(&inbox, 600)).await["result"].clone();
    let of_task = json!({ "taskId": task["taskId"] });
    // Another key of the workspace doesn't end it.
    let extensions = json!({ "extensions": { "io.modelcontextprotocol/tasks": {} } });
    let other = server.key(&key, "messages:read", Scope::Workspace).await;
    let other = McpClient::new(&server, &other, STATELESS).profile("all").with_capabilities(extensions);
    other.result("tasks/cancel", of_task.clone()).await;
    let working = send(&server, &client, "tasks/get", of_task.clone()).await["result"].clone();
    assert_eq!(working["status"], "working");
    for _ in 0..2 {
        assert_eq!(client.result("tasks/cancel", of_task.clone()).await["status"], Value::Null);
    }
    server.deliver(&TestMessage::new("Too late", "It was cancelled."), &inbox.address).await;
    let cancelled = client.result("tasks/get", of_task.clone()).await;
    assert_eq!(cancelled["status"], "cancelled", "{cancelled}");
    server.finish().await;
}

#[tokio::test]
async fn a_profile_limits_the_tasks_of_its_client() {
    let (server, key, inbox, client) = start().await;
    let task = send(&server, &client, "tools/call", wait(&inbox, 600)).await["result"].clone();
    let extensions = json!({ "extensions": { "io.modelcontextprotocol/tasks": {} } });
    // The profile has no tool that waits for mail.
    let admin = McpClient::new(&server, &key, STATELESS).profile("admin").with_capabilities(extensions);
    for method in ["tasks/get", "tasks/cancel"] {
        let answer = admin.send(method, json!({ "taskId": task["taskId"] })).await;
        assert_eq!(answer.json["error"]["code"], -32602, "{method}: {}", answer.json);
    }
    server.finish().await;
}

#[tokio::test]
async fn a_task_client_hears_its_own_limit() {
    let (server, _, inbox, client) = start().await;
    let error = client.refused("wait_for_email", wait(&inbox, 86_401)["arguments"].clone()).await;
    let field = &error["details"]["fields"][0];
    let wanted = json!({ "path": "timeout_seconds", "problem": "must be at most 86400" });
    assert_eq!(*field, wanted, "{error}");
    server.finish().await;
}

#[tokio::test]
async fn a_wait_task_ends_without_a_message() {
    let (server, _, inbox, client) = start().await;
    let task = send(&server, &client, "tools/call", wait(&inbox, 61)).await["result"].clone();
    server.clock.advance(61_000);
    let done = send(&server, &client, "tasks/get", json!({ "taskId": task["taskId"] })).await["result"].clone();
    assert_eq!(done["status"], "completed", "{done}");
    assert!(done["result"]["content"][0]["text"].as_str().unwrap().starts_with("No matching message"), "{done}");
    server.finish().await;
}

#[tokio::test]
async fn a_draft_is_a_task_until_a_person_decides() {
    let (server, key, inbox, client) = start().await;
    let arguments = json!({
        "inbox_id": inbox.id.to_string(), "to": "ada@example.com", "subject": "Plan", "text": "On Monday?",
        "wait_for_approval": true,
    });
    let call = json!({ "name": "create_draft", "arguments": arguments });
    let drafts = format!("/v1/inboxes/{}/drafts", inbox.id);
    for (step, body, status) in [
        ("approve", json!({}), "completed"),
        ("cancel", json!({}), "cancelled"),
        ("send-back", json!({ "note": "Say Tuesday." }), "completed"),
    ] {
        let task = client.send("tools/call", call.clone()).await.expect(200)["result"].clone();
        assert_eq!((&task["resultType"], &task["status"]), (&json!("task"), &json!("working")), "{task}");
        let of_task = json!({ "taskId": task["taskId"] });
        assert_eq!(client.result("tasks/get", of_task.clone()).await["status"], "working");
        let draft = server.api(&key).get(&format!("{drafts}?status=draft")).await.expect(200)["data"][0].clone();
        let mut body = body;
        if step == "approve" {
            body["content_sha256"] = draft["content_sha256"].clone();
        }
        let path = format!("{drafts}/{}/{step}", draft["id"].as_str().unwrap());
        assert!(server.api(&key).post(&path, body).await.status < 300, "{step}");
        let done = client.result("tasks/get", of_task).await;
        assert_eq!(done["status"], status, "{step}: {done}");
    }
    let task = client.send("tools/call", call).await.expect(200)["result"].clone();
    client.result("tasks/cancel", json!({ "taskId": task["taskId"] })).await;
    let cancelled = client.result("tasks/get", json!({ "taskId": task["taskId"] })).await;
    assert_eq!(cancelled["status"], "cancelled", "{cancelled}");
    server.finish().await;
}

#[tokio::test]
async fn a_client_that_does_not_declare_tasks_gets_none() {
    let (server, key, inbox, client) = start().await;
    let plain = McpClient::new(&server, &key, STATELESS).profile("all");
    let error = plain.refused("wait_for_email", wait(&inbox, 600)["arguments"].clone()).await;
    assert_eq!(error["details"]["fields"][0]["path"], "timeout_seconds", "{error}");
    let error = plain.refused("create_draft", json!({ "inbox_id": "1", "wait_for_approval": true })).await;
    assert!(error["message"].as_str().unwrap().contains("wait_for_approval: is unknown"), "{error}");
    let response = plain.send("tasks/get", json!({ "taskId": "x" })).await.expect(400);
    assert_eq!(response["error"]["code"], -32021);
    let wanted = json!({ "requiredCapabilities": { "extensions": { "io.modelcontextprotocol/tasks": {} } } });
    assert_eq!(response["error"]["data"]["requiredCapabilities"], wanted["requiredCapabilities"]);
    assert!(response["error"]["data"]["fix"].is_string());
    let older = McpClient::new(&server, &key, "2025-11-25");
    assert_eq!(older.send("tasks/get", json!({ "taskId": "x" })).await.expect(200)["error"]["code"], -32601);
    assert_eq!(client.send("tasks/list", json!({})).await.expect(404)["error"]["code"], -32601);
    for id in ["x", "WyJzZW5kX2VtYWlsIix7fSwwLDBd"] {
        let response = client.send("tasks/get", json!({ "taskId": id })).await.expect(200);
        assert_eq!(response["error"]["code"], -32602, "{id}");
    }
    let schema = |listed: &Value, name: &str| {
        let tools = listed["tools"].as_array().expect("a list");
        tools.iter().find(|tool| tool["name"] == name).expect("the tool")["inputSchema"]["properties"].clone()
    };
    let listed = client.result("tools/list", json!({})).await;
    assert_eq!(schema(&listed, "wait_for_email")["timeout_seconds"]["maximum"], 86_400);
    assert_eq!(schema(&listed, "create_draft")["wait_for_approval"]["type"], "boolean");
    let listed = plain.result("tools/list", json!({})).await;
    assert_eq!(schema(&listed, "create_draft")["wait_for_approval"], Value::Null);
    server.finish().await;
}

/// A task of one workspace shows another nothing: it looks with the permissions of its caller.
#[tokio::test]
async fn a_task_of_another_workspace_shows_nothing() {
    let (server, _, inbox, client) = start().await;
    let task = send(&server, &client, "tools/call", wait(&inbox, 600)).await["result"].clone();
    server.deliver(&TestMessage::new("Secret", "The secret."), &inbox.address).await;
    let stranger = server.workspace(Plan::Team).await;
    let extensions = json!({ "extensions": { "io.modelcontextprotocol/tasks": {} } });
    let theirs = McpClient::new(&server, &stranger, STATELESS).with_capabilities(extensions);
    let shown = theirs.send("tasks/get", json!({ "taskId": task["taskId"] })).await.expect(200);
    assert_eq!(shown["error"]["code"], -32602, "the id isn't one of that workspace: {}", shown.json);
    assert!(!shown.json.to_string().contains("The secret."), "{}", shown.json);
    server.finish().await;
}

/// A client wrote the id of a task itself, with an end of its choice.
#[tokio::test]
async fn only_the_service_makes_ids_of_tasks() {
    let (server, _, inbox, client) = start().await;
    let task = send(&server, &client, "tools/call", wait(&inbox, 600)).await["result"].clone();
    let id = task["taskId"].as_str().expect("an id");
    let (content, code) = id.split_once('.').expect("a content and a code");
    let parts: Value = serde_json::from_slice(&BASE64_URL_SAFE_NO_PAD.decode(content).unwrap()).unwrap();
    let encoded = |parts: &Value| BASE64_URL_SAFE_NO_PAD.encode(parts.to_string());
    let mut forged = vec![content.to_owned(), format!("{content}."), format!(".{code}"), format!("{content}.AAAA")];
    for (at, value) in [
        (0, json!("create_draft")),
        (0, json!("get_verification_code")),
        (1, json!({})),
        (1, json!({ "inbox_id": inbox.id.to_string() })),
        (2, json!(0)),
        (3, json!(i64::MAX)),
        (3, json!(parts[3].as_i64().unwrap() + 1)),
        (3, json!(0)),
    ] {
        let mut changed = parts.clone();
        changed[at] = value;
        forged.push(format!("{}.{code}", encoded(&changed)));
    }
    for at in (0..code.len()).step_by(4) {
        let other = if &code[at..=at] == "A" { "B" } else { "A" };
        forged.push(format!("{content}.{}{other}{}", &code[..at], &code[at + 1..]));
    }
    for id in forged {
        for method in ["tasks/get", "tasks/cancel"] {
            let answer = client.send(method, json!({ "taskId": id })).await.expect(200);
            assert_eq!(answer["error"]["code"], -32602, "{method} {id}: {}", answer.json);
        }
    }
    let working = send(&server, &client, "tasks/get", json!({ "taskId": id })).await["result"].clone();
    assert_eq!(working["status"], "working", "{working}");
    server.finish().await;
}

/// A draft with a file that is uploaded, and the wish to wait for the person, was refused.
#[tokio::test]
async fn a_draft_that_waits_for_approval_can_get_its_file_over_a_link() {
    let (server, key, inbox, client) = start().await;
    let arguments = json!({
        "inbox_id": inbox.id.to_string(), "to": "ada@example.com", "subject": "Plan", "text": "Attached.",
        "attachments": [{ "filename": "plan.txt", "content_type": "text/plain" }], "wait_for_approval": true,
    });
    let result = client.result("tools/call", json!({ "name": "create_draft", "arguments": arguments })).await;
    let text = result["content"][0]["text"].as_str().expect("a text");
    let shown: Value = serde_json::from_str(text).expect("an object");
    assert_eq!(shown["status"], "waiting_for_files", "{shown}");
    assert!(shown["next"].as_str().unwrap().contains("get_draft"), "{shown}");
    let url = shown["upload_url"].as_str().unwrap();
    let path = &url[url.find("/mcp/files/").unwrap()..];
    let form = "--b\r\nContent-Disposition: form-data; name=\"file1\"; filename=\"x\"\r\n\r\nThe plan.\r\n--b--\r\n";
    let done = server.anonymous().raw(Method::POST, path, "multipart/form-data; boundary=b", form).await.expect(201);
    let read = format!("/v1/inboxes/{}/drafts/{}", inbox.id, done["id"].as_str().unwrap());
    let draft = server.api(&key).get(&read).await.expect(200);
    assert_eq!((&draft["status"], draft["attachments"].as_array().unwrap().len()), (&json!("draft"), 1));
    server.finish().await;
}
