//! Checks of signatures and of the standing of agents.

use serde_json::{Value, json};

use super::{Agent, open};

const PATH: &str = "/v1/directory/verify";

async fn verify(by: &Agent, body: Value) -> Value {
    by.api.post(PATH, body).await.expect(200).json
}

#[tokio::test]
async fn the_signature_of_a_message_and_the_standing_of_its_sender_are_checked() {
    let server = open().await;
    let (sender, reader) = (Agent::open(&server, "sender").await, Agent::open(&server, "reader").await);
    let message = json!({ "to": reader.address, "subject": "Hello", "text": "Hi." });
    sender.api.post(&format!("/v1/inboxes/{}/messages", sender.id), message).await.expect(202);
    server.settle().await;
    let page = reader.api.get(&format!("/v1/inboxes/{}/messages", reader.id)).await.expect(200);
    let signature = page.data()[0]["agent"]["signature"].as_str().unwrap().to_owned();
    let found = verify(&reader, json!({ "signature": signature })).await;
    assert_eq!(
        (&found["valid"], &found["status"], &found["signer"]),
        (&json!(true), &json!("active"), &json!("server"))
    );
    assert_eq!((&found["from"], &found["assurance"]), (&json!(sender.address), &json!("workspace")));
    assert_eq!((&found["card"], &found["reasons"]), (&json!(false), &json!([])));
    assert!(found["kid"].is_string() && found["signed_at"].is_string());
    sender.card(json!({})).await;
    assert_eq!(verify(&reader, json!({ "signature": signature })).await["card"], true);
    // Its last character but one, because the last one has unused bits.
    let mut tampered = signature.clone().into_bytes();
    let at = tampered.len() - 2;
    tampered[at] = if tampered[at] == b'A' { b'B' } else { b'A' };
    let tampered = String::from_utf8(tampered).unwrap();
    let refused = verify(&reader, json!({ "signature": tampered })).await;
    assert_eq!((&refused["valid"], &refused["reasons"]), (&json!(false), &json!(["bad_signature"])));
    assert_eq!((&refused["from"], &refused["status"]), (&Value::Null, &Value::Null));
    sender.api.post(&format!("{}/revoke", sender.path()), json!({})).await.expect(200);
    let revoked = verify(&reader, json!({ "signature": signature })).await;
    assert_eq!((&revoked["valid"], &revoked["status"]), (&json!(false), &json!("revoked")));
    assert_eq!(revoked["reasons"], json!(["agent_revoked"]));
    sender.api.delete(&format!("/v1/inboxes/{}", sender.id)).await.expect(204);
    let deleted = verify(&reader, json!({ "signature": signature })).await;
    assert_eq!((&deleted["status"], &deleted["reasons"]), (&json!("deleted"), &json!(["agent_deleted"])));
    server.finish().await;
}

#[tokio::test]
async fn an_address_and_wrong_signatures_have_a_result_too() {
    let server = open().await;
    let agent = Agent::open(&server, "bot").await;
    let found = verify(&agent, json!({ "address": agent.address })).await;
    let expected = json!({
        "valid": true, "status": "active", "from": agent.address, "assurance": "workspace", "kid": null,
        "signed_at": null, "card": false, "signer": null, "reasons": [],
    });
    assert_eq!(found, expected);
    let unknown = verify(&agent, json!({ "address": "dana@example.com" })).await;
    assert_eq!((&unknown["valid"], &unknown["status"]), (&json!(false), &Value::Null));
    for (signature, reason) in [
        ("x", "malformed"),
        ("e30.e30.e30", "malformed"),
        ("eyJhbGciOiJub25lIn0.e30.", "malformed"),
        ("eyJhbGciOiJFUzI1NiIsInR5cCI6IkpXVCJ9.e30.AAAA", "wrong_type"),
        ("eyJhbGciOiJFUzI1NiIsInR5cCI6InNlcnZpY2UtbXNnK2p3dCIsImtpZCI6IngifQ.e30.AAAA", "unknown_key"),
    ] {
        let found = verify(&agent, json!({ "signature": signature })).await;
        assert_eq!((&found["valid"], &found["reasons"]), (&json!(false), &json!([reason])), "{signature}");
    }
    agent.api.post(PATH, json!({})).await.invalid_fields(&["signature"]);
    let both = json!({ "signature": "x", "address": agent.address });
    agent.api.post(PATH, both).await.invalid_fields(&["signature"]);
    agent.api.post(PATH, json!({ "signature": "x".repeat(16_385) })).await.invalid_fields(&["signature"]);
    let reply = agent.api.post(PATH, json!({ "address": agent.address })).await.expect(200);
    assert_eq!(reply.header("cache-control"), Some("no-store"));
    server.finish().await;
}
