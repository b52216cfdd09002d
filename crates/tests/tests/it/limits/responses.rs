//! Responses that a client doesn't read: a share of memory for its workspace, and an end after the write timeout.

use posthouse_domain::{error::LimitName, plan::Plan};
use posthouse_tests::{ServerOptions, TestMessage, TestServer};

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
