//! A client's byte stream, in clear or under TLS with this server as the TLS server.

use std::{io, io::IoSlice, pin::Pin, task::Context, task::Poll};

use tokio::{io::AsyncRead, io::AsyncWrite, io::ReadBuf, net::TcpStream};
use tokio_rustls::server::TlsStream;

/// A client connection.
pub enum ClientStream {
    /// In clear.
    Clear(TcpStream),
    /// Under TLS.
    Tls(Box<TlsStream<TcpStream>>),
}

macro_rules! either {
    ($self:ident, $stream:ident => $done:expr) => {
        match $self.get_mut() {
            ClientStream::Clear($stream) => $done,
            ClientStream::Tls($stream) => $done,
        }
    };
}

impl AsyncRead for ClientStream {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        either!(self, stream => Pin::new(stream).poll_read(context, buffer))
    }
}

impl AsyncWrite for ClientStream {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        either!(self, stream => Pin::new(stream).poll_write(context, bytes))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        either!(self, stream => Pin::new(stream).poll_write_vectored(context, slices))
    }

    fn is_write_vectored(&self) -> bool {
        match self {
            ClientStream::Clear(stream) => stream.is_write_vectored(),
            ClientStream::Tls(stream) => stream.is_write_vectored(),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        either!(self, stream => Pin::new(stream).poll_flush(context))
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        either!(self, stream => Pin::new(stream).poll_shutdown(context))
    }
}
