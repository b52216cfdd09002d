//! The HTTP client of the process, which implements [`OutboundHttp`] on the client of hyper-util. The connector
//! decides where a connection may go.
//!
//! Requests that may be repeated share idle connections, separately for each [`NetworkScope`], so that a request to
//! public addresses never travels on a connection into a private network. Any other request has its own connection.

mod connector;
mod pool_timer;

#[cfg(test)]
mod tests;

use std::{
    error::Error,
    iter::successors,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::{
    Request, Response, Uri,
    body::Incoming,
    header::{HOST, HeaderMap},
    http::Extensions,
};
use hyper_util::{
    client::legacy::{self, Client},
    rt::TokioExecutor,
};
use tokio::net::TcpStream;

use self::{
    connector::{ConnectionHistory, Dial, HttpConnector},
    pool_timer::PoolTimer,
};
use super::smtp_out::tls::Connectors;
use posthouse_app::ports::{
    BoxFuture, Clock, Dns, HttpHeader, HttpMethod, HttpRequest, HttpResponse, NetworkScope, OutboundHttp,
    OutboundHttpError,
};

/// How long an idle connection is kept. Many servers close idle connections after 5 seconds.
const IDLE_TIMEOUT: Duration = Duration::from_secs(4);
/// Maximum idle connections per server.
const IDLE_PER_SERVER_MAX: usize = 16;
/// Maximum open connections that are kept for further requests.
const KEPT_MAX: usize = 1_000;
/// Size of the read buffer, in bytes. A response is refused if its head does not fit.
const READ_BUFFER_BYTES: usize = 64 * 1024;
/// Maximum header fields of a response.
const FIELDS_MAX: usize = 100;
/// Maximum bytes that are read and discarded after the wanted part of a response, to reuse the connection.
const REST_BYTES_MAX: usize = 64 * 1024;

type PooledClient = Client<HttpConnector, Full<Bytes>>;

/// The HTTP client of the process.
pub struct HttpClient {
    clock: Arc<dyn Clock>,
    dns: Arc<dyn Dns>,
    dial: Dial,
    connectors: Connectors,
    /// The number of connections that the two pools below opened.
    open: Arc<AtomicUsize>,
    to_public: PooledClient,
    to_all: PooledClient,
}

impl HttpClient {
    /// Creates a client without connections.
    #[must_use]
    pub fn new(clock: Arc<dyn Clock>, dns: Arc<dyn Dns>) -> Self {
        Self::with_dial(clock, dns, Arc::new(|address| Box::pin(TcpStream::connect(address))))
    }

    fn with_dial(clock: Arc<dyn Clock>, dns: Arc<dyn Dns>, dial: Dial) -> Self {
        let (connectors, open) = (Connectors::default(), Arc::default());
        let kept = |networks| {
            let connector = HttpConnector {
                dns: Arc::clone(&dns),
                dial: Arc::clone(&dial),
                connectors: connectors.clone(),
                roots: None,
                networks,
                open: Arc::clone(&open),
            };
            client(connector, &clock, IDLE_PER_SERVER_MAX)
        };
        let (to_public, to_all) = (kept(NetworkScope::Public), kept(NetworkScope::All));
        Self { clock, dns, dial, connectors, open, to_public, to_all }
    }

    /// Returns the client for a request: one that keeps connections, or one for this request alone.
    fn client(&self, request: &HttpRequest) -> PooledClient {
        if request.repeatable && request.roots.is_none() && self.open.load(Ordering::Relaxed) < KEPT_MAX {
            return match request.networks {
                NetworkScope::Public => self.to_public.clone(),
                NetworkScope::All => self.to_all.clone(),
            };
        }
        self.single_use(request.networks, request.roots.clone())
    }

    fn single_use(&self, networks: NetworkScope, roots: Option<PathBuf>) -> PooledClient {
        let connector = HttpConnector {
            dns: Arc::clone(&self.dns),
            dial: Arc::clone(&self.dial),
            connectors: self.connectors.clone(),
            roots,
            networks,
            open: Arc::default(),
        };
        client(connector, &self.clock, 0)
    }

    async fn exchange(&self, request: HttpRequest) -> Result<HttpResponse, OutboundHttpError> {
        let (client, message) = (self.client(&request), message(&request)?);
        loop {
            match client.request(message.clone()).await {
                Ok(response) => return Ok(read(response, request.limits.response_bytes_max).await),
                // Each turn ends one idle connection, and a new connection is never stale.
                Err(error) if is_stale(&error) => {}
                Err(error) => return Err(failure(&error)),
            }
        }
    }
}

impl OutboundHttp for HttpClient {
    fn send(&self, request: HttpRequest) -> BoxFuture<'_, Result<HttpResponse, OutboundHttpError>> {
        Box::pin(async move {
            let timeout_ms = request.limits.timeout_ms;
            let deadline = self.clock.sleep_until(self.clock.now().plus_ms(timeout_ms));
            tokio::select! {
                biased;
                done = self.exchange(request) => done,
                () = deadline => Err(OutboundHttpError::TimedOut { timeout_ms }),
            }
        })
    }
}

/// Builds a client. Its connections run as tasks of the runtime, each until its connection ends.
fn client(connector: HttpConnector, clock: &Arc<dyn Clock>, idle_per_server_max: usize) -> PooledClient {
    Client::builder(TokioExecutor::new())
        .pool_timer(PoolTimer::new(Arc::clone(clock)))
        .pool_idle_timeout(IDLE_TIMEOUT)
        .pool_max_idle_per_host(idle_per_server_max)
        .http1_max_buf_size(READ_BUFFER_BYTES)
        .http1_max_headers(FIELDS_MAX)
        .build(connector)
}

/// Builds the request of the library. `Host` comes first (RFC 9110 §7.2); the library adds `Content-Length`.
fn message(request: &HttpRequest) -> Result<Request<Full<Bytes>>, OutboundHttpError> {
    let invalid = |problem: String| OutboundHttpError::InvalidRequest(problem);
    let url: Uri = request.url.parse().map_err(|error| invalid(format!("{error}")))?;
    let is_http = matches!(url.scheme_str(), Some("http" | "https"));
    let authority = url.authority().filter(|authority| is_http && !authority.as_str().contains('@'));
    let Some(authority) = authority.map(|authority| authority.as_str().to_owned()) else {
        return Err(invalid("the URL must start with http:// or https:// and name a host only".to_owned()));
    };
    let mut builder = Request::builder().uri(url).header(HOST, authority).method(match request.method {
        HttpMethod::Get => "GET",
        HttpMethod::Head => "HEAD",
        HttpMethod::Post => "POST",
    });
    for header in &request.headers {
        builder = builder.header(header.name.as_str(), header.value.as_str());
    }
    builder.body(Full::new(request.body.clone())).map_err(|error| invalid(error.to_string()))
}

/// Reads a response, up to the wanted number of bytes. A server that ends the connection within the body has answered: its
/// status tells what it did with the request.
async fn read(response: Response<Incoming>, wanted: usize) -> HttpResponse {
    let (head, mut incoming) = response.into_parts();
    if let Some(history) = head.extensions.get::<ConnectionHistory>() {
        history.note_response();
    }
    let (mut body, mut seen, mut is_cut) = (Vec::new(), 0_usize, false);
    // The rest of a much longer body stays unread, which closes the connection.
    while seen <= wanted + REST_BYTES_MAX
        && let Some(frame) = incoming.frame().await
    {
        let Ok(frame) = frame else {
            is_cut = true;
            break;
        };
        let Ok(data) = frame.into_data() else { continue };
        body.extend_from_slice(&data[..data.len().min(wanted - body.len())]);
        seen += data.len();
    }
    let (status, headers) = (head.status.as_u16(), headers(&head.headers));
    HttpResponse { status, headers, body, truncated: is_cut || seen > wanted }
}

fn headers(map: &HeaderMap) -> Vec<HttpHeader> {
    let header = |(name, value): (&hyper::header::HeaderName, &hyper::header::HeaderValue)| HttpHeader {
        name: name.as_str().to_owned(),
        value: String::from_utf8_lossy(value.as_bytes()).into_owned(),
    };
    map.iter().map(header).collect()
}

/// Returns whether the server closed a connection that had served an earlier request. A new connection may work.
fn is_stale(error: &legacy::Error) -> bool {
    let mut extensions = Extensions::new();
    if let Some(connected) = error.connect_info() {
        connected.get_extras(&mut extensions);
    }
    let was_used = extensions.get::<ConnectionHistory>().is_some_and(ConnectionHistory::has_response);
    was_used && causes(error).any(is_disconnect)
}

fn is_disconnect(cause: &(dyn Error + 'static)) -> bool {
    use std::io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset};
    let by_hyper = |error: &hyper::Error| error.is_closed() || error.is_canceled() || error.is_incomplete_message();
    let by_io = |error: &std::io::Error| matches!(error.kind(), BrokenPipe | ConnectionAborted | ConnectionReset);
    cause.downcast_ref().is_some_and(by_hyper) || cause.downcast_ref().is_some_and(by_io)
}

fn causes<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    successors(Some(error), |&error| error.source())
}

/// Returns the connector's error, or that of the HTTP library.
fn failure(error: &legacy::Error) -> OutboundHttpError {
    if let Some(known) = causes(error).find_map(|cause| cause.downcast_ref::<OutboundHttpError>()) {
        return known.clone();
    }
    let by_hyper = causes(error).find_map(|cause| cause.downcast_ref::<hyper::Error>());
    OutboundHttpError::Exchange(by_hyper.map_or_else(|| text(error), |error| text(error)))
}

/// Formats an error with its cause.
fn text(error: &dyn Error) -> String {
    match error.source() {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    }
}
