//! A webhook URL is chosen by a user: it must not reach this machine, its network or the cloud metadata service, in any
//! notation and whatever its name resolves to, now or later.

use std::net::IpAddr;

use posthouse_domain::plan::Plan;
use posthouse_tests::{ServerOptions, TestMessage, TestServer, WebhookReply, WebhookSink, http::Api};
use serde_json::{Value, json};

/// Starts a server with the address guard. HTTP is allowed, so that a receiver on loopback would be reachable.
async fn start_guarded() -> TestServer {
    TestServer::start(ServerOptions::default().configure(|config| config.webhooks.allow_private_networks = false)).await
}

async fn create(api: &Api, url: &str) -> posthouse_tests::http::ApiResponse {
    api.post("/v1/webhooks", json!({ "url": url })).await
}

#[tokio::test]
async fn private_addresses_are_rejected_in_any_notation() {
    let server = start_guarded().await;
    let api = server.api(&server.workspace(Plan::Team).await);
    for url in [
        "https://127.0.0.1/",
        "https://127.1:8080/",
        "https://2130706433/",
        "https://0x7f000001/",
        "https://0177.0.0.1/",
        "https://10.1.2.3/",
        "https://192.168.0.1/",
        "https://172.31.0.1/",
        "https://100.64.1.1/",
        "https://169.254.169.254/latest/",
        "https://2852039166/",
        "https://0.0.0.0/",
        "https://[::1]/",
        "https://[::ffff:169.254.169.254]/",
        "https://[fe80::1]/",
        "https://[fc00::1]/",
        "https://[64:ff9b::a9fe:a9fe]/",
        "https://[2002:a9fe:a9fe::1]/",
        "https://localhost/",
        "https://metadata.google.internal/",
        "https://user:pass@example.com/",
        "https://example.com@127.0.0.1/",
        "https://example.com:22/",
        "https://example.com:25/",
        "ftp://example.com/",
        "nonsense",
        "http://127.0.0.1:9/",
    ] {
        create(&api, url).await.error("invalid_webhook_url");
    }
    create(&api, "https://example.com/hook").await.expect(201);
    create(&api, "https://example.com:8443/hook").await.expect(201);
    server.finish().await;
}

#[tokio::test]
async fn only_https_is_accepted_unless_configured() {
    let strict = ServerOptions::default().configure(|config| {
        config.webhooks.allow_private_networks = false;
        config.webhooks.allow_http = false;
    });
    let server = TestServer::start(strict).await;
    let api = server.api(&server.workspace(Plan::Team).await);
    create(&api, "http://example.com/hook").await.error("invalid_webhook_url");
    create(&api, "https://example.com/hook").await.expect(201);
    server.finish().await;
}

#[tokio::test]
async fn a_name_with_a_private_address_is_rejected_even_beside_a_public_one() {
    let server = start_guarded().await;
    let api = server.api(&server.workspace(Plan::Team).await);
    for (name, addresses) in [
        ("inside.example", vec!["10.0.0.7"]),
        ("metadata.example", vec!["169.254.169.254"]),
        ("mapped.example", vec!["::ffff:127.0.0.1"]),
        ("mixed.example", vec!["8.8.8.8", "127.0.0.1"]),
        ("six.example", vec!["fd00::1"]),
    ] {
        addresses.iter().for_each(|ip| server.dns.address(name, ip.parse::<IpAddr>().unwrap()));
        create(&api, &format!("https://{name}/hook")).await.error("invalid_webhook_url");
    }
    server.dns.address("fine.example", "8.8.8.8".parse().unwrap());
    let made = create(&api, "https://fine.example/hook").await.expect(201);
    let path = format!("/v1/webhooks/{}", made.text("id"));
    api.patch(&path, json!({ "url": "https://inside.example/" })).await.error("invalid_webhook_url");
    server.finish().await;
}

#[tokio::test]
async fn a_name_that_later_resolves_to_a_private_address_is_not_contacted() {
    let server = start_guarded().await;
    let key = server.workspace(Plan::Team).await;
    let (api, inbox, sink) = (server.api(&key), server.inbox(&key).await, WebhookSink::start().await);
    let url = format!("http://rebound.example:{}/hook", sink.address.port());
    server.dns.address("rebound.example", "8.8.8.8".parse().unwrap());
    let made = create(&api, &url).await.expect(201);
    server.dns.set(
        "rebound.example",
        posthouse_mail::auth::DnsRecordType::A,
        posthouse_mail::auth::DnsAnswer::Records(posthouse_mail::auth::DnsRecords::A(vec![
            "127.0.0.1".parse().unwrap(),
        ])),
    );
    server.deliver(&TestMessage::new("a", "text"), &inbox.address).await;
    server.settle().await;
    assert_eq!(sink.connections(), 0, "no connection");
    let attempts = api.get(&format!("/v1/webhooks/{}/deliveries", made.text("id"))).await.expect(200);
    let attempt: &Value = &attempts.data()[0];
    assert_eq!((&attempt["status"], &attempt["response_status"]), (&json!("failed"), &json!(null)));
    assert!(
        attempt["error"].as_str().is_some_and(|error| error.contains("not reachable from the internet")),
        "{attempt}"
    );
    server.finish().await;
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let (api, inbox) = (server.api(&key), server.inbox(&key).await);
    let (sink, inside) = (WebhookSink::start().await, WebhookSink::start().await);
    for status in [301, 302, 303, 307, 308] {
        sink.next(WebhookReply::Field(status, format!("Location: {}", inside.url())));
    }
    create(&api, &sink.url()).await.expect(201);
    for n in 0..5 {
        server.deliver(&TestMessage::new(&format!("{n}"), "text"), &inbox.address).await;
        server.settle().await;
    }
    assert_eq!((sink.posts().len(), inside.connections()), (5, 0));
    server.finish().await;
}

#[tokio::test]
async fn proxies_from_the_environment_are_ignored() {
    // The HTTP client doesn't read the environment (a layout rule). From outside only the connection to the URL's own
    // port is visible.
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let (api, sink) = (server.api(&key), WebhookSink::start().await);
    let made = create(&api, &sink.url()).await.expect(201);
    api.post_empty(&format!("/v1/webhooks/{}/test", made.text("id"))).await.expect(202);
    server.settle().await;
    assert_eq!(sink.posts()[0].line, "POST /hook?of=test HTTP/1.1", "a path, not the absolute form for proxies");
    server.finish().await;
}
