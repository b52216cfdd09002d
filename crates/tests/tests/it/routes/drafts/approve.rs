//! Approving the content that was read, and sending a draft back to its author.

use posthouse_domain::{auth::Scope, time::HOUR_MS};
use serde_json::{Value, json};

use super::InboxFixture;

#[tokio::test]
async fn only_the_content_that_was_read_is_approved() {
    let fixture = InboxFixture::open().await;
    let person = fixture.server.key(&fixture.key, "approve", Scope::Workspace).await;
    let person = fixture.server.api(&person);
    let id = fixture.complete().await;
    let read = person.get(&fixture.path(&format!("/{id}"))).await.expect(200);
    let approval = json!({ "content_sha256": read.text("content_sha256") });
    let path = fixture.path(&format!("/{id}/approve"));
    // Metadata isn't sent, so it doesn't change the hash.
    fixture.patch(&id, json!({ "metadata": { "n": 1 } })).await.expect(200);
    let changed = fixture.patch(&id, json!({ "text": "Something else." })).await.expect(200);
    assert_ne!(read["content_sha256"], changed["content_sha256"]);
    let refused = person.post(&path, approval).await.error("draft_changed");
    assert_eq!(refused["error"]["details"]["content_sha256"], changed["content_sha256"]);
    assert_eq!(fixture.sent().await, 0);
    assert_eq!(fixture.get(&id).await["error"], Value::Null, "the draft is as good as before");
    let approval = json!({ "content_sha256": changed.text("content_sha256") });
    let sent = person.idempotent("once").post(&path, approval.clone()).await.expect(202);
    assert_eq!(sent["message"]["text"], "Something else.");
    assert_eq!(sent["message"]["approval"]["content_sha256"], changed["content_sha256"]);
    assert_eq!(sent["draft"]["content_sha256"], Value::Null);
    let again = person.idempotent("once").post(&path, approval.clone()).await.expect(202);
    assert_eq!(again.header("idempotent-replayed"), Some("true"));
    person.post(&path, approval).await.error("draft_not_editable");
    assert_eq!(fixture.sent().await, 1);
    fixture.close().await;
}

#[tokio::test]
async fn an_approval_names_a_hash_and_needs_its_permission() {
    let fixture = InboxFixture::open().await;
    let id = fixture.complete().await;
    let path = fixture.path(&format!("/{id}/approve"));
    for wrong in [json!({}), json!({ "content_sha256": "ab" }), json!({ "content_sha256": "A".repeat(64) })] {
        fixture.api.post(&path, wrong).await.invalid_fields(&["content_sha256"]);
    }
    let agent = fixture.server.key(&fixture.key, "agent", Scope::Workspace).await;
    let refused = fixture.server.api(&agent).post(&path, json!({})).await.error("insufficient_permissions");
    assert_eq!(refused["error"]["details"]["permission"], "drafts:approve");
    let person = fixture.server.api(&fixture.server.key(&fixture.key, "approve", Scope::Workspace).await);
    person.patch(&fixture.path(&format!("/{id}")), json!({})).await.error("insufficient_permissions");
    fixture.close().await;
}

#[tokio::test]
async fn a_draft_that_was_sent_back_waits_for_new_content() {
    let fixture = InboxFixture::open().await;
    let mut body = fixture.complete_body();
    body["send_at"] = json!(fixture.ahead(HOUR_MS));
    let made = fixture.draft(body).await;
    let (id, hash) = (made.text("id").to_owned(), made.text("content_sha256").to_owned());
    fixture
        .act(&id, "send-back", json!({ "note": "x", "content_sha256": "0".repeat(64) }))
        .await
        .error("draft_changed");
    fixture.act(&id, "send-back", json!({ "note": "" })).await.invalid_fields(&["note"]);
    let back = fixture.act(&id, "send-back", json!({ "note": "Name the price.", "content_sha256": hash })).await;
    let back = back.expect(200);
    assert_eq!((back.text("status"), &back["send_at"], &back["approved_at"]), ("draft", &Value::Null, &Value::Null));
    assert_eq!(
        (&back["sent_back"]["note"], &back["sent_back"]["by"]["type"]),
        (&json!("Name the price."), &json!("api_key"))
    );
    let event = fixture.log().await.pop().unwrap();
    assert_eq!((&event["type"], &event["data"]["draft"]), (&json!("draft.updated"), &back.json));
    let waiting = async |query: &str| fixture.api.get(&format!("/v1/drafts?{query}")).await.expect(200).data().len();
    assert_eq!((waiting("sent_back=true").await, waiting("sent_back=false").await, waiting("").await), (1, 0, 1));
    let kept = fixture.patch(&id, json!({ "labels": ["seen"] })).await.expect(200);
    assert_eq!(kept["sent_back"], back["sent_back"], "the content is the same");
    let revised = fixture.patch(&id, json!({ "text": "It costs 12 EUR." })).await.expect(200);
    assert_eq!(revised["sent_back"], Value::Null);
    assert_eq!(waiting("sent_back=true").await, 0);
    fixture.server.advance(2 * HOUR_MS).await;
    assert_eq!(fixture.sent().await, 0, "its schedule ended");
    fixture.close().await;
}

#[tokio::test]
async fn a_draft_that_was_sent_back_is_taken_back() {
    let fixture = InboxFixture::open().await;
    let person = fixture.server.key(&fixture.key, "approve", Scope::Workspace).await;
    let person = fixture.server.api(&person);
    let id = fixture.complete().await;
    let path = fixture.path(&format!("/{id}/send-back"));
    let before = person.get(&fixture.path(&format!("/{id}"))).await.expect(200);
    person.post(&path, json!({ "note": "Name the price." })).await.expect(200);
    let agent = fixture.server.key(&fixture.key, "agent", Scope::Workspace).await;
    fixture.server.api(&agent).delete(&path).await.error("insufficient_permissions");
    let events = fixture.log().await.len();
    let taken = person.delete(&path).await.expect(200);
    assert_eq!((&taken["sent_back"], &taken["content_sha256"]), (&Value::Null, &before["content_sha256"]));
    let log = fixture.log().await;
    let event = log.last().unwrap();
    assert_eq!((&event["type"], &event["data"]["draft"]), (&json!("draft.updated"), &taken.json));
    assert_eq!(person.delete(&path).await.expect(200).json, taken.json, "it waits already");
    assert_eq!((log.len(), fixture.log().await.len()), (events + 1, events + 1));
    let approval = json!({ "content_sha256": taken.text("content_sha256") });
    person.post(&fixture.path(&format!("/{id}/approve")), approval).await.expect(202);
    fixture.close().await;
}
