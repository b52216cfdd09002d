//! Requests to an authority: HTTP/1.1 over TLS that verifies, one connection each, bounded in time and size.
//!
//! It follows no redirect and asks no proxy. An authority is the operator's choice, so every network will do.

use std::{
    future::Future,
    net::{IpAddr, SocketAddr},
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper::{
    Request, Response, Uri,
    client::conn::http1,
    header::{HOST, HeaderValue, RETRY_AFTER, USER_AGENT},
};
use hyper_util::rt::TokioIo;
use instant_acme::{BodyWrapper, BytesResponse, Error, HttpClient};
use posthouse_mail::auth::{Answer, Question, QuestionKind, Records};
use rustls_pki_types::ServerName;
use tokio::net::TcpStream;
use tokio_rustls::{TlsConnector, client::TlsStream};

use crate::{
    ports::Dns,
    tls::{Trust, client_config},
};

/// How long one request may take, in seconds.
const REQUEST_S_MAX: u64 = 30;
/// How long one of several addresses may take to connect, in seconds, before the next is tried.
const CONNECT_S_MAX: u64 = 5;
/// Bytes of an answer.
const ANSWER_BYTES_MAX: usize = 1024 * 1024;
/// Who asks (RFC 8555 §6.1).
const USER_AGENT_TEXT: &str = concat!("posthouse/", env!("CARGO_PKG_VERSION"), " (instant-acme)");

/// The way to one authority. Clones are the same.
#[derive(Clone)]
pub(super) struct Transport(Arc<Inner>);

struct Inner {
    dns: Arc<dyn Dns>,
    trust: Trust,
    /// What the last answer that was no success asked for, in seconds; 0: nothing.
    retry_after_s: AtomicI64,
}

impl Transport {
    pub(super) fn new(dns: Arc<dyn Dns>, trust: Trust) -> Self {
        Self(Arc::new(Inner { dns, trust, retry_after_s: AtomicI64::new(0) }))
    }

    /// How long the authority wants not to be asked, where it said so.
    pub(super) fn retry_after_s(&self) -> Option<i64> {
        Some(self.0.retry_after_s.load(Ordering::Relaxed)).filter(|seconds| *seconds > 0)
    }

    async fn exchange(&self, request: Request<BodyWrapper<Bytes>>) -> Result<Response<Full<Bytes>>, String> {
        let (mut head, body) = request.into_parts();
        let body = body.collect().await.map_err(|never| never.to_string())?.to_bytes();
        let uri = head.uri.clone();
        let stream = self.connect(&uri).await?;
        let authority = uri.authority().map(|authority| authority.as_str().to_owned()).unwrap_or_default();
        head.uri = uri.path_and_query().map_or_else(|| Uri::from_static("/"), |path| path.clone().into());
        head.headers.insert(HOST, HeaderValue::from_str(&authority).map_err(|error| error.to_string())?);
        head.headers.insert(USER_AGENT, HeaderValue::from_static(USER_AGENT_TEXT));
        let (mut sender, connection) =
            http1::handshake(TokioIo::new(stream)).await.map_err(|error| error.to_string())?;
        let work = async {
            let response = sender.send_request(Request::from_parts(head, Full::new(body))).await;
            let (head, body) = response.map_err(|error| error.to_string())?.into_parts();
            let body = Limited::new(body, ANSWER_BYTES_MAX).collect().await.map_err(|error| error.to_string())?;
            Ok(Response::from_parts(head, Full::new(body.to_bytes())))
        };
        // The connection's work is done by who waits for the answer, and ends with it.
        tokio::pin!(work, connection);
        let answered: Result<Response<Full<Bytes>>, String> = tokio::select! {
            biased;
            answered = &mut work => answered,
            ended = &mut connection => match ended {
                Ok(()) => work.await,
                Err(error) => Err(error.to_string()),
            },
        };
        let answered = answered?;
        self.note(&answered);
        Ok(answered)
    }

    /// Keeps what an answer that was no success asks for (RFC 9110 §10.2.3).
    fn note(&self, answered: &Response<Full<Bytes>>) {
        if answered.status().is_success() {
            return;
        }
        let field = answered.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok());
        let seconds = field.and_then(|text| text.trim().parse::<i64>().ok()).unwrap_or(0);
        self.0.retry_after_s.store(seconds.max(0), Ordering::Relaxed);
    }

    async fn connect(&self, uri: &Uri) -> Result<TlsStream<TcpStream>, String> {
        let host = uri.host().unwrap_or_default().trim_matches(['[', ']']).to_owned();
        if uri.scheme_str() != Some("https") || host.is_empty() {
            return Err(format!("{uri} is no https URL"));
        }
        let port = uri.port_u16().unwrap_or(443);
        let connector = TlsConnector::from(client_config(&self.0.trust).map_err(|error| error.to_string())?);
        let name = ServerName::try_from(host.clone()).map_err(|error| format!("{host}: {error}"))?;
        let mut why = format!("{host} has no address");
        for ip in self.addresses(&host).await? {
            let connecting = TcpStream::connect(SocketAddr::new(ip, port));
            match tokio::time::timeout(Duration::from_secs(CONNECT_S_MAX), connecting).await {
                Ok(Ok(socket)) => {
                    let _ = socket.set_nodelay(true);
                    let shaken = connector.connect(name, socket).await;
                    return shaken.map_err(|error| format!("TLS with {host}: {error}"));
                }
                Ok(Err(error)) => why = format!("{host} [{ip}] cannot be connected to: {error}"),
                Err(_) => why = format!("{host} [{ip}] does not answer"),
            }
        }
        Err(why)
    }

    async fn addresses(&self, host: &str) -> Result<Vec<IpAddr>, String> {
        if let Ok(address) = host.parse() {
            return Ok(vec![address]);
        }
        let (v4, v6) = tokio::join!(
            self.0.dns.lookup(Question::new(host, QuestionKind::A)),
            self.0.dns.lookup(Question::new(host, QuestionKind::Aaaa)),
        );
        let failed = v4 == Answer::Failed || v6 == Answer::Failed;
        let mut found: Vec<IpAddr> = Vec::new();
        for answer in [v4, v6] {
            match answer {
                Answer::Records(Records::A(list)) => found.extend(list.into_iter().map(IpAddr::from)),
                Answer::Records(Records::Aaaa(list)) => found.extend(list.into_iter().map(IpAddr::from)),
                _ => {}
            }
        }
        match (found.is_empty(), failed) {
            (false, _) => Ok(found),
            (true, true) => Err(format!("the address of {host} cannot be looked up now")),
            (true, false) => Err(format!("{host} has no address in DNS")),
        }
    }
}

impl HttpClient for Transport {
    fn request(
        &self,
        request: Request<BodyWrapper<Bytes>>,
    ) -> Pin<Box<dyn Future<Output = Result<BytesResponse, Error>> + Send>> {
        let this = self.clone();
        Box::pin(async move {
            let limit = Duration::from_secs(REQUEST_S_MAX);
            let answered = tokio::time::timeout(limit, this.exchange(request)).await;
            let answered = answered.unwrap_or_else(|_| Err(format!("no answer within {REQUEST_S_MAX} s")));
            answered.map(BytesResponse::from).map_err(|why| Error::Other(why.into()))
        })
    }
}
