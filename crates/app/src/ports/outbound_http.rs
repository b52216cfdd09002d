//! The port for HTTP requests to other servers: webhooks, ACME, and whatever else calls out by HTTP.
//!
//! The adapter resolves names, refuses private networks, verifies certificates and enforces the limits, so that no
//! caller can forget one of them.

use std::{net::IpAddr, path::PathBuf};

use bytes::Bytes;

use super::BoxFuture;

/// The method of an [`HttpRequest`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HttpMethod {
    /// GET.
    Get,
    /// HEAD.
    Head,
    /// POST.
    Post,
}

/// The networks that a request may reach.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NetworkScope {
    /// Only public addresses. For URLs that users choose.
    Public,
    /// Private and other special-purpose networks too. For hosts that the operator configures.
    All,
}

/// A header field.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HttpHeader {
    pub name: String,
    pub value: String,
}

impl HttpHeader {
    /// Creates a header field.
    #[must_use]
    pub fn new(name: &str, value: impl Into<String>) -> Self {
        Self { name: name.to_owned(), value: value.into() }
    }
}

/// The limits of a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HttpLimits {
    /// The time for the whole exchange, in milliseconds: name resolution, connection, request and response.
    pub timeout_ms: i64,
    /// The number of bytes of the response's body that are kept.
    pub response_bytes_max: usize,
}

/// An HTTP request to another server.
#[derive(Clone, Debug)]
pub struct HttpRequest {
    pub method: HttpMethod,
    /// An absolute `http:` or `https:` URL without user name and password. With `https:`, the certificate must be valid
    /// for its host.
    pub url: String,
    /// The header fields in order. `Host` and `Content-Length` are added.
    pub headers: Vec<HttpHeader>,
    pub body: Bytes,
    /// The networks that the request may reach.
    pub networks: NetworkScope,
    /// The root certificates to trust, in PEM; `None` means the system's.
    pub roots: Option<PathBuf>,
    /// Whether the receiver recognizes a repeated request. Only then is an idle connection reused, because the request
    /// is sent again if the server has closed that connection.
    pub repeatable: bool,
    pub limits: HttpLimits,
}

/// An HTTP response.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HttpResponse {
    /// The status. Redirects are not followed.
    pub status: u16,
    /// The header fields in order, with names in lower case.
    pub headers: Vec<HttpHeader>,
    /// The body, up to [`HttpLimits::response_bytes_max`].
    pub body: Vec<u8>,
    /// Whether the body is longer than the limit, or was cut off by its server.
    pub truncated: bool,
}

impl HttpResponse {
    /// Returns the first value of a header field, whose name is given in lower case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|header| header.name == name).map(|header| header.value.as_str())
    }
}

/// Why there is no response. Its text is for the owner of the URL.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum OutboundHttpError {
    /// The URL or a header field is invalid.
    #[error("invalid request: {0}")]
    InvalidRequest(String),
    /// The host name does not exist.
    #[error("the name {0} does not exist")]
    NoSuchName(String),
    /// The host name has no address.
    #[error("the name {0} has no address")]
    NoAddress(String),
    /// The DNS lookup of the host name failed.
    #[error("the DNS lookup of {0} failed")]
    LookupFailed(String),
    /// The request may reach public addresses only, and the host has none.
    #[error("{0} is not reachable from the internet: it has no public address")]
    NoPublicAddress(String),
    /// The last address of the host could not be connected to.
    #[error("cannot connect to {address}: {cause}")]
    NotConnected {
        /// The address.
        address: IpAddr,
        /// The reason.
        cause: String,
    },
    /// The TLS handshake failed, or no root certificates could be read.
    #[error("TLS: {0}")]
    Tls(String),
    /// The connection ended, or the response is not valid HTTP/1.1.
    #[error("{0}")]
    Exchange(String),
    /// The time limit passed.
    #[error("no complete response in {timeout_ms} ms")]
    TimedOut {
        /// The limit in milliseconds.
        timeout_ms: i64,
    },
}

/// An HTTP/1.1 client. It follows no redirects and uses no proxy.
pub trait OutboundHttp: Send + Sync + 'static {
    /// Sends a request within its limits.
    ///
    /// # Errors
    /// Returns [`OutboundHttpError`] if there is no response.
    fn send(&self, request: HttpRequest) -> BoxFuture<'_, Result<HttpResponse, OutboundHttpError>>;
}
