//! Drafts that are replies: recipients, subject and thread are filled in.

use posthouse_tests::TestMessage;
use serde_json::{Value, json};

use super::InboxFixture;

async fn receive_offer(fixture: &InboxFixture) -> Value {
    let complete_body = TestMessage::new("Offer", "Do you want it?")
        .with("From", "Dana <dana@x.example>")
        .with("To", "sender@agents.localhost, eve@x.example")
        .with("Cc", "fay@x.example")
        .with("Message-ID", "<one@x.example>");
    fixture.receive_mail(complete_body).await
}

#[tokio::test]
async fn a_reply_draft_is_filled_in_and_joins_the_thread() {
    let fixture = InboxFixture::open().await;
    let received = receive_offer(&fixture).await;
    let made = fixture.draft(json!({ "reply_to_message_id": received["id"], "text": "Yes." })).await;
    assert_eq!(made["to"], json!(["Dana <dana@x.example>"]));
    assert_eq!((&made["cc"], &made["subject"]), (&json!([]), &json!("Re: Offer")));
    assert_eq!((&made["thread_id"], &made["reply_to_message_id"]), (&received["thread_id"], &received["id"]));
    let sent = fixture.send(made.text("id")).await.expect(202);
    let message = &sent["message"];
    assert_eq!((&message["in_reply_to"], &message["thread_id"]), (&json!("<one@x.example>"), &received["thread_id"]));
    let mut server = fixture.server;
    server.allow().queued().due("outbound");
    server.finish().await;
}

#[tokio::test]
async fn reply_all_the_thread_and_explicit_fields_determine_the_recipients() {
    let fixture = InboxFixture::open().await;
    let received = receive_offer(&fixture).await;
    let all = fixture.draft(json!({ "thread_id": received["thread_id"], "reply_all": true })).await;
    assert_eq!(
        (&all["to"], &all["cc"]),
        (&json!(["Dana <dana@x.example>"]), &json!(["eve@x.example", "fay@x.example"]))
    );
    assert_eq!(all["reply_to_message_id"], received["id"]);
    let one = fixture.patch(all.text("id"), json!({ "reply_all": false })).await.expect(200);
    assert_eq!((&one["to"], &one["cc"]), (&json!(["Dana <dana@x.example>"]), &json!([])));
    let own =
        json!({ "reply_to_message_id": received["id"], "to": "gil@x.example", "subject": "Else", "reply_all": true });
    let own = fixture.draft(own).await;
    assert_eq!((&own["to"], &own["cc"], &own["subject"]), (&json!(["gil@x.example"]), &json!([]), &json!("Else")));
    let second = fixture.receive_mail(TestMessage::new("Other", "text").with("From", "hal@x.example")).await;
    let moved = fixture.patch(own.text("id"), json!({ "reply_to_message_id": second["id"] })).await.expect(200);
    assert_eq!((&moved["to"], &moved["subject"]), (&json!(["hal@x.example"]), &json!("Re: Other")));
    assert_eq!(moved["thread_id"], second["thread_id"]);
    let both = json!({ "reply_to_message_id": second["id"], "thread_id": received["thread_id"] });
    fixture.api.post(&fixture.path(""), both).await.invalid_fields(&["thread_id"]);
    fixture.close().await;
}

#[tokio::test]
async fn a_draft_cannot_reply_to_a_message_of_another_inbox() {
    let fixture = InboxFixture::open().await;
    let other = fixture.server.inbox(&fixture.key).await;
    fixture.server.deliver(&TestMessage::new("Offer", "text"), &other.address).await;
    let received = fixture.server.newest_message(&fixture.api, &other.id.to_string()).await;
    fixture.api.post(&fixture.path(""), json!({ "reply_to_message_id": received["id"] })).await.error("not_found");
    fixture.api.post(&fixture.path(""), json!({ "thread_id": received["thread_id"] })).await.error("not_found");
    fixture.close().await;
}

#[tokio::test]
async fn loop_detection_covers_drafts() {
    let fixture = InboxFixture::open().await;
    let automatic = TestMessage::new("Away", "I am away.").with("Auto-Submitted", "auto-replied");
    let received = fixture.receive_mail(automatic.with("From", &fixture.inbox.address)).await;
    let answer = json!({ "reply_to_message_id": received["id"], "to": fixture.inbox.address, "text": "Yes." });
    let (first, second) = (fixture.draft(answer.clone()).await, fixture.draft(answer).await);
    fixture.send(first.text("id")).await.expect(202);
    fixture.send(second.text("id")).await.error("loop_detected");
    let error = fixture.get(second.text("id")).await["error"]["code"].clone();
    assert_eq!(error, "loop_detected");
    fixture.close().await;
}
