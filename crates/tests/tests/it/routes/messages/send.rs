//! `POST /v1/inboxes/{id}/messages`: which requests are accepted, and where messages go.

use posthouse_tests::server::ServerOptions;
use serde_json::json;

use super::{InboxFixture, inbox, send_body};

#[tokio::test]
async fn a_message_to_an_external_recipient_is_queued() {
    let fixture = InboxFixture::open().await;
    let body = json!({
        "to": ["Dana <dana@elsewhere.example>", "eve@b.example"], "cc": "DANA@elsewhere.example", "bcc": ["fay@b.example"],
        "subject": "Plan", "text": "Here it is.", "html": "<p>Here it is.</p>", "labels": ["q3", "q3"], "type": "task",
        "attachments": [{ "filename": "a.txt", "content_type": "text/plain", "content_base64": "aGVsbG8K" }],
    });
    let sent = fixture.post("", body).await.expect(202);
    assert_eq!(sent["status"], "queued");
    assert_eq!(sent["channel"], "email");
    assert_eq!(sent["direction"], "outbound");
    assert_eq!(sent["type"], "task");
    assert_eq!(sent["from"], "The sender <sender@agents.localhost>");
    assert_eq!(sent["to"], json!(["Dana <dana@elsewhere.example>", "eve@b.example"]));
    assert_eq!(sent["bcc"], json!(["fay@b.example"]));
    assert_eq!(sent["labels"], json!(["q3"]));
    assert_eq!(sent["sent_at"], json!(null));
    assert_eq!(sent["attachments"][0]["filename"], "a.txt");
    assert_eq!(sent["attachments"][0]["size_bytes"], 6);
    assert_eq!(sent["rfc_message_id"], format!("<{}@agents.localhost>", sent.text("id")));
    let delivery = sent["delivery"].as_array().unwrap();
    let addresses: Vec<&str> = delivery.iter().map(|entry| entry["address"].as_str().unwrap()).collect();
    assert_eq!(addresses, ["dana@elsewhere.example", "eve@b.example", "fay@b.example"], "each address once");
    assert!(delivery.iter().all(|entry| entry["status"] == "queued" && entry["channel"] == "email"), "{sent}");
    let raw = fixture.api.get(&format!("/v1/messages/{}", sent.text("id"))).await.expect(200);
    assert_eq!(raw.json, sent.json, "reading returns the response of the send");
    assert!(!raw["headers"].to_string().contains("fay@b.example"), "Bcc is in no header");
    fixture.close_queued().await;
}

#[tokio::test]
async fn a_message_to_a_local_inbox_is_delivered_at_once() {
    let fixture = InboxFixture::open().await;
    let friend = inbox(&fixture.server, &fixture.key, "friend").await;
    let body = json!({
        "to": "friend+tag@agents.localhost", "subject": "Ping", "data": { "n": 1 },
        "attachments": [{ "filename": "a.bin", "content_type": "application/octet-stream", "content_base64": "AAEC" }],
    });
    let sent = fixture.post("/send", body).await.expect(202);
    assert_eq!(sent["status"], "queued");
    assert_eq!(sent["channel"], "agent");
    assert_eq!(sent["delivery"][0]["status"], "queued");
    let after = fixture.message(sent.text("id")).await;
    assert_eq!(after["status"], "delivered");
    assert_eq!(after["delivery"][0]["status"], "delivered");
    assert!(after["sent_at"].is_string());
    let copy = fixture.newest_message(&friend).await;
    assert_eq!(copy["channel"], "agent");
    assert_eq!(copy["status"], "received");
    assert_eq!(copy["data"], json!({ "n": 1 }));
    assert_eq!(copy["text"], "This message carries structured data.");
    assert_eq!(copy["rfc_message_id"], sent["rfc_message_id"]);
    assert_eq!(copy["attachments"].as_array().unwrap().len(), 1, "the data is not an attachment here");
    assert_eq!(copy["labels"], json!([]));
    let results = copy["headers"]["authentication-results"].as_str().unwrap();
    assert!(results.contains("dmarc=pass"), "{results}");
    fixture.server.finish().await;
}

#[tokio::test]
async fn local_and_external_recipients_can_be_mixed_and_an_unknown_inbox_bounces() {
    let fixture = InboxFixture::open().await;
    let friend = inbox(&fixture.server, &fixture.key, "friend").await;
    let body = json!({
        "to": [friend.address, "nobody@agents.localhost", "dana@elsewhere.example"], "subject": "Ping", "data": [1],
    });
    let sent = fixture.post("", body).await.expect(202);
    assert_eq!(sent["channel"], "mixed");
    assert_eq!(sent["attachments"][0]["filename"], "service-data.json", "for the external recipients");
    let after = fixture.message(sent.text("id")).await;
    assert_eq!(after["status"], "bounced", "the worst of all entries");
    let statuses: Vec<&str> =
        after["delivery"].as_array().unwrap().iter().map(|entry| entry["status"].as_str().unwrap()).collect();
    assert_eq!(statuses, ["delivered", "bounced", "queued"]);
    assert_eq!(after["delivery"][1]["enhanced_code"], "5.1.1");
    assert_eq!(fixture.newest_message(&friend).await["attachments"], json!([]), "the local copy has the data as data");
    let events = fixture.api.get("/v1/events").await.expect(200);
    let types: Vec<&str> = events.data().iter().map(|event| event["type"].as_str().unwrap()).collect();
    assert_eq!(types, ["message.received", "message.sent", "message.delivered", "message.bounced"]);
    let bounce = &events.data()[3]["data"]["bounce"];
    assert_eq!(bounce["type"], "hard");
    assert_eq!(bounce["recipients"][0]["address"], "nobody@agents.localhost");
    fixture.close_queued().await;
}

#[tokio::test]
async fn one_inbox_behind_two_addresses_gets_one_copy() {
    let fixture = InboxFixture::open().await;
    let friend = inbox(&fixture.server, &fixture.key, "friend").await;
    let body = json!({ "to": ["friend+a@agents.localhost", "friend@agents.localhost"], "subject": "", "text": "Hi" });
    let sent = fixture.post("", body).await.expect(202);
    assert_eq!(sent["delivery"].as_array().unwrap().len(), 2);
    let list = fixture.api.get(&format!("/v1/inboxes/{}/messages", friend.id)).await.expect(200);
    assert_eq!(list.data().len(), 1);
    fixture.server.finish().await;
}

#[tokio::test]
async fn all_problems_of_a_request_are_reported_at_once() {
    let fixture = InboxFixture::open().await;
    let body = json!({
        "to": ["no address", "a@b.example"], "subject": "one\r\nBcc: x@y.example", "agent_signature": "",
        "labels": ["a b"], "data": "text", "type": "order",
        "attachments": [{ "filename": "../a", "content_type": "x", "content_base64": "!" }],
    });
    fixture.post("", body).await.invalid_fields(&[
        "agent_signature",
        "to[0]",
        "subject",
        "labels[0]",
        "data",
        "type",
        "attachments[0].filename",
        "attachments[0].content_type",
        "attachments[0].content_base64",
    ]);
    let many: Vec<String> = (0..26).map(|n| format!("p{n}@b.example")).collect();
    let body = json!({ "to": many, "cc": many, "subject": "x", "text": "" });
    let reply = fixture.post("", body).await.invalid_fields(&["to", "text"]);
    assert!(reply["error"]["details"].to_string().contains("50"), "{reply}");
    fixture
        .post("", json!({ "to": [], "subject": "x", "text": "y", "labels": ["ai:urgent"] }))
        .await
        .invalid_fields(&["to", "labels[0]"]);
    fixture.post("", json!({ "text": "y" })).await.invalid_fields(&["to", "subject"]);
    assert_eq!(fixture.newest_message(&fixture.inbox).await, json!(null), "nothing is stored");
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_message_over_the_size_limit_is_rejected() {
    let small = ServerOptions::default().configure(|config| config.message_bytes_max = 2_000);
    let fixture = InboxFixture::with(small).await;
    let body = json!({ "to": "dana@elsewhere.example", "subject": "x", "text": "y".repeat(3_000) });
    let refused = fixture.post("", body.clone()).await.error("message_too_large");
    assert_eq!(refused["error"]["details"]["max_bytes"], 2_000);
    let decision = fixture.post("?dry_run=true", body).await.expect(200);
    assert_eq!(decision["refusal"]["code"], "message_too_large");
    fixture.post("", send_body("dana@elsewhere.example")).await.expect(202);
    fixture.close_queued().await;
}

#[tokio::test]
async fn only_a_key_with_access_to_the_inbox_can_send() {
    use posthouse_domain::auth::Scope;
    let fixture = InboxFixture::open().await;
    let other = inbox(&fixture.server, &fixture.key, "other").await;
    let stranger = fixture.server.workspace(posthouse_domain::plan::Plan::Team).await;
    let narrow = fixture.server.key(&fixture.key, "send_only", Scope::Inbox(other.id)).await;
    let reader = fixture.server.key(&fixture.key, "read_only", Scope::Workspace).await;
    let path = fixture.messages("");
    for key in [&stranger, &narrow] {
        fixture.server.api(key).post(&path, send_body("a@b.example")).await.error("not_found");
    }
    fixture.server.api(&reader).post(&path, send_body("a@b.example")).await.error("insufficient_permissions");
    let own = format!("/v1/inboxes/{}/messages", other.id);
    fixture.server.api(&narrow).post(&own, send_body("a@b.example")).await.expect(202);
    fixture.close_queued().await;
}
