//! The byte stream of a session, plain or encrypted. It has no buffer while idle, so that an idle connection needs
//! little more than a socket.

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

/// Maximum bytes per read. The buffer is on the stack, only while data is read.
const READ_BYTES: usize = 32 * 1024;

/// A connection.
pub(super) enum SmtpStream {
    /// Without TLS.
    Plain(TcpStream),
    /// With TLS.
    Tls(Box<TlsStream<TcpStream>>),
}

impl SmtpStream {
    /// Waits for bytes and passes them to `take`. Returns their count, 0 at the end of the stream. Cancel safe.
    pub(super) async fn read(&mut self, mut take: impl FnMut(&[u8])) -> io::Result<usize> {
        poll_fn(|context| {
            let mut bytes = [const { MaybeUninit::<u8>::uninit() }; READ_BYTES];
            let mut buffer = ReadBuf::uninit(&mut bytes);
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
            SmtpStream::Plain(stream) => Pin::new(stream).poll_read(context, buffer),
            SmtpStream::Tls(stream) => Pin::new(stream).poll_read(context, buffer),
        }
    }

    /// Writes and flushes all bytes.
    pub(super) async fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            SmtpStream::Plain(stream) => stream.write_all(bytes).await,
            SmtpStream::Tls(stream) => {
                stream.write_all(bytes).await?;
                stream.flush().await
            }
        }
    }

    /// Shuts down writing and waits for the client to close. Closing with unread bytes would discard the last reply.
    pub(super) async fn close(&mut self) -> io::Result<()> {
        match self {
            SmtpStream::Plain(stream) => AsyncWriteExt::shutdown(stream).await?,
            SmtpStream::Tls(stream) => AsyncWriteExt::shutdown(stream.as_mut()).await?,
        }
        while self.read(|_| ()).await? > 0 {}
        Ok(())
    }

    /// Starts TLS as the server, unless the stream is already encrypted.
    pub(super) async fn encrypt(self, config: Arc<rustls::ServerConfig>) -> io::Result<SmtpStream> {
        match self {
            SmtpStream::Plain(stream) => Ok(SmtpStream::Tls(Box::new(TlsAcceptor::from(config).accept(stream).await?))),
            encrypted => Ok(encrypted),
        }
    }

    /// Returns version and cipher for the trace field, such as `TLSv1.3 TLS13_AES_256_GCM_SHA384`.
    pub(super) fn tls(&self) -> Option<String> {
        match self {
            SmtpStream::Plain(_) => None,
            SmtpStream::Tls(stream) => {
                let session = stream.get_ref().1;
                let version = session.protocol_version()?;
                let suite = session.negotiated_cipher_suite()?.suite();
                Some(format!("{} {}", version.as_str()?.replace("TLSv1_", "TLSv1."), suite.as_str()?))
            }
        }
    }
}
