//! Loop detection between inboxes of this server.

use posthouse_domain::time::{HOUR_MS, MINUTE_MS};
use serde_json::json;

use super::{InboxFixture, mail, send_body};

#[tokio::test]
async fn only_one_reply_to_an_automatic_reply_is_allowed() {
    let fixture = InboxFixture::open().await;
    let original = fixture.receive_at(&fixture.inbox, &mail("Auto-Submitted: auto-replied\n")).await;
    let path = format!("/{original}/reply");
    fixture.post(&path, json!({ "text": "Yes." })).await.expect(202);
    let refused = fixture.post(&path, json!({ "text": "Yes." })).await.error("loop_detected");
    assert_eq!(refused["error"]["details"]["rule"], "answered_automatic_reply");
    fixture.close_queued().await;
}

#[tokio::test]
async fn a_message_that_returned_to_its_sender_can_not_be_replied_to() {
    let fixture = InboxFixture::open().await;
    fixture.post("", send_body("sender@agents.localhost")).await.expect(202);
    let list = fixture.api.get(&fixture.messages("?direction=inbound")).await.expect(200);
    let copy = list.data()[0]["id"].as_str().unwrap().to_owned();
    let refused = fixture.post(&format!("/{copy}/reply"), json!({ "text": "Yes." })).await.error("loop_detected");
    assert_eq!(refused["error"]["details"]["rule"], "own_message_returned");
    fixture.server.finish().await;
}

#[tokio::test]
async fn at_most_twenty_replies_an_hour_are_allowed_in_one_thread() {
    let fixture = InboxFixture::open().await;
    let original = fixture.receive_at(&fixture.inbox, &mail("")).await;
    let path = format!("/{original}/reply");
    for _ in 0..20 {
        fixture.post(&path, json!({ "text": "Yes." })).await.expect(202);
        fixture.server.advance(MINUTE_MS).await;
    }
    let refused = fixture.post(&path, json!({ "text": "Yes." })).await.error("loop_detected");
    assert_eq!(refused["error"]["details"]["rule"], "too_many_replies_in_thread");
    fixture.server.advance(HOUR_MS).await;
    fixture.post(&path, json!({ "text": "Yes." })).await.expect(202);
    fixture.close_queued().await;
}
