//! Streams of a workspace, and frames of a stream.

use posthouse_domain::{error::LimitName, plan::Plan};
use posthouse_tests::{ServerOptions, TestServer, fixtures::TestKey};
use serde_json::json;

use super::{RawConnection, assert_at_limit, metric, until_used};

/// Streams of a workspace on the free plan, and frames a minute.
const STREAMS: u64 = 2;
const FRAMES: u64 = 5;
/// The largest frame, in bytes.
const FRAME_BYTES_MAX: usize = 64 * 1024;

async fn server() -> TestServer {
    let options = ServerOptions::default().configure(|config| {
        config.plans.free.streams = Some(STREAMS);
        config.limits.stream_frames_per_minute = Some(FRAMES);
    });
    TestServer::start(options).await
}

/// Asks for another stream, which must be refused.
async fn assert_refused(server: &TestServer, key: &TestKey) {
    let api = server
        .api(key)
        .with_header("connection", "upgrade")
        .with_header("upgrade", "websocket")
        .with_header("sec-websocket-version", "13")
        .with_header("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ==");
    assert_at_limit(api.get("/v1/stream").await, "rate_limited", LimitName::Streams, STREAMS);
}

#[tokio::test]
async fn streams_are_limited_by_workspace_at_the_handshake() {
    let server = server().await;
    let (key, other) = (server.workspace(Plan::Free).await, server.workspace(Plan::Free).await);
    let mut open = vec![server.stream(&key).await, server.stream(&key).await];
    assert_refused(&server, &key).await;
    let of_other = server.stream(&other).await;
    assert_eq!(metric(&server, "limit_used", LimitName::Streams).await, 3);
    assert_eq!(metric(&server, "limit_refusals_total", LimitName::Streams).await, 1);
    open.pop().expect("a stream").close().await;
    until_used(&server, LimitName::Streams, |used| used == 2).await;
    let last = server.stream(&key).await;
    assert_refused(&server, &key).await;
    for stream in open.into_iter().chain([of_other, last]) {
        stream.close().await;
    }
    until_used(&server, LimitName::Streams, |used| used == 0).await;
    server.finish().await;
}

#[tokio::test]
async fn a_stream_with_too_many_frames_gets_the_limit_and_is_closed() {
    let server = server().await;
    let key = server.workspace(Plan::Free).await;
    let mut stream = server.stream(&key).await;
    for _ in 0..FRAMES {
        stream.send(json!({ "type": "ping" })).await;
        stream.expect("pong").await;
    }
    stream.send(json!({ "type": "ping" })).await;
    let error = stream.expect("error").await;
    assert_eq!(error["code"], "rate_limited", "{error}");
    let details = &error["details"];
    assert_eq!(details["limit"], LimitName::StreamFramesPerMinute.text(), "{error}");
    assert_eq!((details["max"].as_u64(), details["retry_after_seconds"].as_u64()), (Some(FRAMES), Some(60)), "{error}");
    assert_eq!(stream.end().await, Some(1008));
    assert_eq!(metric(&server, "limit_refusals_total", LimitName::StreamFramesPerMinute).await, 1);
    server.finish().await;
}

/// The library doesn't report the parts of an unfinished message and pongs, so their bytes count.
#[tokio::test]
async fn frames_that_are_no_message_are_limited_too() {
    let server = server().await;
    let key = server.workspace(Plan::Free).await;
    for (first, next) in [(b"\x01\x80\0\0\0\0", b"\x00\x80\0\0\0\0"), (b"\x8a\x80\0\0\0\0", b"\x8a\x80\0\0\0\0")] {
        let refusals = metric(&server, "limit_refusals_total", LimitName::StreamFramesPerMinute).await;
        let mut stream = RawConnection::open(&server).await;
        let head = format!(
            "GET /v1/stream HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {}\r\nconnection: upgrade\r\n\
             upgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
            key.secret
        );
        stream.send(head.as_bytes()).await;
        assert_eq!(stream.status().await, Some(101));
        let bytes_max = FRAME_BYTES_MAX * usize::try_from(FRAMES).expect("a small number");
        let flood = [first.as_slice(), &next.repeat(bytes_max / next.len())].concat();
        stream.send(&flood).await;
        let rest = stream.rest().await;
        // The code of the close frame.
        assert!(rest.windows(2).any(|two| two == 1008_u16.to_be_bytes()), "{}", String::from_utf8_lossy(&rest));
        let after = metric(&server, "limit_refusals_total", LimitName::StreamFramesPerMinute).await;
        assert_eq!(after, refusals + 1);
    }
    until_used(&server, LimitName::Streams, |used| used == 0).await;
    server.finish().await;
}
