//! Messages to several inboxes of one workspace locked inboxes, contacts and the head of the event log in any order.
//! With PostgreSQL they deadlocked, and under load senders got 451 and callers 503.

use posthouse_domain::plan::Plan;
use posthouse_tests::{TestServer, http::Api};
use reqwest::Method;
use serde_json::json;
use tokio::task::JoinSet;

/// Number of concurrent senders, and of messages of each.
const SENDERS: usize = 12;
const MAILS: usize = 6;

/// Sends or receives one message to all inboxes.
async fn send_or_receive(anonymous: &Api, api: &Api, at: usize, from: &str, mut to: Vec<String>) {
    let many = to.len();
    to.rotate_left(at % many);
    if at.is_multiple_of(3) {
        let body = json!({ "to": to, "cc": "ada@example.com", "subject": "s", "text": "t" });
        api.post(&format!("/v1/inboxes/{from}/messages"), body).await.expect(202);
    } else {
        let path = format!("/dev/inbound?to={}", to.join(","));
        let mail = format!("From: ada{}@example.com\r\nTo: all@example.com\r\nSubject: s\r\n\r\nt\r\n", at % 4);
        let reply = anonymous.raw(Method::POST, &path, "message/rfc822", mail).await.expect(201);
        assert_eq!(reply["message_ids"].as_array().map(Vec::len), Some(many), "{reply}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_messages_to_the_same_inboxes_are_all_stored() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let mut inboxes = Vec::new();
    for _ in 0..4 {
        inboxes.push(server.inbox(&key).await);
    }
    let (anonymous, api) = (server.anonymous(), server.api(&key));
    let addresses: Vec<String> = inboxes.iter().map(|inbox| inbox.address.to_string()).collect();
    let mut senders = JoinSet::new();
    for sender in 0..SENDERS {
        let (anonymous, api, to) = (anonymous.clone(), api.clone(), addresses.clone());
        let from = inboxes[sender % inboxes.len()].id.to_string();
        senders.spawn(async move {
            for mail in 0..MAILS {
                send_or_receive(&anonymous, &api, sender + mail, &from, to.clone()).await;
            }
        });
    }
    while let Some(done) = senders.join_next().await {
        done.unwrap();
    }
    // The log has no gaps and no duplicates, and every inbox has all messages.
    let events = api.get("/v1/events?types=message.received&limit=100").await.expect(200);
    assert_eq!(events.data().len(), 100);
    for inbox in &inboxes {
        let list = api.get(&format!("/v1/inboxes/{}/messages?direction=inbound&limit=100", inbox.id)).await.expect(200);
        assert_eq!(list.data().len(), SENDERS * MAILS, "{}", inbox.address);
    }
    server.finish().await;
}
