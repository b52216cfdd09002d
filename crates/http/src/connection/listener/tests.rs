//! Response bodies on a connection: sizes, slow and disconnected clients, bodies that fail.

use super::*;
use crate::route::RouteResponse;
use futures_util::{StreamExt, stream};
use posthouse_call::{Outcome, OutcomeStream};
use posthouse_domain::error::{ErrorCode, Refusal};
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};

const CHUNK_BYTES: usize = 64 * 1024;

/// Serves one response with the given body, and returns the connection.
fn serve(body: impl Fn() -> OutcomeStream + Send + 'static) -> (DuplexStream, tokio::task::JoinHandle<bool>) {
    let (client, server) = duplex(CHUNK_BYTES);
    let service = service_fn(move |_: hyper::Request<Incoming>| {
        let response = RouteResponse::of(Outcome::stream("message/rfc822", body()), None).into_response();
        async move { Ok::<_, std::convert::Infallible>(response) }
    });
    let connection = builder().serve_connection(TokioIo::new(server), service);
    (client, tokio::spawn(async move { connection.await.is_ok() }))
}

/// Returns chunks of a body, and counts those that were produced.
fn counted(chunks: usize, produced: &Arc<AtomicUsize>) -> OutcomeStream {
    let produced = Arc::clone(produced);
    let all = stream::iter(0..chunks).map(move |_| {
        produced.fetch_add(1, Ordering::Relaxed);
        Ok(Bytes::from(vec![b'x'; CHUNK_BYTES]))
    });
    OutcomeStream::new(Some((chunks * CHUNK_BYTES) as u64), all)
}

async fn request(client: &mut DuplexStream) {
    client.write_all(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").await.expect("sent");
}

#[tokio::test]
async fn a_body_is_produced_as_fast_as_the_client_reads() {
    let produced = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&produced);
    let (mut client, connection) = serve(move || counted(1_000, &count));
    request(&mut client).await;
    let mut some = vec![0; 10 * CHUNK_BYTES];
    client.read_exact(&mut some).await.expect("the beginning");
    let ahead = produced.load(Ordering::Relaxed) - 10;
    assert!(ahead <= 4, "{ahead} chunks ahead of the client");
    drop(client);
    assert!(!connection.await.expect("no panic"), "the connection ends with an error");
    assert!(produced.load(Ordering::Relaxed) < 20, "a disconnected client needs no more chunks");
}

#[tokio::test]
async fn a_body_of_known_size_has_a_content_length_and_one_of_unknown_size_is_chunked() {
    for (bytes, field) in [(Some(2), "content-length: 2\r\n"), (None, "transfer-encoding: chunked\r\n")] {
        let (mut client, connection) =
            serve(move || OutcomeStream::new(bytes, stream::iter([Ok(Bytes::from_static(b"ok"))])));
        request(&mut client).await;
        let mut response = String::new();
        client.read_to_string(&mut response).await.expect("a response");
        assert!(response.contains(field) && response.contains("ok"), "{response}");
        assert!(connection.await.expect("no panic"));
    }
}

#[tokio::test]
async fn a_failing_or_short_body_closes_the_connection() {
    let refusal = || Refusal::new(ErrorCode::ContentDamaged, "x");
    let failing = move || OutcomeStream::new(Some(10), stream::iter([Ok(Bytes::from_static(b"half")), Err(refusal())]));
    let short = || OutcomeStream::new(Some(10), stream::iter([Ok(Bytes::from_static(b"half"))]));
    for (mut client, connection) in [serve(failing), serve(short)] {
        request(&mut client).await;
        let mut response = Vec::new();
        client.read_to_end(&mut response).await.expect("the connection is closed");
        let text = String::from_utf8_lossy(&response);
        // The head may not have been sent yet when the body fails.
        let body = text.split_once("\r\n\r\n").map_or("", |(_, body)| body);
        assert!(body.len() < 10, "the client can tell that the body is incomplete: {text}");
        assert!(!connection.await.expect("no panic"));
    }
}

/// Returns the size of the future of a function, in bytes.
fn future_bytes<F: Future>(
    _: impl FnOnce(&'static http1::Builder, ClientStream, ConnectionContext, ConnectionHold, Arc<Api>) -> F,
) -> usize {
    size_of::<F>()
}

/// Tens of thousands of connections wait for events. The goal is 15 KB for each, of which the HTTP library takes 11.
#[test]
fn a_connection_that_waits_is_small() {
    assert!(future_bytes(connection) <= 320, "{} bytes", future_bytes(connection));
}
