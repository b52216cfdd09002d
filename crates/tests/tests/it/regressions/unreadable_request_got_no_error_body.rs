//! A request that is not valid HTTP, or with an oversized head, got a bare status line.

use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
};

use posthouse_tests::TestServer;
use serde_json::Value;

async fn answer(address: SocketAddr, request: Vec<u8>) -> (String, String) {
    let answered = tokio::task::spawn_blocking(move || {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(&request).unwrap();
        let (mut bytes, mut part) = (Vec::new(), [0; 4096]);
        // The connection may end with a reset because of unread bytes.
        while let Ok(read @ 1..) = stream.read(&mut part) {
            bytes.extend_from_slice(&part[..read]);
        }
        String::from_utf8(bytes).unwrap()
    });
    let text = answered.await.unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{text:?}"));
    (head.to_owned(), body.to_owned())
}

#[tokio::test]
async fn an_unreadable_request_gets_a_regular_error_body() {
    let server = TestServer::plain().await;
    let address = server.http_address();
    let many: String = (0..200).map(|n| format!("x-{n}: y\r\n")).collect();
    for (request, status, code) in [
        ("what is this?\r\n\r\n".to_owned(), "400", "invalid_request"),
        ("GET /v1/inboxes HTTP/9.9\r\nhost: localhost\r\n\r\n".to_owned(), "400", "invalid_request"),
        ("GET / HTTP/1.1\r\nbad field\r\n\r\n".to_owned(), "400", "invalid_request"),
        (format!("GET / HTTP/1.1\r\nhost: localhost\r\n{many}\r\n"), "431", "header_too_large"),
    ] {
        let beginning: String = request.chars().take(40).collect();
        let (head, body) = answer(address, request.into_bytes()).await;
        assert!(head.starts_with(&format!("HTTP/1.1 {status} ")), "{beginning}: {head}");
        let body: Value = serde_json::from_str(&body).unwrap_or_else(|error| panic!("{beginning}: {error}: {body}"));
        assert_eq!(body["error"]["code"], code, "{beginning}");
        let id = body["error"]["request_id"].as_str().unwrap();
        assert!(head.to_lowercase().contains(&format!("x-request-id: {id}")), "{head}");
        assert!(body["error"]["fix"].is_string() && head.contains("application/json"), "{head}");
    }
    // Earlier responses on the connection are unaffected.
    let two = "GET /v1/nowhere HTTP/1.1\r\nhost: localhost\r\n\r\nnonsense\r\n\r\n";
    let (head, rest) = answer(address, two.into()).await;
    assert!(head.starts_with("HTTP/1.1 404 ") && rest.contains("\"not_found\""), "{head}");
    assert!(rest.contains("HTTP/1.1 400 ") && rest.contains("\"invalid_request\""), "{rest}");
    server.finish().await;
}
