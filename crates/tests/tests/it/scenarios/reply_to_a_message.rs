//! The main use case: an agent gets an address, receives a message, reads it and replies, and the reply is sent.

use posthouse_domain::plan::Plan;
use posthouse_tests::{TestMessage, TestServer, mail::SENDER};
use serde_json::json;

#[tokio::test]
async fn an_agent_waits_for_a_message_reads_its_code_and_replies() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let api = server.api(&key);
    let inbox = server.inbox(&key).await;

    // The agent waits before the message arrives.
    let wait = tokio::spawn({
        let (api, path) = (api.clone(), format!("/v1/inboxes/{}/messages/wait?timeout=60", inbox.id));
        async move { api.get(&path).await.expect(200) }
    });
    server.clock.wait_for_sleepers(1).await;
    let message =
        TestMessage::new("Your verification code", "Your verification code is 482913.\nIt expires in 10 minutes.")
            .with("Message-ID", "<code-1@remote.example>");
    server.deliver(&message, &inbox.address).await;
    let response = wait.await.unwrap();
    let mail = &response["data"];
    assert_eq!(mail["subject"], "Your verification code", "{response}");
    assert_eq!(mail["rfc_message_id"], "<code-1@remote.example>");
    assert_eq!(mail["direction"], "inbound");
    let path = format!("/v1/inboxes/{}/verification?since={}", inbox.id, posthouse_tests::clock::START);
    let found = api.get(&path).await.expect(200);
    assert_eq!(found["data"]["code"], "482913", "{found}");
    assert_eq!(found["data"]["message_id"], mail["id"]);

    // The reply is queued and then sent: in capture mode to the outbox of this machine.
    let path = format!("/v1/inboxes/{}/messages/{}/reply", inbox.id, mail["id"].as_str().unwrap());
    let answer = api.idempotent("answer-1").post(&path, json!({ "text": "Thank you, it works." })).await.expect(202);
    assert_eq!(answer["status"], "queued");
    assert_eq!(answer["in_reply_to"], "<code-1@remote.example>");
    assert_eq!(answer["thread_id"], mail["thread_id"]);
    server.settle().await;
    let outbox = api.get("/dev/outbox").await.expect(200);
    let [captured] = outbox.data() else { panic!("one message is captured: {outbox}") };
    assert_eq!(captured["id"], answer["id"]);
    assert_eq!(captured["captured"], true);
    assert_eq!(captured["envelope"]["to"], json!([SENDER]));
    let sent = api.get(&format!("/v1/messages/{}", answer.text("id"))).await.expect(200);
    assert_eq!(sent["status"], "sent", "{sent}");

    // The captured message is a reply in the thread, signed for the sender's domain.
    let raw = api.get(&format!("/v1/messages/{}/raw", answer.text("id"))).await.expect(200);
    let raw = String::from_utf8(raw.bytes).unwrap();
    assert!(raw.contains("In-Reply-To: <code-1@remote.example>\r\n"), "{raw}");
    assert!(raw.contains("Subject: Re: Your verification code\r\n"), "{raw}");
    assert!(raw.contains("Thank you, it works."), "{raw}");

    // The event log has the same events in order.
    let events = api.get("/v1/events").await.expect(200);
    let types: Vec<_> = events.data().iter().map(|event| event["type"].as_str().unwrap()).collect();
    assert_eq!(types, ["message.received", "message.sent"], "{events}");
    server.finish().await;
}

#[tokio::test]
async fn accepted_messages_survive_a_crash_and_are_sent_afterwards() {
    let mut server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let api = server.api(&key);
    let inbox = server.inbox(&key).await;
    server.deliver(&TestMessage::new("Before the crash", "text"), &inbox.address).await;
    let body = json!({ "to": SENDER, "subject": "Also before", "text": "text" });
    let path = format!("/v1/inboxes/{}/messages", inbox.id);
    let sent = api.idempotent("once").post(&path, body.clone()).await.expect(202);
    server.crash().await;
    let list = api.get(&path).await.expect(200);
    assert_eq!(list.data().len(), 2, "{list}");
    let again = api.idempotent("once").post(&path, body).await.expect(202);
    assert_eq!(again.bytes, sent.bytes);
    assert_eq!(again.header("idempotent-replayed"), Some("true"));
    server.settle().await;
    assert_eq!(api.get("/dev/outbox").await.expect(200).data().len(), 1);
    server.finish().await;
}
