//! Drafts that answer: recipients, subject and thread are filled in.

use posthouse_tests::Letter;
use serde_json::{Value, json};

use super::Desk;

async fn offer(desk: &Desk) -> Value {
    let letter = Letter::new("Offer", "Do you want it?")
        .with("From", "Dana <dana@x.example>")
        .with("To", "sender@agents.localhost, eve@x.example")
        .with("Cc", "fay@x.example")
        .with("Message-ID", "<one@x.example>");
    desk.arrives(letter).await
}

#[tokio::test]
async fn an_answer_is_filled_in_and_goes_into_the_thread() {
    let desk = Desk::open().await;
    let mail = offer(&desk).await;
    let made = desk.draft(json!({ "reply_to_message_id": mail["id"], "text": "Yes." })).await;
    assert_eq!(made["to"], json!(["Dana <dana@x.example>"]));
    assert_eq!((&made["cc"], &made["subject"]), (&json!([]), &json!("Re: Offer")));
    assert_eq!((&made["thread_id"], &made["reply_to_message_id"]), (&mail["thread_id"], &mail["id"]));
    let sent = desk.send(made.text("id")).await.expect(202);
    let message = &sent["message"];
    assert_eq!((&message["in_reply_to"], &message["thread_id"]), (&json!("<one@x.example>"), &mail["thread_id"]));
    let mut server = desk.server;
    server.allow().queued().due("outbound");
    server.finish().await;
}

#[tokio::test]
async fn reply_all_a_thread_and_own_words_decide_who_gets_it() {
    let desk = Desk::open().await;
    let mail = offer(&desk).await;
    let all = desk.draft(json!({ "thread_id": mail["thread_id"], "reply_all": true })).await;
    assert_eq!(
        (&all["to"], &all["cc"]),
        (&json!(["Dana <dana@x.example>"]), &json!(["eve@x.example", "fay@x.example"]))
    );
    assert_eq!(all["reply_to_message_id"], mail["id"]);
    let one = desk.patch(all.text("id"), json!({ "reply_all": false })).await.expect(200);
    assert_eq!((&one["to"], &one["cc"]), (&json!(["Dana <dana@x.example>"]), &json!([])));
    let own = json!({ "reply_to_message_id": mail["id"], "to": "gil@x.example", "subject": "Else", "reply_all": true });
    let own = desk.draft(own).await;
    assert_eq!((&own["to"], &own["cc"], &own["subject"]), (&json!(["gil@x.example"]), &json!([]), &json!("Else")));
    let second = desk.arrives(Letter::new("Other", "text").with("From", "hal@x.example")).await;
    let moved = desk.patch(own.text("id"), json!({ "reply_to_message_id": second["id"] })).await.expect(200);
    assert_eq!((&moved["to"], &moved["subject"]), (&json!(["hal@x.example"]), &json!("Re: Other")));
    assert_eq!(moved["thread_id"], second["thread_id"]);
    let both = json!({ "reply_to_message_id": second["id"], "thread_id": mail["thread_id"] });
    desk.api.post(&desk.path(""), both).await.invalid_fields(&["thread_id"]);
    desk.close().await;
}

#[tokio::test]
async fn a_message_of_another_inbox_cannot_be_answered() {
    let desk = Desk::open().await;
    let other = desk.server.inbox(&desk.key).await;
    desk.server.deliver(&Letter::new("Offer", "text"), &other.address).await;
    let mail = desk.server.newest(&desk.api, &other.id.to_string()).await;
    desk.api.post(&desk.path(""), json!({ "reply_to_message_id": mail["id"] })).await.error("not_found");
    desk.api.post(&desk.path(""), json!({ "thread_id": mail["thread_id"] })).await.error("not_found");
    desk.close().await;
}

#[tokio::test]
async fn loops_are_broken_for_drafts_too() {
    let desk = Desk::open().await;
    let automatic = Letter::new("Away", "I am away.").with("Auto-Submitted", "auto-replied");
    let mail = desk.arrives(automatic.with("From", &desk.inbox.address)).await;
    let answer = json!({ "reply_to_message_id": mail["id"], "to": desk.inbox.address, "text": "Yes." });
    let (first, second) = (desk.draft(answer.clone()).await, desk.draft(answer).await);
    desk.send(first.text("id")).await.expect(202);
    desk.send(second.text("id")).await.error("loop_detected");
    let error = desk.get(second.text("id")).await["error"]["code"].clone();
    assert_eq!(error, "loop_detected");
    desk.close().await;
}
