//! The HTTP listener: one task a connection, with bounds on connections, heads and time.
//!
//! The end: it stops accepting, lets every connection finish the request it is in, and cuts off what does not.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use axum::{Router, extract::Request};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::graceful::GracefulShutdown,
};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore},
};
use tower::ServiceExt;

use super::router::Client;
use crate::shutdown::Life;

/// Most connections at once: long-polls wait on one each.
const CONNECTIONS_MAX: usize = 50_000;
/// Longest time for the head of a request, in seconds; also how long an idle connection is kept.
const HEAD_TIMEOUT_S: u64 = 60;
/// Largest head of a request, and most bytes read ahead, in bytes.
const HEAD_BYTES_MAX: usize = 32 * 1024;
/// Most header fields of a request.
const FIELDS_MAX: usize = 100;
/// Pause after an `accept` that failed for want of descriptors or memory, in milliseconds.
const ACCEPT_PAUSE_MS: u64 = 50;

/// Serves until the process drains, then until every connection is done.
pub async fn serve(listener: TcpListener, router: Router, life: Life) {
    let places = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    let graceful = GracefulShutdown::new();
    let builder = builder();
    loop {
        let accepted = tokio::select! {
            () = life.drained() => break,
            accepted = accept(&listener, &places) => accepted,
        };
        let (stream, peer, place) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                tracing::warn!(cause = %error, "http.accept_failed");
                tokio::time::sleep(Duration::from_millis(ACCEPT_PAUSE_MS)).await;
                continue;
            }
        };
        let _ = stream.set_nodelay(true);
        let connection = builder.serve_connection(TokioIo::new(stream), service(router.clone(), peer));
        let connection = graceful.watch(connection);
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(cause = %error, "http.connection_ended");
            }
            drop(place);
        });
    }
    drop(listener);
    graceful.shutdown().await;
}

fn builder() -> http1::Builder {
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(Duration::from_secs(HEAD_TIMEOUT_S))
        .max_buf_size(HEAD_BYTES_MAX)
        .max_headers(FIELDS_MAX);
    builder
}

/// Waits for a free place before it takes a connection, so that more of them wait in the kernel.
async fn accept(
    listener: &TcpListener,
    places: &Arc<Semaphore>,
) -> std::io::Result<(TcpStream, SocketAddr, OwnedSemaphorePermit)> {
    let place = places.clone().acquire_owned().await.map_err(std::io::Error::other)?;
    let (stream, peer) = listener.accept().await?;
    Ok((stream, peer, place))
}

fn service(
    router: Router,
    peer: SocketAddr,
) -> impl hyper::service::Service<
    hyper::Request<Incoming>,
    Response = axum::response::Response,
    Error = std::convert::Infallible,
    Future: Send,
> {
    service_fn(move |mut request: hyper::Request<Incoming>| {
        request.extensions_mut().insert(Client(peer.ip().to_canonical()));
        let router = router.clone();
        async move {
            let request: Request = request.map(axum::body::Body::new);
            router.oneshot(request).await
        }
    })
}
