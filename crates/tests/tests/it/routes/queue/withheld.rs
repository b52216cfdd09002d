//! Claims of withheld mail: only claims that ask for it get it, once, and its release changes nothing for the worker that has
//! it.

use posthouse_domain::{auth::Scope, id::MessageId, message::HoldReason};
use posthouse_tests::TestMessage;
use serde_json::{Value, json};

use super::Fixture;

const NONE: [&str; 0] = [];

impl Fixture {
    async fn pending(&self, subject: &str) -> MessageId {
        self.server.receive_pending(&self.inbox, &TestMessage::new(subject, "text")).await
    }

    async fn held(&self, subject: &str, reason: HoldReason) -> MessageId {
        self.server.receive_held(&self.inbox, &TestMessage::new(subject, "text"), reason).await
    }
}

fn unscreened() -> Value {
    json!({ "include_unscreened": true, "limit": 50 })
}

fn held() -> Value {
    json!({ "include_held": true, "limit": 50 })
}

#[tokio::test]
async fn claims_get_the_withheld_mail_that_they_ask_for() {
    let fixture = Fixture::new().await;
    fixture.deliver("First").await;
    fixture.pending("Pending").await;
    fixture.held("Held", HoldReason::Phishing).await;
    fixture.held("Blocked", HoldReason::Blocked).await;
    fixture.deliver("Last").await;
    let both = json!({ "include_unscreened": true, "include_held": true, "limit": 50 });
    let claimed = fixture.claim(both).await;
    let shown: Vec<_> = claimed.data().iter().map(|one| &one["message"]["subject"]).collect();
    assert_eq!(shown, ["First", "Pending", "Held", "Last"], "oldest first");
    for one in claimed.data() {
        assert!(one["message"]["text"].is_string() && one["message"]["withheld"].is_null(), "{one}");
        fixture.post_with_lease(one, "nack", json!({})).await.expect(200);
    }
    // Returned messages are found by the same kind of claim only.
    assert_eq!(fixture.subjects(json!({ "limit": 50 })).await, ["First", "Last"]);
    assert_eq!(fixture.subjects(unscreened()).await, ["Pending"]);
    assert_eq!(fixture.subjects(held()).await, ["Held"]);
    assert_eq!(fixture.subjects(held()).await, NONE);
    let key = fixture.server.key(&fixture.key, "messages:read,messages:write", Scope::Workspace).await;
    let agent = fixture.server.api(&key);
    let path = format!("/v1/inboxes/{}/messages/claim", fixture.inbox.id);
    agent.post(&path, held()).await.error("insufficient_permissions");
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_waiting_claim_gets_mail_that_is_released() {
    let fixture = Fixture::new().await;
    fixture.claim(json!({})).await;
    let id = fixture.held("Held", HoldReason::Phishing).await;
    let (api, path) = (fixture.api.clone(), format!("/v1/inboxes/{}/messages/claim", fixture.inbox.id));
    let waiting = tokio::spawn(async move { api.post(&path, json!({ "wait": 30 })).await.expect(200) });
    fixture.server.clock.wait_for_sleepers(1).await;
    fixture.api.post_empty(&format!("/v1/messages/{id}/release")).await.expect(200);
    let claimed = waiting.await.unwrap();
    assert_eq!(claimed.data()[0]["message"]["id"], json!(id.to_string()));
    fixture.server.finish().await;
}

#[tokio::test]
async fn released_mail_is_claimed_once() {
    let fixture = Fixture::new().await;
    let (acked, returned) =
        (fixture.held("Acked", HoldReason::Phishing).await, fixture.held("Returned", HoldReason::InjectionRisk).await);
    let claimed = fixture.claim(held()).await;
    fixture.post_with_lease(&claimed.data()[0], "ack", json!({})).await.expect(200);
    fixture.post_with_lease(&claimed.data()[1], "nack", json!({})).await.expect(200);
    assert_eq!(fixture.subjects(json!({})).await, NONE);
    for id in [acked, returned] {
        fixture.api.post_empty(&format!("/v1/messages/{id}/release")).await.expect(200);
    }
    assert_eq!(fixture.subjects(json!({})).await, ["Returned"]);
    let checked = fixture.pending("Checked").await;
    let first = fixture.claim(unscreened()).await;
    fixture.server.show(&fixture.key, checked).await;
    fixture.post_with_lease(&first.data()[0], "extend", json!({})).await.expect(200);
    assert_eq!(fixture.subjects(json!({})).await, NONE, "the worker still has it");
    fixture.post_with_lease(&first.data()[0], "nack", json!({})).await.expect(200);
    assert_eq!(fixture.subjects(json!({})).await, ["Checked"]);
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_waiting_claim_gets_pending_mail_when_it_arrives() {
    let fixture = Fixture::new().await;
    let body = json!({ "include_unscreened": true, "wait": 20 });
    let (api, path) = (fixture.api.clone(), format!("/v1/inboxes/{}/messages/claim", fixture.inbox.id));
    let waiting = tokio::spawn(async move { api.post(&path, body).await });
    fixture.server.clock.wait_for_sleepers(1).await;
    fixture.held("Held", HoldReason::Phishing).await;
    fixture.pending("Pending").await;
    let claimed = waiting.await.unwrap().expect(200);
    assert_eq!(claimed.data()[0]["message"]["subject"], "Pending");
    fixture.server.finish().await;
}

#[tokio::test]
async fn one_message_of_a_conversation_at_a_time_also_of_withheld_ones() {
    let fixture = Fixture::new().await;
    let first = TestMessage::new("Order", "text").with("Message-ID", "<1@remote.example>");
    let second = TestMessage::new("Re: Order", "text")
        .with("Message-ID", "<2@remote.example>")
        .with("In-Reply-To", "<1@remote.example>");
    fixture.server.receive_held(&fixture.inbox, &first, HoldReason::Phishing).await;
    fixture.server.receive_pending(&fixture.inbox, &second).await;
    let both = json!({ "include_unscreened": true, "include_held": true, "limit": 50 });
    let claimed = fixture.claim(both.clone()).await;
    assert_eq!(claimed.data().len(), 1, "{claimed}");
    assert_eq!(claimed.data()[0]["message"]["subject"], "Order");
    fixture.post_with_lease(&claimed.data()[0], "ack", json!({})).await.expect(200);
    assert_eq!(fixture.subjects(both).await, ["Re: Order"]);
    fixture.server.finish().await;
}
