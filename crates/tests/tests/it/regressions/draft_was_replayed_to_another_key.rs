//! A draft request with the `Idempotency-Key` of another inbox returned that inbox's draft to a key without access, and
//! the draft of a wiped inbox stayed readable this way.

use posthouse_domain::auth::Scope;
use serde_json::json;

use crate::inbox_fixture::InboxFixture;

#[tokio::test]
async fn a_key_without_access_does_not_get_a_replayed_draft() {
    let fixture = InboxFixture::open().await;
    let other = fixture.server.inbox_with(&fixture.key, json!({ "username": "other" })).await;
    let key = fixture.server.key(&fixture.key, "full", Scope::Inbox(other.id)).await;
    let (owner, stranger) = (fixture.api.idempotent("k-1"), fixture.server.api(&key).idempotent("k-1"));
    let drafts = format!("/v1/inboxes/{}/drafts", fixture.inbox.id);
    let draft_body = json!({ "to": fixture.inbox.address, "subject": "Plan", "text": "Secret." });
    let id = owner.post(&drafts, draft_body.clone()).await.expect(201).text("id").to_owned();
    for body in [draft_body, json!({})] {
        stranger.post(&drafts, body).await.error("not_found");
    }
    let send = format!("{drafts}/{id}/send");
    owner.post_empty(&send).await.expect(202);
    stranger.post_empty(&send).await.error("not_found");
    fixture.close().await;
}

#[tokio::test]
async fn the_draft_of_a_wiped_inbox_is_not_replayed() {
    let fixture = InboxFixture::with_inbox(Default::default(), json!({ "ttl_seconds": 600 })).await;
    let api = fixture.api.idempotent("k-1");
    let inbox = format!("/v1/inboxes/{}", fixture.inbox.id);
    let draft_body = json!({ "to": "ann@b.example", "subject": "Plan", "text": "Secret." });
    api.post(&format!("{inbox}/drafts"), draft_body.clone()).await.expect(201);
    fixture.api.delete(&inbox).await.expect(204);
    api.post(&format!("{inbox}/drafts"), draft_body).await.error("not_found");
    fixture.close().await;
}
