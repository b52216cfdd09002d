//! Signatures of authors: checked when a message is sent, and again when it is delivered.

use posthouse_domain::time::MINUTE_MS;
use serde_json::{Value, json};

use super::fixture::{AgentKeyPair, Pair, hash, nonce};

const TYPE: &str = "service-author+jwt";

/// Returns the claims of a message of Alice with the text `Hi`.
fn claims(pair: &Pair) -> Value {
    json!({
        "v": 1, "from": pair.alice.inbox.address, "iat": pair.now(), "nonce": nonce(), "type": "message", "att": [],
        "text_sha256": hash(b"Hi"),
    })
}

fn message(pair: &Pair, signature: &str) -> Value {
    json!({ "to": pair.bob.inbox.address, "subject": "Test", "text": "Hi", "agent_signature": signature })
}

/// Sends a message with a signature, and expects a refusal for a reason.
async fn refused(pair: &Pair, signature: &str, reason: &str) {
    let reply = pair.alice.try_send(message(pair, signature)).await.error("invalid_agent_signature");
    assert_eq!(reply["error"]["details"]["reason"], reason, "{reply}");
}

#[tokio::test]
async fn a_signed_message_shows_its_author_on_both_sides() {
    let pair = Pair::open().await;
    for key in [AgentKeyPair::ed25519(), AgentKeyPair::p256()] {
        key.register(&pair.alice, pair.now()).await.expect(201);
        let signature = key.sign(TYPE, &claims(&pair));
        let (sent, copy) = pair.deliver(message(&pair, &signature)).await;
        let expected = json!({
            "verified": true, "kid": key.kid(), "alg": sent["author"]["alg"], "signature": signature,
            "covers": ["text"],
        });
        assert_eq!(sent["author"], expected);
        assert_eq!(copy["author"], expected);
        assert_eq!(copy["agent"]["verified"], true);
        let keys = pair.alice.api.get(&pair.alice.keys_path()).await.expect(200);
        let used = keys.data().iter().find(|one| one["kid"] == key.kid()).unwrap();
        assert_eq!(used["last_used_at"], posthouse_tests::clock::START);
        refused(&pair, &signature, "replayed").await;
        let verify = async || {
            pair.bob.api.post("/v1/directory/verify", json!({ "signature": signature })).await.expect(200).json
        };
        let found = verify().await;
        assert_eq!((&found["valid"], &found["signer"]), (&json!(true), &json!("agent")));
        assert_eq!(found.get("key_revoked_at"), Some(&Value::Null), "it is stated for every key of an agent");
        let revoke = format!("{}/{}/revoke", pair.alice.keys_path(), key.kid());
        pair.alice.api.post(&revoke, json!({})).await.expect(200);
        assert_eq!(verify().await["key_revoked_at"], posthouse_tests::clock::START);
    }
    pair.server.finish().await;
}

#[tokio::test]
async fn every_part_of_a_message_is_covered() {
    let pair = Pair::open().await;
    let key = AgentKeyPair::ed25519();
    key.register(&pair.alice, pair.now()).await.expect(201);
    let html = "<p>Hi</p>";
    let file = b"hello";
    let mut full = claims(&pair);
    full["html_sha256"] = json!(hash(html.as_bytes()));
    full["text_sha256"] = json!(hash(b"one\ntwo\n"));
    full["data_sha256"] = json!(hash(br#"{"a":1,"b":[true,null]}"#));
    full["att"] = json!([hash(b"hello"), hash(b"other")]);
    full["type"] = json!("task");
    full["subject_sha256"] = json!(hash("Angebot für 40".as_bytes()));
    full["to"] = json!([pair.bob.inbox.address.to_uppercase()]);
    full["cc"] = json!(["c@far.example"]);
    full["exp"] = json!(pair.now() + 60);
    full["aud"] = json!(pair.bob.inbox.address);
    let named = |bytes: &[u8], name: &str| hash(format!("{}\n{name}\ntext/plain", hash(bytes)).as_bytes());
    full["att_names"] = json!([named(b"hello", "1"), named(b"other", "2")]);
    let body = json!({
        "to": format!("Bob <{}>", pair.bob.inbox.address), "cc": ["c@far.example", pair.bob.inbox.address],
        "subject": "Angebot für 40", "text": "one\r\ntwo\r\n", "html": html, "type": "task",
        "data": { "b": [true, null], "a": 1.0 },
        "attachments": [
            { "filename": "2", "content_type": "text/plain", "content_base64": "b3RoZXI=" },
            { "filename": "1", "content_type": "text/plain", "content_base64": posthouse_tests::smtp::base64_of(std::str::from_utf8(file).unwrap()) },
        ],
    });
    let mut renamed = body["attachments"].clone();
    renamed[0]["filename"] = json!("3");
    let with = |name: &str, value: Value| {
        let mut changed = body.clone();
        changed[name] = value;
        let mut fresh = full.clone();
        fresh["nonce"] = json!(nonce());
        changed["agent_signature"] = json!(key.sign(TYPE, &fresh));
        changed
    };
    let sent = pair.alice.try_send(with("subject", json!("Angebot für 40"))).await.expect(202);
    let covered = ["to", "cc", "subject", "text", "html", "data", "attachments", "attachment_names"];
    assert_eq!(sent["author"]["covers"], json!(covered));
    for (name, value) in [
        ("to", json!(["x@far.example"])),
        ("cc", json!([])),
        ("subject", json!("Angebot fu\u{308}r 40")),
        ("text", json!("one\ntwo")),
        ("html", json!(null)),
        ("data", json!({ "a": 2, "b": [true, null] })),
        ("type", json!("event")),
        ("attachments", json!([])),
        ("attachments", renamed),
    ] {
        let refused = pair.alice.try_send(with(name, value)).await.error("invalid_agent_signature");
        assert_eq!(refused["error"]["details"]["reason"], "content_mismatch", "{name}");
    }
    pair.server.settle().await;
    pair.server.finish().await;
}

#[tokio::test]
async fn a_signature_needs_an_active_key_a_fresh_date_and_its_author() {
    let pair = Pair::open().await;
    let key = AgentKeyPair::ed25519();
    refused(&pair, "a.b.c", "invalid_signature").await;
    refused(&pair, &key.sign("JWT", &claims(&pair)), "invalid_signature").await;
    refused(&pair, &key.sign(TYPE, &claims(&pair)), "unknown_key").await;
    key.register(&pair.alice, pair.now()).await.expect(201);
    let with = |name: &str, value: Value| {
        let mut changed = claims(&pair);
        changed[name] = value;
        key.sign(TYPE, &changed)
    };
    let now = pair.now();
    for (name, value, reason) in [
        ("v", json!(2), "invalid_signature"),
        ("nonce", json!("short"), "invalid_signature"),
        ("iat", json!(null), "invalid_signature"),
        ("iat", json!(now + 31), "issued_in_future"),
        ("iat", json!(now - 301), "too_old"),
        ("from", json!(pair.bob.inbox.address), "content_mismatch"),
        ("exp", json!(now), "too_old"),
        ("exp", json!("soon"), "invalid_signature"),
        ("nbf", json!(now + 31), "issued_in_future"),
        ("aud", json!("https://other.example"), "wrong_audience"),
        ("aud", json!([pair.bob.inbox.address, "https://other.example"]), "wrong_audience"),
    ] {
        refused(&pair, &with(name, value), reason).await;
    }
    // A dry run gives the same decision and uses no nonce.
    let signature = key.sign(TYPE, &claims(&pair));
    let path = format!("/v1/inboxes/{}/messages?dry_run=true", pair.alice.inbox.id);
    let decision = pair.alice.api.post(&path, message(&pair, &with("from", json!("x@y.example")))).await.expect(200);
    assert_eq!(decision["refusal"]["code"], "invalid_agent_signature");
    let decision = pair.alice.api.post(&path, message(&pair, &signature)).await.expect(200);
    assert_eq!(decision["allowed"], true);
    pair.alice.try_send(message(&pair, &signature)).await.expect(202);
    let decision = pair.alice.api.post(&path, message(&pair, &signature)).await.expect(200);
    assert_eq!(decision["refusal"]["details"]["reason"], "replayed");
    pair.alice.api.post_empty(&format!("{}/{}/retire", pair.alice.keys_path(), key.kid())).await.expect(200);
    refused(&pair, &key.sign(TYPE, &claims(&pair)), "unknown_key").await;
    pair.alice.api.post(&format!("{}/{}/revoke", pair.alice.keys_path(), key.kid()), json!({})).await.expect(200);
    refused(&pair, &key.sign(TYPE, &claims(&pair)), "key_revoked").await;
    pair.server.settle().await;
    pair.server.finish().await;
}

#[tokio::test]
async fn a_repeated_request_gets_its_first_response_and_a_nonce_survives_a_restart() {
    let mut pair = Pair::open().await;
    let key = AgentKeyPair::p256();
    key.register(&pair.alice, pair.now()).await.expect(201);
    let signature = key.sign(TYPE, &claims(&pair));
    let path = format!("/v1/inboxes/{}/messages", pair.alice.inbox.id);
    let idempotent = pair.alice.api.idempotent("one");
    let first = idempotent.post(&path, message(&pair, &signature)).await.expect(202);
    let again = idempotent.post(&path, message(&pair, &signature)).await.expect(202);
    assert_eq!(again.json, first.json);
    pair.server.settle().await;
    pair.server.restart().await;
    refused(&pair, &signature, "replayed").await;
    pair.server.clock.advance(6 * MINUTE_MS);
    refused(&pair, &signature, "too_old").await;
    pair.server.finish().await;
}

#[tokio::test]
async fn a_key_that_was_revoked_before_the_delivery_no_longer_counts() {
    let pair = Pair::open().await;
    let key = AgentKeyPair::p256();
    key.register(&pair.alice, pair.now()).await.expect(201);
    // The job that stores Bob's copy waits while Alice's inbox is paused.
    let sent = pair.alice.try_send(message(&pair, &key.sign(TYPE, &claims(&pair)))).await.expect(202).json;
    let pause = format!("/v1/inboxes/{}/pause", pair.alice.inbox.id);
    pair.alice.api.post(&pause, json!({})).await.expect(200);
    let revoke = format!("{}/{}/revoke", pair.alice.keys_path(), key.kid());
    pair.alice.api.post(&revoke, json!({ "since": posthouse_tests::clock::START })).await.expect(200);
    pair.alice.api.post_empty(&format!("/v1/inboxes/{}/resume", pair.alice.inbox.id)).await.expect(200);
    pair.server.settle().await;
    let copy = pair.bob.newest().await;
    assert_eq!(copy["rfc_message_id"], sent["rfc_message_id"]);
    let expected = (json!(false), json!("key_revoked"));
    assert_eq!((copy["author"]["verified"].clone(), copy["author"]["reason"].clone()), expected);
    assert_eq!(copy["agent"]["verified"], true, "the service still signs the delivery");
    pair.server.finish().await;
}

#[tokio::test]
async fn a_reply_can_be_signed_without_subject_and_recipients() {
    let pair = Pair::open().await;
    let key = AgentKeyPair::ed25519();
    key.register(&pair.bob, pair.now()).await.expect(201);
    let (sent, copy) = pair.deliver(json!({ "to": pair.bob.inbox.address, "subject": "Q", "text": "?" })).await;
    let mut claims = claims(&pair);
    claims["from"] = json!(pair.bob.inbox.address);
    claims["in_reply_to"] = sent["rfc_message_id"].clone();
    let body = json!({ "text": "Hi", "agent_signature": key.sign(TYPE, &claims) });
    let path = format!("/v1/inboxes/{}/messages/{}/reply", pair.bob.inbox.id, copy["id"].as_str().unwrap());
    let reply = pair.bob.api.post(&path, body).await.expect(202);
    assert_eq!(reply["author"]["kid"], key.kid());
    pair.server.settle().await;
    assert_eq!(pair.alice.newest().await["author"]["verified"], true);
    pair.server.finish().await;
}

#[tokio::test]
async fn a_signature_without_its_version_is_malformed() {
    let pair = Pair::open().await;
    let key = AgentKeyPair::p256();
    key.register(&pair.alice, pair.now()).await.expect(201);
    for version in [json!(2), json!("1"), json!(1.5), json!(true), Value::Null] {
        let mut changed = claims(&pair);
        changed["v"] = version.clone();
        let signature = key.sign(TYPE, &changed);
        refused(&pair, &signature, "invalid_signature").await;
        let found = pair.bob.api.post("/v1/directory/verify", json!({ "signature": signature })).await.expect(200).json;
        assert_eq!((&found["valid"], &found["reasons"]), (&json!(false), &json!(["malformed"])), "{version}");
    }
    pair.server.finish().await;
}

/// Verifiers differ in which of two members they take, so a signature with both could bind two messages.
#[tokio::test]
async fn no_member_of_a_signature_is_stated_twice() {
    let pair = Pair::open().await;
    let key = AgentKeyPair::ed25519();
    key.register(&pair.alice, pair.now()).await.expect(201);
    let header = json!({ "alg": "EdDSA", "typ": TYPE, "kid": key.kid() });
    let mut full = claims(&pair);
    full["exp"] = json!(pair.now() + 60);
    full["aud"] = json!(pair.bob.inbox.address);
    let mut tried = 0;
    for (of_header, object) in [(true, &header), (false, &full)] {
        for (name, value) in object.as_object().unwrap() {
            let escaped = format!("\\u{:04x}{}", u32::from(name.as_bytes()[0]), &name[1..]);
            for (again, other) in [(name, value), (name, &json!("other")), (&escaped, value), (&escaped, &json!(0))] {
                let fresh = json!({ "nonce": nonce() });
                let mut object = object.clone();
                if !of_header {
                    object["nonce"] = fresh["nonce"].clone();
                }
                let text = object.to_string();
                let twice = format!("{},\"{again}\":{other}}}", text.strip_suffix('}').unwrap());
                let signature = match of_header {
                    true => key.sign_text(&twice, &claims(&pair).to_string()),
                    false => key.sign_text(&header.to_string(), &twice),
                };
                refused(&pair, &signature, "invalid_signature").await;
                tried += 1;
            }
        }
    }
    assert!(tried >= 40, "{tried}");
    // Another form of the signed text.
    for form in [json!(false), json!(true)] {
        let mut unencoded = header.clone();
        unencoded["b64"] = form;
        refused(&pair, &key.sign_text(&unencoded.to_string(), &claims(&pair).to_string()), "invalid_signature").await;
    }
    pair.alice.try_send(message(&pair, &key.sign_text(&header.to_string(), &full.to_string()))).await.expect(202);
    pair.server.settle().await;
    pair.server.finish().await;
}
