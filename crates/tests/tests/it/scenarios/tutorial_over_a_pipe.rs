//! The tutorial (`docs/tutorial.md`) from its first to its last step, over JSON lines on a pipe.

use std::sync::Arc;

use posthouse_app::settings::DeliveryMode;
use posthouse_tests::{ServerOptions, TestServer, mail::TestMessage, pipe::Pipe};
use serde_json::{Value, json};

/// Returns the value of an answer with this status.
fn expect(answer: &Value, status: u16) -> &Value {
    assert_eq!(answer["status"], status, "{answer}");
    &answer["value"]
}

#[tokio::test]
async fn every_step_works_without_http() {
    let options = ServerOptions::default().configure(|config| config.delivery.mode = DeliveryMode::Capture);
    let server = TestServer::start(options).await;
    let key = server.workspace(posthouse_domain::plan::Plan::Team).await;
    let mut pipe = Pipe::connect(Arc::clone(server.service()), Some(key.secret.clone()));
    let wanted = json!({ "username": "support", "client_id": "support-agent" });
    let created = pipe.call("createInbox", json!({}), None, Some(wanted.clone())).await;
    let inbox = expect(&created, 201).clone();
    let again = pipe.call("createInbox", json!({}), None, Some(wanted)).await;
    assert_eq!(expect(&again, 200)["id"], inbox["id"]);
    let (id, address) = (json!({ "id": inbox["id"] }), inbox["address"].as_str().expect("an address"));

    let question = TestMessage::new("Where is my order?", "I ordered two lamps on Monday. When will they come?")
        .with("From", "ada@example.com");
    server.deliver_from(&question, "ada@example.com", address).await;
    let since = Some("since=2020-01-01&timeout=30");
    let waited = pipe.call("waitForMessage", id.clone(), since, None).await;
    let message = expect(&waited, 200)["data"].clone();
    assert_eq!(message["extracted_text"], "I ordered two lamps on Monday. When will they come?");

    let code =
        TestMessage::new("Your sign-in code", "Your verification code is 482913.").with("From", "login@shop.example");
    server.deliver_from(&code, "login@shop.example", address).await;
    let verification = pipe.call("waitForVerification", id.clone(), since, None).await;
    assert_eq!(expect(&verification, 200)["data"]["code"], "482913");

    let of_message = json!({ "id": inbox["id"], "message_id": message["id"] });
    let text = json!({ "text": "Hello Ada, they come on Thursday." });
    let reply = pipe.call("replyToMessage", of_message, None, Some(text)).await;
    assert_eq!(expect(&reply, 202)["to"], json!(["ada@example.com"]));
    server.settle().await;
    let outbox = pipe.call("listOutbox", json!({}), None, None).await;
    assert_eq!(expect(&outbox, 200)["data"][0]["captured"], true);

    let log = pipe.call("listEvents", json!({}), None, None).await;
    let types: Vec<&str> =
        expect(&log, 200)["data"].as_array().expect("a page").iter().filter_map(|e| e["type"].as_str()).collect();
    assert!(["message.received", "message.sent"].iter().all(|wanted| types.contains(wanted)), "{types:?}");

    let mistake = pipe.call("waitForMessage", id, Some("timeuot=30"), None).await;
    assert_eq!(mistake["error"]["code"], "invalid_request");
    assert_eq!(mistake["error"]["message"], "timeuot: is unknown; did you mean timeout?");
    server.finish().await;
}
