//! Events for programs on this machine: `tail`, `listen` and `trigger`.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    process::{Child, Stdio},
};

use serde_json::Value;
use sha2::{Digest, Sha256};

use super::ClientFixture;

/// A command that runs until it is told to end or has seen enough events.
struct Background(Child);

impl ClientFixture {
    fn background(&self, arguments: &[&str]) -> Background {
        let mut command = self.command(arguments);
        Background(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
    }

    /// Returns the id of the newest event, so that a stream can begin after it.
    fn last_event(&self) -> String {
        self.object(&["trigger", "inbox.paused", "--inbox", &self.inbox("first")]);
        let (_, body) = self.service.get("/v1/events?limit=100", &format!("authorization: Bearer {}\r\n", self.key));
        let events: Value = serde_json::from_str(&body).unwrap();
        events["data"].as_array().unwrap().last().unwrap()["id"].as_str().unwrap().to_owned()
    }
}

impl Background {
    /// Waits for its end and returns the JSON lines that it printed.
    fn lines(mut self) -> Vec<Value> {
        let mut text = String::new();
        self.0.stdout.take().unwrap().read_to_string(&mut text).unwrap();
        let mut errors = String::new();
        self.0.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
        assert!(self.0.wait().unwrap().success(), "{errors}");
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn tail_prints_each_event_once_and_continues_after_an_id() {
    let client = ClientFixture::logged_in("client-tail");
    let address = client.inbox("tail");
    let since = client.last_event();
    client.receive(&address, &[]);
    client.object(&["trigger", "draft.updated", "--inbox", &address]);
    let all = client.background(&["tail", "--since", &since, "--count", "5", "--inbox", &address]).lines();
    let types: Vec<&str> = all.iter().map(|event| event["type"].as_str().unwrap()).collect();
    assert_eq!(types, ["message.received", "message.enriched", "draft.created", "draft.updated", "draft.cancelled"]);
    let first = all[0]["id"].as_str().unwrap();
    let rest = client.background(&["tail", "--since", first, "--count", "1", "--event", "draft.cancelled"]).lines();
    assert_eq!(rest, all[4..]);
    let envelope = client.background(&["tail", "--since", &since, "--count", "1", "--envelope"]).lines();
    assert!(envelope[0]["data"]["message_id"].is_string() && envelope[0]["data"].get("message").is_none());
    let unknown = client.run(&["tail", "--event", "message.opened"]);
    assert!(unknown.code == 1 && !unknown.stderr.is_empty(), "{}", unknown.stderr);
}

/// Returns the hex of HMAC-SHA256 (RFC 2104).
fn hmac(key: &[u8], message: &[u8]) -> String {
    let mut block = [0; 64];
    block[..key.len()].copy_from_slice(key);
    let padded = |byte: u8| block.map(|key| key ^ byte);
    let inner = Sha256::new().chain_update(padded(0x36)).chain_update(message).finalize();
    let outer = Sha256::new().chain_update(padded(0x5c)).chain_update(inner).finalize();
    outer.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Reads a request and answers it. Returns its head in lower case and its body.
fn answer(stream: &mut TcpStream, status: &str) -> (String, Vec<u8>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        assert!(reader.read_line(&mut head).unwrap() > 0, "{head}");
    }
    let head = head.to_ascii_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap().parse().unwrap();
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    write!(stream, "HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n").unwrap();
    (head, body)
}

#[test]
fn forwarded_events_have_the_signatures_of_webhooks() {
    let client = ClientFixture::logged_in("client-forward");
    let address = client.inbox("forward");
    let since = client.last_event();
    client.receive(&address, &["--text", "Grüße"]);
    client.object(&["trigger", "inbox.resumed", "--inbox", &address]);
    let receiver = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/hooks/mail/?a=b", receiver.local_addr().unwrap());
    let arguments = ["listen", "--forward-to", &url, "--secret", "whsec_test", "--since", &since, "--count", "2"];
    let listening = client.background(&arguments);
    let mut requests = Vec::new();
    for status in ["204 No Content", "500 Internal Server Error"] {
        let (mut stream, _) = receiver.accept().unwrap();
        requests.push(answer(&mut stream, status));
    }
    let results = listening.lines();
    let statuses: Vec<u64> = results.iter().map(|line| line["response_status"].as_u64().unwrap()).collect();
    assert_eq!(statuses, [204, 500], "a failing receiver doesn't end the command");
    for ((head, body), result) in requests.iter().zip(&results) {
        let field = |name: &str| {
            let line = head.lines().find_map(|line| line.strip_prefix(&format!("{name}: ")));
            line.unwrap_or_else(|| panic!("{name}: {head}")).to_owned()
        };
        assert!(head.starts_with("post /hooks/mail/?a=b http/1.1"), "{head}");
        let signed = [field("x-service-timestamp").as_bytes(), b".", body].concat();
        assert_eq!(field("x-service-signature"), hmac(b"whsec_test", &signed));
        let event: Value = serde_json::from_slice(body).unwrap();
        assert_eq!((&event["id"], event["id"].as_str().unwrap()), (&result["event_id"], field("webhook-id").as_str()));
        assert!(field("webhook-signature").starts_with("v1,"));
    }
}

#[test]
fn a_new_secret_is_printed_on_standard_error() {
    let client = ClientFixture::logged_in("client-secret");
    let mut command = client.command(&["listen", "--forward-to", "http://127.0.0.1:9/"]);
    let mut listening = Background(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap());
    let mut line = String::new();
    BufReader::new(listening.0.stderr.take().unwrap()).read_line(&mut line).unwrap();
    assert!(line.starts_with("Signing secret: whsec_"), "{line}");
}

/// Claims a message of an inbox by its id, and returns the answer.
fn claim(client: &ClientFixture, id: &str) -> Value {
    let mut stream = client.service.connect();
    write!(
        stream,
        "POST /v1/inboxes/{id}/messages/claim HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {}\r\n\
         content-type: application/json\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{{}}",
        client.key
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap()
}

#[test]
fn programs_ack_and_nack_by_their_exit_status() {
    let client = ClientFixture::logged_in("client-exec");
    let address = client.inbox("exec");
    let id = client.object(&["inboxes", "list", "--limit", "1"])["id"].as_str().unwrap().to_owned();
    let claim = || claim(&client, &id);
    // The queue begins with its first claim.
    assert_eq!(claim()["data"], Value::Array(Vec::new()));
    for (program, result) in [
        ("cat > input.json", "ack"),
        ("exit 3", "nack"),
        ("kill -9 $$", "nack"),
        ("sh -c 'kill -9 $PPID'", "nack"),
        ("exec < /dev/null; true", "ack"),
    ] {
        let message = client.receive(&address, &["--subject", program]);
        let done = client.background(&["listen", "--inbox", &address, "--exec", program, "--count", "1"]).lines();
        assert_eq!(
            (&done[0]["result"], &done[0]["message_id"]),
            (&result.into(), &message.as_str().into()),
            "{program}"
        );
        let stored = client.object(&["messages", "get", &message]);
        assert_eq!(stored["is_read"], result == "ack", "{program}");
        assert_eq!(claim()["data"], Value::Array(Vec::new()), "{program}: neither is claimable at once");
    }
    let input = std::fs::read_to_string(client.sandbox.path("input.json")).unwrap();
    let event: Value = serde_json::from_str(&input).unwrap();
    assert_eq!(
        (event["type"].as_str(), event["claim"]["delivery_count"].as_u64()),
        (Some("message.received"), Some(1))
    );
    assert_eq!(event["data"]["inbox"]["address"], address.as_str());
}

#[test]
fn an_interrupted_worker_ends_its_program_and_returns_the_message() {
    let client = ClientFixture::logged_in("client-exec-stop");
    let address = client.inbox("stop");
    let id = client.object(&["inboxes", "list", "--limit", "1"])["id"].as_str().unwrap().to_owned();
    // The queue begins with its first claim.
    claim(&client, &id);
    client.receive(&address, &[]);
    let program = "echo started; trap 'exit 1' TERM; while :; do read line < /dev/null; done";
    let arguments = ["listen", "--inbox", &address, "--exec", program, "--json"];
    let mut listening = client.background(&arguments);
    let mut output = BufReader::new(listening.0.stdout.take().unwrap());
    let mut line = String::new();
    output.read_line(&mut line).unwrap();
    assert_eq!(line, "started\n");
    let pid = rustix::process::Pid::from_child(&listening.0);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    let mut rest = String::new();
    output.read_to_string(&mut rest).unwrap();
    assert!(rest.contains("\"nack\""), "{rest}");
    assert!(listening.0.wait().unwrap().success());
}

/// The types that `trigger` accepts are those of the event catalog, and each can be posted as an example.
#[test]
fn every_type_of_the_catalog_can_be_posted_to_a_receiver() {
    let client = ClientFixture::logged_in("client-trigger");
    let (_, body) = client.service.get("/v1/webhooks/events", "");
    let catalog: Value = serde_json::from_str(&body).unwrap();
    let known: Vec<&str> =
        catalog["data"].as_array().unwrap().iter().map(|one| one["type"].as_str().unwrap()).collect();
    let tree = client.object(&["commands", "--json"]);
    let trigger = tree["commands"].as_array().unwrap().iter().find(|one| one["name"] == "trigger").unwrap();
    let argument = trigger["arguments"].as_array().unwrap().iter().find(|one| one["values"][0].is_string()).unwrap();
    let values: Vec<&str> =
        argument["values"].as_array().unwrap().iter().map(|value| value.as_str().unwrap()).collect();
    assert_eq!(values, known);

    let receiver = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/hooks", receiver.local_addr().unwrap());
    let posting = client.background(&["trigger", "domain.verified", "--forward-to", &url, "--secret", "whsec_test"]);
    let (mut stream, _) = receiver.accept().unwrap();
    let (head, body) = answer(&mut stream, "204 No Content");
    let event: Value = serde_json::from_slice(&body).unwrap();
    assert!(event["type"] == "domain.verified" && event["data"]["domain"].is_object(), "{event}");
    assert!(head.contains("webhook-signature: v1,"), "{head}");
    assert_eq!(posting.lines()[0]["response_status"], 204);

    for (arguments, text) in [
        (&["trigger", "domain.verified"][..], "--forward-to"),
        (&["trigger", "draft.created"], "--inbox"),
        (&["trigger", "domain.lost"], "domain.failed"),
    ] {
        let output = client.run(arguments);
        assert!(output.code == 2 && output.stderr.contains(text), "{arguments:?}: {}", output.stderr);
    }
}
