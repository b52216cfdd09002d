//! HTTP requests to an ACME authority, over the HTTP client of the process.
//!
//! Private networks are allowed, because the operator configures the authority. A request is sent once, because its
//! signature is valid once (RFC 8555 §6.5).

use std::{
    future::Future,
    path::PathBuf,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
};

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::{Method, Request, Response, header::USER_AGENT};
use instant_acme::{BodyWrapper, BytesResponse, Error, HttpClient};

use posthouse_app::ports::{HttpHeader, HttpLimits, HttpMethod, HttpRequest, HttpResponse, NetworkScope, OutboundHttp};

/// The limits of a request: time in milliseconds, and size of the response in bytes.
const LIMITS: HttpLimits = HttpLimits { timeout_ms: 30_000, response_bytes_max: 1024 * 1024 };
/// The `User-Agent` (RFC 8555 §6.1).
const USER_AGENT_TEXT: &str = concat!("posthouse/", env!("CARGO_PKG_VERSION"), " (instant-acme)");

/// An HTTP client for one authority. Clones share their state.
#[derive(Clone)]
pub(super) struct Transport(Arc<Inner>);

struct Inner {
    http: Arc<dyn OutboundHttp>,
    /// The root certificates to trust; `None` means the system's.
    roots: Option<PathBuf>,
    /// `Retry-After` of the last failed response, in seconds; 0 if there was none.
    retry_after_s: AtomicI64,
}

impl Transport {
    pub(super) fn new(http: Arc<dyn OutboundHttp>, roots: Option<PathBuf>) -> Self {
        Self(Arc::new(Inner { http, roots, retry_after_s: AtomicI64::new(0) }))
    }

    /// Returns how long the authority asks to wait, in seconds.
    pub(super) fn retry_after_s(&self) -> Option<i64> {
        Some(self.0.retry_after_s.load(Ordering::Relaxed)).filter(|seconds| *seconds > 0)
    }

    async fn exchange(&self, request: Request<BodyWrapper<Bytes>>) -> Result<Response<Full<Bytes>>, String> {
        let (head, body) = request.into_parts();
        if head.uri.scheme_str() != Some("https") {
            return Err(format!("{} is not an https URL", head.uri));
        }
        let body = body.collect().await.map_err(|never| never.to_string())?.to_bytes();
        let mut headers = vec![HttpHeader::new("user-agent", USER_AGENT_TEXT)];
        for (name, value) in head.headers.iter().filter(|(name, _)| *name != USER_AGENT) {
            headers.push(HttpHeader::new(name.as_str(), value.to_str().map_err(|error| error.to_string())?));
        }
        let request = HttpRequest {
            method: method(&head.method)?,
            url: head.uri.to_string(),
            headers,
            body,
            networks: NetworkScope::All,
            roots: self.0.roots.clone(),
            repeatable: false,
            limits: LIMITS,
        };
        let response = self.0.http.send(request).await.map_err(|error| error.to_string())?;
        if response.truncated {
            return Err(format!("the response has more than {} bytes", LIMITS.response_bytes_max));
        }
        self.note(&response);
        let mut builder = Response::builder().status(response.status);
        for header in &response.headers {
            builder = builder.header(header.name.as_str(), header.value.as_str());
        }
        builder.body(Full::new(response.body.into())).map_err(|error| error.to_string())
    }

    /// Stores `Retry-After` of a failed response (RFC 9110 §10.2.3).
    fn note(&self, response: &HttpResponse) {
        if (200..300).contains(&response.status) {
            return;
        }
        let seconds = response.header("retry-after").and_then(|text| text.trim().parse::<i64>().ok()).unwrap_or(0);
        self.0.retry_after_s.store(seconds.max(0), Ordering::Relaxed);
    }
}

fn method(method: &Method) -> Result<HttpMethod, String> {
    match *method {
        Method::GET => Ok(HttpMethod::Get),
        Method::HEAD => Ok(HttpMethod::Head),
        Method::POST => Ok(HttpMethod::Post),
        _ => Err(format!("ACME has no {method} requests")),
    }
}

impl HttpClient for Transport {
    fn request(
        &self,
        request: Request<BodyWrapper<Bytes>>,
    ) -> Pin<Box<dyn Future<Output = Result<BytesResponse, Error>> + Send>> {
        let this = self.clone();
        Box::pin(async move {
            let response = this.exchange(request).await;
            response.map(BytesResponse::from).map_err(|problem| Error::Other(problem.into()))
        })
    }
}
