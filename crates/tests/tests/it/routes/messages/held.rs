//! Held mail: what agents get of it, its list and its release.

use posthouse_domain::{auth::Scope, message::HoldReason, plan::Plan};
use posthouse_tests::{TestMessage, http::Api};
use serde_json::{Value, json};

use crate::inbox_fixture::InboxFixture;

impl InboxFixture {
    /// Receives mail that is held as phishing; returns its id.
    async fn phishing(&self, subject: &str) -> String {
        let mail = TestMessage::new(subject, "Pay the attached bill.");
        self.server.receive_held(&self.inbox, &mail, HoldReason::Phishing).await.to_string()
    }
}

async fn held(api: &Api, query: &str) -> Vec<Value> {
    api.get(&format!("/v1/held-messages{query}")).await.expect(200).data().to_vec()
}

#[tokio::test]
async fn held_mail_reaches_no_agent_until_a_person_releases_it() {
    let fixture = InboxFixture::open().await;
    let claim = format!("/v1/inboxes/{}/messages/claim", fixture.inbox.id);
    fixture.api.post_empty(&claim).await.expect(200);
    let id = fixture.phishing("Urgent bill").await;
    let path = format!("/v1/messages/{id}");
    let shown = fixture.api.get(&path).await.expect(200);
    assert_eq!(shown["screening"], json!({ "state": "held", "reason": "phishing", "released_at": null }));
    assert_eq!(shown["withheld"], json!({ "state": "held", "reason": "phishing", "attachments": 0 }));
    assert_eq!(
        (&shown["subject"], &shown["text"], &shown["extracted_text"]),
        (&Value::Null, &Value::Null, &Value::Null)
    );
    let open = fixture.api.get(&format!("{path}?include_held=true")).await.expect(200);
    assert_eq!(open["text"], "Pay the attached bill.\n");
    // It reaches no agent: not by a claim, search, a thread or the text of an event.
    assert_eq!(fixture.api.post_empty(&claim).await.expect(200).data().len(), 0);
    assert_eq!(fixture.api.get("/v1/search?q=bill").await.expect(200).data().len(), 0);
    assert_eq!(fixture.api.get("/v1/threads").await.expect(200).data().len(), 0);
    let events = fixture.api.get("/v1/events?types=message.received").await.expect(200);
    assert_eq!(events.data()[0]["data"]["message"]["subject"], Value::Null);

    let released = fixture.api.post_empty(&format!("{path}/release")).await.expect(200);
    assert_eq!((&released["screening"]["state"], &released["subject"]), (&json!("released"), &json!("Urgent bill")));
    assert!(released["screening"]["released_at"].is_string() && released.json.get("withheld").is_none(), "{released}");
    let again = fixture.api.post_empty(&format!("{path}/release")).await.expect(200);
    assert_eq!(again.json, released.json, "a repeated release changes nothing");
    let events = fixture.api.get("/v1/events?types=message.released").await.expect(200);
    assert_eq!(events.data().len(), 1);
    assert_eq!(events.data()[0]["data"]["message"]["subject"], "Urgent bill");
    assert_eq!(held(&fixture.api, "").await.len(), 0);
    let claimed = fixture.api.post_empty(&claim).await.expect(200);
    assert_eq!(claimed.data()[0]["message"]["id"], json!(id), "the queue had passed it");
    assert_eq!(fixture.api.get("/v1/search?q=bill").await.expect(200).data().len(), 1);
    let threads = fixture.api.get("/v1/threads").await.expect(200);
    assert_eq!((&threads.data()[0]["message_count"], &threads.data()[0]["unread_count"]), (&json!(1), &json!(1)));
    let list = format!("/v1/inboxes/{}/messages?screening=released", fixture.inbox.id);
    assert_eq!(fixture.api.get(&list).await.expect(200).data().len(), 1);
    fixture.close().await;
}

#[tokio::test]
async fn the_last_feedback_counts_everywhere_and_releases_once() {
    let fixture = InboxFixture::open().await;
    let owner = fixture.server.owner_session(&fixture.key).await;
    let release = format!("/v1/messages/{}/release", fixture.phishing("Bill").await);
    for (body, expected) in [
        (json!({}), json!(null)),
        (json!({ "feedback": "wrong" }), json!("wrong")),
        (json!({ "feedback": "right" }), json!("right")),
        (json!({ "feedback": "right" }), json!("right")),
        (json!({}), json!("right")),
    ] {
        let released = fixture.api.post(&release, body.clone()).await.expect(200);
        let said = &released["screening"]["release"];
        assert_eq!((&said["feedback"], &said["by"]["type"]), (&expected, &json!("api_key")), "{body}");
        let events = fixture.api.get("/v1/events?types=message.released").await.expect(200);
        assert_eq!(events.data().len(), 1, "{body}");
        assert_eq!(events.data()[0]["data"]["message"]["screening"]["release"]["feedback"], expected, "{body}");
    }
    let agreement = owner.get("/platform/screening").await.expect(200);
    let phishing = &agreement["reasons"][0];
    assert_eq!((&phishing["right"], &phishing["wrong"]), (&json!(1), &json!(0)), "{agreement}");
    fixture.close().await;
}

#[tokio::test]
async fn mail_that_was_held_reaches_agents_when_screening_is_switched_off() {
    let fixture = InboxFixture::open().await;
    let owner = fixture.server.owner_session(&fixture.key).await;
    let claim = format!("/v1/inboxes/{}/messages/claim", fixture.inbox.id);
    fixture.api.post_empty(&claim).await.expect(200);
    let first = fixture.phishing("First").await;
    let pending = fixture.server.receive_pending(&fixture.inbox, &TestMessage::new("Second", "text")).await.to_string();
    let ruled = TestMessage::new("Third", "text");
    let ruled = fixture.server.receive_held(&fixture.inbox, &ruled, HoldReason::Rule).await.to_string();
    let inbox = format!("/v1/inboxes/{}", fixture.inbox.id);
    owner.patch(&inbox, json!({ "screening": "monitor" })).await.expect(200);
    fixture.server.settle().await;
    assert_eq!(held(&fixture.api, "").await.len(), 3, "monitoring leaves what is held to people");
    owner.patch(&inbox, json!({ "screening": "off" })).await.expect(200);
    fixture.server.settle().await;
    let left: Vec<Value> = held(&fixture.api, "").await.into_iter().map(|message| message["id"].clone()).collect();
    assert_eq!(left, [json!(ruled)], "a rule doesn't depend on the screening");
    let claimed = fixture.api.post_empty(&claim).await.expect(200);
    let claimed: Vec<&Value> = claimed.data().iter().map(|item| &item["message"]["id"]).collect();
    assert_eq!(claimed, [&json!(first), &json!(pending)], "in the order of their arrival");
    let events = fixture.api.get("/v1/events?types=message.released").await.expect(200);
    assert_eq!(events.data().len(), 2);
    let message = fixture.api.get(&format!("/v1/messages/{first}")).await.expect(200);
    assert_eq!(
        (&message["screening"]["state"], &message["screening"]["reason"]),
        (&json!("released"), &json!("phishing"))
    );
    assert_eq!(message["screening"].get("release"), None, "nobody released it by itself");
    for id in [&first, &pending] {
        let said = json!({ "feedback": "wrong" });
        let before = fixture.api.get(&format!("/v1/messages/{id}")).await.expect(200);
        let answered = fixture.api.post(&format!("/v1/messages/{id}/release"), said).await.expect(200);
        let screening = &answered["screening"];
        assert_eq!(
            screening["release"],
            json!({ "by": null, "feedback": "wrong" }),
            "the switch released it: {answered}"
        );
        assert_eq!(screening["released_at"], before["screening"]["released_at"]);
        assert_eq!(answered["ai"].get("released_by"), None, "{answered}");
    }
    fixture.close().await;
}

#[tokio::test]
async fn the_list_of_held_mail_spans_inboxes_and_follows_scope_and_permission() {
    let fixture = InboxFixture::open().await;
    let other = fixture.server.inbox(&fixture.key).await;
    let block = json!({ "direction": "receive", "kind": "block", "pattern": "spam.example" });
    fixture.api.post("/v1/lists", block).await.expect(201);
    let spam = TestMessage::new("Offer", "Buy").with("From", "eve@spam.example");
    fixture.server.deliver(&spam, &other.address).await;
    let phishing = fixture.phishing("Bill").await;
    let reasons =
        |list: &[Value]| -> Vec<Value> { list.iter().map(|one| one["screening"]["reason"].clone()).collect() };
    let all = held(&fixture.api, "").await;
    assert_eq!(reasons(&all), ["phishing", "blocked"], "newest first");
    let mut paged = held(&fixture.api, "?limit=1").await;
    let cursor = fixture.api.get("/v1/held-messages?limit=1").await.expect(200).text("next_cursor").to_owned();
    paged.extend(held(&fixture.api, &format!("?limit=1&cursor={cursor}")).await);
    assert_eq!(paged, all);
    let summary = held(&fixture.api, "?view=summary&include_held=true").await;
    assert_eq!(
        (&summary[0]["subject"], &summary[0]["text"], &summary[0]["headers"]),
        (&json!("Bill"), &Value::Null, &Value::Null)
    );
    assert_eq!(reasons(&held(&fixture.api, &format!("?inbox_id={}", other.id)).await), ["blocked"]);
    let list = |query: &str| format!("/v1/inboxes/{}/messages?{query}", other.id);
    assert_eq!(fixture.api.get(&list("screening=held")).await.expect(200).data().len(), 0, "blocked mail is hidden");
    assert_eq!(fixture.api.get(&list("screening=held&include_blocked=true")).await.expect(200).data().len(), 1);
    let narrow = fixture.server.api(&fixture.server.key(&fixture.key, "messages:read", Scope::Inbox(other.id)).await);
    assert_eq!(reasons(&held(&narrow, "").await), ["blocked"]);
    narrow.get("/v1/held-messages?include_held=true").await.error("insufficient_permissions");
    narrow.get(&format!("/v1/held-messages?inbox_id={}", fixture.inbox.id)).await.error("not_found");
    let blocked = all[1]["id"].as_str().unwrap();
    fixture.api.post_empty(&format!("/v1/messages/{blocked}/release")).await.error("message_blocked");
    fixture.server.deliver(&TestMessage::new("Fine", "text"), &other.address).await;
    let fine = fixture.api.get(&list("")).await.expect(200).data()[0]["id"].as_str().unwrap().to_owned();
    fixture.api.post_empty(&format!("/v1/messages/{fine}/release")).await.error("not_held");
    let stranger = fixture.server.api(&fixture.server.workspace(Plan::Team).await);
    stranger.post_empty(&format!("/v1/messages/{phishing}/release")).await.error("not_found");
    fixture.api.delete(&format!("/v1/inboxes/{}", other.id)).await.expect(204);
    assert_eq!(reasons(&held(&fixture.api, "").await), ["phishing"]);
    fixture.close().await;
}
