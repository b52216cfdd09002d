//! The responses of pages, and of calls.

use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, HttpBody};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::Response;
use bytes::Bytes;
use futures_util::StreamExt;
use hyper::body::{Frame, SizeHint};
use posthouse_app::limits::requests::RateLimitStatus;
use posthouse_call::{CacheRule, Notes, Outcome, OutcomeBody, OutcomeStream, render_view};
use posthouse_domain::{Refusal, WorkspaceId};
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::request::request_info::RequestInfo;
use crate::response::{notes, rate_limits};
use crate::stream::handshake::HandshakeOutcome;

/// The response of a handler.
#[derive(Debug)]
pub struct RouteResponse {
    pub status: StatusCode,
    /// Headers in addition to those of every response.
    pub headers: Vec<(HeaderName, HeaderValue)>,
    pub body: ResponseBody,
    /// The workspace that the memory of the response counts for, if the route authenticated its caller by itself.
    pub workspace: Option<WorkspaceId>,
}

/// A version of a document that many responses share.
#[derive(Clone, Debug)]
pub struct DocumentVersion {
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
    Stream(OutcomeStream),
    /// No body: after the response, the connection is a WebSocket.
    Upgrade(HandshakeOutcome),
}

/// Bytes of the digest in an `ETag`.
const ETAG_BYTES: usize = 16;

/// The error of a body that failed; the refusal is logged and not part of it.
#[derive(Debug)]
pub(crate) struct BrokenBody;

impl std::fmt::Display for BrokenBody {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the response body failed")
    }
}

impl std::error::Error for BrokenBody {}

/// A stream as a body. If the chunks fail or differ from the known size, the connection is closed, so that the client
/// notices an incomplete body.
struct StreamBody(OutcomeStream);

impl HttpBody for StreamBody {
    type Data = Bytes;
    type Error = BrokenBody;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BrokenBody>>> {
        self.0.poll_next_unpin(context).map(|next| match next? {
            Ok(chunk) => Some(Ok(Frame::data(chunk))),
            Err(refusal) => {
                // The conversion into a refusal has logged the cause.
                tracing::debug!(code = refusal.code.text(), "http.body_failed");
                Some(Err(BrokenBody))
            }
        })
    }

    fn size_hint(&self) -> SizeHint {
        self.0.bytes_left.map_or_else(SizeHint::default, SizeHint::with_exact)
    }
}

/// Returns the tag of a body.
pub(crate) fn entity_tag(body: &[u8]) -> String {
    let digest: String = Sha256::digest(body).iter().take(ETAG_BYTES).map(|byte| format!("{byte:02x}")).collect();
    format!("\"{digest}\"")
}

impl RouteResponse {
    /// Returns the response of a call.
    #[must_use]
    pub fn of(outcome: Outcome, if_none_match: Option<&str>) -> Self {
        let Outcome { status, content_type, body, is_replayed, cache, limits, fields } = outcome;
        let known = |name: &'static str, value: &str| {
            let value = HeaderValue::from_str(value).unwrap_or(HeaderValue::from_static(""));
            (HeaderName::from_static(name), value)
        };
        let mut headers: Vec<(HeaderName, HeaderValue)> = Vec::with_capacity(fields.len() + 2);
        headers.extend(content_type.map(|text| known("content-type", &text)));
        headers.extend(fields.iter().map(|(name, value)| known(name, value)));
        if is_replayed {
            headers.push(known("idempotent-replayed", "true"));
        }
        let status = StatusCode::from_u16(status).unwrap_or(StatusCode::OK);
        let response = match body {
            OutcomeBody::Bytes(bytes) => match cache {
                Some(rule) => Self::of_parts(status, headers, ResponseBody::Bytes(bytes)).kept(&rule, if_none_match),
                None => Self::of_parts(status, headers, ResponseBody::Bytes(bytes)),
            },
            OutcomeBody::Stream(stream) => Self::of_parts(status, headers, ResponseBody::Stream(stream)),
        };
        response.with_limits(limits)
    }

    fn of_parts(status: StatusCode, headers: Vec<(HeaderName, HeaderValue)>, body: ResponseBody) -> Self {
        Self { status, headers, body, workspace: None }
    }

    /// Adds `Cache-Control` and `ETag`. The response is 304 if the client has the body already (RFC 9110 §13.1.2). The tag
    /// is weak if bodies that mean the same differ (§8.8.1).
    fn kept(self, rule: &CacheRule, if_none_match: Option<&str>) -> Self {
        let ResponseBody::Bytes(bytes) = &self.body else { return self };
        let tag = match &rule.identity {
            Some(identity) => format!("W/{}", entity_tag(identity)),
            None => entity_tag(bytes),
        };
        self.tagged(rule.seconds, &tag, if_none_match)
    }

    /// Creates a JSON response.
    ///
    /// # Errors
    /// Returns `internal_error` if the view cannot be serialized.
    pub fn json<T: Serialize>(status: u16, view: &T) -> Result<Self, Refusal> {
        Ok(Self::rendered_json(status, render_view(view)?))
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
        let headers = vec![(header::CONTENT_TYPE, HeaderValue::from_static(content_type))];
        Self::of_parts(status, headers, ResponseBody::Bytes(body.into()))
    }

    /// Creates a JSON response that everyone may cache for some seconds, with an `ETag`.
    ///
    /// # Errors
    /// Returns `internal_error` if the view cannot be serialized.
    pub fn cached_json<T: Serialize>(request: &RequestInfo, seconds: u32, view: &T) -> Result<Self, Refusal> {
        Ok(Self::cached(request, seconds, "application/json", render_view(view)?))
    }

    /// [`RouteResponse::cached_json`] for another content type.
    #[must_use]
    pub fn cached(request: &RequestInfo, seconds: u32, content_type: &'static str, body: Vec<u8>) -> Self {
        let rule = CacheRule { seconds, identity: None };
        Self::typed(200, content_type, body).kept(&rule, request.if_none_match.as_deref())
    }

    /// [`RouteResponse::cached`] for a document that all clients share.
    #[must_use]
    pub fn cached_shared(
        request: &RequestInfo,
        seconds: u32,
        content_type: &'static str,
        version: DocumentVersion,
    ) -> Self {
        let response = Self::typed(200, content_type, version.bytes);
        response.tagged(seconds, &version.tag, request.if_none_match.as_deref())
    }

    fn tagged(self, seconds: u32, tag: &str, if_none_match: Option<&str>) -> Self {
        let known = if_none_match.unwrap_or_default();
        let opaque = tag.trim_start_matches("W/");
        let is_known = known.split(',').map(str::trim).any(|one| one == "*" || one.trim_start_matches("W/") == opaque);
        let response = if is_known {
            let headers = self.headers.into_iter().filter(|(name, _)| name != header::CONTENT_TYPE).collect();
            Self { status: StatusCode::NOT_MODIFIED, headers, ..Self::empty() }
        } else {
            self
        };
        let headers = [(header::CACHE_CONTROL, format!("public, max-age={seconds}")), (header::ETAG, tag.to_owned())];
        headers.into_iter().fold(response, |response, (name, value)| match HeaderValue::from_str(&value) {
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
        Self::of_parts(StatusCode::NO_CONTENT, Vec::new(), ResponseBody::Bytes(Bytes::new()))
    }

    /// Adds what the client is told beside the result of its call.
    #[must_use]
    pub fn with_notes(self, told: &Notes) -> Self {
        let mut fields = HeaderMap::new();
        notes::write(told, &mut fields);
        let named = fields.into_iter().filter_map(|(name, value)| Some((name?, value)));
        named.fold(self, |response, (name, value)| response.with(name, value))
    }

    /// Counts the memory of the response for a workspace.
    #[must_use]
    pub fn held_by(mut self, workspace: WorkspaceId) -> Self {
        self.workspace = Some(workspace);
        self
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
        statuses.into_iter().for_each(|status| rate_limits::write(&status, &mut fields));
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
            ResponseBody::Stream(stream) => (Body::new(StreamBody(stream)), None),
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
