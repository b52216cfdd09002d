//! Connections: by address until they authenticate, then by workspace.

use posthouse_domain::{error::LimitName, plan::Plan};
use posthouse_tests::{ServerOptions, TestServer};

use super::{RawConnection, metric, until_used};

/// Connections of an address, and of a workspace on the free plan.
const OF_ADDRESS: u64 = 5;
const OF_WORKSPACE: u64 = 3;

async fn server() -> TestServer {
    let options = ServerOptions::default().configure(|config| {
        config.limits.unauthenticated_connections_per_address = Some(OF_ADDRESS);
        config.plans.free.connections = Some(OF_WORKSPACE);
        config.plans.free.requests_per_minute = None;
    });
    TestServer::start(options).await
}

/// Opens connections that send nothing.
async fn idle(server: &TestServer, count: u64) -> Vec<RawConnection> {
    let mut open = Vec::new();
    for _ in 0..count {
        open.push(RawConnection::open(server).await);
    }
    open
}

#[tokio::test]
async fn connections_without_a_key_are_limited_by_address_and_refused_with_the_limit() {
    let server = server().await;
    let key = server.workspace(Plan::Team).await;
    // A client that authenticated before the abuse. Its connection no longer counts for the address.
    let mut known = RawConnection::open(&server).await;
    known.get("/v1/inboxes", Some(&key)).await;
    assert_eq!(known.status().await, Some(200));
    let open = idle(&server, OF_ADDRESS).await;
    // The listener accepts in order, so the next connection is one too many.
    let mut refused = RawConnection::open(&server).await;
    let response = String::from_utf8(refused.rest().await).unwrap();
    assert!(response.starts_with("HTTP/1.1 429 Too Many Requests\r\n"), "{response}");
    let (head, body) = response.split_once("\r\n\r\n").expect("a body");
    let error: serde_json::Value = serde_json::from_str(body).expect("a JSON body");
    let details = &error["error"]["details"];
    assert_eq!(details["limit"], LimitName::UnauthenticatedConnections.text(), "{error}");
    assert_eq!(details["max"], OF_ADDRESS, "{error}");
    assert!(head.contains(&format!("\r\nretry-after: {}\r\n", details["retry_after_seconds"])), "{head}");
    drop(open);
    until_served(&server).await;
    assert!(metric(&server, "limit_refusals_total", LimitName::UnauthenticatedConnections).await >= 1);
    drop((known, refused));
    server.finish().await;
}

/// Waits until the address has room for another connection.
async fn until_served(server: &TestServer) {
    loop {
        let mut connection = RawConnection::open(server).await;
        connection.get("/healthz", None).await;
        if connection.status().await == Some(200) {
            return;
        }
    }
}

#[tokio::test]
async fn authenticated_connections_are_limited_by_workspace() {
    let server = server().await;
    let (key, other) = (server.workspace(Plan::Free).await, server.workspace(Plan::Free).await);
    let mut open = Vec::new();
    for _ in 0..OF_WORKSPACE {
        let mut connection = RawConnection::open(&server).await;
        connection.get("/v1/inboxes", Some(&key)).await;
        assert_eq!(connection.status().await, Some(200));
        open.push(connection);
    }
    let mut over = RawConnection::open(&server).await;
    over.get("/v1/inboxes", Some(&key)).await;
    let response = String::from_utf8(over.rest().await).unwrap();
    assert!(response.starts_with("HTTP/1.1 429 "), "{response}");
    assert!(
        response.contains("\r\nconnection: close\r\n") && response.contains("\"limit\":\"connections\""),
        "{response}"
    );
    assert_eq!(metric(&server, "limit_refusals_total", LimitName::Connections).await, 1);

    // A connection counts for the workspace of its latest request, so this one frees a place.
    let mut first = open.remove(0);
    first.rest_of_response().await;
    first.get("/v1/inboxes", Some(&other)).await;
    assert_eq!(first.status().await, Some(200));
    let mut next = RawConnection::open(&server).await;
    next.get("/v1/inboxes", Some(&key)).await;
    assert_eq!(next.status().await, Some(200));
    drop((open, first, next, over));
    until_used(&server, LimitName::Connections, |used| used <= 1).await;
    server.finish().await;
}

#[tokio::test]
async fn connections_of_trusted_proxies_count_only_during_a_request() {
    let options = ServerOptions::default().configure(|config| {
        config.limits.unauthenticated_connections_per_address = Some(1);
        config.plans.free.connections = Some(1);
        config.http.trusted_proxies = vec!["127.0.0.0/8".parse().expect("a network")];
    });
    let server = TestServer::start(options).await;
    let key = server.workspace(Plan::Free).await;
    let mut open = idle(&server, 4).await;
    for connection in &mut open {
        connection.get("/v1/inboxes", Some(&key)).await;
        assert_eq!(connection.status().await, Some(200));
    }
    drop(open);
    server.finish().await;
}
