//! The byte stream under a session, in clear or encrypted. Holds no buffer of its own while nothing comes: an idle
//! connection costs a socket and little else.

use std::{
    future::poll_fn,
    io,
    mem::MaybeUninit,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use tokio::{
    io::{AsyncRead, AsyncWriteExt, ReadBuf},
    net::TcpStream,
};
use tokio_rustls::{TlsAcceptor, server::TlsStream};

/// Most bytes read at once; on the stack, and only while something is there to read.
const READ_BYTES: usize = 32 * 1024;

/// A connection.
pub(super) enum Wire {
    /// In clear.
    Plain(TcpStream),
    /// Under TLS.
    Tls(Box<TlsStream<TcpStream>>),
}

impl Wire {
    /// Waits for bytes and hands them over; 0 is the end of the stream. Given up, it has read nothing.
    pub(super) async fn read(&mut self, mut take: impl FnMut(&[u8])) -> io::Result<usize> {
        poll_fn(|context| {
            let mut room = [const { MaybeUninit::<u8>::uninit() }; READ_BYTES];
            let mut buffer = ReadBuf::uninit(&mut room);
            match self.poll_read(context, &mut buffer) {
                Poll::Pending => Poll::Pending,
                Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
                Poll::Ready(Ok(())) => {
                    take(buffer.filled());
                    Poll::Ready(Ok(buffer.filled().len()))
                }
            }
        })
        .await
    }

    fn poll_read(&mut self, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        match self {
            Wire::Plain(stream) => Pin::new(stream).poll_read(context, buffer),
            Wire::Tls(stream) => Pin::new(stream).poll_read(context, buffer),
        }
    }

    /// Writes all of it, and sends it.
    pub(super) async fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Wire::Plain(stream) => stream.write_all(bytes).await,
            Wire::Tls(stream) => {
                stream.write_all(bytes).await?;
                stream.flush().await
            }
        }
    }

    /// Says that nothing more will be written, and waits for the client's end: closing with bytes unread would take the
    /// last reply away from it.
    pub(super) async fn close(&mut self) -> io::Result<()> {
        match self {
            Wire::Plain(stream) => AsyncWriteExt::shutdown(stream).await?,
            Wire::Tls(stream) => AsyncWriteExt::shutdown(stream.as_mut()).await?,
        }
        while self.read(|_| ()).await? > 0 {}
        Ok(())
    }

    /// Begins TLS as its server. A wire that is encrypted already stays as it is.
    pub(super) async fn encrypt(self, config: Arc<rustls::ServerConfig>) -> io::Result<Wire> {
        match self {
            Wire::Plain(stream) => Ok(Wire::Tls(Box::new(TlsAcceptor::from(config).accept(stream).await?))),
            encrypted => Ok(encrypted),
        }
    }

    /// Version and cipher for the trace field: `TLSv1.3 TLS13_AES_256_GCM_SHA384`.
    pub(super) fn tls(&self) -> Option<String> {
        match self {
            Wire::Plain(_) => None,
            Wire::Tls(stream) => {
                let session = stream.get_ref().1;
                let version = session.protocol_version()?;
                let suite = session.negotiated_cipher_suite()?.suite();
                Some(format!("{} {}", version.as_str()?.replace("TLSv1_", "TLSv1."), suite.as_str()?))
            }
        }
    }
}
