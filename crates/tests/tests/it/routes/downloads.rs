//! Downloads of raw mail and files that are too large to be sent from memory.

use std::net::SocketAddr;

use axum::http::Method;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use posthouse_app::ports::Clock as _;
use posthouse_domain::plan::Plan;
use posthouse_tests::{TestServer, fixtures::TestKey, http::ApiResponse};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpSocket, TcpStream},
};

/// More than the socket buffers of a client that doesn't read.
const LARGE_BYTES: usize = 8_000_000;
/// How long a write may make no progress, in milliseconds.
const WRITE_TIMEOUT_MS: i64 = 30_000;

/// Returns bytes that can't be compressed.
fn noise(bytes: usize) -> Vec<u8> {
    (0u32..).flat_map(|n| Sha256::digest(n.to_be_bytes())).take(bytes).collect()
}

/// Returns a message with two files, in base64 and unencoded.
fn mail_with_files(base64: &[u8], unencoded: &str) -> Vec<u8> {
    let encoded = STANDARD.encode(base64);
    let lines: Vec<&str> = encoded.as_bytes().chunks(76).map(|line| std::str::from_utf8(line).unwrap()).collect();
    format!(
        "From: a@elsewhere.example\r\nSubject: large\r\nMIME-Version: 1.0\r\n\
         Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nSee the files.\r\n--b\r\n\
         Content-Type: application/zip\r\nContent-Disposition: attachment; filename=a.zip\r\n\
         Content-Transfer-Encoding: base64\r\n\r\n{}\r\n--b\r\n\
         Content-Type: text/csv\r\nContent-Disposition: attachment; filename=b.csv\r\n\r\n{unencoded}\r\n--b--\r\n",
        lines.join("\r\n")
    )
    .into_bytes()
}

/// Receives a message and returns it as the API shows it.
async fn receive(server: &TestServer, key: &TestKey, mail: &[u8]) -> Value {
    let inbox = server.inbox(key).await;
    server.smtp().await.mail("a@elsewhere.example", &[&inbox.address], mail).await.expect(250);
    server.newest_message(&server.api(key), &inbox.id.to_string()).await
}

/// The expected body and header of a download.
struct ExpectedDownload<'a> {
    bytes: &'a [u8],
    content_type: &'a str,
    name: &'a str,
}

/// Checks the bytes and header of a download, and that HEAD has the same header.
async fn check_download(server: &TestServer, key: &TestKey, path: &str, expected: ExpectedDownload<'_>) {
    let ExpectedDownload { bytes, content_type, name } = expected;
    let api = server.api(key);
    let got = api.get(path).await.expect(200);
    assert!(got.bytes == bytes, "{path}: {} bytes instead of {}", got.bytes.len(), bytes.len());
    let head = api.send(Method::HEAD, path, None).await.expect(200);
    let check = |reply: &ApiResponse| {
        assert_eq!(reply.header("content-length"), Some(&*bytes.len().to_string()), "{path}");
        assert_eq!(reply.header("transfer-encoding"), None);
        assert_eq!(reply.header("content-type"), Some(content_type));
        let disposition = format!("attachment; filename=\"{name}\"; filename*=UTF-8''{name}");
        assert_eq!(reply.header("content-disposition"), Some(&*disposition));
        assert_eq!(reply.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(reply.header("content-security-policy"), Some("sandbox; default-src 'none'"));
        assert!(reply.header("x-request-id").is_some());
    };
    check(&got);
    check(&head);
}

#[tokio::test]
async fn large_downloads_have_the_same_bytes_and_header_as_small_ones() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    for (zip_bytes, csv_lines) in [(100, 10), (400_000, 100_000), (1_300_001, 10)] {
        let (zip, csv) = (noise(zip_bytes), "1,2,3\r\n".repeat(csv_lines));
        let csv = csv.trim_end();
        let mail = mail_with_files(&zip, csv);
        let message = receive(&server, &key, &mail).await;
        let id = message["id"].as_str().unwrap();
        let path = format!("/v1/messages/{id}/raw");
        let raw = server.api(&key).get(&path).await.expect(200).bytes;
        assert!(raw.ends_with(&mail), "the trace lines, then the mail");
        let name = format!("{id}.eml");
        let expected = ExpectedDownload { bytes: &raw, content_type: "message/rfc822", name: &name };
        check_download(&server, &key, &path, expected).await;
        for (at, (bytes, content_type, name)) in
            [(&zip[..], "application/zip", "a.zip"), (csv.as_bytes(), "text/csv", "b.csv")].into_iter().enumerate()
        {
            let id = message["attachments"][at]["id"].as_str().unwrap();
            let expected = ExpectedDownload { bytes, content_type, name };
            check_download(&server, &key, &format!("/v1/attachments/{id}"), expected).await;
        }
    }
    server.finish().await;
}

#[tokio::test]
async fn large_files_of_drafts_are_downloaded_unchanged() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let (api, inbox) = (server.api(&key), server.inbox(&key).await);
    let bytes = noise(900_000);
    let file =
        json!({ "filename": "a.bin", "content_type": "application/zip", "content_base64": STANDARD.encode(&bytes) });
    let body = json!({ "to": ["b@remote.example"], "subject": "x", "text": "x", "attachments": [file] });
    let draft = api.post(&format!("/v1/inboxes/{}/drafts", inbox.id), body).await.expect(201);
    let id = draft["attachments"][0]["id"].as_str().unwrap();
    let expected = ExpectedDownload { bytes: &bytes, content_type: "application/zip", name: "a.bin" };
    check_download(&server, &key, &format!("/v1/attachments/{id}"), expected).await;
    server.finish().await;
}

/// Requests a download over a connection with small buffers, and reads only its beginning.
async fn stall(address: SocketAddr, key: &TestKey, path: &str) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(16 * 1024).unwrap();
    let mut stream = socket.connect(address).await.unwrap();
    let head = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\n\r\n", key.secret);
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut first = [0; 1_000];
    stream.read_exact(&mut first).await.unwrap();
    assert!(first.starts_with(b"HTTP/1.1 200 OK\r\n"), "{}", String::from_utf8_lossy(&first));
    stream
}

#[tokio::test]
async fn a_stalled_download_ends_after_the_write_timeout_and_an_aborted_one_at_once() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let message = receive(&server, &key, &mail_with_files(&noise(LARGE_BYTES), "x")).await;
    let raw = format!("/v1/messages/{}/raw", message["id"].as_str().unwrap());
    let file = format!("/v1/attachments/{}", message["attachments"][0]["id"].as_str().unwrap());
    for path in [&raw, &file] {
        // The timer of the write runs once the socket buffers are full.
        let deadline = server.clock.now().plus_ms(WRITE_TIMEOUT_MS);
        let aborted = stall(server.http_address(), &key, path).await;
        server.clock.wait_for_sleeper_at(deadline, true).await;
        drop(aborted);
        server.clock.wait_for_sleeper_at(deadline, false).await;

        let mut stalled = stall(server.http_address(), &key, path).await;
        server.clock.wait_for_sleeper_at(deadline, true).await;
        server.clock.advance(WRITE_TIMEOUT_MS);
        let mut rest = Vec::new();
        // The connection is closed or reset; either way the body is incomplete.
        let _ = stalled.read_to_end(&mut rest).await;
        assert!(rest.len() < LARGE_BYTES, "{path}: {} bytes after the connection was closed", rest.len());
    }
    assert_eq!(server.api(&key).get(&file).await.expect(200).bytes, noise(LARGE_BYTES));
    server.finish().await;
}
