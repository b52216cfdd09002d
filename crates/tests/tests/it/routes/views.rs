//! `view=summary` on lists: what a summary leaves out, and that nothing else differs.

use posthouse_tests::TestMessage;
use serde_json::{Value, json};

use crate::inbox_fixture::InboxFixture;

/// Returns what a message looks like in a summary.
fn summary_of(full: &Value) -> Value {
    let mut summary = full.clone();
    for left_out in ["text", "html", "headers", "data"] {
        summary[left_out] = Value::Null;
    }
    let start: Option<String> = full["extracted_text"].as_str().map(|text| text.chars().take(200).collect());
    summary["extracted_text"] = json!(start);
    summary
}

#[tokio::test]
async fn a_summary_leaves_out_bodies_headers_and_data_and_nothing_else() {
    let fixture = InboxFixture::open().await;
    let long = "Grüße aus Köln, zum dritten Mal. ".repeat(30);
    let answer = format!("{long}\n\nOn Monday, Bob wrote:\n> An older text\n> of two lines.");
    fixture.server.deliver(&TestMessage::new("Greetings", &long), &fixture.inbox.address).await;
    let mime = TestMessage::new("Greetings again", &answer).with("Content-Type", "text/plain; charset=utf-8");
    fixture.server.deliver(&mime, &fixture.inbox.address).await;
    fixture.server.deliver(&TestMessage::new("Short", "Hi."), &fixture.inbox.address).await;
    let body = json!({ "to": fixture.inbox.address, "subject": "Data", "html": "<b>x</b>", "data": { "n": 1 } });
    fixture.api.post(&format!("/v1/inboxes/{}/messages", fixture.inbox.id), body).await.expect(202);
    let list = format!("/v1/inboxes/{}/messages?limit=100", fixture.inbox.id);
    for path in [list.as_str(), "/v1/search?q=Greetings", "/v1/events?limit=100", "/v1/events?types=message.received"] {
        let full = fixture.api.get(&format!("{path}&view=full")).await.expect(200);
        assert_eq!(full.json, fixture.api.get(path).await.expect(200).json, "the default of {path}");
        let summary = fixture.api.get(&format!("{path}&view=summary")).await.expect(200);
        assert_eq!((full.data().len(), full.data().is_empty()), (summary.data().len(), false));
        for (full, summary) in full.data().iter().zip(summary.data()) {
            let mut expected = full.clone();
            if full["data"]["message"].is_object() {
                expected["data"]["message"] = summary_of(&full["data"]["message"]);
            } else {
                expected = summary_of(full);
            }
            assert_eq!(*summary, expected, "{path}");
        }
    }
    let thread = fixture.api.get(&list).await.expect(200).data()[1]["thread_id"].as_str().unwrap().to_owned();
    let full = fixture.api.get(&format!("/v1/threads/{thread}")).await.expect(200);
    let summary = fixture.api.get(&format!("/v1/threads/{thread}?view=summary")).await.expect(200);
    assert_eq!(summary["messages"][0], summary_of(&full["messages"][0]));
    fixture.api.get(&format!("{list}&view=short")).await.invalid_fields(&["view"]);
    fixture.close().await;
}

#[tokio::test]
async fn events_about_drafts_have_no_bodies_in_a_summary() {
    let fixture = InboxFixture::open().await;
    let path = format!("/v1/inboxes/{}/drafts", fixture.inbox.id);
    fixture.api.post(&path, json!({ "subject": "Plan", "text": "Here it is.", "data": { "n": 1 } })).await.expect(201);
    let full = fixture.api.get("/v1/events?types=draft.created").await.expect(200);
    assert_eq!(full.data()[0]["data"]["draft"]["text"], "Here it is.");
    let summary = fixture.api.get("/v1/events?types=draft.created&view=summary").await.expect(200);
    let draft = &summary.data()[0]["data"]["draft"];
    assert_eq!((&draft["text"], &draft["data"], &draft["subject"]), (&Value::Null, &Value::Null, &json!("Plan")));
    fixture.close().await;
}
