//! `posthouse mcp` without a key: what it answers itself, and the sign-up.

use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use super::ClientFixture;

impl ClientFixture {
    /// Sends messages to `posthouse mcp` and returns its answers by their id.
    fn mcp(&self, messages: &[Value]) -> Vec<Value> {
        let input: String = messages.iter().map(|message| format!("{message}\n")).collect();
        let output = self.run_with_input(&["mcp", "--base-url", &self.base_url(), "--save-key", "agent.env"], &input);
        assert_eq!(output.code, 0, "{}", output.stderr);
        output.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

fn call(id: u64, tool: &str, arguments: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": tool, "arguments": arguments } })
}

/// Returns the object in the text of a tool's result.
fn shown(answers: &[Value], id: u64) -> Value {
    let answer = answers.iter().find(|answer| answer["id"] == id).unwrap();
    serde_json::from_str(answer["result"]["content"][0]["text"].as_str().unwrap()).unwrap()
}

#[test]
fn an_agent_without_a_key_signs_up_and_keeps_the_key() {
    let client = ClientFixture::start("client-mcp");
    let initialize = json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": { "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } }
    });
    let answers = client.mcp(&[
        initialize,
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" }),
        json!({ "jsonrpc": "2.0", "id": 3, "method": "server/discover", "params": {} }),
        json!({ "jsonrpc": "2.0", "id": 4, "method": "resources/list" }),
        call(5, "list_inboxes", json!({})),
    ]);
    let by_id = |id: u64| answers.iter().find(|answer| answer["id"] == id).unwrap();
    assert_eq!(by_id(1)["result"]["protocolVersion"], "2025-06-18");
    assert_eq!(by_id(2)["result"]["tools"][0]["name"], "signup");
    assert_eq!(by_id(3)["result"]["supportedVersions"], json!(["2026-07-28"]));
    assert!(by_id(4)["error"]["message"].as_str().unwrap().contains("signup"));
    assert_eq!(shown(&answers, 5)["error"]["code"], "no_api_key");
    assert_eq!(by_id(5)["result"]["isError"], true);

    let answers = client.mcp(&[call(1, "signup", json!({ "agent_name": "Scout" }))]);
    let created = shown(&answers, 1);
    assert_eq!(created["workspace"]["name"], "Scout's workspace");
    assert!(created.get("api_key").is_none(), "the model doesn't see the key");
    assert!(answers.iter().any(|message| message["method"] == "notifications/tools/list_changed"));
    let file = client.sandbox.path("agent.env");
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let line = std::fs::read_to_string(&file).unwrap();
    let key = line.trim().strip_prefix("SERVICE_API_KEY=").unwrap();
    let mut command = client.command(&["whoami", "--base-url", &client.base_url()]);
    let account = command.env("SERVICE_API_KEY", key).output().unwrap();
    assert!(account.status.success());

    // The key is read back, so that a second start is the same agent.
    let answers = client.mcp(&[call(1, "signup", json!({}))]);
    assert_eq!(shown(&answers, 1)["error"]["code"], "already_configured");
}

#[test]
fn lines_that_are_no_messages_are_answered_and_the_rest_goes_on() {
    let client = ClientFixture::start("client-mcp-lines");
    let input = "not json\n\n{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\"}\n";
    let output = client.run_with_input(&["mcp", "--base-url", &client.base_url()], input);
    let answers: Vec<Value> = output.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers[0]["error"]["code"], -32700);
    assert_eq!(answers[1], json!({ "jsonrpc": "2.0", "id": 7, "result": {} }));
}

#[test]
fn a_server_that_is_away_is_an_error_of_the_tool() {
    let client = ClientFixture::start("client-mcp-away");
    let input = format!("{}\n", call(1, "list_inboxes", json!({})));
    let mut command = client.command(&["mcp", "--base-url", "http://127.0.0.1:1"]);
    command.env("POSTHOUSE_API_KEY", "k").stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
    let mut child = command.spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(shown(&[answer], 1)["error"]["code"], "network_error");
}
