//! Each budget at its bound: over it a client learns the limit, its value and the wait, and others are served.

mod bodies;
mod connections;
mod content_work;
mod fairness;
mod json;
mod pages;
mod responses;
mod service_mails;
mod streams;
mod unknown_keys;

use posthouse_domain::{
    auth::{ApiKeySecret, KEY_RANDOM_CHARS},
    error::LimitName,
};
use posthouse_tests::{TestServer, fixtures::TestKey, http::ApiResponse};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpSocket, TcpStream},
};

/// Returns a well-formed key that isn't in the database.
pub(crate) fn unknown_key(at: u8) -> String {
    ApiKeySecret::from_random(&[at; 2 * KEY_RANDOM_CHARS]).reveal().to_owned()
}

/// A connection on which a test sends any bytes.
pub(crate) struct RawConnection(TcpStream);

impl RawConnection {
    pub(crate) async fn open(server: &TestServer) -> Self {
        Self(TcpStream::connect(server.http_address()).await.expect("the API listens"))
    }

    /// Connects from another address of this machine.
    pub(crate) async fn open_from(server: &TestServer, address: [u8; 4]) -> Self {
        let socket = TcpSocket::new_v4().expect("a socket");
        socket.bind((address, 0).into()).expect("a loopback address");
        Self(socket.connect(server.http_address()).await.expect("the API listens"))
    }

    pub(crate) async fn send(&mut self, bytes: &[u8]) {
        self.0.write_all(bytes).await.expect("the connection is open");
    }

    /// Sends a request without a body.
    pub(crate) async fn get(&mut self, path: &str, key: Option<&TestKey>) {
        let authorization = key.map_or(String::new(), |key| format!("authorization: Bearer {}\r\n", key.secret));
        self.send(format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n{authorization}\r\n").as_bytes()).await;
    }

    /// Sends the head of a request that creates an inbox, and `sent` of its `bytes` of body.
    pub(crate) async fn half_body(&mut self, key: Option<&TestKey>, bytes: usize, sent: usize) {
        let authorization = key.map_or(String::new(), |key| format!("authorization: Bearer {}\r\n", key.secret));
        let head = format!(
            "POST /v1/inboxes HTTP/1.1\r\nhost: localhost\r\n{authorization}content-type: application/json\r\n\
             content-length: {bytes}\r\n\r\n"
        );
        self.send(head.as_bytes()).await;
        self.send(&vec![b' '; sent]).await;
    }

    /// Returns the status of the next response, or `None` if the connection ended. Reads no further than its head.
    pub(crate) async fn status(&mut self) -> Option<u16> {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(self.0.read_u8().await.ok()?);
        }
        let text = String::from_utf8(head).expect("a head is ASCII");
        text.split(' ').nth(1).and_then(|status| status.parse().ok())
    }

    /// Reads the JSON body of a response whose head was read.
    pub(crate) async fn rest_of_response(&mut self) {
        let mut body = Vec::new();
        while serde_json::from_slice::<serde_json::Value>(&body).is_err() {
            body.push(self.0.read_u8().await.expect("a whole body"));
        }
    }

    /// Returns everything that arrives until the connection ends.
    pub(crate) async fn rest(&mut self) -> Vec<u8> {
        let (mut bytes, mut part) = (Vec::new(), [0; 4096]);
        // The connection may end with a reset.
        while let Ok(read @ 1..) = self.0.read(&mut part).await {
            bytes.extend_from_slice(&part[..read]);
        }
        bytes
    }
}

/// Returns a metric with the label of a limit.
pub(crate) async fn metric(server: &TestServer, name: &str, limit: LimitName) -> u64 {
    let mut reply = server.anonymous().get("/metrics").await;
    // The address may have no room for another connection yet.
    while reply.status == 429 {
        reply = server.anonymous().get("/metrics").await;
    }
    let wanted = format!("posthouse_{name}{{limit=\"{}\"}} ", limit.text());
    let text = String::from_utf8(reply.expect(200).bytes).expect("metrics are text");
    let value = text.lines().find_map(|line| line.strip_prefix(&wanted)).map(str::parse);
    value.map_or(0, |value| value.expect("a metric is a number"))
}

/// Waits until what is used of a budget satisfies a condition.
pub(crate) async fn until_used(server: &TestServer, limit: LimitName, holds: impl Fn(u64) -> bool) {
    while !holds(metric(server, "limit_used", limit).await) {
        tokio::task::yield_now().await;
    }
}

/// Checks that a response is the refusal at this limit, with its value and the wait.
#[track_caller]
pub(crate) fn assert_at_limit(reply: ApiResponse, code: &str, limit: LimitName, max: u64) {
    let reply = reply.error(code);
    let details = &reply.json["error"]["details"];
    assert_eq!((details["limit"].as_str(), details["max"].as_u64()), (Some(limit.text()), Some(max)), "{reply}");
    let wait = details["retry_after_seconds"].as_u64().expect("a wait");
    assert_eq!(reply.header("retry-after"), Some(wait.to_string().as_str()), "{reply}");
}
