//! A stream that limits what its peer sends in a minute. It bounds the frames of a WebSocket that never become a message,
//! such as empty continuation frames and pongs, which the library doesn't report.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use posthouse_app::ports::Clock;
use posthouse_domain::{Limit, Time};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

const MINUTE_MS: i64 = 60_000;

/// A stream with a limit of received bytes per minute.
pub(crate) struct LimitedReads<S> {
    stream: S,
    clock: Arc<dyn Clock>,
    max: Limit,
    began: Time,
    bytes: u64,
}

impl<S> LimitedReads<S> {
    pub(crate) fn new(stream: S, clock: Arc<dyn Clock>, max: Limit) -> Self {
        let began = clock.now();
        Self { stream, clock, max, began, bytes: 0 }
    }

    fn count(&mut self, bytes: usize) -> io::Result<()> {
        let Some(max) = self.max else { return Ok(()) };
        let now = self.clock.now();
        if now.since_ms(self.began) >= MINUTE_MS {
            (self.began, self.bytes) = (now, 0);
        }
        self.bytes = self.bytes.saturating_add(bytes as u64);
        if self.bytes > max { Err(io::ErrorKind::QuotaExceeded.into()) } else { Ok(()) }
    }
}

/// Returns whether the error is that of the limit.
pub(crate) fn is_limit(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::QuotaExceeded
}

impl<S: AsyncRead + Unpin> AsyncRead for LimitedReads<S> {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let before = buffer.filled().len();
        ready!(Pin::new(&mut this.stream).poll_read(context, buffer))?;
        Poll::Ready(this.count(buffer.filled().len() - before))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for LimitedReads<S> {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.get_mut().stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.get_mut().stream).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(context)
    }
}
