//! HTTP requests to one server. Redirects are not followed, so that a key goes to no other server.

mod connect;

use std::{
    error::Error,
    future::Future,
    io,
    iter::successors,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper::{HeaderMap, Method, Request, Uri, body::Incoming, header::HeaderValue};
use hyper_util::{
    client::legacy::Client,
    rt::{TokioExecutor, TokioIo},
};
use tokio::time::timeout;
use url::Url;

pub(crate) use connect::{Connector, Wire};

use crate::error::ClientError;

/// How long a request may take, without the time that it asks the server to wait.
pub(crate) const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);
/// Largest response body in bytes.
const RESPONSE_BYTES_MAX: usize = 64 * 1024 * 1024;

/// How long an idle connection is kept for the next request. Many servers close theirs after 5 seconds.
const IDLE_TIMEOUT: Duration = Duration::from_secs(3);

/// Opens the connections of the HTTP library.
#[derive(Clone)]
struct Dialer(Connector);

impl tower::Service<Uri> for Dialer {
    type Response = TokioIo<Wire>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<TokioIo<Wire>>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let connector = self.0.clone();
        Box::pin(async move {
            let is_tls = uri.scheme_str() == Some("https");
            let host = uri.host().unwrap_or_default().to_owned();
            let port = uri.port_u16().unwrap_or(if is_tls { 443 } else { 80 });
            Ok(TokioIo::new(connector.connect(host, port).await?))
        })
    }
}

/// A client of one server.
pub(crate) struct Http {
    base: Url,
    connector: Connector,
    client: Client<Dialer, Full<Bytes>>,
}

/// A request.
pub(crate) struct HttpRequest {
    /// The method.
    pub(crate) method: Method,
    /// Path and query below the address of the server, beginning with `/`; empty for the address itself.
    pub(crate) target: String,
    /// Header fields.
    pub(crate) headers: HeaderMap,
    /// The body.
    pub(crate) body: Bytes,
    /// How long the response may take.
    pub(crate) timeout: Duration,
}

/// A complete response.
pub(crate) struct HttpResponse {
    /// The status.
    pub(crate) status: u16,
    /// Header fields.
    pub(crate) headers: HeaderMap,
    /// The body.
    pub(crate) body: Bytes,
}

impl HttpRequest {
    /// Creates a request without a body.
    pub(crate) fn new(method: Method, target: impl Into<String>) -> Self {
        let (headers, body) = (HeaderMap::new(), Bytes::new());
        Self { method, target: target.into(), headers, body, timeout: REQUEST_TIMEOUT }
    }

    /// Adds a header field.
    ///
    /// # Errors
    /// Fails if the value has control characters. The error doesn't show it, because it may be a key.
    pub(crate) fn with_header(mut self, name: &'static str, value: &str) -> Result<Self, ClientError> {
        let value = HeaderValue::from_str(value).map_err(|_| match name {
            "authorization" => ClientError::Failed("the API key has characters that no key has; copy it again".into()),
            _ => ClientError::Usage(format!("the value of {name} has characters that no header can have")),
        })?;
        self.headers.insert(name, value);
        Ok(self)
    }

    /// Sets the body and its media type.
    pub(crate) fn with_body(mut self, content_type: &'static str, body: impl Into<Bytes>) -> Self {
        self.headers.insert("content-type", HeaderValue::from_static(content_type));
        self.body = body.into();
        self
    }
}

impl HttpResponse {
    /// Returns a header field.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }
}

impl Http {
    /// Creates a client of the server at this address.
    ///
    /// # Errors
    /// Fails as [`Connector::new`] does.
    pub(crate) fn new(base: Url) -> Result<Self, ClientError> {
        let connector = Connector::new(&base)?;
        let client =
            Client::builder(TokioExecutor::new()).pool_idle_timeout(IDLE_TIMEOUT).build(Dialer(connector.clone()));
        Ok(Self { base, connector, client })
    }

    /// Returns the address of the server.
    pub(crate) fn base(&self) -> &Url {
        &self.base
    }

    /// Returns how to connect to the server.
    pub(crate) fn connector(&self) -> &Connector {
        &self.connector
    }

    /// Sends a request and reads the whole response.
    ///
    /// # Errors
    /// Returns one line that names the server and the next step.
    pub(crate) async fn send(&self, request: HttpRequest) -> Result<HttpResponse, ClientError> {
        let limit = request.timeout;
        let exchange = async {
            let response = self.start(request).await?;
            let (head, body) = response.into_parts();
            let body = Limited::new(body, RESPONSE_BYTES_MAX).collect().await;
            let body = body.map_err(|error| self.unreachable(&cause(error.as_ref())))?.to_bytes();
            Ok(HttpResponse { status: head.status.as_u16(), headers: head.headers, body })
        };
        let late = |_| self.unreachable(&format!("no response within {} s", limit.as_secs()));
        timeout(limit, exchange).await.map_err(late)?
    }

    /// Sends a request and returns the response while its body still arrives.
    ///
    /// # Errors
    /// Fails as [`Http::send`] does.
    pub(crate) async fn start(&self, request: HttpRequest) -> Result<hyper::Response<Incoming>, ClientError> {
        let url = format!("{}{}", self.base.as_str().trim_end_matches('/'), request.target);
        let uri: Uri = url.parse().map_err(|_| ClientError::Usage(format!("{url} is no address of a server")))?;
        let mut message = Request::new(Full::new(request.body));
        *message.method_mut() = request.method;
        *message.uri_mut() = uri;
        *message.headers_mut() = request.headers;
        let agent = HeaderValue::from_static(concat!("posthouse/", env!("CARGO_PKG_VERSION")));
        message.headers_mut().entry("user-agent").or_insert(agent);
        self.client.request(message).await.map_err(|error| self.unreachable(&cause(&error)))
    }

    /// Returns the error for a server that can't be reached.
    pub(crate) fn unreachable(&self, cause: &str) -> ClientError {
        let base = self.base.as_str().trim_end_matches('/');
        let fix = match cause {
            NOT_TLS => "write its address with http://, or pass the port that has TLS",
            NOT_HTTP => "write its address with https://, or pass the port of the API",
            _ => "start the server, or pass its --base-url",
        };
        ClientError::Unreachable(format!("cannot reach {base} ({cause}); {fix}"))
    }
}

/// The cause if a server answers in the clear.
const NOT_TLS: &str = "its answer is not TLS";
/// The cause if the answer is no HTTP, which that of a server with TLS isn't.
const NOT_HTTP: &str = "its answer is not HTTP";

/// Returns the innermost cause of an error, which says what happened.
fn cause(error: &(dyn Error + 'static)) -> String {
    let last = successors(Some(error), |&error| error.source()).last().unwrap_or(error);
    let is = |wanted: fn(&(dyn Error + 'static)) -> bool| successors(Some(error), |&error| error.source()).any(wanted);
    if is(is_not_tls) {
        return NOT_TLS.to_owned();
    }
    if is(|error| error.downcast_ref::<hyper::Error>().is_some_and(hyper::Error::is_parse)) {
        return NOT_HTTP.to_owned();
    }
    match last.downcast_ref::<io::Error>().map(io::Error::kind) {
        Some(io::ErrorKind::ConnectionRefused) => "connection refused".to_owned(),
        _ => last.to_string(),
    }
}

/// Returns whether an error says that a server doesn't speak TLS.
fn is_not_tls(error: &(dyn Error + 'static)) -> bool {
    let inner = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
    let tls: Option<&rustls::Error> = inner.and_then(|inner| inner.downcast_ref()).or_else(|| error.downcast_ref());
    matches!(tls, Some(rustls::Error::InvalidMessage(_)))
}
