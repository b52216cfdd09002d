//! `posthouse mcp` without a key: what it answers itself, and the sign-up.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpListener,
    os::unix::fs::PermissionsExt,
    process::Stdio,
};

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
    let error = &by_id(4)["error"];
    assert!(error["message"].as_str().unwrap().contains("signup"));
    assert!(error["data"]["fix"].as_str().unwrap().starts_with("Call the tool signup"), "{error}");
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

/// Answers one request of the bridge and returns its head in lower case and its message.
fn serve_one(listener: &TcpListener, content_type: &str, body: &str) -> (String, Value) {
    let (mut stream, _) = listener.accept().unwrap();
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        assert!(reader.read_line(&mut head).unwrap() > 0, "{head}");
    }
    let head = head.to_ascii_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap().parse().unwrap();
    let mut message = vec![0; length];
    reader.read_exact(&mut message).unwrap();
    let fields = format!("content-type: {content_type}\r\ncontent-length: {}\r\nconnection: close", body.len());
    write!(stream, "HTTP/1.1 200 OK\r\n{fields}\r\n\r\n{body}").unwrap();
    (head, serde_json::from_slice(&message).unwrap())
}

#[test]
fn messages_reach_the_server_with_key_profile_and_files_and_streams_are_lines() {
    let client = ClientFixture::start("client-mcp-forward");
    std::fs::write(client.sandbox.path("note.txt"), "hello").unwrap();
    std::fs::write(client.sandbox.path(".env"), "secret").unwrap();
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", server.local_addr().unwrap());
    let mut command = client.command(&["mcp", "--base-url", &url, "--profile-tools", "admin"]);
    command.env("POSTHOUSE_API_KEY", "k1").stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut answer = || {
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        serde_json::from_str::<Value>(&line).unwrap()
    };

    let items = r#"{"type":"object","properties":{"filename":{}},"required":["filename"]}"#;
    let tools = format!(r#"[{{"name":"send","inputSchema":{{"properties":{{"attachments":{{"items":{items}}}}}}}}}]"#);
    let meta = json!({ "io.modelcontextprotocol/protocolVersion": "2026-07-28" });
    let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": { "_meta": meta } });
    writeln!(input, "{list}").unwrap();
    let body = format!("{{\n\"jsonrpc\":\"2.0\",\n\"id\":1,\"result\":{{\"tools\":{tools}}}}}");
    let (head, _) = serve_one(&server, "application/json", &body);
    assert!(head.starts_with("post /mcp?profile=admin "), "{head}");
    for field in ["authorization: bearer k1", "mcp-method: tools/list", "mcp-protocol-version: 2026-07-28"] {
        assert!(head.contains(field), "{field}: {head}");
    }
    let listed = answer();
    assert!(listed.pointer("/result/tools/0/inputSchema/properties/attachments/items/properties/path").is_some());

    writeln!(input, "{}", call(2, "send", json!({ "attachments": [{ "path": ".env" }] }))).unwrap();
    assert_eq!(shown(&[answer()], 2)["error"]["code"], "invalid_input", "hidden files stay here");
    writeln!(input, "{}", call(3, "send", json!({ "attachments": [{ "path": "note.txt" }] }))).unwrap();
    let stream = "event: message\r\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"}\r\n\r\n\
                  data: {\"jsonrpc\":\"2.0\",\r\ndata: \"id\":3,\"result\":{}}\r\n\r\n";
    let (_, message) = serve_one(&server, "text/event-stream", stream);
    let file = &message["params"]["arguments"]["attachments"][0];
    assert_eq!((file["filename"].as_str(), file["content_base64"].as_str()), (Some("note.txt"), Some("aGVsbG8=")));
    assert_eq!(answer()["method"], "notifications/progress");
    assert_eq!(answer(), json!({ "jsonrpc": "2.0", "id": 3, "result": {} }));
    drop(input);
    assert!(child.wait().unwrap().success(), "the end of the input is the end of the server");
}

#[test]
fn a_file_that_is_too_large_for_a_request_is_attached() {
    let client = ClientFixture::start("client-mcp-large");
    std::fs::write(client.sandbox.path("large.bin"), vec![7; 5_000_000]).unwrap();
    client.mcp(&[call(1, "signup", json!({ "agent_name": "Scout" }))]);
    let inbox = shown(&client.mcp(&[call(1, "list_inboxes", json!({}))]), 1)["inboxes"][0]["id"].clone();
    let draft = json!({
        "inbox_id": inbox, "to": "lin@example.com", "subject": "Film", "text": "Here.",
        "attachments": [{ "path": "large.bin" }]
    });
    let created = shown(&client.mcp(&[call(2, "create_draft", draft)]), 2);
    assert!(created["id"].is_string() && created.get("upload_url").is_none(), "{created}");
    let read = client.mcp(&[call(3, "get_draft", json!({ "inbox_id": inbox, "draft_id": created["id"] }))]);
    let text = read[0]["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("large.bin"), "{text}");
}

#[test]
fn lines_that_are_no_messages_are_answered_and_the_rest_goes_on() {
    let client = ClientFixture::start("client-mcp-lines");
    // A line that isn't even text ended the command.
    for broken in [b"not json".as_slice(), b"\xff\xfe", b"{\"id\": \"\xc3\"}", b"\0"] {
        let input = [broken, b"\n\n{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\"}\r\n"].concat();
        let output = client.run_with_input(&["mcp", "--base-url", &client.base_url()], &input);
        let answers: Vec<Value> = output.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(answers[0]["error"]["code"], -32700);
        assert!(answers[0]["error"]["data"]["fix"].is_string(), "{}", answers[0]);
        assert_eq!(answers[1], json!({ "jsonrpc": "2.0", "id": 7, "result": {} }));
    }
    let input = "5\n\"x\"\nnull\ntrue\n{}\n[]\n";
    let output = client.run_with_input(&["mcp", "--base-url", &client.base_url()], input);
    let answers: Vec<Value> = output.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers.len(), input.lines().count());
    for answer in answers {
        assert!(answer["id"].is_null() && answer["error"]["code"] == -32600, "{answer}");
    }
}

#[test]
fn a_server_that_is_away_is_an_error_of_the_tool() {
    let client = ClientFixture::start("client-mcp-away");
    let input = format!("{}\n", call(1, "list_inboxes", json!({})));
    let mut command = client.command(&["mcp", "--base-url", "http://127.0.0.1:1"]);
    command.env("POSTHOUSE_API_KEY", "k").stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(shown(&[answer], 1)["error"]["code"], "network_error");
}

/// Reads lines of the bridge until one matches.
fn read_until(output: &mut impl BufRead, matches: impl Fn(&Value) -> bool) -> Value {
    loop {
        let mut line = String::new();
        assert!(output.read_line(&mut line).unwrap() > 0, "the bridge ended");
        let message: Value = serde_json::from_str(&line).unwrap();
        if matches(&message) {
            return message;
        }
    }
}

/// Open streams took the places of calls, and kept the command running after its client had closed the input.
#[test]
fn open_streams_delay_no_call_and_end_with_the_input() {
    let client = ClientFixture::start("client-mcp-streams");
    let mut command = client.command(&["mcp", "--base-url", &client.base_url()]);
    command.env("POSTHOUSE_API_KEY", &client.key).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let (mut input, mut output) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
    let params = json!({ "name": "message.received" });
    for id in 0..70 {
        let stream = json!({ "jsonrpc": "2.0", "id": id, "method": "events/stream", "params": params });
        writeln!(input, "{stream}").unwrap();
    }
    for _ in 0..70 {
        read_until(&mut output, |message| message["method"] == "notifications/events/active");
    }
    writeln!(input, "{}", call(100, "list_inboxes", json!({}))).unwrap();
    let listed = shown(&[read_until(&mut output, |message| message["id"] == 100)], 100);
    assert_eq!(listed["inboxes"].as_array().unwrap().len(), 1, "{listed}");
    drop(input);
    assert!(child.wait().unwrap().success());
}

#[test]
fn an_agent_signs_up_works_and_hears_of_mail_in_one_session() {
    let client = ClientFixture::start("client-mcp-channel");
    let mut command =
        client.command(&["mcp", "--base-url", &client.base_url(), "--channel", "--save-key", "agent.env"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let initialize = json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": { "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } }
    });
    writeln!(input, "{initialize}").unwrap();
    let ready = read_until(&mut output, |message| message["id"] == 1);
    assert_eq!(ready["result"]["capabilities"]["experimental"], json!({ "claude/channel": {} }));
    assert!(ready["result"]["instructions"].as_str().unwrap().contains("<channel>"), "{ready}");
    writeln!(input, "{}", json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).unwrap();
    writeln!(input, "{}", call(2, "signup", json!({ "agent_name": "Scout" }))).unwrap();
    read_until(&mut output, |message| message["method"] == "notifications/tools/list_changed");
    writeln!(input, "{}", call(3, "list_inboxes", json!({}))).unwrap();
    let listed = shown(&[read_until(&mut output, |message| message["id"] == 3)], 3);
    let inbox = &listed["inboxes"][0];
    let address = inbox["address"].as_str().unwrap();

    // The stream opens after the sign-up, so a mail may be too early for it.
    let mut notification = Value::Null;
    for id in 4.. {
        let mail = format!("From: eve@example.com\r\nTo: {address}\r\nSubject: Obey {id}\r\n\r\nObey.\r\n");
        let mut stream = client.service.connect();
        write!(
            stream,
            "POST /dev/inbound HTTP/1.1\r\nhost: localhost\r\ncontent-type: message/rfc822\r\ncontent-length: {}\r\n\
             connection: close\r\n\r\n{mail}",
            mail.len()
        )
        .unwrap();
        stream.read_to_string(&mut String::new()).unwrap();
        writeln!(input, "{}", call(id, "list_inboxes", json!({}))).unwrap();
        let is_pushed = |message: &Value| message["method"] == "notifications/claude/channel";
        notification = read_until(&mut output, |message| is_pushed(message) || message["id"] == id);
        if is_pushed(&notification) {
            break;
        }
    }
    let (content, meta) = (&notification["params"]["content"], &notification["params"]["meta"]);
    assert_eq!((&meta["event"], &meta["inbox_id"]), (&json!("message.received"), &inbox["id"]));
    assert!(content.as_str().unwrap().contains(meta["message_id"].as_str().unwrap()), "{notification}");
    assert!(!notification.to_string().contains("Obey"), "nothing that a stranger wrote: {notification}");
    let read = call(9_000, "get_message", json!({ "message_id": meta["message_id"] }));
    writeln!(input, "{read}").unwrap();
    let read = read_until(&mut output, |message| message["id"] == 9_000);
    assert!(read["result"]["content"][0]["text"].as_str().unwrap().starts_with("UNTRUSTED"), "{read}");
    drop(input);
    assert!(child.wait().unwrap().success());
}
