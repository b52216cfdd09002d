//! The same call over HTTP and without it, as often as `bench/direct_calls.py` wants, which counts the instructions of both.

use std::sync::Arc;

use posthouse_domain::plan::Plan;
use posthouse_tests::{TestServer, pipe::Pipe};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// Calls of each kind in a run of the tests.
const CALLS: usize = 3;
/// Bytes of a response, at most.
const RESPONSE_BYTES_MAX: usize = 16 * 1024;

/// Returns how many calls to make: those that a variable names, or else [`CALLS`].
fn calls(name: &str) -> usize {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(CALLS)
}

/// Makes a request on a connection, with as little work as possible on the side of the client. Returns the body.
async fn request(stream: &mut TcpStream, text: &str) -> Value {
    stream.write_all(text.as_bytes()).await.expect("the connection is open");
    let mut response = Vec::with_capacity(RESPONSE_BYTES_MAX);
    loop {
        let read = stream.read_buf(&mut response).await.expect("the connection is open");
        assert!(read > 0 && response.len() < RESPONSE_BYTES_MAX, "{}", String::from_utf8_lossy(&response));
        let body = response.windows(4).position(|bytes| bytes == b"\r\n\r\n").map(|end| &response[end + 4..]);
        if let Some(value) = body.and_then(|body| serde_json::from_slice(body).ok()) {
            return value;
        }
    }
}

#[tokio::test]
async fn a_call_without_http_returns_what_the_request_does() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Builder).await;
    let mut pipe = Pipe::connect(Arc::clone(server.service()), Some(key.secret.clone()));
    let mut stream = TcpStream::connect(server.http_address()).await.expect("the server listens");
    let (host, secret) = (server.http_address(), &key.secret);
    let text = format!("GET /v1/account HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {secret}\r\n\r\n");
    let wanted = request(&mut stream, &text).await;
    assert!(wanted["workspace"].is_object(), "{wanted}");
    for _ in 0..calls("POSTHOUSE_HTTP_CALLS") {
        assert_eq!(request(&mut stream, &text).await, wanted);
    }
    for _ in 0..calls("POSTHOUSE_DIRECT_CALLS") {
        assert_eq!(pipe.call("getAccount", json!({}), None, None).await["value"], wanted);
    }
    drop((stream, pipe));
    server.finish().await;
}
