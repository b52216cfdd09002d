//! Whole conversations, in each revision.

use posthouse_app::settings::DeliveryMode;
use posthouse_domain::plan::Plan;
use posthouse_tests::{ServerOptions, TestServer, mail::TestMessage};
use serde_json::json;

use super::client::{McpClient, STATELESS};

/// Receives a question, answers it by way of a draft, and gets a code.
async fn converse(revision: &'static str) {
    let options = ServerOptions::default().configure(|config| config.delivery.mode = DeliveryMode::Capture);
    let server = TestServer::start(options).await;
    let key = server.workspace(Plan::Team).await;
    let client = McpClient::new(&server, &key, revision).profile("all");
    let created = client.call("create_inbox", json!({ "username": "support", "client_id": "support-agent" })).await;
    let again = client.call("create_inbox", json!({ "username": "support", "client_id": "support-agent" })).await;
    assert_eq!(created["id"], again["id"]);
    let (id, address) = (created["id"].clone(), created["address"].as_str().expect("an address").to_owned());

    let question = TestMessage::new("Where is my order?", "I ordered two lamps on Monday. When will they come?");
    server.deliver_from(&question.with("From", "ada@example.com"), "ada@example.com", &address).await;
    let since = json!({ "inbox_id": id, "since": "2020-01-01T00:00:00Z" });
    let message = client.call("wait_for_email", since.clone()).await;
    assert_eq!(message["extracted_text"], "I ordered two lamps on Monday. When will they come?");
    let thread = client.call("get_thread", json!({ "thread_id": message["thread_id"] })).await;
    assert_eq!(thread["messages"][0]["id"], message["id"]);
    let found = client.call("search_email", json!({ "query": "lamps" })).await;
    assert_eq!(found["results"][0]["id"], message["id"]);

    let reply = json!({ "inbox_id": id, "reply_to_message_id": message["id"], "text": "They come on Thursday." });
    let draft = client.call("create_draft", reply).await;
    assert_eq!((&draft["status"], &draft["to"]), (&json!("draft"), &json!(["ada@example.com"])));
    let of_draft = json!({ "inbox_id": id, "draft_id": draft["id"] });
    assert_eq!(client.call("get_draft", of_draft.clone()).await["text"], "They come on Thursday.");
    let approval = json!({ "content_sha256": draft["content_sha256"] });
    let path = format!("/v1/inboxes/{}/drafts/{}/approve", id.as_str().unwrap(), draft["id"].as_str().unwrap());
    server.api(&key).post(&path, approval).await.expect(202);
    assert_eq!(client.call("get_draft", of_draft).await["status"], "sent");
    let answered = json!({ "inbox_id": id, "message_id": message["id"], "text": "Sorry for the delay." });
    assert_eq!(client.call("reply_to_email", answered).await["thread_id"], message["thread_id"]);

    let code = TestMessage::new("Your sign-in code", "Your verification code is 482913.");
    server.deliver_from(&code.with("From", "login@shop.example"), "login@shop.example", &address).await;
    assert_eq!(client.call("get_verification_code", since).await["code"], "482913");
    server.finish().await;
}

#[tokio::test]
async fn a_conversation_in_the_stateless_revision() {
    converse(STATELESS).await;
}

#[tokio::test]
async fn a_conversation_in_each_revision_with_a_handshake() {
    for revision in ["2025-11-25", "2025-06-18", "2025-03-26", ""] {
        converse(revision).await;
    }
}

#[tokio::test]
async fn the_handshake_settles_the_revision() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let table = [
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2024-11-05", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),
        ("", "2025-11-25"),
    ];
    let client = McpClient::new(&server, &key, "");
    for (asked, wanted) in table {
        let about = json!({ "name": "test", "version": "1" });
        let params = json!({ "protocolVersion": asked, "capabilities": {}, "clientInfo": about });
        let result = client.result("initialize", params).await;
        assert_eq!(result["protocolVersion"], wanted, "{asked}");
        assert!(result["instructions"].as_str().unwrap().contains("UNTRUSTED MESSAGE CONTENT"));
    }
    assert_eq!(client.result("ping", json!({})).await, json!({}));
    let stateless = McpClient::new(&server, &key, STATELESS);
    let discovered = stateless.result("server/discover", json!({})).await;
    assert_eq!(discovered["supportedVersions"], json!(["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26"]));
    for method in ["initialize", "ping", "logging/setLevel", "nothing/here"] {
        let response = stateless.send(method, json!({})).await.expect(404);
        assert_eq!(response["error"]["code"], -32601, "{method}");
    }
    let response = client.send("nothing/here", json!({})).await.expect(200);
    assert_eq!(response["error"]["code"], -32601);
    server.finish().await;
}
