//! A contact's newest subject was found by the time of the contact's newest message. A later message without a subject
//! moved that time, and the subject of a deleted message stayed.

use posthouse_domain::plan::Plan;
use posthouse_tests::{TestServer, http::Api};
use serde_json::{Value, json};

async fn subjects(api: &Api) -> Vec<Value> {
    let list = api.get("/v1/contacts").await.expect(200);
    let mut all: Vec<&Value> = list.data().iter().collect();
    all.sort_by_key(|contact| contact["address"].as_str().map(str::to_owned));
    all.iter().map(|contact| contact["last_subject"].clone()).collect()
}

#[tokio::test]
async fn a_deleted_message_takes_its_subject_along() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let api = server.api(&key);
    let inbox = server.inbox(&key).await;
    let mail = |from: &str, rest: &str| format!("From: {from}@elsewhere.example\r\n{rest}\r\ntext\r\n");
    server.receive_message(&inbox, mail("ann", "Subject: Salaries\r\n")).await;
    server.clock.advance(1);
    server.receive_message(&inbox, mail("ann", "")).await;
    server.clock.advance(1);
    server.receive_message(&inbox, mail("bob", "Subject: Lunch\r\n")).await;
    server.clock.advance(1);
    server.receive_message(&inbox, mail("bob", "Subject: Dinner\r\n")).await;
    assert_eq!(subjects(&api).await, [json!("Salaries"), json!("Dinner")]);

    let threads = api.get(&format!("/v1/inboxes/{}/threads", inbox.id)).await.expect(200);
    for thread in threads.data().iter().filter(|thread| thread["subject"] != "Dinner") {
        api.delete(&format!("/v1/threads/{}", thread["id"].as_str().unwrap())).await.expect(200);
    }
    assert_eq!(subjects(&api).await, [Value::Null, json!("Dinner")], "only the subject of a deleted message goes");
    server.finish().await;
}
