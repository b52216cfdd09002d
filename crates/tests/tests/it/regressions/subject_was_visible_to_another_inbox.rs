//! A contact belongs to the workspace, but its newest subject to one inbox. Keys of other inboxes could read the
//! subject, and it stayed after the inbox was deleted.

use posthouse_domain::{auth::Scope, plan::Plan};
use posthouse_tests::{TestMessage, TestServer, http::Api};
use serde_json::{Value, json};

const DANA: &str = "dana@elsewhere.example";

/// Returns Dana's newest subject as visible to a key, which must be the same everywhere.
async fn subject(api: &Api) -> Value {
    let list = api.get("/v1/contacts").await.expect(200);
    let listed = list.data().iter().find(|contact| contact["address"] == DANA).expect("Dana is a contact").clone();
    let id = listed["id"].as_str().unwrap();
    let path = format!("/v1/contacts/{id}");
    let single = api.get(&path).await.expect(200).json;
    let by_address = api.get(&format!("/v1/contacts/by-address/{}", DANA.replace('@', "%40"))).await.expect(200).json;
    let changed = api.patch(&path, json!({ "notes": "n" })).await.expect(200).json;
    for other in [&single, &by_address, &changed] {
        assert_eq!(other["last_subject"], listed["last_subject"], "{other}");
    }
    listed["last_subject"].clone()
}

#[tokio::test]
async fn only_keys_with_access_to_the_inbox_see_the_subject() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let (first, second) = (server.inbox(&key).await, server.inbox(&key).await);
    let whole = server.api(&key);
    let of_first = server.api(&server.key(&key, "agent", Scope::Inbox(first.id)).await);
    let of_second = server.api(&server.key(&key, "agent", Scope::Inbox(second.id)).await);
    let from = |subject: &str| TestMessage::new(subject, "text").with("From", DANA);
    let seen = async || [subject(&whole).await, subject(&of_first).await, subject(&of_second).await];

    server.deliver(&from("Salaries"), &first.address).await;
    assert_eq!(seen().await, [json!("Salaries"), json!("Salaries"), Value::Null]);
    server.clock.advance(1);
    server.deliver(&from("Lunch"), &second.address).await;
    assert_eq!(seen().await, [json!("Lunch"), Value::Null, json!("Lunch")]);
    // A message without a subject leaves the earlier one with its inbox.
    server.clock.advance(1);
    server.deliver(&from(""), &first.address).await;
    assert_eq!(seen().await, [json!("Lunch"), Value::Null, json!("Lunch")]);
    // Sent messages have subjects too.
    server.clock.advance(1);
    let body = json!({ "to": DANA, "subject": "Re: Budget", "text": "text" });
    whole.post(&format!("/v1/inboxes/{}/messages", first.id), body).await.expect(202);
    assert_eq!(seen().await, [json!("Budget"), json!("Budget"), Value::Null]);
    whole.delete(&format!("/v1/inboxes/{}", first.id)).await.expect(204);
    assert_eq!(
        [subject(&whole).await, subject(&of_second).await],
        [Value::Null, Value::Null],
        "nothing of a deleted inbox is visible"
    );
    server.finish().await;
}

#[tokio::test]
async fn wiping_an_inbox_removes_its_subjects_only() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let api = server.api(&key);
    let lasting = server.inbox(&key).await;
    let brief = server.inbox_with(&key, json!({ "ttl_seconds": 60 })).await;
    let at_both =
        |subject: &str| format!("From: {DANA}\r\nTo: a@agents.localhost\r\nSubject: {subject}\r\n\r\ntext\r\n");
    server.receive_message(&brief, at_both("Code for you")).await;
    server.receive_message(&brief, "From: dana@elsewhere.example\r\n\r\nno subject, later\r\n").await;
    assert_eq!(subject(&api).await, "Code for you");
    server.advance(60_000).await;
    assert_eq!(subject(&api).await, Value::Null);

    let other = server.inbox_with(&key, json!({ "ttl_seconds": 60 })).await;
    server.receive_message(&other, at_both("Gone soon")).await;
    server.receive_message(&lasting, at_both("To stay")).await;
    server.advance(60_000).await;
    assert_eq!(subject(&api).await, "To stay");
    server.finish().await;
}
