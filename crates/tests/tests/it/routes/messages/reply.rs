//! `POST /v1/inboxes/{id}/messages/{message_id}/reply`.

use serde_json::json;

use super::{Desk, inbox, mail};

#[tokio::test]
async fn an_answer_stays_in_its_thread_and_goes_to_the_author() {
    let desk = Desk::open().await;
    let original = desk.arrives_at(&desk.inbox, &mail("")).await;
    let shown = desk.message(&original).await;
    let sent = desk.post(&format!("/{original}/reply"), json!({ "text": "Yes." })).await.expect(202);
    assert_eq!(sent["subject"], "Re: Offer");
    assert_eq!(sent["to"], json!(["Dana <dana@elsewhere.example>"]));
    assert_eq!(sent["cc"], json!([]));
    assert_eq!(sent["in_reply_to"], "<one@elsewhere.example>");
    assert_eq!(sent["references"], json!(["<zero@elsewhere.example>", "<one@elsewhere.example>"]));
    assert_eq!(sent["thread_id"], shown["thread_id"]);
    let all = json!({ "text": "Yes.", "reply_all": true });
    let sent = desk.post(&format!("/{original}/reply"), all).await.expect(202);
    assert_eq!(sent["to"], json!(["Dana <dana@elsewhere.example>"]));
    assert_eq!(sent["cc"], json!(["eve@b.example", "fay@c.example"]), "without the inbox itself");
    let again = desk.post(&format!("/{}/reply", sent.text("id")), json!({ "text": "And more." })).await.expect(202);
    assert_eq!(again["subject"], "Re: Offer", "one prefix");
    assert_eq!(again["to"], json!(["Dana <dana@elsewhere.example>"]), "one's own message goes where it went");
    assert_eq!(again["thread_id"], shown["thread_id"]);
    desk.close_queued().await;
}

#[tokio::test]
async fn reply_to_is_followed() {
    let desk = Desk::open().await;
    let original =
        desk.arrives_at(&desk.inbox, &mail("Reply-To: desk@elsewhere.example, \"Q, R\" <q@b.example>\n")).await;
    let sent = desk.post(&format!("/{original}/reply"), json!({ "html": "<p>Yes.</p>" })).await.expect(202);
    assert_eq!(sent["to"], json!(["desk@elsewhere.example", "\"Q, R\" <q@b.example>"]));
    desk.close_queued().await;
}

#[tokio::test]
async fn two_inboxes_of_this_server_talk_in_one_thread_each() {
    let desk = Desk::open().await;
    let friend = inbox(&desk.server, &desk.key, "friend").await;
    let sent = desk.post("", super::letter(&friend.address)).await.expect(202);
    let copy = desk.newest(&friend).await;
    let path = format!("/v1/inboxes/{}/messages/{}/reply", friend.id, copy["id"].as_str().unwrap());
    let answer = desk.api.post(&path, json!({ "text": "Thanks." })).await.expect(202);
    assert_eq!(answer["thread_id"], copy["thread_id"]);
    let back = desk.newest(&desk.inbox).await;
    assert_eq!(back["thread_id"], sent["thread_id"], "the answer finds the thread of what it answers");
    assert_eq!(back["extracted_text"], "Thanks.");
    desk.server.finish().await;
}

#[tokio::test]
async fn only_a_message_of_the_inbox_is_answered() {
    let desk = Desk::open().await;
    let other = inbox(&desk.server, &desk.key, "other").await;
    let original = desk.arrives_at(&other, &mail("")).await;
    let yes = || json!({ "text": "Yes." });
    desk.post(&format!("/{original}/reply"), yes()).await.error("not_found");
    desk.post(&format!("/{original}/forward"), json!({ "to": "a@b.example" })).await.error("not_found");
    desk.post("/0192f0c1-2345-7000-8000-0123456789ab/reply", yes()).await.error("not_found");
    desk.post("/x/reply", yes()).await.error("not_found");
    let own = desk.arrives_at(&desk.inbox, &mail("")).await;
    desk.post(&format!("/{own}/reply"), json!({ "reply_all": true })).await.invalid_fields(&["text"]);
    desk.post(&format!("/{own}/reply"), json!({ "text": "a", "to": "a@b.example" })).await.invalid_fields(&["to"]);
    desk.server.finish().await;
}
