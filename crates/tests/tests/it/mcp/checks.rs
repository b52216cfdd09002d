//! The order of the checks, and what each answers.

use posthouse_domain::plan::Plan;
use posthouse_tests::{TestServer, http::Api};
use reqwest::Method;
use serde_json::{Value, json};

use super::client::{McpClient, STATELESS};

/// A message that every check but that of the key passes.
fn ping() -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" })
}

async fn status(api: &Api, method: Method, body: impl Into<Vec<u8>>) -> u16 {
    api.raw(method, "/mcp", "application/json", body).await.status
}

#[tokio::test]
async fn each_check_comes_before_those_that_follow() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let (good, keyless) = (server.api(&key), server.anonymous());
    let page = |api: &Api, origin: &str| api.with_header("Origin", origin);
    let large = vec![b' '; 4 * 1024 * 1024 + 1];
    let elsewhere = page(&keyless, "https://evil.example");
    // Each request fails its own check and all that follow.
    let misdirected = elsewhere.with_header("Host", "evil.example");
    let response = misdirected.raw(Method::GET, "/mcp", "application/json", large.clone()).await.expect(421);
    assert!(response["error"]["data"]["fix"].is_string(), "an error of JSON-RPC: {}", response.json);
    assert_eq!(status(&elsewhere, Method::GET, large.clone()).await, 403);
    assert_eq!(status(&elsewhere, Method::OPTIONS, "").await, 403);
    assert_eq!(status(&elsewhere, Method::POST, large.clone()).await, 403);
    assert_eq!(status(&page(&keyless, "http://localhost:6274"), Method::OPTIONS, "").await, 204);
    for method in [Method::GET, Method::DELETE, Method::PUT, Method::PATCH] {
        let response = keyless.raw(method, "/mcp", "application/json", large.clone()).await.expect(405);
        assert_eq!(response.header("allow"), Some("POST, OPTIONS"));
        assert_eq!(response["error"]["data"]["code"], "method_not_allowed");
    }
    assert_eq!(status(&keyless, Method::POST, large).await, 413);
    let response = keyless.raw(Method::POST, "/mcp", "application/json", "{").await.expect(400);
    assert_eq!((&response["error"]["code"], &response["id"]), (&json!(-32700), &Value::Null));
    let response = keyless.post("/mcp", ping()).await.expect(401);
    let challenge = response.header("www-authenticate").expect("a challenge").to_owned();
    let metadata = "resource_metadata=\"http://127.0.0.1:8080/.well-known/oauth-protected-resource/mcp\"";
    assert!(challenge.starts_with("Bearer resource_metadata=") && challenge.contains("scope=\"mcp\""), "{challenge}");
    assert!(challenge.contains("/.well-known/oauth-protected-resource/mcp\""), "{challenge} {metadata}");
    assert_eq!(response["error"]["code"], -32000);
    let unknown = keyless.with_header("Authorization", "Bearer ph_unknown").post("/mcp", ping()).await.expect(401);
    assert!(unknown.header("www-authenticate").unwrap().starts_with("Bearer error=\"invalid_token\""));
    // A key in the query counts for nothing.
    let secret = &key.secret;
    keyless.post(&format!("/mcp?api_key={secret}&access_token={secret}"), ping()).await.expect(401);
    good.post("/mcp", ping()).await.expect(200);
    assert_eq!(good.raw(Method::POST, "/mcp", "text/plain", "{}").await.status, 415);
    server.finish().await;
}

#[tokio::test]
async fn requests_count_for_the_limit_of_the_key() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Free).await;
    let api = server.api(&key);
    let response = api.post("/mcp", ping()).await.expect(200);
    assert!(response.header("ratelimit").is_some());
    for _ in 0..119 {
        api.post("/mcp", ping()).await.expect(200);
    }
    let response = api.post("/mcp", ping()).await.expect(429);
    assert_eq!(response["error"]["data"]["code"], "rate_limited");
    assert!(response.header("retry-after").is_some());
    server.finish().await;
}

#[tokio::test]
async fn pages_of_allowed_origins_may_read_the_response() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let api = server.api(&key).with_header("Origin", "http://localhost:6274");
    let response = api.post("/mcp", ping()).await.expect(200);
    assert_eq!(response.header("access-control-allow-origin"), Some("http://localhost:6274"));
    for origin in ["null", "https://localhost.evil.example", "http://192.0.2.7"] {
        let response = server.api(&key).with_header("Origin", origin).post("/mcp", ping()).await.expect(403);
        assert!(response.header("access-control-allow-origin").is_none(), "{origin}");
        assert!(response["error"]["data"]["fix"].as_str().unwrap().contains("http.allowed_origins"));
    }
    server.finish().await;
}

#[tokio::test]
async fn malformed_messages_are_refused() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let api = server.api(&key);
    let table = [
        (json!(7), 400, -32600),
        (json!([]), 400, -32600),
        (json!({ "jsonrpc": "1.0", "id": 1, "method": "ping" }), 400, -32600),
        (json!({ "jsonrpc": "2.0", "id": null, "method": "ping" }), 400, -32600),
        (json!({ "jsonrpc": "2.0", "id": 1.5, "method": "ping" }), 400, -32600),
        (json!({ "jsonrpc": "2.0", "id": 1 }), 400, -32600),
        (json!({ "jsonrpc": "2.0", "id": 1, "method": "ping", "params": [] }), 400, -32600),
        (json!({ "jsonrpc": "2.0", "id": 1, "result": {} }), 400, -32600),
        (json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {} }), 200, -32602),
    ];
    for (message, status, code) in table {
        let response = api.post("/mcp", message.clone()).await.expect(status);
        assert_eq!(response["error"]["code"], code, "{message}");
    }
    let notified = api.post("/mcp", json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
    assert_eq!((notified.status, notified.bytes.len()), (202, 0));
    let stateless = McpClient::new(&server, &key, STATELESS);
    let missing =
        server.api(&key).with_header("MCP-Protocol-Version", STATELESS).with_header("Mcp-Method", "tools/list");
    let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {} });
    assert_eq!(missing.post("/mcp", message).await.expect(400)["error"]["code"], -32602);
    stateless.result("tools/list", json!({})).await;
    server.finish().await;
}

#[tokio::test]
async fn a_batch_is_answered_in_its_revision_alone() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let batch = json!([
        { "jsonrpc": "2.0", "id": 1, "method": "ping" },
        { "jsonrpc": "2.0", "method": "notifications/initialized" },
        { "jsonrpc": "2.0", "id": 2, "method": "nothing/here" },
        { "id": 3 },
    ]);
    let response = server.api(&key).post("/mcp", batch.clone()).await.expect(200);
    let answers = response.json.as_array().expect("a batch").clone();
    let codes: Vec<&Value> = answers.iter().map(|answer| &answer["error"]["code"]).collect();
    assert_eq!(codes, [&Value::Null, &json!(-32601), &json!(-32600)]);
    let newer = server.api(&key).with_header("MCP-Protocol-Version", "2025-06-18");
    assert_eq!(newer.post("/mcp", batch).await.expect(400)["error"]["code"], -32600);
    server.finish().await;
}
