//! Responses that a client doesn't read: a share of memory for its workspace, and an end after the write timeout.

use posthouse_domain::{error::LimitName, plan::Plan};
use posthouse_tests::{ServerOptions, TestMessage, TestServer, fixtures::TestKey};
use serde_json::{Value, json};

use super::{RawConnection, assert_at_limit, metric, until_used};

/// Bytes for one workspace. A response is larger than what the kernel buffers of a connection.
const SHARE: u64 = 55_000_000;
/// Bytes of the text of a message.
const TEXT_BYTES: usize = 20_000_000;
const WRITE_TIMEOUT_MS: i64 = 20_000;

#[tokio::test]
async fn unread_responses_hold_at_most_the_share_of_their_workspace_and_end() {
    let options = ServerOptions::default().configure(|config| {
        config.limits.response_bytes_per_workspace = SHARE;
        config.limits.response_write_timeout_ms = WRITE_TIMEOUT_MS;
    });
    let server = TestServer::start(options).await;
    let (key, other) = (server.workspace(Plan::Team).await, server.workspace(Plan::Team).await);
    let inbox = server.inbox(&key).await;
    let text = format!("{}\r\n", "x".repeat(70)).repeat(TEXT_BYTES / 72);
    server.deliver(&TestMessage::new("large", &text), &inbox.address).await;
    let path = format!("/v1/inboxes/{}/messages", inbox.id);

    let mut unread = Vec::new();
    for _ in 0..2 {
        let mut connection = RawConnection::open(&server).await;
        connection.get(&path, Some(&key)).await;
        assert_eq!(connection.status().await, Some(200));
        unread.push(connection);
    }
    until_used(&server, LimitName::ResponseBytes, |used| used > 2 * TEXT_BYTES as u64 - 1_000_000).await;
    let refused = server.api(&key).get(&path).await;
    assert_at_limit(refused, "rate_limited", LimitName::ResponseBytesPerWorkspace, SHARE);
    server.api(&key).get("/v1/inboxes?limit=1").await.expect(200);
    server.api(&other).get("/v1/inboxes").await.expect(200);
    assert!(metric(&server, "limit_peak", LimitName::ResponseBytes).await <= SHARE + 100_000);

    let ended = until_used(&server, LimitName::ResponseBytes, |used| used < TEXT_BYTES as u64);
    server.clock.advance_until(3 * WRITE_TIMEOUT_MS, ended).await;
    assert_eq!(metric(&server, "limit_refusals_total", LimitName::ResponseWriteTimeout).await, 2);
    server.api(&key).get(&path).await.expect(200);
    server.finish().await;
}

/// Sends a request with a JSON body on a connection of its own, and reads the head of the response.
async fn begin(server: &TestServer, key: &TestKey, method: &str, path: &str, body: &Value) -> RawConnection {
    let (mut connection, body) = (RawConnection::open(server).await, body.to_string());
    let head = format!(
        "{method} {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {}\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        key.secret,
        body.len()
    );
    connection.send(head.as_bytes()).await;
    assert_eq!(connection.status().await, Some(200));
    connection
}

#[tokio::test]
async fn unread_responses_to_changes_and_streams_count_too() {
    let options = ServerOptions::default().configure(|config| config.limits.response_bytes_per_workspace = SHARE);
    let server = TestServer::start(options).await;
    let key = server.workspace(Plan::Team).await;
    let (api, inbox) = (server.api(&key), server.inbox(&key).await);
    let text = format!("{}\r\n", "x".repeat(70)).repeat(TEXT_BYTES / 72);
    server.deliver(&TestMessage::new("large", &text), &inbox.address).await;
    let message = server.newest_message(&api, &inbox.id.to_string()).await;
    let path = format!("/v1/messages/{}", message["id"].as_str().expect("an id"));
    let batch = json!({ "ids": [message["id"]] });

    let changed = begin(&server, &key, "PATCH", &path, &json!({ "add_labels": ["one"] })).await;
    let read = begin(&server, &key, "POST", "/v1/messages/batch-get", &batch).await;
    until_used(&server, LimitName::ResponseBytes, |used| used > 2 * TEXT_BYTES as u64 - 1_000_000).await;
    let refused = api.post("/v1/messages/batch-get", batch).await;
    assert_at_limit(refused, "rate_limited", LimitName::ResponseBytesPerWorkspace, SHARE);
    // A change was carried out, so its status stays, and only the body is missing.
    let mut cut = begin(&server, &key, "PATCH", &path, &json!({ "add_labels": ["two"] })).await;
    assert!(cut.rest().await.len() < TEXT_BYTES);
    assert!(metric(&server, "limit_peak", LimitName::ResponseBytes).await <= SHARE + 100_000);

    drop((changed, read));
    until_used(&server, LimitName::ResponseBytes, |used| used < TEXT_BYTES as u64).await;
    let labels = api.get(&path).await.expect(200)["labels"].to_string();
    assert!(labels.contains("one") && labels.contains("two"), "{labels}");
    server.finish().await;
}
