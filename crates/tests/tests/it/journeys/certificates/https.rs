//! The API over HTTPS (`http.listen_tls`), and what is left in clear beside it.

use std::{io, net::SocketAddr, sync::Arc};

use posthouse_domain::plan::Plan;
use posthouse_server::tls::{Trust, client_config};
use posthouse_tests::{Letter, Options, TestServer, http::Api, stream::StreamClient};
use rustls::pki_types::ServerName;
use serde_json::json;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};
use tokio_rustls::{TlsConnector, client::TlsStream};

async fn with_https(redirect: bool) -> TestServer {
    let options = Options::default().configure(move |config| {
        config.http.listen_tls = vec![([127, 0, 0, 1], 0).into()];
        config.acme.listen = vec![([127, 0, 0, 1], 0).into()];
        if redirect {
            config.http.redirect_to_https = true;
            config.base_url = "https://mail.example.com".to_owned();
            config.base_url_follows_listener = false;
        }
    });
    TestServer::start(options).await
}

fn address(server: &TestServer) -> SocketAddr {
    server.config().http.listen_tls[0]
}

/// A handshake that offers these protocols.
async fn handshake(address: SocketAddr, protocols: &[&str]) -> io::Result<TlsStream<TcpStream>> {
    let mut config = (*client_config(&Trust::Anybody).expect("TLS can be set up")).clone();
    config.alpn_protocols = protocols.iter().map(|name| name.as_bytes().to_vec()).collect();
    let stream = TcpStream::connect(address).await?;
    TlsConnector::from(Arc::new(config)).connect(ServerName::try_from("localhost").expect("a name"), stream).await
}

#[tokio::test]
async fn the_api_answers_over_https_as_it_does_in_clear() {
    let server = with_https(false).await;
    let key = server.workspace(Plan::Team).await;
    let secure = Api::new(&format!("https://{}", address(&server))).with_key(&key.secret);
    let made = secure.post("/v1/inboxes", json!({ "username": "safe" })).await.expect(201);
    let clear = server.api(&key).get(&format!("/v1/inboxes/{}", made.text("id"))).await.expect(200);
    assert_eq!(clear.json["address"], made.json["address"]);
    // A whole file of attachments, which is many records of TLS.
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
async fn the_stream_works_over_it() {
    let server = with_https(false).await;
    let key = server.workspace(Plan::Team).await;
    let inbox = server.inbox(&key).await;
    let url = format!("wss://{}/v1/stream", address(&server));
    let mut stream = StreamClient::open(address(&server), &url, Some(&key.secret)).await;
    stream.expect("hello").await;
    stream.subscribe(json!({ "event_types": ["message.received"] })).await;
    server.deliver(&Letter::new("over TLS", "text"), &inbox.address).await;
    let event = stream.expect("event").await;
    assert!(event.to_string().contains("over TLS"), "{event}");
    assert_eq!(stream.close().await, Some(1000));
    server.finish().await;
}

#[tokio::test]
async fn only_http_1_1_over_tls_gets_in() {
    let server = with_https(false).await;
    assert!(handshake(address(&server), &["h2"]).await.is_err(), "HTTP/2 is not spoken");
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
    assert!(!answer.starts_with(b"HTTP/1.1 2"), "nothing of the API is there in clear");
    server.finish().await;
}

#[tokio::test]
async fn who_never_shakes_hands_is_let_go() {
    let server = with_https(false).await;
    let mut silent = TcpStream::connect(address(&server)).await.unwrap();
    let mut rest = Vec::new();
    let ended = server.clock.go_on(15_000, silent.read_to_end(&mut rest)).await;
    assert!(ended.is_ok_and(|bytes| bytes == 0), "nothing is said to it");
    server.finish().await;
}

/// A client that is in the middle of nothing does not hold up the end.
#[tokio::test]
async fn the_end_waits_for_no_idle_client() {
    let server = with_https(false).await;
    let idle = handshake(address(&server), &[]).await.expect("a handshake");
    let silent = TcpStream::connect(address(&server)).await.unwrap();
    server.finish().await;
    drop((idle, silent));
}

#[tokio::test]
async fn what_is_in_clear_leads_to_https_where_that_is_wanted() {
    let server = with_https(true).await;
    let clear = server.anonymous();
    let led = clear.get("/docs?x=1").await.expect(308);
    assert_eq!(led.header("location"), Some("https://mail.example.com/docs?x=1"));
    clear.post("/v1/inboxes", json!({})).await.expect(308);
    // It has no path (RFC 9112 §3.2.4).
    let mut stream = TcpStream::connect(server.http_address()).await.unwrap();
    stream.write_all(b"OPTIONS * HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n").await.unwrap();
    let mut answer = String::new();
    let _ = stream.read_to_string(&mut answer).await;
    assert!(answer.contains("location: https://mail.example.com/\r\n"), "{answer}");
    let key = server.workspace(Plan::Team).await;
    let told = clear.with_key(&key.secret).get("/v1/account").await.error("invalid_request");
    assert!(told.json.to_string().contains("https://mail.example.com"), "{}", told.json);
    clear.get("/healthz").await.expect(200);
    clear.get("/readyz").await.expect(200);
    clear.get("/metrics").await.error("unauthorized");
    Api::new(&format!("https://{}", address(&server))).with_key(&key.secret).get("/v1/account").await.expect(200);
    server.finish().await;
}

#[tokio::test]
async fn a_listener_for_challenges_has_nothing_of_the_api() {
    let server = with_https(false).await;
    let porch = Api::new(&format!("http://{}", server.config().acme.listen[0]));
    porch.get("/v1/account").await.error("not_found");
    porch.get("/healthz").await.error("not_found");
    porch.get("/.well-known/acme-challenge/some-token").await.error("not_found");
    server.anonymous().get("/.well-known/acme-challenge/some-token").await.error("not_found");
    server.finish().await;

    let server = with_https(true).await;
    let porch = Api::new(&format!("http://{}", server.config().acme.listen[0]));
    let led = porch.get("/").await.expect(308);
    assert_eq!(led.header("location"), Some("https://mail.example.com/"));
    server.finish().await;
}
