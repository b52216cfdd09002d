//! A workspace that sends a flood doesn't delay the first message of another one.

use std::net::IpAddr;

use posthouse_app::{jobs::runner, settings::DeliveryMode};
use posthouse_domain::{plan::Plan, time::SECOND_MS};
use posthouse_tests::{
    http::Api,
    server::{ServerOptions, TestServer},
    smtp_sink::SmtpSink,
};
use serde_json::json;

/// Number of domains that the flood goes to.
const DOMAINS: usize = 60;
/// Number of messages in the flood.
const FLOOD: usize = 240;
/// How long the slow servers need for a message, in milliseconds.
const SLOW_MS: i64 = 20 * SECOND_MS;
/// The maximum delay of the other workspace's message, in milliseconds.
const HELD_UP_MS_MAX: i64 = 2 * SECOND_MS;

/// Creates a workspace with an inbox. Returns its API client and the path for sends.
async fn workspace(server: &TestServer) -> (Api, String) {
    let api = server.api(&server.workspace(Plan::Team).await);
    let inbox = api.post("/v1/inboxes", json!({})).await.expect(201).text("id").to_owned();
    (api, format!("/v1/inboxes/{inbox}/messages"))
}

async fn send(api: &Api, path: &str, to: &str) {
    api.post(path, json!({ "to": to, "subject": "Hello", "text": "Hello." })).await.expect(202);
}

/// Starts a server with few connections, a slow and a fast mail exchanger. Every domain of the flood is at the slow
/// one.
async fn start() -> (TestServer, SmtpSink, SmtpSink) {
    let slow = SmtpSink::start().await;
    let port = slow.address.port();
    let fast = SmtpSink::at(SmtpSink::SECOND, port).await;
    let options = ServerOptions::default().configure(move |config| {
        config.delivery.mode = DeliveryMode::Direct;
        config.delivery.port = port;
        config.delivery.connections_max = 20;
    });
    let server = TestServer::start(options).await;
    slow.delay_replies(&server.clock, SLOW_MS);
    let at = |domain: &str, address: IpAddr| {
        server.dns.mx(domain, 10, &format!("mx.{domain}"));
        server.dns.address(&format!("mx.{domain}"), address);
    };
    (0..DOMAINS).for_each(|n| at(&format!("d{n}.example"), slow.address.ip()));
    at("quick.example", fast.address.ip());
    (server, slow, fast)
}

#[tokio::test]
async fn a_flood_to_slow_servers_does_not_delay_other_workspaces() {
    let (mut server, slow, fast) = start().await;
    let ((flood, flood_path), (other, other_path)) = (workspace(&server).await, workspace(&server).await);
    for n in 0..FLOOD {
        send(&flood, &flood_path, &format!("a{n}@d{}.example", n % DOMAINS)).await;
    }
    let running = tokio::spawn(runner::run(server.service().clone()));
    // All permitted connections to the slow server hang, and more messages wait for them.
    server.clock.advance_until(SECOND_MS, slow.wait_for_connections(10)).await;
    for _ in 0..4 {
        server.clock.advance(SECOND_MS);
    }

    // The clock can't pass the limit, so a delayed message would never arrive.
    send(&other, &other_path, "dana@quick.example").await;
    server.clock.advance_until(HELD_UP_MS_MAX, fast.wait_for_messages(1)).await;
    assert_eq!(slow.received().len(), 0, "the flood is still stuck");

    slow.delay_replies(&server.clock, 0);
    server.service().lifecycle.drain();
    server.clock.advance_until(SLOW_MS, running).await.unwrap();
    server.restart().await;
    server.finish().await;
}

#[tokio::test]
async fn a_flood_to_fast_servers_lets_other_messages_in_between() {
    let (server, _slow, fast) = start().await;
    let ((flood, flood_path), (other, other_path)) = (workspace(&server).await, workspace(&server).await);
    for n in 0..FLOOD {
        let domain = format!("q{}.example", n % DOMAINS);
        server.dns.mx(&domain, 10, &format!("mx.{domain}"));
        server.dns.address(&format!("mx.{domain}"), fast.address.ip());
        send(&flood, &flood_path, &format!("a{n}@{domain}")).await;
    }
    send(&other, &other_path, "dana@quick.example").await;
    server.settle().await;
    let received = fast.received();
    let position = received.iter().position(|mail| mail.recipients == ["dana@quick.example"]).unwrap();
    assert_eq!(received.len(), FLOOD + 1);
    assert!(position < FLOOD / 4, "it arrived at position {position}");
    server.finish().await;
}
