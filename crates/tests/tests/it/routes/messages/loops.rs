//! Loops are broken inside of the server (decision 18).

use posthouse_domain::time::{HOUR_MS, MINUTE_MS};
use serde_json::json;

use super::{Desk, letter, mail};

#[tokio::test]
async fn an_automatic_reply_is_answered_once() {
    let desk = Desk::open().await;
    let original = desk.arrives_at(&desk.inbox, &mail("Auto-Submitted: auto-replied\n")).await;
    let path = format!("/{original}/reply");
    desk.post(&path, json!({ "text": "Yes." })).await.expect(202);
    let refused = desk.post(&path, json!({ "text": "Yes." })).await.error("loop_detected");
    assert_eq!(refused["error"]["details"]["rule"], "answered_automatic_reply");
    desk.close_queued().await;
}

#[tokio::test]
async fn a_message_that_came_back_to_its_sender_is_not_answered() {
    let desk = Desk::open().await;
    desk.post("", letter("sender@agents.localhost")).await.expect(202);
    let list = desk.api.get(&desk.messages("?direction=inbound")).await.expect(200);
    let copy = list.data()[0]["id"].as_str().unwrap().to_owned();
    let refused = desk.post(&format!("/{copy}/reply"), json!({ "text": "Yes." })).await.error("loop_detected");
    assert_eq!(refused["error"]["details"]["rule"], "own_message_returned");
    desk.server.finish().await;
}

#[tokio::test]
async fn twenty_answers_an_hour_are_enough_for_one_thread() {
    let desk = Desk::open().await;
    let original = desk.arrives_at(&desk.inbox, &mail("")).await;
    let path = format!("/{original}/reply");
    for _ in 0..20 {
        desk.post(&path, json!({ "text": "Yes." })).await.expect(202);
        desk.server.advance(MINUTE_MS).await;
    }
    let refused = desk.post(&path, json!({ "text": "Yes." })).await.error("loop_detected");
    assert_eq!(refused["error"]["details"]["rule"], "too_many_replies_in_thread");
    desk.server.advance(HOUR_MS).await;
    desk.post(&path, json!({ "text": "Yes." })).await.expect(202);
    desk.close_queued().await;
}
