//! One workspace that floods never holds up another's first mail.

use std::net::{IpAddr, Ipv4Addr};

use posthouse_domain::{plan::Plan, time::SECOND_MS};
use posthouse_server::{config::DeliveryMode, jobs::runner};
use posthouse_tests::{
    http::Api,
    server::{Options, TestServer},
    smtp_sink::SmtpSink,
};
use serde_json::json;

/// Domains that the flood goes to.
const DOMAINS: usize = 60;
/// Mails of the flood.
const FLOOD: usize = 240;
/// How long the servers of the flood take for a message, in milliseconds.
const SLOW_MS: i64 = 20 * SECOND_MS;
/// How long the other's mail may take, in milliseconds.
const HELD_UP_MS_MAX: i64 = 2 * SECOND_MS;

/// A workspace with an inbox: its API and the path for sends.
async fn workspace(server: &TestServer) -> (Api, String) {
    let api = server.api(&server.workspace(Plan::Team).await);
    let inbox = api.post("/v1/inboxes", json!({})).await.expect(201).text("id").to_owned();
    (api, format!("/v1/inboxes/{inbox}/messages"))
}

async fn send(api: &Api, path: &str, to: &str) {
    api.post(path, json!({ "to": to, "subject": "Hello", "text": "Hello." })).await.expect(202);
}

/// A server with few connections, a slow and a quick mail exchanger; every domain of the flood is at the slow one.
async fn world() -> (TestServer, SmtpSink, SmtpSink) {
    let slow = SmtpSink::start().await;
    let port = slow.address.port();
    let quick = SmtpSink::at(Ipv4Addr::new(127, 0, 0, 2), port).await;
    let options = Options::default().configure(move |config| {
        config.delivery.mode = DeliveryMode::Direct;
        config.delivery.port = port;
        config.delivery.connections_max = 20;
    });
    let server = TestServer::start(options).await;
    slow.slow(&server.clock, SLOW_MS);
    let at = |domain: &str, address: IpAddr| {
        server.dns.mx(domain, 10, &format!("mx.{domain}"));
        server.dns.address(&format!("mx.{domain}"), address);
    };
    (0..DOMAINS).for_each(|n| at(&format!("d{n}.example"), slow.address.ip()));
    at("quick.example", quick.address.ip());
    (server, slow, quick)
}

#[tokio::test]
async fn a_flood_to_slow_servers_holds_up_nobody_else() {
    let (mut server, slow, quick) = world().await;
    let ((flood, flood_path), (other, other_path)) = (workspace(&server).await, workspace(&server).await);
    for n in 0..FLOOD {
        send(&flood, &flood_path, &format!("a{n}@d{}.example", n % DOMAINS)).await;
    }
    let running = tokio::spawn(runner::run(server.app().clone()));
    // All the connections that one address gets hang, and others wait for them.
    server.clock.go_on(SECOND_MS, slow.connected(10)).await;
    for _ in 0..4 {
        server.clock.advance(SECOND_MS);
    }

    // Time cannot pass the bound: were the mail held up, it would never arrive.
    send(&other, &other_path, "dana@quick.example").await;
    server.clock.go_on(HELD_UP_MS_MAX, quick.taken(1)).await;
    assert_eq!(slow.received().len(), 0, "the flood is as stuck as before");

    slow.slow(&server.clock, 0);
    server.app().life.drain();
    server.clock.go_on(SLOW_MS, running).await.unwrap();
    server.restart().await;
    server.finish().await;
}

#[tokio::test]
async fn a_flood_to_quick_servers_lets_another_in_between() {
    let (server, _slow, quick) = world().await;
    let ((flood, flood_path), (other, other_path)) = (workspace(&server).await, workspace(&server).await);
    for n in 0..FLOOD {
        let domain = format!("q{}.example", n % DOMAINS);
        server.dns.mx(&domain, 10, &format!("mx.{domain}"));
        server.dns.address(&format!("mx.{domain}"), quick.address.ip());
        send(&flood, &flood_path, &format!("a{n}@{domain}")).await;
    }
    send(&other, &other_path, "dana@quick.example").await;
    server.settle().await;
    let received = quick.received();
    let place = received.iter().position(|mail| mail.recipients == ["dana@quick.example"]).unwrap();
    assert_eq!(received.len(), FLOOD + 1);
    assert!(place < FLOOD / 4, "it came as number {place}");
    server.finish().await;
}
