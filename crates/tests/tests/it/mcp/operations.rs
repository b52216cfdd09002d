//! Each tool does what its operation does: the same records, refusals and values.

use posthouse_domain::plan::Plan;
use posthouse_tests::{TestServer, fixtures::TestKey, http::ApiResponse, mail::TestMessage};
use reqwest::Method;
use serde_json::{Map, Value, json};

use super::client::{McpClient, STATELESS, ToolResult};

/// A tool with its arguments, and the request of the API that does the same.
struct Twin {
    tool: &'static str,
    arguments: Value,
    method: Method,
    path: String,
    body: Option<Value>,
}

/// Members that two calls of an operation that changes something give different values, beside times.
const VOLATILE: [&str; 14] = [
    "id",
    "address",
    "username",
    "thread_id",
    "id_token",
    "jti",
    "lease_id",
    "lease_until",
    "content_sha256",
    "inbox_id",
    "from",
    "sub",
    "name",
    "urls",
];

fn twin(tool: &'static str, arguments: Value, method: Method, path: &str, body: Option<Value>) -> Twin {
    Twin { tool, arguments, method, path: path.to_owned(), body }
}

/// What the arguments of the twins name.
struct Records {
    inbox: String,
    message: String,
    thread: String,
    contact: String,
    draft: String,
    attachment: String,
    unknown: String,
}

fn reading(r: &Records) -> Vec<Twin> {
    let get = |tool, arguments, path: &str| twin(tool, arguments, Method::GET, path, None);
    let (inbox, message, draft) = (&r.inbox, &r.message, &r.draft);
    vec![
        get("list_inboxes", json!({ "limit": 1 }), "/v1/inboxes?limit=1"),
        get("list_identities", json!({}), "/v1/identities"),
        get("get_account", json!({}), "/v1/account"),
        get("get_deliverability", json!({}), "/v1/deliverability"),
        get(
            "list_messages",
            json!({ "inbox_id": inbox, "direction": "inbound", "is_read": false, "labels": ["spf-fail"] }),
            &format!("/v1/inboxes/{inbox}/messages?direction=inbound&is_read=false&labels=spf-fail"),
        ),
        get("get_message", json!({ "message_id": message }), &format!("/v1/messages/{message}")),
        get(
            "get_attachment_text",
            json!({ "message_id": message, "attachment_id": r.attachment, "max_chars": 4 }),
            &format!("/v1/messages/{message}/attachments/{}/text?max_chars=4", r.attachment),
        ),
        twin(
            "extract_attachment",
            json!({ "message_id": message, "attachment_id": r.attachment, "schema": "invoice" }),
            Method::POST,
            &format!("/v1/messages/{message}/attachments/{}/extract", r.attachment),
            Some(json!({ "schema": "invoice" })),
        ),
        get("get_thread", json!({ "thread_id": r.thread }), &format!("/v1/threads/{}", r.thread)),
        get(
            "search_email",
            json!({ "query": "lamps", "inbox_id": inbox }),
            &format!("/v1/search?q=lamps&inbox_id={inbox}"),
        ),
        get("get_contact", json!({ "contact_id": r.contact }), &format!("/v1/contacts/{}", r.contact)),
        get("get_contact", json!({ "address": "ada@example.com" }), "/v1/contacts/by-address/ada%40example.com"),
        get("list_drafts", json!({ "status": ["draft", "sent"] }), "/v1/drafts?status=draft,sent&limit=20"),
        get(
            "get_draft",
            json!({ "inbox_id": inbox, "draft_id": draft }),
            &format!("/v1/inboxes/{inbox}/drafts/{draft}"),
        ),
        get(
            "get_thread",
            json!({ "thread_id": r.thread, "budget": 500, "reset": true }),
            &format!("/v1/threads/{}/digest?budget=500&reset=true", r.thread),
        ),
        get("search_knowledge", json!({ "query": "lamps", "limit": 3 }), "/v1/knowledge/search?q=lamps&limit=3"),
        get("get_escalation", json!({}), "/v1/escalation"),
        get("get_escalation", json!({ "inbox_id": inbox }), &format!("/v1/inboxes/{inbox}/escalation")),
        get(
            "resolve_agent",
            json!({ "address": "none@example.com" }),
            "/v1/directory/resolve?address=none%40example.com",
        ),
        get("resolve_agent", json!({}), "/v1/directory/resolve"),
        get("search_agents", json!({ "q": "lamps" }), "/v1/directory/search?q=lamps&scope=workspace"),
        get("search_public_agents", json!({ "limit": 5 }), "/v1/directory/search?scope=public&limit=5"),
        get("list_agent_keys", json!({ "inbox_id": inbox }), &format!("/v1/inboxes/{inbox}/agent/keys")),
        get("get_message", json!({ "message_id": r.unknown }), &format!("/v1/messages/{}", r.unknown)),
        get(
            "wait_for_email",
            json!({ "inbox_id": inbox, "since": "2020-01-01T00:00:00Z", "from": "ada@example.com" }),
            &format!("/v1/inboxes/{inbox}/messages/wait?since=2020-01-01T00:00:00Z&from=ada@example.com"),
        ),
        get(
            "get_verification_code",
            json!({ "inbox_id": inbox, "since": "2020-01-01T00:00:00Z" }),
            &format!("/v1/inboxes/{inbox}/verification?since=2020-01-01T00:00:00Z"),
        ),
    ]
}

fn post(tool: &'static str, arguments: Value, path: &str, body: Value) -> Twin {
    twin(tool, arguments, Method::POST, path, Some(body))
}

/// Returns both objects as one.
fn with(one: &Value, other: &Value) -> Value {
    let (mut all, other) = (one.as_object().unwrap().clone(), other.as_object().unwrap().clone());
    all.extend(other);
    Value::Object(all)
}

/// A tool whose arguments and body are the same.
fn plain(tool: &'static str, path: &str, body: Value) -> Twin {
    post(tool, body.clone(), path, body)
}

fn creating() -> Vec<Twin> {
    vec![
        plain("create_inbox", "/v1/inboxes", json!({ "display_name": "Desk" })),
        post("create_temporary_inbox", json!({}), "/v1/inboxes", json!({ "ttl_seconds": 900 })),
        plain("create_identity", "/v1/identities", json!({ "display_name": "Bot" })),
        plain("request_claim", "/v1/signup/claim", json!({ "email": "p@person.example" })),
        twin(
            "update_escalation",
            json!({ "max_per_hour": 3 }),
            Method::PUT,
            "/v1/escalation",
            Some(json!({ "max_per_hour": 3 })),
        ),
    ]
}

fn sending(r: &Records) -> Vec<Twin> {
    let (inbox, message) = (&r.inbox, &r.message);
    let mail = json!({ "to": ["a@b.example"], "subject": "Hi", "text": "x", "data": { "a": [1] }, "type": "task" });
    let answer = json!({ "text": "x", "reply_all": true });
    let of_inbox = json!({ "inbox_id": inbox });
    let of_message = json!({ "inbox_id": inbox, "message_id": message });
    let messages = format!("/v1/inboxes/{inbox}/messages");
    let reply = format!("{messages}/{message}/reply");
    let claim = json!({ "lease_seconds": 5 });
    let claimed = json!({ "limit": 1, "lease_seconds": 5, "consumer": "mcp" });
    let lease = json!({ "lease_id": r.unknown });
    vec![
        post("send_email", with(&of_inbox, &mail), &messages, mail.clone()),
        post("send_message", with(&of_inbox, &mail), &messages, mail),
        post("send_email", of_inbox.clone(), &messages, json!({})),
        post("reply_to_email", with(&of_message, &answer), &reply, answer.clone()),
        post("reply_to_message", with(&of_message, &answer), &reply, answer),
        post(
            "draft_reply",
            json!({ "message_id": message }),
            &format!("/v1/messages/{message}/draft-reply"),
            json!({}),
        ),
        post("claim_messages", with(&of_inbox, &claim), &format!("{messages}/claim"), claimed),
        post(
            "ack_message",
            with(&json!({ "message_id": message }), &lease),
            &format!("/v1/messages/{message}/ack"),
            lease,
        ),
    ]
}

fn changing(r: &Records) -> Vec<Twin> {
    let (inbox, draft, unknown) = (&r.inbox, &r.draft, &r.unknown);
    let of_inbox = json!({ "inbox_id": inbox });
    let of_draft = json!({ "inbox_id": inbox, "draft_id": draft });
    let drafts = format!("/v1/inboxes/{inbox}/drafts");
    let content = json!({ "to": ["a@b.example"], "subject": "Hi", "text": "x", "labels": ["one"] });
    let past = json!({ "send_at": "2020-01-01T00:00:00Z" });
    let contact = json!({ "notes": "Kind.", "add_labels": ["vip"], "metadata": { "tier": 2 } });
    let (audience, reason) = (json!({ "audience": "app" }), json!({ "reason": "test" }));
    let card = json!({ "description": "Helps." });
    let path = |rest: &str| format!("/v1/inboxes/{inbox}/{rest}");
    let missing = json!({ "inbox_id": inbox, "draft_id": unknown });
    vec![
        post("create_draft", with(&of_inbox, &content), &drafts, content),
        post("schedule_draft", with(&of_draft, &past), &format!("{drafts}/{draft}/schedule"), past),
        post("send_draft", missing, &format!("{drafts}/{unknown}/send"), json!({})),
        post("cancel_draft", of_draft, &format!("{drafts}/{draft}/cancel"), json!({})),
        twin(
            "update_contact",
            with(&json!({ "contact_id": r.contact }), &contact),
            Method::PATCH,
            &format!("/v1/contacts/{}", r.contact),
            Some(contact),
        ),
        post("get_identity_token", with(&of_inbox, &audience), &path("identity-token"), audience),
        twin("update_agent_card", with(&of_inbox, &card), Method::PATCH, &path("agent"), Some(card)),
        post("pause_inbox", with(&of_inbox, &reason), &path("pause"), reason.clone()),
        post("resume_inbox", of_inbox, &path("resume"), json!({})),
        plain("emergency_stop", "/v1/emergency-stop", reason),
    ]
}

fn writing(r: &Records) -> Vec<Twin> {
    [creating(), sending(r), changing(r)].into_iter().flatten().collect()
}

async fn prepare(server: &TestServer, key: &TestKey) -> Records {
    let inbox = server.inbox(key).await;
    let parts = "--b\r\n\r\nI ordered two lamps. The code is 482913.\r\n--b\r\nContent-Type: text/csv\r\n\
                 Content-Disposition: attachment; filename=order.csv\r\n\r\nlamp;2\r\n--b--";
    let mail = TestMessage::new("Where are my lamps?", parts)
        .with("MIME-Version", "1.0")
        .with("Content-Type", "multipart/mixed; boundary=b");
    server.deliver_from(&mail.with("From", "Ada <ada@example.com>"), "ada@example.com", &inbox.address).await;
    server.settle().await;
    let (api, inbox) = (server.api(key), inbox.id.to_string());
    let document = json!({ "title": "Lamps", "body": "Lamps come within a week." });
    api.post("/v1/knowledge", document).await.expect(201);
    let message = server.newest_message(&api, &inbox).await;
    let text = |value: &Value| value.as_str().expect("an id").to_owned();
    let draft = api.post(&format!("/v1/inboxes/{inbox}/drafts"), json!({ "subject": "Draft" })).await.expect(201);
    Records {
        message: text(&message["id"]),
        thread: text(&message["thread_id"]),
        contact: text(&message["contact_id"]),
        draft: draft.text("id").to_owned(),
        attachment: text(&message["attachments"][0]["id"]),
        unknown: "01900000-0000-7000-8000-000000000000".to_owned(),
        inbox,
    }
}

/// Compares the members that both have.
fn compare(tool: &str, shown: &Value, wanted: &Value, is_read: bool) {
    match (shown, wanted) {
        (Value::Object(shown), Value::Object(wanted)) => {
            for (name, value) in shown {
                let Some(wanted) = wanted.get(name) else { continue };
                // Lines for people in place of objects.
                let is_line = ["sender", "author", "note", "warning"].contains(&name.as_str());
                let is_volatile = VOLATILE.contains(&name.as_str()) || name.ends_with("_at");
                if !is_line && (is_read || !is_volatile) {
                    compare(&format!("{tool}.{name}"), value, wanted, is_read);
                }
            }
        }
        (Value::Array(shown), Value::Array(wanted)) => {
            assert_eq!(shown.len(), wanted.len(), "{tool}");
            shown.iter().zip(wanted).for_each(|(shown, wanted)| compare(tool, shown, wanted, is_read));
        }
        _ => assert_eq!(shown, wanted, "{tool}"),
    }
}

/// Names the lists and inner objects of a tool's value as the API does.
fn as_api(tool: &str, value: &Value) -> Value {
    let mut value = value.clone();
    let names = ["inboxes", "identities", "messages", "results", "drafts", "agents", "keys", "claimed"];
    if let Some(members) = value.as_object_mut().filter(|_| tool != "get_thread" && tool != "get_account") {
        for name in names {
            if let Some(list) = members.remove(name) {
                members.insert("data".to_owned(), list);
            }
        }
    }
    value
}

fn same(twin: &Twin, result: &ToolResult, response: &ApiResponse) {
    let tool = twin.tool;
    if response.status >= 400 {
        let (error, wanted) = (&result.value["error"], &response["error"]);
        assert!(result.is_error, "{tool}: {} but {}", result.text, response.json);
        assert_eq!((&error["code"], &error["status"]), (&wanted["code"], &json!(response.status)), "{tool}");
        return;
    }
    assert!(!result.is_error, "{tool}: {}", result.text);
    let shown = as_api(tool, &result.value);
    let is_wrapped = ["wait_for_email", "get_verification_code"].contains(&tool);
    let wanted = if is_wrapped { &response["data"] } else { &response.json };
    compare(tool, &shown, wanted, twin.method == Method::GET);
    let common =
        shown.as_object().map_or(0, |members| members.keys().filter(|name| wanted.get(*name).is_some()).count());
    let has_own_form = ["emergency_stop", "update_agent_card"].contains(&tool);
    assert!(common > 0 || has_own_form, "{tool}: nothing to compare in {shown} and {wanted}");
}

#[tokio::test]
async fn each_tool_does_what_its_operation_does() {
    let server = TestServer::plain().await;
    // Two equal workspaces, so that a change by the tool doesn't show in the answer of the API.
    let (one, other) = (server.workspace(Plan::Team).await, server.workspace(Plan::Team).await);
    let (of_tools, of_api) = (prepare(&server, &one).await, prepare(&server, &other).await);
    let client = McpClient::new(&server, &one, STATELESS).profile("all");
    let mut compared = Map::new();
    for twin in reading(&of_tools) {
        let result = client.try_call(twin.tool, twin.arguments.clone()).await;
        let response = server.api(&one).send(twin.method.clone(), &twin.path, twin.body.clone()).await;
        same(&twin, &result, &response);
        compared.insert(twin.tool.to_owned(), json!(true));
    }
    for (ours, theirs) in writing(&of_tools).into_iter().zip(writing(&of_api)) {
        if ours.tool == "emergency_stop" {
            // A stop holds what is still queued.
            server.settle().await;
        }
        let result = client.try_call(ours.tool, ours.arguments.clone()).await;
        let response = server.api(&other).send(theirs.method.clone(), &theirs.path, theirs.body.clone()).await;
        same(&theirs, &result, &response);
        compared.insert(ours.tool.to_owned(), json!(true));
    }
    compared.insert("verify_agent_message".to_owned(), json!(true));
    for tool in client.tools().await {
        assert!(compared.contains_key(&tool), "{tool} is compared with no operation");
    }
    server.finish().await;
}

#[tokio::test]
async fn a_signature_is_checked_or_explained() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let records = prepare(&server, &key).await;
    let client = McpClient::new(&server, &key, STATELESS).profile("all");
    let ordinary = client.call("verify_agent_message", json!({ "message_id": records.message })).await;
    assert!(ordinary["explanation"].as_str().unwrap().contains("ordinary email"), "{ordinary}");
    let peer = server.inbox_named(&key, "peer").await;
    let send = json!({ "inbox_id": records.inbox, "to": peer.address, "subject": "Task", "text": "Count the lamps." });
    let sent = client.call("send_message", send).await;
    let outbound = client.call("verify_agent_message", json!({ "message_id": sent["id"] })).await;
    assert!(outbound["explanation"].as_str().unwrap().contains("You sent this message"), "{outbound}");
    let received = server.newest_message(&server.api(&key), &peer.id.to_string()).await;
    let checked = client.call("verify_agent_message", json!({ "message_id": received["id"] })).await;
    assert_eq!(checked["valid"], true, "{checked}");
    server.finish().await;
}

#[tokio::test]
async fn a_card_keeps_the_capabilities_that_are_not_mentioned() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let inbox = server.inbox(&key).await.id.to_string();
    let client = McpClient::new(&server, &key, STATELESS).profile("admin");
    let skills = json!([{ "id": "count", "name": "Counting", "tags": ["lamps"] }]);
    let first = json!({ "inbox_id": inbox, "skills": skills, "accepts_types": ["message", "task"] });
    client.call("update_agent_card", first).await;
    let second = client.call("update_agent_card", json!({ "inbox_id": inbox, "languages": ["de"] })).await;
    assert_eq!(second["card"]["skills"][0]["id"], "count", "{second}");
    assert_eq!(second["card"]["accepts"]["types"], json!(["message", "task"]));
    assert_eq!(second["card"]["accepts"]["languages"], json!(["de"]));
    let error =
        client.refused("update_agent_card", json!({ "inbox_id": inbox, "skills": [{ "id": "!", "name": "x" }] }));
    assert_eq!(error.await["details"]["fields"][0]["path"], "skills[0].id");
    server.finish().await;
}
