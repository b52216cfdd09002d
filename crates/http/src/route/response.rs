//! The responses of handlers.

use std::{
    pin::Pin,
    task::{Context, Poll},
};

use axum::{
    body::{Body, HttpBody},
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
    response::Response,
};
use bytes::Bytes;
use futures_util::{Stream, StreamExt, stream};
use hyper::body::{Frame, SizeHint};
use posthouse_api::views::RenderedPage;
use posthouse_app::{messages::download::Download, service::Service};
use posthouse_domain::{
    error::{ErrorCode, Refusal},
    page::Page,
};
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::input::RequestInfo;
use crate::{rate_limits::RateLimitStatus, socket::HandshakeOutcome};

/// The response of a handler.
#[derive(Debug)]
pub struct RouteResponse {
    /// The status.
    pub status: StatusCode,
    /// Headers in addition to those of every response.
    pub headers: Vec<(HeaderName, HeaderValue)>,
    /// The body.
    pub body: ResponseBody,
}

/// A version of a document that many responses share.
#[derive(Clone, Debug)]
pub struct DocumentVersion {
    /// The bytes.
    pub bytes: Bytes,
    /// The `ETag`.
    pub tag: String,
}

/// The body of a response.
#[derive(Debug)]
pub enum ResponseBody {
    /// Bytes in memory.
    Bytes(Bytes),
    /// Chunks that are produced as fast as the client reads them.
    Stream(ResponseStream),
    /// No body: after the response, the connection is a WebSocket.
    Upgrade(HandshakeOutcome),
}

/// Bytes of the digest in an `ETag`.
const ETAG_BYTES: usize = 16;
/// The memory that producing a chunk of a download takes, in bytes.
const STEP_BYTES: u64 = 1 << 20;

pub(crate) type ChunkStream = Pin<Box<dyn Stream<Item = Result<Bytes, Refusal>> + Send>>;

/// A body in chunks. Dropping it ends the work behind it, as when the client disconnects.
pub struct ResponseStream {
    /// The number of bytes still to come, if it is known.
    bytes_left: Option<u64>,
    /// A chunk that is in memory already.
    pub(crate) first: Option<Bytes>,
    /// The memory that producing a chunk takes, in bytes.
    pub(crate) step_bytes: u64,
    pub(crate) chunks: ChunkStream,
    /// The span of the request, for log lines.
    span: tracing::Span,
}

impl ResponseStream {
    /// Creates a body of a known size, sent as `Content-Length`, or of an unknown one. If the chunks fail or differ
    /// from the size, the connection is closed, so that the client notices an incomplete body.
    pub fn new(bytes: Option<u64>, chunks: impl Stream<Item = Result<Bytes, Refusal>> + Send + 'static) -> Self {
        let span = tracing::Span::current();
        Self { bytes_left: bytes, first: None, step_bytes: STEP_BYTES, chunks: Box::pin(chunks), span }
    }

    /// Sets the first chunk, and the memory in bytes that producing each of the others takes.
    pub fn with_steps(self, first: Bytes, step_bytes: u64) -> Self {
        Self { first: Some(first), step_bytes, ..self }
    }

    fn count(&mut self, chunk: &Bytes) {
        self.bytes_left = self.bytes_left.map(|left| left.saturating_sub(chunk.len() as u64));
    }
}

impl std::fmt::Debug for ResponseStream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ResponseStream").field("bytes_left", &self.bytes_left).finish_non_exhaustive()
    }
}

/// The error of a body that failed; the refusal is logged and not part of it.
#[derive(Debug)]
pub struct BrokenBody;

impl std::fmt::Display for BrokenBody {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the response body failed")
    }
}

impl std::error::Error for BrokenBody {}

impl HttpBody for ResponseStream {
    type Data = Bytes;
    type Error = BrokenBody;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BrokenBody>>> {
        let this = &mut *self;
        if let Some(first) = this.first.take() {
            this.count(&first);
            return Poll::Ready(Some(Ok(Frame::data(first))));
        }
        let span = this.span.clone();
        let _entered = span.enter();
        this.chunks.poll_next_unpin(context).map(|next| match next? {
            Ok(chunk) => {
                this.count(&chunk);
                Some(Ok(Frame::data(chunk)))
            }
            Err(refusal) => {
                // The conversion into a refusal has logged the cause.
                tracing::debug!(code = refusal.code.text(), "http.body_failed");
                Some(Err(BrokenBody))
            }
        })
    }

    fn size_hint(&self) -> SizeHint {
        self.bytes_left.map_or_else(SizeHint::default, SizeHint::with_exact)
    }
}

/// Renders a page until it would exceed `bytes_max`. Call it where the page is read: rendering megabytes on a thread of
/// the runtime would delay other requests.
///
/// # Errors
/// Returns `internal_error` if a view cannot be serialized.
pub fn render_page<'a, T, V: Serialize>(
    page: &'a Page<T>,
    bytes_max: u64,
    view: impl Fn(&'a T) -> V,
) -> Result<RenderedPage, Refusal> {
    RenderedPage::of(page, bytes_max, view).map_err(|_| not_rendered())
}

/// Renders a view, like [`render_page`].
///
/// # Errors
/// Returns `internal_error` if the view cannot be serialized.
pub fn render_view<V: Serialize>(view: &V) -> Result<Vec<u8>, Refusal> {
    serde_json::to_vec(view).map_err(|_| not_rendered())
}

fn not_rendered() -> Refusal {
    Refusal::new(ErrorCode::Internal, "The response couldn't be rendered.")
}

/// Returns the tag of a body.
pub(crate) fn entity_tag(body: &[u8]) -> String {
    let digest: String = Sha256::digest(body).iter().take(ETAG_BYTES).map(|byte| format!("{byte:02x}")).collect();
    format!("\"{digest}\"")
}

impl RouteResponse {
    /// Creates a JSON response.
    ///
    /// # Errors
    /// Returns `internal_error` if the view cannot be serialized.
    pub fn json<T: Serialize>(status: u16, view: &T) -> Result<Self, Refusal> {
        Ok(Self::rendered_json(status, render_view(view)?))
    }

    /// Creates the response of a list: a page that ends early if it exceeds `limits.page_bytes`. For items of bounded
    /// size; pages of messages are rendered by [`render_page`] on a thread of the store.
    ///
    /// # Errors
    /// Returns `internal_error` if a view cannot be serialized.
    pub fn page<'a, T, V: Serialize>(
        service: &Service,
        page: &'a Page<T>,
        view: impl Fn(&'a T) -> V,
    ) -> Result<Self, Refusal> {
        Ok(Self::rendered_json(200, render_page(page, service.config.limits.page_bytes, view)?.into_json()))
    }

    /// Creates a response from rendered JSON.
    #[must_use]
    pub fn rendered_json(status: u16, body: impl Into<Bytes>) -> Self {
        Self::typed(status, "application/json", body)
    }

    /// Creates a response of another content type.
    #[must_use]
    pub fn typed(status: u16, content_type: &'static str, body: impl Into<Bytes>) -> Self {
        let status = StatusCode::from_u16(status).unwrap_or(StatusCode::OK);
        Self {
            status,
            headers: vec![(header::CONTENT_TYPE, HeaderValue::from_static(content_type))],
            body: ResponseBody::Bytes(body.into()),
        }
    }

    /// Creates a JSON response that everyone may cache for some seconds, with an `ETag`. It is 304 if the client has it
    /// already (RFC 9110 §13.1.2).
    ///
    /// # Errors
    /// Returns `internal_error` if the view cannot be serialized.
    pub fn cached_json<T: Serialize>(request: &RequestInfo, seconds: u32, view: &T) -> Result<Self, Refusal> {
        Ok(Self::cached(request, seconds, "application/json", render_view(view)?))
    }

    /// [`RouteResponse::cached_json`] for another content type.
    #[must_use]
    pub fn cached(request: &RequestInfo, seconds: u32, content_type: &'static str, body: Vec<u8>) -> Self {
        let tag = entity_tag(&body);
        Self::tagged(request, seconds, content_type, tag, body)
    }

    /// [`RouteResponse::cached`] for a body whose bytes differ with each request although its content is the same: `identity`
    /// is what equal bodies have in common. The tag is weak (RFC 9110 §8.8.1).
    #[must_use]
    pub fn cached_as(
        request: &RequestInfo,
        seconds: u32,
        content_type: &'static str,
        identity: &[u8],
        body: Vec<u8>,
    ) -> Self {
        Self::tagged(request, seconds, content_type, format!("W/{}", entity_tag(identity)), body)
    }

    /// [`RouteResponse::cached`] for a document that all clients share.
    #[must_use]
    pub fn cached_shared(
        request: &RequestInfo,
        seconds: u32,
        content_type: &'static str,
        version: DocumentVersion,
    ) -> Self {
        Self::tagged(request, seconds, content_type, version.tag, version.bytes)
    }

    fn tagged(
        request: &RequestInfo,
        seconds: u32,
        content_type: &'static str,
        tag: String,
        body: impl Into<Bytes>,
    ) -> Self {
        let known = request.if_none_match.as_deref().unwrap_or_default();
        let opaque = tag.trim_start_matches("W/");
        let is_known = known.split(',').map(str::trim).any(|one| one == "*" || one.trim_start_matches("W/") == opaque);
        let response = if is_known {
            Self { status: StatusCode::NOT_MODIFIED, ..Self::empty() }
        } else {
            Self::typed(200, content_type, body)
        };
        let headers = [(header::CACHE_CONTROL, format!("public, max-age={seconds}")), (header::ETAG, tag)].into_iter();
        headers.fold(response, |response, (name, value)| match HeaderValue::from_str(&value) {
            Ok(value) => response.with(name, value),
            Err(_) => response,
        })
    }

    /// Creates a 101 response, after which the connection is a WebSocket.
    #[must_use]
    pub fn upgrade(handshake: HandshakeOutcome) -> Self {
        Self { status: StatusCode::SWITCHING_PROTOCOLS, body: ResponseBody::Upgrade(handshake), ..Self::empty() }
    }

    /// Creates a 204 response.
    #[must_use]
    pub fn empty() -> Self {
        Self { status: StatusCode::NO_CONTENT, headers: Vec::new(), body: ResponseBody::Bytes(Bytes::new()) }
    }

    /// Creates a response whose body is a stream.
    #[must_use]
    pub fn stream(status: u16, content_type: &'static str, body: ResponseStream) -> Self {
        let response = Self::typed(status, content_type, Bytes::new());
        Self { body: ResponseBody::Stream(body), ..response }
    }

    /// Creates a response with the bytes of a download.
    #[must_use]
    pub fn download(headers: Vec<(HeaderName, HeaderValue)>, download: Download) -> Self {
        let body = download.into_whole().map_or_else(
            |chunked| {
                let bytes = chunked.bytes();
                let next = |mut download: Download| async move {
                    let chunk = download.next_chunk().await?;
                    Ok(chunk.map(|chunk| (chunk, download)))
                };
                ResponseBody::Stream(ResponseStream::new(Some(bytes), stream::try_unfold(chunked, next)))
            },
            ResponseBody::Bytes,
        );
        Self { status: StatusCode::OK, headers, body }
    }

    /// States the limits that the request counted for.
    #[must_use]
    pub fn with_limits(mut self, statuses: impl IntoIterator<Item = RateLimitStatus>) -> Self {
        let mut fields = HeaderMap::new();
        // A refusal may state one already.
        self.headers.retain(|(name, value)| {
            let is_limit = ["ratelimit", "ratelimit-policy"].contains(&name.as_str());
            if is_limit {
                fields.insert(name.clone(), value.clone());
            }
            !is_limit
        });
        statuses.into_iter().for_each(|status| status.write(&mut fields));
        fields.into_iter().fold(self, |response, (name, value)| match name {
            Some(name) => response.with(name, value),
            None => response,
        })
    }

    /// Adds headers with fixed values.
    #[must_use]
    pub fn with_fields<const N: usize>(self, fields: [(HeaderName, &'static str); N]) -> Self {
        fields.into_iter().fold(self, |response, (name, value)| response.with(name, HeaderValue::from_static(value)))
    }

    /// Adds a header.
    #[must_use]
    pub fn with(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.push((name, value));
        self
    }

    pub(crate) fn into_response(self) -> Response {
        let (body, handshake) = match self.body {
            ResponseBody::Bytes(bytes) => (Body::from(bytes), None),
            ResponseBody::Stream(stream) => (Body::new(stream), None),
            ResponseBody::Upgrade(handshake) => (Body::empty(), Some(handshake)),
        };
        let mut response = Response::new(body);
        *response.status_mut() = self.status;
        for (name, value) in self.headers {
            response.headers_mut().append(name, value);
        }
        if let Some(handshake) = handshake {
            response.extensions_mut().insert(handshake);
        }
        response
    }
}
