//! Which tools a client sees, and what the list says about them.

use posthouse_domain::{Scope, plan::Plan};
use posthouse_tests::TestServer;
use serde_json::{Value, json};

use super::client::{McpClient, STATELESS};

/// Most tokens that the default list of tools may have, at 4 bytes each.
const TOKENS_MAX: usize = 6_000;
/// Most tools in the default list.
const TOOLS_MAX: usize = 15;

#[tokio::test]
async fn profiles_choose_the_tools() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let client = |name: &str| McpClient::new(&server, &key, STATELESS).profile(name);
    let all = client("all").tools().await;
    for name in ["read", "reply", "admin"] {
        let tools = client(name).tools().await;
        assert!(tools.len() < all.len() && tools.iter().all(|tool| all.contains(tool)), "{name}: {tools:?}");
    }
    let default = McpClient::new(&server, &key, STATELESS);
    assert_eq!(default.tools().await, client("reply").tools().await);
    assert!(default.tools().await.len() <= TOOLS_MAX);
    let listed = client("read").result("tools/list", json!({})).await;
    let reads = |tool: &Value| tool["annotations"]["readOnlyHint"] == true;
    assert!(listed["tools"].as_array().unwrap().iter().all(reads), "{listed}");
    let response = client("write").send("tools/list", json!({})).await.expect(200);
    assert_eq!(response["error"]["code"], -32602);
    let message = response["error"]["message"].as_str().unwrap().to_owned();
    assert!(["read", "reply", "admin", "all"].iter().all(|name| message.contains(&format!("`{name}`"))), "{message}");
    let call = json!({ "name": "send_email", "arguments": {} });
    let response = client("read").send("tools/call", call).await.expect(200);
    assert!(response["error"]["message"].as_str().unwrap().contains("?profile=reply"), "{}", response.json);
    let response = client("all").send("tools/call", json!({ "name": "send_emial" })).await.expect(200);
    assert!(response["error"]["message"].as_str().unwrap().contains("Did you mean `send_email`?"));
    server.finish().await;
}

#[tokio::test]
async fn the_default_list_is_short() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let listed = McpClient::new(&server, &key, STATELESS).result("tools/list", json!({})).await;
    let tokens = listed["tools"].to_string().len().div_ceil(4);
    assert!(tokens <= TOKENS_MAX, "the default list of tools has {tokens} tokens, at most {TOKENS_MAX}");
    server.finish().await;
}

#[tokio::test]
async fn permissions_hide_tools() {
    let server = TestServer::plain().await;
    let owner = server.workspace(Plan::Team).await;
    let key = server.key(&owner, "messages:read", Scope::Workspace).await;
    let client = McpClient::new(&server, &key, STATELESS).profile("all");
    let tools = client.tools().await;
    assert!(tools.contains(&"get_message".to_owned()) && !tools.contains(&"send_email".to_owned()), "{tools:?}");
    assert!(!tools.contains(&"list_inboxes".to_owned()) && !tools.contains(&"create_draft".to_owned()), "{tools:?}");
    let inbox = server.inbox(&owner).await;
    let send = json!({ "inbox_id": inbox.id.to_string(), "to": "a@b.example", "subject": "x", "text": "x" });
    let error = client.refused("send_email", send).await;
    assert_eq!((&error["code"], &error["status"]), (&json!("insufficient_permissions"), &json!(403)));
    assert!(error["message"].as_str().unwrap().contains("messages:send"), "{error}");
    server.finish().await;
}

/// Instructions and prompts named tools that the key had no permission for.
#[tokio::test]
async fn permissions_hide_instructions_and_prompts() {
    let server = TestServer::plain().await;
    let owner = server.workspace(Plan::Team).await;
    let key = server.key(&owner, "inboxes:read,messages:read", Scope::Workspace).await;
    let client = McpClient::new(&server, &key, STATELESS).profile("all");
    let usable = client.tools().await;
    let discovered = client.result("server/discover", json!({})).await;
    let text = discovered["instructions"].as_str().unwrap();
    assert!(text.contains("list_messages") && !text.contains("reply_to_email") && !text.contains("create_"), "{text}");
    assert!(!text.contains("emergency_stop") && usable.iter().all(|tool| tool != "emergency_stop"), "{text}");
    let listed = client.result("prompts/list", json!({})).await;
    let names: Vec<&str> = listed["prompts"].as_array().unwrap().iter().map(|p| p["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["wait_for_code"]);
    server.finish().await;
}

/// A cursor of a list with one page was ignored, so a client could read the same page forever.
#[tokio::test]
async fn a_list_with_one_page_has_no_cursor() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    for revision in [STATELESS, "2025-11-25"] {
        let client = McpClient::new(&server, &key, revision);
        for method in ["tools/list", "prompts/list", "resources/list", "resources/templates/list", "events/list"] {
            let response = client.send(method, json!({ "cursor": "made-up" })).await.expect(200);
            assert_eq!(response["error"]["code"], -32602, "{method}: {}", response.json);
            assert!(response["error"]["data"]["fix"].is_string(), "{method}: {}", response.json);
        }
    }
    server.finish().await;
}

#[tokio::test]
async fn every_tool_says_what_it_does() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let listed = McpClient::new(&server, &key, STATELESS).profile("all").result("tools/list", json!({})).await;
    let mut destructive = Vec::new();
    for tool in listed["tools"].as_array().unwrap() {
        let (name, hints) = (tool["name"].as_str().unwrap(), &tool["annotations"]);
        for hint in ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] {
            assert!(hints[hint].is_boolean(), "{name}: {hint}");
        }
        assert!(tool["title"].is_string() && hints["title"] == tool["title"], "{name}");
        assert!(tool["description"].as_str().unwrap().ends_with('.'), "{name}");
        assert_eq!(tool["inputSchema"]["type"], "object", "{name}");
        assert!(tool.get("outputSchema").is_none_or(|schema| schema["type"] == "object"), "{name}");
        for (argument, schema) in tool["inputSchema"]["properties"].as_object().unwrap() {
            assert!(schema.as_object().is_some_and(|schema| !schema.is_empty()), "{name}: {argument} has no schema");
        }
        if hints["destructiveHint"] == true {
            destructive.push(name);
        }
    }
    assert_eq!(destructive, ["emergency_stop", "cancel_draft"]);
    let schema = |name: &str| {
        let tools = listed["tools"].as_array().unwrap();
        tools.iter().find(|tool| tool["name"] == name).unwrap()["inputSchema"].clone()
    };
    // Both calls of the first tool need it; each call of the second needs another argument.
    assert_eq!(schema("get_thread")["required"], json!(["thread_id"]));
    assert_eq!(schema("get_contact").get("required"), None);
    assert_eq!(schema("get_attachment_text")["properties"]["max_chars"]["maximum"], 200_000);
    server.finish().await;
}

#[tokio::test]
async fn instructions_and_prompts_fit_the_profile() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let client = |name: &str| McpClient::new(&server, &key, STATELESS).profile(name);
    for (profile, named, prompts) in [
        ("read", "list_messages", &["wait_for_code"][..]),
        ("reply", "reply_to_email", &["triage", "reply_with_approval", "wait_for_code"]),
        ("admin", "pause_inbox", &[]),
        ("all", "emergency_stop", &["triage", "reply_with_approval", "wait_for_code"]),
    ] {
        let discovered = client(profile).result("server/discover", json!({})).await;
        let text = discovered["instructions"].as_str().unwrap();
        assert!(text.contains(named) && text.contains("UNTRUSTED MESSAGE CONTENT"), "{profile}: {text}");
        let listed = client(profile).result("prompts/list", json!({})).await;
        let names: Vec<&str> =
            listed["prompts"].as_array().unwrap().iter().map(|p| p["name"].as_str().unwrap()).collect();
        assert_eq!(names, prompts, "{profile}");
    }
    let get = json!({ "name": "triage", "arguments": { "inbox": "a@b.example" } });
    let refused = client("read").send("prompts/get", get).await.expect(200);
    assert!(refused["error"]["message"].as_str().unwrap().contains("`create_draft`"), "{}", refused.json);
    assert!(refused["error"]["data"]["fix"].as_str().unwrap().contains("profile"), "{}", refused.json);
    let error = client("reply").refused("get_contact", json!({})).await;
    assert_eq!(error["details"]["fields"][0]["path"], "address");
    assert!(error["message"].as_str().unwrap().contains("unless `contact_id` is given"), "{error}");
    assert!(error["hint"].is_string(), "{error}");
    server.finish().await;
}
