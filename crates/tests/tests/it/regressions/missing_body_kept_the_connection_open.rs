//! A request that announced a body without sending it kept its connection open forever, even without an API key.

use std::net::SocketAddr;

use posthouse_domain::plan::Plan;
use posthouse_tests::TestServer;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

/// Sends the beginning of a request and returns what arrives until the connection ends.
async fn answer(address: SocketAddr, authorization: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!(
        "POST /v1/inboxes HTTP/1.1\r\nhost: localhost\r\n{authorization}content-type: application/json\r\ncontent-length: 1000\r\n\r\n{body}"
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let (mut bytes, mut part) = (Vec::new(), [0; 4096]);
    // The connection may end with a reset because of unread bytes.
    while let Ok(read @ 1..) = stream.read(&mut part).await {
        bytes.extend_from_slice(&part[..read]);
    }
    String::from_utf8(bytes).unwrap()
}

#[tokio::test]
async fn a_request_without_its_body_is_rejected_and_disconnected() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let known = format!("authorization: Bearer {}\r\n", key.secret);
    for (authorization, body, status) in [("", "", "401"), ("", "{\"a", "401"), (&known, "{\"display_name\":", "400")] {
        let response = answer(server.http_address(), authorization, body);
        let text = server.clock.advance_until(60_000, response).await;
        assert!(text.starts_with(&format!("HTTP/1.1 {status} ")), "{text:?}");
    }
    assert!(server.api(&key).get("/v1/inboxes").await.expect(200).data().is_empty());
    server.finish().await;
}
