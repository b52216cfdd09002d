//! What escalates, to whom, and what the mail shows.

use posthouse_domain::{auth::Scope, message::HoldReason};
use posthouse_store::{Error, Tx, workspaces};
use posthouse_tests::TestMessage;
use serde_json::{Value, json};

use super::{OnCallFixture, field, link, recipients, text};

#[tokio::test]
async fn drafts_escalate_when_they_fail_and_on_request_when_they_are_created() {
    let fixture = OnCallFixture::with_pat().await;
    let drafts = format!("/v1/inboxes/{}/drafts", fixture.inbox.id);
    let body = json!({ "to": ["dana@b.example"], "subject": "Offer", "text": "Dear Dana" });
    fixture.api.post(&drafts, body.clone()).await.expect(201);
    fixture.server.settle().await;
    assert_eq!(fixture.escalations().len(), 0, "draft_created is off by default");
    fixture.set(json!({ "triggers": { "draft_created": true }, "include_excerpt": true })).await;
    let draft = fixture.api.post(&drafts, body).await.expect(201);
    fixture.server.settle().await;
    let base = &fixture.server.config().app.base_url;
    let mail = fixture.escalations().pop().unwrap();
    assert_eq!(field(&mail.data, "Subject"), Some("Draft waiting: Offer"));
    let body = text(&mail.data);
    assert!(
        body.contains(&format!("\n{base}/approvals/{}/{}\n\n> Dear Dana\n", draft.text("inbox_id"), draft.text("id"))),
        "{body}"
    );
    assert!(body.contains("\nTo: dana@b.example\n"), "{body}");
    let event = fixture.events().await.pop().unwrap();
    assert_eq!((&event["trigger"], &event["draft_id"]), (&json!("draft_created"), &draft["id"]));
    assert_eq!(event["message_id"], Value::Null);

    fixture.set(json!({ "triggers": { "draft_created": false } })).await;
    let late = json!({
        "to": ["gone@b.example"], "subject": "Later", "text": "x", "send_at": "2026-09-15T13:00:00Z",
    });
    let draft = fixture.api.post(&drafts, late).await.expect(201);
    fixture.api.post("/v1/suppressions", json!({ "address": "gone@b.example" })).await.expect(201);
    fixture.server.advance(3_600_000).await;
    let mail = fixture.escalations().pop().unwrap();
    assert_eq!(field(&mail.data, "Subject"), Some("Scheduled draft failed: Later"));
    assert!(text(&mail.data).contains("\nReason: The message has 1 suppressed recipient"), "{}", mail.data);
    assert!(
        text(&mail.data).contains(&format!("/approvals/{}/{}\n", draft.text("inbox_id"), draft.text("id"))),
        "{}",
        mail.data
    );
    fixture.close().await;
}

#[tokio::test]
async fn a_stop_reaches_people_although_nothing_else_is_sent() {
    let fixture = OnCallFixture::with_pat().await;
    let waiting = fixture.receive("Before the stop").await;
    let inbox = fixture.inbox.id;
    fixture.api.post(&format!("/v1/inboxes/{inbox}/pause"), json!({})).await.expect(200);
    fixture.api.post("/v1/emergency-stop", json!({ "reason": "It answers\nthe wrong people." })).await.expect(200);
    fixture.api.post("/v1/emergency-stop", json!({})).await.expect(200);
    fixture.server.settle().await;
    let mails = fixture.escalations();
    assert_eq!(recipients(&mails), ["pat@b.example"], "a second stop changes nothing");
    assert!(field(&mails[0].data, "Subject").unwrap().starts_with("Emergency stop: "), "{}", mails[0].data);
    let base = &fixture.server.config().app.base_url;
    let body = text(&mails[0].data);
    assert!(body.contains("\nReason: It answers the wrong people.\n"), "{body}");
    assert!(body.contains(&format!("\n{base}/\n")), "{body}");
    let event = fixture.events().await.pop().unwrap();
    assert_eq!((&event["trigger"], &event["inbox"]), (&json!("emergency_stop"), &Value::Null));
    // Other escalations go out, too, and mail of the agent doesn't.
    fixture.label(&waiting).await;
    assert_eq!(fixture.escalations().len(), 2);
    let body = json!({ "to": ["dana@b.example"], "subject": "Hi", "text": "Hi" });
    fixture.api.post(&format!("/v1/inboxes/{inbox}/messages"), body).await.error("workspace_stopped");
    // A request to confirm waits for the end of the stop.
    let before = fixture.sink.received().len();
    fixture.set(json!({ "contacts": ["pat@b.example", "kim@b.example"] })).await;
    fixture.server.settle().await;
    assert_eq!(fixture.sink.received().len(), before);
    let workspace = fixture.key.workspace;
    let resume = move |tx: &mut Tx| workspaces::resume(tx, workspace).map(drop);
    fixture.server.store().write(resume).await.unwrap_or_else(|error: Error| panic!("{error}"));
    fixture.api.post_empty(&format!("/v1/inboxes/{inbox}/resume")).await.expect(200);
    fixture.server.advance(3_600_000).await;
    let asked = fixture.sink.received().pop().unwrap();
    assert_eq!(asked.recipients, ["kim@b.example"]);
    assert!(link(&asked.data).starts_with("/confirm/on-call/"));
    fixture.close().await;
}

#[tokio::test]
async fn blocked_mail_escalates_on_request_without_its_content() {
    let fixture = OnCallFixture::with_pat().await;
    let entry = json!({ "direction": "receive", "kind": "block", "pattern": "spam.example" });
    fixture.api.post("/v1/lists", entry).await.expect(201);
    let blocked = || TestMessage::new("Secret offer", "Buy now").with("From", "eve@spam.example");
    fixture.server.deliver(&blocked(), &fixture.inbox.address).await;
    fixture.server.settle().await;
    assert_eq!(fixture.escalations().len(), 0, "blocked is off by default");
    fixture.set(json!({ "triggers": { "blocked": true }, "include_excerpt": true })).await;
    fixture.server.deliver(&blocked(), &fixture.inbox.address).await;
    fixture.server.settle().await;
    let mail = fixture.escalations().pop().unwrap();
    let body = text(&mail.data);
    assert!(body.contains("From: eve@spam.example") && body.contains("#message-"), "{body}");
    assert!(!mail.data.contains("Secret offer") && !body.contains("Buy now"), "an agent may not read it: {body}");
    assert_eq!(fixture.events().await.pop().unwrap()["trigger"], "blocked");
    fixture.close().await;
}

#[tokio::test]
async fn held_mail_escalates_without_its_content() {
    let fixture = OnCallFixture::with_pat().await;
    fixture.set(json!({ "include_excerpt": true })).await;
    let bill = TestMessage::new("Secret bill", "Pay now");
    fixture.server.receive_held(&fixture.inbox, &bill, HoldReason::Phishing).await;
    fixture.server.settle().await;
    let mail = fixture.escalations().pop().unwrap();
    let body = text(&mail.data);
    assert!(!mail.data.contains("Secret bill") && !body.contains("Pay now"), "an agent may not read it: {body}");
    assert_eq!(fixture.events().await.pop().unwrap()["trigger"], "held");
    fixture.close().await;
}

#[tokio::test]
async fn an_inbox_can_have_its_own_people_and_triggers() {
    let fixture = OnCallFixture::with_pat().await;
    let path = format!("/v1/inboxes/{}/escalation", fixture.inbox.id);
    fixture.confirmed(&path, &["kim@b.example"]).await;
    fixture.escalate("First").await;
    assert_eq!(recipients(&fixture.escalations()), ["pat@b.example"], "without override, the workspace's contacts");
    fixture.api.put(&path, json!({ "override": true })).await.expect(200);
    fixture.escalate("Second").await;
    assert_eq!(recipients(&fixture.escalations()), ["kim@b.example", "pat@b.example"]);
    fixture.api.put(&path, json!({ "triggers": { "needs_human": false } })).await.expect(200);
    fixture.escalate("Third").await;
    assert_eq!(fixture.escalations().len(), 2);
    fixture.api.put(&path, json!({ "triggers": null })).await.expect(200);
    fixture.escalate("Fourth").await;
    assert_eq!(recipients(&fixture.escalations()), ["kim@b.example", "kim@b.example", "pat@b.example"]);
    fixture.close().await;
}

#[tokio::test]
async fn a_batch_escalates_each_message_once_with_an_excerpt() {
    let fixture = OnCallFixture::open().await;
    fixture.confirmed("/v1/escalation", &["pat@b.example", "kim@b.example"]).await;
    fixture.set(json!({ "include_excerpt": true })).await;
    let ids = [fixture.receive("One").await["id"].clone(), fixture.receive("Two").await["id"].clone()];
    let batch = json!({ "ids": ids, "add_labels": ["ai:needs-human", "urgent"] });
    for _ in 0..2 {
        fixture.api.post("/v1/messages/batch-update", batch.clone()).await.expect(200);
        fixture.server.settle().await;
    }
    let mails = fixture.escalations();
    let each = ["kim@b.example", "kim@b.example", "pat@b.example", "pat@b.example"];
    assert_eq!(recipients(&mails), each, "one mail with both recipients for each message");
    assert!(text(&mails[0].data).contains("\n> Where is my order?\n"), "{}", mails[0].data);
    let events = fixture.events().await;
    assert_eq!(events.len(), 2);
    assert_eq!(events[0]["recipients"], json!(["pat@b.example", "kim@b.example"]));
    fixture.close().await;
}

#[tokio::test]
async fn only_this_system_label_can_be_added_and_none_removed() {
    let fixture = OnCallFixture::open().await;
    let message = fixture.escalate("Hello").await;
    let path = format!("/v1/messages/{}", message["id"].as_str().unwrap());
    for label in ["ai:phishing", "ai:needs-human2", "blocked", "local:spam", "queue:dead-letter"] {
        fixture.api.patch(&path, json!({ "add_labels": [label] })).await.invalid_fields(&["add_labels[0]"]);
    }
    let remove = json!({ "remove_labels": ["ai:needs-human"] });
    fixture.api.patch(&path, remove).await.invalid_fields(&["remove_labels[0]"]);
    let thread = format!("/v1/threads/{}", message["thread_id"].as_str().unwrap());
    fixture.api.patch(&thread, json!({ "add_labels": ["ai:needs-human"] })).await.invalid_fields(&["add_labels[0]"]);
    let reader = fixture.server.key(&fixture.key, "messages:read", Scope::Workspace).await;
    let label = json!({ "add_labels": ["ai:needs-human"] });
    fixture.server.api(&reader).patch(&path, label).await.error("insufficient_permissions");
    fixture.close().await;
}

#[tokio::test]
async fn mail_about_a_temporary_inbox_comes_from_the_service() {
    let fixture = OnCallFixture::with_pat().await;
    let temporary = fixture.server.inbox_with(&fixture.key, json!({ "ttl_seconds": 86_400 })).await;
    fixture.server.deliver(&TestMessage::new("Your secret code", "123456"), &temporary.address).await;
    let message = fixture.server.newest_message(&fixture.api, &temporary.id.to_string()).await;
    fixture.set(json!({ "include_excerpt": true })).await;
    fixture.label(&message).await;
    let mail = fixture.escalations().pop().unwrap();
    assert!(field(&mail.data, "From").unwrap().ends_with("<no-reply@agents.localhost>"), "{}", mail.data);
    assert!(field(&mail.data, "Subject").unwrap().contains("Your secret code"), "{}", mail.data);
    let body = text(&mail.data);
    assert!(body.contains(&format!("/inbox/{}/", temporary.id)) && body.contains("> 123456"), "{body}");
    fixture.close().await;
}
