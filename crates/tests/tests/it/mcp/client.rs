//! A client of the protocol, in either kind of revision.

use posthouse_tests::{
    TestServer,
    fixtures::TestKey,
    http::{Api, ApiResponse},
};
use serde_json::{Value, json};

/// The stateless revision.
pub(super) const STATELESS: &str = "2026-07-28";

/// A client with a key.
pub(super) struct McpClient {
    api: Api,
    path: String,
    /// The revision; an empty text for a client that names none.
    revision: &'static str,
    /// The capabilities that the client declares.
    capabilities: Value,
}

/// The result of a tool.
pub(super) struct ToolResult {
    /// The only text.
    pub(super) text: String,
    /// Whether the tool failed.
    pub(super) is_error: bool,
    /// The value in the text.
    pub(super) value: Value,
    /// The value as an object of its own.
    pub(super) structured: Value,
}

impl McpClient {
    /// Creates a client of a revision.
    pub(super) fn new(server: &TestServer, key: &TestKey, revision: &'static str) -> Self {
        let api = server.api(key).with_header("Accept", "application/json, text/event-stream");
        let api = if revision.is_empty() { api } else { api.with_header("MCP-Protocol-Version", revision) };
        Self { api, path: "/mcp".to_owned(), revision, capabilities: json!({}) }
    }

    /// Declares capabilities.
    pub(super) fn with_capabilities(mut self, capabilities: Value) -> Self {
        self.capabilities = capabilities;
        self
    }

    /// Chooses a profile.
    pub(super) fn profile(mut self, name: &str) -> Self {
        self.path = format!("/mcp?profile={name}");
        self
    }

    /// Sends a request, and returns the response as it is.
    pub(super) async fn send(&self, method: &str, mut params: Value) -> ApiResponse {
        let mut api = self.api.clone();
        if self.revision == STATELESS {
            let about = params["name"].as_str().or(params["uri"].as_str()).or(params["taskId"].as_str());
            let about = about.map(str::to_owned);
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": STATELESS,
                "io.modelcontextprotocol/clientCapabilities": self.capabilities,
            });
            api = api.with_header("Mcp-Method", method);
            if let Some(about) = about {
                api = api.with_header("Mcp-Name", &about);
            }
        }
        api.post(&self.path, json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params })).await
    }

    /// Sends a request, and returns its result.
    pub(super) async fn result(&self, method: &str, params: Value) -> Value {
        let response = self.send(method, params).await.expect(200);
        assert_eq!((&response["jsonrpc"], &response["id"]), (&json!("2.0"), &json!(7)));
        assert!(response.json.get("error").is_none(), "{method}: {}", response.json);
        let result = response["result"].clone();
        let wanted = if self.revision == STATELESS { json!("complete") } else { Value::Null };
        assert_eq!(result["resultType"], wanted, "{method}");
        result
    }

    /// Calls a tool, and returns its result, failed or not.
    pub(super) async fn try_call(&self, name: &str, arguments: Value) -> ToolResult {
        let result = self.result("tools/call", json!({ "name": name, "arguments": arguments })).await;
        let content = result["content"].as_array().expect("content is a list");
        assert_eq!((content.len(), &content[0]["type"]), (1, &json!("text")), "{name}: {result}");
        let text = content[0]["text"].as_str().expect("text").to_owned();
        let value = serde_json::from_str(&unfenced(&text)).unwrap_or(Value::Null);
        let structured = result["structuredContent"].clone();
        ToolResult { text, is_error: result["isError"] == true, value, structured }
    }

    /// Calls a tool that must succeed, and returns its value.
    pub(super) async fn call(&self, name: &str, arguments: Value) -> Value {
        let result = self.try_call(name, arguments).await;
        assert!(!result.is_error, "{name}: {}", result.text);
        result.value
    }

    /// Calls a tool that must fail, and returns the error.
    pub(super) async fn refused(&self, name: &str, arguments: Value) -> Value {
        let result = self.try_call(name, arguments).await;
        assert!(result.is_error, "{name}: {}", result.text);
        result.value["error"].clone()
    }

    /// Returns the names of the tools.
    pub(super) async fn tools(&self) -> Vec<String> {
        let listed = self.result("tools/list", json!({})).await;
        let tools = listed["tools"].as_array().expect("a list").clone();
        tools.iter().map(|tool| tool["name"].as_str().expect("a name").to_owned()).collect()
    }
}

/// Returns what is inside of a fence, or the whole text.
pub(super) fn unfenced(text: &str) -> String {
    let lines: Vec<&str> = text.split('\n').collect();
    match lines.as_slice() {
        [marker, begin, inner @ .., end] if marker.starts_with("UNTRUSTED MESSAGE CONTENT") => {
            let boundary = begin.trim_start_matches("----- begin ").trim_end_matches(" -----");
            assert_eq!(*end, format!("----- end {boundary} -----"));
            assert!(boundary.len() == 32 && marker.contains(boundary), "{marker}");
            inner.join("\n")
        }
        _ => text.to_owned(),
    }
}
