//! Reply lists didn't apply to authors whom neither SPF nor DKIM proved, so a stranger avoided the list by having neither.

use posthouse_tests::mail::TestMessage;
use serde_json::json;

use crate::inbox_fixture::InboxFixture;

#[tokio::test]
async fn replies_to_unproven_authors_obey_reply_lists() {
    for (kind, pattern) in [("block", "sender.example"), ("block", "ann@sender.example"), ("allow", "only.example")] {
        let fixture = InboxFixture::open().await;
        let mail = TestMessage::new("Hi", "Hello").with("From", "ann@sender.example");
        fixture.server.deliver(&mail, &fixture.inbox.address).await;
        let path = format!("/v1/inboxes/{}/messages", fixture.inbox.id);
        let page = fixture.api.get(&path).await.expect(200);
        let reply = format!("{path}/{}/reply", page["data"][0]["id"].as_str().expect("a message"));
        let entry = json!({ "direction": "reply", "kind": kind, "pattern": pattern });
        let made = fixture.api.post("/v1/lists", entry).await.expect(201);
        fixture.api.post(&reply, json!({ "text": "x" })).await.expect(422).error("recipient_blocked");
        let entry = format!("/v1/lists/{}", made["id"].as_str().expect("an id"));
        fixture.api.delete(&entry).await.expect(204);
        fixture.api.post(&reply, json!({ "text": "x" })).await.expect(202);
        fixture.server.finish().await;
    }
}
