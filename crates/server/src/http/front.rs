//! What stands between a connection and the HTTP library: requests whose head cannot be read never reach a route, and the
//! library answers them by a bare status line. Here that line becomes our refusal (decision 1), with a request id.

use std::{
    io::{self, IoSlice},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use posthouse_domain::error::{Code, Refusal};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::listener::Requests;
use crate::{app::App, tls::Stream};

/// The status lines of the library, and what they are about.
const AUTOMATIC: [(&str, Code, &str); 3] = [
    ("HTTP/1.1 400 ", Code::InvalidRequest, "The request is not one of HTTP/1.1 that can be read."),
    ("HTTP/1.1 414 ", Code::HeaderTooLarge, "The path of the request is too long."),
    ("HTTP/1.1 431 ", Code::HeaderTooLarge, "The head of the request is too large or has too many fields."),
];

/// A connection.
pub(super) struct Front {
    stream: Stream,
    app: Arc<App>,
    requests: Requests,
    refusal: Option<Refused>,
}

/// A refusal on its way out.
struct Refused {
    bytes: Vec<u8>,
    written: usize,
    /// How many bytes of the library's own answer it stands for.
    instead_of: usize,
}

impl Front {
    pub(super) fn new(stream: Stream, app: Arc<App>, requests: Requests) -> Self {
        Self { stream, app, requests, refusal: None }
    }

    /// The connection itself, when it is one of HTTP no more.
    pub(super) fn into_stream(self) -> Stream {
        self.stream
    }

    /// The refusal to write instead of these bytes, if they are an answer that no route gave.
    fn refusal(&self, bytes: &[u8]) -> Option<Refused> {
        let (_, code, message) = AUTOMATIC.iter().find(|(line, _, _)| bytes.starts_with(line.as_bytes()))?;
        let head = std::str::from_utf8(bytes).ok().filter(|head| head.ends_with("\r\n\r\n"))?;
        // Every answer of a route has a request id.
        if !self.requests.is_none() || head.contains("x-request-id") || !head.contains("content-length: 0\r\n") {
            return None;
        }
        let id = self.app.clock.ids().next::<uuid::Uuid>().to_string();
        tracing::info!(request_id = %id, status = code.status(), "http.unreadable");
        let refusal = Refusal::new(*code, *message);
        let refusal = match code {
            Code::InvalidRequest => refusal.with_fix("Send the request with an HTTP client library."),
            _ => refusal,
        };
        let body = refusal.body(&id).to_string();
        let (line, length) = (head.lines().next()?, body.len());
        let bytes = format!(
            "{line}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\nx-request-id: {id}\r\n\
             cache-control: no-store\r\nconnection: close\r\n\r\n{body}"
        );
        Some(Refused { bytes: bytes.into_bytes(), written: 0, instead_of: head.len() })
    }

    fn poll_refusal(&mut self, context: &mut Context<'_>) -> Poll<io::Result<Option<usize>>> {
        let Some(refused) = &mut self.refusal else { return Poll::Ready(Ok(None)) };
        while refused.written < refused.bytes.len() {
            let written = ready!(Pin::new(&mut self.stream).poll_write(context, &refused.bytes[refused.written..]))?;
            if written == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            refused.written += written;
        }
        let instead_of = refused.instead_of;
        self.refusal = None;
        Poll::Ready(Ok(Some(instead_of)))
    }
}

impl AsyncRead for Front {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Front {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        if self.refusal.is_none() {
            self.refusal = self.refusal(bytes);
        }
        match ready!(self.poll_refusal(context))? {
            Some(instead_of) => Poll::Ready(Ok(instead_of)),
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
            Some(instead_of) => Poll::Ready(Ok(instead_of)),
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
