//! One connection: a request, its answer, the next request. Its work is done by whoever waits for an answer, so that no task
//! outlives the request.

use std::{error::Error, future::Future, pin::Pin};

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::{Request, Response, body::Incoming, client::conn::http1};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::ports::{HttpAnswer, Posting};

/// Bytes of an answer that are read past the wanted ones so that the connection can be used again.
const REST_BYTES_MAX: usize = 64 * 1024;

/// Why there was no answer.
pub(super) struct Failure {
    /// In words.
    pub(super) what: String,
    /// It had been closed before it heard of this request, or was while it did: a fresh one may work.
    pub(super) is_stale: bool,
}

/// A connection.
pub(super) struct Wire {
    sender: http1::SendRequest<Full<Bytes>>,
    connection: Pin<Box<dyn Future<Output = hyper::Result<()>> + Send>>,
    is_over: bool,
    requests: u32,
}

impl Wire {
    /// Begins HTTP/1.1 over a stream.
    pub(super) async fn over(stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static) -> Result<Self, String> {
        let begun = http1::handshake(TokioIo::new(stream)).await;
        let (sender, connection) = begun.map_err(|error| error.to_string())?;
        Ok(Self { sender, connection: Box::pin(connection), is_over: false, requests: 0 })
    }

    /// Whether another request can follow.
    pub(super) fn is_ready(&self) -> bool {
        !self.is_over && !self.sender.is_closed()
    }

    /// Sends a request and reads its answer.
    pub(super) async fn exchange(&mut self, posting: &Posting) -> Result<HttpAnswer, Failure> {
        let was_used = self.requests > 0;
        self.requests += 1;
        let request = request(posting).map_err(|what| Failure { what, is_stale: false })?;
        let Self { sender, connection, is_over, .. } = self;
        let mut whole = false;
        let work = async {
            sender.ready().await?;
            let response = sender.send_request(request).await?;
            let answer = read(response, posting.answer_bytes_max).await?;
            whole = answer.1;
            Ok::<_, hyper::Error>(answer.0)
        };
        let mut work = Box::pin(work);
        let done = loop {
            tokio::select! {
                biased;
                done = &mut work => break done,
                _ = &mut *connection, if !*is_over => *is_over = true,
            }
        };
        drop(work);
        // The rest of a long answer is not worth waiting for.
        *is_over |= !whole;
        done.map_err(|error| {
            let died = error.is_closed() || error.is_canceled() || error.is_incomplete_message() || is_reset(&error);
            Failure { what: words(&error), is_stale: was_used && died }
        })
    }
}

fn request(posting: &Posting) -> Result<Request<Full<Bytes>>, String> {
    let mut builder = Request::post(posting.path.as_str());
    for (name, value) in &posting.headers {
        builder = builder.header(name.as_str(), value.as_str());
    }
    builder.body(Full::new(posting.body.clone())).map_err(|error| format!("the request cannot be made: {error}"))
}

/// The answer, and whether it was read to its end.
async fn read(response: Response<Incoming>, wanted: usize) -> hyper::Result<(HttpAnswer, bool)> {
    let status = response.status().as_u16();
    let mut incoming = response.into_body();
    let (mut body, mut seen) = (Vec::new(), 0);
    while let Some(frame) = incoming.frame().await {
        let Ok(data) = frame?.into_data() else { continue };
        body.extend_from_slice(&data[..data.len().min(wanted - body.len())]);
        seen += data.len();
        if seen > wanted + REST_BYTES_MAX {
            return Ok((HttpAnswer { status, body }, false));
        }
    }
    Ok((HttpAnswer { status, body }, true))
}

fn is_reset(error: &hyper::Error) -> bool {
    use std::io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset};
    let io = error.source().and_then(|source| source.downcast_ref::<std::io::Error>());
    io.is_some_and(|io| matches!(io.kind(), BrokenPipe | ConnectionAborted | ConnectionReset))
}

/// The causes, the last one last.
fn words(error: &hyper::Error) -> String {
    match error.source() {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    }
}
