//! The effect of send and reply lists.

use posthouse_domain::plan::Plan;
use posthouse_tests::{TestMessage, TestServer, mail::SENDER};
use serde_json::json;

#[tokio::test]
async fn sends_and_replies_have_separate_lists() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let (api, inbox, other) = (server.api(&key), server.inbox(&key).await, server.inbox(&key).await);
    let entry = async |direction: &str, kind: &str, pattern: &str, inbox: Option<String>| {
        let body = json!({ "direction": direction, "kind": kind, "pattern": pattern, "inbox_id": inbox });
        api.post("/v1/lists", body).await.expect(201).text("id").to_owned()
    };
    let cc = "cc@sub.third.example";
    server.deliver_from(&TestMessage::new("Earlier", "t").with("From", cc), cc, &inbox.address).await;
    server.deliver_from(&TestMessage::new("Hi", "t").with("Cc", cc), SENDER, &inbox.address).await;
    let message = server.newest_message(&api, &inbox.id.to_string()).await["id"].as_str().unwrap().to_owned();
    let send = format!("/v1/inboxes/{}/messages", inbox.id);
    let reply = format!("{send}/{message}/reply");
    let body = json!({ "to": "Ann <Ann@Remote.example>", "cc": "b@c.example", "subject": "s", "text": "t" });

    entry("send", "block", "remote.example", None).await;
    let refused = api.post(&send, body.clone()).await.error("recipient_blocked");
    assert_eq!(refused["error"]["details"]["addresses"], json!(["ann@remote.example"]));
    let decision = api.post(&format!("{send}?dry_run=true"), body.clone()).await.expect(200);
    assert_eq!(decision["recipients"][0]["blocked"], true, "{decision}");
    assert_eq!(decision["recipients"][1]["blocked"], false, "{decision}");
    let forward = json!({ "to": "ann@remote.example" });
    api.post(&format!("{send}/{message}/forward"), forward).await.error("recipient_blocked");
    api.post(&reply, json!({ "text": "t" })).await.expect(202);

    entry("reply", "block", "third.example", Some(inbox.id.to_string())).await;
    api.post(&reply, json!({ "text": "t" })).await.expect(202);
    let refused = api.post(&reply, json!({ "text": "t", "reply_all": true })).await.error("recipient_blocked");
    assert_eq!(refused["error"]["details"]["addresses"], json!(["cc@sub.third.example"]));
    let third = json!({ "to": "x@third.example", "subject": "s", "text": "t" });
    api.post(&send, third.clone()).await.expect(202);

    // An allow entry blocks everyone else in that direction, in that inbox.
    entry("send", "allow", "only.example", Some(inbox.id.to_string())).await;
    api.post(&send, third.clone()).await.error("recipient_blocked");
    api.post(&send, json!({ "to": "a@only.example", "subject": "s", "text": "t" })).await.expect(202);
    api.post(&format!("/v1/inboxes/{}/messages", other.id), third).await.expect(202);
    // Lists are checked before suppressions and after the states of the inbox and the workspace.
    api.post("/v1/suppressions", json!({ "address": "ann@remote.example" })).await.expect(201);
    api.post(&send, body.clone()).await.error("recipient_blocked");
    api.post_empty(&format!("/v1/inboxes/{}/pause", inbox.id)).await.expect(200);
    api.post(&send, body).await.error("inbox_paused");
    api.post_empty(&format!("/v1/inboxes/{}/resume", inbox.id)).await.expect(200);
    server.settle().await;
    server.finish().await;
}

/// A forged mail made its participants correspondents, so that a reply wrote to people whom the send lists refuse.
#[tokio::test]
async fn only_proven_participants_are_correspondents() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let (api, inbox) = (server.api(&key), server.inbox(&key).await);
    let allow = json!({ "direction": "send", "kind": "allow", "pattern": "company.example" });
    api.post("/v1/lists", allow).await.expect(201);
    let (victim, writer) = ("v@victim.example", "known@writer.example");
    server.deliver_from(&TestMessage::new("Hello", "t").with("From", writer), writer, &inbox.address).await;
    let blocked = async |message: &TestMessage, from: Option<&str>, reply: serde_json::Value| {
        match from {
            Some(from) => server.deliver_from(message, from, &inbox.address).await,
            None => server.deliver(message, &inbox.address).await,
        }
        let id = server.newest_message(&api, &inbox.id.to_string()).await["id"].as_str().unwrap().to_owned();
        let path = format!("/v1/inboxes/{}/messages/{id}/reply", inbox.id);
        let response = api.post(&path, reply).await;
        if response.status == 202 {
            json!([])
        } else {
            response.error("recipient_blocked")["error"]["details"]["addresses"].clone()
        }
    };
    let of = |author: &str| TestMessage::new("Hi", "t").with("From", author).with("Cc", &format!("{victim}, {writer}"));
    let all = json!({ "text": "t", "reply_all": true });
    let forged = of("boss@company.example");
    assert_eq!(blocked(&forged, None, all.clone()).await, json!([victim]));
    assert_eq!(blocked(&forged, None, json!({ "text": "t", "to": victim })).await, json!([victim]));
    assert_eq!(blocked(&forged, None, json!({ "text": "t" })).await, json!([]), "the send lists allow the author");
    let stranger = of("s@stranger.example");
    assert_eq!(blocked(&stranger, None, json!({ "text": "t" })).await, json!(["s@stranger.example"]));
    let proven = Some("s@stranger.example");
    assert_eq!(blocked(&stranger, proven, json!({ "text": "t" })).await, json!([]));
    assert_eq!(blocked(&stranger, proven, all).await, json!([victim]), "an author proves nobody else");
    assert_eq!(blocked(&stranger, proven, json!({ "text": "t", "to": writer })).await, json!([]));
    server.settle().await;
    server.finish().await;
}
