//! `/metrics` was served without the token to clients that seemed to be on the same machine, through a proxy that adds
//! no header field or one without an address.

use std::net::SocketAddr;

use posthouse_app::settings::SecretText;
use posthouse_server::config::Configuration;
use posthouse_tests::{TestServer, server::ServerOptions};

async fn configured(change: impl FnOnce(&mut Configuration) + 'static) -> TestServer {
    TestServer::start(ServerOptions::default().configure(change)).await
}

#[tokio::test]
async fn metrics_need_the_token_unless_everything_is_on_loopback() {
    let public: [fn(&mut Configuration); 5] = [
        |config| config.base_url = "https://mail.example.com".to_owned(),
        |config| config.base_url = "http://0.0.0.0:8080".to_owned(),
        |config| config.base_url = "http://localhost.example.com".to_owned(),
        |config| config.listen.http.set_ip([0, 0, 0, 0].into()),
        |config| config.listen.http_tls.push(SocketAddr::from(([0, 0, 0, 0], 0))),
    ];
    for change in public {
        let server = configured(move |config| {
            config.base_url = "http://localhost:8080".to_owned();
            config.base_url_follows_listener = false;
            config.http.metrics_token = Some(SecretText("sesame".to_owned()));
            change(config);
        })
        .await;
        let api = server.anonymous();
        let refused = api.get("/metrics").await.error("unauthorized");
        assert!(refused["error"]["fix"].as_str().unwrap().contains("Bearer <http.metrics_token>"), "{refused}");
        api.with_header("authorization", "Bearer other").get("/metrics").await.error("unauthorized");
        api.with_header("authorization", "Bearer sesame").get("/metrics").await.expect(200);
        server.finish().await;
    }
    for base_url in ["http://localhost:8080", "http://127.0.0.1", "http://[::1]:1", "https://app.localhost"] {
        let server = configured(move |config| {
            config.base_url = base_url.to_owned();
            config.base_url_follows_listener = false;
        })
        .await;
        server.anonymous().get("/metrics").await.expect(200);
        server.finish().await;
    }
}

#[tokio::test]
async fn the_client_address_behind_a_trusted_proxy_counts() {
    let server = configured(|config| config.http.trusted_proxies = vec!["127.0.0.1".parse().unwrap()]).await;
    let api = server.anonymous();
    api.get("/metrics").await.expect(200);
    for (name, value) in [
        ("x-forwarded-for", "203.0.113.9"),
        ("x-forwarded-for", "127.0.0.1, 203.0.113.9"),
        ("x-forwarded-for", "unknown"),
        ("x-forwarded-for", "127.0.0.1, "),
        ("forwarded", "for=203.0.113.9"),
        ("forwarded", "for=127.0.0.1, for=\"[2001:db8::1]:80\""),
        ("forwarded", "for=_hidden"),
        ("forwarded", "proto=https"),
        ("forwarded", "for=\"127.0.0.1"),
        ("x-real-ip", "127.0.0.1"),
        ("via", "1.1 proxy"),
    ] {
        api.with_header(name, value).get("/metrics").await.error("unauthorized");
    }
    for (name, value) in
        [("x-forwarded-for", "127.0.0.1"), ("forwarded", "for=127.0.0.1"), ("forwarded", "for=\"[::1]\"")]
    {
        api.with_header(name, value).get("/metrics").await.expect(200);
    }
    server.finish().await;

    let server = TestServer::plain().await;
    let api = server.anonymous();
    for name in ["x-forwarded-for", "forwarded", "x-real-ip", "via"] {
        api.with_header(name, "127.0.0.1").get("/metrics").await.error("unauthorized");
    }
    server.finish().await;
}
