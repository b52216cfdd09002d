//! A stream below the HTTP library. The library answers requests with an unreadable head by a bare status line, and
//! they never reach a route. This stream replaces that line with a refusal and a request id.
//!
//! hyper 1.12 has no hook and no switch for that line: it is on the wire before `serve_connection` returns its error.
//! Parsing heads before hyper (httparse) would need a second opinion on where each body ends, which is how requests are
//! smuggled. This stream only compares whole responses of the library, while no request is in progress.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use posthouse_app::tls::ClientStream;
use posthouse_domain::{ErrorCode, Refusal};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::Api;
use crate::connection::requests::OpenRequests;
use crate::response::error;

/// Status lines of the library, with the refusals that replace them.
const AUTOMATIC: [(&str, ErrorCode, &str); 3] = [
    ("HTTP/1.1 400 ", ErrorCode::InvalidRequest, "The request is not valid HTTP/1.1."),
    ("HTTP/1.1 414 ", ErrorCode::HeaderTooLarge, "The path of the request is too long."),
    (
        "HTTP/1.1 431 ",
        ErrorCode::HeaderTooLarge,
        "The request line and header fields are too large, or there are too many fields.",
    ),
];

/// A connection.
pub(crate) struct HttpErrorStream {
    stream: ClientStream,
    api: Arc<Api>,
    requests: OpenRequests,
    refusal: Option<PendingRefusal>,
}

/// A refusal that is being written.
struct PendingRefusal {
    bytes: Vec<u8>,
    written: usize,
    /// Length in bytes of the library's response that the refusal replaces.
    replaced_bytes: usize,
}

impl HttpErrorStream {
    pub(crate) fn new(stream: ClientStream, api: Arc<Api>, requests: OpenRequests) -> Self {
        Self { stream, api, requests, refusal: None }
    }

    /// Returns the underlying stream, after an upgrade.
    pub(crate) fn into_stream(self) -> ClientStream {
        self.stream
    }

    /// Returns the refusal that replaces these bytes, if they are a response of the library itself.
    fn refusal(&self, bytes: &[u8]) -> Option<PendingRefusal> {
        let (_, code, message) = AUTOMATIC.iter().find(|(line, _, _)| bytes.starts_with(line.as_bytes()))?;
        let head = std::str::from_utf8(bytes).ok().filter(|head| head.ends_with("\r\n\r\n"))?;
        // Every response of a route has a request id.
        if !self.requests.is_none() || head.contains("x-request-id") || !head.contains("content-length: 0\r\n") {
            return None;
        }
        let id = self.api.service.clock.ids().next::<uuid::Uuid>().to_string();
        tracing::info!(request_id = %id, status = code.status(), "http.unreadable");
        let refusal = Refusal::new(*code, *message);
        let refusal = match code {
            ErrorCode::InvalidRequest => refusal.with_fix("Send the request with an HTTP client library."),
            _ => refusal,
        };
        Some(PendingRefusal { bytes: error::closing(&refusal, &id), written: 0, replaced_bytes: head.len() })
    }

    fn poll_refusal(&mut self, context: &mut Context<'_>) -> Poll<io::Result<Option<usize>>> {
        let Some(pending) = &mut self.refusal else { return Poll::Ready(Ok(None)) };
        while pending.written < pending.bytes.len() {
            let written = ready!(Pin::new(&mut self.stream).poll_write(context, &pending.bytes[pending.written..]))?;
            if written == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            pending.written += written;
        }
        let replaced_bytes = pending.replaced_bytes;
        self.refusal = None;
        Poll::Ready(Ok(Some(replaced_bytes)))
    }
}

impl AsyncRead for HttpErrorStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for HttpErrorStream {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        if self.refusal.is_none() {
            self.refusal = self.refusal(bytes);
        }
        match ready!(self.poll_refusal(context))? {
            Some(replaced_bytes) => Poll::Ready(Ok(replaced_bytes)),
            None => Pin::new(&mut self.stream).poll_write(context, bytes),
        }
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        if self.refusal.is_none()
            && let Some(first) = slices.iter().find(|slice| !slice.is_empty())
        {
            self.refusal = self.refusal(first);
        }
        match ready!(self.poll_refusal(context))? {
            Some(replaced_bytes) => Poll::Ready(Ok(replaced_bytes)),
            None => Pin::new(&mut self.stream).poll_write_vectored(context, slices),
        }
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
