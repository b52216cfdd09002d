//! The API over HTTPS (`http.listen_tls`), and what remains available without TLS.

use std::{io, net::SocketAddr, sync::Arc};

use posthouse_app::tls::{CertificateTrust, client_config};
use posthouse_domain::plan::Plan;
use posthouse_tests::{ServerOptions, TestMessage, TestServer, http::Api, stream::StreamClient};
use rustls::pki_types::ServerName;
use serde_json::json;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};
use tokio_rustls::{TlsConnector, client::TlsStream};

async fn with_https(redirect: bool) -> TestServer {
    let options = ServerOptions::default().configure(move |config| {
        config.listen.http_tls = vec![([127, 0, 0, 1], 0).into()];
        config.listen.acme = vec![([127, 0, 0, 1], 0).into()];
        if redirect {
            config.listen.redirect_to_https = true;
            config.base_url = "https://mail.example.com".to_owned();
            config.base_url_follows_listener = false;
        }
    });
    TestServer::start(options).await
}

fn address(server: &TestServer) -> SocketAddr {
    server.config().listen.http_tls[0]
}

/// Performs a TLS handshake that offers these ALPN protocols.
async fn handshake(address: SocketAddr, protocols: &[&str]) -> io::Result<TlsStream<TcpStream>> {
    let mut config = (*client_config(&CertificateTrust::AnyCertificate).expect("TLS can be set up")).clone();
    config.alpn_protocols = protocols.iter().map(|name| name.as_bytes().to_vec()).collect();
    let stream = TcpStream::connect(address).await?;
    TlsConnector::from(Arc::new(config)).connect(ServerName::try_from("localhost").expect("a name"), stream).await
}

#[tokio::test]
async fn the_api_works_over_https_as_without_tls() {
    let server = with_https(false).await;
    let key = server.workspace(Plan::Team).await;
    let secure = Api::new(&format!("https://{}", address(&server))).with_key(&key.secret);
    let made = secure.post("/v1/inboxes", json!({ "username": "safe" })).await.expect(201);
    let clear = server.api(&key).get(&format!("/v1/inboxes/{}", made.text("id"))).await.expect(200);
    assert_eq!(clear.json["address"], made.json["address"]);
    // A large attachment spans many TLS records.
    let content = "QUJD".repeat(700_000);
    let mail = json!({
        "to": "someone@elsewhere.example", "subject": "large", "text": "x",
        "attachments": [{ "filename": "a.bin", "content_type": "application/octet-stream", "content_base64": content }],
    });
    secure.post(&format!("/v1/inboxes/{}/messages", made.text("id")), mail).await.expect(202);
    server.settle().await;
    secure.get("/nowhere").await.error("not_found");
    server.finish().await;
}

#[tokio::test]
async fn the_stream_works_over_https() {
    let server = with_https(false).await;
    let key = server.workspace(Plan::Team).await;
    let inbox = server.inbox(&key).await;
    let url = format!("wss://{}/v1/stream", address(&server));
    let mut stream = StreamClient::open(address(&server), &url, Some(&key.secret)).await;
    stream.expect("hello").await;
    stream.subscribe(json!({ "event_types": ["message.received"] })).await;
    server.deliver(&TestMessage::new("over TLS", "text"), &inbox.address).await;
    let event = stream.expect("event").await;
    assert!(event.to_string().contains("over TLS"), "{event}");
    assert_eq!(stream.close().await, Some(1000));
    server.finish().await;
}

#[tokio::test]
async fn only_http_1_1_is_served_over_tls() {
    let server = with_https(false).await;
    assert!(handshake(address(&server), &["h2"]).await.is_err(), "HTTP/2 is not supported");
    let stream = handshake(address(&server), &["h2", "http/1.1"]).await.expect("a handshake");
    assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"http/1.1"[..]));
    let mut stream = handshake(address(&server), &[]).await.expect("a handshake");
    stream.write_all(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n").await.unwrap();
    let mut answer = String::new();
    let _ = stream.read_to_string(&mut answer).await;
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");

    let mut clear = TcpStream::connect(address(&server)).await.unwrap();
    clear.write_all(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n").await.unwrap();
    let mut answer = Vec::new();
    let _ = clear.read_to_end(&mut answer).await;
    assert!(!answer.starts_with(b"HTTP/1.1 2"), "the API is not available without TLS");
    server.finish().await;
}

#[tokio::test]
async fn a_client_without_a_handshake_is_disconnected() {
    let server = with_https(false).await;
    let mut silent = TcpStream::connect(address(&server)).await.unwrap();
    let mut rest = Vec::new();
    let ended = server.clock.advance_until(15_000, silent.read_to_end(&mut rest)).await;
    assert!(ended.is_ok_and(|bytes| bytes == 0), "nothing is sent to it");
    server.finish().await;
}

/// An idle client doesn't delay shutdown.
#[tokio::test]
async fn shutdown_does_not_wait_for_idle_clients() {
    let server = with_https(false).await;
    let idle = handshake(address(&server), &[]).await.expect("a handshake");
    let silent = TcpStream::connect(address(&server)).await.unwrap();
    server.finish().await;
    drop((idle, silent));
}

#[tokio::test]
async fn requests_without_tls_are_redirected_to_https_if_configured() {
    let server = with_https(true).await;
    let clear = server.anonymous();
    let redirected = clear.get("/docs?x=1").await.expect(308);
    assert_eq!(redirected.header("location"), Some("https://mail.example.com/docs?x=1"));
    clear.post("/v1/inboxes", json!({})).await.expect(308);
    // The target has no path (RFC 9112 §3.2.4).
    let mut stream = TcpStream::connect(server.http_address()).await.unwrap();
    stream.write_all(b"OPTIONS * HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n").await.unwrap();
    let mut answer = String::new();
    let _ = stream.read_to_string(&mut answer).await;
    assert!(answer.contains("location: https://mail.example.com/\r\n"), "{answer}");
    let key = server.workspace(Plan::Team).await;
    let rejected = clear.with_key(&key.secret).get("/v1/account").await.error("invalid_request");
    assert!(rejected.json.to_string().contains("https://mail.example.com"), "{}", rejected.json);
    clear.get("/healthz").await.expect(200);
    clear.get("/readyz").await.expect(200);
    clear.get("/metrics").await.error("unauthorized");
    Api::new(&format!("https://{}", address(&server))).with_key(&key.secret).get("/v1/account").await.expect(200);
    server.finish().await;
}

#[tokio::test]
async fn a_challenge_listener_does_not_serve_the_api() {
    let server = with_https(false).await;
    let challenge_api = Api::new(&format!("http://{}", server.config().listen.acme[0]));
    challenge_api.get("/v1/account").await.error("not_found");
    challenge_api.get("/healthz").await.error("not_found");
    challenge_api.get("/.well-known/acme-challenge/some-token").await.error("not_found");
    server.anonymous().get("/.well-known/acme-challenge/some-token").await.error("not_found");
    server.finish().await;

    let server = with_https(true).await;
    let challenge_api = Api::new(&format!("http://{}", server.config().listen.acme[0]));
    let redirected = challenge_api.get("/").await.expect(308);
    assert_eq!(redirected.header("location"), Some("https://mail.example.com/"));
    server.finish().await;
}
