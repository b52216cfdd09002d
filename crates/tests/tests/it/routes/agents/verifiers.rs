//! Signatures checked by two programs that share no code with this server, one in Python and one in TypeScript. Both were
//! written from the specification by somebody who had not seen this code. They accept every message and refuse each one
//! that was changed.

use std::{
    io::Write,
    process::{Command, Stdio},
};

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use posthouse_app::{settings::DeliveryMode, signing};
use serde_json::{Value, json};

use super::fixture::{AgentKeyPair, Pair, hash, nonce};

/// The verifiers: program, arguments that probe for what it needs, and arguments that run it in `crates/tests`.
const VERIFIERS: [(&str, &[&str], &[&str]); 2] = [
    ("python3", &["-c", "import cryptography"], &["-B", "verifiers/agent_message.py"]),
    ("node", &["-e", "require('../../web/node_modules/typescript')"], &["-e", RUN_TYPESCRIPT]),
];

/// Runs the verifier without its types, which `scripts/web.sh check` checks.
const RUN_TYPESCRIPT: &str = "
const { transpileModule, ModuleKind, ScriptTarget } = require('../../web/node_modules/typescript');
const source = require('fs').readFileSync('verifiers/agent_message.ts', 'utf8');
const compilerOptions = { module: ModuleKind.CommonJS, target: ScriptTarget.ES2022 };
new Function('require', 'exports', transpileModule(source, { compilerOptions }).outputText)(require, {});
";

fn command(program: &str) -> Command {
    let mut command = Command::new(program);
    command.current_dir(env!("CARGO_MANIFEST_DIR"));
    command
}

fn is_installed(program: &str, probe: &[&str]) -> bool {
    let status = command(program).args(probe).stdout(Stdio::null()).stderr(Stdio::null()).status();
    let installed = status.is_ok_and(|status| status.success());
    if !installed {
        println!("{program} lacks a library: skipped");
    }
    installed
}

/// Returns the results of each installed verifier.
fn results(cases: &[Value]) -> Vec<(&'static str, Vec<String>)> {
    let mut all = Vec::new();
    for (program, probe, arguments) in VERIFIERS {
        if !is_installed(program, probe) {
            continue;
        }
        let mut verifier = command(program);
        let mut child = verifier.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(Value::from(cases).to_string().as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{program} failed");
        all.push((program, serde_json::from_slice(&output.stdout).unwrap()));
    }
    all
}

/// A message that Bob received, with what a verifier knows.
struct Received<'p> {
    pair: &'p Pair,
    message: Value,
    keys: Value,
    author_keys: Value,
}

impl Received<'_> {
    fn case(&self, what: &str, message: Value, more: &[(&str, Value)]) -> Value {
        let mut case = json!({
            "what": what, "message": message, "recipient": self.pair.bob.inbox.address, "issuer": self.pair.issuer(),
            "keys": self.keys, "author_keys": self.author_keys, "now": self.pair.now(), "seen": [],
        });
        for (name, value) in more {
            case[*name] = value.clone();
        }
        case
    }

    fn changed(&self, what: &str, member: &str, value: Value) -> Value {
        let mut message = self.message.clone();
        *message.pointer_mut(member).unwrap_or_else(|| panic!("{member}")) = value;
        self.case(what, message, &[])
    }
}

/// Asserts the results of both verifiers; each case has a name.
fn expect(cases: Vec<NamedCase>) {
    let inputs: Vec<Value> = cases.iter().map(|(_, case, _)| case.clone()).collect();
    for (program, results) in results(&inputs) {
        for ((name, _, expected), result) in cases.iter().zip(results) {
            assert_eq!(&result, expected, "{program}: {name}");
        }
    }
}

/// Sends a message with every part, signed by its author, and returns Bob's copy.
async fn full_message(pair: &Pair, key: &AgentKeyPair, text: &str) -> Value {
    let html = "<p>Caf\u{e9} \u{1f600}</p>";
    let data = json!({
        "z": [1, 2.5, 1e21, 1e-7, -0.0, 9_007_199_254_740_993_u64, 123_456_789_012_345_680_000_f64],
        "\u{e9}": "caf\u{e9}\n\"\\\u{7f}", "\u{fb33}": null, "\u{1f600}": { "b": true, "a": false },
    });
    let claims = json!({
        "v": 1, "from": pair.alice.inbox.address, "iat": pair.now(), "nonce": nonce(), "type": "task",
        "att": [hash(b"hello"), hash(b"other")], "text_sha256": hash(text.replace("\r\n", "\n").as_bytes()),
        "html_sha256": hash(html.as_bytes()), "subject_sha256": hash("Qu\u{f6}te".as_bytes()),
        "data_sha256": posthouse_domain::agent_message::content::data_hash(&data.to_string()),
        "to": ["z@far.example", pair.bob.inbox.address], "cc": ["c@far.example", "a@far.example"],
    });
    let body = json!({
        "to": ["Zoe <Z@far.example>", pair.bob.inbox.address], "cc": ["c@far.example", "\"B, A\" <a@far.example>", "z@far.example"],
        "subject": "Qu\u{f6}te", "text": text, "html": html, "data": data, "type": "task",
        "attachments": [
            { "filename": "2", "content_type": "text/plain", "content_base64": "b3RoZXI=" },
            { "filename": "1", "content_type": "text/plain", "content_base64": "aGVsbG8=" },
        ],
        "agent_signature": key.sign("service-author+jwt", &claims),
    });
    pair.deliver(body).await.1
}

/// A case with its name and the expected result.
type NamedCase = (String, Value, &'static str);

/// Returns changes that normalization removes.
fn equal_forms(received: &Received<'_>, what: &str) -> Vec<NamedCase> {
    let m = &received.message;
    let reversed = |member: &str| -> Value {
        let mut items = m[member].as_array().unwrap().clone();
        items.reverse();
        json!(items)
    };
    let mut data: Vec<(String, Value)> = m["data"].as_object().unwrap().clone().into_iter().collect();
    data.reverse();
    let changes = [
        ("/to", reversed("to")),
        ("/text", json!("line one\ncaf\u{e9}\n")),
        ("/text", json!("line one\rcaf\u{e9}\r")),
        ("/data", Value::Object(data.into_iter().collect())),
        ("/attachments", reversed("attachments")),
    ];
    let case = |(member, value): (&str, Value)| {
        (format!("{what}: {member} {value}"), received.changed(what, member, value), "ok")
    };
    let unchanged = (format!("{what}: unchanged"), received.case(what, m.clone(), &[]), "ok");
    changes.into_iter().map(case).chain([unchanged]).collect()
}

/// Returns changes of parts that both signatures cover.
fn changed_parts(received: &Received<'_>, what: &str) -> Vec<NamedCase> {
    let changes = [
        ("/subject", json!("Quo\u{308}te")),
        ("/subject", json!("Qu\u{f6}te ")),
        ("/text", json!("line one\r\ncafe\u{301}\r\n")),
        ("/text", json!("line one\n\ncaf\u{e9}\n")),
        ("/html", json!("<p>Cafe\u{301} \u{1f600}</p>")),
        ("/to", json!([received.pair.bob.inbox.address])),
        ("/to/0", json!("Zoe <zz@far.example>")),
        ("/cc", json!([])),
        ("/data/z/0", json!(2)),
        ("/data/\u{1f600}/a", json!(true)),
        ("/data/\u{e9}", json!("cafe\u{301}\n\"\\\u{7f}")),
        ("/data", json!(null)),
        ("/attachments/0/sha256", received.message["attachments"][1]["sha256"].clone()),
        ("/attachments", json!([])),
        ("/type", json!("event")),
    ];
    let case = |(member, value): (&str, Value)| {
        (format!("{what}: {member} {value}"), received.changed(what, member, value), "content_mismatch")
    };
    changes.into_iter().map(case).collect()
}

/// Returns cases of the delivery signature alone.
fn delivery_cases(received: &Received<'_>) -> Vec<NamedCase> {
    let m = &received.message;
    let signature = m["agent"]["signature"].as_str().unwrap();
    let payload = URL_SAFE_NO_PAD.decode(signature.split('.').nth(1).unwrap()).unwrap();
    let nonce = serde_json::from_slice::<Value>(&payload).unwrap()["nonce"].clone();
    let now = received.pair.now();
    let changes = [
        ("/from", json!("mallory@agents.localhost"), "content_mismatch"),
        ("/rfc_message_id", json!("<x@agents.localhost>"), "content_mismatch"),
        ("/in_reply_to", json!("<x@agents.localhost>"), "content_mismatch"),
        ("/author", json!(null), "content_mismatch"),
        ("/author/signature", json!("a.b.c"), "content_mismatch"),
        ("/subject", json!(null), "content_mismatch"),
        ("/text", json!(null), "content_mismatch"),
        ("/html", json!(null), "content_mismatch"),
        ("/agent/signature", json!(signature.replacen('.', ".\r\n ", 1)), "ok"),
        ("/agent/signature", json!(&signature[..100]), "invalid_signature"),
    ];
    let known = [
        ("recipient", json!(received.pair.alice.inbox.address), "wrong_audience"),
        ("issuer", json!("https://other.example"), "wrong_issuer"),
        ("keys", json!([]), "unknown_key"),
        ("now", json!(now + 931), "too_old"),
        ("now", json!(now - 31), "issued_in_future"),
        ("seen", json!([nonce]), "replayed"),
    ];
    let changed = changes.map(|(member, value, expected)| {
        (format!("delivery: {member} {value}"), received.changed("delivery", member, value), expected)
    });
    let known = known.map(|(name, value, expected)| {
        (format!("delivery: {name}"), received.case("delivery", m.clone(), &[(name, value)]), expected)
    });
    changed.into_iter().chain(known).collect()
}

#[tokio::test]
async fn both_verifiers_accept_messages_and_refuse_changed_ones() {
    let pair = Pair::with(|config| config.delivery.mode = DeliveryMode::Capture).await;
    let key = AgentKeyPair::ed25519();
    key.register(&pair.alice, pair.now()).await.expect(201);
    let message = full_message(&pair, &key, "line one\r\ncaf\u{e9}\r\n").await;
    let received = Received {
        pair: &pair,
        keys: pair.service_keys().await,
        author_keys: pair.alice.api.get(&pair.alice.keys_path()).await.expect(200)["data"].clone(),
        message,
    };
    let mut cases = delivery_cases(&received);
    for what in ["delivery", "author"] {
        cases.extend(equal_forms(&received, what));
        cases.extend(changed_parts(&received, what));
    }
    let other = received.changed("author", "/from", json!("mallory@agents.localhost"));
    cases.push(("author: from".to_owned(), other, "content_mismatch"));
    let unknown = received.case("author", received.message.clone(), &[("author_keys", json!([]))]);
    cases.push(("author: keys".to_owned(), unknown, "unknown_key"));
    expect(cases);
    pair.server.finish().await;
}

#[tokio::test]
async fn plain_messages_replies_and_rotated_keys_verify() {
    let pair = Pair::open().await;
    let mut cases = Vec::new();
    let bodies = [
        json!({ "to": pair.bob.inbox.address, "subject": "", "text": "T" }),
        json!({ "to": pair.bob.inbox.address, "subject": "S", "html": "<p>only &amp; html</p>" }),
        json!({ "to": pair.bob.inbox.address, "subject": "S", "data": { "only": "data" } }),
        json!({ "to": [pair.bob.inbox.address, "Alice <alice@agents.localhost>"], "subject": "S", "text": " \r\r\n\n ", "type": "event" }),
    ];
    let mut messages = Vec::new();
    for body in bodies {
        pair.server.clock.advance(1);
        messages.push(pair.deliver(body).await.1);
    }
    let path = format!("/v1/inboxes/{}/messages/{}/reply", pair.bob.inbox.id, messages[0]["id"].as_str().unwrap());
    let reply = pair.bob.api.post(&path, json!({ "text": "Yes." })).await.expect(202).json;
    pair.server.settle().await;
    let answer = pair.alice.newest().await;
    assert_eq!(answer["in_reply_to"], messages[0]["rfc_message_id"]);
    assert_eq!(answer["rfc_message_id"], reply["rfc_message_id"]);
    let kid = messages[0]["agent"]["kid"].as_str().unwrap().to_owned();
    pair.server.clock.advance(2_000);
    let next = signing::keys::revoke(pair.server.service(), &kid).await.unwrap().unwrap();
    let after = pair.deliver(json!({ "to": pair.bob.inbox.address, "subject": "S", "text": "new key" })).await.1;
    assert_eq!(after["agent"]["kid"], next.kid);
    let received =
        Received { pair: &pair, keys: pair.service_keys().await, author_keys: json!([]), message: after.clone() };
    for message in messages.iter().chain([&after]) {
        cases.push((message["text"].to_string(), received.case("delivery", message.clone(), &[]), "ok"));
    }
    let to_alice = [("recipient", json!(pair.alice.inbox.address))];
    cases.push(("reply".to_owned(), received.case("delivery", answer, &to_alice), "ok"));
    let mut keys = received.keys.clone();
    for key in keys.as_array_mut().unwrap().iter_mut().filter(|key| key["kid"] == kid) {
        key["revoked_at"] = json!(posthouse_tests::clock::START);
    }
    let revoked = received.case("delivery", messages[0].clone(), &[("keys", keys)]);
    cases.push(("revoked before".to_owned(), revoked, "revoked_key"));
    expect(cases);
    pair.server.finish().await;
}
