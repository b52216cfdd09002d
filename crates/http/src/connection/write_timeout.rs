//! A stream that fails if its peer doesn't read for too long, so that a stalled download frees its connection.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use posthouse_app::metrics::Counter;
use posthouse_app::ports::{BoxFuture, Clock};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// The limit on writes without progress.
#[derive(Clone)]
pub(crate) struct WriteLimit {
    /// Longest time without progress, in milliseconds.
    pub(crate) timeout_ms: i64,
    /// Counts the connections that are closed by it.
    pub(crate) expired: Counter,
}

/// A stream whose writes must make progress. It covers every byte that a connection sends: responses in memory, streamed
/// downloads, and refusals. HTTP/2, which would multiplex writes, isn't served.
pub(crate) struct WriteTimeout<S> {
    stream: S,
    clock: Arc<dyn Clock>,
    limit: WriteLimit,
    /// Runs while a write is pending.
    timer: Option<BoxFuture<'static, ()>>,
}

impl<S> WriteTimeout<S> {
    pub(crate) fn new(stream: S, clock: Arc<dyn Clock>, limit: WriteLimit) -> Self {
        Self { stream, clock, limit, timer: None }
    }

    /// Returns the underlying stream.
    pub(crate) fn into_inner(self) -> S {
        self.stream
    }

    /// Fails if a write has been pending for too long, even if it could continue now: the peer may have begun to read
    /// at the same moment, and the end of the connection must not depend on which is noticed first.
    fn check_timer(&mut self, context: &mut Context<'_>) -> io::Result<()> {
        let has_expired = self.timer.as_mut().is_some_and(|timer| timer.as_mut().poll(context).is_ready());
        if has_expired {
            self.timer = None;
            self.limit.expired.inc();
            return Err(io::ErrorKind::TimedOut.into());
        }
        Ok(())
    }

    /// Starts the timer of a write that is pending, and ends it with the write.
    fn check<T>(&mut self, context: &mut Context<'_>, write: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if write.is_ready() {
            self.timer = None;
            return write;
        }
        let (clock, timeout_ms) = (&self.clock, self.limit.timeout_ms);
        self.timer.get_or_insert_with(|| clock.sleep_until(clock.now().plus_ms(timeout_ms)));
        self.check_timer(context)?;
        Poll::Pending
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for WriteTimeout<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for WriteTimeout<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.check_timer(context)?;
        let write = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.check(context, write)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.check_timer(context)?;
        let write = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.check(context, write)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.check_timer(context)?;
        let flush = Pin::new(&mut self.stream).poll_flush(context);
        self.check(context, flush)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.check_timer(context)?;
        let shutdown = Pin::new(&mut self.stream).poll_shutdown(context);
        self.check(context, shutdown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use posthouse_domain::time::Time;
    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex},
        sync::watch,
    };

    const WRITE_TIMEOUT_MS: i64 = 30_000;

    /// A clock that tests set.
    struct TestClock(watch::Sender<Time>);

    impl Clock for TestClock {
        fn now(&self) -> Time {
            *self.0.borrow()
        }

        fn sleep_until(&self, time: Time) -> BoxFuture<'static, ()> {
            let mut now = self.0.subscribe();
            Box::pin(async move {
                let _ = now.wait_for(|now| *now >= time).await;
            })
        }

        fn random(&self, buffer: &mut [u8]) {
            buffer.fill(0);
        }
    }

    /// A stream whose peer has room for four bytes.
    fn stream() -> (WriteTimeout<DuplexStream>, DuplexStream, Arc<TestClock>) {
        let (stream, peer) = duplex(4);
        let clock = Arc::new(TestClock(watch::Sender::new(Time::from_millis(0))));
        let limit = WriteLimit { timeout_ms: WRITE_TIMEOUT_MS, expired: Counter::default() };
        (WriteTimeout::new(stream, clock.clone(), limit), peer, clock)
    }

    fn advance(clock: &TestClock, millis: i64) {
        clock.0.send_modify(|now| *now = now.plus_ms(millis));
    }

    #[tokio::test]
    async fn a_write_without_progress_fails_after_the_timeout() {
        let (mut stream, _peer, clock) = stream();
        stream.write_all(b"1234").await.expect("room");
        let (written, ()) = tokio::join!(stream.write_all(b"5"), async { advance(&clock, WRITE_TIMEOUT_MS) });
        assert_eq!(written.expect_err("nobody reads").kind(), io::ErrorKind::TimedOut);
        assert_eq!(stream.limit.expired.get(), 1);
    }

    #[tokio::test]
    async fn a_peer_that_reads_only_after_the_timeout_gets_no_more() {
        let (mut stream, mut peer, clock) = stream();
        stream.write_all(b"1234").await.expect("room");
        let late = async {
            advance(&clock, WRITE_TIMEOUT_MS);
            let mut bytes = [0; 4];
            peer.read_exact(&mut bytes).await.expect("what was written before");
        };
        let (written, ()) = tokio::join!(biased; stream.write_all(b"5"), late);
        assert_eq!(written.expect_err("too late").kind(), io::ErrorKind::TimedOut);
    }

    #[tokio::test]
    async fn a_slow_reader_that_makes_progress_is_served() {
        let (mut stream, mut peer, clock) = stream();
        let reader = async {
            let mut byte = [0; 1];
            for expected in 0..40u8 {
                advance(&clock, WRITE_TIMEOUT_MS - 1);
                peer.read_exact(&mut byte).await.expect("the stream is open");
                assert_eq!(byte, [expected]);
                tokio::task::yield_now().await;
            }
        };
        let bytes: Vec<u8> = (0..40).collect();
        let (written, ()) = tokio::join!(biased; stream.write_all(&bytes), reader);
        written.expect("each byte in time");
    }
}
