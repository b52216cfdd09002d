//! The service answered requests for any host name, so that DNS rebinding let a web page read it.

use std::net::SocketAddr;

use posthouse_domain::plan::Plan;
use posthouse_tests::{TestServer, server::ServerOptions};
use reqwest::Method;
use serde_json::Value;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

/// Sends a request head on a new connection and returns status and body of the response.
async fn answer(address: SocketAddr, head: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes).await;
    let text = String::from_utf8(bytes).unwrap();
    let status = text.get(9..12).and_then(|status| status.parse().ok()).unwrap_or_else(|| panic!("{head}: {text:?}"));
    (status, text.split_once("\r\n\r\n").unwrap().1.to_owned())
}

async fn named() -> TestServer {
    let configure = ServerOptions::default().configure(|config| {
        config.base_url = "http://Mail.example.com:8443".to_owned();
        config.base_url_follows_listener = false;
        config.http.allowed_hosts = vec!["posthouse".to_owned()];
    });
    TestServer::start(configure).await
}

#[tokio::test]
async fn every_route_except_health_returns_421_for_an_unknown_host() {
    let server = named().await;
    let key = server.workspace(Plan::Team).await;
    for host in [
        "evil.example",
        "evil.example:8080",
        "mail.example.com.evil.example",
        "localhost@evil.example",
        "127.0.0.1.evil.example",
    ] {
        let api = server.api(&key).with_header("host", host);
        for path in [
            "/v1/account",
            "/metrics",
            "/docs",
            "/llms.txt",
            "/v1/openapi.json",
            "/v1/stream",
            "/nowhere",
            "/healthz/",
            "/dev/outbox",
        ] {
            let refused = api.get(path).await.error("misdirected_request");
            let fix = refused["error"]["fix"].as_str().unwrap();
            assert!(fix.contains("base_url") && fix.contains("http.allowed_hosts"), "{fix}");
            assert_eq!(
                refused.header("connection"),
                None,
                "a proxy's connection carries requests of other clients too"
            );
        }
        api.raw(Method::POST, "/dev/inbound", "message/rfc822", "From: a@b.example\r\n\r\n")
            .await
            .error("misdirected_request");
        api.raw(Method::DELETE, "/v1/account", "text/plain", "x").await.error("misdirected_request");
        api.raw(Method::OPTIONS, "/v1/account", "text/plain", "").await.error("misdirected_request");
        api.get("/healthz").await.expect(200);
        api.get("/readyz").await.expect(200);
    }
    // Header fields that a page could set don't change that.
    let api = server.api(&key).with_header("host", "evil.example").with_header("x-forwarded-host", "localhost");
    api.with_header("forwarded", "host=localhost").get("/v1/account").await.error("misdirected_request");
    for host in [
        "mail.example.com",
        "MAIL.EXAMPLE.COM.:1",
        "posthouse:8080",
        "localhost:3000",
        "x.localhost",
        "[::1]:80",
        "192.0.2.1",
    ] {
        server.api(&key).with_header("host", host).get("/v1/account").await.expect(200);
    }
    server.finish().await;
}

#[tokio::test]
async fn an_absolute_target_overrides_host_and_two_host_fields_are_rejected() {
    let server = named().await;
    let request = |target: &str, hosts: &[&str], version: &str| {
        let hosts: String = hosts.iter().map(|host| format!("Host: {host}\r\n")).collect();
        format!("GET {target} HTTP/{version}\r\n{hosts}Connection: close\r\n\r\n")
    };
    for (target, hosts, version, expected) in [
        ("http://localhost/llms.txt", &["evil.example"][..], "1.1", 200),
        ("http://evil.example/llms.txt", &["localhost"], "1.1", 421),
        ("http://u@localhost/llms.txt", &["localhost"], "1.1", 421),
        ("/llms.txt", &["localhost"], "1.1", 200),
        ("/llms.txt", &["localhost", "evil.example"], "1.1", 400),
        ("/llms.txt", &["localhost", "localhost"], "1.1", 400),
        ("/nowhere", &["localhost", "evil.example"], "1.1", 400),
        ("/llms.txt", &[""], "1.1", 421),
        ("/llms.txt", &[], "1.1", 400),
        ("/llms.txt", &[], "1.0", 421),
        ("/llms.txt", &["localhost"], "1.0", 200),
        ("/llms.txt", &["evil.example"], "1.0", 421),
        ("/healthz", &[], "1.0", 200),
    ] {
        let (status, body) = answer(server.http_address(), &request(target, hosts, version)).await;
        assert_eq!(status, expected, "{target} {hosts:?} {version}: {body}");
        if status == 421 {
            let body: Value = serde_json::from_str(&body).unwrap();
            assert_eq!(body["error"]["code"], "misdirected_request");
        }
    }
    server.finish().await;
}
