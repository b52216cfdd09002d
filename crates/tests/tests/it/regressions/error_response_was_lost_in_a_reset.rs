//! The error response to a large body was lost: the connection was closed with the body unread, and so reset.

use std::io::{Read, Write};

use posthouse_domain::plan::Plan;
use posthouse_tests::TestServer;

/// More than the socket buffers on one machine.
const BODY_BYTES: usize = 20 * 1024 * 1024;

#[tokio::test]
async fn a_client_that_sends_the_whole_body_first_reads_the_error() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let address = server.http_address();
    for (path, authorization, status) in [
        ("/v1/inboxes", format!("Bearer {}", key.secret), "413"),
        ("/v1/inboxes", "Bearer wrong".to_owned(), "401"),
        ("/v1/nowhere", format!("Bearer {}", key.secret), "404"),
        ("/v1/account", format!("Bearer {}", key.secret), "405"),
    ] {
        // Refused requests are discarded at a pace.
        server.clock.advance(10_000);
        let answer = tokio::task::spawn_blocking(move || {
            let mut stream = std::net::TcpStream::connect(address).unwrap();
            let head = format!(
                "POST {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: {authorization}\r\nContent-Type: application/json\r\n\
                 Content-Length: {BODY_BYTES}\r\nConnection: close\r\n\r\n"
            );
            stream.write_all(head.as_bytes()).unwrap();
            stream.write_all(&vec![b' '; BODY_BYTES]).unwrap();
            let mut answer = String::new();
            stream.read_to_string(&mut answer).unwrap();
            answer
        });
        let answer = answer.await.unwrap();
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{path}: {answer}");
    }
    server.finish().await;
}
