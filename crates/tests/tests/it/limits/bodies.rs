//! Request bodies in memory: a share for each workspace, and a total.

use posthouse_domain::{error::LimitName, plan::Plan};
use posthouse_tests::{ServerOptions, TestServer, fixtures::TestKey};
use serde_json::json;

use super::{RawConnection, assert_at_limit, metric, unknown_key, until_used};

/// Bytes for one workspace, and for all.
const SHARE: u64 = 100_000;
const TOTAL: u64 = 250_000;

async fn server() -> TestServer {
    let options = ServerOptions::default().configure(|config| {
        config.limits.request_body_bytes_per_workspace = SHARE;
        config.limits.request_body_bytes = TOTAL;
    });
    TestServer::start(options).await
}

/// Returns a request body of at least this many bytes.
fn body(bytes: usize) -> serde_json::Value {
    json!({ "metadata": { "a": "x".repeat(900) }, "unknown": "x".repeat(bytes) })
}

#[tokio::test]
async fn half_sent_bodies_hold_at_most_the_share_of_their_workspace_and_the_total() {
    let server = server().await;
    let abusers = [server.workspace(Plan::Free).await, server.workspace(Plan::Free).await];
    let other = server.workspace(Plan::Free).await;
    let mut open = Vec::new();
    for (at, key) in abusers.iter().enumerate() {
        let mut connection = RawConnection::open(&server).await;
        connection.half_body(Some(key), 80_001, 80_000).await;
        open.push(connection);
        until_used(&server, LimitName::RequestBodyBytes, |used| used >= 80_000 * (at as u64 + 1)).await;
        let refused = server.api(key).post("/v1/inboxes", body(50_000)).await;
        assert_at_limit(refused, "rate_limited", LimitName::RequestBodyBytesPerWorkspace, SHARE);
        server.api(key).get("/v1/inboxes").await.expect(200);
        server.inbox(key).await;
    }
    server.inbox(&other).await;
    let refused = server.api(&other).post("/v1/inboxes", body(95_000)).await;
    assert_at_limit(refused, "unavailable", LimitName::RequestBodyBytes, TOTAL);
    assert!(metric(&server, "limit_peak", LimitName::RequestBodyBytes).await <= TOTAL);
    assert_eq!(metric(&server, "limit_refusals_total", LimitName::RequestBodyBytesPerWorkspace).await, 2);
    assert_eq!(metric(&server, "limit_refusals_total", LimitName::RequestBodyBytes).await, 1);

    drop(open);
    until_used(&server, LimitName::RequestBodyBytes, |used| used == 0).await;
    for key in abusers.iter().chain([&other]) {
        server.api(key).post("/v1/inboxes", body(95_000)).await.invalid_fields(&["unknown"]);
    }
    until_used(&server, LimitName::RequestBodyBytes, |used| used == 0).await;
    server.finish().await;
}

#[tokio::test]
async fn a_body_without_a_valid_key_is_never_buffered() {
    let server = server().await;
    let unknown = TestKey { secret: unknown_key(7), ..server.workspace(Plan::Free).await };
    for key in [None, Some(&unknown)] {
        let mut connection = RawConnection::open(&server).await;
        connection.half_body(key, 90_000, 80_000).await;
        // The response is sent once the rest of the body doesn't arrive.
        let status = server.clock.advance_until(60_000, connection.status()).await;
        assert_eq!(status, Some(401));
    }
    assert_eq!(metric(&server, "limit_peak", LimitName::RequestBodyBytes).await, 0);
    server.finish().await;
}
