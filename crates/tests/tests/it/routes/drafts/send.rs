//! Drafts that are sent: once, by the same gate as every message, with an approval that stays.

use posthouse_domain::time::HOUR_MS;
use serde_json::json;

use super::Desk;

#[tokio::test]
async fn a_sent_draft_becomes_a_message_and_gives_its_content_away() {
    let desk = Desk::open().await;
    let body = json!({
        "to": desk.inbox.address, "bcc": ["Bob <sender+b@agents.localhost>"], "subject": "Plan", "text": "Here it is.",
        "html": "<p>Here it is.</p>", "labels": ["a"], "metadata": { "k": "v" }, "data": { "qty": 4 }, "type": "task",
    });
    let id = desk.draft(body).await.text("id").to_owned();
    desk.server.clock.advance(1_000);
    let sent = desk.send(&id).await.expect(202);
    let (draft, message) = (&sent["draft"], &sent["message"]);
    assert_eq!((&draft["status"], &draft["sent_message_id"]), (&json!("sent"), &message["id"]));
    assert_eq!((&draft["text"], &draft["html"], &draft["attachments"]), (&json!(null), &json!(null), &json!([])));
    assert_eq!((&draft["thread_id"], &draft["sent_at"]), (&message["thread_id"], &json!("2026-09-15T12:00:01.000Z")));
    assert_eq!((&draft["metadata"], &draft["error"]), (&json!({ "k": "v" }), &json!(null)));
    assert_eq!((&message["status"], &message["subject"]), (&json!("queued"), &json!("Plan")));
    assert_eq!((&message["text"], &message["html"]), (&json!("Here it is."), &json!("<p>Here it is.</p>")));
    assert_eq!(
        (&message["labels"], &message["type"], &message["data"]),
        (&json!(["a"]), &json!("task"), &json!({ "qty": 4 }))
    );
    let approval = &message["approval"];
    let by = json!({ "type": "api_key", "id": desk.key.id.to_string(), "label": "first key" });
    assert_eq!((&approval["draft_id"], &approval["by"]), (&json!(id), &by));
    assert_eq!((&draft["approved_by"], &draft["approved_at"]), (&by, &approval["at"]));
    assert_eq!(draft["approved_content_sha256"], approval["content_sha256"]);
    assert_eq!(approval["content_sha256"].as_str().map(str::len), Some(64));
    assert_eq!(desk.get(&id).await.json, *draft);
    let inbox = desk.api.get(&format!("/v1/inboxes/{}", desk.inbox.id)).await.expect(200);
    assert_eq!(inbox["pending_draft_count"], 0);
    desk.api.delete(&desk.path(&format!("/{id}"))).await.expect(204);
    let kept = desk.api.get(&format!("/v1/messages/{}", message["id"].as_str().unwrap())).await.expect(200);
    assert_eq!(kept["approval"], *approval, "it outlives the draft");
    desk.close().await;
}

#[tokio::test]
async fn the_hash_is_the_same_for_the_same_content_and_another_with_a_hidden_recipient() {
    let desk = Desk::open().await;
    let hash = async |body: serde_json::Value| {
        let id = desk.draft(body).await.text("id").to_owned();
        desk.send(&id).await.expect(202)["draft"]["approved_content_sha256"].clone()
    };
    let first = hash(desk.letter()).await;
    let mut labelled = desk.letter();
    labelled["labels"] = json!(["x"]);
    assert_eq!(hash(labelled).await, first);
    let mut hidden = desk.letter();
    hidden["bcc"] = json!("sender+eve@agents.localhost");
    assert_ne!(hash(hidden).await, first);
    desk.close().await;
}

#[tokio::test]
async fn an_incomplete_draft_says_what_is_missing_and_keeps_it() {
    let desk = Desk::open().await;
    let id = desk.draft(json!({ "subject": "Plan" })).await.text("id").to_owned();
    let before = desk.get(&id).await.json;
    let refused = desk.send(&id).await.invalid_fields(&["to", "text"]);
    let after = desk.get(&id).await.json;
    let told = refused["error"]["details"]["fields"].as_array().unwrap();
    let error = &after["error"];
    assert_eq!(error["code"], "invalid_request");
    for field in told {
        let problem = field["problem"].as_str().unwrap();
        assert!(error["message"].as_str().is_some_and(|text| text.contains(problem)), "{error} says {problem}");
    }
    let mut unchanged = after.clone();
    unchanged["error"] = json!(null);
    assert_eq!(unchanged, before, "nothing but the error changes");
    desk.patch(&id, json!({ "to": desk.inbox.address, "data": { "a": 1 } })).await.expect(200);
    let sent = desk.send(&id).await.expect(202);
    assert_eq!((&sent["draft"]["status"], &sent["draft"]["error"]), (&json!("sent"), &json!(null)));
    desk.close().await;
}

#[tokio::test]
async fn what_the_gate_refuses_stays_in_the_draft() {
    let desk = Desk::open().await;
    let id = desk.complete().await;
    desk.pause().await;
    desk.send(&id).await.error("inbox_paused");
    let after = desk.get(&id).await;
    assert_eq!((&after["status"], &after["error"]["code"]), (&json!("draft"), &json!("inbox_paused")));
    assert_eq!(after["approved_by"], json!(null));
    desk.resume().await;
    desk.send(&id).await.expect(202);
    assert_eq!(desk.get(&id).await["error"], json!(null));
    assert_eq!(desk.told().await, ["draft.created", "draft.sent"]);
    desk.close().await;
}

#[tokio::test]
async fn of_many_senders_one_sends() {
    let desk = Desk::open().await;
    let id = desk.complete().await;
    let mut sends = tokio::task::JoinSet::new();
    for _ in 0..8 {
        let (api, path) = (desk.api.clone(), desk.path(&format!("/{id}/send")));
        sends.spawn(async move { api.post_empty(&path).await });
    }
    let mut sent = 0;
    for reply in sends.join_all().await {
        if reply.status == 202 {
            sent += 1;
        } else {
            let refused = reply.error("draft_not_editable");
            assert_eq!(refused["error"]["details"]["status"], "sent");
        }
    }
    assert_eq!((sent, desk.sent().await), (1, 1));
    assert_eq!(desk.told().await, ["draft.created", "draft.sent"]);
    desk.close().await;
}

#[tokio::test]
async fn a_sender_and_the_clock_send_once() {
    let desk = Desk::open().await;
    let mut body = desk.letter();
    body["send_at"] = json!(desk.ahead(HOUR_MS));
    let id = desk.draft(body).await.text("id").to_owned();
    desk.server.clock.advance(HOUR_MS);
    let (reply, ()) = tokio::join!(desk.send(&id), desk.server.settle());
    assert!(matches!(reply.status, 202 | 409), "{reply}");
    desk.server.settle().await;
    assert_eq!((desk.sent().await, desk.get(&id).await["status"].clone()), (1, json!("sent")));
    desk.close().await;
}

#[tokio::test]
async fn a_repeated_send_gets_the_first_answer() {
    let desk = Desk::open().await;
    let id = desk.complete().await;
    let (api, path) = (desk.api.idempotent("s-1"), desk.path(&format!("/{id}/send")));
    let first = api.post_empty(&path).await.expect(202);
    for again in [api.post_empty(&path).await, api.post(&path, json!({})).await] {
        let again = again.expect(202);
        assert_eq!((&again.bytes, again.header("idempotent-replayed")), (&first.bytes, Some("true")));
    }
    let other = desk.complete().await;
    api.post_empty(&desk.path(&format!("/{other}/send"))).await.error("idempotency_key_reused");
    assert_eq!(desk.get(&other).await["error"], json!(null));
    desk.api.post_empty(&path).await.error("draft_not_editable");
    assert_eq!(desk.sent().await, 1);
    desk.close().await;
}

#[tokio::test]
async fn a_message_without_a_draft_has_no_approval() {
    let desk = Desk::open().await;
    let path = format!("/v1/inboxes/{}/messages", desk.inbox.id);
    let sent = desk.api.post(&path, desk.letter()).await.expect(202);
    assert_eq!(sent["approval"], json!(null));
    desk.close().await;
}
