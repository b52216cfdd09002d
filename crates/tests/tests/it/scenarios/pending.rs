//! Mail that waits for a check: nobody gets it before, and afterward everything is as if it had arrived then.

use posthouse_app::mailbox::Visibility;
use posthouse_domain::{id::MessageId, message::HoldReason};
use posthouse_tests::TestMessage;
use serde_json::{Map, Value, json};

use crate::inbox_fixture::InboxFixture;

/// How long the check of a message takes, in milliseconds.
const CHECK_MS: i64 = 60_000;

/// Members that differ between two messages whatever happens to them: ids, and when the bytes arrived.
fn is_incidental(name: &str) -> bool {
    name == "id" || name.ends_with("_id") || name == "received_at" || name == "next_cursor"
}

/// Returns a response without incidental members.
fn comparable(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let kept = members.iter().filter(|(name, _)| !is_incidental(name));
            Value::Object(kept.map(|(name, value)| (name.clone(), comparable(value))).collect::<Map<_, _>>())
        }
        Value::Array(items) => items.iter().map(comparable).collect(),
        other => other.clone(),
    }
}

fn question() -> TestMessage {
    TestMessage::new("Question", "Is it open?").with("Message-ID", "<question@remote.example>")
}

/// A message with everything that a stage cares about: a thread, another recipient, and the label of a failed check of its
/// sender.
fn answer() -> TestMessage {
    TestMessage::new("Re: Question", "The zebra is open.")
        .with("Message-ID", "<answer@remote.example>")
        .with("In-Reply-To", "<question@remote.example>")
        .with("Date", "15 Sep 2026 12:00:00 +0000")
        .with("Cc", "Carol <carol@third.example>")
}

impl InboxFixture {
    async fn data(&self, path: &str) -> Value {
        comparable(&self.api.get(path).await.expect(200).json)
    }

    /// Returns what the API shows of the inbox and its workspace.
    async fn shown(&self) -> Vec<(String, Value)> {
        self.server.settle().await;
        let inbox = self.inbox.id;
        let paths = [
            format!("/v1/inboxes/{inbox}/messages"),
            format!("/v1/inboxes/{inbox}/messages?labels=unverified"),
            format!("/v1/inboxes/{inbox}"),
            "/v1/threads".to_owned(),
            "/v1/contacts".to_owned(),
            "/v1/search?q=zebra".to_owned(),
            "/v1/held-messages".to_owned(),
        ];
        let mut all = Vec::new();
        for path in paths {
            let shown = self.data(&path).await;
            all.push((path.replace(&inbox.to_string(), "{inbox}"), shown));
        }
        let claimed = self.api.post_empty(&format!("/v1/inboxes/{inbox}/messages/claim")).await.expect(200);
        all.push(("claim".to_owned(), comparable(&claimed.json)));
        all
    }

    async fn pending(&self, message: &TestMessage) -> MessageId {
        self.server.receive_pending(&self.inbox, message).await
    }

    /// Returns the number of items of a list.
    async fn count(&self, path: &str) -> usize {
        self.server.settle().await;
        self.api.get(path).await.expect(200).data().len()
    }
}

#[tokio::test]
async fn a_message_shown_after_its_check_is_like_one_that_arrives_then() {
    let (checked, plain) = (InboxFixture::open().await, InboxFixture::open().await);
    for fixture in [&checked, &plain] {
        fixture.server.receive_with(&fixture.inbox, &question(), Visibility::Shown).await;
    }
    let id = checked.pending(&answer()).await;
    checked.server.settle().await;
    plain.server.clock.advance(1);
    checked.server.clock.advance(CHECK_MS);
    plain.server.clock.advance(CHECK_MS);
    checked.server.show(&checked.key, id).await;
    plain.server.receive_with(&plain.inbox, &answer(), Visibility::Shown).await;
    for ((path, shown), (_, expected)) in checked.shown().await.into_iter().zip(plain.shown().await) {
        assert_eq!(shown, expected, "{path}");
    }
    checked.close().await;
    plain.close().await;
}

#[tokio::test]
async fn the_content_of_a_pending_message_reaches_nobody() {
    let fixture = InboxFixture::open().await;
    let id = fixture.pending(&answer()).await;
    let message = fixture.api.get(&format!("/v1/messages/{id}")).await.expect(200);
    assert_eq!(message["screening"], json!({ "state": "pending", "reason": null, "released_at": null }));
    assert_eq!(message["withheld"], json!({ "state": "pending", "reason": null, "attachments": 0 }));
    assert_eq!((&message["subject"], &message["text"]), (&Value::Null, &Value::Null));
    for path in ["/v1/threads", "/v1/contacts", "/v1/search?q=zebra"] {
        assert_eq!(fixture.count(path).await, 0, "{path}");
    }
    let claim = format!("/v1/inboxes/{}/messages/claim", fixture.inbox.id);
    assert_eq!(fixture.api.post_empty(&claim).await.expect(200).data().len(), 0);
    let events = fixture.api.get("/v1/events?types=message.received").await.expect(200);
    assert_eq!(events.data()[0]["data"]["message"]["withheld"]["state"], "pending", "its arrival alone is announced");
    assert_eq!(events.data()[0]["data"]["message"]["subject"], Value::Null);

    fixture.server.show(&fixture.key, id).await;
    fixture.server.show(&fixture.key, id).await;
    assert_eq!(fixture.count("/v1/events?types=message.received").await, 1, "showing it again changes nothing");
    let threads = fixture.api.get("/v1/threads").await.expect(200);
    assert_eq!(threads.data()[0]["message_count"], 1);
    assert_eq!(fixture.api.post_empty(&claim).await.expect(200).data().len(), 1);
    fixture.close().await;
}

#[tokio::test]
async fn a_message_shown_after_its_check_is_the_newest_of_its_inbox() {
    let fixture = InboxFixture::open().await;
    let id = fixture.pending(&answer()).await;
    fixture.server.deliver(&TestMessage::new("Between", "text"), &fixture.inbox.address).await;
    fixture.server.show(&fixture.key, id).await;
    let list = fixture.api.get(&format!("/v1/inboxes/{}/messages", fixture.inbox.id)).await.expect(200);
    let subjects: Vec<&Value> = list.data().iter().map(|message| &message["subject"]).collect();
    assert_eq!(subjects, ["Re: Question", "Between"], "who has read up to the other one must not miss it");
    fixture.close().await;
}

#[tokio::test]
async fn a_pending_message_is_not_held_and_cannot_be_released() {
    let fixture = InboxFixture::open().await;
    let id = fixture.pending(&answer()).await;
    let refused = fixture.api.post_empty(&format!("/v1/messages/{id}/release")).await.error("not_held");
    assert!(refused["error"]["fix"].as_str().is_some_and(|fix| fix.contains("include_unscreened")), "{refused}");
    let message = fixture.api.get(&format!("/v1/messages/{id}")).await.expect(200);
    assert_eq!(message["screening"]["state"], "pending");
    assert_eq!(fixture.count("/v1/events?types=message.released").await, 0);
    fixture.server.show(&fixture.key, id).await;
    fixture.api.post_empty(&format!("/v1/messages/{id}/release")).await.error("not_held");
    fixture.close().await;
}

#[tokio::test]
async fn released_mail_has_its_contacts_and_participants() {
    let fixture = InboxFixture::open().await;
    let id = fixture.server.receive_held(&fixture.inbox, &answer(), HoldReason::Phishing).await;
    assert_eq!(fixture.count("/v1/contacts").await, 0);
    fixture.api.post_empty(&format!("/v1/messages/{id}/release")).await.expect(200);
    assert_eq!(fixture.count("/v1/contacts").await, 2);
    assert_eq!(fixture.count("/v1/events?types=message.received").await, 1, "it was announced without its content");
    assert_eq!(fixture.count("/v1/events?types=message.released").await, 1);
    fixture.close().await;
}
