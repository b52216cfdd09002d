//! Sending drafts: once, with the same checks as every message, and with a permanent approval.

use posthouse_domain::time::HOUR_MS;
use serde_json::json;

use super::InboxFixture;

#[tokio::test]
async fn a_sent_draft_becomes_a_message_and_loses_its_content() {
    let fixture = InboxFixture::open().await;
    let body = json!({
        "to": fixture.inbox.address, "bcc": ["Bob <sender+b@agents.localhost>"], "subject": "Plan", "text": "Here it is.",
        "html": "<p>Here it is.</p>", "labels": ["a"], "metadata": { "k": "v" }, "data": { "qty": 4 }, "type": "task",
    });
    let id = fixture.draft(body).await.text("id").to_owned();
    fixture.server.clock.advance(1_000);
    let sent = fixture.send(&id).await.expect(202);
    let (draft, message) = (&sent["draft"], &sent["message"]);
    assert_eq!((&draft["status"], &draft["sent_message_id"]), (&json!("sent"), &message["id"]));
    assert_eq!((&draft["text"], &draft["html"], &draft["attachments"]), (&json!(null), &json!(null), &json!([])));
    assert_eq!((&draft["thread_id"], &draft["sent_at"]), (&message["thread_id"], &json!("2026-09-15T12:00:01.000Z")));
    assert_eq!((&draft["metadata"], &draft["error"]), (&json!({ "k": "v" }), &json!(null)));
    assert_eq!(sent["status"], message["status"]);
    assert_eq!((&message["status"], &message["subject"]), (&json!("queued"), &json!("Plan")));
    assert_eq!((&message["text"], &message["html"]), (&json!("Here it is."), &json!("<p>Here it is.</p>")));
    assert_eq!(
        (&message["labels"], &message["type"], &message["data"]),
        (&json!(["a"]), &json!("task"), &json!({ "qty": 4 }))
    );
    let approval = &message["approval"];
    let by = json!({ "type": "api_key", "id": fixture.key.id.to_string(), "label": "first key" });
    assert_eq!((&approval["draft_id"], &approval["by"]), (&json!(id), &by));
    assert_eq!((&draft["approved_by"], &draft["approved_at"]), (&by, &approval["at"]));
    assert_eq!(draft["approved_content_sha256"], approval["content_sha256"]);
    assert_eq!(approval["content_sha256"].as_str().map(str::len), Some(64));
    assert_eq!(fixture.get(&id).await.json, *draft);
    let inbox = fixture.api.get(&format!("/v1/inboxes/{}", fixture.inbox.id)).await.expect(200);
    assert_eq!(inbox["pending_draft_count"], 0);
    fixture.api.delete(&fixture.path(&format!("/{id}"))).await.expect(204);
    let kept = fixture.api.get(&format!("/v1/messages/{}", message["id"].as_str().unwrap())).await.expect(200);
    assert_eq!(kept["approval"], *approval, "the approval outlives the draft");
    fixture.close().await;
}

#[tokio::test]
async fn the_content_hash_covers_bcc_but_not_labels() {
    let fixture = InboxFixture::open().await;
    let hash = async |body: serde_json::Value| {
        let id = fixture.draft(body).await.text("id").to_owned();
        fixture.send(&id).await.expect(202)["draft"]["approved_content_sha256"].clone()
    };
    let first = hash(fixture.complete_body()).await;
    let mut labeled = fixture.complete_body();
    labeled["labels"] = json!(["x"]);
    assert_eq!(hash(labeled).await, first);
    let mut hidden = fixture.complete_body();
    hidden["bcc"] = json!("sender+eve@agents.localhost");
    assert_ne!(hash(hidden).await, first);
    fixture.close().await;
}

#[tokio::test]
async fn an_incomplete_draft_reports_and_stores_the_missing_fields() {
    let fixture = InboxFixture::open().await;
    let id = fixture.draft(json!({ "subject": "Plan" })).await.text("id").to_owned();
    let before = fixture.get(&id).await.json;
    let refused = fixture.send(&id).await.invalid_fields(&["to", "text"]);
    let after = fixture.get(&id).await.json;
    let missing = refused["error"]["details"]["fields"].as_array().unwrap();
    let error = &after["error"];
    assert_eq!(error["code"], "invalid_request");
    for field in missing {
        let problem = field["problem"].as_str().unwrap();
        assert!(
            error["message"].as_str().is_some_and(|text| text.contains(problem)),
            "{problem} is missing in {error}"
        );
    }
    let mut unchanged = after.clone();
    unchanged["error"] = json!(null);
    assert_eq!(unchanged, before, "nothing but the error changes");
    fixture.patch(&id, json!({ "to": fixture.inbox.address, "data": { "a": 1 } })).await.expect(200);
    let sent = fixture.send(&id).await.expect(202);
    assert_eq!((&sent["draft"]["status"], &sent["draft"]["error"]), (&json!("sent"), &json!(null)));
    fixture.close().await;
}

#[tokio::test]
async fn a_rejected_send_keeps_the_draft_with_the_error() {
    let fixture = InboxFixture::open().await;
    let id = fixture.complete().await;
    fixture.pause().await;
    fixture.send(&id).await.error("inbox_paused");
    let after = fixture.get(&id).await;
    assert_eq!((&after["status"], &after["error"]["code"]), (&json!("draft"), &json!("inbox_paused")));
    assert_eq!(after["approved_by"], json!(null));
    fixture.resume().await;
    fixture.send(&id).await.expect(202);
    assert_eq!(fixture.get(&id).await["error"], json!(null));
    assert_eq!(fixture.event_types().await, ["draft.created", "draft.sent"]);
    fixture.close().await;
}

#[tokio::test]
async fn concurrent_sends_of_a_draft_send_once() {
    let fixture = InboxFixture::open().await;
    let id = fixture.complete().await;
    let mut sends = tokio::task::JoinSet::new();
    for _ in 0..8 {
        let (api, path) = (fixture.api.clone(), fixture.path(&format!("/{id}/send")));
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
    assert_eq!((sent, fixture.sent().await), (1, 1));
    assert_eq!(fixture.event_types().await, ["draft.created", "draft.sent"]);
    fixture.close().await;
}

#[tokio::test]
async fn a_caller_and_the_schedule_send_once() {
    let fixture = InboxFixture::open().await;
    let mut body = fixture.complete_body();
    body["send_at"] = json!(fixture.ahead(HOUR_MS));
    let id = fixture.draft(body).await.text("id").to_owned();
    fixture.server.clock.advance(HOUR_MS);
    let (reply, ()) = tokio::join!(fixture.send(&id), fixture.server.settle());
    assert!(matches!(reply.status, 202 | 409), "{reply}");
    fixture.server.settle().await;
    assert_eq!((fixture.sent().await, fixture.get(&id).await["status"].clone()), (1, json!("sent")));
    fixture.close().await;
}

#[tokio::test]
async fn a_repeated_send_replays_the_first_response() {
    let fixture = InboxFixture::open().await;
    let id = fixture.complete().await;
    let (api, path) = (fixture.api.idempotent("s-1"), fixture.path(&format!("/{id}/send")));
    let first = api.post_empty(&path).await.expect(202);
    for again in [api.post_empty(&path).await, api.post(&path, json!({})).await] {
        let again = again.expect(202);
        assert_eq!((&again.bytes, again.header("idempotent-replayed")), (&first.bytes, Some("true")));
    }
    let other = fixture.complete().await;
    api.post_empty(&fixture.path(&format!("/{other}/send"))).await.error("idempotency_key_reused");
    assert_eq!(fixture.get(&other).await["error"], json!(null));
    fixture.api.post_empty(&path).await.error("draft_not_editable");
    assert_eq!(fixture.sent().await, 1);
    fixture.close().await;
}

#[tokio::test]
async fn a_message_without_a_draft_has_no_approval() {
    let fixture = InboxFixture::open().await;
    let path = format!("/v1/inboxes/{}/messages", fixture.inbox.id);
    let sent = fixture.api.post(&path, fixture.complete_body()).await.expect(202);
    assert_eq!(sent["approval"], json!(null));
    fixture.close().await;
}

#[tokio::test]
async fn a_dry_run_leaves_the_draft_as_it_is() {
    let fixture = InboxFixture::open().await;
    let id = fixture.complete().await;
    let before = fixture.get(&id).await.json;
    let path = fixture.path(&format!("/{id}/send?dry_run=true"));
    let decision = fixture.api.post_empty(&path).await.expect(200);
    assert_eq!((&decision["allowed"], &decision["hold"]), (&json!(true), &json!(null)));
    assert_eq!(decision["recipients"][0]["address"], json!(fixture.inbox.address));
    fixture.api.post_empty(&format!("/v1/inboxes/{}/pause", fixture.inbox.id)).await.expect(200);
    let refused = fixture.api.post_empty(&path).await.expect(200);
    assert_eq!((&refused["allowed"], &refused["refusal"]["code"]), (&json!(false), &json!("inbox_paused")));
    assert_eq!(fixture.get(&id).await.json, before, "a refusal isn't the draft's error");
    assert_eq!(fixture.sent().await, 0);
    fixture.act(&id, "cancel", json!({})).await.expect(200);
    fixture.api.post_empty(&path).await.error("draft_not_editable");
    fixture.close().await;
}
