//! The same call over HTTP and without it, as often as `bench/direct_calls.py` wants, which counts the instructions of both.

use std::net::Ipv4Addr;
use std::sync::Arc;

use posthouse_app::Service;
use posthouse_app::access::credentials;
use posthouse_call::{Answer, Arguments, CallSource, Operation, OutcomeBody, call};
use posthouse_domain::{ApiKeySecret, plan::Plan};
use posthouse_tests::TestServer;
use serde_json::Value;
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

/// Authenticates the caller and calls the operation, as a transport without a format of its own would. Returns the value.
async fn direct(service: &Arc<Service>, operation: &Operation, secret: &str) -> Value {
    let key = ApiKeySecret::parse(secret).expect("the key of a workspace");
    let client_ip = Ipv4Addr::LOCALHOST.into();
    let caller = credentials::key(service, &key, client_ip, None).await.expect("the key is active");
    let id = service.clock.ids().next::<uuid::Uuid>().to_string();
    let source = CallSource { id, arrived_at: service.clock.now(), client_ip };
    let Answer { result, .. } = call(service, operation, Some(&caller), source, Arguments::default()).await;
    match result.expect("the call succeeds").body {
        OutcomeBody::Bytes(bytes) => serde_json::from_slice(&bytes).expect("the value is JSON"),
        OutcomeBody::Stream(_) => panic!("the account is no stream"),
    }
}

#[tokio::test]
async fn a_call_without_http_returns_what_the_request_does() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Builder).await;
    let operation = posthouse::all_operations().into_iter().find(|one| one.name == "getAccount").expect("it is listed");
    let mut stream = TcpStream::connect(server.http_address()).await.expect("the server listens");
    let (host, secret) = (server.http_address(), &key.secret);
    let text = format!("GET /v1/account HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {secret}\r\n\r\n");
    let wanted = request(&mut stream, &text).await;
    assert!(wanted["workspace"].is_object(), "{wanted}");
    for _ in 0..calls("POSTHOUSE_HTTP_CALLS") {
        assert_eq!(request(&mut stream, &text).await, wanted);
    }
    for _ in 0..calls("POSTHOUSE_DIRECT_CALLS") {
        assert_eq!(direct(server.service(), &operation, &key.secret).await, wanted);
    }
    drop(stream);
    server.finish().await;
}
