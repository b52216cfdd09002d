//! A disk without space for messages still accepts the few bytes of a readiness probe: `/readyz` succeeded while every
//! message was deferred.

use std::fmt::Write;

use posthouse_domain::plan::Plan;
use posthouse_tests::{ServerOptions, TestServer};
use serde_json::json;

/// Pages of 4 KiB: the schema and a few messages.
const PAGES_MAX: u32 = 720;
/// More messages than these pages hold.
const MAILS: u32 = 40;

/// Small messages that fill what is left.
const SMALL_MAILS: u32 = 200;

/// Returns an incompressible message.
fn mail(n: u32) -> String {
    mail_of(n, 2_000)
}

fn mail_of(n: u32, lines: u32) -> String {
    let mut text = format!("From: a@b.example\r\nSubject: {n}\r\n\r\n");
    let mut state = u64::from(n) + 1;
    for _ in 0..lines {
        for _ in 0..4 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            write!(text, "{:016x}", state ^ (state >> 29)).unwrap();
        }
        text.push_str("\r\n");
    }
    text
}

#[tokio::test]
async fn a_full_disk_defers_messages_and_fails_readiness_until_space_is_free() {
    let mut server = TestServer::start(ServerOptions::default().sqlite_pages_max(PAGES_MAX)).await;
    server.allow().log_error("store.writes_fail");
    let key = server.workspace(Plan::Team).await;
    let api = server.api(&key);
    let inbox = api.post("/v1/inboxes", json!({ "ttl_seconds": 3_600 })).await.expect(201).json;
    api.get("/readyz").await.expect(200);

    let mut smtp = server.smtp().await;
    let mut refused = None;
    for n in 0..MAILS {
        smtp.envelope("a@sender.example", &[inbox["address"].as_str().unwrap()]).await;
        let reply = smtp.data(&mail(n)).await;
        if reply.code != 250 {
            refused = Some(reply);
            break;
        }
    }
    refused.expect("the disk is full").expect_enhanced(451, "4.3.1");
    for _ in 0..2 {
        let not_ready = api.get("/readyz").await.error("unavailable");
        assert_eq!(not_ready.json["error"]["details"]["reason"], "storage_full");
    }
    api.get("/healthz").await.expect(200);

    api.delete(&format!("/v1/inboxes/{}", inbox["id"].as_str().unwrap())).await.expect(204);
    server.settle().await;
    // The last check is cached for a second.
    server.clock.advance(1_000);
    api.get("/readyz").await.expect(200);
    let inbox = api.post("/v1/inboxes", json!({ "ttl_seconds": 3_600 })).await.expect(201).json;
    smtp.envelope("a@sender.example", &[inbox["address"].as_str().unwrap()]).await;
    smtp.data(&mail(0)).await.expect(250);
    server.finish().await;
}

/// Reading works with a full disk. A search reads, but it tried to update its index first.
#[tokio::test]
async fn a_search_with_a_full_disk_uses_the_existing_index() {
    let mut server = TestServer::start(ServerOptions::default().sqlite_pages_max(PAGES_MAX)).await;
    server.allow().log_error("store.writes_fail");
    let key = server.workspace(Plan::Team).await;
    let (api, inbox) = (server.api(&key), server.inbox(&key).await);
    server.receive_message(&inbox, "From: a@b.example\r\nSubject: zebra\r\n\r\nx\r\n").await;
    assert_eq!(api.get("/v1/search?q=zebra").await.expect(200).data().len(), 1);
    let mut smtp = server.smtp().await;
    for n in 0..MAILS {
        if smtp.mail("a@sender.example", &[&inbox.address], mail(n).as_bytes()).await.code != 250 {
            break;
        }
    }
    // The index needs less space than a large message.
    for n in MAILS..MAILS + SMALL_MAILS {
        if smtp.mail("a@sender.example", &[&inbox.address], mail_of(n, 20).as_bytes()).await.code != 250 {
            break;
        }
    }
    for _ in 0..2 {
        assert_eq!(api.get("/v1/search?q=zebra").await.expect(200).data().len(), 1);
    }
    assert!(
        server.log.lines().iter().any(|line| line.text.contains("search.not_indexed")),
        "the index update did not fail"
    );
    server.finish().await;
}
