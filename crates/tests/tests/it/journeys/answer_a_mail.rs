//! The main job: an agent gets an address, a mail comes in, the agent reads it, answers, and the answer leaves.

use posthouse_domain::plan::Plan;
use posthouse_tests::{Letter, TestServer, mail::SENDER};
use serde_json::json;

#[tokio::test]
async fn an_agent_waits_for_a_mail_reads_its_code_and_answers() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let api = server.api(&key);
    let inbox = server.inbox(&key).await;

    // The agent waits before the mail is there.
    let waiting = tokio::spawn({
        let (api, path) = (api.clone(), format!("/v1/inboxes/{}/messages/wait?timeout=60", inbox.id));
        async move { api.get(&path).await.expect(200) }
    });
    server.clock.waiting(1).await;
    let letter = Letter::new("Your verification code", "Your verification code is 482913.\nIt expires in 10 minutes.")
        .with("Message-ID", "<code-1@remote.example>");
    server.deliver(&letter, &inbox.address).await;
    let woken = waiting.await.unwrap();
    let mail = &woken["data"];
    assert_eq!(mail["subject"], "Your verification code", "{woken}");
    assert_eq!(mail["rfc_message_id"], "<code-1@remote.example>");
    assert_eq!(mail["direction"], "inbound");
    let path = format!("/v1/inboxes/{}/verification?since={}", inbox.id, posthouse_tests::clock::START);
    let found = api.get(&path).await.expect(200);
    assert_eq!(found["data"]["code"], "482913", "{found}");
    assert_eq!(found["data"]["message_id"], mail["id"]);

    // The answer is queued, then it leaves: to the outbox of this machine, in capture mode.
    let path = format!("/v1/inboxes/{}/messages/{}/reply", inbox.id, mail["id"].as_str().unwrap());
    let answer = api.idempotent("answer-1").post(&path, json!({ "text": "Thank you, it works." })).await.expect(202);
    assert_eq!(answer["status"], "queued");
    assert_eq!(answer["in_reply_to"], "<code-1@remote.example>");
    assert_eq!(answer["thread_id"], mail["thread_id"]);
    server.settle().await;
    let outbox = api.get("/dev/outbox").await.expect(200);
    let [captured] = outbox.data() else { panic!("one mail is captured: {outbox}") };
    assert_eq!(captured["id"], answer["id"]);
    assert_eq!(captured["captured"], true);
    assert_eq!(captured["envelope"]["to"], json!([SENDER]));
    let sent = api.get(&format!("/v1/messages/{}", answer.text("id"))).await.expect(200);
    assert_eq!(sent["status"], "sent", "{sent}");

    // What would have left: an answer in the thread, signed for our domain.
    let raw = api.get(&format!("/v1/messages/{}/raw", answer.text("id"))).await.expect(200);
    let raw = String::from_utf8(raw.bytes).unwrap();
    assert!(raw.contains("In-Reply-To: <code-1@remote.example>\r\n"), "{raw}");
    assert!(raw.contains("Subject: Re: Your verification code\r\n"), "{raw}");
    assert!(raw.contains("Thank you, it works."), "{raw}");

    // The log tells the same in order.
    let events = api.get("/v1/events").await.expect(200);
    let types: Vec<_> = events.data().iter().map(|event| event["type"].as_str().unwrap()).collect();
    assert_eq!(types, ["message.received", "message.sent"], "{events}");
    server.finish().await;
}

#[tokio::test]
async fn what_was_said_250_and_202_to_outlives_a_crash_and_leaves_afterwards() {
    let mut server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let api = server.api(&key);
    let inbox = server.inbox(&key).await;
    server.deliver(&Letter::new("Before the crash", "text"), &inbox.address).await;
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
