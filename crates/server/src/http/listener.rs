//! The HTTP listener: one task a connection, with bounds on connections, heads and time.
//!
//! The end: it stops accepting, lets every connection finish the request it is in, and cuts off what does not.

use std::{
    net::SocketAddr,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll},
    time::Duration,
};

use axum::Router;
use bytes::Bytes;
use futures_util::future::Either;
use hyper::{
    body::{Body, Frame, Incoming, SizeHint},
    header,
    server::conn::http1,
    service::service_fn,
    upgrade::{self, OnUpgrade},
};
use hyper_util::rt::{TokioIo, TokioTimer};
use rustls::ServerConfig;
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore, watch},
    task::JoinSet,
};
use tokio_rustls::TlsAcceptor;
use tower::ServiceExt;

use super::{
    client::Connection,
    front::Front,
    head,
    host::Hosts,
    socket::{self, Entrance},
};
use crate::{app::App, streams, tls::Stream};

/// Most connections at once: long-polls wait on one each.
const CONNECTIONS_MAX: usize = 50_000;
/// Longest time for the head of a request, in seconds; also how long an idle connection is kept.
const HEAD_TIMEOUT_S: u64 = 60;
/// Largest head of a request, and most bytes read ahead, in bytes.
const HEAD_BYTES_MAX: usize = 32 * 1024;
/// Most header fields of a request.
const FIELDS_MAX: usize = 100;
/// Pause after an `accept` that failed for want of descriptors or memory, in milliseconds.
const ACCEPT_PAUSE_MS: i64 = 50;

/// Longest time for the handshake of TLS, in milliseconds.
const HANDSHAKE_MS_MAX: i64 = 10_000;
/// How long a connection without a request may write what is left in its buffer when the process drains, in milliseconds.
const FLUSH_MS: i64 = 1_000;

/// One address that is listened on, and what answers there.
pub struct Entry {
    /// Bound already.
    pub listener: TcpListener,
    /// The routes.
    pub router: Router,
    /// TLS from the first byte, or none.
    pub tls: Option<Arc<ServerConfig>>,
}

/// Serves all of them until the process drains, then until every connection is done.
pub async fn serve(entries: Vec<Entry>, app: Arc<App>) {
    let places = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    let hosts = Arc::new(Hosts::of(&app.config));
    let mut tasks = JoinSet::new();
    tasks.spawn(streams::run(Arc::clone(&app)));
    for entry in entries {
        tasks.spawn(serve_one(entry, (Arc::clone(&places), Arc::clone(&hosts)), Arc::clone(&app)));
    }
    while tasks.join_next().await.is_some() {}
}

async fn serve_one(entry: Entry, (places, hosts): (Arc<Semaphore>, Arc<Hosts>), app: Arc<App>) {
    let Entry { listener, router, tls } = entry;
    let (builder, acceptor) = (builder(), tls.map(TlsAcceptor::from));
    let mut connections = JoinSet::new();
    let drained = app.life.drained();
    tokio::pin!(drained);
    loop {
        let accepted = tokio::select! {
            () = &mut drained => break,
            accepted = accept(&listener, &places) => accepted,
        };
        while connections.try_join_next().is_some() {}
        match accepted {
            Ok((stream, peer, place)) => {
                let (router, app, builder) = (router.clone(), Arc::clone(&app), builder.clone());
                let (acceptor, hosts) = (acceptor.clone(), Arc::clone(&hosts));
                let link = Connection { peer: peer.ip().to_canonical(), over_tls: acceptor.is_some() };
                connections.spawn(async move {
                    let door =
                        Door { router, hosts, link, requests: Requests::default(), upgraded: Upgraded::default() };
                    if let Some(stream) = begin(&app, stream, acceptor).await {
                        connection(&builder, stream, door, &app).await;
                    }
                    drop(place);
                });
            }
            Err(error) => {
                tracing::warn!(cause = %error, "http.accept_failed");
                app.clock.sleep_until(app.clock.now().plus_ms(ACCEPT_PAUSE_MS)).await;
            }
        }
    }
    drop(listener);
    while connections.join_next().await.is_some() {}
}

/// Shakes hands where that is to be done; none when the client does not get through with it.
async fn begin(app: &App, stream: TcpStream, acceptor: Option<TlsAcceptor>) -> Option<Stream> {
    let _ = stream.set_nodelay(true);
    let Some(acceptor) = acceptor else { return Some(Stream::Clear(stream)) };
    // Apart, or every connection would hold room for a handshake for as long as it lives.
    let shaking = Box::pin(acceptor.accept(stream));
    let shaken = tokio::select! {
        biased;
        shaken = shaking => shaken,
        () = app.life.drained() => return None,
        () = app.clock.sleep_until(app.clock.now().plus_ms(HANDSHAKE_MS_MAX)) => return None,
    };
    match shaken {
        Ok(shaken) => Some(Stream::Tls(Box::new(shaken))),
        Err(error) => {
            tracing::debug!(cause = %error, "http.handshake_failed");
            None
        }
    }
}

/// What the requests of one connection meet.
struct Door {
    router: Router,
    hosts: Arc<Hosts>,
    link: Connection,
    requests: Requests,
    upgraded: Upgraded,
}

/// The WebSocket that a connection becomes, once it does.
#[derive(Clone, Default)]
struct Upgraded(Arc<Mutex<Option<(OnUpgrade, Entrance)>>>);

impl Upgraded {
    fn set(&self, becomes: (OnUpgrade, Entrance)) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(becomes);
    }

    fn take(&self) -> Option<(OnUpgrade, Entrance)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Serves one connection; when it becomes a WebSocket, that too, with nothing of HTTP left in memory.
async fn connection(builder: &http1::Builder, stream: Stream, door: Door, app: &Arc<App>) {
    let upgraded = door.upgraded.clone();
    Box::pin(speak_http(builder, stream, door, app)).await;
    let Some((on_upgrade, entrance)) = upgraded.take() else { return };
    drop(upgraded);
    let Ok(raw) = on_upgrade.await else { return };
    if let Ok(parts) = raw.downcast::<TokioIo<Front>>() {
        let early = parts.read_buf.to_vec();
        drop(parts.read_buf);
        Box::pin(socket::serve(app, entrance, parts.io.into_inner().into_stream(), early)).await;
    }
}

/// Serves HTTP on one connection. In the drain it finishes the request it is in; one that is in none is closed, whatever it has
/// sent of the next head: nothing of that was accepted.
async fn speak_http(builder: &http1::Builder, stream: Stream, door: Door, app: &Arc<App>) {
    let requests = door.requests.clone();
    let front = Front::new(stream, app.clone(), requests.clone());
    let connection = builder.serve_connection(TokioIo::new(front), service(app, door)).with_upgrades();
    tokio::pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = app.life.drained() => {
            connection.as_mut().graceful_shutdown();
            let flushed = async {
                requests.none().await;
                app.clock.sleep_until(app.clock.now().plus_ms(FLUSH_MS)).await;
            };
            tokio::select! {
                ended = connection => ended,
                () = flushed => Ok(()),
            }
        }
    };
    if let Err(error) = ended {
        tracing::debug!(cause = %error, "http.connection_ended");
    }
}

/// The requests that a connection is in: from the end of their head to the end of their answer.
#[derive(Clone)]
pub(super) struct Requests(watch::Sender<u32>);

impl Default for Requests {
    fn default() -> Self {
        Self(watch::Sender::new(0))
    }
}

impl Requests {
    fn enter(&self) -> Request {
        self.0.send_modify(|count| *count += 1);
        Request(self.0.clone())
    }

    /// Whether there is none now.
    pub(super) fn is_none(&self) -> bool {
        *self.0.borrow() == 0
    }

    /// Comes back when there is none.
    async fn none(&self) {
        // The sender lives in `self`, so waiting cannot fail.
        let _ = self.0.subscribe().wait_for(|count| *count == 0).await;
    }
}

/// One of them; it ends when this is dropped.
struct Request(watch::Sender<u32>);

impl Drop for Request {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count -= 1);
    }
}

/// A body that keeps its request open until it is written.
struct Answer {
    body: axum::body::Body,
    _request: Request,
}

impl Body for Answer {
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
    app: &Arc<App>,
    door: Door,
) -> impl hyper::service::Service<
    hyper::Request<Incoming>,
    Response = hyper::Response<Answer>,
    Error = std::convert::Infallible,
    Future: Send,
> {
    let Door { router, hosts, link, requests, upgraded } = door;
    let app = Arc::clone(app);
    service_fn(move |mut asked: hyper::Request<Incoming>| {
        let open = requests.enter();
        asked.extensions_mut().insert(link);
        let router = router.clone();
        let becomes =
            asked.headers().contains_key(header::UPGRADE).then(|| (upgrade::on(&mut asked), upgraded.clone()));
        // Begun out here: the block would keep a place for the request beside it.
        let unreadable = head::refusal(&asked);
        let misdirected = hosts.refusal(&asked);
        let asked = asked.map(axum::body::Body::new);
        let app = Arc::clone(&app);
        let answering = match (unreadable, misdirected) {
            (Some(refusal), _) => Either::Right(Either::Left(Box::pin(head::refuse(app, asked, refusal)))),
            (None, Some(refusal)) => Either::Right(Either::Right(Box::pin(head::misdirect(app, asked, refusal)))),
            (None, None) => Either::Left(router.oneshot(asked)),
        };
        async move {
            let mut answered = answering.await?;
            let entrance = answered.extensions_mut().remove::<Entrance>();
            if let (Some((on_upgrade, upgraded)), Some(entrance)) = (becomes, entrance) {
                upgraded.set((on_upgrade, entrance));
            }
            Ok(answered.map(|body| Answer { body, _request: open }))
        }
    })
}
