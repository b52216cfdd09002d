//! A draft request with the `Idempotency-Key` of another inbox got that inbox's draft, to a key that may not see it, and the
//! draft of a wiped inbox stayed readable that way (decisions 3 and 4).

use posthouse_domain::auth::Scope;
use serde_json::json;

use crate::desk::Desk;

#[tokio::test]
async fn who_may_not_see_the_inbox_hears_nothing_of_its_drafts() {
    let desk = Desk::open().await;
    let other = desk.server.inbox_with(&desk.key, json!({ "username": "other" })).await;
    let key = desk.server.key(&desk.key, "full", Scope::Inbox(other.id)).await;
    let (owner, stranger) = (desk.api.idempotent("k-1"), desk.server.api(&key).idempotent("k-1"));
    let drafts = format!("/v1/inboxes/{}/drafts", desk.inbox.id);
    let letter = json!({ "to": desk.inbox.address, "subject": "Plan", "text": "Secret." });
    let id = owner.post(&drafts, letter.clone()).await.expect(201).text("id").to_owned();
    for body in [letter, json!({})] {
        stranger.post(&drafts, body).await.error("not_found");
    }
    let send = format!("{drafts}/{id}/send");
    owner.post_empty(&send).await.expect(202);
    stranger.post_empty(&send).await.error("not_found");
    desk.close().await;
}

#[tokio::test]
async fn the_draft_of_a_wiped_inbox_is_not_repeated() {
    let desk = Desk::with_inbox(Default::default(), json!({ "ttl_seconds": 600 })).await;
    let api = desk.api.idempotent("k-1");
    let inbox = format!("/v1/inboxes/{}", desk.inbox.id);
    let letter = json!({ "to": "ann@b.example", "subject": "Plan", "text": "Secret." });
    api.post(&format!("{inbox}/drafts"), letter.clone()).await.expect(201);
    desk.api.delete(&inbox).await.expect(204);
    api.post(&format!("{inbox}/drafts"), letter).await.error("not_found");
    desk.close().await;
}
