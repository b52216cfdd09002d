//! A server with scripted bytes, a resolver with scripted answers, a clock that a test ends, and a dial that leads every
//! address to the server and records it.

use std::{
    collections::{HashMap, VecDeque},
    net::{IpAddr, SocketAddr},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicI64, Ordering},
    },
};

use bytes::Bytes;
use posthouse_domain::time::Time;
use posthouse_mail::auth::{DnsAnswer, DnsQuestion, DnsRecordType, DnsRecords};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::watch,
    task::JoinHandle,
};
use tokio_rustls::TlsAcceptor;

use super::super::{HttpClient, connector::Dial};
use posthouse_app::ports::{
    BoxFuture, Clock, Dns, HttpLimits, HttpMethod, HttpRequest, HttpResponse, NetworkScope, OutboundHttp,
    OutboundHttpError,
};

/// What the server does with a request.
#[derive(Clone)]
pub(super) enum Reply {
    /// Sends these bytes and waits for the next request.
    Bytes(Vec<u8>),
    /// Sends these bytes and closes the connection.
    Last(Vec<u8>),
    /// Sends these bytes, then nothing until the client closes the connection.
    Stall(Vec<u8>),
    /// Sends these bytes, then `x` until the client closes the connection.
    Endless(Vec<u8>),
}

/// Returns a complete response with a body.
pub(super) fn ok(body: &str) -> Reply {
    Reply::Bytes(format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len()).into_bytes())
}

/// A scripted server. It answers 200 when the script is over.
pub(super) struct Server {
    pub(super) address: SocketAddr,
    state: Arc<ServerState>,
    task: JoinHandle<()>,
}

#[derive(Default)]
struct ServerState {
    script: Mutex<VecDeque<Reply>>,
    requests: Mutex<Vec<String>>,
    connections: Mutex<usize>,
    /// The number of connections that the client closed while the server stalled.
    abandoned: watch::Sender<usize>,
}

impl Server {
    pub(super) async fn start(script: Vec<Reply>) -> Self {
        Self::with_tls(script, None).await
    }

    pub(super) async fn with_tls(script: Vec<Reply>, tls: Option<TlsAcceptor>) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("loopback can be listened on");
        let address = listener.local_addr().expect("a bound listener has an address");
        let state = Arc::new(ServerState { script: Mutex::new(script.into()), ..ServerState::default() });
        let shared = Arc::clone(&state);
        let task = tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                *lock(&shared.connections) += 1;
                let (shared, tls) = (Arc::clone(&shared), tls.clone());
                tokio::spawn(async move {
                    match tls {
                        None => serve(socket, &shared).await,
                        Some(tls) => {
                            let Ok(stream) = tls.accept(socket).await else { return };
                            serve(stream, &shared).await;
                        }
                    }
                });
            }
        });
        Self { address, state, task }
    }

    /// Returns the requests so far, byte for byte.
    pub(super) fn requests(&self) -> Vec<String> {
        lock(&self.state.requests).clone()
    }

    pub(super) fn connections(&self) -> usize {
        *lock(&self.state.connections)
    }

    /// Waits until the client has closed that many stalled connections.
    pub(super) async fn wait_for_abandoned(&self, count: usize) {
        let _ = self.state.abandoned.subscribe().wait_for(|now| *now >= count).await;
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(mut stream: impl AsyncRead + AsyncWrite + Unpin, state: &ServerState) {
    while let Some(request) = read_request(&mut stream).await {
        lock(&state.requests).push(request);
        let reply = lock(&state.script).pop_front().unwrap_or_else(|| ok("ok"));
        let (Reply::Bytes(bytes) | Reply::Last(bytes) | Reply::Stall(bytes) | Reply::Endless(bytes)) = &reply;
        let mut open = stream.write_all(bytes).await.is_ok() && stream.flush().await.is_ok();
        match reply {
            Reply::Bytes(_) => {}
            Reply::Last(_) => return,
            Reply::Stall(_) => {
                let _ = stream.read_u8().await;
                state.abandoned.send_modify(|count| *count += 1);
                return;
            }
            Reply::Endless(_) => {
                while open {
                    open = stream.write_all(&[b'x'; 8 * 1024]).await.is_ok();
                }
                state.abandoned.send_modify(|count| *count += 1);
            }
        }
        if !open {
            return;
        }
    }
}

/// Reads a head and the body that its `Content-Length` announces.
async fn read_request(stream: &mut (impl AsyncRead + Unpin)) -> Option<String> {
    let mut bytes = Vec::new();
    while !bytes.ends_with(b"\r\n\r\n") {
        bytes.push(stream.read_u8().await.ok()?);
    }
    let head = String::from_utf8_lossy(&bytes).to_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse::<usize>().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    stream.read_exact(&mut body).await.ok()?;
    bytes.extend(body);
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// The answer of the resolver for a name.
#[derive(Clone)]
pub(super) enum Answer {
    Addresses(&'static [&'static str]),
    NoSuchName,
    NoData,
    Failed,
    /// No answer ever.
    Silence,
}

/// A resolver whose answers follow a script for each name. The last answer repeats.
#[derive(Default)]
pub(super) struct ScriptedDns(Mutex<HashMap<String, VecDeque<Answer>>>);

impl ScriptedDns {
    pub(super) fn set(&self, name: &str, answers: &[Answer]) {
        lock(&self.0).insert(name.to_owned(), answers.iter().cloned().collect());
    }

    fn answer(&self, question: &DnsQuestion) -> Answer {
        let mut names = lock(&self.0);
        let Some(script) = names.get_mut(&question.name) else { return Answer::NoSuchName };
        // IPv4 is asked for first, then IPv6.
        if question.kind == DnsRecordType::Aaaa && script.len() > 1 {
            return script.pop_front().expect("not empty");
        }
        script.front().cloned().expect("not empty")
    }
}

impl Dns for ScriptedDns {
    fn lookup(&self, question: DnsQuestion) -> BoxFuture<'_, DnsAnswer> {
        let answer = self.answer(&question);
        Box::pin(async move {
            let texts = match answer {
                Answer::Addresses(texts) => texts,
                Answer::NoSuchName => return DnsAnswer::NoSuchName,
                Answer::NoData => return DnsAnswer::NoData,
                Answer::Failed => return DnsAnswer::Failed,
                Answer::Silence => std::future::pending().await,
            };
            let addresses = texts.iter().map(|text| text.parse::<IpAddr>().expect("an address"));
            let (mut v4, mut v6) = (Vec::new(), Vec::new());
            addresses.for_each(|address| match address {
                IpAddr::V4(address) => v4.push(address),
                IpAddr::V6(address) => v6.push(address),
            });
            match question.kind {
                DnsRecordType::A if !v4.is_empty() => DnsAnswer::Records(DnsRecords::A(v4)),
                DnsRecordType::Aaaa if !v6.is_empty() => DnsAnswer::Records(DnsRecords::Aaaa(v6)),
                _ => DnsAnswer::NoData,
            }
        })
    }

    fn is_served(&self) -> BoxFuture<'_, bool> {
        Box::pin(std::future::ready(true))
    }
}

/// A clock that only a test moves. It can also end every deadline at once.
#[derive(Default)]
pub(super) struct StoppedClock {
    now_ms: AtomicI64,
    deadlines_ended: watch::Sender<bool>,
}

impl StoppedClock {
    pub(super) fn end_deadlines(&self) {
        self.deadlines_ended.send_replace(true);
    }

    pub(super) fn advance(&self, ms: i64) {
        self.now_ms.fetch_add(ms, Ordering::Relaxed);
    }
}

impl Clock for StoppedClock {
    fn now(&self) -> Time {
        Time::from_millis(self.now_ms.load(Ordering::Relaxed))
    }

    fn sleep_until(&self, _time: Time) -> BoxFuture<'static, ()> {
        let mut ended = self.deadlines_ended.subscribe();
        let keep = self.deadlines_ended.clone();
        Box::pin(async move {
            let _ = ended.wait_for(|ended| *ended).await;
            drop(keep);
        })
    }

    fn random(&self, buffer: &mut [u8]) {
        buffer.fill(0);
    }
}

/// A client with its scripted surroundings.
pub(super) struct Fixture {
    pub(super) client: HttpClient,
    pub(super) dns: Arc<ScriptedDns>,
    pub(super) clock: Arc<StoppedClock>,
    pub(super) server: Server,
    dialed: Arc<Mutex<Vec<SocketAddr>>>,
}

impl Fixture {
    pub(super) async fn new(script: Vec<Reply>) -> Self {
        Self::with_server(Server::start(script).await)
    }

    /// Leads every connection to the server, whatever its address.
    pub(super) fn with_server(server: Server) -> Self {
        let to = server.address;
        Self::with_dial(server, move |_| Box::pin(TcpStream::connect(to)))
    }

    pub(super) fn with_dial(
        server: Server,
        dial: impl Fn(SocketAddr) -> BoxFuture<'static, std::io::Result<TcpStream>> + Send + Sync + 'static,
    ) -> Self {
        let (dns, clock) = (Arc::new(ScriptedDns::default()), Arc::new(StoppedClock::default()));
        let dialed = Arc::new(Mutex::new(Vec::new()));
        let record = Arc::clone(&dialed);
        let dial: Dial = Arc::new(move |address| {
            lock(&record).push(address);
            dial(address)
        });
        let client = HttpClient::with_dial(clock.clone(), dns.clone(), dial);
        Self { client, dns, clock, server, dialed }
    }

    /// Returns the addresses that the client connected to, in order.
    pub(super) fn dialed(&self) -> Vec<String> {
        lock(&self.dialed).iter().map(SocketAddr::to_string).collect()
    }

    pub(super) async fn send(&self, request: HttpRequest) -> Result<HttpResponse, OutboundHttpError> {
        self.client.send(request).await
    }

    pub(super) async fn get(&self, url: &str) -> Result<HttpResponse, OutboundHttpError> {
        self.send(get(url)).await
    }
}

/// Returns a repeatable GET request to public addresses.
pub(super) fn get(url: &str) -> HttpRequest {
    HttpRequest {
        method: HttpMethod::Get,
        url: url.to_owned(),
        headers: Vec::new(),
        body: Bytes::new(),
        networks: NetworkScope::Public,
        roots: None,
        repeatable: true,
        limits: HttpLimits { timeout_ms: 1_000, response_bytes_max: 1_000 },
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
