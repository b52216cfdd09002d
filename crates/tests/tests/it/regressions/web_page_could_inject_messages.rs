//! Any web page could post messages to the development route of a service on the same machine, as a form or as plain
//! text, and the route was also available on public listeners.

use std::net::SocketAddr;

use posthouse_app::settings::DeliveryMode;
use posthouse_domain::plan::Plan;
use posthouse_server::config::Configuration;
use posthouse_tests::{TestServer, http::Api, server::ServerOptions};
use reqwest::{Method, StatusCode};

const MAIL: &str = "From: Dana <dana@elsewhere.example>\r\nTo: first@agents.localhost\r\nSubject: Hi\r\n\r\nHello.\r\n";

/// Opens a listener to the network: changes an existing address or adds one.
type ExposeListener = fn(&mut Configuration, &dyn Fn(&mut SocketAddr), SocketAddr);

async fn inject(api: &Api, content_type: &str) -> StatusCode {
    StatusCode::from_u16(api.raw(Method::POST, "/dev/inbound", content_type, MAIL).await.status).unwrap()
}

#[tokio::test]
async fn only_the_message_content_type_is_accepted() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    server.inbox_named(&key, "first").await;
    let api = server.anonymous();
    for wrong in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "text/plain; x=message/rfc822",
        "text/plain, message/rfc822",
        "message/rfc822, text/plain",
        "message/rfc822x",
        "",
    ] {
        api.raw(Method::POST, "/dev/inbound", wrong, MAIL).await.error("unsupported_media_type");
        api.raw(Method::POST, "/dev/inbound", wrong, "").await.error("unsupported_media_type");
    }
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let refused = client.post(format!("http://{}/dev/inbound", server.http_address())).body(MAIL);
    assert_eq!(refused.send().await.unwrap().status(), 415, "no content type");
    let twice = api.with_header("content-type", "text/plain");
    assert_eq!(inject(&twice, "message/rfc822").await, 415, "two content types");
    for right in ["message/rfc822", "Message/RFC822", "message/rfc822; charset=utf-8"] {
        assert_eq!(inject(&api, right).await, 201, "{right}");
    }
    server.finish().await;
}

#[tokio::test]
async fn foreign_origins_are_rejected() {
    let server = TestServer::start(ServerOptions::default().configure(|config| {
        config.base_url = "https://mail.example.com".to_owned();
        config.base_url_follows_listener = false;
    }))
    .await;
    let key = server.workspace(Plan::Team).await;
    server.inbox_named(&key, "first").await;
    let port = server.http_address().port();
    let own = format!("http://127.0.0.1:{port}");
    for foreign in [
        "null".to_owned(),
        "http://evil.example".to_owned(),
        "http://127.0.0.1".to_owned(),
        format!("http://127.0.0.1:{}", port - 1),
        format!("http://localhost:{port}"),
        format!("https://127.0.0.1:{port}"),
        format!("http://127.0.0.1:{port}.evil.example"),
        format!("http://127.0.0.1:{port}@evil.example"),
        "http://mail.example.com".to_owned(),
        "https://mail.example.com.evil.example".to_owned(),
        String::new(),
    ] {
        let api = server.anonymous().with_header("origin", &foreign);
        api.raw(Method::POST, "/dev/inbound", "message/rfc822", MAIL).await.error("forbidden");
        server.api(&key).with_header("origin", &foreign).get("/dev/outbox").await.error("forbidden");
        server.api(&key).with_header("origin", &foreign).get("/v1/account").await.expect(200);
        let both = server.anonymous().with_header("origin", &own).with_header("origin", &foreign);
        assert_eq!(inject(&both, "message/rfc822").await, 403, "{foreign}");
    }
    for own in [own.as_str(), "https://mail.example.com", "https://MAIL.example.com:443"] {
        assert_eq!(inject(&server.anonymous().with_header("origin", own), "message/rfc822").await, 201, "{own}");
        server.api(&key).with_header("origin", own).get("/dev/outbox").await.expect(200);
    }
    server.finish().await;
}

#[tokio::test]
async fn development_routes_exist_only_in_the_loopback_profile() {
    let everywhere = |address: &mut SocketAddr| address.set_ip([0, 0, 0, 0].into());
    let anywhere = || SocketAddr::from(([0, 0, 0, 0], 0));
    let changes: [ExposeListener; 6] = [
        |config, everywhere, _| everywhere(&mut config.listen.http),
        |config, _, anywhere| config.listen.http_tls.push(anywhere),
        |config, _, anywhere| config.listen.acme.push(anywhere),
        |config, everywhere, _| everywhere(&mut config.listen.smtp[0]),
        |config, everywhere, _| everywhere(&mut config.listen.submission[0]),
        |config, _, anywhere| config.listen.submission_tls.push(anywhere),
    ];
    for change in changes {
        let server = TestServer::start(
            ServerOptions::default().configure(move |config| change(config, &everywhere, anywhere())),
        )
        .await;
        let key = server.workspace(Plan::Team).await;
        assert_eq!(inject(&server.anonymous(), "message/rfc822").await, 404);
        server.api(&key).get("/dev/outbox").await.error("not_found");
        let document = server.anonymous().get("/v1/openapi.json").await.expect(200);
        assert!(!document["paths"].as_object().unwrap().keys().any(|path| path.starts_with("/dev/")));
        server.finish().await;
    }
    let server =
        TestServer::start(ServerOptions::default().configure(|config| config.delivery.mode = DeliveryMode::Direct))
            .await;
    assert_eq!(inject(&server.anonymous(), "message/rfc822").await, 404);
    server.finish().await;
}
