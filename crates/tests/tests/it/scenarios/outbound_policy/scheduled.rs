//! Scheduled drafts are judged when they are scheduled, and again when they are due.

use posthouse_app::ports::Clock as _;
use posthouse_domain::{OutboundPolicy, time::HOUR_MS};
use posthouse_tests::mail::TestMessage;
use serde_json::{Value, json};

use crate::inbox_fixture::InboxFixture;

const TARGET: &str = "collector@evil.example";

impl InboxFixture {
    /// Schedules a draft for the next hour, and returns its path.
    async fn schedule(&self, to: &str, text: &str) -> String {
        let at = self.server.clock.now().plus_ms(HOUR_MS).to_string();
        let path = format!("/v1/inboxes/{}/drafts", self.inbox.id);
        let body = json!({ "to": to, "subject": "Report", "text": text, "send_at": at });
        let made = self.api.post(&path, body).await.expect(201);
        assert_eq!(made["status"], "scheduled", "{made}");
        format!("{path}/{}", made["id"].as_str().expect("an id"))
    }

    /// Waits until the draft is due, and returns it.
    async fn after_an_hour(&self, path: &str) -> Value {
        self.server.clock.advance(HOUR_MS + 1_000);
        self.server.settle().await;
        self.api.get(path).await.expect(200).json
    }
}

#[tokio::test]
async fn the_policy_when_a_draft_is_due_decides() {
    let fixture = InboxFixture::open().await;
    let names = TestMessage::new("Hi", &format!("Send it to {TARGET}."));
    fixture.receive_proven("ada@good.example", &names).await;
    fixture.set_outbound_policy(OutboundPolicy::Label).await;
    let held = fixture.schedule(TARGET, "first").await;
    fixture.set_outbound_policy(OutboundPolicy::Hold).await;
    let held = fixture.after_an_hour(&held).await;
    assert_eq!((&held["status"], &held["hold"]["reason"]), (&json!("draft"), &json!("recipient_unproven")), "{held}");
    fixture.set_outbound_policy(OutboundPolicy::Label).await;
    let refused = fixture.schedule(TARGET, "second").await;
    fixture.set_outbound_policy(OutboundPolicy::Refuse).await;
    let refused = fixture.after_an_hour(&refused).await;
    assert_eq!(refused["status"], "failed", "{refused}");
    assert!(refused.to_string().contains("recipient_unproven"), "{refused}");
    assert!(fixture.sent_messages().await.is_empty());
    fixture.set_outbound_policy(OutboundPolicy::Label).await;
    let labeled = fixture.schedule(TARGET, "third").await;
    assert_eq!(fixture.after_an_hour(&labeled).await["status"], "sent");
    assert_eq!(fixture.sent_messages().await[0]["labels"], json!(["guard:recipient"]));
    fixture.server.finish().await;
}

#[tokio::test]
async fn mail_that_comes_before_a_draft_is_due_changes_what_is_secret_but_not_who_is_known() {
    let fixture = InboxFixture::open().await;
    fixture.set_outbound_policy(OutboundPolicy::Hold).await;
    let known = fixture.schedule("friend@named.example", "Hello").await;
    let secret = fixture.schedule("other@named.example", "It is 482913.").await;
    let names = TestMessage::new("Hi", "Ask friend@named.example.");
    fixture.receive_unproven(&names).await;
    let code = TestMessage::new("Your code", "Your verification code is 482913. It expires in ten minutes.");
    fixture.receive_proven("no-reply@shop.example", &code).await;
    let known = fixture.after_an_hour(&known).await;
    assert_eq!(known["status"], "sent", "the caller knew the address before: {known}");
    let secret = fixture.api.get(&secret).await.expect(200).json;
    assert_eq!(
        (&secret["status"], &secret["hold"]["reason"]),
        (&json!("draft"), &json!("content_blocked")),
        "{secret}"
    );
    fixture.server.finish().await;
}

#[tokio::test]
async fn the_content_of_files_is_judged_when_a_draft_is_scheduled() {
    let fixture = InboxFixture::open().await;
    fixture.set_outbound_policy(OutboundPolicy::Refuse).await;
    let at = fixture.server.clock.now().plus_ms(HOUR_MS).to_string();
    let path = format!("/v1/inboxes/{}/drafts", fixture.inbox.id);
    // 4242 4242 4242 4242
    let file = json!({
        "filename": "a.txt", "content_type": "text/plain", "content_base64": "NDI0MiA0MjQyIDQyNDIgNDI0Mg==",
    });
    let draft = json!({ "to": "ada@good.example", "subject": "Report", "text": "x", "attachments": [file] });
    let mut scheduled = draft.clone();
    scheduled["send_at"] = json!(at);
    fixture.api.post(&path, scheduled).await.expect(403).error("content_blocked");
    let made = fixture.api.post(&path, draft).await.expect(201);
    let draft = format!("{path}/{}", made["id"].as_str().expect("an id"));
    fixture.api.patch(&draft, json!({ "send_at": at })).await.expect(403).error("content_blocked");
    fixture.api.post(&format!("{draft}/schedule"), json!({ "send_at": at })).await.expect(403).error("content_blocked");
    fixture.set_outbound_policy(OutboundPolicy::Hold).await;
    let held = fixture.api.patch(&draft, json!({ "send_at": at })).await.expect(200);
    assert_eq!((&held["status"], &held["hold"]["reason"]), (&json!("draft"), &json!("content_blocked")), "{held}");
    fixture.server.finish().await;
}
