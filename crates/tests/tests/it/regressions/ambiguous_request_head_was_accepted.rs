//! Request heads that another HTTP implementation reads differently were accepted: without Host, with an unknown
//! transfer coding, and above the size limit if they arrived in one piece (RFC 9112 §3.2, §6.1).

use std::net::SocketAddr;

use posthouse_tests::TestServer;
use serde_json::Value;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

/// Maximum size of a request head, in bytes (docs/OPERATING.md).
const HEAD_BYTES_MAX: usize = 32 * 1024;

/// Sends these pieces one by one and returns everything received until the connection ends.
async fn answer(address: SocketAddr, pieces: &[&[u8]]) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.set_nodelay(true).unwrap();
    for piece in pieces {
        stream.write_all(piece).await.unwrap();
    }
    let (mut bytes, mut part) = (Vec::new(), [0; 4096]);
    // The connection may end with a reset because of unread bytes.
    while let Ok(read @ 1..) = stream.read(&mut part).await {
        bytes.extend_from_slice(&part[..read]);
    }
    String::from_utf8(bytes).unwrap()
}

fn status(answer: &str) -> &str {
    answer.get(9..12).unwrap_or_else(|| panic!("{answer:?}"))
}

#[tokio::test]
async fn an_ambiguous_head_is_rejected_and_the_connection_closed() {
    let server = TestServer::plain().await;
    let chunked = "0\r\n\r\nGET /healthz HTTP/1.1\r\nhost: x\r\n\r\n";
    for (head, rest) in [
        ("GET /healthz HTTP/1.1\r\n\r\n", ""),
        ("GET /healthz HTTP/1.1\r\nconnection: keep-alive\r\n\r\n", "GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n"),
        ("POST /v1/inboxes HTTP/1.1\r\nhost: x\r\ntransfer-encoding: gzip, chunked\r\n\r\n", chunked),
        (
            "POST /v1/inboxes HTTP/1.1\r\nhost: x\r\ntransfer-encoding: gzip\r\ntransfer-encoding: chunked\r\n\r\n",
            chunked,
        ),
    ] {
        let answer = answer(server.http_address(), &[head.as_bytes(), rest.as_bytes()]).await;
        assert_eq!(status(&answer), "400", "{head}: {answer}");
        assert_eq!(answer.matches("HTTP/1.1 ").count(), 1, "{head}: the bytes after it were read: {answer}");
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let body: Value = serde_json::from_str(body).unwrap();
        assert_eq!(body["error"]["code"], "invalid_request");
        assert!(head.contains(&format!("x-request-id: {}", body["error"]["request_id"].as_str().unwrap())), "{head}");
    }
    let old = answer(server.http_address(), &[b"GET /healthz HTTP/1.0\r\n\r\n"]).await;
    assert_eq!(status(&old), "200", "HTTP/1.0 has no Host");
    server.finish().await;
}

#[tokio::test]
async fn the_head_limit_is_the_same_in_one_piece_and_in_two() {
    let server = TestServer::plain().await;
    for (bytes, expected) in [(HEAD_BYTES_MAX, "200"), (HEAD_BYTES_MAX + 1, "431"), (40_000, "431")] {
        let (begin, end) = ("GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\nx-fill: ", "\r\n\r\n");
        let head = format!("{begin}{}{end}", "y".repeat(bytes - begin.len() - end.len()));
        assert_eq!(head.len(), bytes);
        let (one, other) = head.as_bytes().split_at(20_000);
        for pieces in [&[head.as_bytes()][..], &[one, other][..]] {
            let answer = answer(server.http_address(), pieces).await;
            assert_eq!(status(&answer), expected, "{bytes} bytes in {} pieces", pieces.len());
        }
    }
    server.finish().await;
}
