//! The HTTP listener: one task per connection, with limits on connections, heads and time.
//!
//! On shutdown it stops accepting, lets every connection finish its current request, and closes the others.

use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use bytes::Bytes;
use futures_util::future::Either;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use hyper::header;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::upgrade::{self, OnUpgrade};
use hyper_util::rt::{TokioIo, TokioTimer};
use posthouse_app::events::subscriptions;
use posthouse_app::service::Service;
use posthouse_app::tls::ClientStream;
use posthouse_domain::{LimitName, Refusal};
use rustls::ServerConfig;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;
use tower::ServiceExt;

use crate::Api;
use crate::connection::client::HttpConnectionInfo;
use crate::connection::connections::ConnectionSlot;
use crate::connection::error_stream::HttpErrorStream;
use crate::connection::head;
use crate::connection::host::AllowedHosts;
use crate::connection::requests::{OpenRequest, OpenRequests};
use crate::connection::write_timeout::{WriteLimit, WriteTimeout};
use crate::response::error;
use crate::stream::handshake::HandshakeOutcome;
use crate::stream::socket;

/// Longest time to receive the head of a request, in seconds; also how long an idle connection is kept.
const HEAD_TIMEOUT_S: u64 = 60;
/// Largest head of a request and largest read buffer, in bytes.
const HEAD_BYTES_MAX: usize = 32 * 1024;
/// Most header fields of a request.
const FIELDS_MAX: usize = 100;
/// Pause after an `accept` that failed for lack of descriptors or memory, in milliseconds.
const ACCEPT_PAUSE_MS: i64 = 50;

/// Longest TLS handshake, in milliseconds.
const HANDSHAKE_MS_MAX: i64 = 10_000;
/// How long a refused connection stays open, so that its client reads the refusal, in milliseconds.
const REFUSAL_LINGER_MS: i64 = 1_000;
/// How long a connection without a request may flush its buffer during shutdown, in milliseconds.
const FLUSH_MS: i64 = 1_000;

/// A listening address and the routes it serves.
pub(crate) struct ListenerEntry {
    /// The bound listener.
    pub listener: TcpListener,
    /// The routes.
    pub router: Router,
    /// TLS from the first byte; `None` for clear text.
    pub tls: Option<Arc<ServerConfig>>,
}

/// Serves all entries until shutdown begins, then until every connection has ended.
pub(crate) async fn serve(entries: Vec<ListenerEntry>, api: Arc<Api>) {
    let permits = Arc::new(Semaphore::new(api.http.connections_max.min(Semaphore::MAX_PERMITS)));
    let issuer = api.service.config.issuer();
    let urls = [api.service.config.base_url.as_str(), issuer.as_str()];
    let hosts = Arc::new(AllowedHosts::of(&urls, &api.http.allowed_hosts, &api.service.config.acme));
    let mut tasks = JoinSet::new();
    tasks.spawn(subscriptions::run(Arc::clone(&api.service)));
    for entry in entries {
        tasks.spawn(serve_one(entry, Arc::clone(&permits), Arc::clone(&hosts), Arc::clone(&api)));
    }
    while tasks.join_next().await.is_some() {}
}

async fn serve_one(entry: ListenerEntry, permits: Arc<Semaphore>, hosts: Arc<AllowedHosts>, api: Arc<Api>) {
    let ListenerEntry { listener, router, tls } = entry;
    let (builder, acceptor) = (Arc::new(builder()), tls.map(TlsAcceptor::from));
    let mut connections = JoinSet::new();
    let drained = api.service.lifecycle.drained();
    tokio::pin!(drained);
    loop {
        let accepted = tokio::select! {
            () = &mut drained => break,
            accepted = accept(&listener, &permits) => accepted,
        };
        while connections.try_join_next().is_some() {}
        match accepted {
            Ok((stream, peer, permit)) => {
                let (router, api, hosts) = (router.clone(), Arc::clone(&api), Arc::clone(&hosts));
                let (builder, acceptor) = (Arc::clone(&builder), acceptor.clone());
                let link = HttpConnectionInfo { peer: peer.ip().to_canonical(), over_tls: acceptor.is_some() };
                let slot = match api.connections.open(&api.service, &api.http.trusted_proxies, link.peer) {
                    Ok(slot) => slot,
                    Err(refusal) => {
                        api.service.metrics.limit_refused(LimitName::UnauthenticatedConnections);
                        if let (Ok(turn), None) = (Arc::clone(&api.connections.refusals).try_acquire_owned(), acceptor)
                        {
                            connections
                                .spawn(async move { refuse(&api.service, stream, &refusal, [permit, turn]).await });
                        }
                        continue;
                    }
                };
                let hold = ConnectionHold { _slot: slot.clone(), _permit: permit };
                let (requests, upgraded) = (OpenRequests::default(), Upgraded::default());
                let context = ConnectionContext { slot, router, hosts, link, requests, upgraded };
                let _ = stream.set_nodelay(true);
                match acceptor {
                    None => connections.spawn(connection(&builder, ClientStream::Clear(stream), context, hold, api)),
                    // Boxed, because the task would otherwise keep space for both as long as the connection is open.
                    Some(acceptor) => connections.spawn(async move {
                        if let Some(stream) = Box::pin(handshake(&api.service, stream, acceptor)).await {
                            Box::pin(connection(&builder, stream, context, hold, api)).await;
                        }
                    }),
                };
            }
            Err(error) => {
                tracing::warn!(cause = %error, "http.accept_failed");
                api.service.clock.sleep_until(api.service.clock.now().plus_ms(ACCEPT_PAUSE_MS)).await;
            }
        }
    }
    drop(listener);
    while connections.join_next().await.is_some() {}
}

/// Refuses a connection with a response, without reading its request. `permits` are held meanwhile.
async fn refuse(service: &Service, mut stream: TcpStream, refusal: &Refusal, permits: [OwnedSemaphorePermit; 2]) {
    let id = service.clock.ids().next::<uuid::Uuid>().to_string();
    tracing::info!(request_id = %id, status = refusal.code.status(), "http.connection_refused");
    let response = error::closing(refusal, &id);
    let answered = async {
        stream.write_all(&response).await?;
        stream.shutdown().await?;
        // Closing with unread bytes resets the connection, and the client may lose the response (RFC 9112 §9.6).
        tokio::io::copy(&mut stream, &mut tokio::io::sink()).await
    };
    tokio::select! {
        biased;
        _ = answered => {}
        () = service.lifecycle.drained() => {}
        () = service.clock.sleep_until(service.clock.now().plus_ms(REFUSAL_LINGER_MS)) => {}
    }
    drop(permits);
}

/// Performs the TLS handshake. Returns `None` if it fails.
async fn handshake(service: &Service, stream: TcpStream, acceptor: TlsAcceptor) -> Option<ClientStream> {
    let result = tokio::select! {
        biased;
        result = acceptor.accept(stream) => result,
        () = service.lifecycle.drained() => return None,
        () = service.clock.sleep_until(service.clock.now().plus_ms(HANDSHAKE_MS_MAX)) => return None,
    };
    match result {
        Ok(stream) => Some(ClientStream::Tls(Box::new(stream))),
        Err(error) => {
            tracing::debug!(cause = %error, "http.handshake_failed");
            None
        }
    }
}

/// What a connection counts as, until it ends.
struct ConnectionHold {
    _slot: ConnectionSlot,
    _permit: OwnedSemaphorePermit,
}

/// What the requests of one connection share.
struct ConnectionContext {
    slot: ConnectionSlot,
    router: Router,
    hosts: Arc<AllowedHosts>,
    link: HttpConnectionInfo,
    requests: OpenRequests,
    upgraded: Upgraded,
}

/// The WebSocket that a connection becomes after an upgrade.
#[derive(Clone, Default)]
struct Upgraded(Arc<Mutex<Option<(OnUpgrade, HandshakeOutcome)>>>);

impl Upgraded {
    fn set(&self, on_upgrade: OnUpgrade, handshake: HandshakeOutcome) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((on_upgrade, handshake));
    }

    fn take(&self) -> Option<(OnUpgrade, HandshakeOutcome)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Serves one connection. On shutdown it finishes the current request. A connection without one is closed even if part of
/// the next head has arrived, because nothing of it was accepted. After an upgrade it serves the WebSocket, with all HTTP
/// state freed.
///
/// What a connection keeps while it waits is in few small futures: thousands of them wait for events.
fn connection(
    builder: &http1::Builder,
    stream: ClientStream,
    context: ConnectionContext,
    hold: ConnectionHold,
    api: Arc<Api>,
) -> impl Future<Output = ()> + Send + use<> {
    let (requests, upgraded) = (context.requests.clone(), context.upgraded.clone());
    let front = HttpErrorStream::new(stream, Arc::clone(&api), requests.clone());
    let limit = WriteLimit {
        timeout_ms: api.service.config.limits.response_write_timeout_ms,
        expired: api.service.metrics.limit_refusals(LimitName::ResponseWriteTimeout),
    };
    let io = TokioIo::new(WriteTimeout::new(front, api.service.clock.clone(), limit));
    let mut http = Box::pin(builder.serve_connection(io, service(Arc::clone(&api), context)).with_upgrades());
    async move {
        let ended = tokio::select! {
            ended = http.as_mut() => ended,
            () = api.service.lifecycle.drained() => {
                http.as_mut().graceful_shutdown();
                Box::pin(async {
                    tokio::select! {
                        ended = http.as_mut() => ended,
                        () = flushed(&api.service, &requests) => Ok(()),
                    }
                })
                .await
            }
        };
        drop(http);
        if let Err(error) = ended {
            tracing::debug!(cause = %error, "http.connection_ended");
        }
        if let Some((on_upgrade, handshake)) = upgraded.take() {
            drop(upgraded);
            Box::pin(serve_upgraded(&api, on_upgrade, handshake)).await;
        }
        drop(hold);
    }
}

/// Waits until no request is in progress, and some time for the bytes in the buffer.
async fn flushed(service: &Service, requests: &OpenRequests) {
    requests.idle().await;
    service.clock.sleep_until(service.clock.now().plus_ms(FLUSH_MS)).await;
}

/// Serves the WebSocket that a connection has become.
async fn serve_upgraded(api: &Arc<Api>, on_upgrade: OnUpgrade, handshake: HandshakeOutcome) {
    let Ok(raw) = on_upgrade.await else { return };
    if let Ok(parts) = raw.downcast::<TokioIo<WriteTimeout<HttpErrorStream>>>() {
        let early = parts.read_buf.to_vec();
        drop(parts.read_buf);
        Box::pin(socket::serve(api, handshake, parts.io.into_inner().into_inner().into_stream(), early)).await;
    }
}

/// A response body that keeps its request in progress until it is written.
struct TrackedBody {
    body: axum::body::Body,
    _request: OpenRequest,
}

impl Body for TrackedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

fn builder() -> http1::Builder {
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(Duration::from_secs(HEAD_TIMEOUT_S))
        .max_buf_size(HEAD_BYTES_MAX)
        .max_header_size(HEAD_BYTES_MAX)
        .max_headers(FIELDS_MAX);
    builder
}

/// Waits for a permit before it accepts a connection, so that further connections wait in the kernel.
async fn accept(
    listener: &TcpListener,
    permits: &Arc<Semaphore>,
) -> std::io::Result<(TcpStream, SocketAddr, OwnedSemaphorePermit)> {
    let permit = permits.clone().acquire_owned().await.map_err(std::io::Error::other)?;
    let (stream, peer) = listener.accept().await?;
    Ok((stream, peer, permit))
}

fn service(
    api: Arc<Api>,
    context: ConnectionContext,
) -> impl hyper::service::Service<
    hyper::Request<Incoming>,
    Response = hyper::Response<TrackedBody>,
    Error = std::convert::Infallible,
    Future: Send,
> {
    let ConnectionContext { slot, router, hosts, link, requests, upgraded } = context;
    service_fn(move |mut request: hyper::Request<Incoming>| {
        let open = requests.enter();
        request.extensions_mut().insert(link);
        request.extensions_mut().insert(slot.clone());
        let router = router.clone();
        let upgrade_slot =
            request.headers().contains_key(header::UPGRADE).then(|| (upgrade::on(&mut request), upgraded.clone()));
        // Created outside the async block, which would otherwise keep space for the request as well.
        let unreadable = head::refusal(&request);
        let misdirected = hosts.refusal(&request);
        let request = request.map(axum::body::Body::new);
        let api = Arc::clone(&api);
        let responding = match (unreadable, misdirected) {
            (Some(refusal), _) => Either::Right(Either::Left(Box::pin(head::refuse(api, request, refusal)))),
            (None, Some(refusal)) => Either::Right(Either::Right(Box::pin(head::refuse_host(api, request, refusal)))),
            (None, None) => Either::Left(router.oneshot(request)),
        };
        // Boxed, because the connection keeps the space of the future while it streams the response.
        Box::pin(async move {
            let mut response = responding.await?;
            let handshake = response.extensions_mut().remove::<HandshakeOutcome>();
            if let (Some((on_upgrade, upgraded)), Some(handshake)) = (upgrade_slot, handshake) {
                upgraded.set(on_upgrade, handshake);
            }
            Ok(response.map(|body| TrackedBody { body, _request: open }))
        })
    })
}

#[cfg(test)]
mod tests;
