//! An MCP client of revision 2026-07-28: requests, and streams as answers.

use std::time::Duration;

use reqwest::{Client, Response};
use serde_json::{Value, json};

use crate::{fixtures::TestKey, server::TestServer};

/// The revision of the client.
const REVISION: &str = "2026-07-28";
/// How long a message may take before the test fails, in seconds.
const GIVE_UP_S: u64 = 60;

/// An MCP client with a key.
#[derive(Clone, Debug)]
pub struct McpClient {
    client: Client,
    url: String,
    key: String,
}

impl McpClient {
    /// Creates a client of the server at that base URL.
    ///
    /// # Panics
    /// Panics if the HTTP client can't be built.
    #[must_use]
    pub fn new(base_url: &str, key: &str) -> Self {
        let client = Client::builder().no_proxy().build().expect("an HTTP client can be built");
        Self { client, url: format!("{base_url}/mcp"), key: key.to_owned() }
    }

    async fn send(&self, method: &str, params: &Value) -> reqwest::Result<Response> {
        let mut params = params.clone();
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": REVISION,
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let body = json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params });
        let request = self.client.post(&self.url).bearer_auth(&self.key).header("Content-Type", "application/json");
        let request = request.header("Accept", "application/json, text/event-stream");
        let request = request.header("MCP-Protocol-Version", REVISION).header("Mcp-Method", method);
        let named = matches!(method, "tools/call" | "resources/read" | "prompts/get");
        let name = params["name"].as_str().or(params["uri"].as_str()).filter(|_| named);
        let request = name.into_iter().fold(request, |request, name| request.header("Mcp-Name", name));
        request.body(body.to_string()).send().await
    }

    /// Sends a request to a server that may be killed meanwhile. Returns `None` if the response is incomplete.
    pub async fn try_call(&self, method: &str, params: &Value) -> Option<Value> {
        let response = self.send(method, params).await.ok()?;
        serde_json::from_slice(&response.bytes().await.ok()?).ok()
    }

    /// Sends a request and returns the response.
    ///
    /// # Panics
    /// Panics without a response in JSON.
    pub async fn call(&self, method: &str, params: Value) -> Value {
        self.try_call(method, &params).await.unwrap_or_else(|| panic!("{method}: no response in JSON"))
    }

    /// Sends a request and returns its result.
    ///
    /// # Panics
    /// Panics if it fails.
    pub async fn result(&self, method: &str, params: Value) -> Value {
        let mut response = self.call(method, params).await;
        assert!(response.get("result").is_some(), "{method}: {response}");
        response["result"].take()
    }

    /// Sends a request and returns its error.
    ///
    /// # Panics
    /// Panics if it succeeds or has another code.
    pub async fn error(&self, method: &str, params: Value, code: i64) -> Value {
        let mut response = self.call(method, params).await;
        assert_eq!(response["error"]["code"], code, "{method}: {response}");
        response["error"].take()
    }

    /// Opens a stream at a server that may be killed meanwhile. Returns `None` without a stream.
    pub async fn try_stream(&self, params: &Value) -> Option<McpStream> {
        let response = self.send("events/stream", params).await.ok()?;
        let content_type = response.headers().get("content-type")?.to_str().ok()?;
        content_type.starts_with("text/event-stream").then_some(McpStream { response, read: Vec::new() })
    }

    /// Opens a stream.
    ///
    /// # Panics
    /// Panics if the answer is no stream.
    pub async fn stream(&self, params: Value) -> McpStream {
        self.try_stream(&params).await.expect("the answer is a stream")
    }
}

/// A stream of messages.
#[derive(Debug)]
pub struct McpStream {
    response: Response,
    read: Vec<u8>,
}

impl McpStream {
    /// Returns the next message; `None` at the end.
    ///
    /// # Panics
    /// Panics if a message is not JSON.
    pub async fn next(&mut self) -> Option<Value> {
        loop {
            if let Some(end) = self.read.windows(2).position(|pair| pair == b"\n\n") {
                let frame: Vec<u8> = self.read.drain(..end + 2).collect();
                let text = String::from_utf8(frame).expect("a stream is UTF-8");
                let data: String = text.lines().filter_map(|line| line.strip_prefix("data:")).collect();
                if !data.trim().is_empty() {
                    return Some(serde_json::from_str(data.trim()).expect("a message is JSON"));
                }
                continue;
            }
            self.read.extend_from_slice(&self.response.chunk().await.ok()??);
        }
    }

    /// Returns the parameters of the next message, which must be this notification.
    ///
    /// # Panics
    /// Panics if it is another one, or none comes.
    pub async fn expect(&mut self, name: &str) -> Value {
        let next = tokio::time::timeout(Duration::from_secs(GIVE_UP_S), self.next()).await;
        let mut message = next.unwrap_or_else(|_| panic!("{name}: nothing came")).expect("the stream goes on");
        assert_eq!(message["method"], format!("notifications/events/{name}"), "{message}");
        assert_eq!(message["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], 7, "{message}");
        message["params"].take()
    }
}

impl TestServer {
    /// Returns an MCP client that uses this key.
    #[must_use]
    pub fn mcp(&self, key: &TestKey) -> McpClient {
        McpClient::new(&format!("http://{}", self.http_address()), &key.secret)
    }
}
